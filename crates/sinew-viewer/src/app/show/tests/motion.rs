//! Layers, blend spaces, machines and IK, checked against poses that are sampled from the clips themselves.

use super::super::*;
use crate::app::testing::{hero, number};
use sinew::machine::{Machine, MachinePlan};
use sinew::{Pose, Transform};

fn show(clip: &str) -> Show {
    let hero = hero();
    let mut show = Show::new(Arc::clone(&hero));
    show.set_paused(true);
    show.play(hero.clips().get(number(&hero, clip)).unwrap(), None).unwrap();
    show
}

/// A pose of a clip, without a mixer.
fn pose(show: &Show, clip: &str, time: f64) -> Pose {
    let hero = show.character();
    let clip = hero.clips().get(number(hero, clip)).unwrap();
    Pose::of_clip(hero.skeleton(), &clip, time).unwrap()
}

fn joint(show: &Show, name: &str) -> u16 {
    show.character().skeleton().joint(name).unwrap()
}

fn local(pose: &Pose, joint: u16) -> Transform {
    pose.get(joint.into())
}

fn add(show: &mut Show, clip: &str, from: &str) {
    let (clip, from) = (number(show.character(), clip), joint(show, from));
    show.change_layer(&LayerChange::Add(clip, Some(from))).unwrap();
}

#[test]
fn a_masked_layer_has_the_arms_and_leaves_the_legs() {
    let mut show = show("walk");
    add(&mut show, "wave", "Spine");
    show.seek(0.4);
    let (walk, wave) = (pose(&show, "walk", 0.4), pose(&show, "wave", 0.4));
    for name in ["LeftUpLeg", "RightLeg", "Hips"] {
        let joint = joint(&show, name);
        assert_eq!(local(show.pose(), joint), local(&walk, joint), "{name}");
    }
    for name in ["RightArm", "RightForeArm"] {
        let joint = joint(&show, name);
        assert_eq!(local(show.pose(), joint), local(&wave, joint), "{name}");
        assert_ne!(local(show.pose(), joint), local(&walk, joint), "{name} moves");
    }
    show.change_layer(&LayerChange::Weight(0, 0.0)).unwrap();
    assert_eq!(show.pose(), &walk, "without weight it is as if it were not there");
    show.change_layer(&LayerChange::Weight(0, 1.0)).unwrap();
    show.change_layer(&LayerChange::Remove(0)).unwrap();
    assert_eq!((show.pose(), show.layers().len()), (&walk, 0));
}

#[test]
fn mask_falloff_and_blend_change_while_it_plays() {
    let mut show = show("walk");
    add(&mut show, "wave", "Spine");
    show.seek(0.4);
    let arm = joint(&show, "RightArm");
    let full = local(show.pose(), arm);
    show.change_layer(&LayerChange::Falloff(0, 20)).unwrap();
    let part = local(show.pose(), arm);
    assert_ne!(part, full, "twenty joints down is further than the arm");
    show.change_layer(&LayerChange::Falloff(0, 0)).unwrap();
    assert_eq!(local(show.pose(), arm), full, "and its time has stayed");
    let head = joint(&show, "Head");
    show.change_layer(&LayerChange::Mask(0, Some(head))).unwrap();
    assert_eq!(local(show.pose(), arm), local(&pose(&show, "walk", 0.4), arm));
    show.change_layer(&LayerChange::Mask(0, None)).unwrap();
    let wave = pose(&show, "wave", 0.4);
    assert_eq!(local(show.pose(), arm), local(&wave, arm));
    show.change_layer(&LayerChange::Additive(0, true)).unwrap();
    show.seek(0.0);
    let close =
        local(show.pose(), arm).rotation.angle_between(local(&pose(&show, "walk", 0.0), arm).rotation);
    assert!(close < 1e-3, "the first frame adds nothing: {close}");
}

#[test]
fn layers_are_scrubbed_round_their_loops() {
    let mut show = show("idle");
    add(&mut show, "run", "Hips");
    let run = f64::from(pose_duration(&show, "run"));
    show.seek(run + 0.2);
    let (leg, expected) = (joint(&show, "LeftLeg"), pose(&show, "run", 0.2));
    let off = local(show.pose(), leg).rotation.angle_between(local(&expected, leg).rotation);
    assert!(off < 1e-3, "{off}");
}

fn pose_duration(show: &Show, clip: &str) -> f32 {
    let hero = show.character();
    hero.clips().get(number(hero, clip)).unwrap().duration()
}

