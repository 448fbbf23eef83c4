//! Checks of what a clip does to the figure.

use super::exceeds;
use super::figure::Figure;
use super::film::{Film, Frame};
use crate::criteria::{
    BONE, LIMB, POSE, STANDING, STEADY, STILL, STILL_SCALAR, STRETCHING, SWAPPED, UPRIGHT_AGAIN,
};
use glam::Vec3;
use sinew::{Clip, Finding};
use sinew_findings::catalogue::examine::{
    AXIS_MISMATCH, BONE_STRETCH, FIRST_KEY_FAR, MOVES_NOTHING, UNIT_MISMATCH,
};

/// A clip on the figure that it plays on.
pub(super) struct Show<'a> {
    pub(super) figure: &'a Figure<'a>,
    pub(super) clip: &'a Clip,
    pub(super) film: Film,
    /// The joint that the body hangs on.
    pub(super) body: Option<u16>,
    /// What the clip is for, where that is known.
    pub(super) tag: Option<&'a str>,
    pub(super) place: &'a str,
}

/// All checks but those of the seam.
pub(super) fn examine(show: &Show<'_>) -> Vec<Finding> {
    [unit_mismatch(show), axis_mismatch(show), first_key_far(show), bone_stretch(show), moves_nothing(show)]
        .into_iter()
        .flatten()
        .collect()
}

impl Show<'_> {
    /// Whether a joint hangs below the body's root; without one, whether it is no root.
    pub(super) fn is_limb(&self, joint: u16) -> bool {
        let mut above = self.figure.chain(joint).skip(1);
        match self.body {
            Some(body) => above.any(|j| j == body),
            None => above.next().is_some(),
        }
    }
}

/// The factor between translation keys and rest: of the body's root by itself, of the bones by their median.
fn unit_mismatch(show: &Show<'_>) -> Option<Finding> {
    let skeleton = show.figure.skeleton();
    let root = show.body.and_then(|body| {
        let moved = |joint: &u16| show.clip.joint(*joint).is_some_and(|tracks| tracks.translation.is_some());
        let root = show.figure.chain(body).find(moved)?;
        Some((root, root_factor(show, root)?))
    });
    let mut bones: Vec<(u16, f64)> = show
        .clip
        .joints()
        .iter()
        .filter(|tracks| tracks.translation.is_some() && show.is_limb(tracks.joint))
        .filter_map(|tracks| {
            let (rest, first) = lengths(show, tracks.joint, show.film.first())?;
            Some((tracks.joint, f64::from(first) / f64::from(rest)))
        })
        .collect();
    bones.sort_by(|a, b| a.1.total_cmp(&b.1));
    // One or two may be props or targets that move freely.
    let median = (bones.len() >= 3).then(|| bones[bones.len() / 2]);
    let size = |factor: f64| factor.max(1.0 / factor.max(1e-9));
    let worst = root.into_iter().chain(median).max_by(|a, b| size(a.1).total_cmp(&size(b.1)))?;
    let (joint, factor) = worst;
    let way = if factor > 1.0 { "farther from" } else { "nearer to" };
    let message = format!(
        "the clip puts `{}` {:.0} times {way} its parent than the character's rest does",
        skeleton.name(joint),
        size(factor)
    );
    exceeds(&UNIT_MISMATCH, size(factor))
        .then(|| Finding::new(&UNIT_MISMATCH, show.place, message).measured(size(factor)))
}

/// Length of a joint's translation at rest and in a frame, if the rest is long enough to compare with.
fn lengths(show: &Show<'_>, joint: u16, frame: &Frame) -> Option<(f32, f32)> {
    let rest = show.figure.skeleton().rest().get(usize::from(joint)).translation.length();
    let parent = show.figure.skeleton().parent(joint).map_or(Vec3::ZERO, |parent| show.figure.place(parent));
    let counts = show.figure.place(joint).distance(parent) >= show.figure.share(BONE.value);
    (counts && rest > 0.0).then(|| (rest, frame.locals[usize::from(joint)].translation.length()))
}

