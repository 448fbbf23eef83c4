//! The smallest layout within the limits.

use crate::course::Course;
use crate::encode::Prepared;
use crate::figure::{Figure, Reach};
use crate::grid::{Grid, Sampled, Sparse};
use crate::measure::{self, Errors, FAR, FEW_STAGES, Measure, ROOM, STAGES, Truth};
use crate::motion::Motion;
use crate::plan::Plan;
use crate::remember::Remembered;
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
    let (mut motion, room) = Remembered::new(motion, skeleton, clip, memory);
    let mut attempt = |rounding: f32| {
        let motion = &mut motion;
        let search = Search::new(skeleton, clip, figure, profile, motion, (rounding, room));
        let Some(search) = search else { return Attempt { outcome: Err(Tried::none()), short: true } };
        let best = search.best(motion);
        let short = search.short.get();
        let is_last = rounding == 0.0;
        let outcome = best.ok_or_else(|| match is_last && !short {
            true => search.nearest(motion),
            // What came nearest says nothing if what might have come nearer was not tried.
            false => Tried::none(),
        });
        Attempt { outcome, short }
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
    let (mut motion, room) = Remembered::new(motion, skeleton, clip, MOST_MEMORY);
    let search = Search::new(skeleton, clip, figure, profile, &mut motion, (ROUNDING, room))?;
    let (frames, left) = search.frames(layout)?;
    search.smallest(layout, (frames.all(&mut motion), left), usize::MAX, &mut motion).ok()
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
    let (mut motion, room) = Remembered::new(motion, skeleton, clip, memory);
    let room = room.without_keys(skeleton, &keys)?.without_frames(skeleton, grid.count())?;
    let (smooth, _) = split(&keys, ROUNDING);
    let shape = (skeleton.len(), skeleton.scalar_names().len());
    let sampled = Sampled::new(&mut motion, shape, duration, grid);
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
        (rounding, room): (f32, Room),
    ) -> Option<Self> {
        let (keys, duration) = (clip.to_keys(skeleton), f64::from(clip.duration()));
        let room = room.without_keys(skeleton, &keys)?;
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

    /// The smallest layout that fits.
    ///
    /// For each way between frames it is that of the lowest rate that keeps the limits. A frame takes as many bytes either way, so cubics are of use only at a lower rate
    /// than arcs.
    fn best(&self, motion: &mut dyn Motion) -> Option<Compiled> {
        let (mut best, mut tried, mut highest) = (None::<Compiled>, Vec::new(), f64::INFINITY);
        for cubic in [false, true] {
            let below = best.as_ref().map_or(usize::MAX, |best| best.chosen.bytes);
            let Some(compiled) = self.lowest(cubic, highest, below, motion) else { continue };
            highest = compiled.chosen.layout.rate;
            tried.push(compiled.chosen);
            if compiled.chosen.bytes < below {
                best = Some(compiled);
            }
        }
        best.map(|best| Compiled { tried, ..best })
    }

    /// What the lowest rate below another makes that keeps the limits, unless that takes no fewer bytes than `below`.
    fn lowest(
        &self,
        cubic: bool,
        below_rate: f64,
        below: usize,
        motion: &mut dyn Motion,
    ) -> Option<Compiled> {
        for rate in self.rates(below_rate) {
            let layout = Layout { rate, cubic };
            // If there is no room for these, more frames need more.
            let (mut frames, left) = self.frames(layout)?;
            // At few times: what is made of them is measured at all.
            if self.allows(FEW_STAGES, &mut frames, motion) {
                match self.smallest(layout, (frames.all(motion), left), below, motion) {
                    Ok(compiled) => return Some(compiled),
                    Err(Unfit::Beyond) => {}
                    Err(Unfit::Larger | Unfit::NoRoom) => return None,
                }
            }
        }
        None
    }

    /// Whether frames keep the limits when nothing is rounded.
    fn allows(&self, stages: &[usize], frames: &mut Sparse, motion: &mut dyn Motion) -> bool {
        self.truth.allows(self.limits, stages, (frames, &self.kept), motion)
    }

    /// Rates that are tried below another, from the lowest on.
    fn rates(&self, below: f64) -> impl Iterator<Item = f64> + use<> {
        let mut rates = RATES.to_vec();
        rates.extend(source_rate(&self.smooth));
        rates.sort_by(f64::total_cmp);
        rates.dedup_by(|a, b| (*a - *b).abs() < 0.01);
        rates.into_iter().filter(move |rate| *rate < below)
    }

    /// The frames of a layout, none of them sampled yet, and the room that is left beside them.
    fn frames(&self, layout: Layout) -> Option<(Sparse, Room)> {
        let duration = f64::from(self.clip.duration());
        let shape = (self.skeleton.len(), self.skeleton.scalar_names().len());
        let grid = Grid::new(duration, layout.rate, layout.cubic);
        let room = self.within(self.room.without_frames(self.skeleton, grid.count()))?;
        Some((Sparse::new(shape, duration, grid), room))
    }

    fn prepared<'s>(&'s self, sampled: &'s Sampled, room: Room) -> Option<(Prepared<'s>, Room)> {
        let reach = reach(self.skeleton, self.figure, sampled);
        self.within(Prepared::new(self.skeleton, self.figure, &self.smooth, sampled, &reach, room))
    }

    /// Of the layouts that do not keep the limits, the one that comes nearest when nothing is rounded, for the report.
    fn nearest(&self, motion: &mut dyn Motion) -> Tried {
        let (mut nearest, mut highest) = ((0.0, Tried::none()), f64::INFINITY);
        for cubic in [false, true] {
            for rate in self.rates(highest) {
                let (room, tried) = self.unrounded(Layout { rate, cubic }, motion);
                if room > ROOM {
                    highest = rate;
                    break;
                }
                if room > nearest.0 {
                    nearest = (room, tried);
                }
            }
        }
        let (_, mut tried) = nearest;
        if highest == f64::INFINITY && tried.layout.rate > 0.0 {
            // At all times: what is far off was measured at few.
            self.measure_frames(&mut tried, 1, motion);
        }
        tried
    }

    fn measure_frames(&self, tried: &mut Tried, step: usize, motion: &mut dyn Motion) {
        if let Some((mut frames, _)) = self.frames(tried.layout) {
            tried.error = self.truth.measure_frames(&mut frames, &self.kept, step, motion);
        }
    }

    /// How many times a layout keeps the limits when nothing is rounded.
    fn unrounded(&self, layout: Layout, motion: &mut dyn Motion) -> (f64, Tried) {
        let mut tried = Tried { layout, ..Tried::none() };
        for step in STAGES {
            self.measure_frames(&mut tried, step, motion);
            if tried.error.room(self.limits) < FAR {
                break;
            }
        }
        (tried.error.room(self.limits), tried)
    }

    fn write(&self, work: &Work<'_>, plan: Plan<'_>, motion: &mut dyn Motion) -> Result<Written, Unfit> {
        let Work { layout, prepared, course, left } = *work;
        let fits = left.has_section(prepared.sampled.grid.count(), write::stride(&plan));
        self.within(fits.then_some(())).ok_or(Unfit::NoRoom)?;
        let head = Head {
            name: self.clip.name(),
            duration: self.clip.duration(),
            skeleton: self.skeleton,
            moved: &self.moved,
            kept: &self.kept,
            traveller: self.clip.traveller(self.skeleton),
            cubic: layout.cubic,
        };
        let shape = plan.shape();
        let section = write::section(&head, prepared, course, plan);
        let clip = decode_clip(&Bytes::from(section.as_slice()), self.skeleton).map_err(|_| Unfit::Beyond)?;
        let few = self.truth.measure_few(&clip, motion);
        Ok(Written { shape, section, clip, few })
    }

    /// As small as a layout gets within the limits.
    fn smallest(
        &self,
        layout: Layout,
        (sampled, left): (Sampled, Room),
        below: usize,
        motion: &mut dyn Motion,
    ) -> Result<Compiled, Unfit> {
        let (prepared, left) = self.prepared(&sampled, left).ok_or(Unfit::NoRoom)?;
        let (course, left) = Course::new(&prepared, left);
        let work = Work { layout, prepared: &prepared, course: &course, left };
        let (mut low, mut kept) = self.largest(&work, below, motion)?;
        for step in 0..STEPS {
            let plan = Plan::new(&prepared, low);
            let shape = plan.shape();
            let Written { section, clip, few, .. } = match kept.take() {
                Some(written) if written.shape == shape => written,
                _ => self.write(&work, plan, motion)?,
            };
            let error = self.truth.measure_others(&clip, few, motion);
            let room = error.room(self.limits);
            if room >= 1.0 {
                let chosen = Tried { layout, bytes: section.len(), error, fits: true };
                return Ok(Compiled { section, clip, chosen, tried: Vec::new() });
            }
            if step == 0 {
                // Beside the frames that there are.
                let room = left.without_frames(self.skeleton, sampled.grid.count());
                self.within(room).ok_or(Unfit::NoRoom)?;
                let (mut frames, _) = self.frames(layout).ok_or(Unfit::NoRoom)?;
                if !self.allows(&STAGES, &mut frames, motion) {
                    break;
                }
            }
            low *= room.min(0.95);
        }
        Err(Unfit::Beyond)
    }

    /// The largest error per joint that keeps the limits at few times, and what was written with it, if it was. What is measured grows about as that error does, so few
    /// steps lead there.
    ///
    /// Errors that are near to each other often lead to the same bits, which are written and measured once.
    fn largest(
        &self,
        work: &Work<'_>,
        below: usize,
        motion: &mut dyn Motion,
    ) -> Result<(f64, Option<Written>), Unfit> {
        let (mut low, mut high) = (self.limits[0] * 0.05, self.limits[1] * 8.0);
        let mut error = self.limits[0];
        let mut rooms: Vec<(Vec<u8>, f64)> = Vec::new();
        let mut kept = None;
        for _ in 0..STEPS {
            let plan = Plan::new(work.prepared, error);
            let shape = plan.shape();
            let room = match rooms.iter().find(|(known, _)| *known == shape) {
                Some((_, room)) => *room,
                None => {
                    let mut written = self.write(work, plan, motion)?;
                    let room = written.few.measure().room(self.limits);
                    if room < 1.0 && written.section.len() >= below {
                        // What keeps the limits takes more bits than this.
                        return Err(Unfit::Larger);
                    }
                    rooms.push((shape, room));
                    if room >= 1.0 {
                        kept = Some(written);
                    }
                    room
                }
            };
            *(if room >= 1.0 { &mut low } else { &mut high }) = error;
            if high < low * NEAR {
                break;
            }
            let next = error * room;
            let is_between = next > low * NEAR.sqrt() && next * NEAR.sqrt() < high;
            error = if is_between { next } else { (low * high).sqrt() };
        }
        Ok((low, kept))
    }
}

/// A layout that is worked on.
struct Work<'a> {
    layout: Layout,
    prepared: &'a Prepared<'a>,
    course: &'a Course<'a>,
    /// For what is written.
    left: Room,
}

/// What a plan makes.
struct Written {
    /// Of the plan.
    shape: Vec<u8>,
    section: Vec<u8>,
    /// What is read back from the section.
    clip: Clip,
    /// Its errors at few times.
    few: Errors,
}

/// Why nothing comes of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfit {
    /// It does not keep the limits.
    Beyond,
    /// It takes no fewer bytes than what there is, as far as can be told early.
    Larger,
    /// It takes too much memory.
    NoRoom,
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
mod tests;
