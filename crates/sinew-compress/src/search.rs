//! The smallest layout within the limits.

use crate::encode::Prepared;
use crate::figure::{Figure, Reach};
use crate::grid::{Grid, Sampled};
use crate::measure::{self, Measure, Truth};
use crate::motion::Motion;
use crate::plan::Plan;
use crate::room::Room;
use crate::write::{self, Head};
use crate::{MOST_MEMORY, Profile};
use sinew::bundle_file::decode_clip;
use sinew::glam::{Quat, Vec3};
use sinew::{Bytes, Clip, Interpolation, JointTracks, Key, Keys, ScalarTrack, Skeleton, Track};
use std::cell::Cell;

/// Rates that are tried, beside that of the source's keys, in frames a second.
const RATES: [f64; 12] = [10.0, 15.0, 20.0, 24.0, 30.0, 40.0, 60.0, 90.0, 120.0, 160.0, 240.0, 480.0];

/// Most measurements in search of the error that just keeps the limits.
const STEPS: usize = 7;

/// How near to the limits is near enough.
const NEAR: f64 = 1.02;

/// Of so many times one is measured where that is enough. It shares no factor with the times between two frames, so that all parts of a step are seen.
const FEW: usize = 5;

/// What must be left of the limits for rounding, where frames are not rounded.
const ROOM: f64 = 1.2;

/// How frames are laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// Frames a second.
    pub rate: f64,
    /// Whether values between frames follow a cubic.
    pub cubic: bool,
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.0} frames/s, {}", self.rate, if self.cubic { "cubic" } else { "arc" })
    }
}

/// A layout that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// The layout.
    pub layout: Layout,
    /// Bytes of the clip.
    pub bytes: usize,
    /// Its error, in the figure's unit.
    pub error: Measure,
    /// Whether it keeps the limits of the profile.
    pub fits: bool,
}

impl Tried {
    /// Nothing yet.
    fn none() -> Self {
        let layout = Layout { rate: 0.0, cubic: false };
        Self { layout, bytes: 0, error: Measure::default(), fits: false }
    }
}

/// A compiled clip.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The content of its section in a bundle.
    pub section: Vec<u8>,
    /// The same, read back.
    pub clip: Clip,
    /// What was chosen.
    pub chosen: Tried,
    /// All that was tried, but for what could not become smaller.
    pub tried: Vec<Tried>,
}

/// Compiles a clip. `motion` is what it is measured against; joints are those of `skeleton`, whose order decides which of them share octets
/// ([`crate::joint_order`]).
///
/// # Errors
/// If no layout of frames keeps the limits: then its keys are to be kept. What came nearest is told.
pub fn compile(
    skeleton: &Skeleton,
    clip: &Clip,
    figure: &Figure,
    profile: Profile,
    motion: &mut dyn Motion,
) -> Result<Compiled, Tried> {
    compile_within(skeleton, clip, figure, profile, motion, MOST_MEMORY).outcome
}

/// What came of compiling within some memory.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// As of [`compile`].
    pub outcome: Result<Compiled, Tried>,
    /// Whether something was not tried for lack of memory, so that more of it might lead to another outcome.
    pub short: bool,
}

/// The same within some memory, in bytes. Whatever needs more is not tried; what fits has the same outcome as with more.
pub fn compile_within(
    skeleton: &Skeleton,
    clip: &Clip,
    figure: &Figure,
    profile: Profile,
    motion: &mut dyn Motion,
    memory: u64,
) -> Attempt {
    if is_too_long(skeleton, clip) {
        return Attempt { outcome: Err(Tried::none()), short: false };
    }
    let mut attempt = |rounding: f32| {
        let search = Search::new(skeleton, clip, figure, profile, motion, (rounding, memory));
        let Some(search) = search else { return Attempt { outcome: Err(Tried::none()), short: true } };
        let outcome = search.best(motion);
        let short = search.short.get();
        // What came nearest says nothing if what might have come nearer was not tried.
        Attempt { outcome: outcome.map_err(|nearest| if short { Tried::none() } else { nearest }), short }
    };
    // Where jumps of rounding are no part of frames, more remains as keys, and what remains is exact.
    let smooth = attempt(ROUNDING);
    if smooth.outcome.is_ok() {
        return smooth;
    }
    let exact = attempt(0.0);
    Attempt { short: smooth.short || exact.short, ..exact }
}

/// Compiles a clip with one layout, as small as its profile allows; `None` if it does not keep the limits, or takes more than [`MOST_MEMORY`].
pub fn compile_with(
    skeleton: &Skeleton,
    clip: &Clip,
    figure: &Figure,
    profile: Profile,
    motion: &mut dyn Motion,
    layout: Layout,
) -> Option<Compiled> {
    let search = Search::new(skeleton, clip, figure, profile, motion, (ROUNDING, MOST_MEMORY))?;
    search.smallest(layout, usize::MAX, motion)
}

