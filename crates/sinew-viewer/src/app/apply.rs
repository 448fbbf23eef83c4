//! Execution of actions.

use super::{Action, App, FRAME, Mood, Orbit, Overlay, Panel, Request, SPEEDS};
use sinew::glam::Vec3;
use sinew::{Aabb, LoopMode, RootMotion};
use sinew_render::View;
use std::collections::HashSet;

impl App {
    /// Executes an action.
    pub fn apply(&mut self, action: Action) {
        match action {
            Action::TogglePlay
            | Action::Step(_)
            | Action::Seek(_)
            | Action::ToStart
            | Action::ToEnd
            | Action::Slower
            | Action::Faster
            | Action::Speed(_)
            | Action::NextMode
            | Action::Mode(_)
            | Action::ToggleInPlace => self.apply_to_show(&action),
            Action::Clip(clip) => self.play(clip),
            Action::ClipBy(steps) => self.play_by(steps),
            Action::Layer(change) => self.change_layer(&change),
            Action::Pad(change) => self.change_pad(&change),
            Action::RunMachine => self.run_machine(),
            Action::Parameter(name, value) => self.set_parameter(&name, value),
            Action::Target(change) => self.change_target(&change),
            Action::Prop(change) => self.change_prop(&change),
            Action::Grab(target) => self.grabbed = target,
            Action::DragTarget(right, down) => {
                if let Some(target) = self.grabbed {
                    self.drag_target(target, right, down);
                }
            }
            Action::Orbit(right, down) => self.orbit.turn(right, down),
            Action::Pan(right, down) => self.orbit.pan(right, down),
            Action::Zoom(factor) => {
                let size = self.document.as_ref().map_or(1.0, |document| document.figure.size);
                self.orbit.zoom(factor, size);
            }
            Action::ResetView => self.frame(),
            Action::View(view) => self.look_from(view),
            Action::NextView => self.look_from(match self.view {
                View::Front => View::Side,
                View::Side => View::ThreeQuarter,
                _ => View::Front,
            }),
            Action::ToggleFollow => self.toggle_follow(),
            Action::Select(joint) => self.select(joint),
            Action::Finding(number) => self.show_finding(number),
            Action::Fold(joint) => toggle(&mut self.folded, joint),
            Action::Toggle(overlay) => self.toggle(overlay),
            Action::TogglePanel(panel) => toggle(&mut self.panels, panel),
            Action::ToggleTheme => self.dark = !self.dark,
            Action::ToggleHelp => self.help = !self.help,
            Action::Search => {
                self.panels.insert(Panel::Clips);
                self.focus_search = true;
            }
            Action::Escape => self.escape(),
            Action::Drop(paths) if !paths.is_empty() => self.requests.push(Request::Add(paths)),
            Action::Drop(_) => {}
            Action::Reload => self.requests.push(Request::Reload),
        }
        self.changed();
    }

    fn apply_to_show(&mut self, action: &Action) {
        let Some(show) = &mut self.show else { return };
        let speed = show.options().speed;
        match action {
            Action::TogglePlay => show.set_paused(show.is_moving()),
            Action::Step(frames) if show.runs_machine() => {
                // Machines only go on.
                show.set_paused(true);
                show.pass(f64::from((*frames).max(0)) * FRAME);
            }
            Action::Step(frames) => {
                show.set_paused(true);
                let last = show.duration();
                // Wraps around at both ends.
                let time = stepped(show.time() / FRAME, *frames) * FRAME;
                show.seek(if time > last + 1e-6 {
                    0.0
                } else if time < -1e-6 {
                    last
                } else {
                    time
                });
            }
            Action::Seek(time) => show.seek(*time),
            Action::ToStart if show.runs_machine() => self.run_machine(),
            Action::ToStart => show.seek(0.0),
            Action::ToEnd => {
                show.set_paused(true);
                show.seek(show.duration());
            }
            Action::Slower => show.set_speed(scaled(speed, 0.5)),
            Action::Faster => show.set_speed(scaled(speed, 2.0)),
            Action::Speed(speed) => show.set_speed(speed.clamp(-SPEEDS.1, SPEEDS.1)),
            Action::NextMode => show.set_mode(match show.options().mode {
                LoopMode::Loop => LoopMode::Once,
                LoopMode::Once | LoopMode::Times(_) => LoopMode::PingPong,
                LoopMode::PingPong => LoopMode::Loop,
            }),
            Action::Mode(mode) => show.set_mode(*mode),
            Action::ToggleInPlace => show.set_root_motion(match show.options().root_motion {
                RootMotion::Keep => RootMotion::InPlace,
                RootMotion::InPlace | RootMotion::Extract => RootMotion::Keep,
            }),
            _ => {}
        }
    }

    pub(super) fn play(&mut self, clip: usize) {
        let Some(show) = &mut self.show else { return };
        if clip >= show.character().clips().len() {
            return;
        }
        match super::play(show, clip) {
            Ok(()) => {
                self.clip = Some(clip);
                self.set_machine_aside();
                self.clip_changed();
            }
            Err(problem) => self.notify(Mood::Problem, problem),
        }
    }

