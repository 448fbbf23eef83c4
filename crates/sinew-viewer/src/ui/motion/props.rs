//! Sockets, and props on joints.

use super::{card, hint, with_cross};
use crate::app::{Action, App, Prop, PropChange};
use eframe::egui::{DragValue, Label, RichText, Ui};

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let Some(document) = app.document() else { return };
    for socket in document.character.sockets() {
        let text = format!("{} on {}", socket.name, document.tree.name(socket.joint));
        ui.add(Label::new(text).truncate());
    }
    let mut changes = Vec::new();
    for (number, prop) in app.props().iter().enumerate() {
        card(ui, |ui| {
            let removed = with_cross(ui, "Take this prop away", |ui| {
                ui.add(Label::new(format!("Prop on {}", document.tree.name(prop.joint))).truncate());
            });
            if removed {
                changes.push(PropChange::Remove(number));
            }
            let moved = place(prop, document.character.size(), ui);
            changes.extend(moved.map(|prop| PropChange::Set(number, prop)));
        });
    }
    match app.selected() {
        Some(joint) => {
            if ui.button(format!("+ Prop on {}", document.tree.name(joint))).clicked() {
                changes.push(PropChange::Add(joint));
            }
        }
        None => hint(ui, "Choose a joint, to put a placeholder on it."),
    }
    actions.extend(changes.into_iter().map(Action::Prop));
}

/// Its place and turn as numbers. Returns what they were changed to.
fn place(prop: &Prop, size: f32, ui: &mut Ui) -> Option<Prop> {
    let mut new = *prop;
    for (text, numbers, speed, suffix) in
        [("At", &mut new.translation, size * 0.002, ""), ("Turned", &mut new.degrees, 0.5, "°")]
    {
        ui.horizontal(|ui| {
            ui.label(RichText::new(text).weak());
            for number in [&mut numbers.x, &mut numbers.y, &mut numbers.z] {
                ui.add(DragValue::new(number).speed(speed).max_decimals(3).suffix(suffix));
            }
        });
    }
    (new != *prop).then_some(new)
}
