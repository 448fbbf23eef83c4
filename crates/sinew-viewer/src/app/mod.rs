//! State and behaviour of the viewer, without a window. The panels read it; keys and mouse send [`Action`]s, the worker sends [`News`].

mod action;
mod apply;
mod beginning;
mod document;
mod figure;
mod marks;
mod motion;
mod notice;
mod orbit;
mod overlay;
mod partner;
mod props;
mod rows;
pub(crate) mod shortcuts;
mod show;
mod sources;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod worker;

pub use action::{Action, Panel};
pub use beginning::Beginning;
pub use document::{ClipRow, Document};
pub use figure::Figure;
pub use marks::{Feet, Lane, Mark, Marks};
pub use notice::{Mood, Notice};
pub use orbit::Orbit;
pub use overlay::Overlay;
pub use partner::{Beside, Partner};
pub use props::{Prop, PropChange};
pub use rows::FindingRow;
pub use show::{
    CROSSFADE, Handle, Kind, LayerChange, LayerRow, MachineShow, Pad, PadChange, PadPoint, ParameterRow,
    Show, SpaceOfState, TargetChange, TargetRow, Value,
};
pub use sources::Sources;
pub use tree::{JointRow, Tree};
pub(crate) use worker::Worker;
pub use worker::{Files, News, Request};

use motion::MachineState;
use notice::GOOD_NEWS;
use sinew::glam::Vec3;
use sinew::{Aabb, Character, Clip, Finding, LoopMode};
use sinew_render::{View, is_helper};
use std::collections::HashSet;
use std::sync::Arc;

/// Duration of a frame in seconds, for stepping: 30 frames per second.
pub const FRAME: f64 = 1.0 / 30.0;
/// Slowest and fastest speed.
pub const SPEEDS: (f64, f64) = (1.0 / 16.0, 8.0);
/// Longest step of the playback in seconds, so that a hidden window does not catch up.
pub const LONGEST_STEP: f64 = 0.25;
/// Largest distance of a click from a joint, in pixels.
const NEAR: f32 = 18.0;

/// State of the viewer.
#[derive(Debug)]
pub struct App {
    document: Option<Document>,
    show: Option<Show>,
    clip: Option<usize>,
    orbit: Orbit,
    view: View,
    size: (f32, f32),
    unframed: bool,
    trail: Vec<Vec3>,
    /// Marks of a clip.
    marks: (Option<Arc<Clip>>, Marks),
    machine: MachineState,
    partner: Option<Partner>,
    grabbed: Option<usize>,
    props: Vec<Prop>,
    overlays: HashSet<Overlay>,
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
    /// Search text of clips.
    pub clip_search: String,
    /// Search text of joints.
    pub joint_search: String,
    /// The search field of clips requests the focus.
    pub focus_search: bool,
    /// The current clip and the selected joint must be scrolled into view.
    pub reveal: bool,
}

