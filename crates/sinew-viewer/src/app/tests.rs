mod motion;

use super::testing::{character, character_aside, character_in, character_of, character_with};
use super::*;
use sinew::Finding;
use sinew_findings::catalogue::import::TEXTURE_MISSING;

fn read(app: &mut App, character: Arc<sinew::Character>) {
    app.receive(News::Reading);
    app.receive(News::Read(Box::new(Document::new(character, &[]))));
}

fn app() -> App {
    let mut app = App::default();
    app.set_view_size(400.0, 400.0);
    read(&mut app, character());
    app.set_view_size(400.0, 400.0);
    app
}

fn playing(app: &App) -> (&str, f64) {
    let show = app.show().unwrap();
    (show.clip().map_or("", |clip| clip.name()), show.time())
}

#[test]
fn nothing_can_be_asked_of_nothing() {
    let mut app = App::default();
    for group in &shortcuts::GROUPS {
        for shortcut in group.lines.iter().flat_map(|line| line.shortcuts) {
            app.apply((shortcut.action)());
        }
    }
    app.tick(1.0);
    app.apply(Action::Select(Some(7)));
    assert!(app.joint_at(0.0, 0.0).is_none() && !app.is_moving());
}

#[test]
fn it_plays_at_once_and_time_changes_the_picture() {
    let mut app = app();
    assert_eq!(playing(&app), ("Rise", 0.0));
    assert!(app.is_moving() && !app.is_reading());
    let version = app.version();
    app.tick(0.25);
    assert_eq!(playing(&app), ("Rise", 0.25));
    assert!(app.version() > version);
    app.apply(Action::TogglePlay);
    let version = app.version();
    app.tick(0.25);
    assert_eq!((playing(&app), app.version()), (("Rise", 0.25), version), "paused, nothing is drawn");
    assert!(!app.is_moving());
}

#[test]
fn steps_stop_and_go_round() {
    let mut app = app();
    app.tick(0.3 * FRAME);
    app.apply(Action::Step(1));
    assert_eq!(playing(&app).1, FRAME, "steps go to whole frames");
    app.apply(Action::Step(-1));
    app.apply(Action::Step(-1));
    assert_eq!(playing(&app).1, 1.0);
    app.apply(Action::Step(1));
    assert_eq!(playing(&app).1, 0.0);
    assert!(!app.is_moving());
    app.apply(Action::ToEnd);
    assert_eq!(playing(&app).1, 1.0);
}

#[test]
fn speed_and_mode_go_round_within_bounds() {
    let mut app = app();
    (0..20).for_each(|_| app.apply(Action::Faster));
    assert_eq!(app.show().unwrap().options().speed, SPEEDS.1);
    (0..20).for_each(|_| app.apply(Action::Slower));
    assert_eq!(app.show().unwrap().options().speed, SPEEDS.0);
    app.apply(Action::Speed(-1.0));
    app.apply(Action::Slower);
    assert_eq!(app.show().unwrap().options().speed, -0.5, "backward stays backward");
    (0..20).for_each(|_| app.apply(Action::Faster));
    assert_eq!(app.show().unwrap().options().speed, -SPEEDS.1);
    app.apply(Action::Speed(1.0));
    let modes: Vec<_> = (0..3)
        .map(|_| {
            app.apply(Action::NextMode);
            app.show().unwrap().options().mode
        })
        .collect();
    assert_eq!(modes, [LoopMode::Once, LoopMode::PingPong, LoopMode::Loop]);
}

/// The loop mode that is in force.
fn mode(app: &App) -> LoopMode {
    app.show().unwrap().options().mode
}

#[test]
fn a_clip_that_plays_once_ends() {
    let mut app = App::default();
    read(&mut app, character_in([Some(LoopMode::Once), None]));
    app.apply(Action::Clip(0));
    assert_eq!(mode(&app), LoopMode::Once);
    (0..20).for_each(|_| app.tick(0.2));
    assert_eq!((playing(&app), app.is_moving()), (("Rise", 1.0), false));
    app.apply(Action::Clip(1));
    assert_eq!(mode(&app), LoopMode::Loop);
    app.apply(Action::Clip(0));
    app.apply(Action::Mode(LoopMode::Loop));
    read(&mut app, character_in([Some(LoopMode::Once), None]));
    assert_eq!(mode(&app), LoopMode::Loop, "what was chosen stays when the file is read again");
    read(&mut app, character_in([Some(LoopMode::PingPong), None]));
    assert_eq!(mode(&app), LoopMode::PingPong, "but not where the file says something else");
}

