//! The top bar: title, overlays, views.

use super::icons::{self, Icon};
use super::theme::palette;
use crate::app::{Action, App, Overlay, Panel, shortcuts};
use eframe::egui::{Align, Button, Layout, RichText, Ui, vec2};
use sinew_render::View;

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        title(app, ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let sign = if app.is_dark() { Icon::Sun } else { Icon::Moon };
            let help = ui.add(Button::new("?").min_size(vec2(28.0, 22.0)));
            if help.on_hover_text("Keyboard shortcuts (?)").clicked() {
                actions.push(Action::ToggleHelp);
            }
            if icons::button(ui, sign, vec2(28.0, 22.0), "Dark or light (D)").clicked() {
                actions.push(Action::ToggleTheme);
            }
            if app.document().is_none() {
                return;
            }
            let motion = app.is_open(Panel::Motion);
            let hint = "Layers, blend space, state machine and IK (P)";
            button(ui, motion, "Motion", hint, Action::TogglePanel(Panel::Motion), actions);
            let joints = app.is_open(Panel::Joints);
            button(
                ui,
                joints,
                "Joints",
                "Joints and findings (J)",
                Action::TogglePanel(Panel::Joints),
                actions,
            );
            let clips = app.is_open(Panel::Clips);
            button(ui, clips, "Clips", "List of clips (C)", Action::TogglePanel(Panel::Clips), actions);
        });
    });
    if app.document().is_some() {
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| {
            for overlay in Overlay::ALL {
                let hint = format!("{} ({})", describe(overlay), shortcuts::of_overlay(overlay));
                button(ui, app.has(overlay), name(overlay), &hint, Action::Toggle(overlay), actions);
            }
            ui.separator();
            for (view, name) in [(View::Front, "Front"), (View::Side, "Side"), (View::ThreeQuarter, "¾")] {
                button(ui, false, name, "Look from there (V)", Action::View(view), actions);
            }
            button(ui, false, "Reset", "Show the whole figure (R)", Action::ResetView, actions);
            let hint = "The eye goes with the character (F)";
            button(ui, app.follows(), "Follow", hint, Action::ToggleFollow, actions);
        });
    }
}

fn title(app: &App, ui: &mut Ui) {
    let Some(document) = app.document() else {
        ui.heading("Sinew");
        return;
    };
    ui.heading(RichText::new(document.character.name()).strong());
    ui.add_space(4.0);
    let facts = format!(
        "{} · {} · {}",
        count(document.character.skeleton().len(), "joint"),
        count(document.triangles(), "triangle"),
        count(document.clips.len(), "clip")
    );
    ui.weak(facts);
    if app.is_reading() {
        ui.spinner();
        ui.colored_label(palette(ui.visuals()).accent, "reading …");
    }
}

fn name(overlay: Overlay) -> &'static str {
    match overlay {
        Overlay::Skeleton => "Skeleton",
        Overlay::Names => "Names",
        Overlay::Weights => "Weights",
        Overlay::Normals => "Normals",
        Overlay::Bounds => "Bounds",
        Overlay::Ghost => "Ghost",
        Overlay::Trail => "Trail",
        Overlay::Sockets => "Sockets",
    }
}

fn describe(overlay: Overlay) -> &'static str {
    match overlay {
        Overlay::Skeleton => "Bones and joints",
        Overlay::Names => "Names of the joints",
        Overlay::Ghost => "A ghost of the bind pose",
        Overlay::Weights => "How much each vertex hangs on the chosen joint",
        Overlay::Normals => "Normals of the vertices",
        Overlay::Bounds => "The box around the figure",
        Overlay::Trail => "The way of the root",
        Overlay::Sockets => "A placeholder prop at each socket",
    }
}

/// A button that may be on.
fn button(ui: &mut Ui, on: bool, text: &str, hint: &str, action: Action, actions: &mut Vec<Action>) {
    if ui.add(Button::selectable(on, text)).on_hover_text(hint).clicked() {
        actions.push(action);
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// A number with commas between its thousands.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn thousands_are_told_apart() {
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
