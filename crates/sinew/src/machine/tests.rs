//! What machines do over time. Clips turn one joint at an even rate, so that a pose says which clip is where.

use super::*;
use crate::tests::{character, tagged, turn};
use crate::{Character, ClipInfo, Interpolation, JointTracks, TaggedClips, Track};
use glam::{Quat, Vec3};
use std::sync::Arc;

mod bad_input;
mod smooth;

const FRAME: f64 = 1.0 / 64.0;

/// Joint 0 turns about z: Idle by nothing, Walk by 1, Run by 2, Jump by 0.5 a second. Wave turns joint 1, Lean turns both.
fn hero() -> Arc<Character> {
    let clips = [("Idle", 0, 0.0), ("Walk", 0, 1.0), ("Run", 0, 2.0), ("Jump", 0, 0.5), ("Wave", 1, 1.0)];
    let mut clips = tagged(clips.map(|(tag, joint, angle)| (tag, turn(&tag.to_lowercase(), joint, angle))));
    let lean = |joint| {
        let values = vec![Quat::from_rotation_x(0.3), Quat::from_rotation_x(0.3)];
        let track = Track::new(vec![0.0, 1.0], values, Interpolation::Linear).unwrap();
        JointTracks { rotation: Some(track), ..JointTracks::new(joint) }
    };
    let lean = crate::Clip::new("lean", 1.0, vec![lean(0), lean(1)], vec![]).unwrap();
    clips.add_with(ClipInfo { tag: Some("Lean".into()), .."lean".into() }, lean);
    Arc::new(character("hero", &["hips", "spine"], 1.0, clips))
}

fn clips(names: &[&str]) -> Graph {
    names.iter().fold(Graph::new(names[0]), |graph, name| graph.state(State::clip(*name, *name)))
}

fn definition(graph: Graph) -> Definition {
    Definition::new()
        .parameter(Parameter::number("speed", 0.0))
        .parameter(Parameter::flag("grounded", true))
        .parameter(Parameter::trigger("jump", 0.0))
        .parameter(Parameter::trigger("wave", 0.25))
        .layer(Layer::new("body", graph))
}

fn animate(definition: Definition) -> Animator {
    let hero = hero();
    let machine = Arc::new(definition.build().unwrap());
    Animator::new(hero.clone(), Arc::new(MachinePlan::new(machine, &hero).unwrap())).unwrap()
}

fn animator(graph: Graph) -> Animator {
    animate(definition(graph))
}

/// How far a joint is turned about z.
fn angle(animator: &Animator, joint: usize) -> f32 {
    let rotation = animator.instance().pose().get(joint).rotation;
    2.0 * rotation.z.atan2(rotation.w)
}

#[test]
fn conditions_choose_the_state_and_order_is_priority() {
    let graph = clips(&["Idle", "Walk", "Run"])
        .transition(Transition::new("Idle", "Run").when("speed > 3"))
        .transition(Transition::new("Idle", "Walk").when("speed > 0.1"))
        .transition(Transition::new("Walk", "Idle").when("speed <= 0.1"));
    let mut hero = animator(graph);
    assert_eq!(hero.state(0), "Idle");
    hero.update(FRAME).unwrap();
    assert_eq!(hero.state(0), "Idle");
    hero.set_number("speed", 1.0).unwrap();
    hero.update(0.25).unwrap();
    assert_eq!((hero.state(0), hero.run().entered(0)), ("Walk", 1));
    // It answers in the same update: a quarter of a second of a walk of one radian a second.
    assert!((angle(&hero, 0) - 0.25).abs() < 1e-6);
    hero.set_number("speed", 0.0).unwrap();
    hero.update(FRAME).unwrap();
    assert_eq!(hero.state(0), "Idle");
    hero.set_number("speed", 4.0).unwrap();
    hero.update(FRAME).unwrap();
    assert_eq!(hero.state(0), "Run", "the first that holds is taken");
}

