//! Clips of another humanoid, as clips of this one: the exact transfer of [`sinew_retarget`], resampled as imported curves are.

mod files;
mod imported;
mod trim;

pub use files::{MapFile, retarget_files};
pub use imported::retarget;

use crate::decompose::Trs;
use crate::resample::{Curve, JointCurves, Knot, Request, Side, resample};
use crate::{Budget, Cause, Options, Resample, findings};
use sinew::{
    BoneMap, Character, Clip, ClipError, ClipErrorKind, ClipLibrary, ClipSource, Finding, Interpolation,
};
use sinew::{JobError, Key, Keys, Pose, Sampling, ScalarTrack, Track, Transform, job};
use sinew_findings::catalogue::retarget::{ADDED_FRAME, SCALE_LEFT_OUT, TRANSLATION_LEFT_OUT};
use sinew_retarget::{LiveRetarget, Retarget, RetargetError};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Turns clips of one character into clips of another.
///
/// ```no_run
/// use sinew_import::{Options, Retargeting, import};
///
/// let options = Options::default();
/// let hero = import("hero.glb".as_ref(), &options)?.character;
/// let dancer = import("dance.fbx".as_ref(), &options)?.character;
/// let (retargeting, findings) = Retargeting::new(&dancer, &hero, &sinew::BoneMap::default(), &options)?;
/// let hero = hero.with_clips(retargeting.library(dancer.clips()))?;    // each is retargeted when it is first played
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Retargeting {
    retarget: Arc<Retarget>,
    source_size: f64,
    target_size: f64,
    options: Options,
}

/// A clip of the target.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The clip.
    pub clip: Clip,
    /// Where it begins in the source's clip: behind a frame of the rest that was put in front of a motion, else at zero.
    pub start: f32,
    /// How far it is from the exact transfer at the most, in model space, relative to the target's size.
    pub error: f64,
    /// What was left out, and whether the tolerance was missed.
    pub findings: Vec<Finding>,
}

impl Retargeting {
    /// Works out how the target follows the source; see [`Retarget::new`].
    pub fn new(
        source: &Character,
        target: &Character,
        map: &BoneMap,
        options: &Options,
    ) -> Result<(Self, Vec<Finding>), RetargetError> {
        let (retarget, findings) = Retarget::new(source, target, map)?;
        Ok((Self::with(retarget, source, target, options), findings))
    }

    /// The same with a transfer that is worked out already.
    pub fn with(
        retarget: impl Into<Arc<Retarget>>,
        source: &Character,
        target: &Character,
        options: &Options,
    ) -> Self {
        Self {
            retarget: retarget.into(),
            source_size: f64::from(source.size()),
            target_size: f64::from(target.size()),
            options: options.clone(),
        }
    }

    /// The transfer.
    pub fn retarget(&self) -> &Arc<Retarget> {
        &self.retarget
    }

    /// A clip of the source as a clip of the target: times, events and markers as they are, within the tolerance of [`Options::resample`] of the
    /// exact transfer.
    pub fn clip(&self, clip: &Clip) -> Result<Retargeted, Cause> {
        let mut findings = Vec::new();
        let keys = clip.to_keys(self.retarget.source());
        let followed: Vec<u16> = self.retarget.followed().collect();
        let added = trim::added_frame(clip, &keys, self.retarget.source(), &followed);
        let cut = added.and_then(|start| trim::behind(clip, &keys, start));
        let start = added.filter(|_| cut.is_some()).unwrap_or(0.0);
        if cut.is_some() {
            let place = format!("clip `{}`", clip.name());
            findings.push(Finding::new(&ADDED_FRAME, place, format!("it begins {start} s later")));
        }
        let mut made = self.whole_clip(cut.as_ref().unwrap_or(clip))?;
        made.start = start;
        made.findings.splice(0..0, findings);
        Ok(made)
    }

    fn whole_clip(&self, clip: &Clip) -> Result<Retargeted, Cause> {
        let budget = Budget::new(&self.options.limits);
        let transfer = Transfer::new(self, clip)?;
        let target = self.retarget.target();
        let rest: Vec<Trs> = (0..target.len()).map(|joint| target.rest().get(joint).into()).collect();
        let keys = clip.to_keys(self.retarget.source());
        let joints = self.curves(&keys);
        let knots = joints.iter().flat_map(|curves| &curves.parts).map(|part| part.knots().len() as u64);
        budget.source_keys(knots.sum())?;
        let request = Request {
            parents: target.parents(),
            rest: &rest,
            diagonal: self.target_size,
            duration: clip.duration(),
            joints: &joints,
            mode: self.options.resample,
            budget: &budget,
        };
        let resampled = resample(&request, &|joint, time, side| transfer.local(joint, time, side))?;
        let mut findings = self.left_out(clip, &keys);
        findings.extend(missed(clip.name(), resampled.error, self.options.resample));
        let made = Clip::new(clip.name(), clip.duration(), resampled.tracks, self.scalars(&keys))?;
        // The figure goes as its legs are long.
        let velocity = self.retarget.turn() * clip.ground_velocity() * self.retarget.scale();
        let made = made.with_moments_of(clip)?.with_ground_velocity(velocity)?;
        Ok(Retargeted { clip: made, start: 0.0, error: resampled.error, findings })
    }

