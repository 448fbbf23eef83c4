//! The page of shortcuts.

use super::theme::palette;
use crate::app::{
    Action,
    shortcuts::{GROUPS, Group, MOUSE},
};
use eframe::egui::{Frame, Grid, Id, Margin, Modal, RichText, Ui};

pub(super) fn show(ui: &Ui, actions: &mut Vec<Action>) {
    let response = Modal::new(Id::unique("help")).show(ui.ctx(), |ui| {
        ui.heading(RichText::new("Keys").strong());
        ui.add_space(8.0);
        ui.horizontal_top(|ui| {
            for pair in GROUPS.chunks(2) {
                ui.vertical(|ui| {
                    pair.iter().for_each(|group| show_group(ui, group));
                });
                ui.add_space(24.0);
            }
        });
        title(ui, "Mouse");
        Grid::new("mouse").num_columns(2).spacing([16.0, 6.0]).show(ui, |ui| {
            for (keys, what) in MOUSE {
                line(ui, keys, what);
            }
        });
        ui.add_space(8.0);
        ui.weak("Drop animation files on the window to play their clips. Files that change are read again.");
    });
    if response.should_close() {
        actions.push(Action::ToggleHelp);
    }
}

fn title(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).color(palette(ui.visuals()).accent));
    ui.add_space(2.0);
}

fn show_group(ui: &mut Ui, group: &Group) {
    title(ui, group.title);
    Grid::new(group.title).num_columns(2).spacing([16.0, 6.0]).show(ui, |ui| {
        for row in group.lines {
            line(ui, row.keys, row.what);
        }
    });
    ui.add_space(12.0);
}

fn line(ui: &mut Ui, keys: &str, what: &str) {
    let chip = palette(ui.visuals()).chip;
    Frame::new().fill(chip).corner_radius(4).inner_margin(Margin::symmetric(7, 1)).show(ui, |ui| {
        ui.label(RichText::new(keys).strong());
    });
    ui.label(what);
    ui.end_row();
}