#[test]
fn a_game_can_put_a_layer_into_a_state() {
    let graph = clips(&["Idle", "Walk", "Run"])
        .transition(Transition::new("Idle", "Walk").when("speed > 0.1").fade(1.0))
        .transition(Transition::new("Run", "Idle").after(0.5));
    let mut hero = animator(graph);
    hero.set_number("speed", 1.0).unwrap();
    hero.update(0.25).unwrap();
    assert!(hero.run().transition(0).is_some());
    assert_eq!(hero.go_to(0, "Run"), Ok(true));
    assert_eq!((hero.state(0), hero.run().transition(0), hero.run().entered(0)), ("Run", None, 2));
    assert_eq!(angle(&hero, 0), 0.0, "it starts at once, and nothing else is heard");
    hero.update(0.25).unwrap();
    assert!((angle(&hero, 0) - 0.5).abs() < 1e-6);
    hero.update(0.5).unwrap();
    hero.update(FRAME).unwrap();
    assert_ne!(hero.state(0), "Run", "its transitions go on from there");
    let state = hero.state(0).to_owned();
    assert_eq!((hero.go_to(0, "Swim"), hero.go_to(1, "Run")), (Ok(false), Ok(false)));
    assert_eq!(hero.state(0), state);
}

#[test]
fn a_trigger_ends_with_the_update_or_with_its_hold() {
    let graph = || {
        clips(&["Idle", "Walk", "Jump", "Run"])
            .transition(Transition::new("Walk", "Jump").when("jump"))
            .transition(Transition::new("Walk", "Run").when("wave"))
            .transition(Transition::new("Idle", "Walk").when("speed > 1"))
    };
    let mut hero = animator(graph());
    // Nothing takes it where it stands: it is gone when something could.
    hero.fire("jump").unwrap();
    hero.update(FRAME).unwrap();
    hero.set_number("speed", 2.0).unwrap();
    hero.update(FRAME).unwrap();
    hero.update(FRAME).unwrap();
    assert_eq!(hero.state(0), "Walk");
    hero.fire("jump").unwrap();
    hero.update(FRAME).unwrap();
    assert_eq!(hero.state(0), "Jump");
    let jump = hero.plan().machine().parameter("jump").unwrap();
    assert_eq!(hero.run().truth(jump), Some(false), "taken");

    // Held for a quarter of a second: sixteen updates of 1/64 s.
    for (wait, state) in [(15, "Run"), (16, "Walk")] {
        let mut hero = animator(graph());
        hero.fire("wave").unwrap();
        for _ in 0..wait {
            hero.update(FRAME).unwrap();
        }
        hero.set_number("speed", 2.0).unwrap();
        hero.update(FRAME).unwrap();
        assert_eq!(hero.state(0), state, "after {wait} updates");
    }
}

#[test]
fn a_trigger_is_taken_once_by_each_layer_and_not_twice_in_one_update() {
    let there_and_back = || {
        clips(&["Idle", "Walk"])
            .transition(Transition::new("Idle", "Walk").when("jump"))
            .transition(Transition::new("Walk", "Idle").when("jump"))
    };
    let both = definition(there_and_back()).layer(Layer::new("over", there_and_back()).below("spine"));
    let mut hero = animate(both);
    for expected in ["Walk", "Idle"] {
        hero.fire("jump").unwrap();
        hero.update(FRAME).unwrap();
        assert_eq!((hero.state(0), hero.state(1)), (expected, expected));
    }
    // A trigger that is mentioned and not set is not taken.
    let graph = clips(&["Idle", "Walk"]).transition(Transition::new("Idle", "Walk").when("jump or wave"));
    let mut hero = animator(graph);
    hero.fire("wave").unwrap();
    hero.update(FRAME).unwrap();
    assert_eq!(hero.state(0), "Walk");
}

#[test]
fn after_counts_once_reached_or_passed() {
    let graph = |mode: fn(State) -> State| {
        Graph::new("Walk")
            .state(mode(State::clip("Walk", "Walk")))
            .state(State::clip("Idle", "Idle"))
            .transition(Transition::new("Walk", "Idle").after(1.0).when("speed > 1"))
    };
    let modes: [fn(State) -> State; 3] = [State::once, State::looping, |state| state.looping().speed(-1.0)];
    for mode in modes {
        for steps in [&[0.5, 0.5][..], &[1.0], &[7.3], &[0.9, 0.3]] {
            let mut hero = animator(graph(mode));
            steps.iter().for_each(|step| hero.update(*step).unwrap());
            hero.update(0.0).unwrap();
            assert_eq!(hero.state(0), "Walk", "the condition does not hold");
            hero.set_number("speed", 2.0).unwrap();
            hero.update(0.0).unwrap();
            assert_eq!(hero.state(0), "Idle", "{steps:?}");
        }
        let mut hero = animator(graph(mode));
        hero.set_number("speed", 2.0).unwrap();
        hero.update(0.99).unwrap();
        hero.update(0.0).unwrap();
        assert_eq!(hero.state(0), "Walk", "not yet");
    }
}

