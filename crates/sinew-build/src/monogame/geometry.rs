//! Meshes as vertex and index buffers, split where a part needs more bones than `SkinnedEffect` takes.

use super::bones::Bones;
use crate::mesh::parts;
use glam::{Vec2, Vec3, Vec4};
use sinew::{Character, Finding, Material, Mesh, NO_JOINT, Part, TextureRef};
use sinew_findings::catalogue::build as findings;
use sinew_findings::plural;
use sinew_xnb::skinning::{BoneTable, MOST_BONES};
use sinew_xnb::{ElementFormat, ElementUsage, IndexBuffer, Shared, VertexBuffer, VertexDeclaration};
use std::collections::{BTreeSet, HashMap};

/// Influences that a vertex can have.
const INFLUENCES: usize = 4;
/// Vertices that 16-bit indices can number. The last number restarts strips on some devices.
pub(super) const SHORT: usize = 65_535;

/// Meshes as they are written.
#[derive(Default)]
pub(super) struct Written {
    pub meshes: Vec<sinew_xnb::Mesh>,
    pub shared: Vec<Shared>,
    pub tables: Vec<BoneTable>,
    /// The material of each part, in the order of meshes and parts, and whether the part is skinned and has colours.
    pub surfaces: Vec<Surface>,
}

/// What a part needs of its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Surface {
    pub material: Option<usize>,
    pub skinned: bool,
    pub colors: bool,
}

/// Writes all meshes that have triangles. Effects of parts are set later.
pub(super) fn write(character: &Character, bones: &Bones, findings: &mut Vec<Finding>) -> Written {
    let mut out = Written::default();
    for (index, mesh) in character.meshes().iter().enumerate() {
        let parts = parts(mesh);
        if parts.is_empty() {
            continue;
        }
        report(mesh, findings);
        let mesh = sinew_tangents::complete(mesh, None);
        let source = Source { mesh: &mesh, bones, influences: influences(&mesh, index, bones, findings) };
        write_mesh(character, &source, &parts, &mut out, findings);
    }
    out
}

/// A mesh that is written.
struct Source<'m> {
    mesh: &'m Mesh,
    bones: &'m Bones,
    /// Bones and weights of each vertex; empty for a mesh without a skin.
    influences: Vec<[(usize, f32); INFLUENCES]>,
}

/// Triangles of a part that are drawn together, and their bones if they need a table.
struct Group {
    triangles: Vec<[u32; 3]>,
    bones: BTreeSet<usize>,
}

fn write_mesh(
    character: &Character,
    source: &Source<'_>,
    parts: &[Part],
    out: &mut Written,
    findings: &mut Vec<Finding>,
) {
    let mesh = source.mesh;
    let skinned = mesh.skin.is_some();
    let colors = !skinned && !mesh.colors.is_empty();
    let mut data = Vec::new();
    let mut indices = Vec::new();
    let mut written = Vec::new();
    let (vertices_at, indices_at) = (out.shared.len(), out.shared.len() + 1);
    let mut vertices = 0;
    for part in parts {
        let groups = groups(source, part);
        if groups.len() > 1 {
            let message = format!("a part became {}", groups.len());
            let place = format!("mesh `{}`", mesh.name);
            findings.push(Finding::new(&findings::MONOGAME_SPLIT, place, message).count(groups.len()));
        }
        let material = part.material.and_then(|material| character.materials().get(material));
        for group in groups {
            let table: Vec<usize> = group.bones.into_iter().collect();
            let local = |bone: usize| table.binary_search(&bone).unwrap_or(bone);
            let first_index = indices.len();
            let mut numbers = HashMap::new();
            for triangle in &group.triangles {
                // Front faces are clockwise.
                for vertex in [triangle[0], triangle[2], triangle[1]] {
                    let next = numbers.len() as u32;
                    let number = *numbers.entry(vertex).or_insert_with(|| {
                        source.vertex(vertex as usize, material, colors, &local, &mut data);
                        next
                    });
                    indices.push(number);
                }
            }
            if !table.is_empty() {
                let bones = table.iter().map(|&bone| bone as u16).collect();
                out.tables.push(BoneTable {
                    mesh: out.meshes.len() as u32,
                    part: written.len() as u32,
                    bones,
                });
            }
            written.push(sinew_xnb::Part {
                vertex_offset: vertices as u32,
                vertex_count: numbers.len() as u32,
                first_index: first_index as u32,
                triangles: group.triangles.len() as u32,
                vertices: Some(vertices_at),
                indices: Some(indices_at),
                effect: None,
            });
            out.surfaces.push(Surface { material: part.material, skinned, colors });
            vertices += numbers.len();
        }
    }
    let short = written.iter().all(|part| part.vertex_count as usize <= SHORT);
    out.shared.push(Shared::Vertices(VertexBuffer { declaration: declaration(skinned, colors), data }));
    out.shared.push(Shared::Indices(IndexBuffer { short, indices }));
    let bone =
        if skinned || mesh.joint == NO_JOINT { 0 } else { source.bones.of_joint(mesh.joint).unwrap_or(0) };
    out.meshes.push(sinew_xnb::Mesh {
        name: (&mesh.name).into(),
        bone,
        sphere: sphere(mesh),
        parts: written,
    });
}

