//! Primitives as meshes: those of one mesh that have the same vertices become parts of one.

mod instances;
mod skin;
mod strokes;
mod triangles;

use super::accessor::Values;
use super::container::File;
use super::json::{self, Attributes, Primitive};
use super::material;
use super::rig::Rig;
use crate::{Budget, Cause, Options, findings};
use glam::{Affine3, Vec2, Vec3, Vec4};
use sinew::{Finding, Mesh, MorphDelta, MorphTarget, Part};
use sinew_findings::plural;
use std::collections::HashMap;

/// All meshes that nodes show.
pub(super) fn meshes(
    file: &File<'_>,
    rig: &Rig,
    options: &Options,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Mesh>, Cause> {
    let model = rig.model();
    let mut out = Vec::new();
    let mut used = vec![false; file.document.meshes.len()];
    let mut grouped: HashMap<usize, Vec<Group<'_>>> = HashMap::new();
    let hidden = hidden(file, rig);
    report_hidden(file, &hidden, findings);
    for &node in &rig.scene {
        let Some(source) = file.document.nodes.get(node) else { continue };
        let Some(index) = source.mesh else { continue };
        let (Some(mesh), Some(used)) = (file.document.meshes.get(index), used.get_mut(index)) else {
            continue;
        };
        *used = true;
        if hidden.get(node) == Some(&true) {
            continue;
        }
        // A node that this project wrote for a skinned mesh has no transform.
        let stands_on = model.get(usize::from(rig.joint(node))).filter(|_| !rig.is_stand_in(node));
        let mirrored = stands_on.is_some_and(|model| model.matrix3.determinant() < 0.0);
        let shown = Shown { file, rig, node, source, mirrored, options };
        for group in grouped.entry(index).or_insert_with(|| groups(file, mesh)) {
            let built = shown.build(mesh, group, findings)?;
            out.extend(built);
        }
    }
    report_left_out(&file.document.meshes, &used, findings);
    Ok(out)
}

/// Names the meshes that no node shows, and those in which there is nothing.
fn report_left_out(meshes: &[json::Mesh], used: &[bool], findings: &mut Vec<Finding>) {
    for (index, (mesh, used)) in meshes.iter().zip(used).enumerate() {
        let (kind, message) = match used {
            false => (&findings::MESH_UNUSED, "no node of the scene shows it"),
            true if mesh.primitives.is_empty() => (&findings::MESH_EMPTY, "it has no primitives"),
            true => continue,
        };
        findings.push(Finding::new(kind, format!("meshes[{index}] `{}`", mesh.name), message));
    }
}

/// Which nodes are not shown: those that say so, and all below them.
fn hidden(file: &File<'_>, rig: &Rig) -> Vec<bool> {
    let nodes = &file.document.nodes;
    let says_so =
        |node: &json::Node| node.extensions.visibility.as_ref().and_then(|v| v.visible) == Some(false);
    let mut hidden: Vec<bool> = nodes.iter().map(says_so).collect();
    // Parents come first.
    for &node in &rig.scene {
        let children = nodes.get(node).filter(|_| hidden.get(node) == Some(&true)).map(|node| &node.children);
        for &child in children.into_iter().flatten() {
            if let Some(hidden) = hidden.get_mut(child) {
                *hidden = true;
            }
        }
    }
    hidden
}

fn report_hidden(file: &File<'_>, hidden: &[bool], findings: &mut Vec<Finding>) {
    let meshes = file.document.nodes.iter().enumerate().zip(hidden);
    let mut meshes = meshes.filter(|((_, node), hidden)| **hidden && node.mesh.is_some()).peekable();
    if let Some(((first, node), _)) = meshes.peek() {
        let place = format!("nodes[{first}] `{}`", node.name);
        let count = meshes.count();
        let message = format!("{} of hidden nodes left out", plural(count, "mesh", "meshes"));
        findings.push(Finding::new(&findings::GLTF_HIDDEN, place, message).count(count));
    }
}

/// Primitives with the same vertices, and which two sets of texture coordinates their materials use.
struct Group<'a> {
    primitives: Vec<&'a Primitive>,
    uv_sets: [usize; 2],
}