#[test]
fn each_entry_is_a_new_voice() {
    let graph = clips(&["Idle", "Walk"])
        .transition(Transition::new("Idle", "Walk").when("grounded").fade(0.5))
        .transition(Transition::new("Walk", "Idle").when("not grounded").fade(0.5));
    let mut hero = animator(graph);
    let mut voices = vec![hero.run().voice(0).unwrap()];
    for (round, grounded) in [true, false, true, false, true].into_iter().enumerate() {
        hero.set_bool("grounded", grounded).unwrap();
        hero.update(0.1).unwrap();
        let voice = hero.run().voice(0).unwrap();
        assert!(!voices.contains(&voice), "round {round}");
        voices.push(voice);
        let before = hero.voice(0).unwrap().playback().time();
        hero.update(0.1).unwrap();
        assert!(hero.voice(0).unwrap().playback().time() > before, "its clock runs");
    }
}

#[test]
fn interruptions_are_as_the_running_transition_allows() {
    // While Idle → Walk fades: `speed` asks for Walk → Run, `jump` for Idle → Jump, which comes first in order.
    for (interrupt, by_source, by_target) in [
        (Interrupt::None, false, false),
        (Interrupt::Source, true, false),
        (Interrupt::Target, false, true),
        (Interrupt::Any, true, true),
    ] {
        let graph = || {
            clips(&["Idle", "Walk", "Run", "Jump"])
                .transition(Transition::new("Idle", "Jump").when("jump").fade(0.25))
                .transition(Transition::new("Idle", "Walk").when("grounded").fade(0.25).interrupt(interrupt))
                .transition(Transition::new("Idle", "Run").when("speed > 5").fade(0.25))
                .transition(Transition::new("Walk", "Run").when("speed > 1").fade(0.25))
        };
        let started = || {
            let mut hero = animator(graph());
            hero.update(FRAME).unwrap();
            assert_eq!(hero.state(0), "Walk");
            assert!(hero.run().transition(0).is_some());
            hero
        };
        let mut hero = started();
        hero.fire("jump").unwrap();
        hero.update(FRAME).unwrap();
        assert_eq!(hero.state(0), if by_source { "Jump" } else { "Walk" }, "{interrupt:?}");
        let mut hero = started();
        hero.set_number("speed", 2.0).unwrap();
        hero.update(FRAME).unwrap();
        assert_eq!(hero.state(0), if by_target { "Run" } else { "Walk" }, "{interrupt:?}");
        // When it is over, those of the state hold in any case.
        for _ in 0..16 {
            hero.update(FRAME).unwrap();
        }
        assert_eq!(hero.state(0), "Run", "{interrupt:?}");
        // One that comes behind the running one does not interrupt it from the source.
        if interrupt == Interrupt::Source {
            let mut hero = started();
            hero.set_number("speed", 9.0).unwrap();
            hero.update(FRAME).unwrap();
            assert_eq!(hero.state(0), "Walk");
        }
    }
}

#[test]
fn any_means_every_other_state_unless_it_is_named_too() {
    let graph = |again: bool| {
        let hit = Transition::from_any("Jump").when("jump");
        clips(&["Idle", "Walk", "Jump"])
            .transition(if again { hit.and_from("Jump") } else { hit })
            .transition(Transition::new("Idle", "Walk").when("speed > 1"))
    };
    for again in [false, true] {
        let mut hero = animator(graph(again));
        for round in 1..4 {
            hero.fire("jump").unwrap();
            hero.update(FRAME).unwrap();
            assert_eq!((hero.state(0), hero.run().entered(0)), ("Jump", if again { round } else { 1 }));
        }
    }
}

