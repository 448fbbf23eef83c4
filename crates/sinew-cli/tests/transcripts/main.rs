//! Runs every command transcript of README.md and docs/, so that what the pages show is what the command does.
//!
//! A transcript is a fenced block marked `console`, with the exit status of its commands where that is not 0 (readers do not see the
//! text after the fence):
//!
//! ```console exit-2
//! $ sinew inspect missing.fbx
//! error: missing.fbx: cannot be read: No such file or directory
//! ```
//!
//! `$ ` starts a command for `sh`, `> ` continues it, and the rest is the output of both streams. File sizes are not compared: those of
//! pictures depend on the graphics driver. Each page runs in a folder of its own, made by [`sandbox`]; the blocks of a page share it, in
//! their order.
//!
//! `SINEW_BLESS=1 cargo test -p sinew-cli --test transcripts` writes the real output into the pages.

mod expect;
mod page;
mod shell;

use page::{Actual, Page};
use std::fs;
use std::path::{Path, PathBuf};

/// Fills an empty folder with the files that the pages use.
///
/// All of them are synthetic, and made here: a page may use any of them by its bare name.
fn sandbox(folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    sinew_testkit::humanoid::write_to(folder)?;
    sinew_testkit::creature::write_to(&folder.join("creature"), &sinew_testkit::creature::Style::default())?;
    sinew_testkit::tree::write_tree(&folder.join("models"), 6, Some(4))?;
    sinew_testkit::fixtures::quirks::prefix().write_to(&folder.join("prefix"))?;
    sinew_testkit::fixtures::doctor::channels_matched(0).write_to(&folder.join("stranger"))?;
    sinew_testkit::fixtures::doctor::translation_ratio(100.0).write_to(&folder.join("giant"))?;
    for (name, language) in [("hero.machine.toml", "toml"), ("trace.json", "json")] {
        fs::write(folder.join(name), shown_machine(language))?;
    }
    Ok(())
}

/// The first block of a language on the page about state machines.
fn shown_machine(language: &str) -> &'static str {
    let page = include_str!("../../../../docs/machines.md");
    let block = page.split_once(&format!("```{language}\n")).and_then(|(_, rest)| rest.split_once("```"));
    block.map_or("", |(block, _)| block)
}

#[test]
fn the_transcripts_of_the_pages_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bless = std::env::var_os("SINEW_BLESS").is_some_and(|value| value == "1");
    let problems: Vec<String> = pages(&root).iter().flat_map(|path| check(&root, path, bless)).collect();
    assert!(
        problems.is_empty(),
        "{}\n\nTo take over the real output: SINEW_BLESS=1 cargo test -p sinew-cli --test transcripts\n",
        problems.join("\n\n")
    );
}

/// README.md and the pages under docs/, at any depth, in a fixed order.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.retain(|path| path.is_file());
    pages.sort();
    pages
}

/// Runs the transcripts of one page and returns the differences. With `bless`, the page gets the real output; a wrong exit status is still
/// returned.
fn check(root: &Path, path: &Path, bless: bool) -> Vec<String> {
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let page = match Page::parse(&text) {
        Ok(page) => page,
        Err(problem) => return vec![format!("{name}:{problem}")],
    };
    if page.steps.is_empty() || (draws(&page) && !can_draw(&name)) {
        return Vec::new();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace(['/', '\\'], "-"));
    sandbox(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let actual: Vec<Actual> = page.steps.iter().map(|step| shell::run(&step.command, &folder)).collect();
    if bless {
        let blessed = page.bless(&actual);
        if blessed != text {
            fs::write(path, blessed).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    let steps = page.steps.iter().zip(&actual).filter(|(step, actual)| !bless || !step.has_status(actual));
    steps.filter_map(|(step, actual)| step.complaint(actual, &name)).collect()
}

fn draws(page: &Page<'_>) -> bool {
    page.steps.iter().any(|step| step.command.starts_with("sinew render"))
}

/// Whether there is a device to draw with; if not, says that the page is skipped.
#[allow(clippy::print_stderr, reason = "the line that the test runner counts skipped tests by")]
fn can_draw(name: &str) -> bool {
    #[cfg(feature = "render")]
    if sinew_render::Gpu::open().is_ok() {
        return true;
    }
    eprintln!(
        "SINEW-SKIP: the transcripts of {name}: no graphics adapter (install mesa-vulkan-drivers libvulkan1)"
    );
    false
}

#[cfg(test)]
mod tests;
