//! Feet that stand where the source's feet stand, and hands that are where the source's are.
//!
//! The transfer turns joints; where feet and hands end is up to the proportions of the target. [`Lock`] says at each time of a clip how far they are to be moved
//! from there. Contacts come from the source. While a foot stands, the joint of it that stands (ankle or ball) stays at one place over the ground and at the height that it has at
//! rest; on its way to the next stand the shift goes smoothly from the one to the other. The hips are lowered where a leg would not reach.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays made here, of lengths known here")]

mod hinge;
mod line;
mod places;
mod reach;
mod smooth;
mod stay;

use crate::Cause;
use places::Places;
use sinew::glam::Vec3;
use sinew::{Character, Clip, Finding};
use sinew_contacts::{Contacts, Criteria, Foot, detect};
use sinew_findings::catalogue::retarget::FEET_NOT_LOCKED;
use sinew_retarget::{Humanoid, Part, Retarget, Role, Shift, Side};

/// Samples a second.
const RATE: f64 = 120.0;
/// A joint that moves over the ground at this part of the figure's speed may stand.
const RUNNING: f32 = 0.2;
/// A floor that is farther than this from the target's is not one that it stands on, relative to the length of its legs.
const FLOOR: f32 = 0.3;

/// Shifts of a clip, in even steps of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lock {
    step: f64,
    count: usize,
    looping: bool,
    hips: Vec<Vec3>,
    feet: [Vec<Vec3>; 2],
    hands: bool,
    knees: [Option<Vec3>; 2],
    elbows: [Option<Vec3>; 2],
}

/// Two characters, the transfer between them, and what is to be locked.
pub(super) struct Wanted<'a> {
    pub retarget: &'a Retarget,
    pub source: &'a Character,
    /// Up, in the target's model space.
    pub up: Vec3,
    pub feet: bool,
    pub hands: bool,
}

