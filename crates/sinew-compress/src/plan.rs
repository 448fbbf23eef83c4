//! Which numbers of a clip share an octet, and how many bits each octet gets.

use crate::encode::{Prepared, SCALAR, Series, Turn};
use crate::follow::{Number, Rotation, Rounding};
use bytemuck::{bytes_of, cast_slice};
use sinew::LANES;
use sinew::bundle_file::{ConstantRecord, LooseRecord};
use sinew::glam::DVec3;

/// Where everything of a clip goes.
pub(crate) struct Plan<'a> {
    pub(crate) octets: Vec<Octet<'a>>,
    pub(crate) loose: Vec<Group<'a>>,
    pub(crate) scalars: Vec<Group<'a>>,
    pub(crate) constants: Vec<ConstantRecord>,
    /// By joint.
    pub(crate) rotations: Vec<Rotation<'a>>,
    pub(crate) translations: Vec<[Number; 3]>,
}

impl<'a> Plan<'a> {
    /// For joints that may be off by about `error` each.
    pub(crate) fn new(prepared: &'a Prepared<'a>, error: f64) -> Self {
        let octets = octets(prepared, error);
        let groups = Prepared::groups(&prepared.numbers, error);
        let loose: Vec<Group<'_>> = groups.iter().map(|(width, series)| Group::new(*width, series)).collect();
        let scalars = Prepared::groups(&prepared.scalars, SCALAR);
        let scalars = scalars.iter().map(|(width, series)| Group::new(*width, series)).collect();
        let count = prepared.parents.len();
        let mut plan = Self {
            octets,
            loose,
            scalars,
            constants: Vec::new(),
            rotations: (0..count).map(|_| Rotation::Exact).collect(),
            translations: vec![[Number::Exact; 3]; count],
        };
        plan.add_turns(prepared, error);
        plan.add_numbers(prepared, error);
        plan
    }

    fn add_turns(&mut self, prepared: &'a Prepared<'a>, error: f64) {
        for (joint, turn) in (0u16..).zip(&prepared.turns) {
            let Some(turn) = turn else { continue };
            if !turn.is_still(error) {
                self.rotations[usize::from(joint)] = Rotation::Stored(turn);
                continue;
            }
            let (rotation, stored) = turn.constant(error);
            self.rotations[usize::from(joint)] = Rotation::Fixed(rotation);
            for (c, value) in stored.into_iter().flatten().enumerate() {
                self.constants.push(ConstantRecord { joint, component: 3 + c as u8, reserved: 0, value });
            }
        }
    }

    fn add_numbers(&mut self, prepared: &'a Prepared<'a>, error: f64) {
        for series in &prepared.numbers {
            let Some((value, is_rest)) = series.still(error) else { continue };
            let (joint, component) = (series.index, series.component);
            self.set_number(joint, component, Number::Fixed(value));
            if !is_rest {
                self.constants.push(ConstantRecord { joint, component, reserved: 0, value: value as f32 });
            }
        }
        for group in 0..self.loose.len() {
            for lane in 0..LANES {
                let (group, series) = (&self.loose[group], self.loose[group].series[lane]);
                let number = Number::Rounded(group.roundings[lane]);
                self.set_number(series.index, series.component, number);
            }
        }
    }

    fn set_number(&mut self, joint: u16, component: u8, number: Number) {
        if let Some(place) = self.translations[usize::from(joint)].get_mut(usize::from(component)) {
            *place = number;
        }
    }

    /// All that makes it differ from other plans for the same frames.
    pub(crate) fn shape(&self) -> Vec<u8> {
        let counts = [self.octets.len() as u32, self.loose.len() as u32];
        let mut shape = [cast_slice(&counts), &*self.widths()].concat();
        let lanes =
            |octet: &Octet<'_>| octet.lanes.iter().fold(0, |all, turn| all << 1 | u8::from(turn.is_some()));
        shape.extend(self.octets.iter().map(lanes));
        for group in &self.loose {
            shape.extend_from_slice(bytes_of(&group.record));
        }
        shape.extend_from_slice(cast_slice(&self.constants));
        shape
    }

    /// Bits of each number in a frame.
    pub(crate) fn widths(&self) -> Vec<u8> {
        let of_octets = self.octets.iter().flat_map(|octet| octet.widths);
        of_octets
            .chain(self.loose.iter().chain(&self.scalars).map(|group| group.width))
            .map(|w| w as u8)
            .collect()
    }

    /// Stores the rotation of a joint: what comes back, and the numbers by component.
    #[inline]
    pub(crate) fn store(&self, joint: usize, value: DVec3) -> (DVec3, [u32; 3]) {
        let [x, y, z] = &self.octets[joint / LANES].roundings[joint % LANES];
        let numbers = [x.number(value.x), y.number(value.y), z.number(value.z)];
        (DVec3::new(x.value(numbers[0]), y.value(numbers[1]), z.value(numbers[2])), numbers)
    }
}

