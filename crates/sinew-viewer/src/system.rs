//! System requirements of a window. Its libraries are loaded at run time, so a missing one must be detected here.

use crate::ViewerError;

/// A library, and its package on Debian and Ubuntu.
struct Library {
    file: &'static str,
    package: &'static str,
}

const fn library(file: &'static str, package: &'static str) -> Library {
    Library { file, package }
}

/// Libraries that winit loads on X11.
const NEEDED: [Library; 7] = [
    library("libX11.so.6", "libx11-6"),
    library("libX11-xcb.so.1", "libx11-xcb1"),
    library("libxcb.so.1", "libxcb1"),
    library("libXcursor.so.1", "libxcursor1"),
    library("libXi.so.6", "libxi6"),
    library("libxkbcommon.so.0", "libxkbcommon0"),
    library("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
];

/// Libraries that wgpu loads; one of them is enough.
const DRIVERS: [Library; 2] = [
    library("libvulkan.so.1", "libvulkan1 mesa-vulkan-drivers"),
    library("libEGL.so.1", "libegl1 libgl1-mesa-dri"),
];

/// Fails with a remedy if a window cannot be opened. Checks X11 only.
pub(crate) fn check() -> Result<(), ViewerError> {
    if !cfg!(any(target_os = "linux", target_os = "freebsd")) {
        return Ok(());
    }
    let display = std::env::var_os("DISPLAY").is_some_and(|display| !display.is_empty());
    check_with(display, &can_load)
}

fn check_with(display: bool, loads: &dyn Fn(&str) -> bool) -> Result<(), ViewerError> {
    if !display {
        return Err(ViewerError::NoDisplay);
    }
    let missing: Vec<&Library> = NEEDED.iter().filter(|library| !loads(library.file)).collect();
    if !missing.is_empty() {
        let join = |pick: fn(&Library) -> &'static str, by| {
            missing.iter().map(|library| pick(library)).collect::<Vec<_>>().join(by)
        };
        return Err(ViewerError::Libraries {
            files: join(|library| library.file, ", "),
            packages: join(|library| library.package, " "),
        });
    }
    if DRIVERS.iter().any(|library| loads(library.file)) { Ok(()) } else { Err(no_driver()) }
}

/// The error if no graphics driver was found.
pub(crate) fn no_driver() -> ViewerError {
    let details = format!("neither {} nor {} can be loaded", DRIVERS[0].file, DRIVERS[1].file);
    sinew_render::RenderError::NoAdapter { details }.into()
}

/// Translates an error of eframe.
pub(crate) fn explain(error: &eframe::Error) -> ViewerError {
    match error {
        eframe::Error::Wgpu(error) => {
            sinew_render::RenderError::NoAdapter { details: error.to_string() }.into()
        }
        other => ViewerError::Window { details: without_place(&other.to_string()).to_owned() },
    }
}

/// Removes the source location of winit from a message.
fn without_place(text: &str) -> &str {
    let place = text.split_once("os error at ").and_then(|(_, rest)| rest.split_once(": "));
    place.map_or(text, |(_, why)| why)
}

fn can_load(file: &str) -> bool {
    // SAFETY: winit and wgpu load the same libraries next, so their initialisation code runs anyway.
    unsafe { libloading::Library::new(file) }.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        let text = |display, missing: &[&str]| {
            check_with(display, &|file| !missing.contains(&file)).err().map(|error| error.to_string())
        };
        assert_eq!(text(true, &[]), None);
        assert_eq!(text(true, &["libEGL.so.1"]), None, "Vulkan is enough");
        let error = text(true, &["libxkbcommon-x11.so.0", "libXi.so.6"]).unwrap();
        assert!(error.contains("libXi.so.6, libxkbcommon-x11.so.0"), "{error}");
        assert!(error.contains("apt install libxi6 libxkbcommon-x11-0"), "{error}");
        let error = text(true, &["libvulkan.so.1", "libEGL.so.1"]).unwrap();
        assert!(error.contains("mesa-vulkan-drivers"), "{error}");
        let error = text(false, &[]).unwrap();
        assert!(error.contains("DISPLAY") && error.contains("sinew render"), "{error}");
    }

    #[test]
    fn the_source_location_of_winit_is_removed() {
        let told = "winit EventLoopError: os error at src/platform/mod.rs:765: no display: none is set";
        assert_eq!(without_place(told), "no display: none is set");
        assert_eq!(without_place("the window is gone"), "the window is gone");
    }
}
