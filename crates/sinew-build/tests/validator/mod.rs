//! The Khronos glTF validator, run with Node.js.

#![allow(unreachable_pub, reason = "a module of tests has nobody to hide from")]
#![allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]

use sinew_testkit::npm;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const VERSION: &str = "2.0.0-dev.3.10";

/// The errors that the validator reports for files. `None`, with a note, if it cannot run.
pub fn complaints(test: &str, files: &[PathBuf]) -> Option<Vec<String>> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let install = || npm::install(Path::new(env!("CARGO_TARGET_TMPDIR")), &[("gltf-validator", VERSION)]);
    let folder = match FOLDER.get_or_init(install) {
        Ok(folder) => folder,
        Err(why) => {
            println!("SINEW-SKIP: {test}: {why}");
            return None;
        }
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validator/validate.mjs");
    let mut complaints = Vec::new();
    for some in files.chunks(50) {
        let output =
            Command::new("node").arg(&script).args(some).current_dir(folder).output().expect("node runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(text.lines().count(), some.len(), "one line per file");
        for line in text.lines() {
            let report: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
            if report["errors"] != 0 || report["warnings"] != 0 {
                complaints.push(line.to_owned());
            }
        }
    }
    Some(complaints)
}
