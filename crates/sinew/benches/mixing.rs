//! Mixing: what each job costs on a figure of 70 joints.

use divan::{Bencher, black_box};
use sinew::glam::{Quat, Vec3};
use sinew::*;
use std::sync::Arc;

const JOINTS: u16 = 70;

fn main() {
    divan::main();
}

/// A clip that turns every joint, at 30 keys a second.
fn clip(name: &str, rate: f32) -> Clip {
    let times: Vec<f32> = (0..=30u8).map(|i| f32::from(i) / 30.0).collect();
    let tracks = (0..JOINTS).map(|joint| {
        let turn = |time: &f32| Quat::from_rotation_x(rate * time * f32::from(joint % 7) * 0.2);
        let rotation = Track::new(times.clone(), times.iter().map(turn).collect(), Interpolation::Linear);
        JointTracks { rotation: Some(rotation.expect("keys are in order")), ..JointTracks::new(joint) }
    });
    let events = vec![Event::new(0.2, "left"), Event::new(0.7, "right")];
    Clip::new(name, 1.0, tracks.collect(), vec![])
        .expect("it is valid")
        .with_events(events)
        .expect("they lie within")
}

fn character() -> Arc<Character> {
    let joints = (0..JOINTS).map(|i| {
        Joint::new(format!("j{i}"), i.checked_sub(1 + i % 5), Transform::from_translation(Vec3::Y * 0.1))
    });
    let data = CharacterData {
        name: "figure".into(),
        skeleton: Skeleton::new(joints.collect(), vec![]).expect("parents come first"),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new([clip("a", 1.0), clip("b", -1.0), clip("c", 0.5)]),
        space: Space::CANONICAL,
    };
    Arc::new(Character::new(data).expect("it is valid"))
}

/// Runs a mixer that a scene has set up.
fn bench(bencher: Bencher<'_, '_>, set_up: impl FnOnce(&Arc<Character>, &mut Mixer)) {
    let figure = character();
    let mut mixer = Mixer::new(figure.clone(), 8).with_inertia(1);
    set_up(&figure, &mut mixer);
    let mut scratch = Scratch::new(figure.skeleton());
    let mut pose = figure.skeleton().rest().clone();
    bencher.bench_local(|| {
        mixer.advance(black_box(1.0 / 60.0));
        mixer.mix(&mut scratch, &mut pose).expect("it fits");
    });
}

/// For comparison: sampling alone.
#[divan::bench]
fn sample(bencher: Bencher<'_, '_>) {
    let figure = character();
    let clip = figure.clips().get(0).expect("it is there");
    let mut pose = figure.skeleton().rest().clone();
    let mut clock = Playback::new(1.0, LoopMode::Loop, 1.0);
    bencher.bench_local(|| {
        clock.advance(black_box(1.0 / 60.0));
        job::sample(figure.skeleton(), &clip, clock.time(), Sampling::Interpolate, &mut pose)
            .expect("it fits");
    });
}

#[divan::bench]
fn one_voice(bencher: Bencher<'_, '_>) {
    bench(bencher, |_, mixer| {
        mixer.play(ClipId::new(0), PlayOptions::default()).expect("it plays");
    });
}

/// For ever.
#[divan::bench]
fn crossfade(bencher: Bencher<'_, '_>) {
    bench(bencher, |_, mixer| {
        mixer.play(ClipId::new(0), PlayOptions::default()).expect("it plays");
        mixer.play(ClipId::new(1), PlayOptions::fading(1e9)).expect("it plays");
        mixer.advance(1e8);
    });
}

#[divan::bench]
fn masked_layer(bencher: Bencher<'_, '_>) {
    bench(bencher, |figure, mixer| {
        let mask = Arc::new(Mask::below(figure.skeleton(), "j20").expect("it is there"));
        mixer.play(ClipId::new(0), PlayOptions::default()).expect("it plays");
        mixer.play(ClipId::new(1), VoiceOptions::default().on_layer(1).masked(mask)).expect("it plays");
    });
}

#[divan::bench]
fn additive_layer(bencher: Bencher<'_, '_>) {
    bench(bencher, |figure, mixer| {
        let reference = Arc::new(figure.skeleton().rest().clone());
        mixer.play(ClipId::new(0), PlayOptions::default()).expect("it plays");
        mixer
            .play(ClipId::new(1), VoiceOptions::default().on_layer(1).additive(reference))
            .expect("it plays");
    });
}

#[divan::bench]
fn mirrored_voice(bencher: Bencher<'_, '_>) {
    bench(bencher, |figure, mixer| {
        let mirror = Arc::new(Mirror::new(figure.skeleton()));
        mixer.play(ClipId::new(0), VoiceOptions::default().mirrored(mirror)).expect("it plays");
    });
}

/// Three clips in a plane.
#[divan::bench]
fn blend_space(bencher: Bencher<'_, '_>) {
    bench(bencher, |figure, mixer| {
        let clip = |index| figure.clips().get(index).expect("it is there");
        let points = [([0.0, 0.0], clip(0)), ([1.0, 0.0], clip(1)), ([0.0, 1.0], clip(2))];
        let space = Arc::new(BlendSpace::plane(figure, points, SyncMode::Phase).expect("it is valid"));
        let voice = mixer.play_space(space, PlayOptions::default()).expect("it plays");
        mixer.set_parameter(voice, [0.3, 0.3]);
    });
}

/// One clip sampled, and the old motion carried on, for ever.
#[divan::bench]
fn inertial(bencher: Bencher<'_, '_>) {
    bench(bencher, |_, mixer| {
        mixer.play(ClipId::new(0), PlayOptions::default()).expect("it plays");
        mixer.advance(0.1);
        let options = PlayOptions { transition: Transition::Inertial, ..PlayOptions::fading(1e9) };
        mixer.play(ClipId::new(1), options).expect("it plays");
    });
}

#[divan::bench]
fn events_of_a_voice(bencher: Bencher<'_, '_>) {
    let mut mixer = Mixer::new(character(), 2);
    mixer.play(ClipId::new(0), PlayOptions::default()).expect("it plays");
    bencher.bench_local(|| {
        mixer.advance(black_box(1.0 / 60.0));
        mixer.events().count()
    });
}
