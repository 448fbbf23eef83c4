//! Sections `MATS` and `TXTR`.

use super::cursor::Cursor;
use super::layout::{
    IMAGE_EMBEDDED, IMAGE_FILE, IMAGE_MISSING, MATERIAL_NEAREST, MATERIAL_TWO_SIDED, MATERIAL_UNLIT,
    MaterialRecord, MaterialsHeader, NONE, TextureHeader,
};
use super::{BundleError, Section};
use crate::{AlphaMode, Image, Material, Texture, Wrap};
use glam::Vec4;

/// Wrap modes in the order of their numbers in the file.
pub const WRAPS: [Wrap; 3] = [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp];

pub(super) fn materials(section: Section<'_>) -> Result<Vec<Material>, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: MaterialsHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let records = cursor.array::<MaterialRecord>(header.materials as usize)?;
    let names = cursor.names(header.materials as usize)?;
    let materials = names.into_iter().zip(&records).map(|(name, record)| material(&cursor, name, record));
    let materials = materials.collect::<Result<_, _>>()?;
    cursor.finish()?;
    Ok(materials)
}

fn material(cursor: &Cursor<'_>, name: String, record: &MaterialRecord) -> Result<Material, BundleError> {
    cursor.zero(record.reserved)?;
    let base_color = Vec4::from_array(record.base_color);
    cursor.check(
        base_color.is_finite() && record.cutoff.is_finite(),
        "a material has a number that is not finite",
    )?;
    let known = MATERIAL_NEAREST | MATERIAL_TWO_SIDED | MATERIAL_UNLIT;
    cursor.check(record.flags & !known == 0, "a material has unknown flags")?;
    let wrap = |number: u8| {
        WRAPS
            .get(usize::from(number))
            .copied()
            .ok_or_else(|| cursor.wrong("a material has an unknown wrap mode"))
    };
    let alpha = match record.alpha {
        0 => AlphaMode::Opaque,
        1 => AlphaMode::Mask(record.cutoff),
        2 => AlphaMode::Blend,
        _ => return Err(cursor.wrong("a material has an unknown alpha mode")),
    };
    let stray_cutoff = record.alpha != 1 && record.cutoff.to_bits() != 0;
    cursor.check(!stray_cutoff, "a material has a cutoff and is not a mask")?;
    Ok(Material {
        name,
        base_color,
        texture: Some(record.texture).filter(|&t| t != NONE).map(|t| t as usize),
        wrap: [wrap(record.wrap[0])?, wrap(record.wrap[1])?],
        nearest: record.flags & MATERIAL_NEAREST != 0,
        alpha,
        two_sided: record.flags & MATERIAL_TWO_SIDED != 0,
        unlit: record.flags & MATERIAL_UNLIT != 0,
    })
}

pub(super) fn texture(section: Section<'_>) -> Result<Texture, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: TextureHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let (name, reference) = (cursor.name()?, cursor.name()?);
    let length = usize::try_from(header.length).map_err(|_| cursor.wrong("its picture is too large"))?;
    let bytes = cursor.raw::<u8>(length)?;
    let image = match header.image {
        IMAGE_MISSING if bytes.is_empty() => Image::Missing,
        IMAGE_FILE => {
            let path = std::str::from_utf8(bytes).map_err(|_| cursor.wrong("its path is not UTF-8"))?;
            Image::File(path.into())
        }
        IMAGE_EMBEDDED => Image::Embedded(bytes.to_vec()),
        _ => return Err(cursor.wrong("its picture is of an unknown kind")),
    };
    cursor.finish()?;
    Ok(Texture { name, reference, image })
}
