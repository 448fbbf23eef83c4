//! A clip section of a bundle, byte by byte.

use crate::encode::{Prepared, SCALAR, Series, Turn};
use bytemuck::{Pod, bytes_of, cast_slice};
use sinew::bundle_file::{
    ARRAY_ALIGN, ClipHeader, ConstantRecord, ENCODING_FRAMES, FramesHeader, JointRecord, LooseRecord,
    ScalarRecord,
};
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
        self.0.extend_from_slice(cast_slice(values));
        self.0.resize(self.0.len().next_multiple_of(ARRAY_ALIGN), 0);
    }
}

/// Writes a clip whose joints may be off by about `error` each.
pub(crate) fn section(head: &Head<'_>, prepared: &Prepared, error: f64) -> Vec<u8> {
    let octets = octets(prepared, error);
    let loose = Prepared::groups(&prepared.numbers, error);
    let scalars = Prepared::groups(&prepared.scalars, SCALAR);
    let constants = constants(prepared, error);
    let mut widths: Vec<u8> = octets.iter().flat_map(|octet| octet.widths).map(|w| w as u8).collect();
    widths.extend(loose.iter().chain(&scalars).map(|(width, _)| *width as u8));
    let stride: usize = widths.iter().map(|&w| usize::from(w)).sum();
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
        rate: prepared.grid.rate,
        skeleton: head.skeleton.digest(),
        frames: prepared.grid.count as u32,
        stride: stride as u32,
        octets: octets.len() as u16,
        loose: loose.len() as u16,
        scalars: scalars.len() as u16,
        constants: constants.len() as u16,
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
    out.array(&octets.iter().flat_map(|octet| octet.turns).collect::<Vec<_>>());
    out.array(&octets.iter().flat_map(Octet::ranges).collect::<Vec<[u16; 2]>>());
    let groups: Vec<Group> = loose.iter().map(|(w, s)| Group::new(*w, s)).collect();
    let scalar_groups: Vec<Group> = scalars.iter().map(|(w, s)| Group::new(*w, s)).collect();
    for groups in [&groups, &scalar_groups] {
        out.array(&groups.iter().map(|group| group.record).collect::<Vec<_>>());
        out.array(&groups.iter().map(|group| group.range).collect::<Vec<_>>());
    }
    out.array(&constants);
    out.array(&prepared.wide);
    keys(&mut out, head.kept);
    let mut data = Vec::with_capacity(prepared.grid.count * stride + SLACK);
    for frame in 0..prepared.grid.count {
        octets.iter().for_each(|octet| octet.write(frame, &mut data));
        groups.iter().chain(&scalar_groups).for_each(|group| group.write(frame, &mut data));
    }
    data.resize(data.len() + SLACK, 0);
    out.array(&data);
    out.0
}

/// Eight joints.
struct Octet<'a> {
    lanes: [Option<&'a Turn>; LANES],
    widths: [u32; 3],
    turns: [[[i16; 4]; 2]; LANES],
}

/// Blocks of joints up to the last one that turns.
fn octets(prepared: &Prepared, error: f64) -> Vec<Octet<'_>> {
    let mut octets: Vec<Octet<'_>> = prepared
        .turns
        .chunks(LANES)
        .map(|block| {
            let lane = |lane: usize| block.get(lane)?.as_ref().filter(|turn| !turn.is_still(error));
            let lanes: [Option<&Turn>; LANES] = std::array::from_fn(lane);
            let bits: Vec<[u32; 3]> = lanes.iter().flatten().map(|turn| turn.bits(error)).collect();
            Octet {
                lanes,
                widths: [0, 1, 2].map(|c| bits.iter().map(|bits| bits[c]).max().unwrap_or(0)),
                turns: lanes.map(|turn| turn.map_or([[0; 4]; 2], |turn| turn.turns)),
            }
        })
        .collect();
    let used = octets.iter().rposition(|octet| octet.widths != [0; 3]).map_or(0, |last| last + 1);
    octets.truncate(used);
    octets
}

