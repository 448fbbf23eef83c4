use super::*;
use crate::Limits;
use glam::{DQuat, DVec3};
use sinew::NO_JOINT;

const TOLERANCE: f64 = 2e-5;

/// A chain of joints one unit apart.
fn chain(count: u16) -> (Vec<u16>, Vec<Trs>) {
    let parents = (0..count).map(|j| j.checked_sub(1).unwrap_or(NO_JOINT)).collect();
    let link = |j: u16| Trs { translation: DVec3::Y * f64::from(j.min(1)), ..Trs::IDENTITY };
    (parents, (0..count).map(link).collect())
}

fn curved(count: u16, part: usize, knots: &[Knot]) -> Vec<JointCurves> {
    let curves = |joint| {
        let mut curves = JointCurves { joint, ..JointCurves::default() };
        curves.parts[part] = Curve::Curved(knots.to_vec());
        curves
    };
    (0..count).map(curves).collect()
}

fn run(
    count: u16,
    joints: &[JointCurves],
    mode: Resample,
    evaluate: &impl Evaluate,
) -> Result<Resampled, Cause> {
    let (parents, rest) = chain(count);
    let diagonal = f64::from(count);
    let request = Request {
        parents: &parents,
        rest: &rest,
        diagonal,
        duration: 2.0,
        joints,
        mode,
        budget: &Budget::new(&Limits::default()),
    };
    resample(&request, evaluate)
}

/// Largest error at many times, by another path: f64 products of what the tracks give.
fn worst(count: u16, tracks: &[JointTracks], evaluate: &impl Evaluate) -> f64 {
    let (_, rest) = chain(count);
    let mut worst = 0.0f64;
    for step in 0..=2000 {
        let time = f64::from(step) * 0.001;
        let (mut a, mut b) = (glam::DAffine3::IDENTITY, glam::DAffine3::IDENTITY);
        for (joint, rest) in rest.iter().enumerate() {
            let mut local = *rest;
            if let Some(tracks) = tracks.iter().find(|t| usize::from(t.joint) == joint) {
                let sampling = sinew::Sampling::Interpolate;
                if let Some(track) = &tracks.rotation {
                    local.rotation = track.sample(time, sampling).as_dquat();
                }
                if let Some(track) = &tracks.translation {
                    local.translation = track.sample(time, sampling).as_dvec3();
                }
            }
            a *= local.to_affine();
            b *= evaluate(joint, time, Side::After).to_affine();
            for probe in tolerance::probes(f64::from(count)) {
                worst = worst.max(a.transform_point3(probe).distance(b.transform_point3(probe)));
            }
        }
    }
    worst / f64::from(count)
}

fn swing(joint: usize, time: f64, _: Side) -> Trs {
    let rotation =
        DQuat::from_rotation_z((time * 3.0 + joint as f64).sin()) * DQuat::from_rotation_x(time * time);
    Trs { rotation, translation: DVec3::Y * if joint == 0 { 0.0 } else { 1.0 }, ..Trs::IDENTITY }
}

#[test]
fn any_curve_is_followed_at_any_time() {
    let knots = [0.0, 0.5, 1.1, 2.0].map(Knot::new);
    let joints = curved(6, 1, &knots);
    let got = run(6, &joints, Resample::Within(TOLERANCE), &swing).unwrap();
    let error = worst(6, &got.tracks, &swing);
    assert!(error <= TOLERANCE, "{error}");
    assert!(got.error <= TOLERANCE && got.error > 0.0);
    // The tolerance is used, not undercut by far.
    assert!(error > TOLERANCE * 0.1, "{error}");
    let keys = run(6, &joints, Resample::Keys, &swing).unwrap();
    assert!(keys.tracks.iter().all(|t| t.rotation.as_ref().unwrap().times() == [0.0, 0.5, 1.1, 2.0]));
    assert!(worst(6, &keys.tracks, &swing) > 1e-2, "source keys alone are not enough for these curves");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let joints = curved(6, 1, &[Knot::new(0.0), Knot::new(2.0)]);
    let once = run(6, &joints, Resample::default(), &swing).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = pool.install(|| run(6, &joints, Resample::default(), &swing).unwrap());
    assert_eq!(once, again);
}

#[test]
fn straight_lines_get_no_more_keys() {
    let line = |_: usize, time: f64, _: Side| Trs { translation: DVec3::X * time, ..Trs::IDENTITY };
    let joints = curved(1, 0, &[0.0, 0.5, 2.0].map(Knot::new));
    let got = run(1, &joints, Resample::default(), &line).unwrap();
    assert_eq!(got.tracks[0].translation.as_ref().unwrap().times(), [0.0, 0.5, 2.0]);
    assert_eq!(got.tracks[0].rotation, None, "what no curve moves has no track");
}

#[test]
fn what_curves_hold_still_is_one_key() {
    let still = |_: usize, _: f64, _: Side| Trs { translation: DVec3::X, ..Trs::IDENTITY };
    let joints = curved(1, 0, &[0.0, 0.5, 2.0].map(Knot::new));
    let track = run(1, &joints, Resample::default(), &still).unwrap().tracks.remove(0).translation.unwrap();
    assert_eq!((track.times(), track.values()), (&[0.0][..], &[glam::Vec3::X][..]));
}

