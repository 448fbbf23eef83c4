//! Vertex buffers of a mesh.

use crate::{Gpu, RenderError};
use sinew::Mesh;
use sinew::glam::{Vec3, Vec4};
use sinew_tangents::complete;
use wgpu::BufferUsages;

/// Static buffers of a mesh.
#[derive(Debug)]
pub(crate) struct MeshOnGpu {
    pub(crate) vertices: u32,
    /// Position and normal of each vertex in bind pose, then all tangents.
    pub(crate) shape: wgpu::Buffer,
    /// Offset of the tangents; `None` if no normal map needs them.
    pub(crate) tangents: Option<u64>,
    /// Texture coordinates and colour.
    pub(crate) surface: wgpu::Buffer,
    /// Slots and weights.
    pub(crate) influences: wgpu::Buffer,
    pub(crate) influences_per_vertex: u32,
    pub(crate) indices: wgpu::Buffer,
    /// First morph delta of each vertex, and the deltas.
    pub(crate) morph_ranges: wgpu::Buffer,
    /// Where in `morph_ranges` the shares of dual-quaternion blending begin, plus one; zero if all is linear.
    pub(crate) shares: u32,
    pub(crate) morph_deltas: wgpu::Buffer,
    pub(crate) has_morphs: bool,
    /// Whether triangles are drawn flat: a source without normals does not say where its surface is smooth.
    pub(crate) faceted: bool,
    /// The mesh with computed normals and tangents, if the source lacks them.
    pub(crate) completed: Option<Mesh>,
}

/// Texture coordinates and colour of a vertex.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct SurfaceVertex {
    uvs: [[f32; 2]; 2],
    color: [u16; 4],
}

impl MeshOnGpu {
    /// `normal_map` is the set of texture coordinates of a normal map.
    pub(crate) fn new(gpu: &Gpu, source: &Mesh, normal_map: Option<u8>) -> Result<Self, RenderError> {
        let uvs = normal_map.map(|set| if set == 0 { &source.uvs } else { &source.second_uvs });
        let normal_map = normal_map.filter(|_| uvs.is_some_and(|uvs| !uvs.is_empty()));
        let mesh = &*complete(source, normal_map);
        let bumpy = normal_map.is_some() && !mesh.tangents.is_empty();
        let tangents: &[Vec4] = if bumpy { &mesh.tangents } else { &[] };
        // `Renderer::read_back` reads the same buffers as storage.
        let vertex =
            BufferUsages::VERTEX | if gpu.can_skin() { BufferUsages::STORAGE } else { BufferUsages::empty() };
        let storage = if gpu.can_skin() { BufferUsages::STORAGE } else { BufferUsages::VERTEX };
        let (mut ranges, deltas) = morphs(mesh, bumpy);
        let shares = &mesh.influences.dual_quaternion;
        let first_share = if shares.is_empty() { 0 } else { ranges.len() as u32 + 1 };
        ranges.extend(shares.iter().map(|share| share.to_bits()));
        let (per_vertex, words) = influences(mesh);
        let label = mesh.name.as_str();
        let points = shape(&mesh.positions, &mesh.normals);
        let points_bytes = size_of_val(&*points) as u64;
        let shape = gpu.buffer(label, points_bytes + size_of_val(tangents) as u64, vertex)?;
        gpu.write(&shape, 0, &points);
        gpu.write(&shape, points_bytes, tangents);
        Ok(Self {
            vertices: mesh.vertex_count() as u32,
            shape,
            tangents: bumpy.then_some(points_bytes),
            surface: gpu.buffer_of(label, &surface(mesh), BufferUsages::VERTEX)?,
            influences: gpu.buffer_of(label, &words, vertex)?,
            influences_per_vertex: per_vertex,
            indices: gpu.buffer_of(label, &mesh.indices, BufferUsages::INDEX)?,
            morph_ranges: gpu.buffer_of(label, &ranges, storage)?,
            morph_deltas: gpu.buffer_of(label, &deltas, storage)?,
            has_morphs: !deltas.is_empty(),
            faceted: source.normals.is_empty(),
            shares: first_share,
            completed: (!std::ptr::eq(mesh, source)).then(|| mesh.clone()),
        })
    }
}

/// Position and normal of each vertex, interleaved.
pub(crate) fn shape(positions: &[Vec3], normals: &[Vec3]) -> Vec<[Vec3; 2]> {
    positions.iter().zip(normals).map(|(&position, &normal)| [position, normal]).collect()
}

fn surface(mesh: &Mesh) -> Vec<SurfaceVertex> {
    let sixteen = |x: f32| (x.clamp(0.0, 1.0) * 65_535.0).round() as u16;
    let vertex = |i: usize| SurfaceVertex {
        uvs: [&mesh.uvs, &mesh.second_uvs].map(|uvs| uvs.get(i).map_or([0.0; 2], |uv| uv.to_array())),
        color: mesh.colors.get(i).map_or([u16::MAX; 4], |color| color.to_array().map(sixteen)),
    };
    (0..mesh.vertex_count()).map(vertex).collect()
}

