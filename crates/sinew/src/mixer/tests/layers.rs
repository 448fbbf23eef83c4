use super::*;
use crate::Mask;

fn walk() -> Arc<Clip> {
    swinging("walk", 1.0, &[(0, 0.2, 0.1, 0.5), (1, 1.2, 0.3, 0.4), (2, 0.7, 0.6, 0.3), (3, 2.2, -0.5, 0.6)])
}

fn wave() -> Arc<Clip> {
    swinging("wave", 0.8, &[(0, 1.0, 0.9, 0.2), (1, 1.1, 0.8, 0.4), (2, 2.7, 1.6, 0.9), (3, 0.2, -1.5, 0.1)])
}

fn alone(clip: &Clip, time: f64) -> Pose {
    Pose::of_clip(hero().skeleton(), clip, time).unwrap()
}

/// A wave of the upper body over a walk: legs are the walk's and arms the wave's, to the last bit.
#[test]
fn a_masked_layer_is_exact() {
    let mut stage = Stage::new(4);
    let mask = Arc::new(Mask::below(hero().skeleton(), "spine").unwrap());
    stage.mixer.play_clip(walk(), PlayOptions::default()).unwrap();
    let upper = VoiceOptions::from(PlayOptions::once(0.2)).on_layer(1).masked(mask);
    stage.mixer.play_clip(wave(), upper).unwrap();
    stage.update(0.1);
    assert!(stage.pose.get(2) != alone(&walk(), 0.1).get(2), "it has begun");
    for _ in 0..20 {
        stage.update(0.025);
        let time = stage.mixer.voices()[0].playback().time();
        let upper = stage.mixer.voices()[1].playback().time();
        if stage.mixer.voices()[1].share() < 1.0 {
            assert_eq!(stage.pose.get(0), alone(&walk(), time).get(0));
            continue;
        }
        let (walk, wave) = (alone(&walk(), time), alone(&wave(), upper));
        assert_eq!(stage.pose.get(0), walk.get(0), "the legs are the walk's");
        for joint in 1..4 {
            assert_eq!(stage.pose.get(joint), wave.get(joint), "the arms are the wave's");
        }
    }
}

/// What a clip does not move it leaves to the layer below, without any mask.
#[test]
fn a_clip_of_the_arms_leaves_the_legs() {
    let mut stage = Stage::new(4);
    stage.mixer.play_clip(walk(), PlayOptions::default()).unwrap();
    let arms = swinging("arms", 1.0, &[(3, 0.0, 1.0, 0.5)]);
    stage.mixer.play_clip(arms.clone(), VoiceOptions::default().on_layer(3)).unwrap();
    stage.update(0.3);
    for joint in 0..3 {
        assert_eq!(stage.pose.get(joint), alone(&walk(), 0.3).get(joint));
    }
    assert_eq!(stage.pose.get(3), alone(&arms, 0.3).get(3));
    stage.mixer.stop(Some(0));
    stage.update(0.0);
    assert_eq!(
        stage.pose.get(0),
        stage.mixer.character().skeleton().rest().get(0),
        "what no voice moves is at rest"
    );
}

/// Second path: the mean of three poses in double precision.
#[test]
fn voices_of_one_layer_are_averaged_by_weight() {
    let mut stage = Stage::new(4);
    let clips = [
        walk(),
        wave(),
        swinging(
            "third",
            1.0,
            &[(0, 0.5, 0.2, 0.1), (1, 0.5, 0.2, 0.1), (2, 0.5, 0.2, 0.1), (3, 0.5, -0.2, 0.1)],
        ),
    ];
    let weights = [0.9, 0.6, 0.5];
    for (clip, weight) in clips.iter().zip(weights) {
        stage.mixer.add_clip(clip.clone(), VoiceOptions::default().weighted(weight)).unwrap();
    }
    let got = stage.update(0.2).clone();
    for joint in 0..4 {
        let poses = clips.each_ref().map(|clip| alone(clip, 0.2).get(joint));
        let (mut place, mut turn) = (glam::DVec3::ZERO, glam::DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        for (pose, weight) in poses.iter().zip(weights) {
            place += pose.translation.as_dvec3() * f64::from(weight) / 2.0;
            let side = if pose.rotation.dot(poses[0].rotation) < 0.0 { -1.0 } else { 1.0 };
            turn += pose.rotation.as_dquat() * (f64::from(weight) * side);
        }
        assert!(got.get(joint).translation.as_dvec3().abs_diff_eq(place, 1e-5));
        assert!(got.get(joint).rotation.as_dquat().dot(turn.normalize()).abs() > 1.0 - 1e-6);
    }
}

/// Second path: glam's own products, joint by joint.
#[test]
fn additive_voices_add_their_difference() {
    let reference = Arc::new(alone(&wave(), 0.0));
    for weight in [0.0, 0.25, 1.0] {
        let mut stage = Stage::new(4);
        stage.mixer.play_clip(walk(), PlayOptions::default()).unwrap();
        let options = VoiceOptions::default().on_layer(1).additive(reference.clone()).weighted(weight);
        stage.mixer.play_clip(wave(), options).unwrap();
        let got = stage.update(0.3).clone();
        let (base, wave) = (alone(&walk(), 0.3), alone(&wave(), 0.3));
        for joint in 0..4 {
            let (base, wave, from) = (base.get(joint), wave.get(joint), reference.get(joint));
            let turn = Quat::IDENTITY.lerp(from.rotation.inverse() * wave.rotation, weight);
            let place = base.translation + (wave.translation - from.translation) * weight;
            assert!(got.get(joint).translation.abs_diff_eq(place, 1e-5));
            assert!(angle(got.get(joint).rotation, base.rotation * turn) < 1e-4, "{weight} {joint}");
            if weight == 0.0 {
                assert_eq!(got.get(joint), base);
            }
        }
    }
}

#[test]
fn a_mirrored_voice_moves_the_other_arm() {
    let mut stage = Stage::new(2);
    let mirror = Arc::new(crate::Mirror::new(hero().skeleton()));
    let arm = swinging("arm", 1.0, &[(2, 0.3, 0.8, 0.2)]);
    stage.mixer.play_clip(walk(), PlayOptions::default()).unwrap();
    stage.mixer.play_clip(arm.clone(), VoiceOptions::default().on_layer(1).mirrored(mirror.clone())).unwrap();
    stage.update(0.4);
    let mut expected = alone(&arm, 0.4);
    mirror.reflect(&alone(&arm, 0.4), &mut expected);
    assert_eq!(stage.pose.get(3), expected.get(3));
    for joint in 0..3 {
        assert_eq!(stage.pose.get(joint), alone(&walk(), 0.4).get(joint));
    }
}

#[test]
fn the_last_fade_out_shows_what_lies_below() {
    let mut stage = Stage::new(2);
    let walk = walk();
    let voice = stage.mixer.play_clip(walk, PlayOptions::default()).unwrap();
    stage.update(0.1);
    stage.mixer.fade_out(voice, 0.2, Ease::Linear);
    stage.update(0.1);
    assert!((stage.mixer.voices()[0].share() - 0.5).abs() < 1e-6);
    stage.update(0.2);
    assert_eq!(&stage.pose, stage.mixer.character().skeleton().rest());
}
