//! What the viewer knows and does, without a window: the panels read it, keys and mouse send it [`Action`]s, the worker [`News`].

mod action;
mod document;
mod figure;
mod orbit;
mod rows;
pub mod shortcuts;
mod show;
mod sources;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod watch;
mod worker;

pub use action::{Action, Layer, Panel};
pub use document::{ClipRow, Document};
pub use figure::Figure;
pub use orbit::Orbit;
pub use rows::FindingRow;
pub use show::{CROSSFADE, Show};
pub use sources::Sources;
pub use tree::{JointRow, Tree};
pub use watch::Watch;
pub use worker::{Files, News, Request, Worker};

use sinew::glam::Vec3;
use sinew::{Aabb, LoopMode, RootMotion};
use sinew_render::View;
use std::collections::HashSet;
use std::sync::Arc;

/// Seconds of a frame, for stepping and counting: games keep clips at 30 a second.
pub const FRAME: f64 = 1.0 / 30.0;
/// Slowest and fastest that can be chosen.
pub const SPEEDS: (f64, f64) = (1.0 / 16.0, 8.0);
/// How near to a joint a click must be, in pixels.
const NEAR: f32 = 18.0;

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Something went well.
    Fine,
    /// Something was not done.
    Problem,
}

/// A message over the view.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// What it says.
    pub text: String,
    /// How much it matters.
    pub mood: Mood,
    /// Seconds that it has been shown. Only what went well goes away by itself.
    pub age: f64,
}

/// Seconds for which good news are shown.
const GOOD_NEWS: f64 = 4.0;

/// What is shown first.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Beginning {
    /// The clip, by name.
    pub clip: Option<String>,
    /// Seconds from its start, at which it is paused.
    pub time: Option<f64>,
    /// What is drawn on top.
    pub layers: Vec<Layer>,
    /// The joint that is chosen, by its name or the end of it.
    pub joint: Option<String>,
}

/// Everything that the viewer knows.
#[derive(Debug)]
pub struct App {
    document: Option<Document>,
    show: Option<Show>,
    orbit: Orbit,
    view: View,
    size: (f32, f32),
    unframed: bool,
    trail: Vec<Vec3>,
    layers: HashSet<Layer>,
    selected: Option<u16>,
    folded: HashSet<u16>,
    panels: HashSet<Panel>,
    follow: bool,
    dark: bool,
    help: bool,
    reading: bool,
    notice: Option<Notice>,
    beginning: Beginning,
    requests: Vec<Request>,
    version: u64,
    /// What clips are searched for.
    pub clip_search: String,
    /// What joints are searched for.
    pub joint_search: String,
    /// The search of clips is to get the keyboard.
    pub focus_search: bool,
    /// The clip, or the joint, that plays or is chosen is to be brought into sight.
    pub reveal: bool,
}

impl Default for App {
    fn default() -> Self {
        Self {
            document: None,
            show: None,
            orbit: Orbit::framing(View::default(), &Aabb::EMPTY, 1.0),
            view: View::default(),
            size: (1.0, 1.0),
            unframed: false,
            trail: Vec::new(),
            layers: HashSet::new(),
            selected: None,
            folded: HashSet::new(),
            panels: HashSet::from([Panel::Clips, Panel::Joints]),
            follow: true,
            dark: true,
            help: false,
            reading: false,
            notice: None,
            beginning: Beginning::default(),
            requests: Vec::new(),
            version: 0,
            clip_search: String::new(),
            joint_search: String::new(),
            focus_search: false,
            reveal: false,
        }
    }
}

/// What it shows.
impl App {
    /// The character, once it was read.
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// What plays.
    pub fn show(&self) -> Option<&Show> {
        self.show.as_ref()
    }

    /// The number of the clip that plays.
    pub fn clip(&self) -> Option<usize> {
        let playing = self.show.as_ref()?.clip()?;
        self.document.as_ref()?.character.clips().names().position(|name| name == playing.name())
    }

    /// The eye.
    pub fn orbit(&self) -> &Orbit {
        &self.orbit
    }

    /// The way of the clip's root over the ground.
    pub fn trail(&self) -> &[Vec3] {
        &self.trail
    }

    /// Whether something is shown on top.
    pub fn has(&self, layer: Layer) -> bool {
        self.layers.contains(&layer)
    }

    /// The joint that is chosen.
    pub fn selected(&self) -> Option<u16> {
        self.selected
    }

    /// Joints of the tree that are folded.
    pub fn folded(&self) -> &HashSet<u16> {
        &self.folded
    }

    /// Whether a panel is open.
    pub fn is_open(&self, panel: Panel) -> bool {
        self.panels.contains(&panel)
    }

