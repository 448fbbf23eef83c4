//! Depth and multisample attachments for a picture size.

use crate::pipelines::DEPTH_FORMAT;
use crate::{Gpu, RenderError};

#[derive(Debug)]
pub(super) struct Attachments {
    pub(super) size: (u32, u32),
    depth: wgpu::TextureView,
    samples: Option<wgpu::TextureView>,
}

impl Attachments {
    pub(super) fn new(
        gpu: &Gpu,
        format: wgpu::TextureFormat,
        samples: u32,
        size: (u32, u32),
    ) -> Result<Self, RenderError> {
        check_size(gpu, size)?;
        let make = |label, format| {
            gpu.view(&gpu.texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: samples,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            }))
        };
        Ok(Self {
            size,
            depth: make("depth", DEPTH_FORMAT),
            samples: (samples > 1).then(|| make("samples", format)),
        })
    }

    /// Begins a pass that clears the view.
    pub(super) fn begin<'a>(
        &self,
        encoder: &'a mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
    ) -> wgpu::RenderPass<'a> {
        let (drawn, resolve_target) = match &self.samples {
            Some(samples) => (samples, Some(view)),
            None => (view, None),
        };
        // Only the resolved samples are kept.
        let store = if resolve_target.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: drawn,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        })
    }
}

/// Fails for an empty picture, and for one that exceeds the limits of the device.
pub(super) fn check_size(gpu: &Gpu, size: (u32, u32)) -> Result<(), RenderError> {
    crate::error::check_size(size, gpu.device().limits().max_texture_dimension_2d)
}