#[test]
fn clips_go_round_among_those_that_are_listed() {
    let mut app = app();
    app.apply(Action::ClipBy(1));
    assert_eq!((playing(&app).0, app.clip()), ("Walk", Some(1)));
    app.apply(Action::ClipBy(1));
    assert_eq!(playing(&app).0, "Rise");
    app.apply(Action::ClipBy(-1));
    assert_eq!(playing(&app).0, "Walk");
    app.clip_search = "ri".into();
    app.apply(Action::ClipBy(1));
    assert_eq!(playing(&app).0, "Rise");
    app.clip_search = "nothing".into();
    app.apply(Action::ClipBy(1));
    app.apply(Action::Clip(99));
    assert_eq!(playing(&app).0, "Rise");
    assert_eq!(app.trail().len(), 61);
}

#[test]
fn reading_again_keeps_what_one_looks_at() {
    let mut app = app();
    app.apply(Action::Clip(1));
    app.apply(Action::Seek(0.5));
    app.apply(Action::TogglePlay);
    app.apply(Action::Select(Some(2)));
    app.apply(Action::Orbit(0.1, 0.1));
    let orbit = *app.orbit();
    read(&mut app, character_with(["Run", "Walk"]));
    assert_eq!(playing(&app), ("Walk", 0.5));
    assert_eq!((app.selected(), app.show().unwrap().is_paused()), (Some(2), true));
    assert_eq!(*app.orbit(), orbit);
    assert_eq!(app.notice().unwrap().mood, Mood::Fine);
    app.tick(GOOD_NEWS + 0.1);
    assert!(app.notice().is_none(), "good news go away");
    read(&mut app, character_with(["Run", "Jump"]));
    assert_eq!(playing(&app), ("Run", 0.0), "a clip that is gone gives way to the first");
}

#[test]
fn what_cannot_be_read_leaves_everything_and_is_told() {
    let mut app = app();
    app.receive(News::Reading);
    app.receive(News::Failed("hero.fbx: not whole".into()));
    assert_eq!(playing(&app).0, "Rise");
    let notice = app.notice().unwrap();
    assert!(notice.text.contains("hero.fbx") && notice.text.contains("still shown"));
    app.tick(100.0);
    assert!(app.notice().is_some(), "problems stay");
    app.apply(Action::Escape);
    assert!(app.notice().is_none());
    let mut fresh = App::default();
    fresh.receive(News::Failed("hero.fbx: not whole".into()));
    assert!(!fresh.notice().unwrap().text.contains("still shown"));
}

#[test]
fn it_begins_as_asked() {
    let mut app = App::default();
    app.begin_with(Beginning {
        clip: Some("walk".into()),
        time: Some(0.5),
        overlays: vec![Overlay::Skeleton, Overlay::Weights],
        joint: Some("head".into()),
        ..Beginning::default()
    });
    read(&mut app, character());
    assert_eq!(playing(&app), ("Walk", 0.5));
    assert!(app.show().unwrap().is_paused() && app.has(Overlay::Weights) && app.has(Overlay::Skeleton));
    assert_eq!(app.selected(), Some(2));
}

#[test]
fn dropped_files_are_asked_for() {
    let mut app = app();
    app.apply(Action::Drop(vec!["walk.fbx".into()]));
    app.apply(Action::Drop(vec![]));
    app.apply(Action::Reload);
    assert_eq!(app.take_requests(), [Request::Add(vec!["walk.fbx".into()]), Request::Reload]);
    assert!(app.take_requests().is_empty());
}

#[test]
fn new_clips_play_at_once() {
    let mut app = App::default();
    let hero = character();
    let one = sinew::ClipLibrary::new([hero.clips().get(0).unwrap().as_ref().clone()]);
    read(&mut app, Arc::new(hero.with_clips(one).unwrap()));
    assert_eq!(playing(&app).0, "Rise");
    read(&mut app, hero);
    assert_eq!(playing(&app), ("Walk", 0.0));
}