    /// Whether the eye goes with the character.
    pub fn follows(&self) -> bool {
        self.follow
    }

    /// Whether it is dark.
    pub fn is_dark(&self) -> bool {
        self.dark
    }

    /// Whether the shortcuts are shown.
    pub fn shows_help(&self) -> bool {
        self.help
    }

    /// Whether files are being read.
    pub fn is_reading(&self) -> bool {
        self.reading
    }

    /// The message, if there is one.
    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// Grows whenever the picture may be another.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether time alone changes what is seen.
    pub fn is_moving(&self) -> bool {
        self.show.as_ref().is_some_and(Show::is_moving)
    }

    /// The joint nearest to a place of the view, in pixels from its upper left; `None` where none is near.
    pub fn joint_at(&self, x: f32, y: f32) -> Option<u16> {
        let (document, show) = (self.document.as_ref()?, self.show.as_ref()?);
        let (camera, size) = (self.orbit.camera(), (self.size.0 as u32, self.size.1 as u32));
        let helpers = document.character.skeleton().helpers();
        let joints =
            (0u16..).zip(show.model_matrices().iter().zip(helpers)).filter(|(_, (_, helper))| !**helper);
        let near = joints.filter_map(|(joint, (model, _))| {
            let point = document.figure.upright.transform_point3(model.translation);
            let (at_x, at_y) = camera.project(point, size)?;
            let distance = (at_x - x).hypot(at_y - y);
            (distance <= NEAR).then_some((joint, distance))
        });
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| joint)
    }
}

/// What happens to it.
impl App {
    /// What is to be shown first, once there is a character.
    pub fn begin_with(&mut self, beginning: Beginning) {
        self.beginning = beginning;
    }

    /// Dark or light.
    pub fn set_dark(&mut self, dark: bool) {
        self.dark = dark;
    }

    /// What the worker is to be asked for.
    pub fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// Moves on by `seconds`.
    pub fn tick(&mut self, seconds: f64) {
        if let Some(notice) = &mut self.notice {
            notice.age += seconds;
        }
        if self.notice.as_ref().is_some_and(|notice| notice.mood == Mood::Fine && notice.age > GOOD_NEWS) {
            self.notice = None;
        }
        if self.show.as_mut().is_some_and(|show| show.advance(seconds)) {
            self.changed();
        }
    }

    /// The size of the view, in pixels of a display of usual density.
    pub fn set_view_size(&mut self, width: f32, height: f32) {
        let size = (width.max(1.0), height.max(1.0));
        if size != self.size {
            self.size = size;
            self.version += 1;
        }
        if self.unframed {
            self.frame();
        }
    }

    /// Takes what the worker tells.
    pub fn receive(&mut self, news: News) {
        match news {
            News::Reading => self.reading = true,
            News::Clips => {}
            News::Read(document) => self.open(*document),
            News::Examined(findings) => {
                if let Some(document) = &mut self.document {
                    document.findings = Some(findings);
                }
            }
            News::Failed(text) => {
                self.reading = false;
                let kept =
                    if self.document.is_some() { "\nWhat was read before is still shown." } else { "" };
                self.notify(Mood::Problem, format!("{text}{kept}"));
            }
        }
    }

    fn open(&mut self, mut document: Document) {
        self.reading = false;
        let character = document.character.clone();
        let (before, old) = (self.document.take(), self.show.take());
        let Some((before, old)) = before.zip(old) else {
            (self.document, self.show) = (Some(document), Some(Show::new(character)));
            return self.begin();
        };
        // Until it has been examined, what was found before is the best guess.
        document.findings = before.findings;
        self.selected = self
            .selected
            .and_then(|joint| character.skeleton().find(before.character.skeleton().name(joint)));
        let added = document.clips.len().saturating_sub(before.clips.len());
        let playing = old.clip().map(|clip| clip.name());
        // Clips that were just dropped are what one wants to see.
        let clip = match added {
            0 => document.first_clip(playing),
            _ => Some(document.clips.len() - added),
        };
        let mut show = old.renewed(Arc::clone(&character));
        let problem = clip.and_then(|clip| play(&mut show, clip).err());
        if show.clip().map(|clip| clip.name()) == playing {
            show.seek(old.time());
        }
        match problem {
            Some(problem) => self.notify(Mood::Problem, problem),
            None => self.notify(Mood::Fine, format!("Read {} again", character.name())),
        }
        (self.document, self.show) = (Some(document), Some(show));
        self.reveal = true;
        self.clip_changed();
    }

