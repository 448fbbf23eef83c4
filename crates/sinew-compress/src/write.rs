//! A clip section of a bundle, byte by byte.

use crate::course::Course;
use crate::encode::Prepared;
use crate::follow::Follower;
use crate::plan::{Octet, Plan};
use bytemuck::{Pod, bytes_of, cast_slice};
use sinew::bundle_file::{ARRAY_ALIGN, ClipHeader, ENCODING_FRAMES, FramesHeader, JointRecord, ScalarRecord};
use sinew::glam::DVec3;
use sinew::{Interpolation, JointTracks, Keys, LANES, Moved, NO_JOINT, Skeleton, Track};

/// Bytes behind the last frame that a decoder may read.
const SLACK: usize = 16;

/// What a clip is beside its numbers.
pub(crate) struct Head<'a> {
    pub(crate) name: &'a str,
    pub(crate) duration: f32,
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) moved: &'a Moved,
    pub(crate) kept: &'a Keys,
    pub(crate) traveller: Option<(u16, [f32; 2])>,
    pub(crate) cubic: bool,
}

/// Arrays one after the other, each padded.
#[derive(Default)]
struct Section(Vec<u8>);

impl Section {
    fn array<T: Pod>(&mut self, values: &[T]) {
        // With its padding: growing for that alone would hold twice as much.
        self.0.reserve(size_of_val(values) + ARRAY_ALIGN);
        self.0.extend_from_slice(cast_slice(values));
        self.0.resize(self.0.len().next_multiple_of(ARRAY_ALIGN), 0);
    }
}

/// Bytes of a frame.
pub(crate) fn stride(plan: &Plan<'_>) -> usize {
    plan.widths().iter().map(|&width| usize::from(width)).sum()
}

/// Writes a clip.
pub(crate) fn section(
    head: &Head<'_>,
    prepared: &Prepared<'_>,
    course: &Course<'_>,
    mut plan: Plan<'_>,
) -> Vec<u8> {
    widen(course, &mut plan);
    let (grid, widths) = (prepared.sampled.grid, plan.widths());
    let stride = stride(&plan);
    let (traveller, travel) = head.traveller.unwrap_or((NO_JOINT, [0.0; 2]));
    let mut out = Section::default();
    out.array(bytes_of(&ClipHeader {
        encoding: ENCODING_FRAMES,
        duration: head.duration,
        joints: head.kept.joints().len() as u32,
        scalars: head.kept.scalars().len() as u32,
    }));
    out.array(&[head.name.len() as u32]);
    out.array(head.name.as_bytes());
    out.array(bytes_of(&FramesHeader {
        rate: grid.rate,
        skeleton: head.skeleton.digest(),
        frames: grid.count() as u32,
        stride: stride as u32,
        octets: plan.octets.len() as u16,
        loose: plan.loose.len() as u16,
        scalars: plan.scalars.len() as u16,
        constants: plan.constants.len() as u16,
        wide: prepared.wide.len() as u16,
        cubic: head.cubic.into(),
        traveller,
        reserved: 0,
        travel,
    }));
    let (joints_moved, scalars_moved) = head.moved.bytes();
    out.array(joints_moved);
    out.array(scalars_moved);
    out.array(&widths);
    out.array(&plan.octets.iter().flat_map(turns).collect::<Vec<_>>());
    out.array(&plan.octets.iter().flat_map(Octet::stored_ranges).collect::<Vec<[u16; 2]>>());
    for groups in [&plan.loose, &plan.scalars] {
        out.array(&groups.iter().map(|group| group.record).collect::<Vec<_>>());
        out.array(&groups.iter().map(|group| group.range).collect::<Vec<_>>());
    }
    out.array(&plan.constants);
    out.array(&prepared.wide);
    keys(&mut out, head.kept);
    out.array(&frames(course, &plan, stride));
    out.0
}

fn turns(octet: &Octet<'_>) -> [[[i16; 4]; 2]; LANES] {
    octet.lanes.map(|turn| turn.map_or([[0; 4]; 2], |turn| turn.turns))
}

