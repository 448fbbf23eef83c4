//! The smallest layout within the limits.

use crate::Profile;
use crate::encode::Prepared;
use crate::figure::{Figure, Reach};
use crate::grid::{Grid, Sampled};
use crate::measure::{Measure, Truth};
use crate::motion::Motion;
use crate::write::{self, Head};
use sinew::bundle_file::decode_clip;
use sinew::{Bytes, Clip, Interpolation, JointTracks, Key, Keys, ScalarTrack, Skeleton, Track};

/// Rates that are tried, beside that of the source's keys, in frames a second.
const RATES: [f64; 9] = [10.0, 15.0, 20.0, 24.0, 30.0, 60.0, 120.0, 240.0, 480.0];

/// Steps of the search for the error that just keeps the limits.
const STEPS: usize = 9;

/// How frames are laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// Frames a second.
    pub rate: f64,
    /// Whether values between frames follow a cubic.
    pub cubic: bool,
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

/// A compiled clip.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The content of its section in a bundle.
    pub section: Vec<u8>,
    /// The same, read back.
    pub clip: Clip,
    /// What was chosen.
    pub chosen: Tried,
    /// All that was tried.
    pub tried: Vec<Tried>,
}

/// Compiles a clip, or `None` if no layout of frames keeps the limits: then its keys are kept.
///
/// `motion` is what it is measured against; joints are those of `skeleton`, whose order decides which of them share octets ([`crate::joint_order`]).
pub fn compile(
    skeleton: &Skeleton,
    clip: &Clip,
    figure: &Figure,
    profile: Profile,
    motion: &mut dyn Motion,
) -> Option<Compiled> {
    let search = Search::new(skeleton, clip, figure, profile, motion);
    let mut best: Option<Compiled> = None;
    let mut tried = Vec::new();
    for layout in search.layouts(motion) {
        let Some(compiled) = search.smallest(layout, motion) else { continue };
        tried.push(compiled.chosen);
        let is_smaller = best.as_ref().is_none_or(|best| compiled.chosen.bytes < best.chosen.bytes);
        if compiled.chosen.fits && is_smaller {
            best = Some(compiled);
        }
    }
    best.map(|best| Compiled { tried, ..best })
}

/// Bits that each joint of a clip needs at about the error of a profile, for [`crate::joint_order`].
pub fn joint_bits(
    skeleton: &Skeleton,
    clip: &Clip,
    figure: &Figure,
    profile: Profile,
    motion: &mut dyn Motion,
) -> Vec<f64> {
    let (smooth, _) = split(&clip.to_keys(skeleton));
    let duration = f64::from(clip.duration());
    let grid = Grid::new(duration, 30.0);
    let shape = (skeleton.len(), skeleton.scalar_names().len());
    let sampled = Sampled::new(motion, shape, duration, grid);
    let reach = reach(skeleton, figure, &sampled);
    let prepared = Prepared::new(skeleton, &smooth, &sampled, &reach);
    prepared.joint_bits(profile.limits()[0] * figure.scale)
}

fn reach(skeleton: &Skeleton, figure: &Figure, sampled: &Sampled) -> Reach {
    let step = (sampled.joints.len() / 32).max(1);
    let poses: Vec<_> = sampled.joints.iter().step_by(step).cloned().collect();
    Reach::over(skeleton.parents(), figure, &poses)
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
}

impl<'a> Search<'a> {
    fn new(
        skeleton: &'a Skeleton,
        clip: &'a Clip,
        figure: &'a Figure,
        profile: Profile,
        motion: &mut dyn Motion,
    ) -> Self {
        let keys = clip.to_keys(skeleton);
        let (smooth, kept) = split(&keys);
        let truth = Truth::new(skeleton, figure, clip.duration().into(), motion);
        let limits = profile.limits().map(|limit| limit * figure.scale);
        let mut moved = sinew::Moved::none(skeleton.len(), skeleton.scalar_names().len());
        keys.joints().iter().for_each(|tracks| moved.add(tracks.joint, tracks.parts()));
        keys.scalars().iter().for_each(|track| moved.add_scalar(track.scalar));
        Self { skeleton, clip, figure, limits, smooth, kept, moved, truth }
    }