    /// Clips of the source as clips of the target, each retargeted when it is first asked for.
    pub fn library(&self, clips: &ClipLibrary) -> ClipLibrary {
        let mut library = ClipLibrary::default();
        for (index, info) in clips.infos().enumerate() {
            let source = Lazy { retargeting: self.clone(), clips: clips.clone(), index };
            library.add_source(info.clone(), source);
        }
        library
    }

    /// How every joint that follows moves: on straight lines if a single track of the source moves it, else on a curve between the keys of all that
    /// do.
    fn curves(&self, keys: &Keys) -> Vec<JointCurves> {
        let joints = (0..self.retarget.target().len()).filter_map(|joint| u16::try_from(joint).ok());
        let moving = joints.filter(|&joint| self.retarget.moves(joint));
        let curves = moving.map(|joint| {
            let (turned_by, single) = self.retarget.turned_by(joint);
            let mut rotation = Knots::default();
            turned_by.iter().for_each(|&joint| rotation.add_rotation(keys, joint));
            let translation = self.translation(keys, &self.retarget.moved_by(joint));
            JointCurves { joint, parts: [translation, rotation.curve(single), Curve::Still] }
        });
        curves.collect()
    }

    /// The translation of a joint that goes where the last of these goes.
    fn translation(&self, keys: &Keys, moved_by: &[u16]) -> Curve {
        let Some((&last, above)) = moved_by.split_last() else { return Curve::Still };
        let mut knots = Knots::default();
        for &joint in above {
            knots.add_rotation(keys, joint);
            knots.add_vectors(keys, joint, true);
        }
        knots.add_vectors(keys, last, false);
        knots.curve(true)
    }

    fn scalars(&self, keys: &Keys) -> Vec<ScalarTrack> {
        let pairs: HashMap<u16, u16> = self.retarget.scalars().iter().copied().collect();
        let tracks = keys.scalars().iter().filter_map(|track| {
            Some(ScalarTrack { scalar: *pairs.get(&track.scalar)?, track: track.track.clone() })
        });
        let mut tracks: Vec<ScalarTrack> = tracks.collect();
        tracks.sort_by_key(|track| track.scalar);
        tracks
    }

    /// Translations of joints other than the hips and what is above them, and scales.
    fn left_out(&self, clip: &Clip, keys: &Keys) -> Vec<Finding> {
        let source = self.retarget.source();
        let hips = self.retarget.source_roles().roles().next().map(|(_, found)| found.joint);
        let above: HashSet<u16> = std::iter::successors(hips, |&joint| source.parent(joint)).collect();
        let followed: HashSet<u16> = self.retarget.followed().collect();
        let (mut moved, mut scaled) = (Worst::default(), Worst::default());
        for tracks in keys.joints().iter().filter(|tracks| followed.contains(&tracks.joint)) {
            let rest = source.rest().get(tracks.joint.into());
            if let Some(track) = tracks.translation.as_ref().filter(|_| !above.contains(&tracks.joint)) {
                let unit = f64::from(
                    source
                        .rest_model()
                        .get(usize::from(tracks.joint))
                        .map_or(1.0, |m| m.matrix3().x_axis.length()),
                );
                let way =
                    track.values().iter().map(|value| f64::from(value.distance(rest.translation)) * unit);
                moved.add(
                    tracks.joint,
                    way.fold(0.0, f64::max) / self.source_size.max(f64::MIN_POSITIVE) * 100.0,
                );
            }
            if let Some(track) = &tracks.scale {
                let way = track
                    .values()
                    .iter()
                    .map(|value| f64::from((*value / rest.scale - 1.0).abs().max_element()));
                scaled.add(tracks.joint, way.fold(0.0, f64::max) * 100.0);
            }
        }
        let place = format!("clip `{}`", clip.name());
        let finding = |kind: &'static sinew::Kind, worst: Worst, what: &str| {
            let limit = kind.threshold.unwrap_or(0.0);
            let message = format!("`{}` {what} by {:.1} %", source.name(worst.joint), worst.value);
            (worst.value > limit).then(|| Finding::new(kind, place.clone(), message).measured(worst.value))
        };
        let moved = finding(&TRANSLATION_LEFT_OUT, moved, "moves away from its parent");
        moved.into_iter().chain(finding(&SCALE_LEFT_OUT, scaled, "is scaled")).collect()
    }
}

#[derive(Clone, Copy, Default)]
struct Worst {
    joint: u16,
    value: f64,
}

impl Worst {
    fn add(&mut self, joint: u16, value: f64) {
        if value > self.value {
            *self = Self { joint, value };
        }
    }
}

