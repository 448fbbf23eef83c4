//! Sections `MATS` and `TXTR`.

use super::cursor::Cursor;
use super::layout::{
    IMAGE_EMBEDDED, IMAGE_FILE, IMAGE_MISSING, MATERIAL_TWO_SIDED, MATERIAL_UNLIT, MaterialRecord,
    MaterialsHeader, NONE, TextureHeader, TextureRefRecord,
};
use super::{BundleError, Section};
use crate::{
    AlphaMode, Bytes, Image, MagFilter, Material, MinFilter, Sampler, Text, Texture, TextureRef, UvTransform,
    Wrap,
};
use glam::{Vec2, Vec3, Vec4};

/// Wrap modes in the order of their numbers in the file.
pub const WRAPS: [Wrap; 3] = [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp];

/// Filters in the order of their numbers in the file.
pub const MAG_FILTERS: [MagFilter; 3] = [MagFilter::Auto, MagFilter::Nearest, MagFilter::Linear];

/// Filters in the order of their numbers in the file.
pub const MIN_FILTERS: [MinFilter; 7] = [
    MinFilter::Auto,
    MinFilter::Nearest,
    MinFilter::Linear,
    MinFilter::NearestMipNearest,
    MinFilter::LinearMipNearest,
    MinFilter::NearestMipLinear,
    MinFilter::LinearMipLinear,
];

pub(super) fn materials(section: Section<'_>, file: &Bytes) -> Result<Vec<Material>, BundleError> {
    let mut cursor = Cursor::within(section, file);
    let header: MaterialsHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let records = cursor.view::<MaterialRecord>(header.materials as usize)?;
    let names = cursor.texts(header.materials as usize)?;
    let materials = names.texts().zip(&*records).map(|(name, record)| material(&cursor, name, record));
    let materials = materials.collect::<Result<_, _>>()?;
    cursor.finish()?;
    Ok(materials)
}

fn material(cursor: &Cursor<'_>, name: Text, record: &MaterialRecord) -> Result<Material, BundleError> {
    cursor.zero(record.reserved)?;
    let base_color = Vec4::from_array(record.base_color);
    let emissive = Vec3::from_array(record.emissive);
    let factors = [
        record.emissive_strength,
        record.metallic,
        record.roughness,
        record.normal_scale,
        record.occlusion_strength,
        record.cutoff,
        record.transmission,
    ];
    let finite = base_color.is_finite() && emissive.is_finite() && factors.iter().all(|f| f.is_finite());
    cursor.check(finite, "a number of a material is not finite")?;
    let known = MATERIAL_TWO_SIDED | MATERIAL_UNLIT;
    cursor.check(record.flags & !known == 0, "a material has unknown flags")?;
    let alpha = match record.alpha {
        0 => AlphaMode::Opaque,
        1 => AlphaMode::Mask(record.cutoff),
        2 => AlphaMode::Blend,
        _ => return Err(cursor.wrong("a material has an unknown alpha mode")),
    };
    let stray_cutoff = record.alpha != 1 && record.cutoff.to_bits() != 0;
    cursor.check(!stray_cutoff, "a material has a cutoff and is not a mask")?;
    let [base_color_texture, metallic_roughness_texture, normal_texture, occlusion_texture, emissive_texture] =
        record.textures.map(|record| texture_ref(cursor, &record));
    Ok(Material {
        name,
        base_color,
        base_color_texture: base_color_texture?,
        metallic: record.metallic,
        roughness: record.roughness,
        metallic_roughness_texture: metallic_roughness_texture?,
        normal_texture: normal_texture?,
        normal_scale: record.normal_scale,
        occlusion_texture: occlusion_texture?,
        occlusion_strength: record.occlusion_strength,
        emissive,
        emissive_strength: record.emissive_strength,
        emissive_texture: emissive_texture?,
        alpha,
        transmission: record.transmission,
        two_sided: record.flags & MATERIAL_TWO_SIDED != 0,
        unlit: record.flags & MATERIAL_UNLIT != 0,
    })
}

fn texture_ref(cursor: &Cursor<'_>, record: &TextureRefRecord) -> Result<Option<TextureRef>, BundleError> {
    if record.texture == NONE {
        let rest = TextureRefRecord { texture: 0, ..*record };
        cursor.check(
            bytemuck::bytes_of(&rest).iter().all(|&byte| byte == 0),
            "a material without a texture says how it is read",
        )?;
        return Ok(None);
    }
    let known = |known: bool| cursor.check(known, "a material reads a texture in an unknown way");
    let wrap = record.wrap.map(|number| WRAPS.get(usize::from(number)).copied());
    let (mag, min) = (MAG_FILTERS.get(usize::from(record.mag)), MIN_FILTERS.get(usize::from(record.min)));
    let ([Some(u), Some(v)], Some(&mag), Some(&min)) = (wrap, mag, min) else {
        return Err(cursor.wrong("a material reads a texture in an unknown way"));
    };
    known(record.uv_set < 2)?;
    cursor.check(record.transform.iter().all(|n| n.is_finite()), "a number of a material is not finite")?;
    let [x, y, rotation, width, height] = record.transform;
    Ok(Some(TextureRef {
        texture: record.texture as usize,
        uv_set: record.uv_set as u8,
        transform: UvTransform { offset: Vec2::new(x, y), rotation, scale: Vec2::new(width, height) },
        sampler: Sampler { wrap: [u, v], mag, min },
    }))
}

pub(super) fn texture(section: Section<'_>, file: &Bytes) -> Result<Texture, BundleError> {
    let mut cursor = Cursor::within(section, file);
    let header: TextureHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let (name, reference) = (cursor.name()?, cursor.name()?);
    let length = usize::try_from(header.length).map_err(|_| cursor.wrong("its picture is too large"))?;
    let bytes = cursor.buffer::<u8>(length)?;
    let image = match header.image {
        IMAGE_MISSING if bytes.is_empty() => Image::Missing,
        IMAGE_FILE => {
            let path = std::str::from_utf8(&bytes).map_err(|_| cursor.wrong("its path is not UTF-8"))?;
            Image::File(path.into())
        }
        IMAGE_EMBEDDED => Image::Embedded(bytes),
        _ => return Err(cursor.wrong("its picture is of an unknown kind")),
    };
    cursor.finish()?;
    Ok(Texture { name, reference, image })
}
