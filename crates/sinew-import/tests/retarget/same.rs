//! The hero onto itself, and onto the same figure with other names, units, axes and rest.

use super::variants::{changed, character, dense, hero, lowered};
use super::world::{self, angle, at, direction, farthest, of_pose, times, turn};
use glam::{Quat, Vec3};
use sinew::{BoneMap, Character, Clip, Interpolation, Joint, JointTracks, Sampling, Track, Transform, job};
use sinew_import::{Options, Retargeting};
use sinew_retarget::{Humanoid, LiveRetarget, Part, Retarget, RetargetError, Role, Shift, Side};
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};

/// What the issue asks for: of the target's size.
const BAR: f64 = 1e-4;

/// Retargets all clips of `source` to `target` and compares joints with where clips of `truth`, on the target's joints, have them.
fn worst(source: &Character, target: &Character, truth: &Character, map: &BoneMap) -> f64 {
    let (retargeting, _) = Retargeting::new(source, target, map, &Options::default()).unwrap();
    let size = f64::from(truth.size());
    let mut worst = 0.0f64;
    for (clip, expected) in world::clips(source).iter().zip(world::clips(truth)) {
        let made = retargeting.clip(clip).unwrap();
        assert_eq!(made.clip.duration(), clip.duration());
        assert!(made.findings.is_empty(), "{:?}", made.findings);
        for time in times(clip) {
            let got = at(target.skeleton(), &made.clip, time);
            worst = worst.max(farthest(&got, &at(truth.skeleton(), &expected, time)) / size);
        }
    }
    worst
}

#[test]
fn onto_itself_is_the_same() {
    let hero = hero();
    let (retarget, findings) = Retarget::new(hero, hero, &BoneMap::default()).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!((retarget.turn(), retarget.scale(), retarget.residual()), (Quat::IDENTITY, 1.0, 0.0));
    let mut live = LiveRetarget::new(retarget);
    let skeleton = hero.skeleton();
    let (mut from, mut to) = (skeleton.rest().clone(), skeleton.rest().clone());
    let mut worst_live = 0.0f64;
    for clip in world::clips(hero) {
        for time in times(&clip) {
            job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut from).unwrap();
            live.apply(&from, &mut to).unwrap();
            worst_live = worst_live.max(farthest(&of_pose(skeleton, &from), &of_pose(skeleton, &to)));
        }
    }
    let size = f64::from(hero.size());
    println!("onto itself, live: {:.1e} of D", worst_live / size);
    assert!(worst_live < 2e-6 * size, "{worst_live}");
    let resampled = worst(hero, hero, hero, &BoneMap::default());
    println!("onto itself, resampled: {resampled:.1e} of D");
    assert!(resampled < 3e-5, "{resampled}");
}

#[test]
fn other_units() {
    let small = changed(hero(), |_, _, local| Transform { translation: local.translation * 0.01, ..local });
    for (source, target) in [(&small, hero()), (hero(), &small)] {
        let off = worst(source, target, target, &BoneMap::default());
        println!("other units: {off:.1e} of D");
        assert!(off < BAR, "{off}");
    }
}

/// The whole figure lies on its side, or faces another way, at rest and in motion.
#[test]
fn rest_turned_by_a_right_angle() {
    for turn in [
        Quat::from_rotation_x(FRAC_PI_2),
        Quat::from_rotation_y(FRAC_PI_2),
        Quat::from_rotation_z(-FRAC_PI_2),
    ] {
        let turned = changed(hero(), |_, parent, local| match parent {
            Some(_) => local,
            None => {
                Transform { translation: turn * local.translation, rotation: turn * local.rotation, ..local }
            }
        });
        let off = worst(&turned, hero(), hero(), &BoneMap::default());
        println!("rest turned: {off:.1e} of D");
        assert!(off < BAR, "{off}");
    }
}

