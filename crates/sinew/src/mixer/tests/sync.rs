use super::*;
use crate::{Event, Fire, Marker, RootMotion, SyncMode};

fn gait(name: &str, seconds: f32, steps: [(f32, &str); 2], speed: f32) -> Arc<Clip> {
    let track =
        Track::new(vec![0.0, seconds], vec![Vec3::ZERO, Vec3::Z * speed * seconds], Interpolation::Linear)
            .unwrap();
    let tracks = JointTracks { translation: Some(track), ..JointTracks::new(0) };
    let markers = steps.map(|(time, name)| Marker::new(time, name)).to_vec();
    let mut events: Vec<Event> = steps.map(|(time, name)| Event::new(time, name)).to_vec();
    events.push(Event { fire: Some(Fire::Always), ..Event::new(seconds / 2.0, "breath") });
    let clip = Clip::new(name, seconds, vec![tracks], vec![]).unwrap();
    Arc::new(clip.with_markers(markers).unwrap().with_events(events).unwrap())
}

fn walk() -> Arc<Clip> {
    gait("walk", 1.0, [(0.1, "left"), (0.6, "right")], 1.5)
}

fn run() -> Arc<Clip> {
    gait("run", 0.6, [(0.2, "right"), (0.5, "left")], 4.0)
}

fn space(sync: SyncMode) -> Arc<BlendSpace> {
    Arc::new(BlendSpace::line(&hero(), [(0.0, walk()), (1.0, run())], sync).unwrap())
}

/// Each step comes once a turn, whoever leads and however the parameter moves; other events come from all that play.
#[test]
fn a_synced_space_steps_once() {
    let mut stage = Stage::new(2);
    let voice = stage.mixer.play_space(space(SyncMode::Markers), PlayOptions::default()).unwrap();
    let mut steps = Vec::new();
    for i in 0..600 {
        stage.mixer.set_parameter(voice, [0.5 + 0.5 * libm::sinf(i as f32 * 0.07), 0.0]);
        stage.mixer.advance(1.0 / 60.0);
        steps.extend(stage.mixer.events().filter(|e| e.name != "breath").map(|e| e.event.name.clone()));
    }
    assert!(steps.windows(2).all(|pair| pair[0] != pair[1]), "left and right by turns");
    let turns = stage.mixer.voice(voice).unwrap().playback().positions()[1];
    assert!((steps.len() as f64 / 2.0 - turns).abs() <= 1.0, "{} steps in {turns} turns", steps.len());
}

#[test]
fn clips_meet_at_their_markers() {
    let mut stage = Stage::new(2);
    let voice = stage.mixer.play_space(space(SyncMode::Markers), PlayOptions::default()).unwrap();
    stage.mixer.set_parameter(voice, [0.3, 0.0]);
    for _ in 0..500 {
        stage.mixer.advance(0.011);
        let times = [0, 1].map(|slot| stage.mixer.voices()[0].part(slot).unwrap().playback.time());
        let between = |time: f64, from: f64, to: f64| from <= time && time < to;
        assert_eq!(between(times[0], 0.1, 0.6), !between(times[1], 0.2, 0.5), "{times:?}");
    }
}

/// The way of a blend is the mean of the ways of its clips over the same part of a turn.
#[test]
fn root_motion_of_a_space_is_blended_by_weight() {
    for sync in [SyncMode::Markers, SyncMode::Phase] {
        let mut stage = Stage::new(2);
        let options = PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::default() };
        let voice = stage.mixer.play_space(space(sync), options).unwrap();
        stage.mixer.set_parameter(voice, [0.25, 0.0]);
        let (mut way, mut seconds) = (0.0, 0.0);
        for _ in 0..5000 {
            stage.mixer.advance(0.0177);
            seconds += 0.0177;
            way += f64::from(stage.mixer.root_delta().translation.z);
        }
        // One turn takes 0.75·1 + 0.25·0.6 seconds and goes 0.75·1.5 + 0.25·2.4 metres.
        let expected = seconds / 0.9 * (0.75 * 1.5 + 0.25 * 2.4);
        assert!((way - expected).abs() < 2.0, "{sync:?}: {way} {expected}");
        let turns = stage.mixer.voices()[0].playback().positions()[1];
        assert!((turns - seconds / 0.9).abs() < 1e-6);
    }
}

/// A transition between two states of one group goes on with the step that was begun.
#[test]
fn a_transition_keeps_the_step() {
    let mut stage = Stage::new(4);
    let group = SyncGroup::by_markers(3);
    let options = VoiceOptions::from(PlayOptions::fading(0.4)).synced(group);
    let first = stage.mixer.play_clip(walk(), options.clone()).unwrap();
    stage.mixer.advance(0.85);
    let second = stage.mixer.play_clip(run(), options).unwrap();
    // Half way from the right foot to the left: 0.25 s of 0.5 s, and of 0.3 s.
    let time = |mixer: &Mixer, voice| mixer.voice(voice).unwrap().playback().time();
    assert!((time(&stage.mixer, second) - 0.35).abs() < 1e-6, "{}", time(&stage.mixer, second));
    let mut steps = 0;
    for _ in 0..20 {
        stage.mixer.advance(0.0199);
        steps += stage.mixer.events().filter(|e| e.name != "breath").count();
        let Some(voice) = stage.mixer.voice(first) else { break };
        let phase = crate::blend_space::follow(&walk(), &run(), voice.phase());
        let difference = phase - stage.mixer.voice(second).unwrap().phase();
        assert!((difference - libm::rint(difference)).abs() < 1e-6, "in step: {difference}");
    }
    assert_eq!(steps, 1, "one foot in 0.4 s, once");
}

#[test]
fn without_a_group_nothing_is_in_step() {
    let mut stage = Stage::new(4);
    stage.mixer.play_clip(walk(), PlayOptions::default()).unwrap();
    stage.mixer.advance(0.85);
    let second = stage.mixer.play_clip(run(), PlayOptions::fading(0.4)).unwrap();
    assert_eq!(stage.mixer.voice(second).unwrap().playback().time(), 0.0);
}