/// Bits that each joint of a clip needs at about the error of a profile, for [`crate::joint_order`]. `None` if finding out takes more than so many bytes of memory.
pub fn joint_bits(
    skeleton: &Skeleton,
    clip: &Clip,
    figure: &Figure,
    profile: Profile,
    motion: &mut dyn Motion,
    memory: u64,
) -> Option<Vec<f64>> {
    if is_too_long(skeleton, clip) {
        return Some(vec![0.0; skeleton.len()]);
    }
    let keys = clip.to_keys(skeleton);
    let duration = f64::from(clip.duration());
    let grid = Grid::new(duration, 30.0, false);
    let room = Room::new(memory).without_keys(skeleton, &keys)?.without_frames(skeleton, grid.count())?;
    let (smooth, _) = split(&keys, ROUNDING);
    let shape = (skeleton.len(), skeleton.scalar_names().len());
    let sampled = Sampled::new(motion, shape, duration, grid);
    let reach = reach(skeleton, figure, &sampled);
    let (prepared, _) = Prepared::new(skeleton, figure, &smooth, &sampled, &reach, room)?;
    Some(prepared.joint_bits(profile.limits()[0] * figure.scale))
}

/// Most joints times sixtieths of a second that are worked on: more take longer than a build should.
const MOST_WORK: f64 = 6e6;

/// Whether frames are out of the question: two keys that are years apart take few bytes in a file.
fn is_too_long(skeleton: &Skeleton, clip: &Clip) -> bool {
    f64::from(clip.duration()) * 60.0 * skeleton.len() as f64 > MOST_WORK
}

fn reach(skeleton: &Skeleton, figure: &Figure, sampled: &Sampled) -> Reach {
    let step = (sampled.joints.len() / 32).max(1);
    Reach::over(skeleton.parents(), figure, sampled.joints.iter().step_by(step))
}

struct Search<'a> {
    skeleton: &'a Skeleton,
    clip: &'a Clip,
    figure: &'a Figure,
    limits: [f64; 2],
    smooth: Keys,
    kept: Keys,
    moved: sinew::Moved,
    truth: Truth<'a>,
    /// For frames.
    room: Room,
    /// Whether that was too little for something.
    short: Cell<bool>,
}

impl<'a> Search<'a> {
    /// `None` if the memory does not do.
    fn new(
        skeleton: &'a Skeleton,
        clip: &'a Clip,
        figure: &'a Figure,
        profile: Profile,
        motion: &mut dyn Motion,
        (rounding, memory): (f32, u64),
    ) -> Option<Self> {
        let (keys, duration) = (clip.to_keys(skeleton), f64::from(clip.duration()));
        let room = Room::new(memory).without_keys(skeleton, &keys)?;
        let (room, stored) = room.without_truth(skeleton, measure::count(duration))?;
        let (smooth, kept) = split(&keys, rounding);
        let truth = Truth::new(skeleton, figure, duration, &kept, motion, stored);
        let limits = profile.limits().map(|limit| limit * figure.scale);
        let mut moved = sinew::Moved::none(skeleton.len(), skeleton.scalar_names().len());
        keys.joints().iter().for_each(|tracks| moved.add(tracks.joint, tracks.parts()));
        keys.scalars().iter().for_each(|track| moved.add_scalar(track.scalar));
        let short = Cell::new(false);
        Some(Self { skeleton, clip, figure, limits, smooth, kept, moved, truth, room, short })
    }

    /// What fits, if it does; else that is noted.
    fn within<T>(&self, fits: Option<T>) -> Option<T> {
        if fits.is_none() {
            self.short.set(true);
        }
        fits
    }

    /// The smallest layout that fits, or what came nearest.
    fn best(&self, motion: &mut dyn Motion) -> Result<Compiled, Tried> {
        let mut best: Option<Compiled> = None;
        let (layouts, nearest) = self.layouts(motion);
        let mut tried = Vec::new();
        for layout in layouts {
            let below = best.as_ref().map_or(usize::MAX, |best| best.chosen.bytes);
            let Some(compiled) = self.smallest(layout, below, motion) else { continue };
            tried.push(compiled.chosen);
            if compiled.chosen.bytes < below {
                best = Some(compiled);
            }
        }
        best.map(|best| Compiled { tried, ..best }).ok_or(nearest)
    }

    /// The poses of a layout, and the room that is left beside them.
    fn sampled(&self, layout: Layout, motion: &mut dyn Motion) -> Option<(Sampled, Room)> {
        let duration = f64::from(self.clip.duration());
        let shape = (self.skeleton.len(), self.skeleton.scalar_names().len());
        let grid = Grid::new(duration, layout.rate, layout.cubic);
        let room = self.within(self.room.without_frames(self.skeleton, grid.count()))?;
        Some((Sampled::new(motion, shape, duration, grid), room))
    }