/// Position, bones, weights, normal, texture coordinates, as the framework's own processor has them.
fn declaration(skinned: bool, colors: bool) -> VertexDeclaration {
    let mut elements = vec![(ElementFormat::Vector3, ElementUsage::Position)];
    if skinned {
        elements.push((ElementFormat::Byte4, ElementUsage::BlendIndices));
        elements.push((ElementFormat::Vector4, ElementUsage::BlendWeight));
    }
    elements.push((ElementFormat::Vector3, ElementUsage::Normal));
    elements.push((ElementFormat::Vector2, ElementUsage::TextureCoordinate));
    if colors {
        elements.push((ElementFormat::Color, ElementUsage::Color));
    }
    VertexDeclaration::packed(&elements)
}

impl Source<'_> {
    fn vertex(
        &self,
        vertex: usize,
        material: Option<&Material>,
        colors: bool,
        local: &dyn Fn(usize) -> usize,
        data: &mut Vec<u8>,
    ) {
        let floats = |values: &[f32], data: &mut Vec<u8>| {
            values.iter().for_each(|value| data.extend(value.to_le_bytes()));
        };
        floats(&self.mesh.positions[vertex].to_array(), data);
        if let Some(influences) = self.influences.get(vertex) {
            // Vertices number at most 72 bones: all there are, or those of their table.
            data.extend(influences.map(|(bone, weight)| if weight > 0.0 { local(bone) as u8 } else { 0 }));
            floats(&influences.map(|(_, weight)| weight), data);
        }
        floats(&self.mesh.normals[vertex].to_array(), data);
        let texture = material.and_then(|material| material.base_color_texture.as_ref());
        floats(&uv(self.mesh, vertex, texture).to_array(), data);
        if colors {
            data.extend(color(self.mesh.colors[vertex]));
        }
    }

    /// Bones that a triangle needs.
    fn bones_of(&self, triangle: [u32; 3]) -> BTreeSet<usize> {
        let of = |vertex: u32| self.influences.get(vertex as usize).into_iter().flatten();
        triangle.into_iter().flat_map(of).filter(|(_, weight)| *weight > 0.0).map(|(bone, _)| *bone).collect()
    }
}

/// The triangles of a part, in groups of which each needs few enough bones.
fn groups(source: &Source<'_>, part: &Part) -> Vec<Group> {
    let indices = &source.mesh.indices[part.first as usize..][..part.count as usize];
    let triangles = indices.as_chunks::<3>().0;
    if source.influences.is_empty() || source.bones.fit() {
        return vec![Group { triangles: triangles.to_vec(), bones: BTreeSet::new() }];
    }
    let mut groups: Vec<Group> = Vec::new();
    for &triangle in triangles {
        let bones = source.bones_of(triangle);
        // Where it adds least, of the groups that can take it.
        let new = |group: &Group| bones.difference(&group.bones).count();
        let fits = groups.iter_mut().filter(|group| group.bones.len() + new(group) <= MOST_BONES);
        match fits.min_by_key(|group| new(group)) {
            Some(group) => {
                group.bones.extend(bones);
                group.triangles.push(triangle);
            }
            None => groups.push(Group { triangles: vec![triangle], bones }),
        }
    }
    groups
}

