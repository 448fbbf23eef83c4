//! What can be asked of the viewer, by key, by mouse or by a button.

use super::overlay::Overlay;
use sinew::LoopMode;
use sinew_render::View;
use std::path::PathBuf;

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
    /// Shows an overlay, or hides it.
    Toggle(Overlay),
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
