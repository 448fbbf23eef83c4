//! A file of another humanoid as if it had been made for this character, so that merging, certificates and reports need not know.

use super::lock::Lock;
use super::transfer::carry;
use super::{RetargetOptions, Retargeting};
use crate::{Cause, ImportError, Imported, Options, SourceEvaluator, SourceInfo};
use sinew::{Character, ClipLibrary, Finding, Pose, Transform};
use sinew_retarget::{Known, LiveRetarget, Retarget};
use std::path::Path;
use std::sync::Arc;

/// What a file would hold if its clips had been made for `target`: the target with the retargeted clips, and an evaluator that carries over what the
/// file's own one says. Fails if one of the two is not a humanoid.
pub fn retarget(
    source: Imported,
    file: &Path,
    target: &Character,
    how: &RetargetOptions,
    options: &Options,
) -> Result<Imported, ImportError> {
    carried(source, target, how, options).map_err(|cause| ImportError::new(file, cause))
}

fn carried(
    source: Imported,
    target: &Character,
    how: &RetargetOptions,
    options: &Options,
) -> Result<Imported, Cause> {
    let of_source = Known { map: how.map.map.clone(), roles: source.source.known_roles() };
    let of_target = Known { roles: how.target_roles.clone(), ..Known::default() };
    let characters = [&source.character, target];
    let (retargeting, found) = Retargeting::knowing(characters, [&of_source, &of_target], options)?;
    let retargeting = retargeting.locked(how.locks);
    let mut findings: Vec<Finding> = source.findings;
    findings.extend(found);
    let (mut clips, mut carried) = (ClipLibrary::default(), Vec::new());
    for (index, info) in source.character.clips().infos().enumerate() {
        let clip = source.character.clips().get(index);
        let clip = clip
            .map_err(|error| Cause::malformed(error.reason.to_string(), format!("clip `{}`", error.clip)))?;
        let made = retargeting.clip(&clip)?;
        findings.extend(made.findings);
        carried.push((made.start, made.lock));
        clips.add_with(info.clone(), made.clip);
    }
    let character = target.with_clips(clips)?.with_name(source.character.name());
    let retarget = retargeting.retarget().clone();
    let evaluator = Carried { retarget, source: source.evaluator, clips: carried };
    let info = SourceInfo { clips: source.source.clips, ..SourceInfo::default() };
    Ok(Imported {
        character,
        source: info,
        evaluator: Box::new(evaluator),
        findings,
        clip_nodes: None,
        files: source.files.into_iter().chain(how.map.files.iter().cloned()).collect(),
    })
}

/// The source's evaluator, carried over.
struct Carried {
    retarget: Arc<Retarget>,
    source: Box<dyn SourceEvaluator>,
    /// Where each clip begins in the source's, and what is moved in it.
    clips: Vec<(f32, Option<Arc<Lock>>)>,
}

impl Carried {
    fn pose(&self, clip: usize, time: f64) -> Pose {
        let from = self.retarget.source();
        let (start, lock) = self.clips.get(clip).map_or((0.0, None), |(start, lock)| (*start, lock.as_ref()));
        let shift = lock.map(|lock| lock.at(time));
        let time = time + f64::from(start);
        let mut locals = vec![Transform::IDENTITY; from.len()];
        let mut pose = from.rest().clone();
        self.source.locals(clip, time, &mut locals);
        locals.iter().enumerate().for_each(|(joint, local)| pose.set(joint, *local));
        self.source.scalars(clip, time, pose.scalars_mut());
        let mut out = self.retarget.target().rest().clone();
        // Both poses are of their skeleton's shape.
        let carried = carry(&mut LiveRetarget::new(self.retarget.clone()), &pose, shift.as_ref(), &mut out);
        debug_assert_eq!(carried, Ok(()));
        out
    }
}

impl SourceEvaluator for Carried {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        let pose = self.pose(clip, time);
        out.iter_mut().take(pose.len()).enumerate().for_each(|(joint, local)| *local = pose.get(joint));
    }

    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]) {
        let pose = self.pose(clip, time);
        out.iter_mut().zip(pose.scalars()).for_each(|(out, value)| *out = *value);
    }
}
