//! Meshes, morph targets and skins.

use super::Writer;
use super::buffer::{Use, named, object};
use super::nodes::bits;
use crate::mesh::{has_still_vertices, parts};
use glam::{Affine3, Mat4, Vec2, Vec3, Vec4};
use serde_json::{Map, Value, json};
use sinew::math::normalize_or;
use sinew::{Finding, Mesh, MorphTarget, Part};
use sinew_findings::catalogue::build::DUAL_QUATERNION_DROPPED;
use sinew_findings::plural;
use std::borrow::Cow;

/// A mesh as it was written.
pub(super) struct Written {
    /// Its node.
    pub(super) node: usize,
    /// Scalars of its morph targets.
    pub(super) scalars: Vec<u16>,
}

/// Whether two meshes can be written as one: then they differ in their vertices and materials alone.
pub(super) fn are_one(a: &Mesh, b: &Mesh) -> bool {
    let morphs = |mesh: &Mesh| mesh.morphs.iter().map(|m| (m.name.clone(), m.scalar)).collect::<Vec<_>>();
    a.name == b.name
        && a.joint == b.joint
        && a.skin == b.skin
        && (a.skin.is_none() || has_still_vertices(a) == has_still_vertices(b))
        && morphs(a) == morphs(b)
}

/// Writes meshes that are one, and their node; nothing for some without triangles, which the format cannot hold.
pub(super) fn mesh(writer: &mut Writer<'_>, meshes: &[Mesh]) -> Option<Written> {
    let shown = meshes.iter().filter(|mesh| !parts(mesh).is_empty());
    let meshes: Vec<Cow<'_, Mesh>> = shown.map(|mesh| with_tangents(writer, mesh)).collect();
    let first = &**meshes.first()?;
    let skin = first.skin.is_some().then(|| skin(writer, first));
    let vertices: Vec<Vec<Vec<(u16, f64)>>> = meshes
        .iter()
        .map(|mesh| skin.iter().flat_map(|(_, slots)| influences(mesh, slots)).collect())
        .collect();
    // All primitives have as many sets of influences.
    let sets = vertices.iter().flatten().map(|list| list.len().div_ceil(4)).max().unwrap_or(0);
    let mut primitives = Vec::new();
    for (mesh, vertices) in meshes.iter().zip(&vertices) {
        let parts = parts(mesh);
        let mut attributes = attributes(writer, mesh, &parts);
        write_influences(writer, vertices, sets, &mut attributes);
        primitives.extend(write_primitives(writer, mesh, &parts, &attributes));
        report_dual_quaternions(writer, mesh);
    }
    let rests = writer.character.skeleton().rest().scalars();
    let weights: Vec<f32> = first.morphs.iter().map(|m| rests[usize::from(m.scalar)]).collect();
    let names: Vec<&str> = first.morphs.iter().map(|m| m.name.as_str()).collect();
    let morphs = !first.morphs.is_empty();
    writer.meshes.push(object(json!({
        "name": named(&first.name),
        "primitives": primitives,
        "weights": if morphs { json!(weights) } else { Value::Null },
        "extras": if morphs { json!({ "targetNames": names }) } else { Value::Null },
    })));
    let index = writer.meshes.len() - 1;
    let node = match skin {
        Some((skin, _)) => writer.nodes.skinned(index, &first.name, first.joint, skin),
        None => writer.nodes.rigid(index, &first.name, first.joint),
    };
    Some(Written { node, scalars: first.morphs.iter().map(|m| m.scalar).collect() })
}

/// The mesh, with tangents where a material has a normal map: readers that compute them by themselves get others.
fn with_tangents<'m>(writer: &Writer<'_>, mesh: &'m Mesh) -> Cow<'m, Mesh> {
    let materials = writer.character.materials();
    let normal_map = |part: &Part| materials.get(part.material?)?.normal_texture;
    match parts(mesh).iter().find_map(normal_map) {
        Some(texture) => sinew_tangents::complete(mesh, Some(texture.uv_set)),
        None => Cow::Borrowed(mesh),
    }
}

fn report_dual_quaternions(writer: &mut Writer<'_>, mesh: &Mesh) {
    let turned = mesh.influences.dual_quaternion.iter().filter(|share| **share > 0.0).count();
    if turned > 0 {
        let message = format!("{} asked for it", plural(turned, "vertex", "vertices"));
        let place = format!("mesh `{}`", mesh.name);
        writer.findings.push(Finding::new(&DUAL_QUATERNION_DROPPED, place, message).count(turned));
    }
}

/// The parts of a mesh, all with the same vertices.
fn write_primitives(
    writer: &mut Writer<'_>,
    mesh: &Mesh,
    parts: &[Part],
    attributes: &Map<String, Value>,
) -> Vec<Value> {
    let targets = targets(writer, mesh);
    // glTF winds triangles as meshes here do: those of a rigid mesh in the space of its node, those of a skin as its joints show them.
    let primitives = parts.iter().map(|part| {
        let indices = &mesh.indices[part.first as usize..][..part.count as usize];
        object(json!({
            "attributes": attributes,
            "indices": write_indices(writer, indices, mesh.vertex_count()),
            "material": part.material,
            "targets": if targets.is_empty() { Value::Null } else { json!(targets) },
        }))
    });
    primitives.collect()
}

