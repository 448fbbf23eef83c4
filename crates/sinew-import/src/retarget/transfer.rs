//! The exact transfer of a clip, at any time.

use super::Retargeting;
use super::lock::Lock;
use crate::Cause;
use crate::decompose::Trs;
use crate::resample::Side;
use sinew::{Clip, JobError, Pose, Sampling, Transform, job};
use sinew_retarget::{LiveRetarget, Retarget, Shift};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What one thread needs to carry a pose over.
struct Scratch {
    source: Pose,
    live: LiveRetarget,
    target: Pose,
}

/// The bits of a time, and whether what is just before it is meant.
type Moment = (u64, bool);

/// The exact transfer of a clip. All joints are asked for at the same times, so poses are kept.
pub(super) struct Transfer<'a> {
    retarget: &'a Arc<Retarget>,
    clip: &'a Clip,
    lock: Option<Arc<Lock>>,
    kept: RwLock<HashMap<Moment, Arc<[Transform]>>>,
    most: usize,
    free: Mutex<Vec<Scratch>>,
}

/// Bytes of poses that are kept at the most.
const KEPT_BYTES: usize = 512 << 20;

impl<'a> Transfer<'a> {
    pub(super) fn new(
        retargeting: &'a Retargeting,
        clip: &'a Clip,
        lock: Option<Arc<Lock>>,
    ) -> Result<Self, Cause> {
        let retarget = &retargeting.retarget;
        let source = retarget.source();
        let wrong =
            |error: JobError| Cause::Malformed { what: error.to_string(), place: clip.name().to_owned() };
        clip.fits(source.len(), source.scalar_names().len()).map_err(wrong)?;
        let most = KEPT_BYTES / (size_of::<Transform>() * retarget.target().len().max(1));
        Ok(Self { retarget, clip, lock, kept: RwLock::default(), most, free: Mutex::default() })
    }

    pub(super) fn local(&self, joint: usize, time: f64, side: Side) -> Trs {
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
        let shift = self.lock.as_ref().map(|lock| lock.at(time));
        let carried = sampled
            .and_then(|()| carry(&mut scratch.live, &scratch.source, shift.as_ref(), &mut scratch.target));
        debug_assert_eq!(carried, Ok(()));
        let pose = (0..scratch.target.len()).map(|joint| scratch.target.get(joint)).collect();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        pose
    }
}

/// Carries a pose over, and moves what is to be moved.
pub(super) fn carry(
    live: &mut LiveRetarget,
    source: &Pose,
    shift: Option<&Shift>,
    target: &mut Pose,
) -> Result<(), JobError> {
    match shift {
        Some(shift) => live.apply_shifted(source, shift, target),
        None => live.apply(source, target),
    }
}
