//! Corners of primitives: indices into sources, cut into triangles, and equal ones made one vertex.

use super::super::raw::{Document, Geometry, Input, Primitive, PrimitiveKind, Table, integers};
use super::super::triangulate::{self, MOST_CORNERS};
use crate::{Budget, Cause};
use glam::DVec3;
use sinew_findings::plural;
use std::collections::HashMap;

/// Index that stands for "has none".
pub(super) const NONE: u32 = u32::MAX;
const NO_VERTEX: u32 = u32::MAX;
/// Few vertices share a position; a file in which many do must not make the search slow.
const MOST_IN_CHAIN: u8 = 32;

/// What a corner is made of besides its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    Normal,
    Uv,
    Colour,
    Tangent,
    Binormal,
}

pub(super) const ATTRIBUTES: usize = 5;

/// Rows of all sources of one attribute, one source behind the other.
#[derive(Default)]
pub(super) struct Pool {
    rows: Vec<[f32; 4]>,
    /// Where the rows of each source begin, and how many they are.
    ranges: HashMap<String, (u32, u32)>,
}

impl Pool {
    pub(super) fn get(&self, index: u32) -> Option<[f32; 4]> {
        self.rows.get(index as usize).copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// One vertex: its position and its attributes, as indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vertex {
    pub(super) position: u32,
    pub(super) attributes: [u32; ATTRIBUTES],
    /// The first corner of the geometry that it is, before polygons are cut.
    pub(super) corner: u32,
}

/// A run of triangles, by the symbol of its material.
pub(super) struct Run {
    pub(super) material: Option<String>,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The triangles of a geometry.
pub(crate) struct Triangles<'b> {
    /// What it takes, given back with it.
    budget: Budget<'b>,
    pub(super) positions: Table,
    pub(super) pools: [Pool; ATTRIBUTES],
    pub(super) vertices: Vec<Vertex>,
    pub(super) indices: Vec<u32>,
    pub(super) runs: Vec<Run>,
    /// Vertex of each corner of all polygons, before they are cut.
    pub(super) corner_vertices: Vec<u32>,
    /// Numbers that are not finite.
    pub(super) not_finite: usize,
    /// Faces with fewer than three corners.
    pub(super) degenerate: usize,
    /// Polygons that are too large for ear clipping.
    pub(super) large: usize,
    /// First vertex of each position, and the next one of the same position for each vertex.
    heads: Vec<u32>,
    next: Vec<u32>,
    /// Length of each position's chain of vertices, and what did not go into it.
    crowds: Vec<u8>,
    crowded: HashMap<(u32, [u32; ATTRIBUTES]), u32>,
}

/// Which index of a corner an attribute takes, and where its rows begin.
#[derive(Clone, Copy)]
struct Slot {
    attribute: usize,
    offset: usize,
    first: u32,
    count: u32,
}

/// Bytes that a corner takes in the lists here: as a corner, as a vertex of its own, and in triangles.
const CORNER_BYTES: u64 = 84;
/// Steps of looking at one corner while another is cut off.
const CUT_STEPS: u64 = 16;
/// Bytes of an entry of a position that many vertices share.
const CROWDED_BYTES: u64 = 80;

impl<'b> Triangles<'b> {
    /// Reads all primitives of a geometry. `uv_set` says which set of texture coordinates a material uses, if given.
    pub(crate) fn read(
        geometry: &Geometry<'_>,
        document: &Document<'_>,
        uv_set: &dyn Fn(Option<&str>) -> Option<usize>,
        budget: &'b Budget<'b>,
    ) -> Result<Self, Cause> {
        let position = geometry.vertices.iter().find(|i| i.semantic == "POSITION");
        let source = position.and_then(|i| document.sources.get(i.source));
        let Some(source) = source else {
            return Err(geometry.element.error("the geometry has no source of positions"));
        };
        let positions = source.table(document)?;
        let budget = budget.scratch();
        budget.vertices(positions.len() as u64 + 1)?;
        budget.list::<(u32, u8)>(positions.len())?;
        let mut this = Self {
            budget,
            heads: vec![NO_VERTEX; positions.len()],
            crowds: vec![0; positions.len()],
            crowded: HashMap::new(),
            corner_vertices: Vec::new(),
            positions,
            pools: Default::default(),
            vertices: Vec::new(),
            indices: Vec::new(),
            runs: Vec::new(),
            not_finite: 0,
            degenerate: 0,
            large: 0,
            next: Vec::new(),
        };
        for primitive in &geometry.primitives {
            this.read_primitive(primitive, geometry, document, uv_set)?;
        }
        Ok(this)
    }