fn missed(name: &str, error: f64, mode: Resample) -> Option<Finding> {
    let Resample::Within(tolerance) = mode else { return None };
    let message = format!("it is off by {error:.1e} of the diagonal from the exact transfer");
    let finding = Finding::new(&findings::TOLERANCE_MISSED, format!("clip `{name}`"), message);
    (error > tolerance && tolerance > 0.0).then(|| finding.measured(error / tolerance))
}

/// Times of keys of several tracks, and whether values may jump there.
#[derive(Default)]
struct Knots {
    times: BTreeMap<u32, (f32, bool)>,
    tracks: usize,
}

impl Knots {
    fn add_rotation(&mut self, keys: &Keys, joint: u16) {
        if let Some(track) = keys.joint(joint).and_then(|tracks| tracks.rotation.as_ref()) {
            self.add(track);
        }
    }

    fn add_vectors(&mut self, keys: &Keys, joint: u16, scale: bool) {
        let Some(tracks) = keys.joint(joint) else { return };
        for track in tracks.translation.iter().chain(tracks.scale.iter().filter(|_| scale)) {
            self.add(track);
        }
    }

    fn add<T: Key + PartialEq>(&mut self, track: &Track<T>) {
        // What never changes bends nothing.
        if track.values().windows(2).all(|pair| matches!(pair, [a, b] if a == b)) {
            return;
        }
        self.tracks += 1;
        let steps = track.interpolation() == Interpolation::Step;
        let mut before = None;
        for &time in track.times() {
            // Times are not negative, so their bits rise with them.
            let knot = self.times.entry(time.max(0.0).to_bits()).or_insert((time.max(0.0), false));
            knot.1 |= steps || before == Some(time);
            before = Some(time);
        }
    }

    /// Straight between the keys of a single track, if one is followed as it is.
    fn curve(self, single: bool) -> Curve {
        let knots = self.times.into_values().map(|(time, jump)| Knot { time: time.into(), jump }).collect();
        if single && self.tracks <= 1 { Curve::Linear(knots) } else { Curve::Curved(knots) }
    }
}

/// A clip of the library of another character.
struct Lazy {
    retargeting: Retargeting,
    clips: ClipLibrary,
    index: usize,
}

impl ClipSource for Lazy {
    fn load(&self) -> Result<Clip, ClipError> {
        let clip = self.clips.get(self.index)?;
        let made = self.retargeting.clip(&clip);
        let wrong = |cause: Cause| ClipError::new(ClipErrorKind::DoesNotFit, clip.name(), cause.to_string());
        made.map(|made| made.clip).map_err(wrong)
    }
}

/// What one thread needs to carry a pose over.
struct Scratch {
    source: Pose,
    live: LiveRetarget,
    target: Pose,
}

/// The bits of a time, and whether what is just before it is meant.
type Moment = (u64, bool);

/// The exact transfer of a clip. All joints are asked for at the same times, so poses are kept.
struct Transfer<'a> {
    retarget: &'a Arc<Retarget>,
    clip: &'a Clip,
    kept: RwLock<HashMap<Moment, Arc<[Transform]>>>,
    most: usize,
    free: Mutex<Vec<Scratch>>,
}

/// Bytes of poses that are kept at the most.
const KEPT_BYTES: usize = 512 << 20;

impl<'a> Transfer<'a> {
    fn new(retargeting: &'a Retargeting, clip: &'a Clip) -> Result<Self, Cause> {
        let retarget = &retargeting.retarget;
        let source = retarget.source();
        let wrong =
            |error: JobError| Cause::Malformed { what: error.to_string(), place: clip.name().to_owned() };
        clip.fits(source.len(), source.scalar_names().len()).map_err(wrong)?;
        let most = KEPT_BYTES / (size_of::<Transform>() * retarget.target().len().max(1));
        Ok(Self { retarget, clip, kept: RwLock::default(), most, free: Mutex::default() })
    }

    fn local(&self, joint: usize, time: f64, side: Side) -> Trs {
        let key = (time.to_bits(), side == Side::Before);
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let pose = kept.unwrap_or_else(|| {
            let pose = self.pose(if side == Side::Before { time.next_down() } else { time });
            let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
            if kept.len() < self.most {
                kept.insert(key, pose.clone());
            }
            pose
        });
        pose.get(joint).copied().unwrap_or_default().into()
    }

    fn pose(&self, time: f64) -> Arc<[Transform]> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = free.unwrap_or_else(|| Scratch {
            source: self.retarget.source().rest().clone(),
            live: LiveRetarget::new(self.retarget.clone()),
            target: self.retarget.target().rest().clone(),
        });
        // The clip was checked, and the poses are of the skeletons' shapes.
        let sampled =
            job::sample(self.retarget.source(), self.clip, time, Sampling::Interpolate, &mut scratch.source);
        let carried = sampled.and_then(|()| scratch.live.apply(&scratch.source, &mut scratch.target));
        debug_assert_eq!(carried, Ok(()));
        let pose = (0..scratch.target.len()).map(|joint| scratch.target.get(joint)).collect();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        pose
    }
}
