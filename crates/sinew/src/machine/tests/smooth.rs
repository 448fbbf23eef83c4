//! Nothing jumps when states change, and no frame shows the rest pose in between.

use super::*;
use crate::mixer::tests::smooth::{bound, clip, distance, heard};
use crate::mixer::tests::{JOINTS, angle as angle_between};
use crate::{ClipLibrary, Scratch};
use proptest::prelude::*;

const STATES: usize = 5;

/// Every state can be reached from every other by `goal`: four play clips, the last a blend space of two, which is kept in step with the first.
fn ring(fades: &[f64]) -> Graph {
    let name = |state: usize| format!("s{state}");
    let mut graph = Graph::new("s0");
    for state in 0..STATES - 1 {
        let clip = State::clip(name(state), name(state));
        graph = graph.state(if state == 0 { clip.sync(crate::SyncMode::Phase) } else { clip });
    }
    let space = State::line(name(STATES - 1), "speed", [(0.0, "s0"), (1.0, "s1")]);
    graph = graph.state(space.sync(crate::SyncMode::Phase));
    for (state, &fade) in fades.iter().enumerate().take(STATES) {
        let way = Transition::from_any(name(state)).when(format!("goal == {state}"));
        graph = graph.transition(way.fade(fade).interrupt(Interrupt::Any));
    }
    graph
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The bound of a crossfade holds in every frame of a machine whose states change at random, interrupting each other.
    #[test]
    fn state_changes_do_not_pop(
        clips in prop::collection::vec(clip(), STATES - 1),
        fades in prop::collection::vec(0.05f64..0.6, STATES),
        goals in prop::collection::vec((0..STATES, 1usize..40, 0.0f32..1.0), 1..10),
    ) {
        let mut library = ClipLibrary::default();
        for (index, clip) in clips.iter().enumerate() {
            library.add_with(format!("s{index}").as_str(), clip.clone());
        }
        let hero = Arc::new(character("hero", &JOINTS, 1.0, library));
        let definition = definition(ring(&fades)).parameter(Parameter::number("goal", 0.0));
        let plan = MachinePlan::new(Arc::new(definition.build().unwrap()), &hero).unwrap();
        let mut mixer = crate::Mixer::new(hero.clone(), 16);
        let mut run = MachineRun::start(&plan, &mut mixer).unwrap();
        let (mut scratch, rest) = (Scratch::new(hero.skeleton()), hero.skeleton().rest().clone());
        let mut pose = rest.clone();
        mixer.mix(&mut scratch, &mut pose).unwrap();
        let mut speed = 0.5f32;
        for (goal, frames, towards) in goals {
            run.set_number(&plan, "goal", goal as f32).unwrap();
            // The state changes without time: what is shown stays.
            let shown = pose.clone();
            run.advance(&plan, &mut mixer, 0.0).unwrap();
            mixer.mix(&mut scratch, &mut pose).unwrap();
            for joint in 0..JOINTS.len() {
                let way = distance(&shown, &pose, joint);
                prop_assert!(way[0] < 1e-4 && way[1] < 1e-4, "joint {joint} jumps by {way:?}");
            }
            for _ in 0..frames {
                let (before, shown) = (heard(&mixer), pose.clone());
                speed += (towards - speed).clamp(-1.0 / 60.0, 1.0 / 60.0);
                run.set_number(&plan, "speed", speed).unwrap();
                run.advance(&plan, &mut mixer, 1.0 / 60.0).unwrap();
                mixer.mix(&mut scratch, &mut pose).unwrap();
                let after = heard(&mixer);
                for joint in 0..JOINTS.len() {
                    let (way, most) = (distance(&shown, &pose, joint), bound(&before, &after, &rest, joint));
                    prop_assert!(way[0] <= most[0] && way[1] <= most[1], "joint {joint}: {way:?} of {most:?}");
                }
            }
        }
    }
}

/// All clips lean by 0.3 in ways of their own; the rest stands straight.
#[test]
fn no_frame_shows_the_rest_pose() {
    let fades = [0.0, 0.3, 0.05, 0.0, 0.2];
    let mut library = ClipLibrary::default();
    for index in 0..STATES - 1 {
        let lean = Quat::from_rotation_x(0.3 + 0.05 * index as f32);
        let track = Track::new(vec![0.0, 1.0], vec![lean, lean], Interpolation::Linear).unwrap();
        let tracks = JointTracks { rotation: Some(track), ..JointTracks::new(0) };
        library.add_with(
            format!("s{index}").as_str(),
            crate::Clip::new("lean", 1.0, vec![tracks], vec![]).unwrap(),
        );
    }
    let hero = Arc::new(character("hero", &JOINTS, 1.0, library));
    for kind in [crate::Transition::Crossfade, crate::Transition::Inertial] {
        let mut graph = ring(&fades);
        graph.transitions.iter_mut().for_each(|transition| transition.kind = kind);
        let definition = definition(graph).parameter(Parameter::number("goal", 0.0));
        let plan = Arc::new(MachinePlan::new(Arc::new(definition.build().unwrap()), &hero).unwrap());
        let mut animator = Animator::new(hero.clone(), plan).unwrap();
        for step in 0..400usize {
            let goal = (step / 7 * 3 + step / 31) % STATES;
            animator.set_number("goal", goal as f32).unwrap();
            animator.update(FRAME).unwrap();
            let lean = angle_between(animator.instance().pose().get(0).rotation, Quat::IDENTITY);
            assert!((0.2999..0.4501).contains(&lean), "step {step}: {lean}");
        }
    }
}

#[test]
fn an_inertial_transition_does_not_jump_and_keeps_the_velocity() {
    let graph =
        clips(&["Walk", "Idle"]).transition(Transition::new("Walk", "Idle").when("jump").inertial(0.2));
    let mut hero = animator(graph);
    (0..30).for_each(|_| hero.update(1.0 / 60.0).unwrap());
    let before = angle(&hero, 0);
    hero.fire("jump").unwrap();
    hero.update(0.0).unwrap();
    assert_eq!(hero.state(0), "Idle");
    assert!((angle(&hero, 0) - before).abs() < 1e-4);
    assert_eq!(hero.mixer().voices().iter().filter(|voice| voice.share() > 0.0).count(), 1, "one clip plays");
    hero.update(1.0 / 60.0).unwrap();
    let velocity = (angle(&hero, 0) - before) * 60.0;
    assert!((velocity - 1.0).abs() < 0.1, "the walk turns by one radian a second: {velocity}");
    (0..20).for_each(|_| hero.update(1.0 / 60.0).unwrap());
    assert!(angle(&hero, 0).abs() < 1e-6);
}
