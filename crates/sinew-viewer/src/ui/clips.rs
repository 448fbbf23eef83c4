//! The list of clips.

use super::theme::palette;
use crate::app::{Action, App, ClipRow};
use eframe::egui::{
    Align2, FontId, Key, Rect, Response, ScrollArea, Sense, TextStyle, TextWrapMode, Ui, WidgetText, pos2,
    vec2,
};

const HEIGHT: f32 = 26.0;

pub(super) fn show(app: &mut App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let Some(document) = app.document() else { return };
    super::heading(ui, "Clips", &document.clips.len().to_string());
    let mut text = app.clip_search.clone();
    let field = super::search(ui, &mut text, "Search (/)");
    if std::mem::take(&mut app.focus_search) {
        field.request_focus();
    }
    app.clip_search = text;
    let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));

    let Some(document) = app.document() else { return };
    let (listed, playing) = (document.search(&app.clip_search), app.clip());
    if let Some(&first) = listed.first().filter(|_| entered) {
        actions.push(Action::Clip(first));
    }
    if listed.is_empty() {
        ui.weak(if document.clips.is_empty() {
            "No clips: drop animation files here"
        } else {
            "No clip is called that"
        });
    }
    let reveal = app.reveal;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for number in listed {
            let Some(row) = document.clips.get(number) else { continue };
            let chosen = playing == Some(number);
            let response = line(ui, row, document.duration(number), chosen);
            if chosen && reveal {
                response.scroll_to_me(None);
            }
            let from = if row.file.is_empty() { "the character's file" } else { &row.file };
            if response.on_hover_text(format!("{}\nfrom {from}", row.name)).clicked() {
                actions.push(Action::Clip(number));
            }
        }
    });
}

/// Name, tag and duration. The tag is left out first if there is no space.
fn line(ui: &mut Ui, row: &ClipRow, duration: Option<f32>, chosen: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click());
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let colors = palette(ui.visuals());
    let visuals = ui.style().interact_selectable(&response, chosen);
    if chosen || response.hovered() {
        ui.painter().rect_filled(rect, 5.0, visuals.weak_bg_fill);
    }
    if chosen {
        let edge = Rect::from_min_size(rect.min + vec2(0.0, 4.0), vec2(3.0, HEIGHT - 8.0));
        ui.painter().rect_filled(edge, 1.5, colors.accent);
    }
    let small = FontId::proportional(11.0);
    let middle = rect.center().y;
    let duration = duration.map_or_else(|| "…".to_owned(), |seconds| format!("{seconds:.2} s"));
    let weak = ui.visuals().weak_text_color();
    let right = pos2(rect.right() - 8.0, middle);
    let time = ui.painter().text(right, Align2::RIGHT_CENTER, duration, small.clone(), weak);

    let mut room = time.left() - 10.0;
    let left = rect.left() + 10.0;
    let text = WidgetText::from(row.name.as_str());
    if let Some(tag) = &row.tag {
        let galley = ui.painter().layout_no_wrap(tag.clone(), small, colors.tag);
        let chip =
            Rect::from_min_max(pos2(room - galley.size().x - 10.0, middle - 8.0), pos2(room, middle + 8.0));
        if chip.left() - left > 60.0 {
            ui.painter().rect_filled(chip, 8.0, colors.chip);
            ui.painter().galley(chip.center() - galley.size() * 0.5, galley, colors.tag);
            room = chip.left() - 6.0;
        }
    }
    let galley = text.into_galley(ui, Some(TextWrapMode::Truncate), room - left, TextStyle::Body);
    let at = pos2(left, middle - galley.size().y * 0.5);
    ui.painter().galley(at, galley, visuals.text_color());
    response
}
