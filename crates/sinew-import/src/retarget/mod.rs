//! Clips of another humanoid, as clips of this one: the exact transfer of [`sinew_retarget`], resampled as imported curves are.

mod files;
mod imported;
mod knots;
mod lock;
mod transfer;
mod trim;

pub use files::{MapFile, RetargetOptions, retarget_files};
pub use imported::retarget;

use crate::decompose::Trs;
use crate::resample::{Curve, JointCurves, Request, resample};
use crate::{Budget, Cause, Options, Resample, findings};
use knots::Knots;
use lock::{Lock, Wanted};
use sinew::glam::Vec3;
use sinew::{
    BoneMap, Character, Clip, ClipError, ClipErrorKind, ClipLibrary, ClipSource, Finding, Keys, ScalarTrack,
};
use sinew_findings::catalogue::retarget::{ADDED_FRAME, SCALE_LEFT_OUT, TRANSLATION_LEFT_OUT};
use sinew_retarget::{Known, Part, Retarget, RetargetError, Role, Side};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use transfer::Transfer;

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
    source: Character,
    target_size: f64,
    /// Up, in the target's model space.
    up: Vec3,
    options: Options,
    locks: Locks,
}

/// Whether feet and hands of the target are kept where the source has them, besides turning its joints as the source's turn. Without, proportions decide where they end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    /// Feet stand on the ground, and do not slide, while those of the source stand.
    pub feet: bool,
    /// Wrists are where the source's are, times the ratio of the lengths of the legs, as far as the arms reach.
    pub hands: bool,
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
    lock: Option<Arc<Lock>>,
}

impl Retargeting {
    /// Works out how the target follows the source; see [`Retarget::new`].
    pub fn new(
        source: &Character,
        target: &Character,
        map: &BoneMap,
        options: &Options,
    ) -> Result<(Self, Vec<Finding>), RetargetError> {
        Self::knowing([source, target], [&map.into(), &Known::default()], options)
    }

    /// The same of source and target with what is known of the roles of each; see [`Retarget::knowing`].
    pub fn knowing(
        [source, target]: [&Character; 2],
        [of_source, of_target]: [&Known; 2],
        options: &Options,
    ) -> Result<(Self, Vec<Finding>), RetargetError> {
        let (retarget, findings) = Retarget::knowing(source, target, of_source, of_target)?;
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
            source: source.clone(),
            target_size: f64::from(target.size()),
            up: target.space().up.into(),
            options: options.clone(),
            locks: Locks::default(),
        }
    }

    /// The same with feet or hands kept where the source has them.
    pub fn locked(self, locks: Locks) -> Self {
        Self { locks, ..self }
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
        let mut findings = Vec::new();
        let lock = self.lock(clip, &mut findings)?;
        let transfer = Transfer::new(self, clip, lock.clone())?;
        let target = self.retarget.target();
        let rest: Vec<Trs> = (0..target.len()).map(|joint| target.rest().get(joint).into()).collect();
        let keys = clip.to_keys(self.retarget.source());
        let joints = self.curves(&keys, lock.as_deref());
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
        findings.extend(self.left_out(clip, &keys));
        findings.extend(missed(clip.name(), resampled.error, self.options.resample));
        let made = Clip::new(clip.name(), clip.duration(), resampled.tracks, self.scalars(&keys))?;
        // The figure goes as its legs are long.
        let velocity = self.retarget.turn() * clip.ground_velocity() * self.retarget.scale();
        let made = made.with_moments_of(clip)?.with_ground_velocity(velocity)?;
        Ok(Retargeted { clip: made, start: 0.0, error: resampled.error, findings, lock })
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
    fn curves(&self, keys: &Keys, lock: Option<&Lock>) -> Vec<JointCurves> {
        let mut curves = self.followed_curves(keys);
        let Some(lock) = lock else { return curves };
        let mut knots = Knots::default();
        for tracks in keys.joints() {
            knots.add_rotation(keys, tracks.joint);
            knots.add_vectors(keys, tracks.joint, true);
        }
        let bent = Curve::Curved(knots.jumps_and(lock.times()));
        let hips = self.joint(Role::middle(Part::Hips));
        let limbs = self.bent(lock);
        for JointCurves { joint, parts: [translation, rotation, _] } in &mut curves {
            if limbs.contains(joint) {
                *rotation = bent.clone();
            }
            if hips == Some(*joint) && lock.bends()[0] {
                *translation = bent.clone();
            }
        }
        curves
    }

    fn joint(&self, role: Role) -> Option<u16> {
        self.retarget.target_roles().joint(role)
    }

    /// Joints of the target that a lock turns.
    fn bent(&self, lock: &Lock) -> HashSet<u16> {
        let limbs =
            [[Part::UpperLeg, Part::LowerLeg, Part::Foot], [Part::UpperArm, Part::LowerArm, Part::Hand]];
        let parts =
            limbs.into_iter().zip(lock.bends()).filter(|(_, bends)| *bends).flat_map(|(parts, _)| parts);
        let roles = parts.flat_map(|part| Side::BOTH.map(|side| Role::new(side, part)));
        roles.filter_map(|role| self.joint(role)).collect()
    }

    /// What is moved in a clip beyond the transfer.
    fn lock(&self, clip: &Clip, findings: &mut Vec<Finding>) -> Result<Option<Arc<Lock>>, Cause> {
        let Locks { feet, hands } = self.locks;
        if !(feet || hands) {
            return Ok(None);
        }
        let wanted = Wanted { retarget: &self.retarget, source: &self.source, up: self.up, feet, hands };
        Ok(Lock::of(&wanted, clip, findings)?.map(Arc::new))
    }

    fn followed_curves(&self, keys: &Keys) -> Vec<JointCurves> {
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
                    way.fold(0.0, f64::max) / f64::from(self.source.size()).max(f64::MIN_POSITIVE) * 100.0,
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