impl Lock {
    /// The shifts of a clip of the source; none where there is nothing to be moved. Feet that stand and cannot be locked are a finding.
    pub(super) fn of(
        wanted: &Wanted<'_>,
        clip: &Clip,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<Self>, Cause> {
        let malformed = |error: sinew::JobError| Cause::malformed(error.to_string(), clip.name());
        let count = (f64::from(clip.duration()) * RATE).ceil().clamp(2.0, 1e6) as usize;
        let step = f64::from(clip.duration()) / count as f64;
        let [knees, elbows] = hinge::hinges(wanted, clip).map_err(malformed)?;
        let plain = Self { step, count, hands: wanted.hands, knees, elbows, ..Self::default() };
        let lock =
            if wanted.feet { feet_of(wanted, clip, plain, findings).map_err(malformed)? } else { plain };
        Ok(Some(lock).filter(|lock| lock.bends() != [false; 2]))
    }

    /// What is to be moved at a time.
    pub(crate) fn at(&self, time: f64) -> Shift {
        let read = |values: &[Vec3]| self.read(values, time);
        Shift {
            hips: read(&self.hips).unwrap_or(Vec3::ZERO),
            feet: [read(&self.feet[0]), read(&self.feet[1])],
            hands: self.hands.then(|| read(&self.hips).unwrap_or(Vec3::ZERO)),
            knees: self.knees,
            elbows: self.elbows,
        }
    }

    /// Times between which the shifts are smooth enough to be resampled.
    pub(super) fn times(&self) -> impl Iterator<Item = f32> {
        (0..=self.count).step_by(2).chain([self.count]).map(|at| (at as f64 * self.step) as f32)
    }

    /// Which limbs are bent: legs, arms.
    pub(super) fn bends(&self) -> [bool; 2] {
        [!self.hips.is_empty(), self.hands]
    }

    /// A smooth curve through the values.
    fn read(&self, values: &[Vec3], time: f64) -> Option<Vec3> {
        let last = values.len().checked_sub(1)? as i64;
        let at = (time / self.step.max(f64::MIN_POSITIVE)).clamp(0.0, last as f64);
        let (index, t) = (at.floor() as i64, (at - at.floor()) as f32);
        let value = |index: i64| {
            // The last value of a loop is its first.
            let round = if self.looping && last > 0 { index.rem_euclid(last) } else { index.clamp(0, last) };
            values.get(round as usize).copied().unwrap_or_default()
        };
        let [before, from, to, after] = [-1, 0, 1, 2].map(|next| value(index + next));
        Some(hermite([from, to], [(to - before) * 0.5, (after - from) * 0.5], t))
    }
}

/// A cubic from one value to another, with the slopes at both ends.
fn hermite([from, to]: [Vec3; 2], [leave, arrive]: [Vec3; 2], t: f32) -> Vec3 {
    let (t2, t3) = (t * t, t * t * t);
    let ease = 3.0 * t2 - 2.0 * t3;
    from * (1.0 - ease) + to * ease + leave * (t3 - 2.0 * t2 + t) + arrive * (t3 - t2)
}

/// Ankles and balls of both feet, each by itself: a foot that rolls stands on the one, then on the other.
fn points(roles: &Humanoid) -> Vec<(usize, Foot)> {
    let parts = [Part::Foot, Part::Toes];
    let of = |(foot, side): (usize, Side)| {
        let joints = parts.map(|part| roles.joint(Role::new(side, part)));
        joints
            .into_iter()
            .flatten()
            .map(move |joint| (foot, Foot { name: format!("{foot}-{joint}"), ankle: joint, toe: None }))
    };
    Side::BOTH.into_iter().enumerate().flat_map(of).collect()
}

/// Contacts of the source. Its rest may be any pose, so heights are not compared with it; and what is slow depends on how fast the figure is: landing feet of a run are
/// faster than those of a walk.
fn contacts(wanted: &Wanted<'_>, clip: &Clip, feet: &[Foot]) -> Result<Contacts, sinew::JobError> {
    let criteria = Criteria { level: f32::INFINITY, ..Criteria::default() };
    let found = detect(wanted.source, clip, feet, &criteria)?;
    let [slow, fast] = criteria.slow;
    let speed = found.ground_speed() / found.height.max(f32::MIN_POSITIVE);
    if speed * RUNNING <= slow {
        return Ok(found);
    }
    let slow = [speed * RUNNING, speed * RUNNING * fast / slow];
    detect(wanted.source, clip, feet, &Criteria { slow, ..criteria })
}

/// Feet of the source that stand, foot by foot: which part of it the target has too, and when.
fn feet_of(
    wanted: &Wanted<'_>,
    clip: &Clip,
    plain: Lock,
    findings: &mut Vec<Finding>,
) -> Result<Lock, sinew::JobError> {
    let mut not_locked = |why: String| {
        findings.push(Finding::new(&FEET_NOT_LOCKED, format!("clip `{}`", clip.name()), why));
    };
    let roles = [wanted.retarget.source_roles(), wanted.retarget.target_roles()];
    let both = points(roles[0]).into_iter().filter_map(|(foot, point)| {
        let joint = roles[1].joint(roles[0].role(point.ankle)?)?;
        Some((foot, joint, point))
    });
    let both: Vec<(usize, u16, Foot)> = both.collect();
    let feet: Vec<Foot> = both.iter().map(|(.., foot)| foot.clone()).collect();
    let found = contacts(wanted, clip, &feet)?;
    let (step, looping) = (plain.step, found.looping);
    let ground = wanted.retarget.way(-found.ground_velocity);
    let ground = if found.in_place { ground * step as f32 } else { Vec3::ZERO };
    let Some(mut places) = Places::of(wanted, clip, plain.count, step)? else {
        not_locked("no joints have the roles of both legs of the target".to_owned());
        return Ok(plain);
    };
    for ((foot, joint, _), contacts) in both.iter().zip(&found.feet) {
        for stand in &contacts.stands {
            places.stand(*foot, *joint, stand, looping);
        }
    }
    let floor = places.floor();
    if !places.stands() || places.leg() <= 0.0 {
        return Ok(plain);
    }
    if floor.abs() > FLOOR * places.leg() {
        let side = if floor < 0.0 { "above" } else { "below" };
        not_locked(format!(
            "its feet stand {:.0} % of the length of a leg {side} the ground of the target, where up to {:.0} % are made up for",
            floor.abs() / places.leg() * 100.0,
            FLOOR * 100.0
        ));
        return Ok(plain);
    }
    let feet = [0, 1].map(|foot| places.shifts(foot, floor, ground, looping));
    let hips = reach::hips(&places, &feet, floor, looping);
    Ok(Lock { looping, hips, feet, ..plain })
}
