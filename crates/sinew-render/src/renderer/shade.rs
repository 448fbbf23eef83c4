//! The soft shadow on the ground: geometry projected along the light into a small texture, which is then blurred.

use super::{Deform, Renderer, Scene};
use crate::Gpu;
use crate::pipelines::{INFLUENCES_SLOT, Layouts, SHADE_FORMAT, TANGENTS_SLOT};

/// Side of the shadow texture in pixels. The blur removes finer detail.
const SIDE: u32 = 256;

#[derive(Debug)]
pub(super) struct Shade {
    views: [wgpu::TextureView; 2],
    /// Bind groups that read each of the textures.
    groups: [wgpu::BindGroup; 2],
}

impl Shade {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let views = ["shadow", "blurred shadow"].map(|label| {
            gpu.view(&gpu.texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: SHADE_FORMAT,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            }))
        });
        let sampler = gpu.sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let group = |view: &wgpu::TextureView| {
            let resources =
                [wgpu::BindingResource::TextureView(view), wgpu::BindingResource::Sampler(&sampler)];
            gpu.bind_group("shadow", &layouts.shade, &resources)
        };
        let groups = [group(&views[0]), group(&views[1])];
        Self { views, groups }
    }

    /// The bind group that reads the finished shadow.
    pub(super) fn group(&self) -> &wgpu::BindGroup {
        &self.groups[0]
    }
}

impl Renderer {
    pub(super) fn draw_shade(&self, scene: &Scene<'_, '_>) {
        let mut encoder =
            self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = begin(&mut encoder, &self.shade.views[0]);
        pass.set_bind_group(0, &self.frame_group, &[]);
        for batch in scene.batches.iter().filter(|batch| batch.casts_shadow()) {
            let (seen, _) = batch.ranges();
            for part in &batch.model().0.parts {
                let Some(pipeline) = self.pipelines.shade(batch.deform(part.mesh)) else { continue };
                pass.set_pipeline(pipeline);
                self.draw_part(&mut pass, batch, part, seen.clone());
            }
        }
        drop(pass);
        // Horizontally from the first texture into the second, vertically back.
        for (pipeline, from, to) in [(&self.pipelines.blur[0], 0, 1), (&self.pipelines.blur[1], 1, 0)] {
            let mut pass = begin(&mut encoder, &self.shade.views[to]);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &self.frame_group, &[]);
            pass.set_bind_group(1, &self.shade.groups[from], &[]);
            pass.draw(0..3, 0..1);
        }
        self.gpu.queue().submit([encoder.finish()]);
    }

    /// Draws one part of a range of instances with the current pipeline.
    pub(super) fn draw_part(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        batch: &crate::Batch,
        part: &crate::model::PartOnGpu,
        which: std::ops::Range<u32>,
    ) {
        let mesh = &batch.model().0.meshes[part.mesh];
        pass.set_bind_group(1, &part.material, &[]);
        pass.set_bind_group(2, &batch.groups[part.mesh], &[]);
        pass.set_vertex_buffer(0, mesh.shape.slice(..));
        pass.set_vertex_buffer(1, mesh.surface.slice(..));
        pass.set_vertex_buffer(2, batch.paint(part.mesh).slice(..));
        pass.set_vertex_buffer(3, batch.instance_buffer.slice(..));
        if batch.deform(part.mesh) != Deform::Plain {
            pass.set_vertex_buffer(INFLUENCES_SLOT, mesh.influences.slice(..));
            if let Some(offset) = mesh.tangents {
                pass.set_vertex_buffer(TANGENTS_SLOT, mesh.shape.slice(offset..));
            }
        }
        pass.set_index_buffer(mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
        batch.draw(pass, part.mesh, part.indices.clone(), which);
    }
}

fn begin<'a>(encoder: &'a mut wgpu::CommandEncoder, view: &wgpu::TextureView) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("shadow"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    })
}
