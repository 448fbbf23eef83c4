//! Hands that are kept where the source's are: on figures of the hero with other arms and legs, against what the definition says in double precision.

use super::variants::{character, hero};
use super::world::{angle, at, turn};
use glam::{DAffine3, DQuat, DVec3, Vec3};
use proptest::prelude::*;
use sinew::{BoneMap, Character, Joint};
use sinew_import::{Locks, Options, Retargeting};
use sinew_retarget::{Humanoid, Part, Role, Side};

/// An arm gets as straight as this to bring its hand where it should be, or as the transfer has it. Beyond, the hand stays behind, so that the elbow does not snap.
const REACH: f64 = 0.9;
/// A millimetre, of the hero's 1.8 m.
const NEAR: f64 = 1e-3;

/// The hero with longer or shorter segments: upper arms, lower arms, thighs and shins.
fn figure(factors: [f32; 4]) -> Character {
    let hero = hero();
    let roles = Humanoid::find(hero.skeleton()).unwrap();
    // A segment is as long as the joint at its end is far from its parent.
    let ends = [Part::LowerArm, Part::Hand, Part::LowerLeg, Part::Foot];
    let joints = (0u16..).zip(hero.skeleton().joints()).map(|(at, mut joint): (u16, Joint)| {
        let part = roles.role(at).map(|role| role.part());
        if let Some(segment) = ends.iter().position(|end| Some(*end) == part) {
            joint.rest.translation *= factors[segment];
        }
        // It stands on the ground with other legs too.
        if part == Some(Part::Hips) {
            let place = |side: Side, part: Part| {
                let joint = roles.joint(Role::new(side, part)).unwrap();
                hero.skeleton().rest_model()[usize::from(joint)].translation()
            };
            let [hip, knee, ankle] =
                [Part::UpperLeg, Part::LowerLeg, Part::Foot].map(|part| place(Side::Left, part));
            let longer = (hip - knee) * (factors[2] - 1.0) + (knee - ankle) * (factors[3] - 1.0);
            joint.rest.translation += Vec3::Y * longer.y;
        }
        joint
    });
    character(joints.collect(), [])
}

fn leg(character: &Character, roles: &Humanoid) -> f64 {
    let place = |side: Side, part: Part| {
        let joint = roles.joint(Role::new(side, part)).unwrap();
        character.skeleton().rest_model()[usize::from(joint)].translation().as_dvec3()
    };
    let length = |side: Side| {
        let [hip, knee, ankle] = [Part::UpperLeg, Part::LowerLeg, Part::Foot].map(|part| place(side, part));
        hip.distance(knee) + knee.distance(ankle)
    };
    (length(Side::Left) + length(Side::Right)) / 2.0
}

fn fastest(models: &[Vec<DAffine3>], joint: usize) -> f64 {
    let turns: Vec<DQuat> = models.iter().map(|models| turn(&models[joint])).collect();
    turns.windows(2).map(|pair| angle(pair[0], pair[1])).fold(0.0, f64::max)
}

fn check(factors: [f32; 4], clip: &str) -> Result<(), TestCaseError> {
    let hero = hero();
    let target = figure(factors);
    let (plain, _) = Retargeting::new(hero, &target, &BoneMap::default(), &Options::default()).unwrap();
    let roles = plain.retarget().target_roles().clone();
    let clip = hero.clips().by_name(clip).unwrap();
    let free = plain.clip(&clip).unwrap().clip;
    let made = plain.locked(Locks { feet: false, hands: true }).clip(&clip).unwrap().clip;
    let steps = (f64::from(clip.duration()) * 60.0).ceil() as usize;
    let times = (0..=steps).map(|step| f64::from(clip.duration()) * step as f64 / steps as f64);
    let times: Vec<f64> = times.collect();
    let from: Vec<Vec<DAffine3>> = times.iter().map(|time| at(hero.skeleton(), &clip, *time)).collect();
    let free: Vec<Vec<DAffine3>> = times.iter().map(|time| at(target.skeleton(), &free, *time)).collect();
    let to: Vec<Vec<DAffine3>> = times.iter().map(|time| at(target.skeleton(), &made, *time)).collect();
    let scale = leg(&target, &roles) / leg(hero, &roles);
    let rest = |character: &Character, role: Role| -> DVec3 {
        let joint = usize::from(roles.joint(role).unwrap());
        character.skeleton().rest_model()[joint].translation().as_dvec3()
    };
    let hips = Role::middle(Part::Hips);
    for side in Side::BOTH {
        let parts = [Part::UpperArm, Part::LowerArm, Part::Hand].map(|part| Role::new(side, part));
        let [upper, lower, hand] = parts.map(|role| usize::from(roles.joint(role).unwrap()));
        let [a, b, c] = parts.map(|role| rest(&target, role));
        let lengths = [a.distance(b), b.distance(c)];
        for ((from, to), free) in from.iter().zip(&to).zip(&free) {
            let place = |joint: usize| to[joint].translation;
            let now = [place(upper).distance(place(lower)), place(lower).distance(place(hand))];
            for (now, length) in now.iter().zip(lengths) {
                prop_assert!((now - length).abs() < 1e-4, "{side:?}: a segment of {length} is {now} long");
            }
            let wanted = rest(&target, hips) + (from[hand].translation - rest(hero, hips)) * scale;
            let way = wanted - place(upper);
            let arm = lengths[0] + lengths[1];
            let own = free[hand].translation.distance(free[upper].translation);
            let reach = (REACH * arm).max(own.min(0.998 * arm));
            let got = place(hand) - place(upper);
            if way.length() <= reach && way.length() > (lengths[0] - lengths[1]).abs() * 1.02 {
                let off = place(hand).distance(wanted);
                prop_assert!(off < NEAR, "{side:?} hand is {off} m off, {factors:?}");
            } else if way.length() > reach {
                // Towards where it should be, and farther than without.
                prop_assert!(got.angle_between(way).to_degrees() < 0.2, "{side:?}");
                let most = way.length().min(0.9981 * arm);
                prop_assert!(got.length() > reach - 1e-4 && got.length() < most + 1e-4, "{side:?}");
            }
            let [was, is] = [&from[hand], &to[hand]].map(turn);
            prop_assert!(angle(was, is) < 0.1, "the hand is turned by {}°", angle(was, is));
        }
        for joint in [upper, lower, hand] {
            let [a, b] = [&from, &to].map(|models| fastest(models, joint));
            // As in point 4: what turns below a twentieth of a degree in a sixtieth of a second is not seen.
            prop_assert!(
                b < 0.05 || b < 1.5 * a,
                "{side:?} {joint}: {b}° a frame, the source {a}°, {factors:?}"
            );
        }
    }
    Ok(())
}

const CLIPS: [&str; 5] = ["walk", "run", "jump", "bash", "wave"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn hands_are_where_the_sources_are(
        factors in prop::array::uniform4(0.85f32..1.2),
        clip in prop::sample::select(&CLIPS[..]),
    ) {
        check(factors, clip)?;
    }
}

/// The figure itself: nothing is moved.
#[test]
fn hands_of_the_same_figure_stay() {
    for clip in CLIPS {
        check([1.0; 4], clip).unwrap();
    }
}
