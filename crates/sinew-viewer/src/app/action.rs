//! Actions of the viewer, triggered by key, mouse or button.

use super::overlay::Overlay;
use super::props::PropChange;
use super::show::{LayerChange, PadChange, TargetChange, Value};
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
    /// Layers, blend space, state machine and IK, on the right.
    Motion,
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Plays or pauses.
    TogglePlay,
    /// Steps by a number of frames and pauses.
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
    /// Switches to the next loop mode.
    NextMode,
    /// Sets the loop mode.
    Mode(LoopMode),
    /// Plays a clip.
    Clip(usize),
    /// Plays the next or previous clip in the filtered list.
    ClipBy(i32),
    /// Toggles between playing in place and with root motion.
    ToggleInPlace,
    /// Changes the layers.
    Layer(LayerChange),
    /// Changes the blend space, and plays it.
    Pad(PadChange),
    /// Runs the state machine from its start.
    RunMachine,
    /// Sets a parameter of the state machine.
    Parameter(String, Value),
    /// Changes the targets of IK.
    Target(TargetChange),
    /// Changes the props on joints.
    Prop(PropChange),
    /// Takes hold of a target, or lets it go.
    Grab(Option<usize>),
    /// Moves the target that is held by a drag, in parts of the view's height.
    DragTarget(f32, f32),
    /// Orbits the camera by a drag, in parts of the view's height.
    Orbit(f32, f32),
    /// Pans the camera by a drag, in parts of the view's height.
    Pan(f32, f32),
    /// Zooms by a factor; below 1 is nearer.
    Zoom(f32),
    /// Frames the whole character.
    ResetView,
    /// Sets the viewing direction.
    View(View),
    /// The next of front, side and three-quarter.
    NextView,
    /// Toggles the camera following the character.
    ToggleFollow,
    /// Selects a joint.
    Select(Option<u16>),
    /// Selects the joint and plays the clip of a finding.
    Finding(usize),
    /// Folds or unfolds a joint of the tree.
    Fold(u16),
    /// Shows or hides an overlay.
    Toggle(Overlay),
    /// Shows or hides a panel.
    TogglePanel(Panel),
    /// Toggles dark and light theme.
    ToggleTheme,
    /// Shows or hides the shortcuts.
    ToggleHelp,
    /// Focuses the search field of clips.
    Search,
    /// Closes the shortcuts or the message, else clears the selection.
    Escape,
    /// Opens dropped files.
    Drop(Vec<PathBuf>),
    /// Reloads all files.
    Reload,
}