/// The axes of every joint are turned, the figure stands as before.
#[test]
fn axes_turned_by_a_right_angle() {
    let axes =
        |joint: u16| Quat::from_axis_angle([Vec3::X, Vec3::Y, Vec3::Z][usize::from(joint) % 3], FRAC_PI_2);
    let turned = changed(hero(), |joint, parent, local| {
        let above = parent.map_or(Quat::IDENTITY, axes);
        Transform {
            translation: above.inverse() * local.translation,
            rotation: (above.inverse() * local.rotation * axes(joint)).normalize(),
            ..local
        }
    });
    for (source, target) in [(&turned, hero()), (hero(), &turned)] {
        let off = worst(source, target, target, &BoneMap::default());
        println!("axes turned: {off:.1e} of D");
        assert!(off < BAR, "{off}");
    }
}

/// Arms rest lowered by 45°, and the motion in the world is the same.
#[test]
fn arms_lowered() {
    let lowered = lowered(FRAC_PI_4);
    let rest = |character: &Character| of_pose(character.skeleton(), character.skeleton().rest());
    assert!(farthest(&rest(&lowered), &rest(hero())) > 0.3, "the hands rest elsewhere");
    for (source, target) in [(&lowered, hero()), (hero(), &lowered)] {
        let off = worst(source, target, target, &BoneMap::default());
        println!("arms lowered: {off:.1e} of D");
        assert!(off < BAR, "{off}");
    }
}

/// Point 5: the A-pose hero plays what the T-pose hero does, with its arms where the other has them.
#[test]
fn arms_of_an_a_pose_point_as_those_of_a_t_pose() {
    let other = lowered(FRAC_PI_4);
    let roles = Humanoid::find(other.skeleton()).unwrap();
    for (source, target) in [(hero(), &other), (&other, hero())] {
        let (retargeting, _) =
            Retargeting::new(source, target, &BoneMap::default(), &Options::default()).unwrap();
        let mut worst = 0.0f64;
        for clip in world::clips(source) {
            let made = retargeting.clip(&clip).unwrap().clip;
            for time in times(&clip) {
                let [from, to] =
                    [(source, &*clip), (target, &made)].map(|(c, clip)| at(c.skeleton(), clip, time));
                for side in Side::BOTH {
                    for parts in [[Part::UpperArm, Part::LowerArm], [Part::LowerArm, Part::Hand]] {
                        let [a, b] = [&from, &to].map(|models| direction(&roles, models, side, parts));
                        worst = worst.max(a.angle_between(b).to_degrees());
                    }
                }
            }
        }
        println!("A against T: arms are off by {worst:.4}°");
        assert!(worst < 2.0, "{worst}");
    }
}

/// Names that say nothing, with the roles in a bone map; and names that say the wrong thing.
#[test]
fn shuffled_names() {
    let hero = hero();
    let skeleton = hero.skeleton();
    let truth = Humanoid::find(skeleton).unwrap();
    for seed in 0..20u64 {
        let names = shuffled(skeleton.names(), seed);
        let joints = skeleton.joints().zip(&names).map(|(joint, name)| Joint { name: name.clone(), ..joint });
        let other = character(joints.collect(), dense(hero));
        // Right, or refused.
        match Humanoid::find(other.skeleton()) {
            Ok(found) => {
                for (role, assigned) in found.roles() {
                    assert_eq!(truth.joint(role), Some(assigned.joint), "seed {seed}: {role}");
                }
            }
            Err(error) => println!("seed {seed}: {error}"),
        }
        if seed < 2 {
            let map = BoneMap { by_name: false, ..truth.bone_map(other.skeleton()) };
            let off = worst(&other, hero, hero, &map);
            println!("shuffled names: {off:.1e} of D");
            // Ends of fingers and toes have no role, and follow by name alone.
            assert!(off < BAR, "{off}");
        }
    }
}

fn shuffled(names: &sinew::TextList, seed: u64) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(str::to_owned).collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1;
    for at in (1..names.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        names.swap(at, (state >> 33) as usize % (at + 1));
    }
    names
}

/// A bone map that leads from joint to joint counts for both.
#[test]
fn joints_led_to_one_another() {
    let hero = hero();
    let renamed =
        hero.skeleton().joints().enumerate().map(|(at, joint)| Joint { name: format!("b{at}"), ..joint });
    let other = character(renamed.collect(), []);
    let pairs = hero.skeleton().names().iter().zip(other.skeleton().names().iter());
    let map = BoneMap::new(pairs);
    let (retarget, _) = Retarget::new(hero, &other, &map).unwrap();
    let [a, b] = [retarget.source_roles(), retarget.target_roles()];
    assert_eq!(a.roles().len(), 52);
    assert!(a.roles().all(|(role, found)| b.joint(role) == Some(found.joint)));
}

