//! The program `sinew-viewer`.

mod args;

use args::Args;
use clap::Parser;
use sinew_viewer::ViewerError;
use sinew_viewer::app::Files;
use std::process::ExitCode;

fn main() -> ExitCode {
    // SAFETY: this is the first statement of the program, so there is no other thread.
    unsafe { sinew_render::hush_mesa() };
    let options = match Args::parse().options() {
        Ok(options) => options,
        Err(problem) => return fail(&problem),
    };
    // A missing file is reported on the command line, not in a window.
    let missing = options.files.iter().flat_map(Files::iter).find(|path| !path.exists()).cloned();
    if let Some(missing) = missing {
        return fail(&format!("{}: there is no such file", missing.display()));
    }
    match sinew_viewer::run(options, Box::new(std::io::stdout())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error @ ViewerError::Render(_)) => fail_with(3, &error.to_string()),
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(text: &str) -> ExitCode {
    fail_with(2, text)
}

/// Exit codes as in `sinew`: 2 for wrong input, 3 for errors of drawing or writing.
fn fail_with(code: u8, text: &str) -> ExitCode {
    use std::io::Write;
    // If stderr is closed there is nowhere to report it.
    let _ = writeln!(anstream::stderr(), "error: {text}");
    ExitCode::from(code)
}