/// Joints that make up for others turn a little farther than they do by themselves.
fn widen(course: &Course<'_>, plan: &mut Plan<'_>) {
    let count = course.parents.len();
    let (mut low, mut high) = (vec![DVec3::MAX; count], vec![DVec3::MIN; count]);
    let mut follower = Follower::new(course, plan);
    for frame in 0..course.sampled.grid.count() {
        follower.frame(frame, |joint, value| {
            (low[joint], high[joint]) = (low[joint].min(value), high[joint].max(value));
            plan.store(joint, value).0
        });
    }
    for (joint, (low, high)) in
        low.into_iter().zip(high).enumerate().filter(|(_, (low, high))| low.x <= high.x)
    {
        plan.octets[joint / LANES].set_range(joint % LANES, low, high);
    }
}

/// All frames, and what a decoder may read behind them.
fn frames(course: &Course<'_>, plan: &Plan<'_>, stride: usize) -> Vec<u8> {
    let count = course.sampled.grid.count();
    let mut data = Vec::with_capacity(count * stride + SLACK);
    let mut stored = vec![[[0; LANES]; 3]; plan.octets.len()];
    let mut follower = Follower::new(course, plan);
    for frame in 0..count {
        follower.frame(frame, |joint, value| {
            let (back, numbers) = plan.store(joint, value);
            (0..3).for_each(|c| stored[joint / LANES][c][joint % LANES] = numbers[c]);
            back
        });
        for (octet, numbers) in plan.octets.iter().zip(&stored) {
            octet.stored().for_each(|c| pack(numbers[c], octet.widths[c], &mut data));
        }
        for group in plan.loose.iter().chain(&plan.scalars) {
            pack(group.numbers(frame), group.width, &mut data);
        }
    }
    data.resize(data.len() + SLACK, 0);
    data
}

/// Eight numbers of `width` bits, lowest first: `width` bytes.
fn pack(values: [u32; LANES], width: u32, data: &mut Vec<u8>) {
    let (mut bits, mut count) = (0u64, 0);
    for value in values {
        bits |= u64::from(value) << count;
        count += width;
        while count >= 8 {
            data.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
    }
}

/// What follows the name of a clip of plain keys in its section.
pub fn keys_body(tracks: &Keys) -> Vec<u8> {
    let mut out = Section::default();
    keys(&mut out, tracks);
    out.0
}

/// Tracks as they are.
fn keys(out: &mut Section, keys: &Keys) {
    fn count<T: sinew::Key>(track: &Option<Track<T>>) -> u32 {
        track.as_ref().map_or(0, |track| track.times().len() as u32)
    }
    fn steps<T: sinew::Key>(track: &Option<Track<T>>) -> u16 {
        track.as_ref().is_some_and(|track| track.interpolation() == Interpolation::Step).into()
    }
    let record = |t: &JointTracks| JointRecord {
        joint: t.joint,
        steps: steps(&t.translation) | steps(&t.rotation) << 1 | steps(&t.scale) << 2,
        keys: [count(&t.translation), count(&t.rotation), count(&t.scale)],
    };
    out.array(&keys.joints().iter().map(record).collect::<Vec<_>>());
    let scalar = |s: &sinew::ScalarTrack| ScalarRecord {
        scalar: s.scalar,
        steps: (s.track.interpolation() == Interpolation::Step).into(),
        keys: s.track.times().len() as u32,
    };
    out.array(&keys.scalars().iter().map(scalar).collect::<Vec<_>>());
    let times = keys.times().chain(keys.scalars().iter().flat_map(|s| s.track.times().iter().copied()));
    out.array(&times.collect::<Vec<f32>>());
    let vectors = keys.joints().iter().flat_map(|t| [&t.translation, &t.scale]).flatten();
    out.array(&vectors.flat_map(|track| track.values().iter().map(|v| v.to_array())).collect::<Vec<_>>());
    let rotations = keys.joints().iter().filter_map(|t| t.rotation.as_ref());
    out.array(&rotations.flat_map(|track| track.values().iter().map(|q| q.to_array())).collect::<Vec<_>>());
    out.array(&keys.scalars().iter().flat_map(|s| s.track.values().iter().copied()).collect::<Vec<f32>>());
}