/// Eight joints.
pub(crate) struct Octet<'a> {
    pub(crate) lanes: [Option<&'a Turn>; LANES],
    pub(crate) widths: [u32; 3],
    /// By lane and component, as the file holds them.
    ranges: [[[u16; 2]; 3]; LANES],
    /// What these mean; no step for a component without bits.
    roundings: [[Rounding; 3]; LANES],
}

impl<'a> Octet<'a> {
    fn new(lanes: [Option<&'a Turn>; LANES], widths: [u32; 3]) -> Self {
        let (ranges, roundings) = ([[[32768, 0]; 3]; LANES], [[Rounding::default(); 3]; LANES]);
        let mut octet = Self { lanes, widths, ranges, roundings };
        for (lane, turn) in lanes.iter().enumerate() {
            if let Some(turn) = turn {
                octet.set_range(lane, turn.low, turn.high);
            }
        }
        octet
    }

    /// Sets between which values a lane is stored.
    pub(crate) fn set_range(&mut self, lane: usize, low: DVec3, high: DVec3) {
        self.ranges[lane] = [0, 1, 2].map(|c| stored_range(low[c], high[c]));
        self.roundings[lane] = [0, 1, 2].map(|c| match self.widths[c] {
            0 => Rounding::default(),
            width => {
                let [from, extent] = self.ranges[lane][c].map(f64::from);
                let highest = f64::from((1u32 << width) - 1);
                Rounding::new((from - 32768.0) / 32768.0, extent / 32768.0 / highest, highest)
            }
        });
    }

    /// Ranges of the components that are in the frames, by component and lane, as the file holds them.
    pub(crate) fn stored_ranges(&self) -> impl Iterator<Item = [u16; 2]> + '_ {
        self.stored().flat_map(|c| self.ranges.map(|ranges| ranges[c]))
    }

    /// Components that are in the frames.
    pub(crate) fn stored(&self) -> impl Iterator<Item = usize> + '_ {
        (0..3).filter(|&c| self.widths[c] > 0)
    }
}

/// Blocks of joints up to the last one that turns.
fn octets<'a>(prepared: &'a Prepared<'a>, error: f64) -> Vec<Octet<'a>> {
    let octet = |block: &'a [Option<Turn>]| {
        let lane = |lane: usize| block.get(lane)?.as_ref().filter(|turn| !turn.is_still(error));
        let lanes: [Option<&Turn>; LANES] = std::array::from_fn(lane);
        let bits: Vec<[u32; 3]> = lanes.iter().flatten().map(|turn| turn.bits(error)).collect();
        Octet::new(lanes, [0, 1, 2].map(|c| bits.iter().map(|bits| bits[c]).max().unwrap_or(0)))
    };
    let mut octets: Vec<Octet<'a>> = prepared.turns.chunks(LANES).map(octet).collect();
    let used = octets.iter().rposition(|octet| octet.widths != [0; 3]).map_or(0, |last| last + 1);
    octets.truncate(used);
    octets
}

/// A range as the file holds it, a little wider.
fn stored_range(low: f64, high: f64) -> [u16; 2] {
    let from = (low * 32768.0 + 32768.0).floor().clamp(0.0, 65535.0);
    let extent = (high * 32768.0 + 32768.0 - from).ceil().clamp(1.0, 65535.0);
    [from as u16, extent as u16]
}

/// Eight numbers; the last one again where there are fewer.
pub(crate) struct Group<'a> {
    pub(crate) width: u32,
    pub(crate) series: [&'a Series; LANES],
    pub(crate) record: LooseRecord,
    pub(crate) range: [[f32; LANES]; 2],
    /// What these mean.
    roundings: [Rounding; LANES],
}

impl<'a> Group<'a> {
    fn new(width: u32, series: &[&'a Series]) -> Self {
        let series: [&Series; LANES] = std::array::from_fn(|lane| series[lane.min(series.len() - 1)]);
        let highest = f64::from((1u32 << width) - 1);
        let low = series.map(|s| s.low as f32);
        let step: [f32; LANES] =
            std::array::from_fn(|lane| ((series[lane].high - f64::from(low[lane])) / highest) as f32);
        let rounding = |lane: usize| Rounding::new(low[lane].into(), step[lane].into(), highest);
        Self {
            width,
            series,
            record: LooseRecord { indices: series.map(|s| s.index), components: series.map(|s| s.component) },
            range: [low, step],
            roundings: std::array::from_fn(rounding),
        }
    }

    /// What is stored of a frame.
    pub(crate) fn numbers(&self, frame: usize) -> [u32; LANES] {
        std::array::from_fn(|lane| self.roundings[lane].number(self.series[lane].values[frame]))
    }
}
