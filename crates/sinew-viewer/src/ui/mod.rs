//! The contents of the window: reads the [`App`] and returns [`Action`]s.

mod clips;
mod findings;
pub(crate) mod fonts;
mod header;
mod help;
mod icons;
mod joints;
mod keys;
mod marks;
mod motion;
#[cfg(test)]
mod tests;
pub(crate) mod theme;
mod timeline;
mod view;

use crate::app::{Action, App, Panel};
use eframe::egui::{self, Ui};

pub(crate) use keys::actions as key_actions;
pub(crate) use view::{View, show as show_view};

/// All panels. Returns the actions of the user.
pub(crate) fn show_panels(app: &mut App, ui: &mut Ui) -> Vec<Action> {
    let mut actions = Vec::new();
    let margin = egui::Margin::symmetric(10, 6);
    // The window is cleared with the colour of the panels, so they need no fill.
    let frame = egui::Frame::new().inner_margin(margin);
    egui::Panel::top("header")
        .frame(frame)
        .resizable(false)
        .show(ui, |ui| header::show(app, ui, &mut actions));
    let width = ui.available_width();
    if app.document().is_some() {
        egui::Panel::bottom("timeline")
            .frame(frame)
            .resizable(false)
            .show(ui, |ui| timeline::show(app, ui, &mut actions));
        if app.is_open(Panel::Clips) {
            egui::Panel::left("clips")
                .frame(frame)
                .default_size((width * 0.2).clamp(160.0, 236.0))
                .size_range(160.0..=420.0)
                .show(ui, |ui| clips::show(app, ui, &mut actions));
        }
        if app.is_open(Panel::Motion) {
            egui::Panel::right("motion")
                .frame(frame)
                .default_size((width * 0.22).clamp(220.0, 284.0))
                .size_range(200.0..=480.0)
                .show(ui, |ui| motion::show(app, ui, &mut actions));
        }
        if app.is_open(Panel::Joints) {
            egui::Panel::right("joints")
                .frame(frame)
                .default_size((width * 0.22).clamp(180.0, 264.0))
                .size_range(180.0..=480.0)
                .show(ui, |ui| {
                    let height = ui.available_height();
                    egui::Panel::bottom("findings")
                        .frame(egui::Frame::NONE)
                        .default_size((height * 0.4).max(64.0))
                        .size_range(64.0..=(height * 0.8).max(64.0))
                        .show(ui, |ui| findings::show(app, ui, &mut actions));
                    joints::show(app, ui, &mut actions);
                });
        }
    }
    if app.shows_help() {
        help::show(ui, &mut actions);
    }
    app.reveal = false;
    actions
}

/// A heading of a panel, with a weak text after it.
fn heading(ui: &mut Ui, title: &str, aside: &str) {
    ui.horizontal(|ui| {
        ui.label(egui::RichText::new(title).strong());
        ui.weak(aside);
    });
}

/// A search field. Returns its response.
fn search(ui: &mut Ui, text: &mut String, hint: &str) -> egui::Response {
    let width = ui.available_width();
    let response = ui.add(egui::TextEdit::singleline(text).hint_text(hint).desired_width(width));
    ui.add_space(2.0);
    response
}
