//! Events against an exact integration, written separately: where each clock is at each moment follows from when it started and stopped.

use super::*;
use crate::{Event, Fire, LoopMode};
use std::collections::BTreeMap;

/// A small generator of even numbers.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() * end as f64) as usize
    }
}

/// One voice as it should be: when it started and when it is heard no more, in the game's time.
struct Planned {
    started: f64,
    fades_from: f64,
    ends: f64,
    speed: f64,
    duration: f64,
    mode: LoopMode,
    events: Vec<Event>,
}

impl Planned {
    /// How often an event is passed until a moment of the game's time.
    fn count(&self, event: &Event, until: f64) -> u64 {
        let until = until.min(self.ends).min(if event.fire == Some(Fire::UnlessFading) {
            self.fades_from
        } else {
            f64::MAX
        });
        if until <= self.started {
            return 0;
        }
        let gone = (until - self.started) * self.speed;
        let (d, time) = (self.duration, f64::from(event.time));
        match self.mode {
            LoopMode::Once if self.speed < 0.0 => u64::from(time >= (d + gone).max(0.0)),
            LoopMode::Once => u64::from(time <= gone.min(d)),
            // Forward from 0, backward from the end; the start itself counts.
            _ if self.speed < 0.0 => {
                let turns = ((d - time - gone.abs()) / d).floor();
                let first = ((d - time) / d).floor();
                (first - turns) as u64 + u64::from(time == 0.0)
            }
            _ => (((gone - time) / d).floor() + 1.0).max(0.0) as u64,
        }
    }
}

#[test]
fn events_are_those_of_an_exact_integration() {
    let (mut passed, mut faded) = (0, 0);
    for seed in 0..10_000 {
        let mut dice = Dice(seed * 7919 + 17);
        let mut stage = Stage::new(12);
        let mut planned: Vec<(VoiceId, Planned)> = Vec::new();
        let mut counts: BTreeMap<(u32, String), u64> = BTreeMap::new();
        let mut now = 0.0;
        for _ in 0..1 + dice.below(6) {
            let (voice, plan) = start(&mut stage, &mut dice, now);
            let crossfade = plan.1;
            for (_, old) in planned.iter_mut().filter(|(_, old)| old.ends > now) {
                old.fades_from = old.fades_from.min(now);
                old.ends = old.ends.min(now + crossfade);
            }
            planned.push((voice, plan.0));
            for _ in 0..dice.below(9) {
                // Now and then a long frame, over several turns.
                let seconds =
                    if dice.next() < 0.15 { dice.between(0.5, 4.0) } else { dice.between(0.0, 0.1) };
                stage.mixer.advance(seconds);
                now += seconds;
                for fired in stage.mixer.events() {
                    *counts.entry((fired.voice.0, fired.event.name.clone())).or_default() += 1;
                    assert!((-1e-6..=1.0 + 1e-6).contains(&fired.weight), "{}", fired.weight);
                    passed += 1;
                    faded += u64::from(fired.weight < 0.999);
                }
            }
        }
        for (voice, plan) in &planned {
            for event in &plan.events {
                let got = counts.remove(&(voice.0, event.name.clone())).unwrap_or(0);
                let expected = plan.count(event, now);
                assert_eq!(
                    got, expected,
                    "run {seed}, voice {voice:?}, {event:?}, speed {}, {:?}",
                    plan.speed, plan.mode
                );
            }
        }
        assert!(counts.is_empty(), "run {seed}: {counts:?}");
    }
    assert!(passed > 100_000 && faded > 10_000, "the runs do something: {passed} {faded}");
}

/// Plays a clip with random events: the voice, what is to be expected of it, and its crossfade.
fn start(stage: &mut Stage, dice: &mut Dice, now: f64) -> (VoiceId, (Planned, f64)) {
    let duration = dice.between(0.1, 2.0) as f32;
    let mut events: Vec<Event> = (0..dice.below(4))
        .map(|i| {
            let fire = if dice.next() < 0.3 { Some(Fire::UnlessFading) } else { None };
            Event { fire, ..Event::new(dice.between(0.01, 0.99) as f32 * duration, format!("e{i}")) }
        })
        .collect();
    let speed = loop {
        let speed = dice.between(-2.0, 8.0);
        if speed.abs() > 0.05 {
            break speed;
        }
    };
    if speed > 0.0 && dice.next() < 0.5 {
        events.push(Event::new(0.0, "start"));
    }
    let mode = if dice.next() < 0.7 { LoopMode::Loop } else { LoopMode::Once };
    let clip = Clip::new("c", duration, vec![], vec![]).unwrap().with_events(events.clone()).unwrap();
    let crossfade = if dice.next() < 0.2 { 0.0 } else { dice.between(0.01, 0.8) };
    let options = PlayOptions { mode: Some(mode), speed: Some(speed), ..PlayOptions::fading(crossfade) };
    let voice = stage.mixer.play_clip(Arc::new(clip), options).unwrap();
    let planned = Planned {
        started: now,
        fades_from: f64::INFINITY,
        ends: f64::INFINITY,
        speed,
        duration: f64::from(duration),
        mode,
        events,
    };
    (voice, (planned, crossfade))
}

#[test]
fn a_weight_is_that_of_the_moment() {
    let mut stage = Stage::new(4);
    let clip = |name: &str| {
        let clip = Clip::new(name, 1.0, vec![], vec![]).unwrap();
        Arc::new(clip.with_events(vec![Event::new(0.25, "step")]).unwrap())
    };
    stage.mixer.play_clip(clip("a"), PlayOptions::default()).unwrap();
    stage.mixer.play_clip(clip("b"), PlayOptions::fading(1.0)).unwrap();
    stage.mixer.advance(0.5);
    let weights: Vec<f32> = stage.mixer.events().map(|fired| fired.weight).collect();
    assert!((weights[0] - 0.75).abs() < 1e-6 && (weights[1] - 0.25).abs() < 1e-6, "{weights:?}");
}
