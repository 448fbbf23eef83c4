//! Checks of how a clip moves the character.

use super::exceeds;
use super::rest::RestPose;
use super::sampled_clip::{Frame, SampledClip};
use crate::criteria::{
    BONE, LIMB, POSE, ROTATED_TOO, STANDING, STEADY, STILL, STILL_SCALAR, STRETCHING, UPRIGHT_AGAIN,
};
use glam::Vec3;
use sinew::{Clip, Finding};
use sinew_findings::catalogue::examine::{
    AXIS_MISMATCH, BONE_STRETCH, FIRST_KEY_FAR, MOVES_NOTHING, UNIT_MISMATCH,
};
use sinew_findings::plural;

/// A clip that is being examined, with the character that it plays on.
pub(super) struct ExaminedClip<'a> {
    pub(super) at_rest: &'a RestPose<'a>,
    pub(super) clip: &'a Clip,
    pub(super) samples: SampledClip,
    /// The root of the body: see [`RestPose::body_root`].
    pub(super) body: Option<u16>,
    /// The clip's tag, if known.
    pub(super) tag: Option<&'a str>,
    pub(super) place: &'a str,
}

/// All checks but those of the seam.
pub(super) fn examine(examined: &ExaminedClip<'_>) -> Vec<Finding> {
    [
        unit_mismatch(examined),
        axis_mismatch(examined),
        first_key_far(examined),
        bone_stretch(examined),
        moves_nothing(examined),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl ExaminedClip<'_> {
    /// Joints that it turns.
    pub(super) fn turning(&self) -> impl Iterator<Item = u16> + '_ {
        self.clip.moved_joints().filter(|&joint| self.clip.moved(joint).rotation)
    }

    /// Whether a joint is below the body's root; if there is no body root, whether it has a parent.
    pub(super) fn is_limb(&self, joint: u16) -> bool {
        let mut above = self.at_rest.chain(joint).skip(1);
        match self.body {
            Some(body) => above.any(|j| j == body),
            None => above.next().is_some(),
        }
    }
}

/// Below this factor a joint is in its parent's place: no two units differ by so much.
const NO_UNIT: f64 = 1e-4;

/// Compares the factor between translation keys and rest: for the body's root its own, for bones the median.
fn unit_mismatch(examined: &ExaminedClip<'_>) -> Option<Finding> {
    let skeleton = examined.at_rest.skeleton();
    let root = examined.body.and_then(|body| {
        let moved = |joint: &u16| examined.clip.moved(*joint).translation;
        let root = examined.at_rest.chain(body).find(moved)?;
        Some((root, root_factor(examined, root)?))
    });
    let mut bones: Vec<(u16, f64)> = examined
        .clip
        .moved_joints()
        .filter(|&joint| examined.clip.moved(joint).translation && examined.is_limb(joint))
        .filter_map(|joint| {
            let (rest, first) = lengths(examined, joint, examined.samples.first())?;
            Some((joint, f64::from(first) / f64::from(rest)))
        })
        .collect();
    bones.sort_by(|a, b| a.1.total_cmp(&b.1));
    // One or two bones may be props or IK targets that move freely.
    let median = (bones.len() >= 3).then(|| bones[bones.len() / 2]);
    let size = |factor: f64| factor.max(1.0 / factor);
    // A joint in its parent's place says nothing of units.
    let told = root.into_iter().chain(median).filter(|(_, factor)| *factor > NO_UNIT);
    let worst = told.max_by(|a, b| size(a.1).total_cmp(&size(b.1)))?;
    let (joint, factor) = worst;
    let way = if factor > 1.0 { "farther from" } else { "nearer to" };
    let message = format!(
        "the clip puts `{}` {:.0} times {way} its parent than the character's rest does",
        skeleton.name(joint),
        size(factor)
    );
    exceeds(&UNIT_MISMATCH, size(factor))
        .then(|| Finding::new(&UNIT_MISMATCH, examined.place, message).measured(size(factor)))
}

/// Length of a joint's translation at rest and in a frame; `None` if it is too short at rest to compare with.
fn lengths(examined: &ExaminedClip<'_>, joint: u16, frame: &Frame) -> Option<(f32, f32)> {
    let rest = examined.at_rest.skeleton().rest().get(usize::from(joint)).translation.length();
    let parent =
        examined.at_rest.skeleton().parent(joint).map_or(Vec3::ZERO, |parent| examined.at_rest.place(parent));
    let counts = examined.at_rest.place(joint).distance(parent) >= examined.at_rest.share(BONE.value);
    (counts && rest > 0.0).then(|| (rest, frame.locals[usize::from(joint)].translation.length()))
}

