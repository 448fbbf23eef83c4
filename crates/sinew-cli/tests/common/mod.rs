//! What tests of the command share.

#![allow(dead_code, reason = "each test uses some of it")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::Path;
use std::process::{Command, Output};

/// Runs the command in a folder.
pub fn sinew(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.current_dir(folder).args(arguments).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.output().expect("the command starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// Whether there is a device to draw with; if not, says that the test is skipped.
#[cfg(feature = "render")]
pub fn can_draw(test: &str) -> bool {
    match sinew_render::Gpu::open() {
        Ok(_) => true,
        Err(sinew_render::RenderError::NoAdapter { .. }) => {
            eprintln!("SINEW-SKIP: {test}: no graphics adapter (install mesa-vulkan-drivers libvulkan1)");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// A picture from a file.
#[cfg(feature = "render")]
pub fn picture(path: &Path) -> sinew_render::Picture {
    let read = image::open(path).unwrap().into_rgba8();
    sinew_render::Picture::from_pixels(read.width(), read.height(), read.into_raw()).unwrap()
}