impl Octet<'_> {
    fn stored(&self) -> impl Iterator<Item = usize> + '_ {
        (0..3).filter(|&c| self.widths[c] > 0)
    }

    fn ranges(&self) -> Vec<[u16; 2]> {
        let range = |turn: &Option<&Turn>, c: usize| {
            turn.map_or([32768, 0], |turn| stored_range(turn.low[c], turn.high[c]))
        };
        self.stored().flat_map(|c| self.lanes.iter().map(move |turn| range(turn, c))).collect()
    }

    fn write(&self, frame: usize, data: &mut Vec<u8>) {
        for c in self.stored() {
            let highest = f64::from((1u32 << self.widths[c]) - 1);
            let values = self.lanes.map(|turn| {
                let Some(turn) = turn else { return 0 };
                let [from, extent] = stored_range(turn.low[c], turn.high[c]).map(f64::from);
                let place = (turn.values[frame][c] * 32768.0 + 32768.0 - from) / extent;
                (place * highest).round().clamp(0.0, highest) as u32
            });
            pack(values, self.widths[c], data);
        }
    }
}

/// A range as the file holds it, a little wider.
fn stored_range(low: f64, high: f64) -> [u16; 2] {
    let from = (low * 32768.0 + 32768.0).floor().clamp(0.0, 65535.0);
    let extent = (high * 32768.0 + 32768.0 - from).ceil().clamp(1.0, 65535.0);
    [from as u16, extent as u16]
}

/// Eight numbers of `width` bits, lowest first: `width` bytes.
fn pack(values: [u32; LANES], width: u32, data: &mut Vec<u8>) {
    let start = data.len();
    data.resize(start + width as usize, 0);
    for (lane, value) in values.into_iter().enumerate() {
        for bit in 0..width as usize {
            let at = lane * width as usize + bit;
            data[start + at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
        }
    }
}

/// Eight numbers; the last one again where there are fewer.
struct Group<'a> {
    width: u32,
    series: [&'a Series; LANES],
    record: LooseRecord,
    range: [[f32; LANES]; 2],
}

impl<'a> Group<'a> {
    fn new(width: u32, series: &[&'a Series]) -> Self {
        let series: [&Series; LANES] = std::array::from_fn(|lane| series[lane.min(series.len() - 1)]);
        let highest = f64::from((1u32 << width) - 1);
        let low = series.map(|s| s.low as f32);
        let step = std::array::from_fn(|lane| ((series[lane].high - f64::from(low[lane])) / highest) as f32);
        Self {
            width,
            series,
            record: LooseRecord { indices: series.map(|s| s.index), components: series.map(|s| s.component) },
            range: [low, step],
        }
    }

    fn write(&self, frame: usize, data: &mut Vec<u8>) {
        let highest = f64::from((1u32 << self.width) - 1);
        let values = std::array::from_fn(|lane| {
            let (low, step) = (f64::from(self.range[0][lane]), f64::from(self.range[1][lane]));
            let place = if step > 0.0 { (self.series[lane].values[frame] - low) / step } else { 0.0 };
            place.round().clamp(0.0, highest) as u32
        });
        pack(values, self.width, data);
    }
}

/// What does not move and is not at rest.
fn constants(prepared: &Prepared, error: f64) -> Vec<ConstantRecord> {
    let mut out = Vec::new();
    for (joint, turn) in (0u16..).zip(&prepared.turns) {
        let still = turn.as_ref().filter(|turn| turn.is_still(error));
        for (c, value) in still.and_then(|turn| turn.constant(error)).into_iter().flatten().enumerate() {
            out.push(ConstantRecord { joint, component: 3 + c as u8, reserved: 0, value });
        }
    }
    for series in &prepared.numbers {
        if let Some(Some(value)) = series.still(error) {
            out.push(ConstantRecord { joint: series.index, component: series.component, reserved: 0, value });
        }
    }
    out
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