/// The factor of the root's translation against rest. A character may stand far from the origin, so a factor above 1 is measured along the
/// rest translation (its height, usually); it may also come near the origin, so a factor below 1 must hold in every frame.
fn root_factor(examined: &ExaminedClip<'_>, root: u16) -> Option<f64> {
    lengths(examined, root, examined.samples.first())?;
    let rest = examined.at_rest.skeleton().rest().get(usize::from(root)).translation;
    let ratio = |frame: &Frame| {
        let at = frame.locals[usize::from(root)].translation;
        (f64::from(at.dot(rest) / rest.length_squared()), f64::from(at.length() / rest.length()))
    };
    let ratios: Vec<_> = examined.samples.frames().iter().map(ratio).collect();
    let along = ratios.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
    let length = ratios.iter().map(|r| r.1).fold(0.0, f64::max);
    Some(if along > 1.0 {
        along
    } else if length < 1.0 {
        length
    } else {
        1.0
    })
}

/// Reports a body that is tilted by about 90° against its rest in every frame and does not lie on the ground.
fn axis_mismatch(examined: &ExaminedClip<'_>) -> Option<Finding> {
    let body = examined.body?;
    let (at_rest, index) = (examined.at_rest, usize::from(body));
    let upright = at_rest.models[index].matrix3().inverse() * at_rest.up;
    let tilt = |frame: &Frame| {
        let up = (frame.models[index].matrix3() * upright).normalize_or_zero();
        f64::from(up.dot(at_rest.up)).clamp(-1.0, 1.0)
    };
    let tilts: Vec<f64> =
        examined.samples.frames().iter().map(|frame| libm::acos(tilt(frame)).to_degrees()).collect();
    let (least, most) = tilts.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &t| (l.min(t), m.max(t)));
    let mean = tilts.iter().sum::<f64>() / tilts.len() as f64;
    let right = exceeds(&AXIS_MISMATCH, mean) && mean < UPRIGHT_AGAIN.value && most - least <= STEADY.value;
    let message = format!(
        "`{}` is tilted by {mean:.0}° against its rest in every frame ({least:.0}° to {most:.0}°)",
        at_rest.skeleton().name(body)
    );
    (right && !lies_on_ground(examined, body))
        .then(|| Finding::new(&AXIS_MISMATCH, examined.place, message).measured(mean))
}

/// Whether a body tilted by 90° is meant to lie: its root is low, and not because its translation was rotated by the same 90°.
fn lies_on_ground(examined: &ExaminedClip<'_>, body: u16) -> bool {
    let (at_rest, index) = (examined.at_rest, usize::from(body));
    let rest = at_rest.place(body);
    let height = rest.dot(at_rest.up) - at_rest.ground;
    let frames = examined.samples.frames();
    let mean = frames.iter().map(|frame| frame.models[index].translation().dot(at_rest.up)).sum::<f32>()
        / frames.len() as f32;
    let stands = mean - at_rest.ground >= height * (STANDING.value / 100.0) as f32;
    let first = &examined.samples.first().models[index];
    let turn = first.matrix3() * at_rest.models[index].matrix3().inverse();
    let translation_rotated_too =
        first.translation().distance(turn * rest) <= height * (ROTATED_TOO.value / 100.0) as f32;
    !(stands || translation_rotated_too)
}

/// How far limbs swing from rest to the first frame. Twist is ignored: in ordinary poses twist and bend add up to large angles, and the
/// visible fault is a limb that points the wrong way.
fn first_key_far(examined: &ExaminedClip<'_>) -> Option<Finding> {
    let at_rest = examined.at_rest;
    let swing = |joint: u16| {
        let child = main_child(at_rest, joint)?;
        let limb = examined.is_limb(joint) && at_rest.reach[usize::from(joint)] >= at_rest.share(LIMB.value);
        let rest = at_rest.skeleton().rest();
        let along = rest.get(usize::from(child)).translation;
        let (a, b) = (
            rest.get(usize::from(joint)).rotation,
            examined.samples.first().locals[usize::from(joint)].rotation,
        );
        limb.then(|| (joint, f64::from((a * along).angle_between(b * along)).to_degrees()))
    };
    let far: Vec<_> = examined
        .turning()
        .filter_map(swing)
        .filter(|&(_, degrees)| exceeds(&FIRST_KEY_FAR, degrees))
        .collect();
    let &(joint, degrees) = far.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let message = format!(
        "the first frame swings `{}` by {degrees:.0}° from its rest{}",
        at_rest.skeleton().name(joint),
        super::character::others(far.len())
    );
    Some(Finding::new(&FIRST_KEY_FAR, examined.place, message).count(far.len()).measured(degrees))
}