    fn prepared<'s>(&'s self, sampled: &'s Sampled, room: Room) -> Option<(Prepared<'s>, Room)> {
        let reach = reach(self.skeleton, self.figure, sampled);
        self.within(Prepared::new(self.skeleton, self.figure, &self.smooth, sampled, &reach, room))
    }

    /// Layouts worth a try: for each way between frames the lowest rate that keeps the limits when nothing is rounded. And what came nearest to that.
    ///
    /// A frame takes as many bytes either way, so cubics are of use only at a lower rate than arcs.
    fn layouts(&self, motion: &mut dyn Motion) -> (Vec<Layout>, Tried) {
        let mut rates = RATES.to_vec();
        rates.extend(source_rate(&self.smooth));
        rates.sort_by(f64::total_cmp);
        rates.dedup_by(|a, b| (*a - *b).abs() < 0.01);
        let mut layouts: Vec<Layout> = Vec::new();
        let mut nearest = (0.0, Tried::none());
        for cubic in [false, true] {
            let below = layouts.first().map_or(f64::INFINITY, |arc| arc.rate);
            for &rate in rates.iter().filter(|rate| **rate < below) {
                let before = self.short.replace(false);
                let (room, tried) = self.unrounded(Layout { rate, cubic }, motion);
                let is_short = self.short.get();
                self.short.set(before || is_short);
                if is_short {
                    // More frames need more.
                    break;
                }
                if room > ROOM {
                    layouts.push(tried.layout);
                    break;
                }
                if room > nearest.0 {
                    nearest = (room, tried);
                }
            }
        }
        if layouts.is_empty() {
            self.measure_fully(&mut nearest.1, motion);
        }
        (layouts, nearest.1)
    }

    /// At all times, for the report: what is far off was measured at few.
    fn measure_fully(&self, tried: &mut Tried, motion: &mut dyn Motion) {
        if let Some((sampled, _)) = self.sampled(tried.layout, motion).filter(|_| tried.layout.rate > 0.0) {
            tried.error = self.truth.measure_frames(&sampled, &self.kept, 1, motion);
        }
    }

    /// How many times a layout keeps the limits when nothing is rounded. Most layouts are far off, which few times show.
    fn unrounded(&self, layout: Layout, motion: &mut dyn Motion) -> (f64, Tried) {
        let mut tried = Tried { layout, ..Tried::none() };
        let Some((sampled, _)) = self.sampled(layout, motion) else { return (0.0, tried) };
        for step in [FEW * FEW, FEW, 1] {
            tried.error = self.truth.measure_frames(&sampled, &self.kept, step, motion);
            if tried.error.room(self.limits) < 0.5 {
                break;
            }
        }
        (tried.error.room(self.limits), tried)
    }

    fn write(
        &self,
        layout: Layout,
        prepared: &Prepared<'_>,
        left: Room,
        error: f64,
    ) -> Option<(Vec<u8>, Clip)> {
        let plan = Plan::new(prepared, error);
        let fits = left.has_section(prepared.sampled.grid.count(), write::stride(&plan));
        self.within(fits.then_some(()))?;
        let head = Head {
            name: self.clip.name(),
            duration: self.clip.duration(),
            skeleton: self.skeleton,
            moved: &self.moved,
            kept: &self.kept,
            traveller: self.clip.traveller(self.skeleton),
            cubic: layout.cubic,
        };
        let section = write::section(&head, prepared, plan);
        let clip = decode_clip(&Bytes::from(section.as_slice()), self.skeleton).ok()?;
        Some((section, clip))
    }

    /// The largest error per joint that keeps the limits. What is measured grows about as that error does, so few steps lead there; they are measured at few
    /// times, and what they lead to at all. `None` if there is none, or if it takes no fewer bytes than `below`, as far as can be told early.
    fn smallest(&self, layout: Layout, below: usize, motion: &mut dyn Motion) -> Option<Compiled> {
        let (sampled, left) = self.sampled(layout, motion)?;
        let (prepared, left) = self.prepared(&sampled, left)?;
        let (mut low, mut high) = (self.limits[0] * 0.05, self.limits[1] * 8.0);
        let mut error = self.limits[0];
        for _ in 0..STEPS {
            let (section, clip) = self.write(layout, &prepared, left, error)?;
            let room = self.truth.measure(&clip, FEW, motion).room(self.limits);
            if room < 1.0 && section.len() >= below {
                // What keeps the limits takes more bits than this.
                return None;
            }
            *(if room >= 1.0 { &mut low } else { &mut high }) = error;
            if high < low * NEAR {
                break;
            }
            let next = error * room;
            let is_between = next > low * NEAR.sqrt() && next * NEAR.sqrt() < high;
            error = if is_between { next } else { (low * high).sqrt() };
        }
        for _ in 0..STEPS {
            let (section, clip) = self.write(layout, &prepared, left, low)?;
            let error = self.truth.measure(&clip, 1, motion);
            let room = error.room(self.limits);
            if room >= 1.0 {
                let chosen = Tried { layout, bytes: section.len(), error, fits: true };
                return Some(Compiled { section, clip, chosen, tried: Vec::new() });
            }
            low *= room.min(0.95);
        }
        None
    }
}