    /// A position of the source.
    pub(super) fn position(&self, index: u32) -> DVec3 {
        match self.positions.row(index as usize) {
            Some(&[x, y, z, ..]) => DVec3::new(x, y, z),
            Some(&[x, y]) => DVec3::new(x, y, 0.0),
            _ => DVec3::ZERO,
        }
    }

    /// Positions that no corner uses.
    pub(super) fn loose(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.heads).filter(|&(_, &head)| head == NO_VERTEX).map(|(position, _)| position)
    }

    fn read_primitive(
        &mut self,
        primitive: &Primitive<'_>,
        geometry: &Geometry<'_>,
        document: &Document<'_>,
        uv_set: &dyn Fn(Option<&str>) -> Option<usize>,
    ) -> Result<(), Cause> {
        // All inputs of all primitives are looked at, of those of the geometry for each primitive anew.
        self.budget.vertices((primitive.inputs.len() + geometry.vertices.len()) as u64)?;
        let Some(vertex) = primitive.inputs.iter().find(|i| i.semantic == "VERTEX") else {
            return Err(primitive.element.error("the primitive has no VERTEX input"));
        };
        let inputs = expanded(primitive, geometry, vertex);
        let wanted_set = uv_set(primitive.material);
        let mut slots = Vec::new();
        for attribute in 0..ATTRIBUTES {
            if let Some(input) = choose(&inputs, attribute, wanted_set) {
                slots.extend(self.slot(attribute, &input, document)?);
            }
        }
        let stride = primitive.inputs.iter().map(|i| i.offset.saturating_add(1)).max().unwrap_or(1);
        let first = self.indices.len() as u32;
        let reader = CornerReader { stride, position: vertex.offset, slots };
        self.read_lists(primitive, &reader)?;
        let count = (self.indices.len() as u32).saturating_sub(first);
        if count > 0 {
            self.budget.memory((2 * size_of::<Run>() + primitive.material.map_or(0, str::len)) as u64)?;
            self.runs.push(Run { material: primitive.material.map(str::to_owned), first, count });
        }
        Ok(())
    }

    fn read_lists(&mut self, primitive: &Primitive<'_>, reader: &CornerReader) -> Result<(), Cause> {
        let counts = primitive.counts.map(integers).transpose()?;
        let mut face: Vec<u32> = Vec::new();
        for list in &primitive.lists {
            let indices = integers(list.outline)?;
            let corners = indices.len() / reader.stride;
            // Each list is read by all counts.
            self.budget.vertices(counts.as_ref().map_or(0, Vec::len) as u64)?;
            self.count_corners(corners)?;
            self.count_cuts(primitive.kind, corners, counts.as_deref().unwrap_or_default())?;
            let crowded = self.crowded.len();
            self.corner_vertices.reserve(corners);
            self.indices.reserve(corners);
            let wrong = |what: String| list.outline.error(what);
            let mut all = indices.chunks_exact(reader.stride);
            match primitive.kind {
                PrimitiveKind::Triangles => {
                    while all.len() >= 3 {
                        self.face(all.by_ref().take(3), reader, &mut face).map_err(wrong)?;
                    }
                }
                PrimitiveKind::Polylist => {
                    for &count in counts.as_deref().unwrap_or_default() {
                        let count = usize::try_from(count).unwrap_or(0);
                        if all.len() < count {
                            return Err(wrong("there are fewer corners than `<vcount>` says".to_owned()));
                        }
                        self.face(all.by_ref().take(count), reader, &mut face).map_err(wrong)?;
                    }
                }
                PrimitiveKind::Polygons if list.holes.is_empty() => {
                    self.face(all, reader, &mut face).map_err(wrong)?;
                }
                PrimitiveKind::Polygons => {
                    let mut rings = vec![self.ring(all, reader).map_err(wrong)?];
                    for hole in &list.holes {
                        let indices = integers(*hole)?;
                        self.count_corners(indices.len() / reader.stride)?;
                        let all = indices.chunks_exact(reader.stride);
                        rings.push(self.ring(all, reader).map_err(|what| hole.error(what))?);
                    }
                    self.face_with_holes(&rings);
                }
                PrimitiveKind::Tristrips | PrimitiveKind::Trifans => {
                    let ring = self.ring(all, reader).map_err(wrong)?;
                    let strip = primitive.kind == PrimitiveKind::Tristrips;
                    self.strip(&ring, strip);
                }
            }
            self.budget.memory((self.crowded.len() - crowded) as u64 * CROWDED_BYTES)?;
        }
        Ok(())
    }