#[test]
fn a_finding_leads_to_its_joint_and_clip() {
    let mut app = app();
    let finding = Finding::new(&TEXTURE_MISSING, "walk.fbx: Walk", "`rig:Head` is odd");
    let row = FindingRow::new(&finding, &app.document().unwrap().character);
    app.receive(News::Examined(vec![row]));
    app.apply(Action::Fold(0));
    app.apply(Action::Finding(0));
    assert_eq!((playing(&app).0, app.selected()), ("Walk", Some(2)));
    assert!(app.reveal && app.folded().is_empty(), "and it can be seen in the tree");
    app.apply(Action::Finding(9));
}

#[test]
fn weights_are_those_of_a_joint() {
    let mut app = app();
    app.apply(Action::Toggle(Overlay::Weights));
    assert!(!app.has(Overlay::Weights) && app.notice().is_some());
    app.apply(Action::Select(Some(1)));
    app.apply(Action::Toggle(Overlay::Weights));
    assert!(app.has(Overlay::Weights));
    app.apply(Action::Escape);
    app.apply(Action::Escape);
    assert!(app.selected().is_none() && !app.has(Overlay::Weights));
}

#[test]
fn the_joint_under_the_pointer_is_found() {
    let app = app();
    let camera = app.orbit().camera();
    for (joint, model) in (0u16..).zip(app.show().unwrap().model_matrices()) {
        let (x, y) = camera.project(model.translation(), (400, 400)).unwrap();
        let found = app.joint_at(x + 3.0, y - 3.0);
        // Spine and leg have the same position; the first is found.
        assert_eq!(found, Some(if joint == 3 { 1 } else { joint }));
    }
    assert_eq!(app.joint_at(2.0, 2.0), None);
}

#[test]
fn the_eye_follows_or_stays() {
    let mut app = app();
    app.apply(Action::Clip(1));
    app.apply(Action::Seek(1.0));
    let at = |app: &App| app.orbit().camera().eye();
    let followed = at(&app);
    app.apply(Action::ToggleFollow);
    assert!(at(&app).abs_diff_eq(followed, 1e-4), "it stays where it is");
    app.apply(Action::Seek(0.0));
    assert!(at(&app).abs_diff_eq(followed, 1e-4));
    app.apply(Action::ToggleFollow);
    assert!(at(&app).abs_diff_eq(followed, 1e-4));
    app.apply(Action::Seek(1.0));
    assert!((at(&app) - followed).abs_diff_eq(Vec3::Z * 2.0, 1e-4));
}

#[test]
fn resetting_shows_the_whole_figure_wherever_it_is() {
    for follow in [true, false] {
        let mut app = app();
        app.apply(Action::Clip(1));
        if !follow {
            app.apply(Action::ToggleFollow);
        }
        app.apply(Action::Seek(1.0));
        app.apply(Action::Pan(3.0, 1.0));
        app.apply(Action::Zoom(9.0));
        app.apply(Action::ResetView);
        for model in app.show().unwrap().model_matrices() {
            let (x, y) = app.orbit().camera().project(model.translation(), (400, 400)).unwrap();
            assert!((0.0..400.0).contains(&x) && (0.0..400.0).contains(&y), "{follow} {x} {y}");
        }
    }
}

#[test]
fn views_go_round() {
    let mut app = app();
    let yaws: Vec<f32> = (0..3)
        .map(|_| {
            app.apply(Action::NextView);
            app.orbit().yaw
        })
        .collect();
    assert_eq!(yaws, [0.0, 90.0, 35.0]);
}

#[test]
fn a_clip_that_starts_aside_is_framed_where_it_is() {
    for follow in [true, false] {
        let mut app = App::default();
        app.set_view_size(400.0, 400.0);
        read(&mut app, character_aside());
        if !follow {
            app.apply(Action::ToggleFollow);
        }
        app.apply(Action::View(View::Front));
        app.apply(Action::ResetView);
        for time in [0.0, 1.0] {
            app.apply(Action::Seek(time));
            if !follow {
                app.apply(Action::ResetView);
            }
            let hips = app.show().unwrap().model_matrices()[0].translation();
            assert!(hips.x >= 3.0);
            let (x, _) = app.orbit().camera().project(hips, (400, 400)).unwrap();
            assert!((x - 200.0).abs() < 1.0, "{follow} {time}: {x}");
        }
    }
}

