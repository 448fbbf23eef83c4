use super::super::pose::reach;
use super::*;
use crate::creature::{played, truth};
use crate::humanoid::Side;
use glam::DMat4;

/// The fights in which both feet stay where they are.
const PLANTED: [Motion; 6] =
    [Motion::Idle, Motion::Bite, Motion::Claw, Motion::TailWhip, Motion::Hit, Motion::Breath];

#[test]
fn feet_do_not_slide() {
    let skeleton = Skeleton::creature();
    let scene = skeleton.scene();
    for motion in PLANTED {
        let take = motion.take(&skeleton);
        for side in Side::BOTH {
            let toe = skeleton.sided(side, "Toe");
            // Four times between two frames: what thinned curves do there counts too.
            for step in 0..=motion.frames() * 4 {
                let time = step as f64 / RATE / 4.0;
                let place = scene.models(Some(&take), time)[toe].w_axis.truncate();
                let slide = place.distance(skeleton.joints[toe].place);
                assert!(slide < 0.1, "{motion:?}: the {} toe slides {slide} cm at {time}", side.word());
            }
        }
    }
}

#[test]
fn the_walk_slides_its_feet_back_evenly() {
    let skeleton = Skeleton::creature();
    let at = |phase: f64| Motion::Walk.pose(phase * Motion::Walk.duration()).feet[0].at;
    for step in 1..10 {
        let phase = f64::from(step) / 20.0;
        let want = daily::STRIDE * (0.5 - 2.0 * phase);
        assert!((at(phase).z - want).abs() < 1e-9 && at(phase).y == 0.0);
    }
    assert!(reach(&skeleton, Side::Left, &Motion::Walk.pose(0.0)) < 1.0);
}

#[test]
fn legs_reach_the_feet() {
    let skeleton = Skeleton::creature();
    for motion in Motion::ALL {
        for frame in 0..=motion.frames() {
            let pose = motion.pose(frame as f64 / RATE);
            for side in Side::BOTH {
                let reach = reach(&skeleton, side, &pose);
                assert!((0.2..0.9999).contains(&reach), "{motion:?} frame {frame}: {} {reach}", side.word());
            }
        }
    }
}

#[test]
fn loops_close_and_the_others_come_back() {
    let skeleton = Skeleton::creature();
    let scene = skeleton.scene();
    let stance = scene.models(Some(&Motion::Bite.take(&skeleton)), 0.0);
    for motion in Motion::ALL {
        let take = motion.take(&skeleton);
        let (start, end) = (scene.models(Some(&take), 0.0), scene.models(Some(&take), motion.duration()));
        let far = |a: &[DMat4], b: &[DMat4]| {
            let places = a.iter().zip(b).map(|(a, b)| a.w_axis.distance(b.w_axis));
            places.fold(0.0, f64::max)
        };
        if motion.looped() {
            assert!(far(&start, &end) < 0.05, "{motion:?}: {}", far(&start, &end));
        } else {
            assert!(far(&start, &stance) < 1.0, "{motion:?} begins {}", far(&start, &stance));
            let back = far(&end, &stance);
            assert!(back < 1.6 || motion == Motion::Faint, "{motion:?} ends {back}");
        }
    }
}

#[test]
fn nothing_sinks_into_the_ground() {
    for motion in Motion::ALL {
        let frames = (0..=motion.frames()).step_by(10).map(|f| f as f64 / RATE);
        for truth in truth(motion, &frames.collect::<Vec<_>>()) {
            for (mesh, vertices) in &truth.meshes {
                let low = vertices.iter().map(|v| v.y * 100.0).fold(f64::INFINITY, f64::min);
                assert!(low > -1.2, "{motion:?}: {mesh} is at {low} cm at {}", truth.time);
            }
        }
    }
}

#[test]
fn every_clip_moves_in_its_own_way() {
    let scenes = Motion::ALL.map(played);
    for (motion, scene) in Motion::ALL.iter().zip(&scenes) {
        let take = &scene.takes[0];
        let keys = take.tracks.iter().flat_map(|t| t.curves.iter().flatten()).map(|c| c.keys.len());
        assert!(keys.sum::<usize>() > 300, "{motion:?}");
        let names: Vec<_> = Motion::ALL.iter().filter(|m| m.source_name() == motion.source_name()).collect();
        assert_eq!(names.len(), 1);
    }
}

#[test]
fn axes_have_keys_of_their_own() {
    let take = Motion::Idle.take(&Skeleton::creature());
    let mut differ = 0;
    let mut missing = 0;
    for track in take.tracks.iter().filter(|t| t.property == Property::Rotation) {
        let times = |axis: usize| {
            let curve = track.curves[axis].as_ref()?;
            Some(curve.keys.iter().map(|k| k.time).collect::<Vec<_>>())
        };
        missing += (0..3).filter(|a| times(*a).is_none()).count();
        differ += usize::from(times(0).is_some() && times(1).is_some() && times(0) != times(1));
    }
    assert!(differ > 10, "{differ} joints");
    assert!(missing >= 4, "{missing} axes stay at rest");
    assert!(take.tracks.iter().any(|t| t.property == Property::Scaling));
}

#[test]
fn thinned_curves_stay_near() {
    let keys: Vec<(f64, f64)> =
        (0..60).map(|i| (f64::from(i), math::sin(f64::from(i) * 0.2) * 40.0)).collect();
    let Some(thin) = curve(&keys, 0.0, 2.0) else { panic!("it moves") };
    assert!(thin.keys.len() < 40);
    for (time, value) in keys {
        assert!((thin.value(time).unwrap_or(f64::NAN) - value).abs() <= 2.0);
    }
    assert_eq!(curve(&[(0.0, 2.0), (1.0, 2.0)], 2.0, 0.1), None);
    assert_eq!(curve(&[(0.0, 2.0), (1.0, 2.0)], 1.0, 0.1), Some(Curve::linear([(0.0, 2.0)])));
}