    /// Counts the work of cutting polygons, which takes the square of their corners.
    fn count_cuts(&self, kind: PrimitiveKind, corners: usize, counts: &[i32]) -> Result<(), Cause> {
        let work = |corners: usize| match corners {
            0..=4 => 0,
            _ => (corners.min(MOST_CORNERS) as u64).pow(2) * CUT_STEPS,
        };
        self.budget.steps(match kind {
            PrimitiveKind::Polygons => work(corners),
            PrimitiveKind::Polylist => {
                counts.iter().map(|&count| work(usize::try_from(count).unwrap_or(0))).sum()
            }
            _ => 0,
        })
    }

    fn count_corners(&self, corners: usize) -> Result<(), Cause> {
        self.budget.vertices(corners as u64)?;
        self.budget.memory(corners as u64 * CORNER_BYTES)
    }

    fn ring<'i>(
        &mut self,
        corners: impl Iterator<Item = &'i [i32]>,
        reader: &CornerReader,
    ) -> Result<Vec<u32>, String> {
        corners.map(|corner| self.corner(corner, reader)).collect()
    }

    /// Adds a face: as it is, or cut.
    fn face<'i>(
        &mut self,
        corners: impl Iterator<Item = &'i [i32]>,
        reader: &CornerReader,
        face: &mut Vec<u32>,
    ) -> Result<(), String> {
        face.clear();
        for corner in corners {
            let vertex = self.corner(corner, reader)?;
            face.push(vertex);
        }
        match **face {
            [a, b, c] => self.indices.extend([a, b, c]),
            [_, _, _, _, ..] => {
                let points: Vec<DVec3> = face.iter().map(|&v| self.vertex_position(v)).collect();
                self.large += usize::from(points.len() > MOST_CORNERS);
                let mut triangles = Vec::new();
                triangulate::triangulate(&points, &mut triangles);
                self.push_triangles(face, &triangles);
            }
            _ => self.degenerate += 1,
        }
        Ok(())
    }

    fn face_with_holes(&mut self, rings: &[Vec<u32>]) {
        let mut points = rings
            .iter()
            .map(|ring| -> Vec<DVec3> { ring.iter().map(|&v| self.vertex_position(v)).collect() });
        let Some(outline) = points.next() else { return };
        let holes: Vec<Vec<DVec3>> = points.collect();
        let mut triangles = Vec::new();
        triangulate::triangulate_with_holes(&outline, &holes, &mut triangles);
        let vertices: Vec<u32> = rings.iter().flatten().copied().collect();
        self.large += usize::from(vertices.len() > MOST_CORNERS);
        self.push_triangles(&vertices, &triangles);
    }

    fn push_triangles(&mut self, vertices: &[u32], triangles: &[[usize; 3]]) {
        for &[a, b, c] in triangles {
            if let (Some(&a), Some(&b), Some(&c)) = (vertices.get(a), vertices.get(b), vertices.get(c)) {
                self.indices.extend([a, b, c]);
            }
        }
    }

    /// Adds a strip, of which every other triangle runs the other way round, or a fan.
    fn strip(&mut self, ring: &[u32], is_strip: bool) {
        let Some(&hub) = ring.first() else { return };
        if ring.len() < 3 {
            self.degenerate += 1;
        }
        for (number, window) in ring.windows(3).enumerate() {
            let &[a, b, c] = window else { continue };
            let triangle = match is_strip {
                true if number % 2 == 1 => [b, a, c],
                true => [a, b, c],
                false => [hub, b, c],
            };
            // Strips are joined by triangles without area.
            if a != b && b != c && a != c {
                self.indices.extend(triangle);
            }
        }
    }

    fn vertex_position(&self, vertex: u32) -> DVec3 {
        self.vertices.get(vertex as usize).map_or(DVec3::ZERO, |v| self.position(v.position))
    }

    /// The vertex of a corner: an earlier one that is the same, or a new one.
    #[inline]
    fn corner(&mut self, indices: &[i32], reader: &CornerReader) -> Result<u32, String> {
        let number = self.corner_vertices.len() as u32;
        let position = indices.get(reader.position).copied().unwrap_or(-1);
        let Some(&head) = usize::try_from(position).ok().and_then(|p| self.heads.get(p)) else {
            return Err(format!(
                "index {position} is out of range of the {}",
                plural(self.heads.len(), "position", "positions")
            ));
        };
        let mut attributes = [NONE; ATTRIBUTES];
        for slot in &reader.slots {
            let index = indices.get(slot.offset).copied().unwrap_or(-1);
            match (u32::try_from(index), attributes.get_mut(slot.attribute)) {
                (Ok(index), Some(attribute)) if index < slot.count => *attribute = slot.first + index,
                _ => {
                    return Err(format!(
                        "index {index} is out of range of the {} of its source",
                        plural(slot.count as usize, "row", "rows")
                    ));
                }
            }
        }
        let vertex = Vertex { position: position as u32, attributes, corner: number };
        let index = self.same(head, &vertex).unwrap_or_else(|| self.add(head, vertex));
        self.corner_vertices.push(index);
        Ok(index)
    }

    /// An earlier vertex that is the same.
    #[inline]
    fn same(&self, head: u32, wanted: &Vertex) -> Option<u32> {
        let mut at = head;
        while let Some(vertex) = self.vertices.get(at as usize) {
            if vertex.attributes == wanted.attributes {
                return Some(at);
            }
            at = self.next.get(at as usize).copied().unwrap_or(NO_VERTEX);
        }
        self.crowded.get(&(wanted.position, wanted.attributes)).copied()
    }

    fn add(&mut self, head: u32, vertex: Vertex) -> u32 {
        let new = self.vertices.len() as u32;
        self.vertices.push(vertex);
        let position = vertex.position as usize;
        let crowd = self.crowds.get(position).copied().unwrap_or(0);
        if crowd < MOST_IN_CHAIN {
            self.next.push(head);
            if let (Some(head), Some(crowd)) = (self.heads.get_mut(position), self.crowds.get_mut(position)) {
                *head = new;
                *crowd += 1;
            }
        } else {
            self.next.push(NO_VERTEX);
            self.crowded.insert((vertex.position, vertex.attributes), new);
        }
        new
    }

    /// Where an input's rows are in the pool of its attribute; read if they are not there yet.
    fn slot(
        &mut self,
        attribute: usize,
        input: &Input<'_>,
        document: &Document<'_>,
    ) -> Result<Option<Slot>, Cause> {
        let Some(pool) = self.pools.get_mut(attribute) else { return Ok(None) };
        if let Some(&(first, count)) = pool.ranges.get(input.source) {
            return Ok(Some(Slot { attribute, offset: input.offset, first, count }));
        }
        let Some(source) = document.sources.get(input.source) else { return Ok(None) };
        let table = source.table(document)?;
        self.budget.list::<[f32; 4]>(table.len())?;
        pool.rows.reserve_exact(table.len());
        let first = pool.rows.len() as u32;
        for row in table.rows() {
            // Colours without alpha are opaque.
            let mut values = [0.0, 0.0, 0.0, 1.0];
            for (value, &number) in values.iter_mut().zip(row) {
                let number = number as f32;
                *value = if number.is_finite() { number } else { 0.0 };
                self.not_finite += usize::from(!number.is_finite());
            }
            pool.rows.push(values);
        }
        let count = table.len() as u32;
        pool.ranges.insert(input.source.to_owned(), (first, count));
        Ok(Some(Slot { attribute, offset: input.offset, first, count }))
    }
}

