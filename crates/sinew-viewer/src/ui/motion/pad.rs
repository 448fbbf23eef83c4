//! Blend spaces: a line or a plane on which a handle is dragged.

use super::super::theme::palette;
use super::layers::clips;
use super::{choice, hint, with_cross};
use crate::app::{Action, App, Document, Pad, PadChange};
use eframe::egui::{
    Align2, Button, DragValue, FontId, Label, Painter, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2,
};

/// A place of a blend space, as it is drawn.
pub(super) struct Spot<'a> {
    pub at: [f32; 2],
    pub name: &'a str,
    /// What its clip counts, from 0 to 1.
    pub weight: f32,
}

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let (Some(document), Some(show)) = (app.document(), app.show()) else { return };
    let pad = show.pad();
    let mut changes = Vec::new();
    if !pad.points().is_empty() {
        ui.horizontal(|ui| {
            for (plane, name) in [(false, "Line"), (true, "Plane")] {
                if ui.add(Button::selectable(pad.is_plane() == plane, name)).clicked() {
                    changes.push(PadChange::Plane(plane));
                }
            }
            if !show.plays_space() && ui.button("Play").on_hover_text("Play the blend space").clicked() {
                changes.push(PadChange::Play);
            }
        });
        let weights = pad.weights();
        let spots: Vec<Spot<'_>> = pad
            .points()
            .iter()
            .zip(&weights)
            .map(|(point, &weight)| Spot { at: point.at, name: name(document, point.clip), weight })
            .collect();
        changes.extend(draw(ui, &spots, pad.at(), pad.is_plane()).map(PadChange::At));
        points(document, pad, &weights, ui, &mut changes);
    }
    if !document.clips.is_empty() {
        let added = choice(ui, ("add to pad", 0), "Add a clip …", clips(document));
        changes.extend(added.map(|clip| PadChange::Add(app.pad_point(clip))));
    }
    if pad.points().is_empty() {
        hint(
            ui,
            "Clips on a line or in a plane, mixed by where the handle is. They begin at the speed of their feet.",
        );
    }
    actions.extend(changes.into_iter().map(Action::Pad));
}

fn name(document: &Document, clip: usize) -> &str {
    document.clips.get(clip).map_or("", |row| row.name.as_str())
}

/// The clips with their places, as numbers.
fn points(document: &Document, pad: &Pad, weights: &[f32], ui: &mut Ui, changes: &mut Vec<PadChange>) {
    for (number, (point, weight)) in pad.points().iter().zip(weights).enumerate() {
        let removed = with_cross(ui, "Take this clip out", |ui| {
            let mut at = point.at;
            let axes = if pad.is_plane() { 2 } else { 1 };
            let mut moved = false;
            for axis in &mut at[..axes] {
                moved |= ui.add(DragValue::new(axis).speed(0.01).max_decimals(2)).changed();
            }
            if moved {
                changes.push(PadChange::Move(number, at));
            }
            ui.weak(format!("{:.0} %", weight * 100.0));
            ui.add(Label::new(name(document, point.clip)).truncate());
        });
        if removed {
            changes.push(PadChange::Remove(number));
        }
    }
}

/// Draws a blend space. Returns where the handle was dragged to.
pub(super) fn draw(ui: &mut Ui, spots: &[Spot<'_>], at: [f32; 2], plane: bool) -> Option<[f32; 2]> {
    let width = ui.available_width();
    let height = if plane { width.min(180.0) } else { 46.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::click_and_drag());
    let frame = Frame::of(rect.shrink2(vec2(16.0, if plane { 16.0 } else { 0.0 })), spots, plane);
    let colors = palette(ui.visuals());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 5.0, colors.groove);
    let weak = ui.visuals().weak_text_color();
    if !plane {
        let middle = frame.place.center().y;
        painter.hline(frame.place.x_range(), middle, Stroke::new(2.0, weak.gamma_multiply(0.4)));
    }
    for spot in spots {
        let center = frame.on_screen(spot.at);
        painter.circle_filled(center, 4.0 + 5.0 * spot.weight, colors.note.gamma_multiply(0.35));
        painter.circle_filled(center, 3.5, colors.note);
        label(&painter, rect, center, spot.name, ui.visuals().text_color());
    }
    let handle = frame.on_screen(at);
    painter.circle_filled(handle, 7.0, colors.accent);
    painter.circle_stroke(handle, 7.0, Stroke::new(1.5, ui.visuals().panel_fill));
    let pointer = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked())?;
    Some(frame.in_space(pointer))
}

/// The name of a place, above it and within the pad.
fn label(painter: &Painter, rect: Rect, center: Pos2, name: &str, color: eframe::egui::Color32) {
    let galley = painter.layout_no_wrap(name.to_owned(), FontId::proportional(10.5), color);
    let half = galley.size().x * 0.5 + 3.0;
    let x = center.x.clamp(rect.left() + half, (rect.right() - half).max(rect.left() + half));
    let at = Align2::CENTER_BOTTOM.anchor_size(pos2(x, center.y - 7.0), galley.size());
    painter.galley(at.min, galley, color);
}

/// From places of a blend space to places of the window and back.
struct Frame {
    place: Rect,
    low: [f32; 2],
    size: [f32; 2],
    plane: bool,
}

impl Frame {
    fn of(place: Rect, spots: &[Spot<'_>], plane: bool) -> Self {
        let axis = |axis: usize| {
            let numbers = || spots.iter().map(|spot| spot.at[axis]);
            let (low, high) = (numbers().fold(f32::MAX, f32::min), numbers().fold(f32::MIN, f32::max));
            // A single place stands in the middle.
            if high > low { (low, high - low) } else { (low - 0.5, 1.0) }
        };
        let ((x, width), (y, height)) = (axis(0), axis(1));
        Self { place, low: [x, y], size: [width, height], plane }
    }

    fn on_screen(&self, at: [f32; 2]) -> Pos2 {
        let part = |axis: usize| ((at[axis] - self.low[axis]) / self.size[axis]).clamp(0.0, 1.0);
        let x = self.place.left() + self.place.width() * part(0);
        let up = if self.plane { self.place.height() * part(1) } else { self.place.height() * 0.36 };
        pos2(x, self.place.bottom() - up)
    }

    /// The place under the pointer, in hundredths of the pad.
    fn in_space(&self, pointer: Pos2) -> [f32; 2] {
        let x = ((pointer.x - self.place.left()) / self.place.width()).clamp(0.0, 1.0);
        let y = ((self.place.bottom() - pointer.y) / self.place.height()).clamp(0.0, 1.0);
        let number =
            |axis: usize, part: f32| self.low[axis] + self.size[axis] * (part * 100.0).round() / 100.0;
        [number(0, x), if self.plane { number(1, y) } else { 0.0 }]
    }
}
