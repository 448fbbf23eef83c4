//! The motion panel's actions, without a window.

use super::super::testing::{hero, number};
use super::*;
use sinew::machine::Machine;
use sinew_contacts::{Criteria, detect, feet};
use sinew_retarget::{LiveRetarget, Retarget};
use std::path::PathBuf;

const MACHINE: &str = r#"
parameters.speed = 0.0
[[layers]]
name = "body"
start = "Stand"
states.Stand.clip = "idle"
states.Move.clip = "walk"
transitions = [{ from = "Stand", to = "Move", when = "speed > 1" }]
"#;

fn machine(text: &str) -> News {
    News::Machine(Machine::from_toml(text).map(Arc::new).map_err(|error| format!("m.toml: {error}")))
}

fn hero_app() -> App {
    let mut app = App::default();
    app.set_view_size(400.0, 400.0);
    read(&mut app, hero());
    app.set_view_size(400.0, 400.0);
    app
}

fn state(app: &App) -> Option<usize> {
    app.show().unwrap().machine().unwrap().run().state(0)
}

#[test]
fn a_machine_runs_whichever_is_read_first() {
    let mut later = hero_app();
    later.receive(machine(MACHINE));
    let mut sooner = App::default();
    sooner.receive(machine(MACHINE));
    read(&mut sooner, hero());
    for app in [&mut later, &mut sooner] {
        assert!(app.show().unwrap().runs_machine() && app.clip().is_none() && app.is_moving());
        app.apply(Action::Parameter("speed".into(), Value::Number(2.0)));
        app.tick(0.01);
        assert_eq!(state(app), Some(1));
        app.apply(Action::Step(3));
        assert!(!app.is_moving());
        assert!((app.show().unwrap().time() - (0.01 + 3.0 * FRAME)).abs() < 1e-6);
        app.apply(Action::ToStart);
        assert_eq!(state(app), Some(0), "it starts again");
    }
}

#[test]
fn a_machine_that_cannot_be_read_leaves_the_last_good_one_and_is_told() {
    let mut app = hero_app();
    app.receive(machine(MACHINE));
    app.apply(Action::Parameter("speed".into(), Value::Number(2.0)));
    app.tick(0.1);
    app.receive(machine(&MACHINE.replace("speed > 1", "sped > 1")));
    let problem = app.machine_problem().unwrap();
    assert!(problem.contains("line 8, column") && problem.contains("did you mean `speed`?"), "{problem}");
    assert!(app.notice().unwrap().text.contains("still runs"));
    assert_eq!(state(&app), Some(1), "nothing has changed");
    app.receive(machine(&MACHINE.replace("\"walk\"", "\"wlak\"")));
    assert!(app.machine_problem().unwrap().contains("has no clip `wlak`"), "{:?}", app.machine_problem());
    assert_eq!(state(&app), Some(1), "nor by one that does not go with the character");
    app.receive(machine(MACHINE));
    assert_eq!((app.machine_problem(), app.notice().unwrap().mood), (None, Mood::Fine));
    app.tick(0.1);
    assert_eq!(state(&app), Some(1), "the parameter was kept");
}

#[test]
fn what_the_character_lacks_is_let_pass_if_asked() {
    let lacking = MACHINE.replace("\"walk\"", "\"fly\"");
    let mut app = App::default();
    app.begin_with(Beginning { gaps: true, machine: true, ..Beginning::default() });
    app.receive(machine(&lacking));
    read(&mut app, hero());
    assert!(app.show().unwrap().runs_machine());
    assert_eq!(app.show().unwrap().machine().unwrap().plan().findings().len(), 1);
    let mut strict = hero_app();
    strict.receive(machine(&lacking));
    assert!(!strict.show().unwrap().runs_machine() && strict.machine_problem().is_some());
    assert_eq!(playing(&strict).0, "idle");
}

#[test]
fn a_machine_begins_paused_at_a_time() {
    let mut app = App::default();
    let parameters = vec![("speed".to_owned(), "2".to_owned())];
    app.begin_with(Beginning { time: Some(0.5), parameters, machine: true, ..Beginning::default() });
    app.receive(machine(MACHINE));
    read(&mut app, hero());
    assert_eq!((state(&app), app.is_moving()), (Some(1), false));
    assert!((app.show().unwrap().time() - 0.5).abs() < 1e-6);
}