/// 0 up to 1/3 s, then a ramp from 5.
fn jump(_: usize, time: f64, side: Side) -> Trs {
    let after = time > 1.0 / 3.0 || (time == 1.0 / 3.0 && side == Side::After);
    Trs { translation: DVec3::X * if after { 5.0 + time } else { 0.0 }, ..Trs::IDENTITY }
}

#[test]
fn a_jump_is_two_keys_at_one_time() {
    let knots = [Knot::new(0.0), Knot { time: 1.0 / 3.0, jump: true }, Knot::new(2.0)];
    let got = run(1, &curved(1, 0, &knots), Resample::default(), &jump).unwrap();
    let track = got.tracks[0].translation.as_ref().unwrap();
    // The nearest time lies behind the jump: at the exact time the value after it must hold.
    let at = ((1.0f64 / 3.0) as f32).next_down();
    assert_eq!(track.times(), [0.0, at, at, 2.0]);
    assert_eq!(track.values()[1].x, 0.0);
    assert!((track.values()[2].x - 5.333_333_5).abs() < 1e-6);
}

#[test]
fn the_value_at_the_exact_time_counts() {
    // Zero, one at the very time, then two: a key of its own between two steps.
    let spike = |_: usize, time: f64, side: Side| {
        let value = if time < 0.5 || (time == 0.5 && side == Side::Before) {
            0.0
        } else if time == 0.5 {
            1.0
        } else {
            2.0
        };
        Trs { translation: DVec3::X * value, ..Trs::IDENTITY }
    };
    let knots = [Knot::new(0.0), Knot { time: 0.5, jump: true }, Knot::new(2.0)];
    let got = run(1, &curved(1, 0, &knots), Resample::default(), &spike).unwrap();
    let track = got.tracks[0].translation.as_ref().unwrap();
    for (time, value) in [(0.49, 0.0), (0.5, 1.0), (0.5001, 2.0), (2.0, 2.0)] {
        assert_eq!(track.sample(time, sinew::Sampling::Interpolate).x, value, "at {time}");
    }
}

#[test]
fn steps_become_a_step_track() {
    let steps = |_: usize, time: f64, side: Side| {
        let value = if side == Side::Before { (time * 2.0).ceil() - 1.0 } else { (time * 2.0).floor() };
        Trs { translation: DVec3::X * value, ..Trs::IDENTITY }
    };
    let knots = [0.0, 0.5, 1.0, 1.5, 2.0].map(|time| Knot { time, jump: true });
    let got = run(1, &curved(1, 0, &knots), Resample::default(), &steps).unwrap();
    let track = got.tracks[0].translation.as_ref().unwrap();
    assert_eq!(track.interpolation(), sinew::Interpolation::Step);
    assert_eq!(track.times(), [0.0, 0.5, 1.0, 1.5, 2.0]);
    assert_eq!(track.values()[3].x, 3.0);
}

#[test]
fn linear_keys_are_kept_as_they_are() {
    let turn = |_: usize, time: f64, _: Side| Trs {
        rotation: DQuat::from_rotation_x(1.0).slerp(DQuat::from_rotation_y(1.0), time / 2.0),
        ..Trs::IDENTITY
    };
    let curves = JointCurves {
        joint: 0,
        parts: [Curve::Still, Curve::Linear([0.0, 0.7, 2.0].map(Knot::new).to_vec()), Curve::Still],
    };
    let got = run(1, &[curves], Resample::default(), &turn).unwrap();
    assert_eq!(got.tracks[0].rotation.as_ref().unwrap().times(), [0.0, 0.7, 2.0]);
    assert!(got.error < 1e-6);
}

#[test]
fn too_many_keys_are_an_error() {
    let (parents, rest) = chain(2);
    let joints = curved(2, 1, &[Knot::new(0.0), Knot::new(2.0)]);
    let request = Request {
        parents: &parents,
        rest: &rest,
        diagonal: 2.0,
        duration: 2.0,
        joints: &joints,
        mode: Resample::default(),
        budget: &Budget::new(&Limits { keys: 20, ..Limits::default() }),
    };
    let error = resample(&request, &swing).unwrap_err();
    assert!(matches!(error, Cause::Limit { name: "keys", found: Some(21..), limit: 20 }), "{error}");
}

#[test]
fn scalars_follow_their_curve() {
    let limits = Limits::default();
    let wave = |time: f64, _: Side| (time * 4.0).sin();
    let curve = Curve::Curved([0.0, 1.0, 2.0].map(Knot::new).to_vec());
    let track =
        scalar(&curve, 2.0, Resample::default(), 1e-4, &Budget::new(&limits), &wave).unwrap().unwrap();
    for step in 0..=1000 {
        let time = f64::from(step) * 0.002;
        let got = f64::from(track.sample(time, sinew::Sampling::Interpolate));
        assert!((got - wave(time, Side::After)).abs() <= 1e-4, "at {time}");
    }
    assert!(
        scalar(&Curve::Still, 2.0, Resample::Keys, 1e-4, &Budget::new(&limits), &wave).unwrap().is_none()
    );
}