/// Texture coordinates as the colour's texture uses them.
fn uv(mesh: &Mesh, vertex: usize, texture: Option<&TextureRef>) -> Vec2 {
    let set = if texture.is_some_and(|texture| texture.uv_set == 1) { &mesh.second_uvs } else { &mesh.uvs };
    let uv = set.get(vertex).copied().unwrap_or(Vec2::ZERO);
    texture.map_or(uv, |texture| texture.transform.apply(uv))
}

/// Red, green, blue and alpha as bytes: colours of vertices are linear, effects take them as they are seen.
fn color(color: Vec4) -> [u8; 4] {
    let alpha = libm::roundf(color.w.clamp(0.0, 1.0) * 255.0) as u8;
    let [r, g, b] = color.truncate().to_array().map(|channel| sinew_image::to_srgb(channel.max(0.0)));
    [r, g, b, alpha]
}

/// A sphere around all vertices, as they were bound.
fn sphere(mesh: &Mesh) -> [f32; 4] {
    let low = mesh.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = mesh.positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let center = (low + high) * 0.5;
    let farthest = mesh.positions.iter().map(|p| p.distance_squared(center)).fold(0.0, f32::max);
    center.extend(libm::sqrtf(farthest)).to_array()
}

/// The strongest four influences of each vertex, as bones.
fn influences(
    mesh: &Mesh,
    index: usize,
    bones: &Bones,
    findings: &mut Vec<Finding>,
) -> Vec<[(usize, f32); INFLUENCES]> {
    if mesh.skin.is_none() {
        return Vec::new();
    }
    let skin = bones.of_skin(index);
    let (mut reduced, mut most_lost) = (0, 0.0f64);
    let mut all = Vec::with_capacity(mesh.vertex_count());
    for vertex in 0..mesh.vertex_count() {
        let mut list: Vec<(usize, f64)> = Vec::with_capacity(mesh.influences.per_vertex);
        for (joint, weight) in mesh.influences.of(vertex).filter(|(_, weight)| *weight > 0.0) {
            let bone = skin[usize::from(joint)];
            match list.iter_mut().find(|(known, _)| *known == bone) {
                Some((_, sum)) => *sum += f64::from(weight),
                None => list.push((bone, weight.into())),
            }
        }
        list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let total: f64 = list.iter().map(|(_, weight)| weight).sum();
        if list.is_empty() {
            list.push((bones.still, 1.0));
        } else if list.len() > INFLUENCES {
            reduced += 1;
            list.truncate(INFLUENCES);
            most_lost = most_lost.max(1.0 - list.iter().map(|(_, weight)| weight).sum::<f64>() / total);
        }
        let kept: f64 = list.iter().map(|(_, weight)| weight).sum();
        all.push(std::array::from_fn(|i| {
            list.get(i).map_or((0, 0.0), |(bone, weight)| (*bone, (weight / kept) as f32))
        }));
    }
    if reduced > 0 {
        let (vertices, lost) = (plural(reduced, "vertex has", "vertices have"), most_lost * 100.0);
        let message =
            format!("{vertices} more than {INFLUENCES}; at most {lost:.1} % of a vertex's weight was lost");
        let place = format!("mesh `{}`", mesh.name);
        findings
            .push(Finding::new(&findings::MONOGAME_INFLUENCES, place, message).count(reduced).measured(lost));
    }
    all
}

/// What of a mesh has no place in a model.
fn report(mesh: &Mesh, findings: &mut Vec<Finding>) {
    let place = || format!("mesh `{}`", mesh.name);
    if !mesh.morphs.is_empty() {
        let message = format!("{} were left out", plural(mesh.morphs.len(), "morph target", "morph targets"));
        findings.push(Finding::new(&findings::MONOGAME_MORPHS, place(), message).count(mesh.morphs.len()));
    }
    let turned = mesh.influences.dual_quaternion.iter().filter(|share| **share > 0.0).count();
    if turned > 0 {
        let message = format!("{} asked for it", plural(turned, "vertex", "vertices"));
        findings.push(Finding::new(&findings::MONOGAME_DUAL_QUATERNION, place(), message).count(turned));
    }
    if mesh.skin.is_some() && mesh.colors.iter().any(|&color| color != Vec4::ONE) {
        findings.push(Finding::new(&findings::MONOGAME_VERTEX_COLORS, place(), "its vertices have colours"));
    }
}
