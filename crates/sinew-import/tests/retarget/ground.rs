//! Point 4 a second way, which shares nothing with the lock: when feet stand is told from the source's own evaluator by heights and speeds; where the target's feet are
//! comes from a player that takes the clip's travel as root motion, as a game does.

use super::corpus::{MICHELLE, SOLDIER, XBOT, corpus, load};
use super::standing::sources;
use super::variants::hero;
use super::world::affine;
use glam::{DAffine3, DVec3, Vec3};
use sinew::{
    BoneMap, Character, ClipLibrary, LoopMode, PlayOptions, Player, RootMotion, Skeleton, Transform,
};
use sinew_import::{Imported, Locks, Options, Retargeting, read};
use sinew_retarget::{Humanoid, Part, Role, Side};
use std::sync::Arc;

/// Samples a second.
const RATE: f64 = 120.0;
/// A joint that stands is no higher than this above where it is in its lowest fiftieth of the clip, in metres of a figure of 1.8 m,
const LOW: f64 = 0.025;
/// and slower than this, in metres a second, or than this part of the speed of the hips if that is more: feet of a run do not come to rest;
const SLOW: f64 = 0.2;
const SLOW_PART: f64 = 0.12;
/// for at least so many samples: a twentieth of a second.
const LONG: usize = 6;

/// The bars of the issue, in metres of a figure of 1.8 m.
const OFF: f64 = 0.02;
const SLIDE: f64 = 0.03;

/// Places of ankle and ball of both feet, sample by sample; a foot without a ball has its ankle twice.
type Paths = [[Vec<DVec3>; 2]; 2];

fn joints(roles: &Humanoid) -> [[usize; 2]; 2] {
    Side::BOTH.map(|side| {
        let joint = |part: Part| roles.joint(Role::new(side, part)).map(usize::from);
        let ankle = joint(Part::Foot).unwrap();
        [ankle, joint(Part::Toes).unwrap_or(ankle)]
    })
}

/// How large a figure is against one of 1.8 m: by the legs, which motion capture without a mesh has too.
fn unit(skeleton: &Skeleton, roles: &Humanoid) -> f64 {
    let place = |part: Part| {
        let joint = roles.joint(Role::new(Side::Left, part)).unwrap();
        skeleton.rest_model()[usize::from(joint)].translation().as_dvec3()
    };
    let [hip, knee, ankle] = [Part::UpperLeg, Part::LowerLeg, Part::Foot].map(place);
    // From hip joint to ankle, of a figure of 1.8 m.
    0.83 / (hip.distance(knee) + knee.distance(ankle))
}

/// Where the feet of a source are by its file's own evaluator, from a time on.
fn source_paths(source: &Imported, feet: [[usize; 2]; 2], start: f64, count: usize) -> Paths {
    let skeleton = source.character.skeleton();
    let mut locals = vec![Transform::IDENTITY; skeleton.len()];
    let mut paths = Paths::default();
    for sample in 0..=count {
        source.evaluator.locals(0, start + sample as f64 / RATE, &mut locals);
        let place = |joint: usize| {
            let up = std::iter::successors(Some(joint as u16), |&joint| skeleton.parent(joint));
            up.fold(DAffine3::IDENTITY, |below, joint| affine(locals[usize::from(joint)]) * below).translation
        };
        for (paths, joints) in paths.iter_mut().zip(feet) {
            paths.iter_mut().zip(joints).for_each(|(path, joint)| path.push(place(joint)));
        }
    }
    paths
}

/// Where the feet of a target are in the world while it plays its only clip.
fn target_paths(target: Character, feet: [[usize; 2]; 2], count: usize) -> Paths {
    let mut player = Player::new(Arc::new(target));
    let options = PlayOptions {
        mode: Some(LoopMode::Once),
        root_motion: Some(RootMotion::Extract),
        ..PlayOptions::default()
    };
    let name = player.character().clips().names().next().unwrap().to_owned();
    player.play_with(&name, options).unwrap();
    player.update(0.0);
    let mut root = DAffine3::IDENTITY;
    let mut paths = Paths::default();
    for sample in 0..=count {
        if sample > 0 {
            player.update(1.0 / RATE);
            root *= affine(player.root_delta());
        }
        let models = player.instance().model_matrices();
        let place = |joint: usize| root.transform_point3(models[joint].translation().as_dvec3());
        for (paths, joints) in paths.iter_mut().zip(feet) {
            paths.iter_mut().zip(joints).for_each(|(path, joint)| path.push(place(joint)));
        }
    }
    paths
}

fn level(v: DVec3, up: DVec3) -> DVec3 {
    v - up * v.dot(up)
}

/// How fast the hips of a source go over the ground in the mean, in units of its file a second.
fn hip_speed(source: &Imported, roles: &Humanoid, start: f64, count: usize, up: DVec3) -> f64 {
    let hips = usize::from(roles.joint(Role::middle(Part::Hips)).unwrap());
    let [[path, _], _] = source_paths(source, [[hips; 2]; 2], start, count);
    let way: f64 = path.windows(2).map(|pair| level(pair[1] - pair[0], up).length()).sum();
    way / count as f64 * RATE
}

