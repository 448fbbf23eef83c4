//! A state machine: parameters as controls, and the states that are active.

use super::super::theme::palette;
use super::pad::{self, Spot};
use super::{card, hint};
use crate::app::{Action, App, MachineShow, ParameterRow, Value};
use eframe::egui::{
    Align2, Button, Color32, FontId, Label, ProgressBar, RichText, Sense, Slider, SliderClamping, Stroke,
    StrokeKind, Ui, vec2,
};

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let colors = palette(ui.visuals());
    if let Some(problem) = app.machine_problem() {
        ui.add(Label::new(RichText::new(problem).color(colors.error).small()).wrap());
    }
    let Some(show) = app.show() else { return };
    let Some(machine) = show.machine() else { return };
    let plan = machine.plan();
    for finding in plan.machine().findings().iter().chain(plan.findings()) {
        let text = format!("{}: {}", finding.place, finding.message);
        ui.add(Label::new(RichText::new(text).color(colors.warning).small()).wrap());
    }
    let (text, about) = if show.runs_machine() {
        ("Restart", "Every layer in its start; parameters stay as they are (Home)")
    } else {
        ("Run the machine", "Let it decide again what plays")
    };
    if ui.button(text).on_hover_text(about).clicked() {
        actions.push(Action::RunMachine);
    }
    for row in machine.parameters() {
        parameter(&row, ui, actions);
    }
    if !show.runs_machine() {
        return hint(ui, "A clip was chosen: the machine stands still.");
    }
    for layer in 0..plan.machine().layers() {
        card(ui, |ui| states(machine, layer, ui));
        space(machine, layer, ui, actions);
    }
}

fn parameter(row: &ParameterRow, ui: &mut Ui, actions: &mut Vec<Action>) {
    let mut set = |value: Value| actions.push(Action::Parameter(row.name.clone(), value));
    match row.value {
        Value::Number(mut number) => {
            ui.horizontal(|ui| {
                ui.spacing_mut().slider_width = (ui.available_width() - 120.0).max(40.0);
                let range = row.range.0..=row.range.1;
                let slider = Slider::new(&mut number, range).max_decimals(2).clamping(SliderClamping::Never);
                if ui.add(slider).changed() {
                    set(Value::Number(number));
                }
                ui.add(Label::new(&row.name).truncate());
            });
        }
        Value::Bool(mut truth) => {
            if ui.checkbox(&mut truth, &row.name).changed() {
                set(Value::Bool(truth));
            }
        }
        Value::Trigger(is_set) => {
            let button = Button::new(format!("Fire {}", row.name)).selected(is_set);
            if ui.add(button).on_hover_text("A trigger: set until a transition takes it").clicked() {
                set(Value::Trigger(true));
            }
        }
    }
}

/// The states of a layer, the active one highlighted, and the transition that is on its way.
fn states(machine: &MachineShow, layer: usize, ui: &mut Ui) {
    let (plan, run) = (machine.plan().machine(), machine.run());
    let names: Vec<&str> = plan.states(layer).collect();
    let (active, way) = (run.state(layer), run.transition(layer));
    if let Some(layer) = plan.definition().layers.get(layer) {
        ui.weak(layer.name.as_str());
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        for (state, name) in names.iter().enumerate() {
            let left = way.is_some_and(|(source, _)| source == state);
            chip(ui, name, active == Some(state), left);
        }
    });
    let Some((source, left)) = way else { return };
    let name = |state: Option<usize>| state.and_then(|state| names.get(state)).copied().unwrap_or_default();
    let text = format!("{} → {}  {left:.2} s", name(Some(source)), name(active));
    let done = (1.0 - left / machine.fade_into(layer, name(active)).max(left)).clamp(0.0, 1.0) as f32;
    ui.add(ProgressBar::new(done).text(RichText::new(text).small()).desired_height(16.0));
}

/// The name of a state: filled where it is active, outlined where it was just left.
fn chip(ui: &mut Ui, name: &str, active: bool, left: bool) {
    let colors = palette(ui.visuals());
    let text = if active { Color32::from_rgb(24, 20, 10) } else { ui.visuals().weak_text_color() };
    let galley = ui.painter().layout_no_wrap(name.to_owned(), FontId::proportional(12.0), text);
    let (rect, _) = ui.allocate_exact_size(galley.size() + vec2(14.0, 6.0), Sense::hover());
    ui.painter().rect_filled(rect, 8.0, if active { colors.accent } else { colors.chip });
    if left {
        ui.painter().rect_stroke(rect, 8.0, Stroke::new(1.5, colors.accent), StrokeKind::Inside);
    }
    let at = Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size());
    ui.painter().galley(at.min, galley, text);
}

/// The blend space of the active state, whose handle sets its parameters.
fn space(machine: &MachineShow, layer: usize, ui: &mut Ui, actions: &mut Vec<Action>) {
    let Some(space) = machine.space(layer) else { return };
    let spots: Vec<Spot<'_>> =
        space.points.iter().map(|(at, name)| Spot { at: *at, name, weight: 0.0 }).collect();
    let Some(at) = pad::draw(ui, &spots, space.at, space.by.len() > 1) else { return };
    let parameters = machine.plan().machine().parameters();
    for (parameter, number) in space.by.iter().zip(at) {
        if let Some(parameter) = parameters.get(parameter.index()) {
            actions.push(Action::Parameter(parameter.name().to_owned(), Value::Number(number)));
        }
    }
}