#[test]
fn reading_again_keeps_joints_and_clips_by_name() {
    let mut app = app();
    let finding = Finding::new(&TEXTURE_MISSING, "walk.fbx: Walk", "`rig:Leg` is odd");
    let row = FindingRow::new(&finding, &app.document().unwrap().character);
    app.receive(News::Examined(vec![row]));
    app.apply(Action::Select(Some(2)));
    app.apply(Action::Fold(1));
    app.apply(Action::Toggle(Overlay::Weights));
    // `Spine` is now the third, `Leg` the second, and there is no `Head`.
    read(&mut app, character_of(&[("Hips", None), ("Leg", Some(0)), ("Spine", Some(0))], ["Walk", "Rise"]));
    assert_eq!(app.folded(), &HashSet::from([2]));
    assert!(app.selected().is_none() && !app.has(Overlay::Weights), "of no joint there are no weights");
    let row = &app.document().unwrap().findings.as_ref().unwrap()[0];
    assert_eq!((row.joint, row.clip), (Some(1), Some(0)));
    read(&mut app, character_of(&[("Hips", None)], ["Run", "Rise"]));
    let row = &app.document().unwrap().findings.as_ref().unwrap()[0];
    assert_eq!((row.joint, row.clip), (None, None));
    app.apply(Action::Finding(0));
    assert!(app.folded().is_empty() && app.selected().is_none());
}

#[test]
fn steps_from_between_frames_leave_none_out() {
    let mut app = app();
    let mut step = |from: f64, frames| {
        app.apply(Action::Seek(from * FRAME));
        app.apply(Action::Step(frames));
        (playing(&app).1 / FRAME * 10.0).round() / 10.0
    };
    assert_eq!((step(20.3, -1), step(20.3, 1)), (20.0, 21.0));
    assert_eq!((step(20.8, -1), step(20.8, 1)), (20.0, 21.0));
    assert_eq!((step(20.0, -1), step(20.0, 1)), (19.0, 21.0));
    assert_eq!((step(20.5, -10), step(20.5, 10)), (11.0, 30.0));
}

#[test]
fn at_the_end_playing_starts_again() {
    let mut app = app();
    for (mode, speed, to, start) in
        [(LoopMode::Once, 1.0, Action::ToEnd, 0.0), (LoopMode::Once, -1.0, Action::Seek(0.0), 1.0)]
    {
        app.apply(Action::Mode(mode));
        app.apply(Action::Speed(speed));
        app.apply(to);
        app.apply(Action::TogglePlay);
        assert!(app.is_moving(), "{mode:?} {speed}");
        assert_eq!(playing(&app).1, start);
    }
}

#[test]
fn a_long_pause_ages_messages_but_moves_nothing_far() {
    let mut app = app();
    read(&mut app, character());
    assert!(app.notice().is_some());
    let time = playing(&app).1;
    app.tick(GOOD_NEWS + 0.1);
    assert!(app.notice().is_none());
    assert_eq!(playing(&app).1, time + LONGEST_STEP);
}

#[test]
fn what_cannot_be_shown_is_listed_whenever_it_comes() {
    let doctor = Finding::new(&TEXTURE_MISSING, "hero.fbx", "odd");
    let remark = Finding::new(
        &sinew_findings::catalogue::render::TEXTURE_NOT_SHOWN,
        "hero, material Skin",
        "not found",
    );
    let ids = |app: &App| -> Vec<_> {
        app.document().unwrap().findings.iter().flatten().map(|row| row.id).collect()
    };
    for first in [true, false] {
        let mut app = app();
        for _ in 0..2 {
            let row = FindingRow::new(&doctor, &app.document().unwrap().character);
            if first {
                app.remark(std::slice::from_ref(&remark));
            }
            app.receive(News::Examined(vec![row]));
            if !first {
                app.remark(std::slice::from_ref(&remark));
            }
            assert_eq!(ids(&app), ["texture.missing", "render.texture"], "{first}");
            read(&mut app, character());
        }
        app.receive(News::Examined(vec![]));
        assert!(ids(&app).is_empty(), "what can be shown now is no longer listed");
    }
}
