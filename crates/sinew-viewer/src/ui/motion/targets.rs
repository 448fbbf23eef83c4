//! What hands and feet reach for, and what the head looks at.

use super::{hint, with_cross};
use crate::app::{Action, App, Handle, TargetChange};
use eframe::egui::{Label, Slider, Ui};

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let (Some(document), Some(show)) = (app.document(), app.show()) else { return };
    let mut changes = Vec::new();
    for (number, row) in show.targets().iter().enumerate() {
        let removed = with_cross(ui, "Take this target away", |ui| {
            let mut weight = row.weight;
            ui.spacing_mut().slider_width = (ui.available_width() - 150.0).max(40.0);
            if ui.add(Slider::new(&mut weight, 0.0..=1.0).fixed_decimals(2)).changed() {
                changes.push(TargetChange::Weight(number, weight));
            }
            ui.add(Label::new(&row.handle.name).truncate());
        });
        if removed {
            changes.push(TargetChange::Remove(number));
        }
    }
    let chosen = app.selected().and_then(|joint| Handle::of_joint(document.character.skeleton(), joint));
    let has = |handle: &Handle| show.targets().iter().any(|row| row.handle.joint() == handle.joint());
    let known = |handle: &Handle| document.handles.iter().any(|own| own.joint() == handle.joint());
    let chosen = chosen.filter(|handle| !known(handle));
    ui.horizontal_wrapped(|ui| {
        for handle in document.handles.iter().chain(&chosen).filter(|handle| !has(handle)) {
            let about = "Add a target for it, to be dragged in the view";
            if ui.button(format!("+ {}", handle.name)).on_hover_text(about).clicked() {
                changes.push(TargetChange::Add(handle.clone()));
            }
        }
    });
    if !show.targets().is_empty() {
        hint(ui, "Drag the blue rings in the view.");
    } else if document.handles.is_empty() && chosen.is_none() {
        hint(ui, "Choose the joint at the end of a limb, to add a target for it.");
    }
    actions.extend(changes.into_iter().map(Action::Target));
}
