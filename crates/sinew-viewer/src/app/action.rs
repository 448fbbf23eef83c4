//! What can be asked of the viewer, by key, by mouse or by a button.

use sinew::LoopMode;
use sinew_render::View;
use std::path::PathBuf;

/// Something drawn on top, or instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Bones and joints.
    Skeleton,
    /// Names of the joints.
    Names,
    /// A ghost of the bind pose.
    Ghost,
    /// The weights of the selected joint.
    Weights,
    /// Normals of the vertices.
    Normals,
    /// The box around the figure.
    Bounds,
    /// The way of the root.
    Trail,
}

impl Layer {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 7] =
        [Self::Skeleton, Self::Names, Self::Ghost, Self::Weights, Self::Normals, Self::Bounds, Self::Trail];

    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Skeleton => "Skeleton",
            Self::Names => "Names",
            Self::Ghost => "Bind ghost",
            Self::Weights => "Weights",
            Self::Normals => "Normals",
            Self::Bounds => "Bounds",
            Self::Trail => "Trail",
        }
    }
}

/// One of the panels beside the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Panel {
    /// Clips, on the left.
    Clips,
    /// Joints and findings, on the right.
    Joints,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Plays, or stops.
    TogglePlay,
    /// Goes by so many frames, and stops.
    Step(i32),
    /// Goes to a time, in seconds.
    Seek(f64),
    /// Goes to the first frame.
    ToStart,
    /// Goes to the last frame.
    ToEnd,
    /// Half as fast.
    Slower,
    /// Twice as fast.
    Faster,
    /// Plays at a speed.
    Speed(f64),
    /// The next way to go on at the end.
    NextMode,
    /// What happens at the end.
    Mode(LoopMode),
    /// Plays a clip.
    Clip(usize),
    /// Plays the clip after, or before, among those that the search shows.
    ClipBy(i32),
    /// Keeps the character on the spot, or lets it travel.
    ToggleInPlace,
    /// Turns the view, in parts of its height.
    Orbit(f32, f32),
    /// Shifts the view, in parts of its height.
    Pan(f32, f32),
    /// Goes nearer (below one) or farther.
    Zoom(f32),
    /// Shows all of the character, as at first.
    ResetView,
    /// Looks from a direction.
    View(View),
    /// The next of front, side and three-quarter.
    NextView,
    /// Goes with the character, or stays.
    ToggleFollow,
    /// Chooses a joint.
    Select(Option<u16>),
    /// Chooses what a finding speaks of.
    Finding(usize),
    /// Folds a joint of the tree, or unfolds it.
    Fold(u16),
    /// Shows something on top, or hides it.
    Toggle(Layer),
    /// Shows a panel, or hides it.
    TogglePanel(Panel),
    /// Dark or light.
    ToggleTheme,
    /// Shows the shortcuts, or hides them.
    ToggleHelp,
    /// Goes to the search of clips.
    Search,
    /// Puts away what is open: shortcuts, a message, a selection.
    Escape,
    /// Takes files that were dropped.
    Drop(Vec<PathBuf>),
    /// Reads all files again.
    Reload,
}
