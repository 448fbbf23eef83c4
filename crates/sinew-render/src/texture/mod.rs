//! Textures of materials: decoded, reduced to a supported size, shared by all characters that use them.

use sinew_image::{ColorSpace, TextureError, decode, halved};

use crate::{Gpu, Picture};
use sinew::{Image, MagFilter, MinFilter, Sampler, Texture, Wrap};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::SystemTime;

/// Longest side of a texture on the device. Larger pictures are halved until they fit.
const LONGEST: u32 = 4096;

/// Identity of a picture in the cache: a file with size and modification time, or a hash of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum PictureId {
    File(PathBuf, u64, Option<SystemTime>),
    Bytes(u64, usize),
}

impl PictureId {
    fn of(image: &Image) -> Option<Self> {
        match image {
            Image::Missing => None,
            Image::File(path) => {
                let data = std::fs::metadata(path).ok()?;
                Some(Self::File(path.clone(), data.len(), data.modified().ok()))
            }
            Image::Embedded(bytes) => {
                let mut hasher = DefaultHasher::new();
                bytes.as_slice().hash(&mut hasher);
                Some(Self::Bytes(hasher.finish(), bytes.len()))
            }
        }
    }
}

/// Textures in use by some model, and samplers.
#[derive(Debug, Default)]
pub(crate) struct TextureCache {
    textures: HashMap<(PictureId, ColorSpace), Weak<wgpu::TextureView>>,
    samplers: HashMap<Sampler, wgpu::Sampler>,
    white: Option<Arc<wgpu::TextureView>>,
    checker: Option<Arc<wgpu::TextureView>>,
}

impl TextureCache {
    /// The texture of a picture, decoded once for all characters.
    pub(crate) fn texture(
        &mut self,
        gpu: &Gpu,
        texture: &Texture,
        space: ColorSpace,
    ) -> Result<Arc<wgpu::TextureView>, TextureError> {
        let id = PictureId::of(&texture.image).map(|id| (id, space));
        if let Some(known) = id.as_ref().and_then(|id| self.textures.get(id)?.upgrade()) {
            return Ok(known);
        }
        let view = Arc::new(upload(gpu, &texture.name, decode(texture)?, space));
        self.textures.retain(|_, view| view.strong_count() > 0);
        if let Some(id) = id {
            self.textures.insert(id, Arc::downgrade(&view));
        }
        Ok(view)
    }

    /// A white pixel, for materials without a texture.
    pub(crate) fn white(&mut self, gpu: &Gpu) -> Arc<wgpu::TextureView> {
        let make = || Arc::new(upload(gpu, "white", Picture::new(1, 1, [255; 4]), ColorSpace::Linear));
        Arc::clone(self.white.get_or_insert_with(make))
    }

    /// A checkerboard, in place of a picture that cannot be shown.
    pub(crate) fn checker(&mut self, gpu: &Gpu) -> Arc<wgpu::TextureView> {
        let make = || Arc::new(upload(gpu, "checker", checker(), ColorSpace::Srgb));
        Arc::clone(self.checker.get_or_insert_with(make))
    }

    /// A sampler of the device.
    pub(crate) fn sampler(&mut self, gpu: &Gpu, sampler: Sampler) -> wgpu::Sampler {
        self.samplers.entry(sampler).or_insert_with(|| make_sampler(gpu, sampler)).clone()
    }

    /// Number of textures on the device.
    pub(crate) fn len(&self) -> usize {
        self.textures.values().filter(|view| view.strong_count() > 0).count()
    }
}

fn make_sampler(gpu: &Gpu, sampler: Sampler) -> wgpu::Sampler {
    let address = |wrap: Wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    use wgpu::{FilterMode, MipmapFilterMode};
    let mag_filter = match sampler.mag {
        MagFilter::Nearest => FilterMode::Nearest,
        MagFilter::Auto | MagFilter::Linear => FilterMode::Linear,
    };
    let (min_filter, mipmap_filter) = match sampler.min {
        MinFilter::Nearest | MinFilter::NearestMipNearest => (FilterMode::Nearest, MipmapFilterMode::Nearest),
        MinFilter::Linear | MinFilter::LinearMipNearest => (FilterMode::Linear, MipmapFilterMode::Nearest),
        MinFilter::NearestMipLinear => (FilterMode::Nearest, MipmapFilterMode::Linear),
        MinFilter::Auto | MinFilter::LinearMipLinear => (FilterMode::Linear, MipmapFilterMode::Linear),
    };
    let mips = !matches!(sampler.min, MinFilter::Nearest | MinFilter::Linear);
    let smooth = mag_filter == FilterMode::Linear
        && (min_filter, mipmap_filter) == (FilterMode::Linear, MipmapFilterMode::Linear);
    gpu.sampler(&wgpu::SamplerDescriptor {
        label: Some("material"),
        address_mode_u: address(sampler.wrap[0]),
        address_mode_v: address(sampler.wrap[1]),
        mag_filter,
        min_filter,
        mipmap_filter,
        // The first level alone. Not 0, with which no picture would count as reduced.
        lod_max_clamp: if mips { 32.0 } else { 0.25 },
        // Anisotropic filtering is too slow on a software driver.
        anisotropy_clamp: if smooth && !gpu.is_software() { 8 } else { 1 },
        ..Default::default()
    })
}

/// Eight by eight squares of magenta and grey.
fn checker() -> Picture {
    const SQUARE: u32 = 8;
    let mut picture = Picture::new(8 * SQUARE, 8 * SQUARE, [220, 0, 220, 255]);
    for (x, y) in (0..8).flat_map(|y| (0..8).map(move |x| (x, y))).filter(|(x, y)| (x + y) % 2 == 1) {
        let (left, top) = (x * SQUARE, y * SQUARE);
        picture.fill_rect(left as i32, top as i32, SQUARE, SQUARE, [90, 90, 90, 255]);
    }
    picture
}

/// Uploads a picture with mipmaps.
fn upload(gpu: &Gpu, name: &str, picture: Picture, space: ColorSpace) -> wgpu::TextureView {
    let longest = LONGEST.min(gpu.device().limits().max_texture_dimension_2d);
    let mut levels = vec![picture];
    let last = |levels: &[Picture]| levels.last().map_or((1, 1), Picture::size);
    while last(&levels) != (1, 1) {
        let smaller = levels.last().map(|level| halved(level, space));
        levels.extend(smaller);
    }
    let fits = |picture: &Picture| picture.width().max(picture.height()) <= longest;
    let levels = &levels[levels.iter().position(fits).unwrap_or(0)..];
    let (width, height) = levels[0].size();
    let texture = gpu.texture(&wgpu::TextureDescriptor {
        label: Some(name),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: match space {
            ColorSpace::Srgb => wgpu::TextureFormat::Rgba8UnormSrgb,
            ColorSpace::Linear => wgpu::TextureFormat::Rgba8Unorm,
        },
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (mip_level, level) in (0u32..).zip(levels) {
        gpu.queue().write_texture(
            wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
            level.pixels(),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(level.width() * 4),
                rows_per_image: None,
            },
            wgpu::Extent3d { width: level.width(), height: level.height(), depth_or_array_layers: 1 },
        );
    }
    gpu.view(&texture)
}
