//! Nothing jumps: the bound of a frame's movement, by what the voices and the weights do in it.

use super::*;
use crate::mixer::source::MOST_PARTS;
use crate::{SyncMode, Transition};
use proptest::prelude::*;

/// What a voice's clip shows, and how much it counts.
pub(crate) struct Heard {
    key: (VoiceId, usize),
    weight: f32,
    pose: Pose,
}

pub(crate) fn heard(mixer: &Mixer) -> Vec<Heard> {
    let skeleton = mixer.character().skeleton();
    let parts = mixer.voices().iter().flat_map(|voice| (0..MOST_PARTS).map(move |slot| (voice, slot)));
    parts
        .filter_map(|(voice, slot)| {
            let part = voice.part(slot)?;
            let pose = Pose::of_clip(skeleton, part.clip, part.playback.time()).unwrap();
            Some(Heard { key: (voice.id(), slot), weight: voice.share() * part.weight, pose })
        })
        .collect()
}

/// How far a joint is between two poses: its place and its angle.
pub(crate) fn distance(a: &Pose, b: &Pose, joint: usize) -> [f32; 2] {
    let (a, b) = (a.get(joint), b.get(joint));
    [a.translation.distance(b.translation), angle(a.rotation, b.rotation)]
}

/// 1.3 × (Σ wᵢ·vᵢ·dt + |dw/dt|·dt·(distance of the poses)) + 1e-4, for the place and the angle of a joint.
pub(crate) fn bound(before: &[Heard], after: &[Heard], rest: &Pose, joint: usize) -> [f32; 2] {
    let (mut moved, mut changed, mut apart) = ([0.0f32; 2], 0.0, [0.0f32; 2]);
    let weight = |side: &[Heard], key| side.iter().find(|own| own.key == key).map_or(0.0, |own| own.weight);
    for own in after.iter().chain(before.iter().filter(|own| after.iter().all(|other| other.key != own.key)))
    {
        let (w0, w1) = (weight(before, own.key), weight(after, own.key));
        changed += (w1 - w0).abs();
        if let Some(old) = before.iter().find(|old| old.key == own.key) {
            let way = distance(&old.pose, &own.pose, joint);
            (0..2).for_each(|i| moved[i] += w0.max(w1) * way[i]);
        }
    }
    let sum = |side: &[Heard]| side.iter().map(|own| own.weight).sum::<f32>();
    changed += (sum(after) - sum(before)).abs();
    let poses = before.iter().chain(after).filter(|own| own.weight > 0.0 || weight(after, own.key) > 0.0);
    let poses: Vec<&Pose> =
        poses.map(|own| &own.pose).chain([rest].into_iter().filter(|_| sum(before) < 0.9999)).collect();
    for (i, a) in poses.iter().enumerate() {
        for b in &poses[..i] {
            let way = distance(a, b, joint);
            (0..2).for_each(|i| apart[i] = apart[i].max(way[i]));
        }
    }
    // What one voice loses another gains, so half of all changes go over the distance.
    [0, 1].map(|i| 1.3 * (moved[i] + 0.5 * changed * apart[i]) + 1e-4)
}

/// Plays a frame and asserts that no joint moved further than it may.
fn frame(stage: &mut Stage, seconds: f64) -> Result<(), TestCaseError> {
    let rest = stage.mixer.character().skeleton().rest().clone();
    let (before, shown) = (heard(&stage.mixer), stage.pose.clone());
    stage.update(seconds);
    let after = heard(&stage.mixer);
    for joint in 0..JOINTS.len() {
        let (way, most) = (distance(&shown, &stage.pose, joint), bound(&before, &after, &rest, joint));
        prop_assert!(way[0] <= most[0] && way[1] <= most[1], "joint {joint}: {way:?} of {most:?}");
    }
    Ok(())
}