#[test]
fn there_are_not_more_layers_than_voices() {
    let mut show = show("walk");
    let wave = number(show.character(), "wave");
    for round in 0..40 {
        show.change_layer(&LayerChange::Add(wave, None)).unwrap();
        if round % 2 == 1 {
            show.change_layer(&LayerChange::Remove(0)).unwrap();
            show.change_layer(&LayerChange::Remove(0)).unwrap();
        }
    }
    while show.layers().len() < layers::MOST {
        show.change_layer(&LayerChange::Add(wave, None)).unwrap();
    }
    let refused = show.change_layer(&LayerChange::Add(wave, None)).unwrap_err();
    assert!(refused.contains("8 layers"), "{refused}");
    assert_eq!(show.layers().len(), layers::MOST);
}

fn point(show: &Show, clip: &str, at: [f32; 2]) -> PadChange {
    PadChange::Add(PadPoint { clip: number(show.character(), clip), at })
}

#[test]
fn a_blend_space_is_its_clips_at_their_places_and_a_mix_between() {
    let mut show = show("idle");
    for (clip, x) in [("walk", 1.0), ("run", 3.0)] {
        let change = point(&show, clip, [x, 0.0]);
        show.change_pad(&change).unwrap();
    }
    assert!(show.plays_space());
    let leg = joint(&show, "LeftUpLeg");
    let half = |clip: &str| f64::from(pose_duration(&show, clip)) * 0.5;
    let (walk, run) = (pose(&show, "walk", half("walk")), pose(&show, "run", half("run")));
    show.seek(f64::from(pose_duration(&show, "walk")) * 0.5);
    assert_eq!(local(show.pose(), leg), local(&walk, leg));
    show.change_pad(&PadChange::At([3.0, 0.0])).unwrap();
    assert_eq!(local(show.pose(), leg), local(&run, leg), "in step by phase");
    show.change_pad(&PadChange::At([2.0, 0.0])).unwrap();
    assert_eq!(show.pad().weights(), [0.5, 0.5]);
    let middle = local(&walk, leg).rotation.slerp(local(&run, leg).rotation, 0.5);
    let off = local(show.pose(), leg).rotation.angle_between(middle);
    assert!(off < 0.02, "{off}");
    show.change_pad(&PadChange::Remove(0)).unwrap();
    assert_eq!(local(show.pose(), leg), local(&run, leg), "alone it counts in full");
    show.change_pad(&PadChange::Remove(0)).unwrap();
    assert!(!show.plays_space() && show.clip().is_none());
    assert_eq!(show.pose(), show.character().skeleton().rest());
}

#[test]
fn a_plane_has_three_corners() {
    let mut show = show("idle");
    for (clip, at) in [("idle", [0.0, 0.0]), ("walk", [1.0, 0.0]), ("run", [0.0, 1.0])] {
        let change = point(&show, clip, at);
        show.change_pad(&change).unwrap();
    }
    show.change_pad(&PadChange::At([0.25, 0.5])).unwrap();
    assert_eq!(show.pad().weights(), [0.75, 0.25, 0.0], "on a line only the first number counts");
    show.change_pad(&PadChange::Plane(true)).unwrap();
    assert_eq!(show.pad().weights(), [0.25, 0.25, 0.5]);
    show.change_pad(&PadChange::Move(2, [f32::NAN, 0.0])).unwrap_err();
    assert_eq!(show.pad().weights(), [0.25, 0.25, 0.5], "what is refused changes nothing");
}

const MACHINE: &str = r#"
[parameters]
speed = 0.0
grounded = true
wave = "trigger"

[[layers]]
name = "body"
start = "Stand"
states.Stand.clip = "idle"
states.Move = { by = "speed", points = [{ at = 1.4, clip = "walk" }, { at = 3.5, clip = "run" }], sync = "phase" }
transitions = [
    { from = "Stand", to = "Move", when = "speed > 0.2", fade = 0.2 },
    { from = "Move", to = "Stand", when = "speed < 0.1" },
]

[[layers]]
name = "arms"
start = "Off"
mask = ["Spine"]
states.Off = {}
states.Wave = { clip = "wave", loop = false }
transitions = [{ from = "Off", to = "Wave", when = "wave" }, { from = "Wave", to = "Off", after = 0.9, fade = 0.2 }]
"#;

fn plan(text: &str) -> Arc<MachinePlan> {
    let machine = Arc::new(Machine::from_toml(text).unwrap());
    Arc::new(MachinePlan::new(machine, &hero()).unwrap())
}

fn states(show: &Show) -> Vec<String> {
    let machine = show.machine().unwrap();
    let plan = machine.plan().machine();
    let state = |layer| plan.states(layer).nth(machine.run().state(layer).unwrap()).unwrap().to_owned();
    (0..plan.layers()).map(state).collect()
}