/// A figure may stand far from the origin, but along its rest translation (its height, as a rule) it does not grow;
/// and it may come near the origin, but not for a whole clip.
fn root_factor(show: &Show<'_>, root: u16) -> Option<f64> {
    lengths(show, root, show.film.first())?;
    let rest = show.figure.skeleton().rest().get(usize::from(root)).translation;
    let ratio = |frame: &Frame| {
        let at = frame.locals[usize::from(root)].translation;
        (f64::from(at.dot(rest) / rest.length_squared()), f64::from(at.length() / rest.length()))
    };
    let ratios: Vec<_> = show.film.frames().iter().map(ratio).collect();
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

/// The body lies at a right angle to its rest throughout, and not on the ground.
fn axis_mismatch(show: &Show<'_>) -> Option<Finding> {
    let body = show.body?;
    let (figure, index) = (show.figure, usize::from(body));
    let upright = figure.rest[index].matrix3.inverse() * figure.up;
    let tilt = |frame: &Frame| {
        let up = (frame.models[index].matrix3 * upright).normalize_or_zero();
        f64::from(up.dot(figure.up)).clamp(-1.0, 1.0)
    };
    let tilts: Vec<f64> =
        show.film.frames().iter().map(|frame| libm::acos(tilt(frame)).to_degrees()).collect();
    let (least, most) = tilts.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &t| (l.min(t), m.max(t)));
    let mean = tilts.iter().sum::<f64>() / tilts.len() as f64;
    let right = exceeds(&AXIS_MISMATCH, mean) && mean < UPRIGHT_AGAIN.value && most - least <= STEADY.value;
    let message = format!(
        "`{}` is tilted by {mean:.0}° against its rest in every frame ({least:.0}° to {most:.0}°)",
        figure.skeleton().name(body)
    );
    (right && !lies_on_ground(show, body))
        .then(|| Finding::new(&AXIS_MISMATCH, show.place, message).measured(mean))
}

/// Whether a body that is tilted by a right angle is meant to lie: it is low, and not because its translation was turned along.
fn lies_on_ground(show: &Show<'_>, body: u16) -> bool {
    let (figure, index) = (show.figure, usize::from(body));
    let rest = figure.place(body);
    let height = rest.dot(figure.up) - figure.ground;
    let frames = show.film.frames();
    let mean = frames.iter().map(|frame| frame.models[index].translation.dot(figure.up)).sum::<f32>()
        / frames.len() as f32;
    let stands = mean - figure.ground >= height * (STANDING.value / 100.0) as f32;
    let first = &show.film.first().models[index];
    let turn = first.matrix3 * figure.rest[index].matrix3.inverse();
    let turned_along = first.translation.distance(turn * rest) <= height * (SWAPPED.value / 100.0) as f32;
    !(stands || turned_along)
}

/// How far limbs swing from rest to the first frame. Twist is left out: it adds up with bends in ordinary poses, and a limb that
/// points the wrong way is what one sees.
fn first_key_far(show: &Show<'_>) -> Option<Finding> {
    let figure = show.figure;
    let swing = |joint: u16| {
        let child = main_child(figure, joint)?;
        let limb = show.is_limb(joint) && figure.reach[usize::from(joint)] >= figure.share(LIMB.value);
        let rest = figure.skeleton().rest();
        let along = rest.get(usize::from(child)).translation;
        let (a, b) =
            (rest.get(usize::from(joint)).rotation, show.film.first().locals[usize::from(joint)].rotation);
        limb.then(|| (joint, f64::from((a * along).angle_between(b * along)).to_degrees()))
    };
    let turning = show.clip.joints().iter().filter(|tracks| tracks.rotation.is_some());
    let far: Vec<_> = turning
        .filter_map(|tracks| swing(tracks.joint))
        .filter(|&(_, degrees)| exceeds(&FIRST_KEY_FAR, degrees))
        .collect();
    let &(joint, degrees) = far.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let message = format!(
        "the first frame swings `{}` by {degrees:.0}° from its rest{}",
        figure.skeleton().name(joint),
        super::character::others(far.len())
    );
    Some(Finding::new(&FIRST_KEY_FAR, show.place, message).count(far.len()).measured(degrees))
}