pub(crate) fn clip() -> impl Strategy<Value = Arc<Clip>> {
    let joint = (0.0f32..6.2, -0.7f32..0.7, -0.5f32..0.5);
    (0.4f32..2.0, prop::collection::vec(joint, 1..=4)).prop_map(|(seconds, joints)| {
        let joints: Vec<_> =
            (0u16..).zip(joints).map(|(j, (axis, middle, swing))| (j, axis, middle, swing)).collect();
        swinging("c", seconds, &joints)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Crossfades, and crossfades that interrupt others.
    #[test]
    fn crossfades_do_not_pop(
        plays in prop::collection::vec((clip(), 0.05f64..0.6, any::<bool>(), 1usize..40, 0.5f64..2.0), 1..8),
    ) {
        let mut stage = Stage::new(8);
        for (clip, crossfade, smooth, frames, speed) in plays {
            let ease = if smooth { Ease::SmoothStep } else { Ease::Linear };
            let options = PlayOptions { crossfade, ease, speed: Some(speed), ..PlayOptions::default() };
            stage.mixer.play_clip(clip, options).unwrap();
            let shown = stage.pose.clone();
            prop_assert_eq!(stage.mix(), &shown, "a change shows nothing by itself");
            for _ in 0..frames {
                frame(&mut stage, 1.0 / 60.0)?;
            }
        }
    }

    /// A blend space whose clips are kept in step, with a parameter that moves, and transitions between two of them.
    #[test]
    fn synced_blends_do_not_pop(
        clips in prop::collection::vec(clip(), 4),
        rates in prop::collection::vec(-2.0f32..2.0, 20),
        change in 1usize..60,
    ) {
        let space = |clips: &[Arc<Clip>]| {
            let points = [(0.0, clips[0].clone()), (1.0, clips[1].clone())];
            Arc::new(BlendSpace::line(&hero(), points, SyncMode::Phase).unwrap())
        };
        let mut stage = Stage::new(8);
        let group = SyncGroup::by_phase(1);
        let options = VoiceOptions::from(PlayOptions::fading(0.3)).synced(group);
        let mut voice = stage.mixer.play_space(space(&clips[..2]), options.clone()).unwrap();
        let mut at = 0.5f32;
        stage.mixer.set_parameter(voice, [at, 0.0]);
        stage.mix();
        for i in 0..120 {
            if i == change {
                let before = stage.mixer.voice(voice).unwrap().phase();
                voice = stage.mixer.play_space(space(&clips[2..]), options.clone()).unwrap();
                stage.mixer.set_parameter(voice, [at, 0.0]);
                let after = stage.mixer.voice(voice).unwrap().phase();
                prop_assert!((before - after).abs() < 1e-9, "the phase is kept: {before} {after}");
            }
            let (before, shown) = (heard(&stage.mixer), stage.pose.clone());
            at = (at + rates[i / 6] / 60.0).clamp(-0.2, 1.2);
            stage.mixer.set_parameter(voice, [at, 0.0]);
            stage.update(1.0 / 60.0);
            let after = heard(&stage.mixer);
            let rest = stage.mixer.character().skeleton().rest().clone();
            for joint in 0..JOINTS.len() {
                let (way, most) = (distance(&shown, &stage.pose, joint), bound(&before, &after, &rest, joint));
                prop_assert!(way[0] <= most[0] && way[1] <= most[1], "joint {joint}: {way:?} of {most:?}");
            }
        }
    }

    /// An inertial transition of 0.2 s at 60 Hz: no jump at the change, and the old velocity in the first frame, also when it interrupts another.
    #[test]
    fn inertia_keeps_the_velocity(before in 1usize..40, between in 1usize..15, axis in 0.0f32..6.2, apart in -3.0f32..3.0) {
        let mut stage = Stage::new(4);
        // Fast enough that a velocity is to be seen, at any time: joints turn evenly.
        let even = |name: &str, axis: f32, start: f32, rate: f32, place: Vec3| {
            let (sine, cosine) = (libm::sinf(axis), libm::cosf(axis));
            let turn = |i: u16| Quat::from_axis_angle(Vec3::new(sine, 0.0, cosine), start + rate * f32::from(i) / 32.0);
            let times: Vec<f32> = (0..=64).map(|i| f32::from(i as u16) / 32.0).collect();
            let turns = Track::new(times.clone(), (0..=64).map(turn).collect(), Interpolation::Linear).unwrap();
            let places = (0..=64).map(|i| place + Vec3::X * (rate * f32::from(i as u16) / 32.0)).collect();
            let places = Track::new(times, places, Interpolation::Linear).unwrap();
            let tracks = JointTracks { rotation: Some(turns), translation: Some(places), ..JointTracks::new(1) };
            Arc::new(Clip::new(name, 2.0, vec![tracks], vec![]).unwrap())
        };
        let options = PlayOptions { transition: Transition::Inertial, ..PlayOptions::once(0.2) };
        stage.mixer.play_clip(even("a", axis, 0.0, 2.0, Vec3::Y), PlayOptions::once(0.0)).unwrap();
        stage.mix();
        for _ in 0..before {
            stage.update(1.0 / 60.0);
        }
        for (number, rate) in [(0u8, 1.5), (1, -2.0)] {
            let shown = stage.pose.clone();
            let mut next = stage.mixer.clone();
            next.advance(1.0 / 60.0);
            let mut expected = shown.clone();
            next.mix(&mut stage.scratch, &mut expected).unwrap();
            let start = shown.get(1).rotation.to_axis_angle().1 + apart;
            let place = shown.get(1).translation + Vec3::new(0.3, 0.5, 0.1) * apart;
            let clip = even("b", axis + 0.3, start, rate, place);
            let voice = stage.mixer.play_clip(clip, options).unwrap();
            stage.mix();
            let jump = distance(&shown, &stage.pose, 1);
            prop_assert!(jump[0] < 1e-4 && jump[1] < 1e-4, "transition {number} jumps by {jump:?}");
            prop_assert_eq!(stage.mixer.voices().len(), 1, "no second clip is evaluated");
            stage.update(1.0 / 60.0);
            let (way, off) = (distance(&shown, &expected, 1), distance(&expected, &stage.pose, 1));
            prop_assert!(number == 1 || (off[0] <= 0.1 * way[0] && off[1] <= 0.1 * way[1]), "{off:?} of {way:?}");
            for _ in 0..between {
                stage.update(1.0 / 60.0);
            }
            let _ = voice;
        }
        for _ in 0..13 {
            stage.update(1.0 / 60.0);
        }
        let last = &stage.mixer.voices()[0];
        let alone = Pose::of_clip(stage.mixer.character().skeleton(), last.clip(), last.playback().time()).unwrap();
        prop_assert_eq!(&stage.pose, &alone, "then the new clip plays alone");
    }
}

/// Two turns that come to lie opposite while they are mixed: the way that was begun is gone on with.
#[test]
fn sides_are_held_during_a_fade() {
    let mut stage = Stage::new(4);
    let spin = |name: &str, from: f32, to: f32| {
        let turns =
            (0..=20u8).map(|i| Quat::from_rotation_z(from + (to - from) * f32::from(i) / 20.0)).collect();
        let times = (0..=20u8).map(|i| f32::from(i) / 20.0).collect();
        let track = Track::new(times, turns, Interpolation::Linear).unwrap();
        Arc::new(
            Clip::new(name, 1.0, vec![JointTracks { rotation: Some(track), ..JointTracks::new(1) }], vec![])
                .unwrap(),
        )
    };
    stage.mixer.play_clip(spin("still", 0.0, 0.01), PlayOptions::once(0.0)).unwrap();
    stage.update(0.0);
    stage.mixer.play_clip(spin("spin", 2.8, 3.5), PlayOptions::once(1.0)).unwrap();
    let mut forgetful = stage.mixer.clone();
    let (mut most, mut most_forgetful) = (0.0f32, 0.0f32);
    let (mut last, mut out) = (stage.pose.clone(), stage.pose.clone());
    for _ in 0..55 {
        let before = stage.pose.get(1).rotation;
        stage.update(1.0 / 60.0);
        most = most.max(angle(before, stage.pose.get(1).rotation));
        forgetful.advance(1.0 / 60.0);
        forgetful.voices.iter_mut().for_each(|voice| voice.sides_held = 0);
        forgetful.mix(&mut stage.scratch, &mut out).unwrap();
        most_forgetful = most_forgetful.max(angle(last.get(1).rotation, out.get(1).rotation));
        last.copy_from(&out);
    }
    assert!(most < 0.2, "{most}");
    assert!(most_forgetful > 1.0, "the test sees a jump: {most_forgetful}");
}