    fn sampled(&self, layout: Layout, motion: &mut dyn Motion) -> Sampled {
        let duration = f64::from(self.clip.duration());
        let shape = (self.skeleton.len(), self.skeleton.scalar_names().len());
        Sampled::new(motion, shape, duration, Grid::new(duration, layout.rate))
    }

    /// Layouts worth a try: for each way between frames the lowest rates that keep the limits when nothing is rounded.
    fn layouts(&self, motion: &mut dyn Motion) -> Vec<Layout> {
        let mut rates = RATES.to_vec();
        rates.extend(source_rate(&self.smooth));
        rates.sort_by(f64::total_cmp);
        rates.dedup_by(|a, b| (*a - *b).abs() < 0.01);
        let mut layouts = Vec::new();
        for cubic in [false, true] {
            let fitting = rates.iter().map(|&rate| Layout { rate, cubic });
            let fitting = fitting.filter(|&layout| {
                let fine = self.encode(layout, &self.sampled(layout, motion), self.limits[0] * 0.02);
                fine.is_some_and(|(_, clip)| self.truth.measure(&clip, 3).room(self.limits) > 1.2)
            });
            layouts.extend(fitting.take(1));
        }
        layouts
    }

    fn encode(&self, layout: Layout, sampled: &Sampled, error: f64) -> Option<(Vec<u8>, Clip)> {
        let reach = reach(self.skeleton, self.figure, sampled);
        let prepared = Prepared::new(self.skeleton, &self.smooth, sampled, &reach);
        self.write(layout, &prepared, error)
    }

    fn write(&self, layout: Layout, prepared: &Prepared, error: f64) -> Option<(Vec<u8>, Clip)> {
        let head = Head {
            name: self.clip.name(),
            duration: self.clip.duration(),
            skeleton: self.skeleton,
            moved: &self.moved,
            kept: &self.kept,
            traveller: self.clip.traveller(self.skeleton),
            cubic: layout.cubic,
        };
        let section = write::section(&head, prepared, error);
        let clip = decode_clip(&Bytes::from(section.as_slice()), self.skeleton).ok()?;
        Some((section, clip))
    }

    /// The largest error per joint that keeps the limits, by halving the interval.
    fn smallest(&self, layout: Layout, motion: &mut dyn Motion) -> Option<Compiled> {
        let sampled = self.sampled(layout, motion);
        let reach = reach(self.skeleton, self.figure, &sampled);
        let prepared = Prepared::new(self.skeleton, &self.smooth, &sampled, &reach);
        let (mut low, mut high) = (self.limits[0] * 0.05, self.limits[1] * 8.0);
        let mut best = None;
        for _ in 0..STEPS {
            let error = (low * high).sqrt();
            let (section, clip) = self.write(layout, &prepared, error)?;
            let measured = self.truth.measure(&clip, 1);
            let fits = measured.room(self.limits) >= 1.0;
            let tried = Tried { layout, bytes: section.len(), error: measured, fits };
            if fits {
                low = error;
                best = Some(Compiled { section, clip, chosen: tried, tried: Vec::new() });
            } else {
                high = error;
            }
        }
        best
    }
}

/// Tracks that frames can hold, and those with steps and jumps, which stay as they are.
fn split(keys: &Keys) -> (Keys, Keys) {
    fn is_smooth<T: Key>(track: &Track<T>) -> bool {
        let times = track.times();
        times.len() == 1
            || (track.interpolation() == Interpolation::Linear
                && times.windows(2).all(|pair| pair[0] < pair[1]))
    }
    fn part<T: Key>(track: &Option<Track<T>>, smooth: bool) -> Option<Track<T>> {
        track.clone().filter(|track| is_smooth(track) == smooth)
    }
    let pick = |smooth: bool| {
        let joints = keys.joints().iter().map(|t| JointTracks {
            joint: t.joint,
            translation: part(&t.translation, smooth),
            rotation: part(&t.rotation, smooth),
            scale: part(&t.scale, smooth),
        });
        let scalars = keys.scalars().iter().filter(|s| is_smooth(&s.track) == smooth).cloned();
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