    fn play_by(&mut self, steps: i32) {
        let Some(document) = &self.document else { return };
        let listed = document.search(&self.clip_search);
        let Some(last) = listed.len().checked_sub(1) else { return };
        let place = self.clip().and_then(|clip| listed.iter().position(|&listed| listed == clip));
        let next = match place {
            Some(place) => (place as i64 + i64::from(steps)).rem_euclid(last as i64 + 1) as usize,
            None if steps < 0 => last,
            None => 0,
        };
        self.reveal = true;
        self.play(listed[next]);
    }

    pub(super) fn clip_changed(&mut self) {
        let (Some(document), Some(show)) = (&self.document, &self.show) else { return };
        let trail = show.clip().map(|clip| document.figure.trail(&document.character, clip));
        self.trail = trail.unwrap_or_default();
        self.changed();
    }

    /// Frames the whole character in the clip that plays.
    pub(super) fn frame(&mut self) {
        let (Some(document), Some(show)) = (&self.document, &self.show) else { return };
        let reach = document.figure.reach(&document.character, show.clip());
        // Both `way` and `reach` include the offset at the start of the clip; it is subtracted once.
        let start = document.figure.upright.transform_vector3(show.start());
        let way = if self.follow { Vec3::ZERO } else { self.way() };
        let bounds = moved(&reach, way - start);
        // Layers and IK may reach further than the clip.
        let joints = show.model_matrices().iter().map(|model| model.translation());
        let joints = joints.map(|joint| document.figure.upright.transform_point3(joint) - self.way() + way);
        let bounds = joints.fold(bounds, Aabb::with);
        let bounds = self.partner.as_ref().map_or(bounds, |partner| bounds.union(partner.bounds(way)));
        self.orbit = Orbit::framing(self.view, &bounds, self.size.0 / self.size.1);
        self.unframed = false;
        self.changed();
    }

    fn look_from(&mut self, view: View) {
        self.view = view;
        self.orbit.look_from(view);
    }

    fn toggle_follow(&mut self) {
        self.follow = !self.follow;
        // The camera must not jump.
        let way = self.way();
        if self.follow {
            self.orbit.target -= way;
        } else {
            self.orbit.target += way;
            self.orbit.followed = Vec3::ZERO;
        }
    }

    pub(super) fn way(&self) -> Vec3 {
        match (&self.document, &self.show) {
            (Some(document), Some(show)) => document.figure.upright.transform_vector3(show.way()),
            _ => Vec3::ZERO,
        }
    }

    pub(super) fn select(&mut self, joint: Option<u16>) {
        self.selected = joint;
        if let (Some(joint), Some(document)) = (joint, &self.document) {
            document.tree.ancestors(joint).for_each(|above| {
                self.folded.remove(&above);
            });
            self.reveal = true;
        } else {
            self.overlays.remove(&Overlay::Weights);
        }
    }

    fn show_finding(&mut self, number: usize) {
        let findings = self.document.as_ref().and_then(|document| document.findings.as_ref());
        let Some(finding) = findings.and_then(|findings| findings.get(number)) else { return };
        let (joint, clip) = (finding.joint, finding.clip);
        if let Some(clip) = clip.filter(|clip| self.clip() != Some(*clip)) {
            self.play(clip);
        }
        if joint.is_some() {
            self.joint_search.clear();
            self.select(joint);
        }
    }

    fn toggle(&mut self, overlay: Overlay) {
        if overlay == Overlay::Weights && self.selected.is_none() && !self.has(overlay) {
            let text = "Choose a joint first: click one in the view or in the tree".to_owned();
            return self.notify(Mood::Problem, text);
        }
        toggle(&mut self.overlays, overlay);
    }

    fn escape(&mut self) {
        if self.help {
            self.help = false;
        } else if self.notice.is_some() {
            self.notice = None;
        } else {
            self.select(None);
        }
    }
}

/// A speed multiplied by a factor, clamped to `SPEEDS`, with its sign.
fn scaled(speed: f64, factor: f64) -> f64 {
    (speed.abs() * factor).clamp(SPEEDS.0, SPEEDS.1).copysign(speed)
}

/// Steps to whole frames, from a time that may lie between two frames. No frame is skipped.
fn stepped(frame: f64, frames: i32) -> f64 {
    // A whole frame may be off by rounding.
    let from = if frames < 0 { (frame - 1e-4).ceil() } else { (frame + 1e-4).floor() };
    from + f64::from(frames)
}

fn moved(bounds: &Aabb, way: Vec3) -> Aabb {
    if bounds.is_empty() { *bounds } else { Aabb { min: bounds.min + way, max: bounds.max + way } }
}

fn toggle<T: std::hash::Hash + Eq>(set: &mut HashSet<T>, item: T) {
    if !set.remove(&item) {
        set.insert(item);
    }
}