#[test]
fn a_clip_that_is_chosen_sets_the_machine_aside() {
    let mut app = hero_app();
    app.receive(machine(MACHINE));
    app.apply(Action::Clip(1));
    assert!(!app.show().unwrap().runs_machine() && app.clip() == Some(1));
    app.receive(machine(MACHINE));
    assert_eq!(app.clip(), Some(1), "also when the machine is read again");
    read(&mut app, hero());
    assert_eq!((app.clip(), app.show().unwrap().runs_machine()), (Some(1), false));
    app.apply(Action::RunMachine);
    assert!(app.show().unwrap().runs_machine() && app.clip().is_none());
    read(&mut app, hero());
    assert!(app.show().unwrap().runs_machine() && app.clip().is_none(), "the character was read again");
}

#[test]
fn it_begins_with_layers_a_blend_space_and_targets() {
    let mut app = App::default();
    app.begin_with(Beginning {
        layers: vec![("wave".into(), Some("Spine".into())), ("wave".into(), Some("Spien".into()))],
        blend: vec!["walk".into(), "run".into()],
        targets: vec!["gaze".into(), "RightHand".into()],
        props: vec!["LeftHand".into()],
        time: Some(0.3),
        ..Beginning::default()
    });
    read(&mut app, hero());
    let show = app.show().unwrap();
    let hand = show.character().skeleton().joint("RightHand").unwrap();
    let off = show.model_matrices()[usize::from(hand)].translation() - show.target_at(1).unwrap();
    let mut free = show.clone();
    (0..2).for_each(|_| free.change_target(&TargetChange::Remove(0)));
    assert!(off.length() < 1e-4 && app.props().len() == 1);
    let [held, own] = [show, &free].map(|show| show.model_matrices()[usize::from(hand)].translation());
    assert!(held.distance(own) < 1e-4, "the target is where the hand is at that time: {held} {own}");
    assert_eq!((show.layers().len(), show.pad().points().len(), show.targets().len()), (1, 2, 2));
    assert!(show.plays_space() && app.is_open(Panel::Motion) && !app.is_open(Panel::Joints));
    assert!(app.notice().unwrap().text.contains("did you mean `mixamorig:Spine`?"), "{:?}", app.notice());
}

#[test]
fn reading_again_keeps_layers_blend_space_and_targets_by_name() {
    let mut app = hero_app();
    let hero = hero();
    let clip = |name| number(&hero, name);
    let spine = hero.skeleton().joint("Spine").unwrap();
    app.apply(Action::Layer(LayerChange::Add(clip("wave"), Some(spine))));
    app.apply(Action::Layer(LayerChange::Weight(0, 0.5)));
    app.apply(Action::Layer(LayerChange::Add(clip("jump"), None)));
    app.apply(Action::Pad(PadChange::Add(app.pad_point(clip("walk")))));
    app.apply(Action::Target(TargetChange::Add(app.document().unwrap().handles[1].clone())));
    app.apply(Action::Target(TargetChange::MoveBy(0, Vec3::Y * 0.1)));
    let at = app.show().unwrap().targets()[0].at;
    // Without `jump`, and in another order.
    let mut clips = sinew::ClipLibrary::default();
    for name in ["wave", "walk", "idle"] {
        clips.add(hero.clips().get(clip(name)).unwrap());
    }
    read(&mut app, Arc::new(hero.with_clips(clips).unwrap()));
    let show = app.show().unwrap();
    let rows: Vec<_> = show.layers().map(|row| (row.clip, row.weight, row.joint)).collect();
    assert_eq!(rows, [(0, 0.5, Some(spine))]);
    assert_eq!((show.pad().points()[0].clip, show.plays_space()), (1, true));
    assert_eq!(show.targets()[0].at, at);
}

#[test]
fn a_target_is_dragged_with_the_pointer() {
    let mut app = hero_app();
    app.apply(Action::TogglePlay);
    app.apply(Action::Target(TargetChange::Add(app.document().unwrap().handles[0].clone())));
    let project = |app: &App| {
        let at = app.show().unwrap().target_at(0).unwrap();
        let at = app.document().unwrap().figure.upright.transform_point3(at);
        app.orbit().camera().project(at, (400, 400)).unwrap()
    };
    let before = project(&app);
    assert_eq!(app.target_at(before.0 + 4.0, before.1), Some(0));
    assert_eq!(app.target_at(before.0 + 60.0, before.1), None);
    app.apply(Action::DragTarget(0.1, 0.05));
    assert_eq!(project(&app), before, "what is not held stays");
    app.apply(Action::Grab(Some(0)));
    app.apply(Action::DragTarget(0.1, -0.05));
    app.apply(Action::Grab(None));
    let after = project(&app);
    let (right, down) = (after.0 - before.0, after.1 - before.1);
    assert!((right - 40.0).abs() < 0.5 && (down + 20.0).abs() < 0.5, "{right} {down}");
}