    /// Shows what is to be shown first.
    fn begin(&mut self) {
        let Beginning { clip, time, layers, joint } = std::mem::take(&mut self.beginning);
        self.notice = None;
        self.unframed = true;
        self.reveal = true;
        let Some(document) = &self.document else { return };
        let joint = joint.and_then(|name| document.find_joint(&name));
        if let Some(clip) = document.first_clip(clip.as_deref()) {
            self.play(clip);
        }
        if let (Some(time), Some(show)) = (time, &mut self.show) {
            show.set_paused(true);
            show.seek(time);
        }
        self.select(joint);
        self.layers.extend(layers);
        self.changed();
    }

    /// Does what is asked for.
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
                View::ThreeQuarter | View::Angles { .. } => View::Front,
            }),
            Action::ToggleFollow => self.toggle_follow(),
            Action::Select(joint) => self.select(joint),
            Action::Finding(number) => self.show_finding(number),
            Action::Fold(joint) => toggle(&mut self.folded, joint),
            Action::Toggle(layer) => self.toggle(layer),
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
            Action::Step(frames) => {
                show.set_paused(true);
                let frame = (show.time() / FRAME).round() + f64::from(*frames);
                let last = show.duration();
                // Beyond either end it goes on at the other: a loop is looked at all round.
                let time = frame * FRAME;
                show.seek(if time > last + 1e-6 {
                    0.0
                } else if time < -1e-6 {
                    last
                } else {
                    time
                });
            }
            Action::Seek(time) => show.seek(*time),
            Action::ToStart => show.seek(0.0),
            Action::ToEnd => {
                show.set_paused(true);
                show.seek(show.duration());
            }
            Action::Slower => show.set_speed((speed * 0.5).max(SPEEDS.0)),
            Action::Faster => show.set_speed((speed * 2.0).min(SPEEDS.1)),
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

    fn play(&mut self, clip: usize) {
        let Some(show) = &mut self.show else { return };
        if clip >= show.character().clips().len() {
            return;
        }
        match play(show, clip) {
            Ok(()) => self.clip_changed(),
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

    fn clip_changed(&mut self) {
        let (Some(document), Some(show)) = (&self.document, &self.show) else { return };
        let trail = show.clip().map(|clip| document.figure.trail(&document.character, clip));
        self.trail = trail.unwrap_or_default();
        self.changed();
    }

    /// Shows all of the character in the clip that plays.
    fn frame(&mut self) {
        let (Some(document), Some(show)) = (&self.document, &self.show) else { return };
        let reach = document.figure.reach(&document.character, show.clip());
        let bounds = if self.follow { reach } else { moved(&reach, self.way()) };
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
        // The eye stays where it is, and from there on goes or stays.
        let way = self.way();
        if self.follow {
            self.orbit.target -= way;
        } else {
            self.orbit.target += way;
            self.orbit.followed = Vec3::ZERO;
        }
    }

    fn way(&self) -> Vec3 {
        match (&self.document, &self.show) {
            (Some(document), Some(show)) => document.figure.upright.transform_vector3(show.way()),
            _ => Vec3::ZERO,
        }
    }

    fn select(&mut self, joint: Option<u16>) {
        self.selected = joint;
        if let (Some(joint), Some(document)) = (joint, &self.document) {
            document.tree.ancestors(joint).for_each(|above| {
                self.folded.remove(&above);
            });
            self.reveal = true;
        } else {
            self.layers.remove(&Layer::Weights);
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

    fn toggle(&mut self, layer: Layer) {
        if layer == Layer::Weights && self.selected.is_none() && !self.has(layer) {
            let text = "Choose a joint first: click one in the view or in the tree".to_owned();
            return self.notify(Mood::Problem, text);
        }
        toggle(&mut self.layers, layer);
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

    /// Puts the message away.
    pub fn dismiss(&mut self) {
        self.notice = None;
    }

    /// Shows a message.
    pub fn notify(&mut self, mood: Mood, text: String) {
        self.notice = Some(Notice { text, mood, age: 0.0 });
    }

    fn changed(&mut self) {
        if self.follow {
            self.orbit.followed = self.way();
        }
        self.version += 1;
    }
}

/// Plays a clip by its number, reading it if need be.
fn play(show: &mut Show, clip: usize) -> Result<(), String> {
    let clip = show.character().clips().get(clip).map_err(|error| error.to_string())?;
    let name = clip.name().to_owned();
    show.play(clip).map_err(|error| format!("clip `{name}`: {error}"))
}

fn moved(bounds: &Aabb, way: Vec3) -> Aabb {
    if bounds.is_empty() { *bounds } else { Aabb { min: bounds.min + way, max: bounds.max + way } }
}

fn toggle<T: std::hash::Hash + Eq>(set: &mut HashSet<T>, item: T) {
    if !set.remove(&item) {
        set.insert(item);
    }
}
