//! The tree of joints.

use super::icons::{self, Icon};
use crate::app::{Action, App, JointRow};
use eframe::egui::{RichText, ScrollArea, Sense, TextStyle, TextWrapMode, Ui, WidgetText, pos2, vec2};

const HEIGHT: f32 = 20.0;
const INDENT: f32 = 12.0;

pub(super) fn show(app: &mut App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let Some(document) = app.document() else { return };
    super::heading(ui, "Joints", &document.character.skeleton().len().to_string());
    let mut text = app.joint_search.clone();
    super::search(ui, &mut text, "Search");
    app.joint_search = text;

    let Some(document) = app.document() else { return };
    let rows = document.tree.visible(app.folded(), &app.joint_search);
    if rows.is_empty() {
        ui.weak("No joint is called that");
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical().auto_shrink(false);
    if app.reveal
        && let Some(place) = rows.iter().position(|row| app.selected() == Some(row.joint))
    {
        // Rows outside of the view do not exist, so the offset is computed.
        let middle = ui.available_height() * 0.5;
        area = area.vertical_scroll_offset((place as f32 * HEIGHT - middle).max(0.0));
    }
    area.show_rows(ui, HEIGHT, rows.len(), |ui, range| {
        for row in rows.get(range).unwrap_or_default() {
            line(app, ui, *row, document.tree.name(row.joint), actions);
        }
    });
}

fn line(app: &App, ui: &mut Ui, row: JointRow, name: &str, actions: &mut Vec<Action>) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click());
    let chosen = app.selected() == Some(row.joint);
    let visuals = ui.style().interact_selectable(&response, chosen);
    if chosen || response.hovered() {
        ui.painter().rect_filled(rect, 4.0, visuals.weak_bg_fill);
    }
    // Limited, so that names of deep joints stay visible.
    let indent = (f32::from(row.depth) * INDENT).min(rect.width() * 0.5);
    let fold = pos2(rect.left() + 9.0 + indent, rect.center().y);
    if row.has_children {
        let icon = if app.folded().contains(&row.joint) { Icon::Closed } else { Icon::Open };
        icons::paint(ui.painter(), icon, fold, ui.visuals().weak_text_color());
    }
    let left = fold.x + 10.0;
    let text = WidgetText::from(RichText::new(name).size(13.0));
    let galley = text.into_galley(ui, Some(TextWrapMode::Truncate), rect.right() - left, TextStyle::Body);
    let at = pos2(left, rect.center().y - galley.size().y * 0.5);
    ui.painter().galley(at, galley, visuals.text_color());
    if response.double_clicked() {
        // The first click has selected it; the second must not deselect it.
        if row.has_children {
            actions.push(Action::Fold(row.joint));
        }
    } else if response.clicked() {
        let on_fold = response.interact_pointer_pos().is_some_and(|at| at.x < fold.x + 8.0);
        actions.push(match row.has_children && on_fold {
            true => Action::Fold(row.joint),
            false if chosen => Action::Select(None),
            false => Action::Select(Some(row.joint)),
        });
    }
}
