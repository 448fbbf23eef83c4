//! Checks of clips that are meant to loop: travel, and jumps of position or speed where the end meets the start.

use super::exceeds;
use super::motion::ExaminedClip;
use super::sampled_clip::angle;
use crate::criteria::{CLOSED, JERK, LOOPS, TURNED, TURNING};
use crate::purpose::plays_once;
use glam::{Affine3, DQuat, DVec3, Quat, Vec3};
use sinew::{Finding, Mat3x4, Travel};
use sinew_findings::catalogue::examine::{LOOP_SEAM, LOOP_SPEED, TRAVELLING_ROOT};

/// All checks of the seam, if the clip is meant to loop.
pub(super) fn examine(examined: &ExaminedClip<'_>) -> Vec<Finding> {
    if examined.samples.frames().len() < 4 || !loops(examined) || tagged_as_once(examined) {
        return Vec::new();
    }
    let at_rest = examined.at_rest;
    let travel = Travel::of(examined.clip, at_rest.skeleton(), None, at_rest.up);
    let mut found = Vec::new();
    found.extend(travelling(examined, &travel));
    found.extend(jump(examined, travel.whole()));
    found.extend(jerk(examined));
    found
}

/// Whether its tag is one of clips that play once: a landing may end in its first pose, and still is not a loop.
fn tagged_as_once(examined: &ExaminedClip<'_>) -> bool {
    examined.tag.is_some_and(plays_once)
}

/// Whether most rotating joints end with the rotation that they start with, give or take the last frame, which some exporters leave out.
pub(super) fn loops(examined: &ExaminedClip<'_>) -> bool {
    let closes = |joint: u16| {
        let turns = examined.samples.rotations(joint);
        let (first, last) = (*turns.first()?, *turns.last()?);
        let range = turns.iter().map(|&turn| angle(first, turn)).fold(0.0, f64::max);
        let step = turns.windows(2).map(|pair| angle(pair[0], pair[1])).fold(0.0, f64::max);
        let allowed = CLOSED.value.max((1.5 * step).min(0.4 * range));
        (range >= TURNING.value).then(|| angle(first, last) <= allowed)
    };
    let (closed, moving) = examined
        .turning()
        .filter_map(closes)
        .fold((0usize, 0usize), |(closed, moving), closes| (closed + usize::from(closes), moving + 1));
    moving > 0 && closed as f64 >= moving as f64 * LOOPS.value / 100.0
}

fn travelling(examined: &ExaminedClip<'_>, travel: &Travel) -> Option<Finding> {
    let measured = examined.at_rest.millimetres(travel.whole().length());
    let name = examined.at_rest.skeleton().name(travel.joint()?);
    let way = examined.at_rest.length(travel.whole().length());
    let message = format!("`{name}` ends {way} from where it began, in the same pose");
    exceeds(&TRAVELLING_ROOT, measured)
        .then(|| Finding::new(&TRAVELLING_ROOT, examined.place, message).measured(measured))
}

/// The largest distance that a part of the body jumps from the last frame to the first, with the travel taken out.
fn jump(examined: &ExaminedClip<'_>, travel: Vec3) -> Option<Finding> {
    let at_rest = examined.at_rest;
    let (first, last) = (&examined.samples.first().models, &examined.samples.last().models);
    let back = Mat3x4::from(intended_turn(examined).inverse() * Affine3::from_translation(-travel));
    let way = |(a, b): (&Mat3x4, &Mat3x4)| {
        let points = at_rest.points(a).into_iter().zip(at_rest.points(&(back * *b)));
        points.map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
    };
    let of_body = |joint: &(u16, f32)| examined.body == Some(joint.0) || examined.is_limb(joint.0);
    let ways = (0u16..).zip(first.iter().zip(last).map(way)).filter(of_body);
    let (joint, way) = ways.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let measured = at_rest.millimetres(way);
    let message = format!(
        "`{}` jumps by {} from the last frame to the first",
        at_rest.skeleton().name(joint),
        at_rest.length(way)
    );
    exceeds(&LOOP_SEAM, measured)
        .then(|| Finding::new(&LOOP_SEAM, examined.place, message).measured(measured))
}

/// The intended turn of the body about the vertical axis from first to last frame; the identity if it is too small to be intended.
fn intended_turn(examined: &ExaminedClip<'_>) -> Affine3 {
    let Some(body) = examined.body.map(usize::from) else { return Affine3::IDENTITY };
    let (first, last) = (&examined.samples.first().models[body], &examined.samples.last().models[body]);
    let turn = Quat::from_mat3(&(last.matrix3() * first.matrix3().inverse())).normalize();
    let up = examined.at_rest.up;
    let about = turn.xyz().dot(up);
    let degrees = 2.0 * libm::atan2f(about, turn.w).to_degrees();
    let degrees = (degrees + 180.0).rem_euclid(360.0) - 180.0;
    if !turn.is_finite() || f64::from(degrees.abs()) < TURNED.value {
        return Affine3::IDENTITY;
    }
    let center = first.translation();
    Affine3::from_translation(center)
        * Affine3::from_quat(Quat::from_axis_angle(up, degrees.to_radians()))
        * Affine3::from_translation(-center)
}

/// The largest change of angular velocity from the end to the start, if it exceeds the changes within the clip.
fn jerk(examined: &ExaminedClip<'_>) -> Option<Finding> {
    let change = |joint: u16| {
        let turns = examined.samples.rotations(joint);
        let speeds: Vec<DVec3> =
            turns.windows(2).map(|pair| speed(pair[0], pair[1], examined.samples.step)).collect();
        let seam = speeds.first()?.distance(*speeds.last()?);
        let within = speeds.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f64::max);
        (seam > JERK.value * within).then_some((joint, seam))
    };
    let (joint, measured) = examined.turning().filter_map(change).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let message = format!(
        "the turning speed of `{}` changes by {measured:.0} °/s from the end to the beginning",
        examined.at_rest.skeleton().name(joint)
    );
    exceeds(&LOOP_SPEED, measured)
        .then(|| Finding::new(&LOOP_SPEED, examined.place, message).measured(measured))
}

/// Angular velocity between two rotations: the axis, with degrees per second as its length.
fn speed(a: Quat, b: Quat, step: f64) -> DVec3 {
    let turn: DQuat = (a.as_dquat().inverse() * b.as_dquat()).normalize();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    let radians = 2.0 * libm::atan2(sine, turn.w);
    if sine > 0.0 { turn.xyz() / sine * (radians.to_degrees() / step) } else { DVec3::ZERO }
}
