//! The Khronos glTF validator, run with Node.js.

#![allow(unreachable_pub, reason = "a module of tests has nobody to hide from")]
#![allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PACKAGE: &str = "gltf-validator@2.0.0-dev.3.10";

/// The errors that the validator reports for files. `None`, with a note, if it cannot run.
pub fn complaints(test: &str, files: &[PathBuf]) -> Option<Vec<String>> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
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

/// The folder with the package. Test binaries run in parallel: each installs under its own name, and the first to rename
/// its folder wins.
fn install() -> Result<PathBuf, String> {
    for program in ["node", "npm"] {
        let there = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
        if !there {
            return Err(format!("{program} is not installed, which runs the Khronos validator"));
        }
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gltf-validator-2.0.0-dev.3.10");
    if folder.is_dir() {
        return Ok(folder);
    }
    let own = folder.with_extension(std::process::id().to_string());
    std::fs::create_dir_all(&own).map_err(|e| e.to_string())?;
    std::fs::write(own.join("package.json"), "{}").map_err(|e| e.to_string())?;
    let install = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund", PACKAGE])
        .current_dir(&own)
        .output()
        .map_err(|e| e.to_string())?;
    if !install.status.success() {
        return Err(format!("npm cannot install {PACKAGE}: {}", String::from_utf8_lossy(&install.stderr)));
    }
    if std::fs::rename(&own, &folder).is_err() {
        let _ = std::fs::remove_dir_all(&own);
    }
    Ok(folder)
}
