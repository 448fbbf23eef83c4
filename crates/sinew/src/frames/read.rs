//! Frames from a bundle: tables are unpacked once, the frames stay where they lie.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing
    )
)]

use super::{COMPONENTS, Frames, Moved, SLACK};
use crate::bundle::cursor::Cursor;
use crate::bundle::layout::{CLIP, ClipHeader, ConstantRecord, FramesHeader, LooseRecord};
use crate::bundle_file::Section;
use crate::kernel::WIDEST;
use crate::kernel::frames::{Loose, Octet};
use crate::math::{normalize, product};
use crate::pose::LANES;
use crate::{BundleError, Bytes, Clip, NO_JOINT, Skeleton, bundle};
use glam::Quat;

/// Ranges of rotations are multiples of this; their lowest numbers count from −1.
const UNIT: f32 = 1.0 / 32768.0;

/// The clip of a section by itself, as a tool that has just written one reads it back.
pub fn decode_clip(bytes: &Bytes, skeleton: &Skeleton) -> Result<Clip, BundleError> {
    bundle::clip::clip(Section { id: CLIP, index: 0, bytes }, skeleton, bytes)
}

/// Reads what follows the name of a clip.
pub(crate) fn read(
    section: Section<'_>,
    mut cursor: Cursor<'_>,
    clip: &ClipHeader,
    skeleton: &Skeleton,
    file: &Bytes,
) -> Result<Frames, BundleError> {
    let body = cursor.rest();
    let header: FramesHeader = cursor.record()?;
    check(&cursor, &header, skeleton)?;
    let (joints, scalars) = (skeleton.len(), skeleton.scalar_names().len());
    let moved_joints = cursor.raw::<u8>((joints * 3).div_ceil(8))?;
    let moved = Moved::from_bytes(moved_joints, cursor.raw::<u8>(scalars.div_ceil(8))?);
    let widths = Widths::read(&mut cursor, &header)?;
    let octets = octets(&mut cursor, &header, &widths, skeleton)?;
    let place = |joint: u16, component: u8| {
        let block = usize::from(joint) / LANES * COMPONENTS + usize::from(component);
        let target = u32::try_from(block * LANES + usize::from(joint) % LANES).ok();
        target.filter(|_| usize::from(joint) < joints && usize::from(component) < COMPONENTS)
    };
    let loose = groups(&mut cursor, &widths.loose, place)?;
    let scalars = groups(&mut cursor, &widths.scalars, |scalar, component| {
        Some(scalar.into()).filter(|_| usize::from(scalar) < scalars && component == 0)
    })?;
    let constants = constants(&mut cursor, header.constants.into(), place)?;
    let wide = cursor.array::<u16>(header.wide.into())?;
    cursor.check(wide.iter().all(|&joint| usize::from(joint) < joints), "a joint is out of range")?;
    let kept = bundle::clip::keys(section, &mut cursor, clip)?;
    kept.fits(joints, skeleton.scalar_names().len()).map_err(|error| cursor.wrong(error.to_string()))?;
    let (count, stride) = (header.frames as usize, header.stride as usize);
    let length = count.checked_mul(stride).and_then(|bytes| bytes.checked_add(SLACK));
    let data = cursor.raw::<u8>(length.ok_or_else(|| cursor.wrong("it has too many frames"))?)?;
    let start = file.position(data).ok_or_else(|| cursor.wrong("its frames lie outside of the file"))?;
    let data = file.slice(start..start + data.len());
    let body_start = file.position(body).unwrap_or(start);
    let body = file.slice(body_start..body_start + body.len());
    cursor.finish()?;
    let travel = (header.traveller != NO_JOINT).then_some((header.traveller, header.travel));
    Ok(Frames {
        shape: (joints, skeleton.scalar_names().len()),
        count,
        rate: header.rate,
        stride,
        cubic: header.cubic == 1,
        octets: octets.into(),
        loose: loose.into(),
        scalars: scalars.into(),
        constants: constants.into(),
        wide: wide.into(),
        kept,
        moved,
        travel,
        data,
        body,
    })
}

fn check(cursor: &Cursor<'_>, header: &FramesHeader, skeleton: &Skeleton) -> Result<(), BundleError> {
    cursor.zero(header.reserved)?;
    cursor.check(header.skeleton == skeleton.digest(), "it was made for another skeleton: build it again")?;
    cursor.check(header.frames > 0, "it has no frames")?;
    cursor.check(header.cubic <= 1, "its way between frames is unknown")?;
    cursor.check(header.rate.is_finite() && header.rate >= 0.0, "its rate is not a number of frames")?;
    let blocks = skeleton.len().div_ceil(LANES);
    cursor.check(usize::from(header.octets) <= blocks, "it has more octets than joints")?;
    let travels = header.traveller != NO_JOINT;
    cursor.check(!travels || usize::from(header.traveller) < skeleton.len(), "a joint is out of range")?;
    let [first, last] = header.travel;
    cursor.check(first.is_finite() && last.is_finite() && first <= last, "its travel has no times")
}

/// Bits of each number in a frame.
struct Widths {
    octets: Vec<[u8; 3]>,
    loose: Vec<u8>,
    scalars: Vec<u8>,
}