fn attributes(writer: &mut Writer<'_>, mesh: &Mesh, parts: &[Part]) -> Map<String, Value> {
    let mut attributes = Map::new();
    let buffer = &mut writer.buffer;
    let mut put = |name: &str, accessor: usize| attributes.insert(name.to_owned(), json!(accessor));
    put("POSITION", buffer.bounded(&mesh.positions, Use::Vertices));
    if !mesh.normals.is_empty() {
        let normals: Vec<Vec3> = mesh.normals.iter().map(|&n| direction(n, Vec3::Y)).collect();
        put("NORMAL", buffer.accessor(&normals, Use::Vertices));
    }
    // glTF does not allow tangents without normals.
    if !mesh.tangents.is_empty() && !mesh.normals.is_empty() {
        let sign = |w: f32| if w < 0.0 { -1.0 } else { 1.0 };
        let tangents = mesh.tangents.iter().map(|t| direction(t.truncate(), Vec3::X).extend(sign(t.w)));
        put("TANGENT", buffer.accessor(&tangents.collect::<Vec<Vec4>>(), Use::Vertices));
    }
    let asked = parts.iter().filter_map(|part| Some(writer.materials[part.material?].uv_sets)).max();
    // A texture asks for coordinates, and sets are numbered without gaps; without any the picture's corner is shown.
    let held = if mesh.second_uvs.is_empty() { 0 } else { 2 };
    let sets = asked.unwrap_or(0).max(held);
    for (set, uvs) in [&mesh.uvs, &mesh.second_uvs].into_iter().enumerate() {
        if !uvs.is_empty() {
            put(&format!("TEXCOORD_{set}"), buffer.accessor(uvs, Use::Vertices));
        } else if set < sets {
            put(&format!("TEXCOORD_{set}"), buffer.zeros::<Vec2>(mesh.vertex_count()));
        }
    }
    if !mesh.colors.is_empty() {
        let colors: Vec<Vec4> = mesh.colors.iter().map(|c| c.clamp(Vec4::ZERO, Vec4::ONE)).collect();
        put("COLOR_0", buffer.accessor(&colors, Use::Vertices));
    }
    attributes
}

/// Normalized in double precision, since glTF validators check the length.
fn direction(vector: Vec3, fallback: Vec3) -> Vec3 {
    let near = normalize_or(vector, fallback);
    near.as_dvec3().normalize().as_vec3()
}

fn write_indices(writer: &mut Writer<'_>, indices: &[u32], vertices: usize) -> usize {
    // The largest value of an index type is reserved (primitive restart).
    if vertices <= usize::from(u16::MAX) {
        let short: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
        return writer.buffer.accessor(&short, Use::Indices);
    }
    writer.buffer.accessor(indices, Use::Indices)
}

/// Morph targets, each with deltas of those attributes of the mesh that any target changes.
fn targets(writer: &mut Writer<'_>, mesh: &Mesh) -> Vec<Value> {
    let deltas = || mesh.morphs.iter().flat_map(|m| &m.deltas);
    let normals = !mesh.normals.is_empty() && deltas().any(|d| d.normal != Vec3::ZERO);
    let tangents =
        !mesh.tangents.is_empty() && !mesh.normals.is_empty() && deltas().any(|d| d.tangent != Vec3::ZERO);
    let write = |morph: &MorphTarget| {
        let merged = merged(morph);
        let mut put = |pick: fn(&[Vec3; 3]) -> Vec3, bounded| {
            let changes: Vec<(u32, Vec3)> = merged
                .iter()
                .map(|(vertex, d)| (*vertex, pick(d)))
                .filter(|(_, d)| *d != Vec3::ZERO)
                .collect();
            change(writer, mesh.vertex_count(), &changes, bounded)
        };
        object(json!({
            "POSITION": put(|d| d[0], true),
            "NORMAL": if normals { json!(put(|d| d[1], false)) } else { Value::Null },
            "TANGENT": if tangents { json!(put(|d| d[2], false)) } else { Value::Null },
        }))
    };
    mesh.morphs.iter().map(write).collect()
}

/// Deltas sorted by vertex, each vertex once.
fn merged(morph: &MorphTarget) -> Vec<(u32, [Vec3; 3])> {
    let mut deltas: Vec<_> =
        morph.deltas.iter().map(|d| (d.vertex, [d.position, d.normal, d.tangent])).collect();
    deltas.sort_by_key(|(vertex, _)| *vertex);
    deltas.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            (0..3).for_each(|i| first.1[i] += next.1[i]);
        }
        same
    });
    deltas
}