fn groups<'a>(file: &File<'_>, mesh: &'a json::Mesh) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known = HashMap::new();
    for primitive in &mesh.primitives {
        let material = primitive.material.and_then(|m| file.document.materials.get(m));
        let uv_sets = material.map_or([0, 1], material::uv_sets);
        let group = *known.entry((&primitive.attributes, &primitive.targets, uv_sets)).or_insert_with(|| {
            groups.push(Group { primitives: Vec::new(), uv_sets });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(group) {
            group.primitives.push(primitive);
        }
    }
    groups
}

/// A mesh on a node.
struct Shown<'a> {
    file: &'a File<'a>,
    rig: &'a Rig,
    node: usize,
    source: &'a json::Node,
    /// Whether the node mirrors what it carries.
    mirrored: bool,
    options: &'a Options,
}

impl Shown<'_> {
    fn build(
        &self,
        mesh: &json::Mesh,
        group: &Group<'_>,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<Mesh>, Cause> {
        let name = if mesh.name.is_empty() { self.rig.name(self.node) } else { &mesh.name };
        // Findings repeat it.
        self.file.budget.memory(name.len() as u64 * 4)?;
        let place = format!("nodes[{}] `{name}`", self.node);
        let Some(attributes) = group.primitives.first().map(|p| &p.attributes) else { return Ok(None) };
        let Some(position) = attributes.position else {
            let message = "a primitive has no positions".to_owned();
            findings.push(Finding::new(&findings::GEOMETRY_UNSUPPORTED, place, message));
            return Ok(None);
        };
        let scratch = self.file.budget.scratch();
        scratch.vertices(self.file.count(position))?;
        let mut reader = Reader { shown: self, budget: &scratch, count: 0, invalid: 0 };
        let positions = reader.positions(position)?;
        let mut out = Mesh {
            joint: self.rig.joint(self.node),
            normals: reader.attribute(attributes.normal, Vec3::from_array)?.into(),
            tangents: reader.attribute(attributes.tangent, Vec4::from_array)?.into(),
            uvs: reader.uvs(attributes, group.uv_sets[0])?.into(),
            second_uvs: reader.uvs(attributes, group.uv_sets[1])?.into(),
            colors: reader.colors(attributes.color_0)?.into(),
            morphs: reader.morphs(group, mesh)?,
            positions: positions.into(),
            ..Mesh::new(name)
        };
        if reader.invalid > 0 {
            let message = format!(
                "{} set to zero",
                plural(reader.invalid, "number is not finite and was", "numbers are not finite and were")
            );
            findings.push(Finding::new(&findings::MESH_NOT_FINITE, &place, message).count(reader.invalid));
        }
        let left_out = attributes.left_out(group.uv_sets, self.source.skin.is_some());
        if !left_out.is_empty() {
            let message = format!("left out: {}", left_out.join(", "));
            findings.push(Finding::new(&findings::MESH_ATTRIBUTES, &place, message));
        }
        if let Some(skin) = self.source.skin {
            skin::skin(self, skin, attributes, &mut out, &scratch, &place, findings)?;
        }
        for primitive in &group.primitives {
            self.part(primitive, &mut out, &scratch, &place, findings)?;
        }
        strokes::add(self, group, &mut out, &scratch, &place, findings)?;
        instances::spread(self, &mut out, &scratch, &place, findings)?;
        drop(scratch);
        self.file.budget.mesh(&out)?;
        Ok((!out.indices.is_empty()).then_some(out))
    }

    /// The vertices of a primitive in their order.
    fn corners(
        &self,
        primitive: &Primitive,
        vertices: usize,
        budget: &Budget<'_>,
        place: &str,
    ) -> Result<Vec<u32>, Cause> {
        let count = primitive.indices.map_or(vertices as u64, |a| self.file.count(a));
        budget.triangles(count.div_ceil(3).saturating_add(1))?;
        // Strips and fans have a triangle for each corner.
        budget.memory(count.saturating_mul(4 * size_of::<u32>() as u64))?;
        let corners = match primitive.indices {
            Some(accessor) => self.file.indices(accessor, budget)?,
            None => (0..u32::try_from(vertices).unwrap_or(u32::MAX)).collect(),
        };
        match corners.iter().find(|&&i| i as usize >= vertices) {
            Some(index) => {
                let vertices = plural(vertices, "vertex", "vertices");
                let what = format!("an index is {index}, but there are only {vertices}");
                Err(Cause::malformed(what, place))
            }
            None => Ok(corners),
        }
    }

    fn material(&self, primitive: &Primitive, place: &str) -> Result<Option<usize>, Cause> {
        match primitive.material {
            Some(material) if material >= self.file.document.materials.len() => {
                Err(Cause::malformed("its material does not exist", place))
            }
            material => Ok(material),
        }
    }

    /// The triangles of a primitive as a part.
    fn part(
        &self,
        primitive: &Primitive,
        out: &mut Mesh,
        budget: &Budget<'_>,
        place: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Cause> {
        let mode = primitive.mode.unwrap_or(4);
        if mode < 4 {
            return Ok(());
        }
        let corners = self.corners(primitive, out.vertex_count(), budget, place)?;
        let Some(mut triangles) = triangles::triangles(&corners, mode) else {
            let message = format!("a primitive of the unknown mode {mode} was left out");
            findings.push(Finding::new(&findings::GEOMETRY_UNSUPPORTED, place, message));
            return Ok(());
        };
        if mode == 4 && !corners.len().is_multiple_of(3) {
            let left = plural(corners.len() % 3, "corner is", "corners are");
            let message = format!("{left} left over behind the last whole triangle");
            findings.push(Finding::new(&findings::MESH_DEGENERATE, place, message));
        }
        // Triangles of a rigid mesh are wound in the space of its node, as ours are. Those of a skin are where its joints take them, and a node
        // that mirrors turns them round all the same.
        if self.mirrored && out.skin.is_some() {
            triangles.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let material = self.material(primitive, place)?;
        let too_many = |_| Cause::malformed("it has too many indices", place);
        let first = u32::try_from(out.indices.len()).map_err(too_many)?;
        let count = u32::try_from(triangles.len()).map_err(too_many)?;
        if count > 0 {
            out.parts.push(Part { material, first, count });
            out.indices.to_mut().append(&mut triangles);
        }
        Ok(())
    }
}

/// Reads the attributes of one group, all of one length.
struct Reader<'a> {
    shown: &'a Shown<'a>,
    /// For what is needed until the mesh is made.
    budget: &'a Budget<'a>,
    count: usize,
    /// Numbers that are not finite.
    invalid: usize,
}