impl Widths {
    fn read(cursor: &mut Cursor<'_>, header: &FramesHeader) -> Result<Self, BundleError> {
        let [octets, loose, scalars] = [header.octets, header.loose, header.scalars].map(usize::from);
        let all = cursor.raw::<u8>(octets * 3 + loose + scalars)?;
        let bytes: usize = all.iter().map(|&width| usize::from(width)).sum();
        cursor.check(bytes == header.stride as usize, "its frames are not as long as its widths say")?;
        cursor.check(all.iter().all(|&width| usize::from(width) <= WIDEST), "a width is out of range")?;
        let (of_octets, rest) = all.split_at_checked(octets * 3).unwrap_or_default();
        let (of_loose, of_scalars) = rest.split_at_checked(loose).unwrap_or_default();
        let has_width = |widths: &[u8]| widths.iter().all(|&width| width > 0);
        cursor.check(has_width(of_loose) && has_width(of_scalars), "a width is out of range")?;
        let octets = of_octets.chunks_exact(3).filter_map(|w| w.try_into().ok()).collect();
        Ok(Self { octets, loose: of_loose.to_vec(), scalars: of_scalars.to_vec() })
    }
}

/// Two quaternions of any length: the mean rotation of a joint, and the turn onto its principal axes. Zero for a joint that does not turn.
type Turns = [[i16; 4]; 2];

fn octets(
    cursor: &mut Cursor<'_>,
    header: &FramesHeader,
    widths: &Widths,
    skeleton: &Skeleton,
) -> Result<Vec<Octet>, BundleError> {
    let turns = cursor.array::<Turns>(usize::from(header.octets) * LANES)?;
    let ranged = widths.octets.iter().flatten().filter(|&&width| width > 0).count();
    let mut ranges = cursor.array::<[u16; 2]>(ranged * LANES)?.into_iter();
    let mut out = Vec::with_capacity(widths.octets.len());
    for ((block, widths), turns) in widths.octets.iter().enumerate().zip(turns.chunks_exact(LANES)) {
        let zero = [[0.0; LANES]; 3];
        let mut octet = Octet {
            low: zero,
            step: zero,
            before: [[0.0; LANES]; 4],
            after: [[0.0; LANES]; 4],
            widths: *widths,
        };
        for (lane, turns) in turns.iter().enumerate() {
            // Joint numbers fit: there are no more octets than blocks of joints.
            let joint = (block * LANES + lane) as u16;
            let [before, after] = around(turns, joint, skeleton);
            set_lane(&mut octet.before, lane, before.to_array());
            set_lane(&mut octet.after, lane, after.to_array());
        }
        for ((width, low), step) in widths.iter().zip(&mut octet.low).zip(&mut octet.step) {
            if *width > 0 {
                let highest = ((1u32 << width) - 1) as f32;
                for ((low, step), [from, extent]) in low.iter_mut().zip(step).zip(&mut ranges) {
                    *low = (f32::from(from) - 32768.0) * UNIT;
                    *step = f32::from(extent) * UNIT / highest;
                }
            }
        }
        out.push(octet);
    }
    Ok(out)
}

/// What stands before and after the stored rotation of a joint; its rest and nothing where it does not turn.
fn around(turns: &Turns, joint: u16, skeleton: &Skeleton) -> [Quat; 2] {
    if *turns == [[0; 4]; 2] {
        let blocks = skeleton.rest().blocks().get(usize::from(joint) / LANES);
        let rest = blocks.map_or(Quat::IDENTITY, |block| block.get(usize::from(joint) % LANES).rotation);
        return [rest, Quat::IDENTITY];
    }
    let [mean, axes] = turns.map(|q| normalize(q.map(f32::from)));
    [normalize(product(mean, axes).to_array()), axes.conjugate()]
}

fn set_lane<const N: usize>(lanes: &mut [[f32; LANES]; N], lane: usize, values: [f32; N]) {
    for (lanes, value) in lanes.iter_mut().zip(values) {
        if let Some(place) = lanes.get_mut(lane) {
            *place = value;
        }
    }
}

fn groups(
    cursor: &mut Cursor<'_>,
    widths: &[u8],
    target: impl Fn(u16, u8) -> Option<u32>,
) -> Result<Vec<Loose>, BundleError> {
    let records = cursor.array::<LooseRecord>(widths.len())?;
    let ranges = cursor.array::<[[f32; LANES]; 2]>(widths.len())?;
    let groups = records.iter().zip(ranges).zip(widths).map(|((record, [low, step]), &width)| {
        let finite = low.iter().chain(&step).all(|x| x.is_finite());
        cursor.check(finite, "a range is not a finite number")?;
        let mut targets = [0; LANES];
        for (place, (&index, &component)) in
            targets.iter_mut().zip(record.indices.iter().zip(&record.components))
        {
            *place =
                target(index, component).ok_or_else(|| cursor.wrong("a joint or scalar is out of range"))?;
        }
        Ok(Loose { low, step, width, targets })
    });
    groups.collect()
}

fn constants(
    cursor: &mut Cursor<'_>,
    count: usize,
    target: impl Fn(u16, u8) -> Option<u32>,
) -> Result<Vec<(u32, f32)>, BundleError> {
    let records = cursor.array::<ConstantRecord>(count)?;
    let constants = records.iter().map(|record| {
        cursor.zero(record.reserved)?;
        cursor.check(record.value.is_finite(), "a constant is not a finite number")?;
        let is_turn = (3..7).contains(&record.component);
        cursor.check(!is_turn || record.value.abs() <= 1.001, "a constant is part of no rotation")?;
        let target = target(record.joint, record.component);
        Ok((target.ok_or_else(|| cursor.wrong("a joint is out of range"))?, record.value))
    });
    constants.collect()
}
