//! Tests of the panels without a window: every click returns its action.

use super::{key_actions, show_panels, theme};
use crate::app::testing::character;
use crate::app::{
    Action, App, Document, FindingRow, Handle, LayerChange, News, Overlay, Panel, TargetChange, Value,
};
use eframe::egui::{Context, Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, pos2, vec2};
use sinew::{Finding, LoopMode};
use sinew_findings::catalogue::import::TEXTURE_MISSING;

const SIZE: (f32, f32) = (1280.0, 760.0);

struct Desk {
    app: App,
    context: Context,
    time: f64,
}

impl Desk {
    fn new() -> Self {
        let mut app = App::default();
        app.receive(News::Read(Box::new(Document::new(character(), &[]))));
        let finding = Finding::new(&TEXTURE_MISSING, "walk.fbx: Walk", "`rig:Head` is odd");
        let row = FindingRow::new(&finding, &app.document().unwrap().character);
        app.receive(News::Examined(vec![row]));
        let context = Context::default();
        theme::install(&context);
        let mut desk = Self { app, context, time: 0.0 };
        // Panels are laid out after a few frames.
        (0..3).for_each(|_| assert!(desk.frame(vec![]).is_empty()));
        desk
    }

    fn frame(&mut self, events: Vec<Event>) -> Vec<Action> {
        // Short enough for a click, too long for a double click.
        self.frame_after(0.4, events)
    }

    fn frame_after(&mut self, seconds: f64, events: Vec<Event>) -> Vec<Action> {
        self.time += seconds;
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(SIZE.0, SIZE.1)));
        let input = RawInput { screen_rect, time: Some(self.time), events, ..Default::default() };
        let (app, mut actions) = (&mut self.app, Vec::new());
        let mut output = self.context.run_ui(input, |ui| {
            actions.extend(key_actions(ui.ctx()));
            actions.extend(show_panels(app, ui));
        });
        // The output is not drawn.
        output.textures_delta.clear();
        actions
    }

    fn click(&mut self, at: Pos2) -> Vec<Action> {
        self.frame(vec![Event::PointerMoved(at)]);
        let mut actions = self.frame(vec![button(at, true)]);
        actions.extend(self.frame(vec![button(at, false)]));
        actions
    }

    /// A double click; the app applies the actions of each click.
    fn double_click(&mut self, at: Pos2) -> Vec<Action> {
        self.frame(vec![Event::PointerMoved(at)]);
        let mut all = Vec::new();
        for pressed in [true, false, true, false] {
            let actions = self.frame_after(0.05, vec![button(at, pressed)]);
            actions.iter().for_each(|action| self.app.apply(action.clone()));
            all.extend(actions);
        }
        all
    }

    /// The actions of clicks along a line.
    fn sweep(&mut self, from: Pos2, to: Pos2) -> Vec<Action> {
        let way = to - from;
        let steps = (way.length() / 6.0) as usize;
        let points: Vec<Pos2> = (0..=steps).map(|i| from + way * (i as f32 / steps as f32)).collect();
        points.into_iter().flat_map(|point| self.click(point)).collect()
    }

    fn press(&mut self, key: Key) -> Vec<Action> {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![event(true), event(false)])
    }
}

fn button(pos: Pos2, pressed: bool) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE }
}

fn assert_all(found: &[Action], wanted: &[Action]) {
    for action in wanted {
        assert!(found.contains(action), "no click comes to {action:?}, only to {found:?}");
    }
}

#[test]
fn the_header_has_overlays_views_and_panels() {
    let mut desk = Desk::new();
    let overlays: Vec<Action> = Overlay::ALL.map(Action::Toggle).to_vec();
    let found = desk.sweep(pos2(4.0, 45.0), pos2(SIZE.0 - 4.0, 45.0));
    assert_all(&found, &overlays);
    assert_all(&found, &[Action::ResetView, Action::ToggleFollow, Action::View(sinew_render::View::Side)]);
    let found = desk.sweep(pos2(SIZE.0 * 0.5, 17.0), pos2(SIZE.0 - 4.0, 17.0));
    let panels = [Panel::Clips, Panel::Joints].map(Action::TogglePanel);
    assert_all(&found, &panels);
    assert_all(&found, &[Action::ToggleTheme, Action::ToggleHelp]);
}