/// The target's own bones: no joint but the hips leaves its place below its parent.
#[test]
fn limbs_keep_their_length() {
    let long = |joint: u16| {
        ["Leg", "Foot", "ForeArm"].iter().any(|part| hero().skeleton().name(joint).ends_with(part))
    };
    let tall = changed(hero(), |joint, _, local| match long(joint) {
        true => Transform { translation: local.translation * 1.3, ..local },
        false => local,
    });
    let (retargeting, _) = Retargeting::new(hero(), &tall, &BoneMap::default(), &Options::default()).unwrap();
    let hips = Humanoid::find(tall.skeleton()).unwrap().joint(Role::middle(Part::Hips)).unwrap();
    for clip in world::clips(hero()) {
        let made = retargeting.clip(&clip).unwrap().clip;
        let moved = made.keys().unwrap().joints().iter().filter(|t| t.translation.is_some()).map(|t| t.joint);
        assert!(moved.filter(|&joint| joint != hips).all(|joint| {
            let track = made.keys().unwrap().joint(joint).unwrap().translation.as_ref().unwrap();
            let rest = tall.skeleton().rest().get(joint.into()).translation;
            track.values().iter().all(|value| value.distance(rest) < 1e-4)
        }));
        // The hips travel by the ratio of the legs.
        let way = |character: &Character, clip: &Clip| {
            let place = |time| at(character.skeleton(), clip, time)[usize::from(hips)].translation;
            place(clip.duration().into()) - place(0.0)
        };
        let scale = f64::from(retargeting.retarget().scale());
        assert!(scale > 1.0);
        assert!((way(hero(), &clip) * scale).distance(way(&tall, &made)) < 1e-3, "{}", clip.name());
    }
}

#[test]
fn the_rest_is_refused_where_there_are_no_legs() {
    let joints =
        vec![Joint::new("a", None, Transform::IDENTITY), Joint::new("b", Some(0), Transform::IDENTITY)];
    let error = Retarget::new(hero(), &character(joints, []), &BoneMap::default()).unwrap_err();
    assert!(matches!(error, RetargetError::NotHumanoid { .. }), "{error}");
    assert!(error.to_string().contains("`leftUpperLeg`"), "{error}");
}

/// Each mapped joint's turn since the rest is the source's: by matrices, not by the code under test.
#[test]
fn turns_are_the_sources() {
    let lowered = lowered(FRAC_PI_4);
    let (retargeting, _) =
        Retargeting::new(hero(), &lowered, &BoneMap::default(), &Options::default()).unwrap();
    let roles = Humanoid::find(hero().skeleton()).unwrap();
    let clip = hero().clips().by_name("wave").unwrap();
    let made = retargeting.clip(&clip).unwrap().clip;
    let mut worst = 0.0f64;
    for time in times(&clip) {
        let [from, to] = [(hero(), &*clip), (&lowered, &made)].map(|(c, clip)| at(c.skeleton(), clip, time));
        for (_, found) in roles.roles() {
            let [a, b] = [&from, &to].map(|models| turn(&models[usize::from(found.joint)]));
            worst = worst.max(angle(a, b));
        }
    }
    assert!(worst < 0.05, "{worst}");
}

