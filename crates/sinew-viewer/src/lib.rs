//! A window that shows a character and plays its clips. `sinew view` runs it.
//!
//! What the viewer knows and does is in [`app`], which has no window and is tested without one; [`stage`] draws what the app knows. The
//! rest is thin: `ui` turns the app into egui's widgets and clicks into actions, `canvas` keeps the view's picture on the device and
//! draws it only when it is another, `blit` puts it into the window, `window` ties them together, `system` tells what is missing where no window opens.

pub mod app;
mod blit;
mod canvas;
mod report;
pub mod stage;
mod system;
mod ui;
mod window;

pub use window::run;

use app::{Beginning, Files};
use std::path::PathBuf;

/// Dark or light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system is; dark where it does not say.
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

/// What the viewer begins with.
#[derive(Clone, Debug, PartialEq)]
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

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// There is no display to open it on.
    #[error(
        "there is no display to open a window on (DISPLAY is not set): run this on a desktop, on Wayland with XWayland, or \
         use `sinew render` to make pictures without a window"
    )]
    NoDisplay,
    /// Libraries are missing.
    #[error("{files} cannot be loaded, and a window needs it (Debian and Ubuntu: apt install {packages})")]
    Libraries {
        /// Their files.
        files: String,
        /// The packages that have them.
        packages: String,
    },
    /// It does not open.
    #[error("the window cannot be opened: {details}")]
    Window {
        /// What the system said.
        details: String,
    },
    /// What the window was to show could not be shown. Only a screenshot ends with it; else the window tells of it.
    #[error("{details}")]
    Shown {
        /// What the window says.
        details: String,
    },
    /// The graphics driver failed.
    #[error(transparent)]
    Render(#[from] sinew_render::RenderError),
}
