//! A window that shows a character and plays its clips. `sinew view` runs it.
//!
//! State and behaviour are in [`app`], which has no window and is tested without one; [`viewport`] draws the 3D view of it. The other modules are
//! thin: `ui` maps the app to egui widgets and input to actions, `canvas` caches the picture of the view, `blit` copies it into the window, `window`
//! connects them, `system` reports missing system libraries.

pub mod app;
mod blit;
mod canvas;
mod report;
mod system;
mod ui;
pub mod viewport;
mod window;

pub use window::run;

use app::{Beginning, Files};
use std::path::PathBuf;

/// Colour theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Theme {
    /// The theme of the system; dark if unknown.
    #[default]
    Auto,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

impl Theme {
    fn is_dark(self, system_is_light: bool) -> bool {
        match self {
            Self::Auto => !system_is_light,
            Self::Dark => true,
            Self::Light => false,
        }
    }
}

/// What the viewer shows at start, and how.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// What is shown; without, the window waits for a file to be dropped.
    pub files: Option<Files>,
    /// How files are read.
    pub import: sinew_import::Options,
    /// What is shown first.
    pub beginning: Beginning,
    /// Dark or light.
    pub theme: Theme,
    /// Width and height of the window.
    pub size: (u32, u32),
    /// Whether what happens is told as lines of JSON.
    pub report: bool,
    /// Where to write a picture of the window, which is then closed.
    pub screenshot: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            files: None,
            import: sinew_import::Options::default(),
            beginning: Beginning::default(),
            theme: Theme::Auto,
            size: (1280, 760),
            report: false,
            screenshot: None,
        }
    }
}

impl Options {
    fn title(&self) -> String {
        let name = self.files.as_ref().and_then(|files| files.character.file_name());
        name.map_or_else(|| "Sinew".to_owned(), |name| format!("{} — Sinew", name.to_string_lossy()))
    }
}

/// Errors of the viewer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewerError {
    /// There is no display.
    #[error(
        "there is no display to open a window on (DISPLAY is not set): run this on a desktop, on Wayland with XWayland, or \
         use `sinew render` to make pictures without a window"
    )]
    NoDisplay,
    /// System libraries are missing.
    #[error("{files} cannot be loaded, and a window needs it (Debian and Ubuntu: apt install {packages})")]
    Libraries {
        /// Their files.
        files: String,
        /// The packages that have them.
        packages: String,
    },
    /// The window could not be opened.
    #[error("the window cannot be opened: {details}")]
    Window {
        /// Message of the system.
        details: String,
    },
    /// Something could not be shown. Ends the program only after a screenshot; else the window shows the message.
    #[error("{details}")]
    Shown {
        /// Message of the window.
        details: String,
    },
    /// The graphics driver failed.
    #[error(transparent)]
    Render(#[from] sinew_render::RenderError),
}
