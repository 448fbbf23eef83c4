//! Layers: clip, weight, mask, override or additive.

use super::{card, choice, hint, with_cross};
use crate::app::{Action, App, Document, LayerChange, LayerRow};
use eframe::egui::{Button, DragValue, Slider, Ui};

/// The most joints over which a mask grows.
const MOST_FALLOFF: u16 = 20;

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let (Some(document), Some(show)) = (app.document(), app.show()) else { return };
    let mut changes = Vec::new();
    for (number, row) in show.layers().enumerate() {
        card(ui, |ui| layer(document, number, row, ui, &mut changes));
    }
    if document.clips.is_empty() {
        return hint(ui, "Without clips there are no layers.");
    }
    let added = choice(ui, ("add layer", 0), "Add a layer …", clips(document));
    changes.extend(added.map(|clip| LayerChange::Add(clip, app.selected())));
    if show.layers().len() == 0 {
        hint(ui, "A clip over what plays, from the chosen joint on or everywhere.");
    }
    actions.extend(changes.into_iter().map(Action::Layer));
}

/// Clips, to choose from.
pub(super) fn clips(document: &Document) -> impl Iterator<Item = (usize, &str)> {
    document.clips.iter().enumerate().map(|(clip, row)| (clip, row.name.as_str()))
}

fn layer(document: &Document, number: usize, row: &LayerRow, ui: &mut Ui, changes: &mut Vec<LayerChange>) {
    let removed = with_cross(ui, "Take this layer away", |ui| {
        let name = document.clips.get(row.clip).map_or("", |row| row.name.as_str());
        let clip = choice(ui, ("layer clip", number), name, clips(document));
        changes.extend(clip.map(|clip| LayerChange::Clip(number, clip)));
    });
    ui.horizontal(|ui| {
        let mut weight = row.weight;
        ui.spacing_mut().slider_width = (ui.available_width() - 112.0).max(40.0);
        ui.weak("Weight");
        if ui.add(Slider::new(&mut weight, 0.0..=1.0).fixed_decimals(2)).changed() {
            changes.push(LayerChange::Weight(number, weight));
        }
    });
    ui.horizontal(|ui| {
        ui.weak("From");
        let name = row.joint.map_or("all joints", |joint| document.tree.name(joint));
        let joints = document.tree.visible(&Default::default(), "").into_iter();
        let joints = joints.map(|row| (Some(row.joint), document.tree.name(row.joint)));
        let mask =
            choice(ui, ("layer mask", number), name, std::iter::once((None, "all joints")).chain(joints));
        changes.extend(mask.map(|joint| LayerChange::Mask(number, joint)));
    });
    ui.horizontal(|ui| {
        for (additive, name, about) in [
            (false, "Override", "Takes the place of what lies below"),
            (true, "Additive", "Adds the difference from the first frame of its clip"),
        ] {
            let button = Button::selectable(row.additive == additive, name);
            if ui.add(button).on_hover_text(about).clicked() {
                changes.push(LayerChange::Additive(number, additive));
            }
        }
        let mut falloff = row.falloff;
        let value = DragValue::new(&mut falloff).range(0..=MOST_FALLOFF).speed(0.05).prefix("fall-off ");
        let about = "Over how many joints, down from the first, it grows to all of its weight";
        if ui.add_enabled(row.joint.is_some(), value).on_hover_text(about).changed() {
            changes.push(LayerChange::Falloff(number, falloff));
        }
    });
    if removed {
        changes.push(LayerChange::Remove(number));
    }
}