impl Reader<'_> {
    fn values(&mut self, accessor: usize, budget: &Budget<'_>) -> Result<Values, Cause> {
        let mut values = self.shown.file.numbers(accessor, budget)?;
        for number in values.numbers.iter_mut().filter(|n| !n.is_finite()) {
            *number = 0.0;
            self.invalid += 1;
        }
        Ok(values)
    }

    fn positions(&mut self, accessor: usize) -> Result<Vec<Vec3>, Cause> {
        let values = self.values(accessor, self.budget)?;
        self.count = values.count();
        let elements = values.elements::<3>().ok_or_else(|| wrong(accessor, "does not hold positions"))?;
        Ok(elements.iter().copied().map(Vec3::from_array).collect())
    }

    fn attribute<const N: usize, T>(
        &mut self,
        accessor: Option<usize>,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, Cause> {
        let Some(accessor) = accessor else { return Ok(Vec::new()) };
        let scratch = self.budget.scratch();
        let values = self.values(accessor, &scratch)?;
        self.budget.list::<T>(values.count())?;
        let elements =
            values.elements::<N>().ok_or_else(|| wrong(accessor, "is of another type than its attribute"))?;
        if elements.len() != self.count {
            let what = format!(
                "has {} for {}",
                plural(elements.len(), "element", "elements"),
                plural(self.count, "vertex", "vertices")
            );
            return Err(wrong(accessor, &what));
        }
        Ok(elements.iter().copied().map(make).collect())
    }

    /// Colours may come without alpha.
    fn colors(&mut self, accessor: Option<usize>) -> Result<Vec<Vec4>, Cause> {
        let three = accessor
            .and_then(|a| self.shown.file.document.accessors.get(a))
            .is_some_and(|a| a.kind == "VEC3");
        if three {
            return self.attribute(accessor, |c: [f32; 3]| Vec3::from_array(c).extend(1.0));
        }
        self.attribute(accessor, Vec4::from_array)
    }

    fn uvs(&mut self, attributes: &Attributes, set: usize) -> Result<Vec<Vec2>, Cause> {
        self.attribute(attributes.texcoord(set), Vec2::from_array)
    }

    fn morphs(&mut self, group: &Group<'_>, mesh: &json::Mesh) -> Result<Vec<MorphTarget>, Cause> {
        let targets = group.primitives.first().map(|p| p.targets.as_slice()).unwrap_or_default();
        let Some(first) = self.shown.rig.first_scalar.get(self.shown.node).copied().flatten() else {
            return Ok(Vec::new());
        };
        let mut morphs = Vec::with_capacity(targets.len());
        for (index, target) in targets.iter().enumerate() {
            self.budget.morph_deltas(self.count as u64 + 1)?;
            let scalar = u16::try_from(index).ok().and_then(|index| first.checked_add(index));
            let scalar =
                scalar.ok_or_else(|| Cause::malformed("there are too many morph targets", &mesh.name))?;
            let name = self.shown.rig.scalars.get(usize::from(scalar)).map_or("", |s| &s.name);
            self.budget.memory(name.len() as u64)?;
            morphs.push(MorphTarget { name: name.into(), scalar, deltas: self.deltas(target)?.into() });
        }
        Ok(morphs)
    }

    /// The vertices that a target moves.
    fn deltas(&mut self, target: &Attributes) -> Result<Vec<MorphDelta>, Cause> {
        let outer = self.budget;
        let scratch = outer.scratch();
        let mut reader = Reader { budget: &scratch, ..*self };
        let positions = reader.attribute(target.position, Vec3::from_array)?;
        let normals = reader.attribute(target.normal, Vec3::from_array)?;
        let tangents = reader.attribute(target.tangent, Vec3::from_array)?;
        self.invalid = reader.invalid;
        let at = |list: &[Vec3], vertex: usize| list.get(vertex).copied().unwrap_or(Vec3::ZERO);
        let deltas = (0..self.count).map(|vertex| MorphDelta {
            vertex: vertex as u32,
            position: at(&positions, vertex),
            normal: at(&normals, vertex),
            tangent: at(&tangents, vertex),
        });
        let moves = |d: &MorphDelta| [d.position, d.normal, d.tangent] != [Vec3::ZERO; 3];
        let deltas = deltas.filter(moves);
        let count = deltas.clone().count();
        outer.list::<MorphDelta>(count)?;
        let mut out = Vec::with_capacity(count);
        out.extend(deltas);
        Ok(out)
    }
}

fn wrong(accessor: usize, what: &str) -> Cause {
    Cause::malformed(what, format!("accessors[{accessor}]"))
}

/// An inverse bind out of sixteen numbers, column by column.
fn affine(m: &[f32; 16]) -> Affine3 {
    Affine3::from_mat4(glam::Mat4::from_cols_array(m))
}