struct CornerReader {
    stride: usize,
    position: usize,
    slots: Vec<Slot>,
}

/// Inputs of a primitive, with those of its vertices in place of the one that stands for them.
fn expanded<'d>(primitive: &Primitive<'d>, geometry: &Geometry<'d>, vertex: &Input<'d>) -> Vec<Input<'d>> {
    let own = primitive.inputs.iter().copied().filter(|i| i.semantic != "VERTEX");
    let shared = geometry.vertices.iter().map(|i| Input { offset: vertex.offset, ..*i });
    own.chain(shared).collect()
}

/// The input of an attribute: of the wanted set of texture coordinates, else of the lowest.
fn choose<'d>(inputs: &[Input<'d>], attribute: usize, wanted_set: Option<usize>) -> Option<Input<'d>> {
    let names: &[&str] = match attribute {
        0 => &["NORMAL"],
        1 => &["TEXCOORD", "UV"],
        2 => &["COLOR"],
        3 => &["TEXTANGENT", "TANGENT"],
        _ => &["TEXBINORMAL", "BINORMAL"],
    };
    let fitting = || inputs.iter().filter(|i| names.contains(&i.semantic));
    let by_set = wanted_set.filter(|_| attribute != 0 && attribute != 2);
    by_set
        .and_then(|set| fitting().find(|i| i.set == set))
        .or_else(|| fitting().min_by_key(|i| i.set))
        .copied()
}

impl Attribute {
    pub(super) fn index(self) -> usize {
        self as usize
    }
}