/// A sparse accessor if that is smaller than a vector for every vertex.
fn change(writer: &mut Writer<'_>, count: usize, changes: &[(u32, Vec3)], bounded: bool) -> usize {
    if changes.len() * 4 < count * 3 {
        let (indices, values): (Vec<u32>, Vec<Vec3>) = changes.iter().copied().unzip();
        return writer.buffer.sparse(count, &indices, &values, bounded);
    }
    let mut dense = vec![Vec3::ZERO; count];
    for (vertex, value) in changes {
        dense[*vertex as usize] = *value;
    }
    if bounded {
        writer.buffer.bounded(&dense, Use::Vertices)
    } else {
        writer.buffer.accessor(&dense, Use::Vertices)
    }
}

/// Slots of the written skin: of each of the mesh's slots, and of vertices without weights.
struct Slots {
    of: Vec<u16>,
    still: u16,
}

/// Writes the skin, or finds an equal one. A joint may occur in it only once, so a second inverse bind of a joint gets its own node.
fn skin(writer: &mut Writer<'_>, mesh: &Mesh) -> (usize, Slots) {
    let mut entries: Vec<(usize, Affine3)> = Vec::new();
    let mut of = Vec::new();
    for (&joint, inverse_bind) in mesh.skin.iter().flat_map(|s| s.joints.iter().zip(&s.inverse_binds)) {
        let (own, inverse_bind) = (usize::from(joint), &Affine3::from(*inverse_bind));
        let taken = entries.iter().find(|(node, _)| *node == own);
        let node = match taken {
            Some((_, other)) if bits(other) != bits(inverse_bind) => writer.nodes.bind(joint, inverse_bind),
            _ => own,
        };
        let slot = entries.iter().position(|(n, _)| *n == node).unwrap_or_else(|| {
            entries.push((node, *inverse_bind));
            entries.len() - 1
        });
        of.push(slot as u16);
    }
    let still = entries.len() as u16;
    if has_still_vertices(mesh) {
        entries.push((writer.nodes.still(), Affine3::IDENTITY));
    }
    let key: Vec<_> = entries.iter().map(|(node, bind)| (*node, bits(bind))).collect();
    let known = writer.skins.iter().position(|(other, _)| *other == key);
    let index = known.unwrap_or_else(|| {
        let matrices: Vec<Mat4> = entries.iter().map(|(_, bind)| Mat4::from(*bind)).collect();
        let accessor = writer.buffer.accessor(&matrices, Use::Data);
        let joints: Vec<usize> = entries.iter().map(|(node, _)| *node).collect();
        writer.skins.push((key, json!({ "inverseBindMatrices": accessor, "joints": joints })));
        writer.skins.len() - 1
    });
    (index, Slots { of, still })
}

/// Slots and weights of every vertex. A slot occurs once per vertex; weights sum to one.
fn influences(mesh: &Mesh, slots: &Slots) -> Vec<Vec<(u16, f64)>> {
    (0..mesh.vertex_count()).map(|vertex| of_vertex(mesh, slots, vertex)).collect()
}

/// Influences as attributes, four in each.
fn write_influences(
    writer: &mut Writer<'_>,
    vertices: &[Vec<(u16, f64)>],
    sets: usize,
    attributes: &mut Map<String, Value>,
) {
    for set in 0..sets {
        let four = |list: &Vec<(u16, f64)>| {
            let at = |i: usize| list.get(set * 4 + i).copied().unwrap_or((0, 0.0));
            ([0, 1, 2, 3].map(|i| at(i).0), [0, 1, 2, 3].map(|i| at(i).1 as f32))
        };
        let (joints, weights): (Vec<[u16; 4]>, Vec<[f32; 4]>) = vertices.iter().map(four).unzip();
        let joints = writer.buffer.accessor(&joints, Use::Vertices);
        let weights = writer.buffer.accessor(&weights, Use::Vertices);
        attributes.insert(format!("JOINTS_{set}"), json!(joints));
        attributes.insert(format!("WEIGHTS_{set}"), json!(weights));
    }
}

fn of_vertex(mesh: &Mesh, slots: &Slots, vertex: usize) -> Vec<(u16, f64)> {
    let mut list: Vec<(u16, f64)> = Vec::new();
    for (slot, weight) in mesh.influences.of(vertex).filter(|(_, weight)| *weight > 0.0) {
        let slot = slots.of[usize::from(slot)];
        match list.iter_mut().find(|(s, _)| *s == slot) {
            Some((_, sum)) => *sum += f64::from(weight),
            None => list.push((slot, weight.into())),
        }
    }
    if list.is_empty() {
        list.push((slots.still, 1.0));
    }
    let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
    list.iter_mut().for_each(|(_, weight)| *weight /= sum);
    // A weight that rounds to zero in single precision would be a slot without a weight.
    list.retain(|(_, weight)| *weight as f32 > 0.0);
    list
}
