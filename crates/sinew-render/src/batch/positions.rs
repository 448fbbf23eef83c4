//! Reads skinned vertices back, to compare GPU and CPU skinning.

use super::Batch;
use crate::RenderError;
use crate::pipelines::Pipelines;
use sinew::glam::{Vec3, Vec4};
use sinew::skinning::SkinnedVertices;
use wgpu::BufferUsages;

impl Batch {
    /// Positions, normals and tangents of one mesh of one instance, in model space. Waits for the device and allocates buffers: for checks, not for
    /// every frame.
    pub(crate) fn read_back(
        &mut self,
        pipelines: &mut Pipelines,
        mesh: usize,
        instance: usize,
    ) -> Result<SkinnedVertices, RenderError> {
        self.check(instance)?;
        let count = self.model.0.meshes.len();
        if mesh >= count {
            return Err(RenderError::Index { what: "mesh", index: mesh, count });
        }
        match &self.cpu {
            Some(cpu) => Ok(cpu.shape(mesh, instance)),
            None => self.compute(pipelines, mesh, instance),
        }
    }

    fn compute(
        &mut self,
        pipelines: &mut Pipelines,
        mesh: usize,
        instance: usize,
    ) -> Result<SkinnedVertices, RenderError> {
        self.send();
        let gpu = &self.gpu;
        let source = &self.model.0.meshes[mesh];
        let tangents = source.vertices as usize * if source.tangents.is_some() { 4 } else { 0 };
        let (points, bytes) =
            (source.vertices as usize * 6, (source.vertices as usize * 6 + tangents) as u64 * 4);
        let out = gpu.buffer("positions", bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC)?;
        let copy = gpu.buffer("positions copy", bytes, BufferUsages::MAP_READ)?;
        let number = gpu.buffer_of("instance", &[[instance as u32, 0, 0, 0]], BufferUsages::UNIFORM)?;
        let resources =
            [&source.shape, &source.influences, &out, &number].map(wgpu::Buffer::as_entire_binding);
        let group = gpu.bind_group("positions", &pipelines.layouts.positions, &resources);
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipelines.positions());
        pass.set_bind_group(0, &group, &[]);
        pass.set_bind_group(2, &self.groups[mesh], &[]);
        pass.dispatch_workgroups(source.vertices.div_ceil(64), 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&out, 0, &copy, 0, bytes);
        gpu.queue().submit([encoder.finish()]);
        gpu.read(&copy, |read| {
            let floats = read[..bytes as usize].chunks_exact(4);
            let floats: Vec<f32> = floats.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            let (vertices, tangents) = floats.split_at(points);
            let pairs = vertices.chunks_exact(6);
            let (positions, normals) =
                pairs.map(|v| (Vec3::from_slice(&v[..3]), Vec3::from_slice(&v[3..]))).unzip();
            SkinnedVertices {
                positions,
                normals,
                tangents: tangents.chunks_exact(4).map(Vec4::from_slice).collect(),
                plan: None,
            }
        })
    }
}