/// A frame of the rest in front of a motion is left out, and what follows is the same; a motion that begins at rest is kept.
#[test]
fn an_added_frame_is_left_out() {
    let hero = hero();
    let wave = dense(hero).into_iter().find(|clip| clip.name() == "bash").unwrap();
    let frame = 1.0 / 30.0;
    let tracks = wave.keys().unwrap().joints().iter().map(|tracks| {
        let rest = hero.skeleton().rest().get(tracks.joint.into()).rotation;
        let track = tracks.rotation.as_ref().unwrap();
        let times = std::iter::once(0.0).chain(track.times().iter().map(|time| time + frame)).collect();
        let values = std::iter::once(rest).chain(track.values().iter().copied()).collect();
        let rotation = Some(Track::new(times, values, Interpolation::Linear).unwrap());
        JointTracks { rotation, ..JointTracks::new(tracks.joint) }
    });
    let led = Clip::new("led", wave.duration() + frame, tracks.collect(), vec![]).unwrap();
    let (retargeting, _) = Retargeting::new(hero, hero, &BoneMap::default(), &Options::default()).unwrap();
    let made = retargeting.clip(&led).unwrap();
    assert_eq!(made.findings.iter().map(sinew::Finding::id).collect::<Vec<_>>(), ["retarget.added-frame"]);
    assert!((made.start - frame).abs() < 1e-6 && (made.clip.duration() - wave.duration()).abs() < 1e-6);
    for time in times(&made.clip) {
        let expected = at(hero.skeleton(), &led, time + f64::from(made.start));
        let off = farthest(&at(hero.skeleton(), &made.clip, time), &expected);
        assert!(off < 1e-4, "{time}: {off}");
    }
    assert_eq!(retargeting.clip(&wave).unwrap().start, 0.0);
}

/// What an animator keys is kept, however still it is after the first pose: a pose that is reached and held, by frames far apart or by frames that hold.
#[test]
fn keys_of_an_animator_are_no_added_frames() {
    let hero = hero();
    let (retargeting, _) = Retargeting::new(hero, hero, &BoneMap::default(), &Options::default()).unwrap();
    let roles = Humanoid::find(hero.skeleton()).unwrap();
    let raised = |times: Vec<f32>, interpolation: Interpolation| {
        let tracks = roles.roles().map(|(_, found)| {
            let rest = hero.skeleton().rest().get(found.joint.into()).rotation;
            let held = rest * Quat::from_rotation_x(0.8);
            let values = (0..times.len()).map(|at| if at == 0 { rest } else { held }).collect();
            let rotation = Some(Track::new(times.clone(), values, interpolation).unwrap());
            JointTracks { rotation, ..JointTracks::new(found.joint) }
        });
        let mut tracks: Vec<JointTracks> = tracks.collect();
        tracks.sort_by_key(|tracks| tracks.joint);
        Clip::new("raised", *times.last().unwrap(), tracks, vec![]).unwrap()
    };
    for (times, interpolation) in [
        (vec![0.0, 1.0, 1.1], Interpolation::Linear),
        (vec![0.0, 0.5, 1.0, 1.5], Interpolation::Linear),
        // As a baked clip has them, with few frames in all.
        ((0..6).map(|frame| frame as f32 / 30.0).collect(), Interpolation::Linear),
        // Pose by pose, a quarter of a second each.
        ((0..20).map(|pose| pose as f32 * 0.25).collect(), Interpolation::Step),
    ] {
        let clip = raised(times.clone(), interpolation);
        let made = retargeting.clip(&clip).unwrap();
        assert_eq!((made.start, made.clip.duration()), (0.0, clip.duration()), "{times:?}");
    }
}

/// A motion that bursts out of its rest is kept: what follows is as fast.
#[test]
fn a_sudden_start_is_no_added_frame() {
    let hero = hero();
    let (retargeting, _) = Retargeting::new(hero, hero, &BoneMap::default(), &Options::default()).unwrap();
    let roles = Humanoid::find(hero.skeleton()).unwrap();
    // It holds for three frames after the first step, then goes on as fast.
    let angle = |frame: usize| 0.3 * if frame < 4 { frame.min(1) as f32 } else { (frame - 2) as f32 };
    let times: Vec<f32> = (0..20).map(|frame| frame as f32 / 30.0).collect();
    let tracks = roles.roles().map(|(_, found)| {
        let rest = hero.skeleton().rest().get(found.joint.into()).rotation;
        let values = (0..times.len()).map(|frame| rest * Quat::from_rotation_x(angle(frame))).collect();
        let rotation = Some(Track::new(times.clone(), values, Interpolation::Linear).unwrap());
        JointTracks { rotation, ..JointTracks::new(found.joint) }
    });
    let mut tracks: Vec<JointTracks> = tracks.collect();
    tracks.sort_by_key(|tracks| tracks.joint);
    let clip = Clip::new("burst", *times.last().unwrap(), tracks, vec![]).unwrap();
    assert_eq!(retargeting.clip(&clip).unwrap().start, 0.0);
}