#[test]
fn clips_joints_and_findings_are_clicked() {
    let mut desk = Desk::new();
    let found = desk.sweep(pos2(60.0, 120.0), pos2(60.0, 400.0));
    assert_eq!(found.first(), Some(&Action::Clip(0)));
    assert_all(&found, &[Action::Clip(1)]);
    let found = desk.sweep(pos2(SIZE.0 - 60.0, 120.0), pos2(SIZE.0 - 60.0, 600.0));
    let joints: Vec<Action> = (0..4).map(|joint| Action::Select(Some(joint))).collect();
    assert_all(&found, &joints);
    assert_all(&found, &[Action::Finding(0)]);
    let found = desk.sweep(pos2(SIZE.0 - 260.0, 133.0), pos2(SIZE.0 - 230.0, 133.0));
    assert_all(&found, &[Action::Fold(0)]);
}

#[test]
fn a_double_click_chooses_a_joint_and_folds_it() {
    let mut desk = Desk::new();
    let found = desk.double_click(pos2(SIZE.0 - 60.0, 133.0));
    assert_eq!(found, [Action::Select(Some(0)), Action::Fold(0)]);
    assert_eq!(desk.app.selected(), Some(0));
}

#[test]
fn the_timeline_plays_steps_and_scrubs() {
    let mut desk = Desk::new();
    let row = SIZE.1 - 20.0;
    let found = desk.sweep(pos2(4.0, row), pos2(SIZE.0 - 4.0, row));
    let steps = [Action::ToStart, Action::Step(-1), Action::TogglePlay, Action::Step(1), Action::ToEnd];
    assert_all(&found, &steps);
    assert_all(&found, &[LoopMode::Loop, LoopMode::Once, LoopMode::PingPong].map(Action::Mode));
    assert_all(&found, &[Action::ToggleInPlace]);
    let groove = SIZE.1 - 46.0;
    let seeks = desk.sweep(pos2(4.0, groove), pos2(SIZE.0 - 4.0, groove));
    assert_all(&seeks, &[Action::Seek(0.0), Action::Seek(1.0)]);
}

#[test]
fn the_motion_panel_has_parameters_layers_and_targets() {
    let text = "parameters = { go = true, hop = \"trigger\" }\nlayers = [{ name = \"body\", start = \"Off\", states = { Off = {} } }]";
    let machine = sinew::machine::Machine::from_toml(text).unwrap();
    let mut desk = Desk::new();
    desk.app.receive(News::Machine(Ok(machine.into())));
    desk.app.apply(Action::TogglePanel(Panel::Joints));
    desk.app.apply(Action::TogglePanel(Panel::Motion));
    desk.app.apply(Action::Select(Some(2)));
    desk.app.apply(Action::Layer(LayerChange::Add(1, Some(1))));
    (0..3).for_each(|_| assert!(desk.frame(vec![]).is_empty()));
    let left = SIZE.0 - 262.0;
    let mut found = desk.sweep(pos2(left, 70.0), pos2(left, 600.0));
    found.extend(desk.sweep(pos2(left + 80.0, 70.0), pos2(left + 80.0, 600.0)));
    found.extend(desk.sweep(pos2(SIZE.0 - 28.0, 70.0), pos2(SIZE.0 - 28.0, 600.0)));
    let set = |name: &str, value| Action::Parameter(name.to_owned(), value);
    assert_all(
        &found,
        &[Action::RunMachine, set("go", Value::Bool(false)), set("hop", Value::Trigger(true))],
    );
    assert_all(
        &found,
        &[Action::Layer(LayerChange::Additive(0, true)), Action::Layer(LayerChange::Remove(0))],
    );
    let handle = Handle::of_joint(desk.app.document().unwrap().character.skeleton(), 2).unwrap();
    assert_all(&found, &[Action::Target(TargetChange::Add(handle))]);
}

#[test]
fn letters_are_letters_where_one_writes() {
    let mut desk = Desk::new();
    assert_eq!(desk.press(Key::B), [Action::Toggle(Overlay::Skeleton)]);
    assert_eq!(desk.press(Key::Slash), [Action::Search]);
    desk.app.apply(Action::Search);
    desk.frame(vec![]);
    desk.frame(vec![]);
    assert!(desk.press(Key::B).is_empty());
    desk.frame(vec![Event::Text("walk".into())]);
    assert_eq!(desk.app.clip_search, "walk");
    assert_eq!(desk.press(Key::Enter), [Action::Clip(1)], "Enter plays the first that is listed");
    assert_eq!(desk.press(Key::B), [Action::Toggle(Overlay::Skeleton)], "and ends the writing");
}
