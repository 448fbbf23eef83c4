use super::*;
use crate::{Interpolation, Joint, JointTracks, LoopMode, Mat3x4, Playback, Sampling, Track};
use glam::Affine3;

/// Hips under a turned armature, walking 1.8 m along model +Z with sway and a bounce.
fn walk() -> (Skeleton, Clip) {
    let turned = Transform::from_rotation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2));
    let skeleton = Skeleton::new(
        vec![
            Joint::new("armature", None, turned),
            Joint::new("hips", Some(0), Transform::IDENTITY),
            Joint::new("leg", Some(1), Transform::from_translation(Vec3::X)),
            Joint::new("prop", None, Transform::from_translation(Vec3::splat(3.0))),
        ],
        vec![],
    )
    .unwrap();
    let keys = [[0.0, 0.0, 1.0], [0.05, -0.9, 1.1], [-0.05, -1.2, 1.0], [0.0, -1.8, 1.02]];
    let track =
        Track::new(vec![0.0, 0.4, 0.7, 1.0], keys.map(Vec3::from_array).to_vec(), Interpolation::Linear);
    let tracks = JointTracks { translation: Some(track.unwrap()), ..JointTracks::new(1) };
    (skeleton, Clip::new("walk", 1.0, vec![tracks], vec![]).unwrap())
}

fn model(skeleton: &Skeleton, pose: &Pose) -> Vec<Affine3> {
    let mut out = vec![Mat3x4::IDENTITY; skeleton.len()];
    crate::job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut out).unwrap();
    out.into_iter().map(Affine3::from).collect()
}

