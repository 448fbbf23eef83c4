//! The motion panel: state machine, layers, blend space and IK.

mod layers;
mod machine;
mod pad;
mod props;
mod targets;

use super::icons::{self, Icon};
use crate::app::{Action, App};
use eframe::egui::{Align, ComboBox, Frame, Label, Layout, Margin, RichText, ScrollArea, Ui, vec2};

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let has_machine = app.show().is_some_and(|show| show.machine().is_some());
        if has_machine || app.machine_problem().is_some() {
            section(ui, "State machine", |ui| machine::show(app, ui, actions));
        }
        section(ui, "Layers", |ui| layers::show(app, ui, actions));
        section(ui, "Blend space", |ui| pad::show(app, ui, actions));
        section(ui, "IK targets", |ui| targets::show(app, ui, actions));
        section(ui, "Sockets", |ui| props::show(app, ui, actions));
    });
}

fn section(ui: &mut Ui, title: &str, content: impl FnOnce(&mut Ui)) {
    super::heading(ui, title, "");
    content(ui);
    ui.add_space(10.0);
}

/// A row of several lines on a ground of its own.
fn card(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let frame =
        Frame::new().fill(ui.visuals().faint_bg_color).corner_radius(5).inner_margin(Margin::symmetric(8, 6));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        content(ui);
    });
}

/// A line with a button at its end that takes something away. Returns whether it was clicked.
fn with_cross(ui: &mut Ui, hint: &str, content: impl FnOnce(&mut Ui)) -> bool {
    let height = ui.spacing().interact_size.y;
    let line = vec2(ui.available_width(), height);
    ui.allocate_ui_with_layout(line, Layout::right_to_left(Align::Center), |ui| {
        let clicked = icons::button(ui, Icon::Cross, vec2(20.0, 18.0), hint).clicked();
        ui.with_layout(Layout::left_to_right(Align::Center), content);
        clicked
    })
    .inner
}

/// A list that opens, to choose from. `id` must differ from all others of the panel.
fn choice<'a, T>(
    ui: &mut Ui,
    id: (&str, usize),
    text: &str,
    items: impl Iterator<Item = (T, &'a str)>,
) -> Option<T> {
    let mut chosen = None;
    let width = ui.available_width();
    ComboBox::from_id_salt(id).selected_text(text).width(width).truncate().show_ui(ui, |ui| {
        for (item, name) in items {
            if ui.selectable_label(name == text, name).clicked() {
                chosen = Some(item);
            }
        }
    });
    chosen
}

/// What a panel says where it has nothing to show.
fn hint(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).small().weak()).wrap());
}
