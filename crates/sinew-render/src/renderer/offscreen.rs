//! Rendering into pictures, without a window.

use super::attachments::check_size;
use super::{Renderer, Scene};
use crate::{Picture, RenderError};
use sinew_image::{to_linear, to_srgb};
use wgpu::BufferUsages;

/// A texture to render into, and a buffer to read it back. Reusable for any number of pictures of one size.
#[derive(Debug)]
pub struct OffscreenTarget {
    size: (u32, u32),
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    buffer: wgpu::Buffer,
    stride: u32,
}

impl OffscreenTarget {
    /// Width and height.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Width divided by height.
    pub fn aspect(&self) -> f32 {
        self.size.0 as f32 / self.size.1 as f32
    }
}

impl Renderer {
    /// A target for pictures of a size. [`Renderer::shoot`] requires the format [`wgpu::TextureFormat::Rgba8UnormSrgb`], the default.
    pub fn offscreen_target(&self, width: u32, height: u32) -> Result<OffscreenTarget, RenderError> {
        check_size(&self.gpu, (width, height))?;
        let texture = self.gpu.texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.settings.format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let stride = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = u64::from(stride) * u64::from(height);
        let buffer = self.gpu.buffer("picture copy", bytes, BufferUsages::MAP_READ)?;
        Ok(OffscreenTarget { size: (width, height), view: self.gpu.view(&texture), texture, buffer, stride })
    }

    /// Draws a scene and waits for the picture.
    pub fn shoot(
        &mut self,
        target: &mut OffscreenTarget,
        scene: &mut Scene<'_, '_>,
    ) -> Result<Picture, RenderError> {
        self.prepare(scene, target.size)?;
        let mut encoder =
            self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.encode(&mut encoder, &target.view, target.size, scene)?;
        let (width, height) = target.size;
        encoder.copy_texture_to_buffer(
            target.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &target.buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(target.stride),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        self.gpu.queue().submit([encoder.finish()]);
        let transparent = scene.look.is_transparent();
        self.gpu.read(&target.buffer, |bytes| {
            let rows = bytes.chunks_exact(target.stride as usize).take(height as usize);
            let mut pixels: Vec<u8> = rows.flat_map(|row| &row[..width as usize * 4]).copied().collect();
            if transparent {
                divide_by_alpha(&mut pixels);
            }
            Picture::from_pixels(width, height, pixels).unwrap_or_else(|| Picture::new(width, height, [0; 4]))
        })
    }
}

/// From premultiplied to straight alpha. Colours were premultiplied in linear space, before sRGB encoding.
fn divide_by_alpha(pixels: &mut [u8]) {
    for pixel in pixels.chunks_exact_mut(4).filter(|pixel| pixel[3] != 255 && pixel[3] != 0) {
        let alpha = f32::from(pixel[3]) / 255.0;
        pixel[..3].iter_mut().for_each(|c| *c = to_srgb((to_linear(*c) / alpha).min(1.0)));
    }
}