#[test]
fn travel_times_extracted_is_kept() {
    let (skeleton, clip) = walk();
    let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
    assert_eq!(travel.joint(), Some(1));
    assert!(travel.whole().abs_diff_eq(Vec3::new(0.0, 0.0, 1.8), 1e-5), "{}", travel.whole());
    for i in 0..=20 {
        let time = f64::from(i) / 20.0;
        let mut pose = skeleton.rest().clone();
        crate::job::sample(&skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
        let kept = model(&skeleton, &pose);
        travel.remove(&skeleton, time, &mut pose);
        for (kept, extracted) in kept.iter().zip(model(&skeleton, &pose)) {
            let back = Affine3::from_translation(travel.at(time)) * extracted;
            assert!(back.abs_diff_eq(*kept, 1e-5));
        }
    }
}

#[test]
fn in_place_ends_where_it_began_but_for_height() {
    let (skeleton, clip) = walk();
    let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
    let hips = |time| {
        let mut pose = skeleton.rest().clone();
        crate::job::sample(&skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
        travel.remove(&skeleton, time, &mut pose);
        model(&skeleton, &pose)[1].translation
    };
    assert!((hips(1.0) - hips(0.0)).abs_diff_eq(Vec3::new(0.0, 0.02, 0.0), 1e-5));
    assert!(hips(0.4).x.abs() > 0.04, "the sway stays");
}

#[test]
fn deltas_sum_up_over_loops() {
    let (skeleton, clip) = walk();
    let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
    for speed in [1.0, -0.5, 3.0] {
        let mut playback = Playback::new(1.0, LoopMode::Loop, speed);
        let mut sum = DVec3::ZERO;
        for step in [0.3, 0.9, 0.0, 2.7, 1.1] {
            playback.advance(step);
            sum += playback.displacement(&travel);
        }
        assert!((sum.z - 5.0 * speed * 1.8).abs() < 1e-5, "{sum}");
    }
    let mut playback = Playback::new(1.0, LoopMode::Times(2), 1.0);
    playback.advance(9.0);
    assert!((playback.displacement(&travel).z - 3.6).abs() < 1e-5);
    let mut playback = Playback::new(1.0, LoopMode::PingPong, 1.0);
    playback.advance(2.0);
    assert!(playback.displacement(&travel).length() < 1e-6, "there and back");
}

#[test]
fn a_clip_without_a_moving_root_does_not_travel() {
    let (skeleton, _) = walk();
    let clip = Clip::new("still", 1.0, vec![], vec![]).unwrap();
    let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
    assert_eq!((travel.joint(), travel.at(0.5)), (None, Vec3::ZERO));
    assert_eq!(Travel::of(&clip, &skeleton, Some(1), Vec3::Y).whole(), Vec3::ZERO);
}

/// A step of 0.5 m forward with a turn of 30°, hips off the origin, swaying; turning clips have rotations of more than half a circle too.
fn turning(whole: f32) -> (Skeleton, Clip) {
    let skeleton = Skeleton::new(
        vec![
            Joint::new("hips", None, Transform::from_translation(Vec3::new(0.2, 1.0, 0.1))),
            Joint::new("hand", Some(0), Transform::from_translation(Vec3::X)),
        ],
        vec![],
    )
    .unwrap();
    let times: Vec<f32> = (0..=16).map(|i| i as f32 / 16.0).collect();
    let turns =
        times.iter().map(|t| Quat::from_rotation_y(whole * t + 0.1 * (t * std::f32::consts::TAU).sin()));
    let places = times.iter().map(|t| Vec3::new(0.2, 1.0, 0.1 + 0.5 * t));
    let tracks = JointTracks {
        translation: Some(Track::new(times.clone(), places.collect(), Interpolation::Linear).unwrap()),
        rotation: Some(Track::new(times.clone(), turns.collect(), Interpolation::Linear).unwrap()),
        ..JointTracks::new(0)
    };
    (skeleton, Clip::new("turn", 1.0, vec![tracks], vec![]).unwrap())
}

#[test]
fn a_turning_travel_times_extracted_is_kept() {
    for whole in [0.5, -1.5, 5.0, 7.0] {
        let (skeleton, clip) = turning(whole);
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        assert!((travel.turn() - whole).abs() < 1e-4, "{}", travel.turn());
        let mut ends = Vec::new();
        for i in 0..=20 {
            let time = f64::from(i) / 20.0;
            let mut pose = Pose::of_clip(&skeleton, &clip, time).unwrap();
            let kept = model(&skeleton, &pose);
            travel.remove(&skeleton, time, &mut pose);
            let extracted = model(&skeleton, &pose);
            for (kept, extracted) in kept.iter().zip(&extracted) {
                let back = travel.transform_at(time).to_affine() * *extracted;
                assert!(back.abs_diff_eq(*kept, 1e-5), "{whole} at {time}");
            }
            ends.push(extracted);
        }
        for (first, last) in ends[0].iter().zip(&ends[20]) {
            assert!(first.abs_diff_eq(*last, 1e-4), "a loop does not snap: {first} {last}");
        }
    }
}

/// Second path: the transforms of single passes multiplied with glam, one after another.
#[test]
fn a_hundred_cycles_go_a_hundred_times_as_far() {
    let (skeleton, clip) = turning(0.5);
    let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
    let mut playback = Playback::new(1.0, LoopMode::Loop, 1.0);
    let (mut place, mut turn) = (glam::DAffine3::IDENTITY, 0.0);
    let step = 100.0 / 7001.0;
    for _ in 0..7001 {
        playback.advance(step);
        let motion = playback.motion(&travel);
        turn += motion.turn;
        place *=
            glam::DAffine3::from_rotation_translation(glam::DQuat::from_rotation_y(motion.turn), motion.way);
    }
    let one = travel.transform_at(1.0).to_affine();
    let one = glam::DAffine3::from_mat3_translation(one.matrix3.as_dmat3(), one.translation.as_dvec3());
    let expected = (0..100).fold(glam::DAffine3::IDENTITY, |sum, _| sum * one);
    assert!(place.translation.distance(expected.translation) < 1e-3, "{place} {expected}");
    assert!((turn - 50.0).abs().to_degrees() < 0.1, "{turn}");
    let (straight, walk) = walk();
    let travel = Travel::of(&walk, &straight, None, Vec3::Y);
    let mut playback = Playback::new(1.0, LoopMode::Loop, 1.0);
    let way: f64 = (0..7001)
        .map(|_| {
            playback.advance(step);
            playback.motion(&travel).way.z
        })
        .sum();
    assert!((way - 180.0).abs() < 1e-3, "{way}");
    playback.seek(0.9);
    assert_eq!(playback.motion(&travel), Motion::default(), "a seek moves nothing");
}

/// A clip made in place goes by its velocity over the ground, in any number of passes and in either direction; the pose stays as it is.
#[test]
fn a_clip_made_in_place_goes_over_the_ground() {
    let velocity = Vec3::new(0.5, 0.0, 1.5);
    for (skeleton, clip) in [walk(), turning(0.5)] {
        let kept = Travel::of(&clip, &skeleton, None, Vec3::Y);
        let travel =
            Travel::of(&clip.clone().with_ground_velocity(velocity).unwrap(), &skeleton, None, Vec3::Y);
        assert!(travel.way().abs_diff_eq(kept.way() + velocity, 1e-6), "one pass takes a second");
        assert_eq!(travel.transform_at(0.4), kept.transform_at(0.4), "the pose does not go");
    }
    let (skeleton, clip) = walk();
    let still = Clip::new("still", clip.duration(), vec![], vec![]).unwrap();
    let travel = Travel::of(&still.with_ground_velocity(velocity).unwrap(), &skeleton, None, Vec3::Y);
    for (speed, mode) in [(1.0, LoopMode::Loop), (-0.5, LoopMode::Loop), (3.0, LoopMode::Times(40))] {
        let mut playback = Playback::new(1.0, mode, speed);
        let mut sum = DVec3::ZERO;
        for step in [0.3, 0.9, 0.0, 2.7, 1.1] {
            playback.advance(step);
            sum += playback.displacement(&travel);
        }
        assert!((sum - velocity.as_dvec3() * 5.0 * speed).length() < 1e-6, "{sum}");
    }
}
