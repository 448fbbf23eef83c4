//! Between the humanoids of the corpus.

use super::variants::hero;
use super::world::{self, angle, at, direction, of_pose, times, turn};
use glam::{DQuat, DVec3};
use sinew::{BoneMap, Character, Pose, Sampling, job};
use sinew_import::{Options, Retargeting, read};
use sinew_retarget::{LiveRetarget, Part, Retarget, RetargetError, Role, Side};
use std::path::PathBuf;

/// The folder of real files, or nothing with a visible note.
pub fn corpus(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_CORPUS").filter(|folder| !folder.is_empty());
    if folder.is_none() {
        println!("SINEW-SKIP: {test}: corpus not set");
    }
    folder.map(PathBuf::from)
}

pub fn load(folder: &std::path::Path, path: &str) -> Character {
    read(&folder.join(path), &Options::default()).unwrap_or_else(|error| panic!("{error}")).character
}

pub const SOLDIER: &str = "three/gltf/Soldier.glb";
pub const XBOT: &str = "three/gltf/Xbot.glb";
pub const MICHELLE: &str = "three/gltf/Michelle.glb";
pub const SAMBA: &str = "three/fbx/Samba_Dancing.fbx";

fn live(from: &Character, to: &Character) -> LiveRetarget {
    LiveRetarget::new(Retarget::new(from, to, &BoneMap::default()).unwrap().0)
}

/// The part of a turn about an axis, in degrees.
fn twist(turn: DQuat, axis: DVec3) -> f64 {
    let degrees = (2.0 * turn.xyz().dot(axis).atan2(turn.w)).to_degrees();
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

/// Point 3: there and back again.
#[test]
fn there_and_back_is_the_same() {
    let Some(folder) = corpus("there_and_back_is_the_same") else { return };
    let figures = [hero().clone(), load(&folder, SOLDIER), load(&folder, XBOT)];
    for a in &figures {
        for b in figures.iter().filter(|b| b.name() != a.name()) {
            let (mut there, mut back) = (live(a, b), live(b, a));
            let roles = there.retarget().source_roles().clone();
            let other = there.retarget().target_roles().clone();
            let skeleton = a.skeleton();
            let mut poses: [Pose; 3] = [a, b, a].map(|character| character.skeleton().rest().clone());
            let (mut sum, mut count, mut twisted) = (0.0, 0.0, 0.0f64);
            for clip in world::clips(a) {
                for time in times(&clip).into_iter().step_by(3) {
                    let [first, middle, last] = &mut poses;
                    job::sample(skeleton, &clip, time, Sampling::Interpolate, first).unwrap();
                    there.apply(first, middle).unwrap();
                    back.apply(middle, last).unwrap();
                    let [before, after] = [&*first, &*last].map(|pose| of_pose(skeleton, pose));
                    for (role, found) in roles.roles().filter(|(role, _)| other.joint(*role).is_some()) {
                        let [a, b] = [&before, &after].map(|models| turn(&models[usize::from(found.joint)]));
                        sum += angle(a, b);
                        count += 1.0;
                        if role.part() == Part::LowerArm {
                            let axis = direction(&roles, &before, role.side(), [Part::LowerArm, Part::Hand]);
                            twisted = twisted.max(twist(b * a.inverse(), axis).abs());
                        }
                    }
                }
            }
            let mean = sum / count;
            println!("{} → {} → back: mean {mean:.4}°, forearm twist {twisted:.4}°", a.name(), b.name());
            assert!(mean < 1.0 && twisted < 2.0, "{mean} {twisted}");
        }
    }
}

/// Limbs point where the source's point, and no joint turns in a way that the source does not.
#[test]
fn limbs_point_as_the_sources() {
    let Some(folder) = corpus("limbs_point_as_the_sources") else { return };
    let targets = [hero().clone(), load(&folder, SOLDIER), load(&folder, XBOT), load(&folder, MICHELLE)];
    for path in ["ozz/fbx/pab/walk.fbx", "ozz/fbx/pab/run.fbx", SAMBA, XBOT] {
        let source = load(&folder, path);
        for target in &targets {
            let (retargeting, findings) =
                Retargeting::new(&source, target, &BoneMap::default(), &Options::default()).unwrap();
            let retarget = retargeting.retarget();
            let roles = [retarget.source_roles(), retarget.target_roles()];
            let space = retarget.turn().as_dquat();
            let (mut worst, mut error) = (0.0f64, 0.0f64);
            let clips = world::clips(&source);
            for clip in clips.iter().take(3) {
                let made = retargeting.clip(clip).unwrap();
                error = error.max(made.error);
                for time in times(clip) {
                    let from = at(source.skeleton(), clip, time);
                    let to = at(target.skeleton(), &made.clip, time);
                    assert!(to.iter().all(|model| model.is_finite()));
                    for (side, parts) in limbs() {
                        let a = space * direction(roles[0], &from, side, parts);
                        let b = direction(roles[1], &to, side, parts);
                        worst = worst.max(a.angle_between(b).to_degrees());
                    }
                }
            }
            println!(
                "{path} → {}: limbs {worst:.3}°, resampled {error:.1e}, {} findings, residual {:.3}",
                target.name(),
                findings.len(),
                retarget.residual()
            );
            assert!(worst < 0.5, "{worst}");
            assert!(error < 2.1e-5, "{error}");
        }
    }
}

fn limbs() -> impl Iterator<Item = (Side, [Part; 2])> {
    let parts = [
        [Part::UpperArm, Part::LowerArm],
        [Part::LowerArm, Part::Hand],
        [Part::UpperLeg, Part::LowerLeg],
        [Part::LowerLeg, Part::Foot],
    ];
    Side::BOTH.into_iter().flat_map(move |side| parts.map(|parts| (side, parts)))
}

/// Point 6: feet that hang on the root are left out with a word; beasts are refused.
#[test]
fn what_is_no_humanoid_is_not_taken_for_one() {
    let Some(folder) = corpus("what_is_no_humanoid_is_not_taken_for_one") else { return };
    let robot = load(&folder, "three/gltf/RobotExpressive/RobotExpressive.glb");
    let (retarget, findings) = Retarget::new(&load(&folder, SOLDIER), &robot, &BoneMap::default()).unwrap();
    for side in Side::BOTH {
        assert_eq!(retarget.target_roles().joint(Role::new(side, Part::Foot)), None);
    }
    let ids: Vec<&str> = findings.iter().map(sinew::Finding::id).collect();
    assert!(
        ids.contains(&"retarget.role-refused") && ids.contains(&"retarget.role-missing"),
        "{findings:#?}"
    );
    for path in [
        "khronos/Fox/glTF-Binary/Fox.glb",
        "three/manual/animals/Pug.gltf",
        "three/manual/animals/Cow.gltf",
        "three/manual/animals/Horse.gltf",
    ] {
        let error = Retarget::new(hero(), &load(&folder, path), &BoneMap::default()).unwrap_err();
        println!("{path}: {error}");
        assert!(matches!(error, RetargetError::NotHumanoid { .. }));
    }
}
