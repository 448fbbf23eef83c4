//! Icons, drawn as shapes: fonts have few of them, and do not centre them.

use eframe::egui::{
    Color32, Painter, Pos2, Response, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use std::f32::consts::TAU;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Icon {
    First,
    Back,
    Play,
    Pause,
    On,
    Last,
    Sun,
    Moon,
    Open,
    Closed,
    Dot,
    Check,
    Warning,
    Cross,
}

/// A button with an icon.
pub(super) fn button(ui: &mut Ui, icon: Icon, size: Vec2, hint: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, hint));
    let visuals = ui.style().interact(&response);
    ui.painter().rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
    paint(ui.painter(), icon, rect.center(), visuals.fg_stroke.color);
    response.on_hover_text(hint)
}

/// An icon in front of a text.
pub(super) fn mark(ui: &mut Ui, icon: Icon, color: Color32) {
    let (rect, _) =
        ui.allocate_exact_size(vec2(14.0, ui.spacing().interact_size.y.min(16.0)), Sense::hover());
    paint(ui.painter(), icon, rect.center(), color);
}

/// Draws an icon of about twelve points, centred.
pub(super) fn paint(painter: &Painter, icon: Icon, center: Pos2, color: Color32) {
    let at = |x: f32, y: f32| pos2(center.x + x, center.y + y);
    let fill = |points: &[(f32, f32)]| {
        let points = points.iter().map(|&(x, y)| at(x, y)).collect();
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let line = |points: &[(f32, f32)], width: f32| {
        let points = points.iter().map(|&(x, y)| at(x, y)).collect();
        painter.add(Shape::line(points, Stroke::new(width, color)));
    };
    let bar = |x: f32| fill(&[(x - 1.2, -5.0), (x + 1.2, -5.0), (x + 1.2, 5.0), (x - 1.2, 5.0)]);
    match icon {
        Icon::First => {
            bar(-4.4);
            fill(&[(4.6, -5.0), (4.6, 5.0), (-3.0, 0.0)]);
        }
        Icon::Back => fill(&[(3.0, -5.0), (3.0, 5.0), (-4.4, 0.0)]),
        Icon::Play => fill(&[(-4.5, -6.5), (6.5, 0.0), (-4.5, 6.5)]),
        Icon::Pause => [-3.4, 3.4].into_iter().for_each(bar),
        Icon::On => fill(&[(-3.0, -5.0), (4.4, 0.0), (-3.0, 5.0)]),
        Icon::Last => {
            bar(4.4);
            fill(&[(-4.6, -5.0), (3.0, 0.0), (-4.6, 5.0)]);
        }
        Icon::Sun => {
            painter.circle_filled(center, 3.2, color);
            for ray in 0..8 {
                let (y, x) = (ray as f32 * TAU / 8.0).sin_cos();
                line(&[(x * 4.8, y * 4.8), (x * 6.8, y * 6.8)], 1.3);
            }
        }
        Icon::Moon => moon(painter, center, color),
        Icon::Open => fill(&[(-3.6, -1.8), (3.6, -1.8), (0.0, 2.6)]),
        Icon::Closed => fill(&[(-1.8, -3.6), (2.6, 0.0), (-1.8, 3.6)]),
        Icon::Dot => {
            painter.circle_filled(center, 3.6, color);
        }
        Icon::Check => line(&[(-4.5, 0.3), (-1.4, 3.4), (4.6, -3.6)], 1.8),
        Icon::Warning => {
            line(&[(0.0, -5.4), (6.0, 5.0), (-6.0, 5.0), (0.0, -5.4), (0.6, -4.4)], 1.3);
            line(&[(0.0, -1.8), (0.0, 1.6)], 1.5);
            painter.circle_filled(at(0.0, 3.4), 0.9, color);
        }
        Icon::Cross => {
            line(&[(-3.4, -3.4), (3.4, 3.4)], 1.5);
            line(&[(3.4, -3.4), (-3.4, 3.4)], 1.5);
        }
    }
}

/// A crescent. It is not convex, so it is drawn in slices.
fn moon(painter: &Painter, center: Pos2, color: Color32) {
    let (radius, slices) = (5.6f32, 22);
    let at = |slice: i32| {
        let y = radius * (2.0 * slice as f32 / slices as f32 - 1.0);
        let outer = (radius * radius - y * y).max(0.0).sqrt();
        let (beside, above) = (3.4, y + 1.2);
        let inner = beside - (5.4f32 * 5.4 - above * above).max(0.0).sqrt();
        (y, -outer, inner.clamp(-outer, outer))
    };
    for slice in 0..slices {
        let ((y, left, right), (next_y, next_left, next_right)) = (at(slice), at(slice + 1));
        let corners = [(left, y), (right, y), (next_right, next_y), (next_left, next_y)];
        let points = corners.map(|(x, y)| pos2(center.x + x, center.y + y)).to_vec();
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    }
}