/// The child that a joint's limb goes on with: the one that reaches farthest.
fn main_child(figure: &Figure<'_>, joint: u16) -> Option<u16> {
    let skeleton = figure.skeleton();
    let far =
        |child: u16| figure.reach[usize::from(child)] + figure.place(child).distance(figure.place(joint));
    let children =
        (0u16..).zip(skeleton.parents()).filter(|&(_, &parent)| parent == joint).map(|(child, _)| child);
    children
        .filter(|&child| skeleton.rest().get(usize::from(child)).translation.length() > 0.0)
        .max_by(|&a, &b| far(a).total_cmp(&far(b)))
}

/// Bones of a skinned body whose length changes during the clip: parts of a machine may slide. A figure that grows as a whole keeps its proportions.
fn bone_stretch(show: &Show<'_>) -> Option<Finding> {
    let figure = show.figure;
    let body = |joint: u16| figure.weighted[usize::from(joint)];
    let whole = |frame: &Frame| {
        show.body.map_or(1.0, |b| libm::cbrtf(frame.models[usize::from(b)].matrix3.determinant().abs()))
    };
    let stretch = |joint: u16| {
        let parent =
            figure.skeleton().parent(joint).filter(|&p| body(p) && body(joint) && show.is_limb(joint))?;
        if figure.place(joint).distance(figure.place(parent)) < figure.share(STRETCHING.value) {
            return None;
        }
        let at = |frame: &Frame, joint: u16| frame.models[usize::from(joint)].translation;
        let lengths =
            show.film.frames().iter().map(|f| at(f, joint).distance(at(f, parent)) / whole(f).max(1e-9));
        let (least, most) = lengths.fold((f32::INFINITY, 0.0f32), |(l, m), x| (l.min(x), m.max(x)));
        Some((joint, (f64::from(most) / f64::from(least.max(1e-9)) - 1.0) * 100.0))
    };
    let count = figure.skeleton().len();
    let long: Vec<_> = (0u16..)
        .take(count)
        .filter_map(stretch)
        .filter(|&(_, per_cent)| exceeds(&BONE_STRETCH, per_cent))
        .collect();
    let &(joint, per_cent) = long.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let message = format!(
        "the bone to `{}` becomes {per_cent:.0} % longer than it is at its shortest{}",
        figure.skeleton().name(joint),
        super::character::others(long.len())
    );
    Some(Finding::new(&BONE_STRETCH, show.place, message).count(long.len()).measured(per_cent))
}

/// No joint and no scalar moves. A pose is not meant to.
pub(super) fn moves_nothing(show: &Show<'_>) -> Option<Finding> {
    if f64::from(show.clip.duration()) <= POSE.value {
        return None;
    }
    let first = show.film.first();
    let (mut way, mut change) = (0.0f32, 0.0f32);
    for frame in show.film.frames() {
        for (a, b) in first.models.iter().zip(&frame.models) {
            let points = show.figure.points(a).into_iter().zip(show.figure.points(b));
            way = points.map(|(a, b)| a.distance(b)).fold(way, f32::max);
        }
        let scalars = first.scalars.iter().zip(&frame.scalars);
        change = scalars.map(|(a, b)| (a - b).abs()).fold(change, f32::max);
    }
    let measured = show.figure.millimetres(way);
    let still = measured < STILL.value && f64::from(change) < STILL_SCALAR.value;
    let message = format!(
        "its {} channels have keys over {:.2} s, but nothing moves",
        show.clip.joints().len() + show.clip.scalars().len(),
        show.clip.duration()
    );
    still.then(|| Finding::new(&MOVES_NOTHING, show.place, message).measured(measured))
}