/// Influences per vertex, and for each four of them two words of slots and four of weights. Zero weights come last, so that the shader can stop at
/// the first. A rigid mesh has full weight on its one slot.
fn influences(mesh: &Mesh) -> (u32, Vec<u32>) {
    let per_vertex = if mesh.skin.is_some() { mesh.influences.per_vertex } else { 4 };
    let mut words = Vec::with_capacity(mesh.vertex_count() * per_vertex * 6 / 4);
    for vertex in 0..mesh.vertex_count() {
        let mut own = [(0u16, 0f32); 8];
        if mesh.skin.is_some() {
            let weighty = mesh.influences.of(vertex).filter(|&(_, weight)| weight != 0.0);
            own.iter_mut().zip(weighty).for_each(|(to, from)| *to = from);
        } else {
            own[0].1 = 1.0;
        }
        for four in own[..per_vertex].chunks_exact(4) {
            let pair = |a: u16, b: u16| u32::from(a) | u32::from(b) << 16;
            words.extend([pair(four[0].0, four[1].0), pair(four[2].0, four[3].0)]);
            words.extend(four.iter().map(|(_, weight)| weight.to_bits()));
        }
    }
    (per_vertex as u32, words)
}

/// Morph deltas by vertex instead of by target: the first delta of each vertex, and for each delta its position, scalar index, normal and, with
/// `tangents`, tangent. All as bits, since a driver may flush a small integer that is read as a float to zero.
fn morphs(mesh: &Mesh, tangents: bool) -> (Vec<u32>, Vec<[u32; 4]>) {
    if mesh.morphs.iter().all(|target| target.deltas.is_empty()) {
        return (vec![], vec![]);
    }
    let mut counts = vec![0u32; mesh.vertex_count() + 1];
    for delta in mesh.morphs.iter().flat_map(|target| &target.deltas) {
        counts[delta.vertex as usize + 1] += 1;
    }
    for i in 1..counts.len() {
        counts[i] += counts[i - 1];
    }
    let mut next = counts.clone();
    let per_delta = if tangents { 3 } else { 2 };
    let mut deltas = vec![[0; 4]; counts.last().map_or(0, |&n| n as usize) * per_delta];
    let bits = |v: Vec3, last: u32| {
        let [x, y, z] = v.to_array().map(f32::to_bits);
        [x, y, z, last]
    };
    for target in &mesh.morphs {
        for delta in &target.deltas {
            let number = &mut next[delta.vertex as usize];
            let all =
                [bits(delta.position, target.scalar.into()), bits(delta.normal, 0), bits(delta.tangent, 0)];
            let at = *number as usize * per_delta;
            deltas[at..at + per_delta].copy_from_slice(&all[..per_delta]);
            *number += 1;
        }
    }
    (counts, deltas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::Mat3x4;
    use sinew::{Influences, MorphDelta, MorphTarget, Skin};

    #[test]
    fn influences_without_weight_come_last() {
        let mesh = Mesh {
            positions: [Vec3::ZERO].into(),
            skin: Some(Skin { joints: [0; 9].into(), inverse_binds: [Mat3x4::IDENTITY; 9].into() }),
            influences: Influences {
                per_vertex: 8,
                skin_joints: [7, 1, 2, 3, 4, 5, 6, 8].into(),
                weights: [0.0, 0.5, 0.0, 0.0, 0.0, 0.25, 0.0, 0.25].into(),
                ..Influences::default()
            },
            ..Mesh::new("m")
        };
        let (per_vertex, words) = influences(&mesh);
        assert_eq!((per_vertex, words.len()), (8, 12));
        assert_eq!(words[..2], [1 | 5 << 16, 8]);
        assert_eq!(
            words[2..6].iter().map(|&w| f32::from_bits(w)).collect::<Vec<_>>(),
            [0.5, 0.25, 0.25, 0.0]
        );
        assert_eq!(words[6..], [0; 6]);
    }

    #[test]
    fn deltas_are_sorted_by_vertex_and_keep_the_order_of_targets() {
        let delta =
            |vertex, x| MorphDelta { vertex, position: Vec3::X * x, normal: Vec3::Y, tangent: Vec3::ZERO };
        let target = |scalar, deltas: Vec<MorphDelta>| MorphTarget {
            name: Default::default(),
            scalar,
            deltas: deltas.into(),
        };
        let mesh = Mesh {
            positions: [Vec3::ZERO; 3].into(),
            morphs: vec![target(4, vec![delta(2, 1.0), delta(0, 2.0)]), target(1, vec![delta(2, 3.0)])],
            ..Mesh::new("m")
        };
        let (ranges, deltas) = morphs(&mesh, false);
        assert_eq!(ranges, [0, 1, 1, 3]);
        assert_eq!(
            deltas.iter().step_by(2).map(|d| (f32::from_bits(d[0]), d[3])).collect::<Vec<_>>(),
            [(2.0, 4), (1.0, 4), (3.0, 1)]
        );
        let (_, deltas) = morphs(&mesh, true);
        assert_eq!((deltas.len(), f32::from_bits(deltas[6][0])), (9, 3.0), "with tangents");
        assert_eq!(morphs(&Mesh::new("none"), false), (vec![], vec![]));
    }
}
