//! Sections `INFO` and `SKEL`.

use super::cursor::Cursor;
use super::layout::{InfoHeader, SkeletonHeader};
use super::{BundleError, Section};
use crate::pose::{JointBlock, LANES};
use crate::skeleton::SkeletonParts;
use crate::{Axis, Bytes, Pose, Skeleton, Space};

/// Axes in the order of their numbers in the file.
pub const AXES: [Axis; 6] = [Axis::PlusX, Axis::MinusX, Axis::PlusY, Axis::MinusY, Axis::PlusZ, Axis::MinusZ];

pub(super) struct Info {
    pub(super) name: String,
    pub(super) space: Space,
    pub(super) counts: InfoHeader,
}

pub(super) fn info(section: Section<'_>) -> Result<Info, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: InfoHeader = cursor.record()?;
    let name = cursor.name()?;
    cursor.zero(header.reserved)?;
    cursor.check(header.canonical <= 1, "its `canonical` is neither 0 nor 1")?;
    let up = AXES.get(header.up as usize).copied().ok_or_else(|| cursor.wrong("its up axis is unknown"))?;
    let unit_meters = header.unit_meters;
    cursor.check(unit_meters.is_finite() && unit_meters > 0.0, "its unit is not a positive length")?;
    cursor.finish()?;
    Ok(Info { name, space: Space { canonical: header.canonical == 1, up, unit_meters }, counts: header })
}

pub(super) fn skeleton(section: Section<'_>, file: &Bytes) -> Result<Skeleton, BundleError> {
    let mut cursor = Cursor::within(section, file);
    let header: SkeletonHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let count = header.joints as usize;
    let parents = cursor.buffer::<u16>(count)?;
    let blocks = cursor.array::<JointBlock>(count.div_ceil(LANES))?;
    let scalar_rests = cursor.array::<f32>(header.scalars as usize)?;
    let (names, scalar_names) = (cursor.texts(count)?, cursor.texts(header.scalars as usize)?);
    check_padding_lanes(&cursor, &blocks, count)?;
    cursor.finish()?;
    let rest = Pose::from_blocks(blocks, count, scalar_rests);
    Ok(Skeleton::from_parts(SkeletonParts { names, parents, scalar_names, rest })?)
}

/// Lanes behind the last joint are identity, to the bit.
fn check_padding_lanes(cursor: &Cursor<'_>, blocks: &[JointBlock], count: usize) -> Result<(), BundleError> {
    let Some(last) = blocks.last().filter(|_| !count.is_multiple_of(LANES)) else { return Ok(()) };
    let mut clean = *last;
    for lane in count % LANES..LANES {
        let identity = JointBlock::IDENTITY.get(lane);
        clean.set_translation(lane, identity.translation);
        clean.set_rotation(lane, identity.rotation);
        clean.set_scale(lane, identity.scale);
    }
    cursor.check(
        bytemuck::bytes_of(&clean) == bytemuck::bytes_of(last),
        "lanes behind the last joint are not identity",
    )
}