#[test]
fn several_states_are_passed_in_one_update_but_not_without_end() {
    let chain = clips(&["Idle", "Walk", "Run", "Jump"])
        .transition(Transition::new("Idle", "Walk").when("grounded"))
        .transition(Transition::new("Walk", "Run"))
        .transition(Transition::new("Run", "Jump").fade(0.25));
    let mut hero = animator(chain);
    hero.update(FRAME).unwrap();
    assert_eq!((hero.state(0), hero.run().entered(0)), ("Jump", 3));
    assert_eq!(hero.mixer().voices().len(), 2, "only where it comes to stand is there a voice");
    let circle = clips(&["Idle", "Walk"])
        .transition(Transition::new("Idle", "Walk"))
        .transition(Transition::new("Walk", "Idle"));
    let mut hero = animator(circle);
    hero.update(FRAME).unwrap();
    assert_eq!(hero.run().entered(0), 8);
}

fn air() -> Definition {
    let body = Graph::new("Ground")
        .state(State::clip("Ground", "Idle"))
        .state(State::machine("Air", "air"))
        .transition(Transition::new("Air", "Ground").when("grounded and speed > 1").fade(0.1))
        .transition(Transition::new("Ground", "Air").when("not grounded"));
    let air = Graph::new("Rise")
        .state(State::clip("Rise", "Jump").once())
        .state(State::clip("Fall", "Run"))
        .transition(Transition::new("Rise", "Fall").after(1.0));
    definition(body).machine("air", air)
}

#[test]
fn a_nested_machine_is_entered_at_its_start_and_left_from_anywhere() {
    let mut hero = animate(air());
    assert_eq!(hero.plan().machine().states(0).collect::<Vec<_>>(), ["Ground", "Air/Rise", "Air/Fall"]);
    hero.set_bool("grounded", false).unwrap();
    hero.update(0.5).unwrap();
    assert_eq!(hero.state(0), "Air/Rise");
    hero.update(0.6).unwrap();
    hero.update(0.0).unwrap();
    assert_eq!(hero.state(0), "Air/Fall");
    hero.set_bool("grounded", true).unwrap();
    hero.set_number("speed", 2.0).unwrap();
    hero.update(FRAME).unwrap();
    assert_eq!(hero.state(0), "Ground");
    // Transitions of the outer machine come before those of the inner one.
    hero.set_bool("grounded", false).unwrap();
    hero.update(1.0).unwrap();
    hero.set_bool("grounded", true).unwrap();
    hero.update(0.0).unwrap();
    assert_eq!(hero.state(0), "Ground");
}

#[test]
fn a_layer_counts_where_its_mask_says_and_an_empty_state_lets_through() {
    let arms = Graph::new("Off")
        .state(State::empty("Off"))
        .state(State::clip("Lean", "Lean"))
        .transition(Transition::new("Off", "Lean").when("wave").fade(0.25))
        .transition(Transition::new("Lean", "Off").when("jump").fade(0.25));
    let mut hero = animate(definition(clips(&["Walk"])).layer(Layer::new("arms", arms).below("spine")));
    let mut alone = animator(clips(&["Walk"]));
    let spine = |hero: &Animator| hero.instance().pose().get(1).rotation;
    for frame in 0..64 {
        if frame == 8 {
            hero.fire("wave").unwrap();
        }
        if frame == 40 {
            hero.fire("jump").unwrap();
        }
        hero.update(FRAME).unwrap();
        alone.update(FRAME).unwrap();
        assert_eq!(
            hero.instance().pose().get(0),
            alone.instance().pose().get(0),
            "the hips walk on, bit by bit"
        );
        let lean = 2.0 * spine(&hero).x.atan2(spine(&hero).w);
        let expected = match frame {
            0..8 => 0.0,
            8..24 => 0.3 * (frame as f32 - 7.0) / 16.0,
            24..40 => 0.3,
            40..56 => 0.3 * (55.0 - frame as f32) / 16.0,
            _ => 0.0,
        };
        // The middle of a normalised line is up to 0.3³/60 off from an even turn.
        assert!((lean - expected).abs() < 5e-4, "{frame}: {lean}, not {expected}");
    }
    assert_eq!(hero.run().voice(1), None);
}

