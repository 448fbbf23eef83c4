//! The bottom bar: timeline and playback controls.

use super::icons::{self, Icon};
use super::marks;
use super::theme::palette;
use crate::app::{Action, App, FRAME, SPEEDS, Show};
use eframe::egui::{
    Align, Align2, Button, DragValue, FontId, Label, Layout, Rect, RichText, Sense, Stroke, Ui, pos2, vec2,
};
use sinew::{LoopMode, RootMotion};

pub(super) fn show(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let Some(show) = app.show() else { return };
    scrubber(app, show, ui, actions);
    ui.horizontal(|ui| {
        ui.add_enabled_ui(show.clip().is_some(), |ui| transport(show, ui, actions));
        ui.add_space(6.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            settings(show, ui, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| place(app, show, ui));
        });
    });
}

/// Name and time of the clip, in the remaining space: long names are truncated, and details are left out if there is little space.
fn place(app: &App, show: &Show, ui: &mut Ui) {
    let name = match (app.clip_name(), show.clip()) {
        (Some(name), _) => name,
        (None, Some(_)) if show.plays_space() => "Blend space",
        (None, Some(clip)) => clip.name(),
        (None, None) => {
            ui.add(Label::new(RichText::new("Rest pose").strong()).truncate());
            return;
        }
    };
    let frame = |time: f64| (time / FRAME).round();
    let time = format!("{:.2} / {:.2} s", show.time(), show.duration());
    let frames = format!("frame {:.0} of {:.0}", frame(show.time()), frame(show.duration()));
    let room = ui.available_width();
    if room > 120.0 {
        ui.monospace(time);
    }
    if room > 240.0 {
        ui.weak(frames);
    }
    if room > 280.0 {
        ui.add_space(4.0);
        ui.add(Label::new(RichText::new(name).strong()).truncate());
    }
}

fn transport(show: &Show, ui: &mut Ui, actions: &mut Vec<Action>) {
    let mut button = |ui: &mut Ui, icon: Icon, hint: &str, width: f32, action: Action| {
        if icons::button(ui, icon, vec2(width, 26.0), hint).clicked() {
            actions.push(action);
        }
    };
    button(ui, Icon::First, "First frame (Home)", 30.0, Action::ToStart);
    button(ui, Icon::Back, "One frame back (Left)", 30.0, Action::Step(-1));
    let (sign, hint) =
        if show.is_moving() { (Icon::Pause, "Pause (Space)") } else { (Icon::Play, "Play (Space)") };
    button(ui, sign, hint, 44.0, Action::TogglePlay);
    button(ui, Icon::On, "One frame on (Right)", 30.0, Action::Step(1));
    button(ui, Icon::Last, "Last frame (End)", 30.0, Action::ToEnd);
}

/// Playback settings, laid out from right to left.
fn settings(show: &Show, ui: &mut Ui, actions: &mut Vec<Action>) {
    // A machine decides itself what happens at the end of a clip.
    ui.add_enabled_ui(!show.runs_machine(), |ui| settings_of_clip(show, ui, actions));
    ui.separator();
    let mut speed = show.options().speed;
    let value =
        DragValue::new(&mut speed).range(-SPEEDS.1..=SPEEDS.1).speed(0.01).fixed_decimals(2).suffix("×");
    if ui.add(value).on_hover_text("Speed (- + 0); below zero it plays backward").changed() {
        actions.push(Action::Speed(speed));
    }
    ui.weak("Speed");
}

fn settings_of_clip(show: &Show, ui: &mut Ui, actions: &mut Vec<Action>) {
    let options = show.options();
    let in_place = options.root_motion != RootMotion::Keep;
    let hint = "Keep the character on the spot (I)";
    if ui.add(Button::selectable(in_place, "In place")).on_hover_text(hint).clicked() {
        actions.push(Action::ToggleInPlace);
    }
    ui.separator();
    let mut modes =
        vec![(LoopMode::PingPong, "There and back"), (LoopMode::Once, "Once"), (LoopMode::Loop, "Loop")];
    let times;
    if let LoopMode::Times(count) = options.mode {
        // Only a clip of its own has it.
        times = format!("{count} times");
        modes.push((options.mode, &times));
    }
    for (mode, name) in modes {
        let on = options.mode == mode;
        if ui.add(Button::selectable(on, name)).on_hover_text("What happens at the end (L)").clicked() {
            actions.push(Action::Mode(mode));
        }
    }
}

