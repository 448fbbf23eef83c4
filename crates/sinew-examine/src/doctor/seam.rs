//! Checks of clips that are meant to loop: travel, jumps and jerks where the end meets the beginning.

use super::exceeds;
use super::film::angle;
use super::motion::Show;
use crate::criteria::{CLOSED, JERK, LOOPS, TURNED, TURNING};
use crate::purpose::happens_once;
use glam::{Affine3, DQuat, DVec3, Quat, Vec3};
use sinew::{Finding, Travel};
use sinew_findings::catalogue::examine::{LOOP_SEAM, LOOP_SPEED, TRAVELLING_ROOT};

/// All checks of the seam, if the clip is meant to loop.
pub(super) fn examine(show: &Show<'_>) -> Vec<Finding> {
    if show.film.frames().len() < 4 || !loops(show) || tagged_as_once(show) {
        return Vec::new();
    }
    let figure = show.figure;
    let travel = Travel::of(show.clip, figure.skeleton(), None, figure.up);
    let mut found = Vec::new();
    found.extend(travelling(show, &travel));
    found.extend(jump(show, travel.whole()));
    found.extend(jerk(show));
    found
}

/// Whether its tag says that it happens once: a landing may end with most of its joints as they began, and still nobody loops it.
fn tagged_as_once(show: &Show<'_>) -> bool {
    show.tag.is_some_and(happens_once)
}

/// Whether most joints that turn end as they begin, but for the step to the next frame that some exporters leave out.
pub(super) fn loops(show: &Show<'_>) -> bool {
    let joints = show.clip.joints().iter().filter(|tracks| tracks.rotation.is_some());
    let closes = |joint: u16| {
        let turns = show.film.rotations(joint);
        let (first, last) = (*turns.first()?, *turns.last()?);
        let range = turns.iter().map(|&turn| angle(first, turn)).fold(0.0, f64::max);
        let step = turns.windows(2).map(|pair| angle(pair[0], pair[1])).fold(0.0, f64::max);
        let allowed = CLOSED.value.max((1.5 * step).min(0.4 * range));
        (range >= TURNING.value).then(|| angle(first, last) <= allowed)
    };
    let (closed, moving) = joints
        .filter_map(|tracks| closes(tracks.joint))
        .fold((0usize, 0usize), |(closed, moving), closes| (closed + usize::from(closes), moving + 1));
    moving > 0 && closed as f64 >= moving as f64 * LOOPS.value / 100.0
}

fn travelling(show: &Show<'_>, travel: &Travel) -> Option<Finding> {
    let measured = show.figure.millimetres(travel.whole().length());
    let name = show.figure.skeleton().name(travel.joint()?);
    let way = show.figure.length(travel.whole().length());
    let message = format!("`{name}` ends {way} from where it began, in the same pose");
    exceeds(&TRAVELLING_ROOT, measured)
        .then(|| Finding::new(&TRAVELLING_ROOT, show.place, message).measured(measured))
}

/// The largest way that anything of the body jumps from the last frame to the first, without travel over the ground.
fn jump(show: &Show<'_>, travel: Vec3) -> Option<Finding> {
    let figure = show.figure;
    let (first, last) = (&show.film.first().models, &show.film.last().models);
    let back = on_purpose(show).inverse() * Affine3::from_translation(-travel);
    let way = |(a, b): (&Affine3, &Affine3)| {
        let points = figure.points(a).into_iter().zip(figure.points(&(back * *b)));
        points.map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
    };
    let of_body = |joint: &(u16, f32)| show.body == Some(joint.0) || show.is_limb(joint.0);
    let ways = (0u16..).zip(first.iter().zip(last).map(way)).filter(of_body);
    let (joint, way) = ways.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let measured = figure.millimetres(way);
    let message = format!(
        "`{}` jumps by {} from the last frame to the first",
        figure.skeleton().name(joint),
        figure.length(way)
    );
    exceeds(&LOOP_SEAM, measured).then(|| Finding::new(&LOOP_SEAM, show.place, message).measured(measured))
}

/// The turn about the vertical, around the body's first place, that a clip which turns round makes on purpose.
fn on_purpose(show: &Show<'_>) -> Affine3 {
    let Some(body) = show.body.map(usize::from) else { return Affine3::IDENTITY };
    let (first, last) = (&show.film.first().models[body], &show.film.last().models[body]);
    let turn = Quat::from_mat3(&(last.matrix3 * first.matrix3.inverse())).normalize();
    let up = show.figure.up;
    let about = turn.xyz().dot(up);
    let degrees = 2.0 * libm::atan2f(about, turn.w).to_degrees();
    let degrees = (degrees + 180.0).rem_euclid(360.0) - 180.0;
    if !turn.is_finite() || f64::from(degrees.abs()) < TURNED.value {
        return Affine3::IDENTITY;
    }
    let center = first.translation;
    Affine3::from_translation(center)
        * Affine3::from_quat(Quat::from_axis_angle(up, degrees.to_radians()))
        * Affine3::from_translation(-center)
}

/// The largest change of turning speed from the end to the beginning, where it stands out from the clip's own changes.
fn jerk(show: &Show<'_>) -> Option<Finding> {
    let joints = show.clip.joints().iter().filter(|tracks| tracks.rotation.is_some());
    let change = |joint: u16| {
        let turns = show.film.rotations(joint);
        let speeds: Vec<DVec3> =
            turns.windows(2).map(|pair| speed(pair[0], pair[1], show.film.step)).collect();
        let seam = speeds.first()?.distance(*speeds.last()?);
        let within = speeds.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f64::max);
        (seam > JERK.value * within).then_some((joint, seam))
    };
    let (joint, measured) =
        joints.filter_map(|tracks| change(tracks.joint)).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let message = format!(
        "the turning speed of `{}` changes by {measured:.0} °/s from the end to the beginning",
        show.figure.skeleton().name(joint)
    );
    exceeds(&LOOP_SPEED, measured).then(|| Finding::new(&LOOP_SPEED, show.place, message).measured(measured))
}

/// Turning speed between two rotations, as an axis with degrees a second for its length.
fn speed(a: Quat, b: Quat, step: f64) -> DVec3 {
    let turn: DQuat = (a.as_dquat().inverse() * b.as_dquat()).normalize();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    let radians = 2.0 * libm::atan2(sine, turn.w);
    if sine > 0.0 { turn.xyz() / sine * (radians.to_degrees() / step) } else { DVec3::ZERO }
}