#[test]
fn weight_and_speed_may_be_parameters() {
    let walk = Graph::new("Walk").state(State::clip("Walk", "Walk").speed("speed"));
    let lean = Graph::new("Lean").state(State::clip("Lean", "Lean"));
    let definition = definition(walk)
        .parameter(Parameter::number("lean", 0.0))
        .layer(Layer::new("lean", lean).weight("lean").below("spine"));
    let mut hero = animate(definition);
    hero.update(0.25).unwrap();
    assert_eq!(angle(&hero, 0), 0.0);
    hero.set_number("speed", 2.0).unwrap();
    hero.set_number("lean", 1.0).unwrap();
    hero.update(0.25).unwrap();
    assert!((angle(&hero, 0) - 0.5).abs() < 1e-6);
    assert_eq!(hero.instance().pose().get(1).rotation, Quat::from_rotation_x(0.3));
    hero.set_number("lean", 0.0).unwrap();
    hero.update(0.0).unwrap();
    assert_eq!(hero.instance().pose().get(1).rotation, Quat::IDENTITY);
}

#[test]
fn an_additive_layer_adds_its_difference() {
    let lean = || Graph::new("Lean").state(State::clip("Lean", "Lean"));
    let mut hero = animate(definition(clips(&["Walk"])).layer(Layer::new("lean", lean()).additive()));
    hero.update(0.25).unwrap();
    let expected = Quat::from_rotation_z(0.25) * Quat::from_rotation_x(0.3);
    assert!(hero.instance().pose().get(0).rotation.angle_between(expected) < 1e-3);
    // Against its own frame it adds nothing.
    let none = Layer { blend: LayerBlend::AdditiveTo("Lean".into(), 0.0), ..Layer::new("lean", lean()) };
    let mut hero = animate(definition(clips(&["Walk"])).layer(none));
    hero.update(0.25).unwrap();
    assert!(hero.instance().pose().get(0).rotation.angle_between(Quat::from_rotation_z(0.25)) < 1e-3);
}

#[test]
fn a_blend_space_follows_its_parameter() {
    let gait = State::line("Move", "speed", [(1.0, "Walk"), (3.0, "Run")]).sync(crate::SyncMode::Phase);
    let mut hero = animator(Graph::new("Move").state(gait));
    for (speed, rate) in [(0.0, 1.0), (2.0, 1.5), (3.0, 2.0), (9.0, 2.0)] {
        hero.restart().unwrap();
        hero.set_number("speed", speed).unwrap();
        hero.update(0.25).unwrap();
        assert!((angle(&hero, 0) - 0.25 * rate).abs() < 1e-3, "{speed}: {}", angle(&hero, 0));
    }
}

#[test]
fn states_that_are_kept_in_step_keep_the_phase() {
    let graph = |sync: crate::SyncMode| {
        let state = |name: &str| State::clip(name, name).sync(sync);
        Graph::new("Walk")
            .state(state("Walk"))
            .state(state("Run"))
            .transition(Transition::new("Walk", "Run").when("speed > 1").fade(0.25))
    };
    for (sync, expected) in [(crate::SyncMode::Phase, 0.6), (crate::SyncMode::None, 0.1)] {
        let mut hero = animator(graph(sync));
        hero.update(0.5).unwrap();
        hero.set_number("speed", 2.0).unwrap();
        hero.update(0.1).unwrap();
        let time = hero.voice(0).unwrap().playback().time();
        assert!((time - expected).abs() < 1e-6, "{sync:?}: {time}");
    }
}

#[test]
fn the_first_pose_is_that_of_the_start() {
    let hero = animate(definition(clips(&["Lean"])));
    assert_eq!(hero.instance().pose().get(0).rotation, Quat::from_rotation_x(0.3));
    assert_eq!(hero.instance().pose().get(0).translation, Vec3::ZERO);
}

#[test]
fn restarting_is_a_new_start() {
    let graph =
        || clips(&["Idle", "Walk"]).transition(Transition::new("Idle", "Walk").when("speed > 1").fade(0.3));
    let (mut fresh, mut used) = (animator(graph()), animator(graph()));
    used.set_number("speed", 3.0).unwrap();
    (0..9).for_each(|_| used.update(0.1).unwrap());
    used.restart().unwrap();
    for _ in 0..9 {
        fresh.update(FRAME).unwrap();
        used.update(FRAME).unwrap();
        assert_eq!(fresh.instance().pose(), used.instance().pose());
        assert_eq!(fresh.state(0), used.state(0));
    }
}