/// A file whose rest is a crouch, or a frame of a run, moves as one that rests upright: in the world no joint of the target is elsewhere.
#[test]
fn a_leaning_rest_does_not_tilt_the_motion() {
    let hero = hero();
    for degrees in [25.0f32, 45.0, 70.0] {
        // The hips, and all above them with the legs kept: the rest leans forward, the motion is the hero's.
        let lean = Quat::from_rotation_x(degrees.to_radians());
        let skeleton = hero.skeleton();
        let joints = (0u16..).zip(skeleton.joints()).map(|(at, mut joint)| {
            let name = joint.name.clone();
            if name.ends_with("Spine") {
                let above = skeleton.rest_model()[usize::from(skeleton.parent(at).unwrap())];
                let above = Quat::from_mat3(&above.matrix3()).normalize();
                joint.rest.rotation = (above.inverse() * lean * above * joint.rest.rotation).normalize();
            }
            joint
        });
        let crouched = character(joints.collect(), dense(hero));
        let made = Retargeting::new(&crouched, hero, &BoneMap::default(), &Options::default()).unwrap();
        let (retargeting, findings) = made;
        assert!(retargeting.retarget().turn().angle_between(Quat::IDENTITY) < 1e-4, "{degrees}");
        let ids: Vec<&str> = findings.iter().map(sinew::Finding::id).collect();
        assert_eq!(ids.contains(&"retarget.leaning-rest"), degrees > 30.0, "{ids:?}");
        let clip = crouched.clips().by_name("walk").unwrap();
        let made = retargeting.clip(&clip).unwrap().clip;
        // Legs are as the hero's own; the trunk keeps the difference of the rests.
        let foot = |models: &[glam::DAffine3], side: Side| {
            let roles = Humanoid::find(skeleton).unwrap();
            models[usize::from(roles.joint(Role::new(side, Part::Foot)).unwrap())].translation
        };
        for time in times(&clip) {
            let [a, b] = [&*clip, &made].map(|clip| at(skeleton, clip, time));
            for side in Side::BOTH {
                let off = foot(&a, side).distance(foot(&b, side));
                assert!(off < 1e-3, "{degrees}° at {time}: {off}");
            }
        }
    }
}

/// Feet go where the shift says and stay turned as they were; hands that are where they shall be stay there.
#[test]
fn shifts_are_met() {
    let hero = hero();
    let skeleton = hero.skeleton();
    let (retarget, _) = Retarget::new(hero, hero, &BoneMap::default()).unwrap();
    let mut live = LiveRetarget::new(retarget);
    let (mut from, mut to) = (skeleton.rest().clone(), skeleton.rest().clone());
    let by = Vec3::new(0.03, 0.05, -0.02);
    let low = Vec3::new(0.0, -0.04, 0.0);
    let shift =
        Shift { hips: low, feet: [Some(by), Some(Vec3::ZERO)], hands: Some(Vec3::ZERO), ..Shift::default() };
    let joint = |side: Side, part: Part| {
        let roles = Humanoid::find(skeleton).unwrap();
        usize::from(roles.joint(Role::new(side, part)).unwrap())
    };
    let clip = hero.clips().by_name("walk").unwrap();
    for time in times(&clip) {
        job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut from).unwrap();
        let before = of_pose(skeleton, &from);
        live.apply_shifted(&from, &shift, &mut to).unwrap();
        let after = of_pose(skeleton, &to);
        for (side, by) in [(Side::Left, by), (Side::Right, Vec3::ZERO)] {
            let foot = joint(side, Part::Foot);
            let [a, b] = [&before, &after].map(|models| models[foot]);
            let off = (b.translation - a.translation).distance(by.as_dvec3());
            assert!(off < 2e-5, "{side:?} at {time}: {off}");
            assert!(angle(turn(&a), turn(&b)) < 0.05, "{side:?} at {time}");
            let hand = joint(side, Part::Hand);
            let off = after[hand].translation.distance(before[hand].translation);
            assert!(off < 2e-5, "hand {side:?} at {time}: {off}");
        }
        let hips = joint(Side::Middle, Part::Hips);
        assert!((after[hips].translation - before[hips].translation).distance(low.as_dvec3()) < 1e-5);
    }
}