/// Whether two values are the same but for rounding: curves of files that hold a value twice, as degrees and as slopes, jump by that much at every key.
trait Near {
    fn is_near(&self, other: &Self, rounding: f32) -> bool;
}

/// Difference, relative to the larger value, that is rounding.
const ROUNDING: f32 = 1e-5;

impl Near for f32 {
    fn is_near(&self, other: &Self, rounding: f32) -> bool {
        (self - other).abs() <= rounding * self.abs().max(other.abs())
    }
}

impl Near for Vec3 {
    fn is_near(&self, other: &Self, rounding: f32) -> bool {
        self.distance(*other) <= rounding * self.length().max(other.length())
    }
}

impl Near for Quat {
    fn is_near(&self, other: &Self, rounding: f32) -> bool {
        (*self - *other).length().min((*self + *other).length()) <= rounding
    }
}

/// Tracks that frames can hold, and those with steps and jumps, which stay as they are.
fn split(keys: &Keys, rounding: f32) -> (Keys, Keys) {
    fn is_smooth<T: Key + Near>(track: &Track<T>, rounding: f32) -> bool {
        let (times, values) = (track.times(), track.values());
        let is_even = |i: usize| times[i] < times[i + 1] || values[i].is_near(&values[i + 1], rounding);
        times.len() == 1
            || (track.interpolation() == Interpolation::Linear && (0..times.len() - 1).all(is_even))
    }
    fn part<T: Key + Near>(track: &Option<Track<T>>, smooth: bool, rounding: f32) -> Option<Track<T>> {
        track.clone().filter(|track| is_smooth(track, rounding) == smooth)
    }
    let pick = |smooth: bool| {
        let joints = keys.joints().iter().map(|t| JointTracks {
            joint: t.joint,
            translation: part(&t.translation, smooth, rounding),
            rotation: part(&t.rotation, smooth, rounding),
            scale: part(&t.scale, smooth, rounding),
        });
        let scalars = keys.scalars().iter().filter(|s| is_smooth(&s.track, rounding) == smooth).cloned();
        let joints = joints.filter(|tracks| !tracks.is_empty()).collect();
        // They were in order before.
        Keys::new(joints, scalars.collect::<Vec<ScalarTrack>>()).unwrap_or_default()
    };
    (pick(true), pick(false))
}

/// The rate of the source: one over the most common step between keys.
fn source_rate(keys: &Keys) -> Option<f64> {
    let mut steps: Vec<f32> = Vec::new();
    for tracks in keys.joints() {
        let longest = [
            tracks.translation.as_ref().map(|t| t.times()),
            tracks.rotation.as_ref().map(|t| t.times()),
            tracks.scale.as_ref().map(|t| t.times()),
        ];
        for times in longest.into_iter().flatten() {
            steps.extend(times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 1e-4));
        }
    }
    steps.sort_by(f32::total_cmp);
    let middle = steps.get(steps.len() / 2)?;
    // To the nearest thousandth, so that rounding of times does not show.
    Some((1000.0 / f64::from(*middle)).round() / 1000.0).filter(|rate| *rate <= 480.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyMotion;
    use sinew::glam::Vec3;
    use sinew::{Interpolation, Joint, JointTracks, Track, Transform};

    /// Two keys take few bytes, however far apart they are.
    #[test]
    fn a_clip_of_years_keeps_its_keys() {
        let joint = Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY };
        let skeleton = Skeleton::new(vec![joint], vec![]).unwrap();
        let translation =
            Track::new(vec![0.0, 1e9], vec![Vec3::ZERO, Vec3::ONE], Interpolation::Linear).unwrap();
        let tracks = JointTracks { translation: Some(translation), ..JointTracks::new(0) };
        let clip = Clip::new("years", 1e9, vec![tracks], vec![]).unwrap();
        let figure = Figure::new(&skeleton, 1.8, |_| None);
        let mut motion = KeyMotion::new(&skeleton, &clip);
        let compiled = compile(&skeleton, &clip, &figure, Profile::Balanced, &mut motion);
        assert_eq!(compiled.unwrap_err().layout.rate, 0.0);
    }
}
