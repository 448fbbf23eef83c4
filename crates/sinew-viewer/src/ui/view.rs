//! The 3D view and its mouse input.

use super::icons::{self, Icon};
use super::theme::palette;
use crate::app::{Action, App, Mood};
use eframe::egui::{
    Align2, Color32, CursorIcon, FontId, Frame, Id, Margin, PointerButton, Rect, Response, Sense, Shape,
    Stroke, StrokeKind, Ui, Vec2, vec2,
};

/// Rectangle of the view in the window, and its size in device pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) rect: Rect,
    pub(crate) pixels: (u32, u32),
}

/// Fills the rest of the window. `draw` returns the picture, after the mouse input was applied.
pub(crate) fn show(app: &mut App, ui: &mut Ui, draw: impl FnOnce(&mut App, View) -> Option<Shape>) {
    let rect = ui.available_rect_before_wrap();
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    for action in mouse(app, &response, ui) {
        app.apply(action);
    }
    app.set_view_size(rect.width(), rect.height());
    let scale = ui.ctx().pixels_per_point();
    let pixel = |length: f32| ((length * scale).round() as u32).max(1);
    let view = View { rect, pixels: (pixel(rect.width()), pixel(rect.height())) };
    if let Some(picture) = draw(app, view) {
        ui.painter().add(picture);
    }
    empty(app, ui, rect);
    drop_hint(app, ui, rect);
    notice(app, ui, rect);
}

fn mouse(app: &App, response: &Response, ui: &Ui) -> Vec<Action> {
    let mut actions = Vec::new();
    let height = response.rect.height().max(1.0);
    let drag = response.drag_delta() / height;
    let shift = ui.input(|input| input.modifiers.shift);
    let mut held = app.grabbed();
    if response.drag_started_by(PointerButton::Primary)
        && let Some(at) = ui.input(|input| input.pointer.press_origin())
    {
        let at = at - response.rect.min;
        held = app.target_at(at.x, at.y);
        actions.push(Action::Grab(held));
    }
    if drag != Vec2::ZERO && held.is_some() {
        actions.push(Action::DragTarget(drag.x, drag.y));
    } else if drag != Vec2::ZERO {
        let turns = response.dragged_by(PointerButton::Primary) && !shift;
        actions.push(if turns { Action::Orbit(drag.x, drag.y) } else { Action::Pan(drag.x, drag.y) });
    }
    if response.drag_stopped() {
        actions.push(Action::Grab(None));
    }
    if response.hovered() {
        let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta.y, input.zoom_delta()));
        if wheel != 0.0 || pinch != 1.0 {
            actions.push(Action::Zoom((-wheel * 0.0025).exp() / pinch));
        }
    }
    if response.dragged() {
        ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
    }
    if response.clicked()
        && let Some(at) = response.interact_pointer_pos()
    {
        let at = at - response.rect.min;
        actions.push(Action::Select(app.joint_at(at.x, at.y)));
    }
    if response.double_clicked() {
        actions.push(Action::ResetView);
    }
    actions
}

/// The message while no character is shown.
fn empty(app: &App, ui: &Ui, rect: Rect) {
    if app.document().is_some() {
        return;
    }
    let (text, more) = match (app.is_reading(), app.notice()) {
        (true, _) => ("Reading …", ""),
        (false, None) => {
            let what = "FBX, COLLADA or glTF, a compiled .sinew, or a folder with a manifest; its animation files with it";
            ("Drop a character here", what)
        }
        (false, Some(_)) => {
            ("Nothing to show", "The file is read again as soon as it changes. Or drop another here.")
        }
    };
    let visuals = ui.visuals();
    let line = |down: f32, text: &str, size: f32, color: Color32| {
        let at = rect.center() + Vec2::new(0.0, down);
        ui.painter().text(at, Align2::CENTER_CENTER, text, FontId::proportional(size), color);
    };
    line(-12.0, text, 20.0, visuals.text_color());
    line(16.0, more, 13.0, visuals.weak_text_color());
}

fn drop_hint(app: &App, ui: &Ui, rect: Rect) {
    if ui.input(|input| input.raw.hovered_files.is_empty()) {
        return;
    }
    let accent = palette(ui.visuals()).accent;
    let text = if app.document().is_some() { "Drop to add the clips" } else { "Drop to open" };
    let painter = ui.painter();
    painter.rect(
        rect.shrink(10.0),
        8.0,
        Color32::from_black_alpha(120),
        Stroke::new(2.0, accent),
        StrokeKind::Inside,
    );
    painter.text(rect.center(), Align2::CENTER_CENTER, text, FontId::proportional(22.0), Color32::WHITE);
}

fn notice(app: &mut App, ui: &mut Ui, rect: Rect) {
    let Some(notice) = app.notice().cloned() else { return };
    let colors = palette(ui.visuals());
    let (sign, color) = match notice.mood {
        Mood::Fine => (Icon::Check, colors.fine),
        Mood::Problem => (Icon::Warning, colors.error),
    };
    let area = eframe::egui::Area::new(Id::unique("notice"))
        .fixed_pos(rect.center_bottom() - Vec2::new(0.0, 16.0))
        .pivot(Align2::CENTER_BOTTOM)
        .constrain_to(rect);
    let closed = area
        .show(ui.ctx(), |ui| {
            let frame = Frame::popup(ui.style())
                .inner_margin(Margin::symmetric(12, 8))
                .stroke(Stroke::new(1.0, color));
            let shown = frame.show(ui, |ui| {
                ui.set_max_width((rect.width() - 60.0).clamp(120.0, 560.0));
                ui.horizontal_top(|ui| {
                    icons::mark(ui, sign, color);
                    ui.add(eframe::egui::Label::new(&notice.text).wrap().selectable(true));
                    notice.mood == Mood::Problem
                        && icons::button(ui, Icon::Cross, vec2(20.0, 18.0), "Close (Esc)").clicked()
                })
                .inner
            });
            shown.inner
        })
        .inner;
    if closed {
        app.dismiss();
    }
}
