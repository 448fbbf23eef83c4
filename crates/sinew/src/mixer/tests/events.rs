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
    /// When an event is passed until a moment, all in the game's time: a line is laid out of all passes that there can be, and gone along.
    fn moments(&self, event: &Event, until: f64) -> Vec<f64> {
        let fades_from = if event.fire == Some(Fire::UnlessFading) { self.fades_from } else { f64::MAX };
        let until = until.min(self.ends).min(fades_from);
        if until <= self.started {
            return Vec::new();
        }
        let (d, time) = (self.duration, f64::from(event.time));
        let passes = match self.mode {
            LoopMode::Once => Some(1.0),
            LoopMode::Times(n) => Some(f64::from(n)),
            LoopMode::Loop | LoopMode::PingPong => None,
        };
        // Backward it begins at the end of the line; of one without end, at that of the first pass.
        let start = if self.speed < 0.0 { d * passes.unwrap_or(1.0) } else { 0.0 };
        let end = start + (until - self.started) * self.speed;
        let (low, high) = (start.min(end), start.max(end));
        let legs = ((low / d).floor() as i64 - 1..=(high / d).ceil() as i64)
            .filter(|leg| passes.is_none_or(|passes| (0.0..passes).contains(&(*leg as f64))));
        let mut places: Vec<f64> = legs
            .filter_map(|leg| {
                let back = self.mode == LoopMode::PingPong && leg.rem_euclid(2) == 1;
                // Where it turns round it is once, and not at the end of one pass and the beginning of the next.
                (!back || time > 0.0).then_some(leg as f64 * d + if back { d - time } else { time })
            })
            .filter(|place| (low..=high).contains(place))
            .collect();
        places.sort_by(f64::total_cmp);
        places.into_iter().map(|place| self.started + (place - start) / self.speed).collect()
    }

    /// Names of the events that are passed until a moment, in order.
    fn passed(&self, until: f64) -> Vec<&str> {
        let moments = |event| self.moments(event, until).into_iter();
        let mut all: Vec<(f64, &str)> =
            self.events.iter().flat_map(|e| moments(e).map(|at| (at, e.name.as_str()))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.into_iter().map(|(_, name)| name).collect()
    }
}

#[test]
fn events_are_those_of_an_exact_integration() {
    let (mut passed, mut faded) = (0, 0);
    for seed in 0..10_000 {
        let mut dice = Dice(seed * 7919 + 17);
        let mut stage = Stage::new(12);
        let mut planned: Vec<(VoiceId, Planned)> = Vec::new();
        let mut heard: BTreeMap<u32, Vec<String>> = BTreeMap::new();
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
                    heard.entry(fired.voice.0).or_default().push(fired.event.name.clone());
                    assert!((-1e-6..=1.0 + 1e-6).contains(&fired.weight), "{}", fired.weight);
                    passed += 1;
                    faded += u64::from(fired.weight < 0.999);
                }
            }
        }
        for (voice, plan) in &planned {
            let (got, expected) = (heard.remove(&voice.0).unwrap_or_default(), plan.passed(now));
            assert_eq!(
                got, expected,
                "run {seed}, voice {voice:?}, {:?}, speed {}, {:?}",
                plan.events, plan.speed, plan.mode
            );
        }
        assert!(heard.is_empty(), "run {seed}: {heard:?}");
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
    let mode = match dice.below(10) {
        0..4 => LoopMode::Loop,
        4..6 => LoopMode::PingPong,
        6..8 => LoopMode::Times(1 + dice.below(4) as u32),
        _ => LoopMode::Once,
    };
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
