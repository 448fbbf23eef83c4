//! Skinning by the processor: one vertex buffer for all instances, made once and written in place.

use crate::model::Model;
use crate::{Gpu, RenderError};
use sinew::Mesh;
use sinew::glam::{Affine3, Vec3};
use sinew::skinning::SkinnedVertices;

#[derive(Debug)]
pub(super) struct CpuSkin {
    /// Position and normal of every vertex: instance by instance, mesh by mesh.
    vertices: Vec<[Vec3; 2]>,
    buffer: wgpu::Buffer,
    /// Where each mesh begins within an instance, and where the last one ends.
    firsts: Vec<usize>,
    /// Space to skin each mesh in.
    scratch: Vec<SkinnedVertices>,
}

const BYTES: u64 = size_of::<[Vec3; 2]>() as u64;

impl CpuSkin {
    pub(super) fn new(gpu: &Gpu, model: &Model, instances: usize) -> Result<Self, RenderError> {
        let mut firsts = vec![0];
        let mut scratch = Vec::new();
        for index in 0..model.0.meshes.len() {
            let mesh = model.mesh(index);
            let normals = mesh.normals.clone();
            scratch.push(SkinnedVertices { positions: mesh.positions.clone(), normals, tangents: vec![] });
            firsts.push(firsts[index] + mesh.vertex_count());
        }
        let count = instances * firsts[firsts.len() - 1];
        let buffer = gpu.buffer("skinned vertices", count as u64 * BYTES, wgpu::BufferUsages::VERTEX)?;
        Ok(Self { vertices: vec![[Vec3::ZERO; 2]; count], buffer, firsts, scratch })
    }

    fn per_instance(&self) -> usize {
        self.firsts[self.firsts.len() - 1]
    }

    /// Deforms all meshes of an instance.
    pub(super) fn skin(
        &mut self,
        model: &Model,
        instance: usize,
        matrices: &[Affine3],
        scalars: &[f32],
    ) -> Result<(), RenderError> {
        let start = instance * self.per_instance();
        for (index, shape) in self.scratch.iter_mut().enumerate() {
            let first = model.0.meshes[index].first_slot as usize;
            shape.skin(model.mesh(index), &matrices[first..], scalars)?;
            let out = &mut self.vertices[start + self.firsts[index]..start + self.firsts[index + 1]];
            for ((out, position), normal) in out.iter_mut().zip(&shape.positions).zip(&shape.normals) {
                *out = [*position, *normal];
            }
            mark_mirrored(model.mesh(index), &matrices[first..], out);
        }
        Ok(())
    }

    /// Sends the vertices of a range of instances.
    pub(super) fn send(&self, gpu: &Gpu, instances: std::ops::Range<usize>) {
        let n = self.per_instance();
        let vertices = &self.vertices[instances.start * n..instances.end * n];
        gpu.write(&self.buffer, (instances.start * n) as u64 * BYTES, vertices);
    }

    /// The vertices of one mesh of one instance, as skinned last.
    pub(super) fn shape(&self, mesh: usize, instance: usize) -> Vec<[Vec3; 2]> {
        let start = instance * self.per_instance();
        let shape = &self.vertices[start + self.firsts[mesh]..start + self.firsts[mesh + 1]];
        shape.iter().map(|[position, normal]| [*position, normal.normalize_or_zero()]).collect()
    }

    /// The same, on the device.
    pub(super) fn slice(&self, mesh: usize, instance: usize) -> wgpu::BufferSlice<'_> {
        let start = (instance * self.per_instance() + self.firsts[mesh]) as u64 * BYTES;
        self.buffer.slice(start..)
    }
}

/// Gives vertices that a matrix turns inside out a normal of length two: the shader, which does not see the matrix, must know that
/// their triangles wind the other way.
fn mark_mirrored(mesh: &Mesh, matrices: &[Affine3], out: &mut [[Vec3; 2]]) {
    let mirrored = |matrix: &Affine3| matrix.matrix3.determinant() < 0.0;
    if !matrices[..mesh.slot_count()].iter().any(mirrored) {
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