/// The timeline with frames and marks, and a draggable handle.
fn scrubber(app: &App, show: &Show, ui: &mut Ui, actions: &mut Vec<Action>) {
    let marks = app.marks();
    let feet = app.document().map_or(0, |document| document.foot_count);
    let height = 30.0 + marks::height(marks, feet);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click_and_drag());
    let colors = palette(ui.visuals());
    let groove = Rect::from_min_size(rect.min + vec2(0.0, 13.0), vec2(rect.width(), 11.0));
    let inner = groove.shrink2(vec2(8.0, 0.0));
    let duration = show.duration();
    let at = |time: f64| inner.left() + inner.width() * (time / duration.max(1e-9)).clamp(0.0, 1.0) as f32;
    let painter = ui.painter();
    painter.rect_filled(groove, 5.0, colors.groove);
    if duration > 0.0 {
        let now = at(show.time());
        let done = Rect::from_min_max(groove.min, pos2(now, groove.max.y));
        painter.rect_filled(done, 5.0, colors.accent.gamma_multiply(0.28));
        let weak = ui.visuals().weak_text_color();
        let frames = (duration / FRAME).round() as u32;
        let step = tick_step(frames, inner.width());
        for frame in (0..=frames).step_by(step as usize) {
            let x = at(f64::from(frame) * FRAME);
            painter.vline(x, groove.bottom() - 4.0..=groove.bottom(), Stroke::new(1.0, weak));
            let room = frames - frame >= step || frame == frames;
            if room {
                let place = pos2(x, rect.top());
                painter.text(place, Align2::CENTER_TOP, frame.to_string(), FontId::proportional(10.0), weak);
            }
        }
        marks::draw(marks, groove, &at, ui);
        painter.vline(now, groove.top() - 3.0..=groove.bottom() + 3.0, Stroke::new(2.0, colors.accent));
        painter.circle_filled(pos2(now, groove.center().y), 6.0, colors.accent);
    }
    let hovered = response.hover_pos().and_then(|pointer| marks::under(marks, groove, &at, pointer));
    let response = match hovered {
        Some(text) => response.on_hover_text_at_pointer(text),
        None => response,
    };
    if let Some(pointer) = response
        .interact_pointer_pos()
        .filter(|_| (response.dragged() || response.clicked()) && !show.runs_machine())
    {
        let share = ((pointer.x - inner.left()) / inner.width().max(1.0)).clamp(0.0, 1.0);
        actions.push(Action::Seek(f64::from(share) * duration));
    }
}

/// Frames between two ticks, so that their labels do not overlap.
fn tick_step(frames: u32, width: f32) -> u32 {
    let most = (width / 36.0).max(1.0) as u32;
    let steps = [1, 2, 5, 10, 15, 30, 60, 150, 300, 600, 1800];
    let fits = |step: &u32| frames / *step <= most;
    steps.into_iter().find(fits).unwrap_or_else(|| (frames / most).max(1))
}

#[cfg(test)]
mod tests {
    use super::tick_step;

    #[test]
    fn marks_have_room() {
        assert_eq!(tick_step(10, 600.0), 1);
        assert_eq!(tick_step(36, 600.0), 5);
        assert_eq!(tick_step(300, 600.0), 30);
        for (frames, width) in [(0, 0.0), (1, 1.0), (4_000_000_000, 100.0), (123, 36.0)] {
            let step = tick_step(frames, width);
            assert!(
                step >= 1 && frames / step <= (width / 36.0).max(1.0) as u32 + 1,
                "{frames} {width} {step}"
            );
        }
    }
}