/// The child that continues a joint's limb: the one with the longest chain.
fn main_child(at_rest: &RestPose<'_>, joint: u16) -> Option<u16> {
    let skeleton = at_rest.skeleton();
    let far =
        |child: u16| at_rest.reach[usize::from(child)] + at_rest.place(child).distance(at_rest.place(joint));
    let children =
        (0u16..).zip(skeleton.parents()).filter(|&(_, &parent)| parent == joint).map(|(child, _)| child);
    children
        .filter(|&child| skeleton.rest().get(usize::from(child)).translation.length() > 0.0)
        .max_by(|&a, &b| far(a).total_cmp(&far(b)))
}

/// Bones between weighted joints whose length changes during the clip. Bones without weights, such as sliding parts of a machine, are left out, and a character that is scaled as a whole keeps its proportions.
fn bone_stretch(examined: &ExaminedClip<'_>) -> Option<Finding> {
    let at_rest = examined.at_rest;
    let body = |joint: u16| at_rest.weighted[usize::from(joint)];
    let whole = |frame: &Frame| {
        examined.body.map_or(1.0, |b| libm::cbrtf(frame.models[usize::from(b)].matrix3().determinant().abs()))
    };
    let stretch = |joint: u16| {
        let parent = at_rest
            .skeleton()
            .parent(joint)
            .filter(|&p| body(p) && body(joint) && examined.is_limb(joint))?;
        if at_rest.place(joint).distance(at_rest.place(parent)) < at_rest.share(STRETCHING.value) {
            return None;
        }
        let at = |frame: &Frame, joint: u16| frame.models[usize::from(joint)].translation();
        let lengths = examined
            .samples
            .frames()
            .iter()
            .map(|f| at(f, joint).distance(at(f, parent)) / whole(f).max(1e-9));
        let (least, most) = lengths.fold((f32::INFINITY, 0.0f32), |(l, m), x| (l.min(x), m.max(x)));
        Some((joint, (f64::from(most) / f64::from(least.max(1e-9)) - 1.0) * 100.0))
    };
    let count = at_rest.skeleton().len();
    let long: Vec<_> = (0u16..)
        .take(count)
        .filter_map(stretch)
        .filter(|&(_, per_cent)| exceeds(&BONE_STRETCH, per_cent))
        .collect();
    let &(joint, per_cent) = long.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let message = format!(
        "the bone to `{}` becomes {per_cent:.0} % longer than it is at its shortest{}",
        at_rest.skeleton().name(joint),
        super::character::others(long.len())
    );
    Some(Finding::new(&BONE_STRETCH, examined.place, message).count(long.len()).measured(per_cent))
}

/// Reports a clip in which no joint and no scalar moves, unless it is short enough to be a pose.
pub(super) fn moves_nothing(examined: &ExaminedClip<'_>) -> Option<Finding> {
    if f64::from(examined.clip.duration()) <= POSE.value {
        return None;
    }
    let first = examined.samples.first();
    let (mut way, mut change) = (0.0f32, 0.0f32);
    for frame in examined.samples.frames() {
        for (joint, (a, b)) in first.models.iter().zip(&frame.models).enumerate() {
            way = way.max(examined.at_rest.way(joint, a, b));
        }
        let scalars = first.scalars.iter().zip(&frame.scalars);
        change = scalars.map(|(a, b)| (a - b).abs()).fold(change, f32::max);
    }
    let measured = examined.at_rest.millimetres(way);
    let still = measured < STILL.value && f64::from(change) < STILL_SCALAR.value;
    let channels = examined.clip.moved_joints().count() + examined.clip.moved_scalars().count();
    let message = format!(
        "nothing moves, though there are keys over {:.2} s in {}",
        examined.clip.duration(),
        plural(channels, "channel", "channels")
    );
    still.then(|| Finding::new(&MOVES_NOTHING, examined.place, message).measured(measured))
}
