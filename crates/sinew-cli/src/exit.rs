//! Exit codes.

use crate::print::Out;
use serde_json::json;
use std::process::ExitCode;

/// The result of a run without failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 0: fine.
    Fine,
    /// 1: findings of severity error, differences, or something out of date.
    Findings,
    /// The exit code of another program that was run and has reported its own errors.
    As(u8),
}

/// Why a run failed.
#[derive(Debug)]
pub enum Failure {
    /// 2: unreadable input or an invalid argument. The text names file, place and remedy.
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
            // Errors of the arguments or the input.
            E::TooLarge { .. }
            | E::Index { .. }
            | E::Pose(_)
            | E::Clip(_)
            | E::Empty { .. }
            | E::Size { .. } => Self::Input(text),
            // Errors of the driver or the file system.
            _ => Self::Picture(text),
        }
    }
}

/// The exit code, after printing a failure: as text or, under `--json`, as a line of JSON on stderr, since stdout may hold a document already.
pub fn code(result: Result, json: bool, out: &Out) -> ExitCode {
    let (text, code) = match result {
        Ok(Outcome::Fine) => return ExitCode::SUCCESS,
        Ok(Outcome::Findings) => return ExitCode::from(1),
        Ok(Outcome::As(code)) => return ExitCode::from(code),
        Err(Failure::Input(text)) => (text, 2),
        #[cfg(feature = "render")]
        Err(Failure::Picture(text)) => (text, 3),
        // The reader of the output (`head`, a pager) has closed the pipe, which is fine.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            return ExitCode::SUCCESS;
        }
        Err(Failure::Output(error)) => (format!("cannot write the output: {error}"), 3),
    };
    if json {
        out.raw_error(&json!({ "schema": "sinew.error/1", "error": text, "exit_code": code }).to_string());
    } else {
        out.error(&text);
    }
    ExitCode::from(code)
}
