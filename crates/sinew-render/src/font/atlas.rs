//! Glyphs on the device, for text that is drawn by a shader.

use super::{GLYPHS, Style, bitmap, ink, inked, outlined};
use crate::Gpu;
use std::collections::HashMap;

/// Cell of a glyph: the glyph with a margin for accents and for its halo. The same as in `overlay.wgsl`.
const CELL: u32 = 16;
/// Cells in a row, and rows.
const COLUMNS: u32 = 32;
const ROWS: u32 = 32;
/// Where the left end of a letter's column and the top of capital letters lie in its cell.
pub(crate) const INSET: (u32, u32) = (2, 4);

/// A texture with the bitmap font, to which letters of other fonts are added when they are first needed.
#[derive(Debug)]
pub(crate) struct Atlas {
    texture: wgpu::Texture,
    /// Cells of letters that were added.
    added: HashMap<char, u32>,
}

impl Atlas {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let texture = gpu.texture(&wgpu::TextureDescriptor {
            label: Some("letters"),
            size: wgpu::Extent3d { width: COLUMNS * CELL, height: ROWS * CELL, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rg8Unorm,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let atlas = Self { texture, added: HashMap::new() };
        for glyph in 0..GLYPHS.len() {
            let pixels = |x: i32, y: i32| if ink(glyph, x, y) { 255 } else { 0 };
            atlas.write(gpu, glyph as u32, &cell(pixels));
        }
        atlas
    }

    pub(crate) fn view(&self, gpu: &Gpu) -> wgpu::TextureView {
        gpu.view(&self.texture)
    }

    /// The cell of a letter.
    pub(crate) fn number(&mut self, gpu: &Gpu, letter: char, style: Style) -> u32 {
        if style == Style::Bitmap {
            return bitmap(letter) as u32;
        }
        if let Some(&known) = self.added.get(&letter) {
            return known;
        }
        let number = (GLYPHS.len() + self.added.len()) as u32;
        if number >= COLUMNS * ROWS {
            return bitmap('?') as u32;
        }
        let mut pixels = HashMap::new();
        for (x, y, ink) in outlined(letter, 1).iter().flat_map(inked) {
            pixels.insert((x, y), ink);
        }
        self.write(gpu, number, &cell(|x, y| pixels.get(&(x, y)).copied().unwrap_or(0)));
        self.added.insert(letter, number);
        number
    }

    fn write(&self, gpu: &Gpu, number: u32, texels: &[u8]) {
        let origin =
            wgpu::Origin3d { x: number % COLUMNS * CELL, y: number / COLUMNS * CELL, ..Default::default() };
        gpu.queue().write_texture(
            wgpu::TexelCopyTextureInfo { origin, ..self.texture.as_image_copy() },
            texels,
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(CELL * 2), rows_per_image: None },
            wgpu::Extent3d { width: CELL, height: CELL, depth_or_array_layers: 1 },
        );
    }
}

/// The texels of a cell: ink in the first channel, ink and halo in the second.
fn cell(ink: impl Fn(i32, i32) -> u8) -> Vec<u8> {
    let at = |x: u32, y: u32| (x as i32 - INSET.0 as i32, y as i32 - INSET.1 as i32);
    let texels = (0..CELL).flat_map(|y| (0..CELL).map(move |x| at(x, y)));
    let near = |x: i32, y: i32| (-1..=1).flat_map(move |dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
    texels.flat_map(|(x, y)| [ink(x, y), near(x, y).map(|(x, y)| ink(x, y)).max().unwrap_or(0)]).collect()
}
