//! Programs of others that tests run with Node.js, installed by npm.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a program can be run; if not, says so, and what it is for.
pub fn runs(program: &str, what_for: &str) -> Result<(), String> {
    let there = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if there { Ok(()) } else { Err(format!("{program} is not installed, which runs {what_for}")) }
}

/// The folder below `folder` in which a version of a package is installed. Test binaries run in parallel: each installs under its own name, and the
/// first to rename its folder wins.
///
/// # Errors
/// Why it cannot be run or installed.
pub fn install(folder: &Path, package: &str, version: &str) -> Result<PathBuf, String> {
    ["node", "npm"].into_iter().try_for_each(|program| runs(program, package))?;
    let folder = folder.join(format!("{package}-{version}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    let own = folder.with_file_name(format!("{package}-{version}.{}", std::process::id()));
    std::fs::create_dir_all(&own).map_err(|e| e.to_string())?;
    std::fs::write(own.join("package.json"), "{}").map_err(|e| e.to_string())?;
    let package = format!("{package}@{version}");
    let install = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund", &package])
        .current_dir(&own)
        .output()
        .map_err(|e| e.to_string())?;
    if !install.status.success() {
        return Err(format!("npm cannot install {package}: {}", String::from_utf8_lossy(&install.stderr)));
    }
    if std::fs::rename(&own, &folder).is_err() {
        let _ = std::fs::remove_dir_all(&own);
    }
    Ok(folder)
}
