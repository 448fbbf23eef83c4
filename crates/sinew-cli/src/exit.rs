//! How a run ended, as the exit code that scripts rely on.

use crate::print::Out;
use std::process::ExitCode;

/// How a run that went through ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 0: nothing to complain about.
    Fine,
    /// 1: findings of severity error, differences, or something out of date.
    Findings,
    /// As another program ended that was run, and that has told its own errors.
    As(u8),
}

/// Why a run did not go through.
#[derive(Debug)]
pub enum Failure {
    /// 2: input that cannot be read, or an argument that means nothing. The text names file, place and remedy.
    Input(String),
    /// 3: output that could not be written.
    Output(std::io::Error),
    /// 3: a picture that could not be drawn or written. The text says why, and what to do.
    #[cfg(feature = "render")]
    Picture(String),
}

/// What every command returns.
pub type Result<T = Outcome> = std::result::Result<T, Failure>;

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<sinew_import::ImportError> for Failure {
    fn from(error: sinew_import::ImportError) -> Self {
        Self::Input(error.to_string())
    }
}

#[cfg(feature = "render")]
impl From<sinew_render::RenderError> for Failure {
    fn from(error: sinew_render::RenderError) -> Self {
        use sinew_render::RenderError as E;
        let text = error.to_string();
        match error {
            // What was asked for is at fault, or the clip.
            E::TooLarge { .. }
            | E::Index { .. }
            | E::Pose(_)
            | E::Clip(_)
            | E::Empty { .. }
            | E::Size { .. } => Self::Input(text),
            // The driver or the file system.
            _ => Self::Picture(text),
        }
    }
}

/// The exit code, after telling of a failure.
pub fn code(result: Result, out: &Out) -> ExitCode {
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::As(code)) => ExitCode::from(code),
        Err(Failure::Input(text)) => {
            out.error(&text);
            ExitCode::from(2)
        }
        #[cfg(feature = "render")]
        Err(Failure::Picture(text)) => {
            out.error(&text);
            ExitCode::from(3)
        }
        // Whoever reads our output (`head`, a pager) has seen enough.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            out.error(&format!("cannot write the output: {error}"));
            ExitCode::from(3)
        }
    }
}