impl Default for App {
    fn default() -> Self {
        Self {
            document: None,
            show: None,
            clip: None,
            orbit: Orbit::framing(View::default(), &Aabb::EMPTY, 1.0),
            view: View::default(),
            size: (1.0, 1.0),
            unframed: false,
            trail: Vec::new(),
            marks: Default::default(),
            machine: MachineState::default(),
            partner: None,
            grabbed: None,
            props: Vec::new(),
            overlays: HashSet::new(),
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

/// Queries.
impl App {
    /// The character, once it was loaded.
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// The playback.
    pub fn show(&self) -> Option<&Show> {
        self.show.as_ref()
    }

    /// Index of the clip that plays.
    pub fn clip(&self) -> Option<usize> {
        self.clip
    }

    /// Name of the clip that plays, as in the list.
    pub fn clip_name(&self) -> Option<&str> {
        Some(&self.document.as_ref()?.clips.get(self.clip?)?.name)
    }

    /// The source of retargeted clips, which plays beside the character.
    pub fn partner(&self) -> Option<&Partner> {
        self.partner.as_ref()
    }

    /// The camera.
    pub fn orbit(&self) -> &Orbit {
        &self.orbit
    }

    /// Path of the clip's root on the ground.
    pub fn trail(&self) -> &[Vec3] {
        &self.trail
    }

    /// Whether an overlay is shown.
    pub fn has(&self, overlay: Overlay) -> bool {
        self.overlays.contains(&overlay)
    }

    /// The selected joint.
    pub fn selected(&self) -> Option<u16> {
        self.selected
    }

    /// Folded joints of the tree.
    pub fn folded(&self) -> &HashSet<u16> {
        &self.folded
    }

    /// Whether a panel is open.
    pub fn is_open(&self, panel: Panel) -> bool {
        self.panels.contains(&panel)
    }

    /// Whether the camera follows the character.
    pub fn follows(&self) -> bool {
        self.follow
    }

    /// Whether the theme is dark.
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

    /// Increases whenever the picture may have changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether the picture changes with time.
    pub fn is_moving(&self) -> bool {
        self.show.as_ref().is_some_and(Show::is_moving)
    }

    /// The joint nearest to a position in the view, in pixels from its upper left; `None` if none is near.
    pub fn joint_at(&self, x: f32, y: f32) -> Option<u16> {
        let (document, show) = (self.document.as_ref()?, self.show.as_ref()?);
        let skeleton = document.character.skeleton();
        let joints = (0u16..).zip(show.model_matrices()).filter(|&(joint, _)| !is_helper(skeleton, joint));
        self.nearest((x, y), joints.map(|(joint, model)| (joint, model.translation())))
    }

    /// The point of the character's space that is seen nearest to a position in the view; `None` if none is near.
    fn nearest<T>(&self, at: (f32, f32), points: impl Iterator<Item = (T, Vec3)>) -> Option<T> {
        let upright = self.document.as_ref()?.figure.upright;
        let (camera, size) = (self.orbit.camera(), (self.size.0 as u32, self.size.1 as u32));
        let near = points.filter_map(|(item, point)| {
            let (x, y) = camera.project(upright.transform_point3(point), size)?;
            let distance = (x - at.0).hypot(y - at.1);
            (distance <= NEAR).then_some((item, distance))
        });
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(item, _)| item)
    }
}

/// Changes.
impl App {
    /// Sets the initial state, applied when the character is loaded.
    pub fn begin_with(&mut self, beginning: Beginning) {
        self.beginning = beginning;
    }

    /// Sets the dark or light theme.
    pub fn set_dark(&mut self, dark: bool) {
        self.dark = dark;
    }

    /// Takes the requests to the worker.
    pub fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// Advances by `seconds`; the playback by at most [`LONGEST_STEP`].
    pub fn tick(&mut self, seconds: f64) {
        if let Some(notice) = &mut self.notice {
            notice.age += seconds;
        }
        if self.notice.as_ref().is_some_and(|notice| notice.mood == Mood::Fine && notice.age > GOOD_NEWS) {
            self.notice = None;
        }
        if self.show.as_mut().is_some_and(|show| show.advance(seconds.min(LONGEST_STEP))) {
            self.changed();
        }
    }

    /// Sets the size of the view in logical pixels.
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

    /// Handles a message of the worker.
    pub fn receive(&mut self, news: News) {
        match news {
            News::Reading => self.reading = true,
            News::Clips => {}
            News::Feet(clip, feet) => self.receive_feet(clip, feet),
            News::Machine(read) => self.receive_machine(read),
            News::Read(document) => self.open(*document),
            News::Examined(findings) => {
                if let Some(document) = &mut self.document {
                    document.findings = Some(findings);
                    document.list_remarks();
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
        self.partner = document.beside.clone().map(Partner::new);
        let (before, old) = (self.document.take(), self.show.take());
        let Some((before, old)) = before.zip(old) else {
            (self.document, self.show) = (Some(document), Some(Show::new(character)));
            return self.begin();
        };
        self.carry_over(&before, &mut document);
        self.carry_props(&before, &document);
        let playing = self.clip.and_then(|clip| before.clips.get(clip)).map(|row| row.name.as_str());
        // If there are not more clips than before, a new name is a renamed clip.
        let more = document.clips.len() > before.clips.len();
        let new = |row: &ClipRow| more && !before.clips.iter().any(|old| old.name == row.name);
        let added: Vec<usize> =
            (0..).zip(&document.clips).filter(|(_, row)| new(row)).map(|(clip, _)| clip).collect();
        // New clips, such as dropped ones, are played.
        let kept = || playing.and_then(|name| document.clips.iter().position(|row| row.name == name));
        let clip = added.first().copied().or_else(kept).or_else(|| document.first_clip());
        if !added.is_empty() {
            self.set_machine_aside();
        }
        let mut show = old.renewed(Arc::clone(&character));
        Self::carry_motion(&before, &old, &document, &mut show);
        let other = show.plays_space() || old.runs_machine();
        let clip = clip.filter(|_| !other || !added.is_empty());
        let problem = clip.and_then(|clip| play(&mut show, clip).err());
        let own_before = self.clip.and_then(|clip| own_mode(&before.character, clip));
        self.clip = clip.filter(|_| problem.is_none());
        if added.is_empty() && clip == kept() {
            if clip.and_then(|clip| own_mode(&character, clip)) == own_before {
                show.set_mode_of_clip(old.options().mode);
            }
            show.seek(old.time());
        }
        match problem {
            Some(problem) => self.notify(Mood::Problem, problem),
            None => self.notify(Mood::Fine, news_of(&document, &added)),
        }
        (self.document, self.show) = (Some(document), Some(show));
        self.plan_again(Some(&old));
        self.reveal = true;
        self.clip_changed();
    }

    /// Maps joints and clips by name: their indices may have changed.
    fn carry_over(&mut self, before: &Document, document: &mut Document) {
        let joint = |joint: u16| document.same_joint(before, joint);
        self.selected = self.selected.and_then(joint);
        self.folded = self.folded.iter().copied().filter_map(joint).collect();
        if self.selected.is_none() {
            self.overlays.remove(&Overlay::Weights);
        }
        // The old findings are kept until the new document is examined.
        let findings = before.findings.as_ref().map(|rows| {
            let same = |row: &FindingRow| FindingRow {
                joint: row.joint.and_then(joint),
                clip: row.clip.and_then(|clip| document.same_clip(before, clip)),
                ..row.clone()
            };
            rows.iter().map(same).collect()
        });
        document.findings = findings;
    }

    /// Adds findings of the renderer.
    pub fn remark(&mut self, findings: &[Finding]) {
        if let Some(document) = &mut self.document {
            let row = |finding| FindingRow::new(finding, &document.character);
            document.remarks = findings.iter().map(row).collect();
            document.list_remarks();
        }
    }

    /// Closes the message.
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
        self.mark();
        if let (Some(partner), Some(show)) = (&mut self.partner, &self.show) {
            partner.follow(self.clip, show);
        }
        self.version += 1;
    }
}

/// Plays a clip by its index, and loads it if necessary.
fn play(show: &mut Show, clip: usize) -> Result<(), String> {
    let own = own_mode(show.character(), clip);
    let clip = show.character().clips().get(clip).map_err(|error| error.to_string())?;
    let name = clip.name().to_owned();
    show.play(clip, own).map_err(|error| format!("clip `{name}`: {error}"))
}

/// The loop mode that a clip has of its own.
fn own_mode(character: &Character, clip: usize) -> Option<LoopMode> {
    character.clips().info(clip).and_then(|info| info.mode)
}

/// The message after a reload.
fn news_of(document: &Document, added: &[usize]) -> String {
    let names: Vec<&str> = added.iter().map(|&clip| document.clips[clip].name.as_str()).collect();
    match names[..] {
        [] => format!("{} was read again", document.character.name()),
        [one] => format!("New clip: {one}"),
        _ => format!("{} new clips: {}", names.len(), names.join(", ")),
    }
}
