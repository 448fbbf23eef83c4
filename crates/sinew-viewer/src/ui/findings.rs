//! The list of findings.

use super::icons::{self, Icon};
use super::theme::{Palette, palette};
use crate::app::{Action, App, FindingRow};
use eframe::egui::{
    Align, Color32, Frame, Label, Layout, Margin, RichText, ScrollArea, Sense, Ui, UiBuilder,
};
use sinew::Severity;

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    // Keeps the height of the panel, however few findings there are.
    ui.take_available_height();
    ui.add_space(6.0);
    let Some(document) = app.document() else { return };
    let colors = palette(ui.visuals());
    let Some(findings) = &document.findings else {
        super::heading(ui, "Findings", "");
        ui.horizontal(|ui| {
            ui.spinner();
            ui.weak("examining …");
        });
        return;
    };
    let counts = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| (severity, findings.iter().filter(|row| row.severity == severity).count()));
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Findings").strong());
        for (severity, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            let name = severity.name();
            let text = sinew_findings::plural(count, name, &format!("{name}s"));
            ui.colored_label(color(severity, &colors), text);
        }
    });
    ui.add_space(2.0);
    if findings.is_empty() {
        ui.horizontal(|ui| {
            icons::mark(ui, Icon::Check, colors.fine);
            ui.colored_label(colors.fine, "Nothing is wrong");
        });
        return;
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for (number, row) in findings.iter().enumerate() {
            if line(ui, row, number, &colors) {
                actions.push(Action::Finding(number));
            }
        }
    });
}

fn color(severity: Severity, colors: &Palette) -> Color32 {
    match severity {
        Severity::Error => colors.error,
        Severity::Warning => colors.warning,
        Severity::Note => colors.note,
    }
}

/// The text with a capital first letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Draws a finding. Returns whether it was clicked.
fn line(ui: &mut Ui, row: &FindingRow, number: usize, colors: &Palette) -> bool {
    let builder = UiBuilder::new().id_salt(("finding", number)).sense(Sense::click());
    let response = ui
        .scope_builder(builder, |ui| {
            let hovered = ui.response().hovered();
            let fill =
                if hovered { ui.visuals().widgets.hovered.weak_bg_fill } else { ui.visuals().faint_bg_color };
            let frame = Frame::new().fill(fill).corner_radius(5).inner_margin(Margin::symmetric(8, 5));
            frame.show(ui, |ui| {
                ui.set_width(ui.available_width());
                ui.with_layout(Layout::top_down(Align::Min), |ui| {
                    let mark = color(row.severity, colors);
                    ui.horizontal_top(|ui| {
                        ui.spacing_mut().item_spacing.x = 3.0;
                        icons::mark(ui, Icon::Dot, mark);
                        ui.add(Label::new(RichText::new(capital(row.title)).color(mark)).wrap());
                    });
                    ui.add(Label::new(RichText::new(&row.message).small()).wrap());
                    ui.add(Label::new(RichText::new(&row.place).small().weak()).truncate());
                });
            });
        })
        .response;
    let leads = match (row.joint.is_some(), row.clip.is_some()) {
        (true, _) => "\n\nClick to choose the joint.",
        (false, true) => "\n\nClick to play the clip.",
        (false, false) => "",
    };
    response.on_hover_text(format!("{}\n{}{leads}", row.id, row.hint)).clicked()
}
