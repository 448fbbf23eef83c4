//! `rustdoc` with its unstable options allowed, for the test of this crate.
//!
//! Cargo calls it in the place of `rustdoc`. The variable that allows them must not be seen by cargo itself: build scripts ask for it, and
//! half of the dependencies would be built anew.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let status =
        Command::new("rustdoc").args(std::env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").status();
    if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
