//! A session of a game, played by both: changes of clips with and without crossfades, any speed, all loop modes, events, root motion.

use crate::characters::{self, write};
use crate::compare::Pair;
use crate::csharp::CSharp;
use crate::figures;
use crate::number;
use sinew::glam::Vec3;
use sinew::{Controller, IDLE, LoopMode, PlayOptions, Player, RootMotion, Sampling};
use sinew_build::monogame::MonoGameOptions;
use std::sync::Arc;

/// Numbers that look random, the same on every machine.
struct Dice(u32);

impl Dice {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % end
    }
}

/// What the driver says about its player: events, then time, weight, whether it has ended, and how far it went.
fn compare_state(
    csharp: &mut CSharp,
    events: &[&str],
    numbers: [f64; 3],
    delta: Vec3,
    size: f32,
    when: &str,
) {
    let state = csharp.tell(&["state"]);
    let got: Vec<&str> = state.text.lines().collect();
    assert_eq!(got, events, "{when}");
    for (got, expected) in state.numbers.iter().zip(numbers) {
        assert!(
            (f64::from(*got) - expected).abs() < 1e-4,
            "{when}: {:?}, and not {numbers:?}",
            state.numbers
        );
    }
    let went = Vec3::from_slice(&state.numbers[3..]);
    assert!(went.distance(delta) <= 1e-4 * size, "{when}: went {went}, and not {delta}");
}

/// Options of one `play`, for both.
fn options(dice: &mut Dice) -> (PlayOptions, Vec<String>) {
    let mut options = PlayOptions::default();
    let mut words = Vec::new();
    if dice.below(3) > 0 {
        options.crossfade = f64::from(dice.below(5)) * 0.1;
        words.push(format!("crossfade={}", options.crossfade));
    }
    if dice.below(3) == 0 {
        options.reset = true;
        words.push("reset".into());
    }
    let modes = [
        ("Once", LoopMode::Once),
        ("Loop", LoopMode::Loop),
        ("PingPong", LoopMode::PingPong),
        ("Times", LoopMode::Times(3)),
    ];
    if let Some((word, mode)) = modes.get(dice.below(8) as usize) {
        options.mode = Some(*mode);
        words.extend([format!("mode={word}"), "times=3".into()]);
    }
    if dice.below(3) == 0 {
        let speed = [-1.0, 0.5, 3.0][dice.below(3) as usize];
        options.speed = Some(speed);
        words.push(format!("speed={speed}"));
    }
    if dice.below(4) == 0 {
        options.sampling = Some(Sampling::Step);
        words.push("sampling=Step".into());
    }
    let motions = [("Keep", RootMotion::Keep), ("InPlace", RootMotion::InPlace)];
    if let Some((word, motion)) = motions.get(dice.below(6) as usize) {
        options.root_motion = Some(*motion);
        words.push(format!("root={word}"));
    }
    (options, words)
}

#[test]
fn a_session_goes_as_in_the_run_time() {
    let hero = characters::eventful(&figures::hero());
    let content = tempfile::tempdir().unwrap();
    let xnb = write(content.path(), "hero", &hero, &MonoGameOptions::default());
    let Some(mut csharp) = CSharp::start("a_session_goes_as_in_the_run_time", content.path()) else { return };
    csharp.tell(&["load", "hero"]);
    let mut pair = Pair::new(&hero, &xnb);
    let mut controller = Controller::new(Arc::new(hero.clone()));
    // Without the tag that stands for the first clip: the C# knows it for the same clip and goes on.
    let tags: Vec<String> = controller.tags().filter(|&tag| tag != IDLE).map(str::to_owned).collect();
    let mut dice = Dice(7);
    let (mut fired, mut went) = (0, 0.0);
    for frame in 0..600 {
        if dice.below(6) == 0 {
            let tag = &tags[dice.below(tags.len() as u32) as usize];
            let (options, words) = options(&mut dice);
            let mut line = vec!["play", tag];
            line.extend(words.iter().map(String::as_str));
            controller.play_with(tag, options).unwrap();
            assert_eq!(csharp.tell(&line).text, "");
        }
        // From a frame of nothing to one of several seconds.
        let seconds = [0.0, 1.0 / 60.0, 0.1, 0.7, 4.3][dice.below(5) as usize];
        let when = format!("frame {frame} of {seconds} s, {:?}", controller.active());
        controller.update(seconds);
        csharp.tell(&["update", &number(seconds)]);
        let events: Vec<&str> = controller.events().map(|fired| fired.event.name.as_str()).collect();
        let ended = if controller.has_ended() { 1.0 } else { 0.0 };
        let numbers = [controller.playback().time(), controller.weight().into(), ended];
        compare_state(&mut csharp, &events, numbers, controller.root_delta().translation, hero.size(), &when);
        pair.skin(&mut csharp, controller.instance(), &when);
        fired += events.len();
        went += controller.root_delta().translation.length();
    }
    println!("600 frames: {fired} events, {went:.1} m, matrices to {:.1e} of D", pair.matrix_error);
    assert!(fired > 100 && went > 1.0, "the session does something");
}

