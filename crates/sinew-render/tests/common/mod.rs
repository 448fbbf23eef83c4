//! Hand-made characters, and comparison with golden pictures.
#![allow(dead_code, reason = "each test uses some of it")]

pub(crate) mod figure;
pub(crate) mod golden;
pub(crate) mod offscreen;
pub(crate) mod shapes;

use sinew_render::{Gpu, RenderError};

/// The device, or `None` after a line that says the test is skipped.
#[allow(clippy::print_stdout, reason = "the line that the test runner counts skipped tests by")]
pub(crate) fn gpu(test: &str) -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(RenderError::NoAdapter { .. }) => {
            println!("SINEW-SKIP: {test}: no graphics adapter (install mesa-vulkan-drivers libvulkan1)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