/// First and last samples at which a joint stands.
fn stands(path: &[DVec3], up: DVec3, unit: f64, slow: f64) -> Vec<[usize; 2]> {
    let mut heights: Vec<f64> = path.iter().map(|place| place.dot(up) * unit).collect();
    heights.sort_by(f64::total_cmp);
    let floor = heights[heights.len() / 50];
    let stands = |at: usize| {
        let speed = level(path[at + 1] - path[at - 1], up).length() * unit * RATE * 0.5;
        path[at].dot(up) * unit <= floor + LOW && speed <= slow
    };
    let mut found: Vec<[usize; 2]> = Vec::new();
    for at in (1..path.len() - 1).filter(|&at| stands(at)) {
        match found.last_mut() {
            Some(last) if last[1] + 1 == at => last[1] = at,
            _ => found.push([at, at]),
        }
    }
    found.retain(|[first, last]| last - first + 1 >= LONG);
    found
}

/// The farthest that a joint gets from where it came to stand, over the ground.
fn slide(path: &[DVec3], [first, last]: [usize; 2], up: DVec3) -> f64 {
    path[first..=last].iter().map(|place| level(*place - path[first], up).length()).fold(0.0, f64::max)
}

#[derive(Debug, Default)]
struct Measured {
    contacts: usize,
    off: f64,
    slide: f64,
    /// What the source slides in its worst contact.
    own: f64,
}

fn measure(source: &Imported, target: &Character, locks: Locks) -> Measured {
    let made = Retargeting::new(&source.character, target, &BoneMap::default(), &Options::default());
    let retargeting = made.unwrap().0.locked(locks);
    let clip = retargeting.clip(&source.character.clips().get(0).unwrap()).unwrap();
    let count = (f64::from(clip.clip.duration()) * RATE).floor() as usize;
    let retarget = retargeting.retarget();
    let roles = [retarget.source_roles(), retarget.target_roles()];
    let units = [unit(retarget.source(), roles[0]), unit(retarget.target(), roles[1])];
    let ups = [&source.character, target].map(|character| Vec3::from(character.space().up).as_dvec3());
    let feet = roles.map(joints);
    let from = source_paths(source, feet[0], clip.start.into(), count);
    let mut library = ClipLibrary::default();
    library.add(clip.clip);
    let to = target_paths(target.with_clips(library).unwrap(), feet[1], count);
    let rest = |joint: usize| retarget.target().rest_model()[joint].translation().as_dvec3().dot(ups[1]);
    let mut measured = Measured::default();
    let hips = hip_speed(source, roles[0], clip.start.into(), count, ups[0]) * units[0];
    let slow = SLOW.max(SLOW_PART * hips);
    for foot in 0..2 {
        let both = [0, 1].map(|point| stands(&from[foot][point], ups[0], units[0], slow));
        for point in 0..2 {
            for &stand in &both[point] {
                let own = slide(&from[foot][point], stand, ups[0]) * units[0];
                // A foot that turns on the ground stands on the joint that it turns about.
                let stays = |other: &[usize; 2]| other[0] <= stand[0] + LONG && other[1] + LONG >= stand[1];
                let beside = both[1 - point].iter().any(stays);
                if beside && slide(&from[foot][1 - point], stand, ups[0]) * units[0] < own {
                    continue;
                }
                measured.contacts += 1;
                let moved = slide(&to[foot][point], stand, ups[1]) * units[1];
                measured.own = measured.own.max(own);
                measured.slide = measured.slide.max(moved);
                let places = |point: usize| to[foot][point][stand[0]..=stand[1]].iter();
                for (ankle, ball) in places(0).zip(places(1)) {
                    // Neither in the air nor in the ground: by the lower of ankle and ball.
                    let height = |at: &DVec3, point: usize| at.dot(ups[1]) - rest(feet[1][foot][point]);
                    measured.off = measured.off.max((height(ankle, 0).min(height(ball, 1)) * units[1]).abs());
                }
            }
        }
    }
    measured
}

#[test]
fn feet_stand_as_told_by_another_rule() {
    let Some(folder) = corpus("feet_stand_as_told_by_another_rule") else { return };
    let targets = [hero().clone(), load(&folder, SOLDIER), load(&folder, XBOT), load(&folder, MICHELLE)];
    let mut missed = Vec::new();
    println!("| source | target | contacts | off the ground | slide | the source's own | without lock |");
    println!("|---|---|---|---|---|---|---|");
    for path in sources(&folder) {
        let source = read(&folder.join(&path), &Options::default()).unwrap();
        for target in &targets {
            let [free, kept] =
                [false, true].map(|feet| measure(&source, target, Locks { feet, hands: false }));
            let cm = |metres: f64| format!("{:.1} cm", metres * 100.0);
            println!(
                "| {path} | {} | {} | {} | {} | {} | {}, {} |",
                target.name(),
                kept.contacts,
                cm(kept.off),
                cm(kept.slide),
                cm(kept.own),
                cm(free.off),
                cm(free.slide)
            );
            if kept.contacts == 0 || kept.off >= OFF || kept.slide >= SLIDE {
                missed.push(format!("{path} onto {}: {kept:?}", target.name()));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
