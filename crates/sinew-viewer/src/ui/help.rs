//! The help page with shortcuts.

use super::theme::palette;
use crate::app::Action;
use crate::app::shortcuts::{GROUPS, Group, MOUSE};
use eframe::egui::{Align, Frame, Grid, Id, Layout, Margin, Modal, RichText, ScrollArea, Ui};

pub(super) fn show(ui: &Ui, actions: &mut Vec<Action>) {
    let height = ui.ctx().content_rect().height();
    let frame = Frame::popup(ui.style()).inner_margin(Margin::same(16));
    let response = Modal::new(Id::unique("help")).frame(frame).show(ui.ctx(), |ui| {
        ui.horizontal(|ui| {
            ui.heading(RichText::new("Keys and mouse").strong());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.weak("Esc closes this"));
        });
        ui.add_space(8.0);
        ScrollArea::vertical().max_height((height - 110.0).max(80.0)).show(ui, show_columns);
        ui.add_space(4.0);
        ui.weak("Drop animation files on the window to play their clips. Files that change are read again.");
    });
    if response.should_close() {
        actions.push(Action::ToggleHelp);
    }
}

/// Three columns of similar height.
fn show_columns(ui: &mut Ui) {
    let [playing, clips, view, overlays] = &GROUPS;
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| [playing, view].into_iter().for_each(|group| show_group(ui, group)));
        ui.add_space(18.0);
        ui.vertical(|ui| {
            show_group(ui, clips);
            show_mouse(ui);
        });
        ui.add_space(18.0);
        ui.vertical(|ui| show_group(ui, overlays));
    });
}

fn title(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).color(palette(ui.visuals()).accent));
    ui.add_space(2.0);
}

fn show_group(ui: &mut Ui, group: &Group) {
    title(ui, group.title);
    Grid::new(group.title).num_columns(2).spacing([12.0, 4.0]).show(ui, |ui| {
        for row in group.lines {
            line(ui, row.keys, row.what);
        }
    });
    ui.add_space(12.0);
}

fn show_mouse(ui: &mut Ui) {
    title(ui, "Mouse");
    Grid::new("mouse").num_columns(2).spacing([12.0, 4.0]).show(ui, |ui| {
        for (keys, what) in MOUSE {
            line(ui, keys, what);
        }
    });
}

fn line(ui: &mut Ui, keys: &str, what: &str) {
    let chip = palette(ui.visuals()).chip;
    Frame::new().fill(chip).corner_radius(4).inner_margin(Margin::symmetric(7, 1)).show(ui, |ui| {
        ui.label(RichText::new(keys).strong());
    });
    ui.label(what);
    ui.end_row();
}
