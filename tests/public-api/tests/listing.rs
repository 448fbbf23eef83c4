//! The public API of each library crate is the listing in `docs/api`, so that a change of it is seen in review.
//!
//! After an intended change: `SINEW_BLESS=1 cargo test -p public-api-listing` writes the listings.

// Skips and differences are printed.
#![allow(clippy::print_stdout)]

use public_api::{Builder, PublicApi};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Libraries that are no part of the API: synthetic files for tests, and the viewer's program.
const INTERNAL: [&str; 2] = ["sinew-testkit", "sinew-viewer"];

/// The options that make rustdoc write JSON instead of pages.
const FLAGS: &str = "-Z unstable-options --output-format json";

#[test]
fn docs_api_lists_the_public_api() {
    let root = root();
    let folder = target(&root).join("doc");
    document(&root);
    let version = format_version(&folder.join("sinew.json"));
    if version != rustdoc_types::FORMAT_VERSION.to_string() {
        println!(
            "SINEW-SKIP: docs_api_lists_the_public_api: this rustdoc writes format {version}, and public-api reads {}",
            rustdoc_types::FORMAT_VERSION
        );
        return;
    }
    let changed: Vec<String> = libraries(&root)
        .iter()
        .filter(|name| {
            let json = folder.join(name.replace('-', "_")).with_extension("json");
            !is_recorded(&root.join("docs/api").join(name).with_extension("txt"), &listing(&json))
        })
        .cloned()
        .collect();
    assert!(
        changed.is_empty(),
        "the public API of {} is not what docs/api says; if that is intended: \
         SINEW_BLESS=1 cargo test -p public-api-listing",
        changed.join(", ")
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Writes the JSON of every library in the workspace: with the same features as `cargo xtask test`, dependencies are not built again.
fn document(root: &Path) {
    let output = Command::new(env!("CARGO"))
        .args(["doc", "--workspace", "--all-features", "--no-deps", "--lib"])
        .current_dir(root)
        .env("RUSTDOC", env!("CARGO_BIN_EXE_rustdoc-json"))
        .env("RUSTDOCFLAGS", FLAGS)
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The format of rustdoc's JSON changes with the toolchain.
fn format_version(json: &Path) -> String {
    let text = read(json);
    let after = text.rsplit_once("\"format_version\":").map_or("unknown", |(_, after)| after);
    after.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// The names of the crates whose API is listed.
fn libraries(root: &Path) -> Vec<String> {
    let crates = fs::read_dir(root.join("crates")).expect("a folder of crates").flatten();
    let libraries = crates.filter(|folder| folder.path().join("src/lib.rs").exists());
    let mut names: Vec<_> =
        libraries.map(|folder| folder.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !INTERNAL.contains(&name.as_str()));
    names.sort();
    names
}

/// One line for each public item, without implementations that the compiler or a derive writes.
fn listing(json: &Path) -> String {
    let api: PublicApi = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .unwrap_or_else(|error| panic!("{}: {error}", json.display()));
    api.items().map(|item| format!("{item}\n")).collect()
}

/// Whether a file holds this text; with `SINEW_BLESS` it is written.
fn is_recorded(path: &Path, text: &str) -> bool {
    if env::var_os("SINEW_BLESS").is_some() {
        fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let recorded = fs::read_to_string(path).unwrap_or_default();
    let (old, new): (Vec<&str>, Vec<&str>) = (recorded.lines().collect(), text.lines().collect());
    old.iter().filter(|line| !new.contains(line)).for_each(|line| println!("- {line}"));
    new.iter().filter(|line| !old.contains(line)).for_each(|line| println!("+ {line}"));
    old == new
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