#[test]
fn feet_are_marked_when_they_are_known() {
    let mut app = hero_app();
    let hero = hero();
    let walk = number(&hero, "walk");
    app.apply(Action::Clip(walk));
    assert!(app.marks().lanes.is_empty());
    let clip = hero.clips().get(walk).unwrap();
    let contacts = detect(&hero, &clip, &feet(hero.skeleton()), &Criteria::default()).unwrap();
    app.receive(News::Feet(walk, Feet::new(&contacts, clip.duration())));
    assert_eq!(app.marks().lanes.len(), 2);
    let point = app.pad_point(walk);
    assert!((point.at[0] - contacts.ground_speed()).abs() < 0.01, "{point:?}");
    app.apply(Action::Clip(number(&hero, "idle")));
    assert!(app.marks().lanes.is_empty());
}

fn document(files: &Files) -> Document {
    Sources::read(files, &sinew_import::Options::default()).unwrap().document().unwrap()
}

/// A folder with the humanoid, and its files.
fn folder() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    sinew_testkit::humanoid::write_to(folder.path()).unwrap();
    let path = folder.path().to_owned();
    (folder, move |name: &str| path.join(name))
}

#[test]
fn a_retargeted_clip_plays_in_step_with_its_source() {
    let (_folder, file) = folder();
    let files = Files {
        character: file("hero.fbx"),
        animations: vec![file("idle.fbx")],
        retarget: Some(file("walk.fbx")),
        ..Files::default()
    };
    let mut app = App::default();
    app.receive(News::Read(Box::new(document(&files))));
    assert_eq!(playing(&app).0, "walk", "it begins with what is retargeted");
    let walk = number(&app.document().unwrap().character, "walk");
    app.apply(Action::Clip(walk));
    let partner = app.partner().unwrap();
    let (retarget, _) = Retarget::new(
        &partner.beside().character,
        &app.document().unwrap().character,
        &sinew::BoneMap::default(),
    )
    .unwrap();
    let mut live = LiveRetarget::new(retarget);
    let mut expected = app.show().unwrap().pose().clone();
    for time in [0.0, 0.3, 0.77] {
        app.apply(Action::Seek(time));
        let partner = app.partner().unwrap();
        assert_eq!(partner.player().time(), time);
        // The exact transfer of the source's pose, a second way to the same.
        live.apply(partner.player().pose(), &mut expected).unwrap();
        let pose = app.show().unwrap().pose();
        for joint in 0..pose.len() {
            let off = pose.get(joint).rotation.angle_between(expected.get(joint).rotation);
            assert!(off < 2e-3, "{time} {joint}: {off}");
        }
    }
    let idle = number(&app.document().unwrap().character, "idle");
    app.apply(Action::Clip(idle));
    let partner = app.partner().unwrap();
    assert_eq!(partner.player().pose(), partner.beside().character.skeleton().rest(), "that is not its own");
}

#[test]
fn a_source_stands_beside_the_target_and_is_as_tall() {
    let (_folder, file) = folder();
    let hero = document(&Files { character: file("hero.fbx"), ..Files::default() });
    let mut keep = sinew_import::Options::default();
    keep.space = sinew_import::SpaceMode::Keep;
    let source = sinew_import::import(&file("hero.fbx"), &keep).unwrap().character;
    assert!(source.size() > 50.0 * hero.character.size(), "in centimetres");
    let (retarget, _) = Retarget::new(&source, &hero.character, &sinew::BoneMap::default()).unwrap();
    let beside = Beside::new(Arc::new(source), vec![], &retarget, &hero.figure);
    let placed = beside.bounds;
    let own = hero.figure.rest;
    assert!(((placed.max.y - placed.min.y) - (own.max.y - own.min.y)).abs() < 1e-3);
    assert!((placed.min.y - own.min.y).abs() < 1e-3);
    assert!(placed.max.x < own.min.x && own.min.x - placed.max.x < 2.0, "{placed:?} {own:?}");
}