#[test]
fn a_machine_runs_by_its_parameters() {
    let mut show = show("jump");
    show.set_paused(false);
    show.set_machine(plan(MACHINE), &Held::default(), true).unwrap();
    assert_eq!(states(&show), ["Stand", "Off"]);
    assert_eq!(show.clip().unwrap().name(), "idle");
    assert!(show.is_moving() && show.machine().unwrap().space(0).is_none());
    show.set_parameter("speed", Value::Number(1.4)).unwrap();
    show.set_parameter("wave", Value::Trigger(true)).unwrap();
    assert!(show.advance(0.1));
    assert_eq!(states(&show), ["Move", "Wave"]);
    let machine = show.machine().unwrap();
    assert_eq!(machine.run().transition(0).map(|(from, _)| from), Some(0));
    assert_eq!((machine.fade_into(0, "Move"), machine.fade_into(0, "Air/Move")), (0.2, 0.2));
    assert_eq!((machine.fade_into(0, "Stand"), machine.fade_into(1, "Off")), (0.0, 0.2));
    let space = machine.space(0).unwrap();
    assert_eq!((space.at[0], space.points.len(), space.by.len()), (1.4, 2, 1));
    let arm = joint(&show, "RightArm");
    assert_eq!(local(show.pose(), arm), local(&pose(&show, "wave", 0.1), arm));
    show.set_parameter("speed", Value::Number(f32::NAN)).unwrap_err();
    show.set_parameter("sped", Value::Number(1.0)).unwrap_err();
}

#[test]
fn a_paused_machine_follows_its_parameters() {
    let mut show = show("idle");
    show.set_machine(plan(MACHINE), &Held::default(), true).unwrap();
    show.set_parameter("speed", Value::Number(1.4)).unwrap();
    assert_eq!(states(&show)[0], "Move");
    show.pass(0.5);
    let (leg, before) = (joint(&show, "LeftUpLeg"), show.time());
    let walk = local(show.pose(), leg);
    show.set_parameter("speed", Value::Number(3.5)).unwrap();
    assert_ne!(local(show.pose(), leg), walk, "the blend space is seen to move");
    assert_eq!(states(&show)[0], "Move");
    assert!((show.time() / show.duration() - before / f64::from(pose_duration(&show, "walk"))).abs() < 1e-6);
}

#[test]
fn parameters_are_controls_with_a_range_that_is_worth_trying() {
    let mut show = show("idle");
    show.set_machine(plan(MACHINE), &Held::default(), true).unwrap();
    let rows = show.machine().unwrap().parameters();
    let kinds: Vec<(&str, Value)> = rows.iter().map(|row| (row.name.as_str(), row.value)).collect();
    let (number, truth, trigger) = (Value::Number(0.0), Value::Bool(true), Value::Trigger(false));
    assert_eq!(kinds, [("speed", number), ("grounded", truth), ("wave", trigger)]);
    assert_eq!(rows[0].range, (0.0, 3.5 * 1.25), "from the numbers that the file has for it");
    show.set_written("speed", "2.5").unwrap();
    show.set_written("grounded", "false").unwrap();
    show.set_written("wave", "").unwrap();
    let rows = show.machine().unwrap().parameters();
    assert_eq!(rows[0].value, Value::Number(2.5));
    assert_eq!((rows[1].value, rows[2].value), (Value::Bool(false), Value::Trigger(true)));
    let error = show.set_written("grounded", "maybe").unwrap_err();
    assert_eq!(error, "parameter `grounded`: `maybe` is not true or false");
    assert!(show.set_written("sped", "1").unwrap_err().contains("did you mean `speed`?"));
}

#[test]
fn another_version_of_a_machine_keeps_what_parameters_hold() {
    let mut show = show("idle");
    show.set_machine(plan(MACHINE), &Held::default(), true).unwrap();
    show.set_parameter("speed", Value::Number(2.0)).unwrap();
    let held = show.held();
    let other = MACHINE.replace("grounded = true", "grounded = 1.0").replace("speed > 0.2", "speed > 1.9");
    show.set_machine(plan(&other), &held, true).unwrap();
    let rows = show.machine().unwrap().parameters();
    assert_eq!((rows[0].value, rows[1].value), (Value::Number(2.0), Value::Number(1.0)));
    show.pass(0.01);
    assert_eq!(states(&show)[0], "Move");
}

#[test]
fn another_version_of_a_machine_stays_in_its_states() {
    let mut show = show("idle");
    show.set_machine(plan(MACHINE), &Held::default(), true).unwrap();
    show.set_parameter("speed", Value::Number(1.4)).unwrap();
    show.pass(0.7);
    let (before, pose) = (show.time(), show.pose().clone());
    assert_eq!(states(&show), ["Move", "Off"]);
    show.set_machine(plan(&MACHINE.replace("fade = 0.2", "fade = 0.3")), &show.held(), true).unwrap();
    assert_eq!((states(&show), show.time()), (vec!["Move".to_owned(), "Off".to_owned()], before));
    assert_eq!(show.pose(), &pose, "nothing jumps");
    let renamed = MACHINE.replace("Move", "Go");
    show.set_machine(plan(&renamed), &show.held(), true).unwrap();
    assert_eq!(states(&show)[0], "Stand", "a state that is gone starts anew");
}