#[test]
fn seeking_pausing_and_stopping_go_as_in_the_run_time() {
    let hero = characters::eventful(&figures::hero());
    let content = tempfile::tempdir().unwrap();
    let xnb = write(content.path(), "hero", &hero, &MonoGameOptions::default());
    let name = "seeking_pausing_and_stopping_go_as_in_the_run_time";
    let Some(mut csharp) = CSharp::start(name, content.path()) else { return };
    csharp.tell(&["load", "hero"]);
    let mut pair = Pair::new(&hero, &xnb);
    let mut player = Player::new(Arc::new(hero.clone()));
    for clip in crate::names_of(&hero) {
        player.play(&clip).unwrap();
        csharp.tell(&["play", &clip, "reset"]);
        for command in [
            "update 0.2",
            "seek 0.1",
            "update 0",
            "pause on",
            "update 0.3",
            "pause off",
            "speed -2",
            "update 0.3",
            "update 0.01",
        ] {
            let (what, value) = command.split_once(' ').unwrap();
            match (what, value.parse::<f64>()) {
                ("update", Ok(seconds)) => player.update(seconds),
                ("seek", Ok(time)) => player.seek(time),
                ("speed", Ok(speed)) => player.set_speed(speed),
                _ if value == "on" => player.pause(),
                _ => player.resume(),
            }
            csharp.tell(&[what, value]);
            let when = format!("{clip}, {command}");
            let events: Vec<&str> = player.events().map(|fired| fired.event.name.as_str()).collect();
            let numbers = [player.time(), 1.0, if player.has_ended() { 1.0 } else { 0.0 }];
            compare_state(&mut csharp, &events, numbers, player.root_delta().translation, hero.size(), &when);
            pair.skin(&mut csharp, player.instance(), &when);
        }
    }
    player.stop();
    csharp.tell(&["stop"]);
    pair.skin(&mut csharp, player.instance(), "stopped");
    let refused = csharp.tell(&["play", "Tanz"]).text;
    assert!(refused.contains("'Tanz'"), "{refused}");
    pair.skin(&mut csharp, player.instance(), "after a clip that is not there");
}

#[test]
fn moments_and_sockets_are_those_of_the_run_time() {
    let hero = characters::eventful(&figures::hero());
    let content = tempfile::tempdir().unwrap();
    write(content.path(), "hero", &hero, &MonoGameOptions::default());
    let Some(mut csharp) = CSharp::start("moments_and_sockets_are_those_of_the_run_time", content.path())
    else {
        return;
    };
    csharp.tell(&["load", "hero"]);
    let mut player = Player::new(Arc::new(hero.clone()));
    for name in crate::names_of(&hero) {
        let clip = hero.clips().by_name(&name).unwrap();
        player.play(&name).unwrap();
        csharp.tell(&["play", &name, "reset"]);
        player.update(0.21);
        csharp.tell(&["update", "0.21"]);
        let told = csharp.tell(&["moments"]).text;
        let told: Vec<Vec<&str>> = told.lines().map(|line| line.split('\t').collect()).collect();
        let time =
            |text: &str, expected: f32| assert!((text.parse::<f32>().unwrap() - expected).abs() < 1e-5);
        let (events, markers) = told.split_at(clip.events().len());
        for (told, event) in events.iter().zip(clip.events()) {
            time(told[0], event.time);
            let fire = if event.fire.is_some() { "UnlessFading" } else { "Unspecified" };
            assert_eq!(told[1..], [event.name.as_str(), event.payload.as_str(), fire]);
        }
        time(markers[0][0], clip.markers()[0].time);
        assert_eq!((markers.len(), markers[0][1]), (1, clip.markers()[0].name.as_str()));
        // Rows of their matrix are columns of ours.
        let (place, own) = (csharp.tell(&["socket", "tip"]), player.instance().socket("tip").unwrap());
        let own = sinew::glam::Mat4::from(own.to_affine()).to_cols_array();
        for (their, own) in place.numbers.iter().zip(own) {
            assert!((their - own).abs() < 1e-4, "{name}: {:?}, and not {own:?}", place.numbers);
        }
        assert_eq!(place.numbers.len(), 16);
    }
    assert_eq!(csharp.tell(&["socket", "nothing"]).text, "none");
}
