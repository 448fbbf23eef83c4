//! CPU skinning: one vertex buffer for all instances, allocated once and written in place.

use crate::model::Model;
use crate::{Gpu, RenderError};
use sinew::Mat3x4;
use sinew::Mesh;
use sinew::glam::{Vec3, Vec4};
use sinew::skinning::SkinnedVertices;

#[derive(Debug)]
pub(super) struct CpuSkin {
    /// Position and normal of every vertex, by instance and mesh.
    vertices: Vec<[Vec3; 2]>,
    buffer: wgpu::Buffer,
    /// First vertex of each mesh within an instance, and the vertex count.
    firsts: Vec<usize>,
    /// Tangents of the meshes with a normal map, by instance and mesh.
    tangents: Vec<Vec4>,
    tangent_buffer: wgpu::Buffer,
    /// First tangent of each mesh within an instance, and the tangent count.
    tangent_firsts: Vec<usize>,
    /// Output of skinning, by mesh.
    scratch: Vec<SkinnedVertices>,
}

const BYTES: u64 = size_of::<[Vec3; 2]>() as u64;
const TANGENT_BYTES: u64 = size_of::<Vec4>() as u64;

impl CpuSkin {
    pub(super) fn new(gpu: &Gpu, model: &Model, instances: usize) -> Result<Self, RenderError> {
        let (mut firsts, mut tangent_firsts) = (vec![0], vec![0]);
        let mut scratch = Vec::new();
        for index in 0..model.0.meshes.len() {
            let mesh = model.mesh(index);
            let normals = mesh.normals.to_vec();
            let bumpy = model.0.meshes[index].tangents.is_some();
            let tangents = if bumpy { mesh.tangents.to_vec() } else { vec![] };
            firsts.push(firsts[index] + mesh.vertex_count());
            tangent_firsts.push(tangent_firsts[index] + tangents.len());
            let shape = SkinnedVertices::for_mesh(mesh);
            scratch.push(SkinnedVertices { normals, tangents, ..shape });
        }
        let count = instances * firsts[firsts.len() - 1];
        let buffer = gpu.buffer("skinned vertices", count as u64 * BYTES, wgpu::BufferUsages::VERTEX)?;
        let tangents = vec![Vec4::ZERO; instances * tangent_firsts[tangent_firsts.len() - 1]];
        let bytes = tangents.len() as u64 * TANGENT_BYTES;
        let tangent_buffer = gpu.buffer("skinned tangents", bytes, wgpu::BufferUsages::VERTEX)?;
        let vertices = vec![[Vec3::ZERO; 2]; count];
        Ok(Self { vertices, buffer, firsts, tangents, tangent_buffer, tangent_firsts, scratch })
    }

    fn tangents_per_instance(&self) -> usize {
        self.tangent_firsts[self.tangent_firsts.len() - 1]
    }

    fn tangent_range(&self, mesh: usize, instance: usize) -> std::ops::Range<usize> {
        let start = instance * self.tangents_per_instance();
        start + self.tangent_firsts[mesh]..start + self.tangent_firsts[mesh + 1]
    }

    fn per_instance(&self) -> usize {
        self.firsts[self.firsts.len() - 1]
    }

    /// Skins all meshes of an instance.
    pub(super) fn skin(
        &mut self,
        model: &Model,
        instance: usize,
        palette: &[Mat3x4],
        scalars: &[f32],
    ) -> Result<(), RenderError> {
        let start = instance * self.per_instance();
        let tangent_start = instance * self.tangents_per_instance();
        for (index, shape) in self.scratch.iter_mut().enumerate() {
            let matrices = &palette[model.character().palette_range(index)];
            shape.skin(model.mesh(index), matrices, scalars)?;
            let out = &mut self.vertices[start + self.firsts[index]..start + self.firsts[index + 1]];
            for ((out, position), normal) in out.iter_mut().zip(&shape.positions).zip(&shape.normals) {
                *out = [*position, *normal];
            }
            mark_mirrored(model.mesh(index), matrices, out);
            let first = tangent_start + self.tangent_firsts[index];
            self.tangents[first..first + shape.tangents.len()].copy_from_slice(&shape.tangents);
        }
        Ok(())
    }

    /// Uploads the vertices of a range of instances.
    pub(super) fn send(&self, gpu: &Gpu, instances: std::ops::Range<usize>) {
        let n = self.per_instance();
        let vertices = &self.vertices[instances.start * n..instances.end * n];
        gpu.write(&self.buffer, (instances.start * n) as u64 * BYTES, vertices);
        let n = self.tangents_per_instance();
        let tangents = &self.tangents[instances.start * n..instances.end * n];
        gpu.write(&self.tangent_buffer, (instances.start * n) as u64 * TANGENT_BYTES, tangents);
    }

    /// The skinned vertices of one mesh of one instance.
    pub(super) fn shape(&self, mesh: usize, instance: usize) -> SkinnedVertices {
        let start = instance * self.per_instance();
        let shape = &self.vertices[start + self.firsts[mesh]..start + self.firsts[mesh + 1]];
        let (positions, normals) =
            shape.iter().map(|[position, normal]| (*position, normal.normalize_or_zero())).unzip();
        let tangents = self.tangents[self.tangent_range(mesh, instance)].to_vec();
        SkinnedVertices { positions, normals, tangents, plan: None }
    }

    /// The part of the tangent buffer of one mesh of one instance, if the mesh has tangents.
    pub(super) fn tangents(&self, mesh: usize, instance: usize) -> Option<wgpu::BufferSlice<'_>> {
        let range = self.tangent_range(mesh, instance);
        (!range.is_empty()).then(|| self.tangent_buffer.slice(range.start as u64 * TANGENT_BYTES..))
    }

    /// Their part of the vertex buffer.
    pub(super) fn slice(&self, mesh: usize, instance: usize) -> wgpu::BufferSlice<'_> {
        let start = (instance * self.per_instance() + self.firsts[mesh]) as u64 * BYTES;
        self.buffer.slice(start..)
    }
}

/// Gives vertices under a mirroring matrix a normal of length two. The shader, which does not have the matrix, must know that the winding of
/// their triangles is reversed.
fn mark_mirrored(mesh: &Mesh, matrices: &[Mat3x4], out: &mut [[Vec3; 2]]) {
    let mirrored = |matrix: &Mat3x4| matrix.matrix3().determinant() < 0.0;
    if !matrices.iter().any(mirrored) {
        return;
    }
    for (vertex, [_, normal]) in out.iter_mut().enumerate() {
        let slot = match &mesh.skin {
            None => Some(0),
            Some(_) => mesh.influences.of(vertex).find(|&(_, weight)| weight != 0.0).map(|(slot, _)| slot),
        };
        if slot.is_some_and(|slot| mirrored(&matrices[usize::from(slot)])) {
            *normal *= 2.0;
        }
    }
}
