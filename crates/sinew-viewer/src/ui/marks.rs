//! Marks on the timeline: diamonds for events, wedges for markers, and a lane for each foot, filled while it stands.

use super::theme::palette;
use crate::app::Marks;
use eframe::egui::{Color32, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};

/// Height of a foot's lane, and the space before it.
const LANE: f32 = 4.0;
const GAP: f32 = 2.0;
/// The most lanes that are drawn: a spider has more feet than a timeline has room.
const MOST: usize = 6;
/// How near the pointer must be to a mark, in points.
const NEAR: f32 = 5.0;

/// What the lanes add to the height of the timeline. There is room for all feet of the character, so that the view keeps its size from clip to clip.
pub(super) fn height(marks: &Marks, feet: usize) -> f32 {
    marks.lanes.len().max(feet).min(MOST) as f32 * (LANE + GAP)
}

/// Draws all marks. `at` is where a time lies.
pub(super) fn draw(marks: &Marks, groove: Rect, at: &dyn Fn(f64) -> f32, ui: &Ui) {
    let (colors, painter) = (palette(ui.visuals()), ui.painter());
    for (number, lane) in marks.lanes.iter().take(MOST).enumerate() {
        let color = if number % 2 == 0 { colors.note } else { colors.fine };
        let row = lane_rect(groove, number);
        painter.rect_filled(row, 2.0, colors.groove);
        for &(from, to) in &lane.spans {
            let span = Rect::from_x_y_ranges(at(from)..=at(to).max(at(from) + 1.0), row.y_range());
            painter.rect_filled(span, 2.0, color);
        }
    }
    for marker in &marks.markers {
        let top = pos2(at(marker.time), groove.top());
        let points = [vec2(-4.0, 0.0), vec2(4.0, 0.0), vec2(0.0, 6.0)].map(|way| top + way);
        painter.add(shape(&points, colors.tag));
    }
    for event in &marks.events {
        let center = pos2(at(event.time), groove.center().y);
        let points = [vec2(0.0, -4.5), vec2(4.5, 0.0), vec2(0.0, 4.5), vec2(-4.5, 0.0)];
        painter.add(shape(&points.map(|way| center + way), colors.warning));
    }
}

/// What is under the pointer.
pub(super) fn under(marks: &Marks, groove: Rect, at: &dyn Fn(f64) -> f32, pointer: Pos2) -> Option<String> {
    if pointer.y <= groove.bottom() {
        let all = marks.events.iter().chain(&marks.markers);
        let near = all.filter(|mark| (at(mark.time) - pointer.x).abs() <= NEAR);
        let texts: Vec<&str> = near.map(|mark| mark.text.as_str()).collect();
        return (!texts.is_empty()).then(|| texts.join("\n"));
    }
    let (_, lane) = marks
        .lanes
        .iter()
        .take(MOST)
        .enumerate()
        .find(|(number, _)| lane_rect(groove, *number).expand(GAP * 0.5).contains(pointer))?;
    let span = lane.spans.iter().find(|(from, to)| (at(*from)..=at(*to)).contains(&pointer.x));
    Some(match span {
        Some((from, to)) => format!("{} stands from {from:.2} to {to:.2} s", lane.name),
        None => format!("{} is in the air", lane.name),
    })
}

fn lane_rect(groove: Rect, number: usize) -> Rect {
    let top = groove.bottom() + GAP + number as f32 * (LANE + GAP);
    Rect::from_min_size(pos2(groove.left(), top), vec2(groove.width(), LANE))
}

fn shape(points: &[Pos2], color: Color32) -> Shape {
    Shape::convex_polygon(points.to_vec(), color, Stroke::NONE)
}