#[test]
fn a_clip_takes_over_from_the_machine_and_gives_it_back() {
    let mut show = show("idle");
    add(&mut show, "wave", "Spine");
    show.set_machine(plan(MACHINE), &Held::default(), true).unwrap();
    assert_eq!(show.layers().len(), 1, "layers stay over the machine");
    show.pass(0.3);
    let arm = joint(&show, "RightArm");
    assert_eq!(local(show.pose(), arm), local(&pose(&show, "wave", 0.3), arm));
    let walk = show.character().clips().get(number(show.character(), "walk")).unwrap();
    show.change_layer(&LayerChange::Remove(0)).unwrap();
    show.play(walk, None).unwrap();
    show.seek(0.5);
    assert!(!show.runs_machine());
    assert_eq!(show.pose(), &pose(&show, "walk", 0.5), "nothing of the machine is left");
    show.run_machine().unwrap();
    assert!(show.runs_machine());
    assert_eq!(states(&show), ["Stand", "Off"]);
}

#[test]
fn hands_and_feet_go_where_their_targets_are() {
    let mut show = show("walk");
    let all = handles(show.character());
    let names: Vec<&str> = all.iter().map(|handle| handle.name.as_str()).collect();
    assert_eq!(names, ["Left hand", "Right hand", "Left foot", "Right foot", "Gaze"]);
    show.seek(0.3);
    let walk = show.pose().clone();
    for (number, handle) in all[..4].iter().enumerate() {
        show.change_target(&TargetChange::Add(handle.clone()));
        // Towards the middle of the body, so that it is within reach.
        let by = Vec3::new(0.0, if number < 2 { 0.1 } else { 0.05 }, 0.08);
        show.change_target(&TargetChange::MoveBy(number, by));
        let end = usize::from(handle.joint().unwrap());
        let (at, wanted) = (show.model_matrices()[end].translation(), show.target_at(number).unwrap());
        assert!(at.distance(wanted) < 1e-4, "{}: {at} {wanted}", handle.name);
    }
    show.change_target(&TargetChange::Add(all[0].clone()));
    assert_eq!(show.targets().len(), 4, "each has one target");
    (0..4).for_each(|number| show.change_target(&TargetChange::Weight(number, 0.0)));
    assert_eq!(show.pose(), &walk);
    (0..4).for_each(|_| show.change_target(&TargetChange::Remove(0)));
    assert_eq!((show.pose(), show.targets().len()), (&walk, 0));
}

#[test]
fn a_head_looks_at_its_target() {
    let mut show = show("idle");
    let gaze = handles(show.character()).pop().unwrap();
    show.change_target(&TargetChange::Add(gaze.clone()));
    show.change_target(&TargetChange::MoveBy(0, Vec3::new(0.3, 0.2, 0.0)));
    let Kind::Gaze { forward, .. } = &gaze.kind else { panic!("the last is the gaze") };
    let head = &show.model_matrices()[usize::from(gaze.joint().unwrap())];
    let wanted = (show.target_at(0).unwrap() - head.translation()).normalize();
    let looks = head.transform_vector3(*forward).normalize();
    assert!(looks.dot(wanted) > 1.0 - 1e-5, "{looks} {wanted}");
    assert!(looks.z > 0.5, "and not backward");
}

#[test]
fn a_target_goes_with_a_character_that_travels() {
    let mut show = show("walk");
    show.seek(0.0);
    let hand = handles(show.character())[0].clone();
    show.change_target(&TargetChange::Add(hand));
    let (before, way) = (show.target_at(0).unwrap(), show.way());
    show.seek(show.duration() * 0.5);
    let moved = show.target_at(0).unwrap() - before;
    assert!((show.way() - way).length() > 0.1, "the clip travels");
    assert!(moved.distance(show.way() - way) < 1e-5);
}

#[test]
fn a_limb_is_a_joint_and_the_two_above_it() {
    let hero = hero();
    let skeleton = hero.skeleton();
    let [upper, lower, end] =
        ["LeftArm", "LeftForeArm", "LeftHand"].map(|name| skeleton.joint(name).unwrap());
    let handle = Handle::of_joint(skeleton, end).unwrap();
    assert_eq!((handle.name.as_str(), handle.kind), ("LeftHand", Kind::Limb { upper, lower, end }));
    assert!(Handle::of_joint(skeleton, 0).is_none(), "a root has none");
}
