//! Programs of others that tests run with Node.js, installed by npm.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a program can be run; if not, says so, and what it is for.
pub fn runs(program: &str, what_for: &str) -> Result<(), String> {
    let there = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if there { Ok(()) } else { Err(format!("{program} is not installed, which runs {what_for}")) }
}

/// The folder below `folder` in which versions of packages are installed; it is called after the first. Test binaries run in parallel: each installs under its own name, and the
/// first to rename its folder wins.
///
/// # Errors
/// Why they cannot be run or installed.
pub fn install(folder: &Path, packages: &[(&str, &str)]) -> Result<PathBuf, String> {
    let Some((first, version)) = packages.first() else { return Err("no package is named".to_owned()) };
    ["node", "npm"].into_iter().try_for_each(|program| runs(program, first))?;
    let name = format!("{}-{version}", first.replace('/', "-"));
    let folder = folder.join(&name);
    if folder.is_dir() {
        return Ok(folder);
    }
    let own = folder.with_file_name(format!("{name}.{}", std::process::id()));
    std::fs::create_dir_all(&own).map_err(|e| e.to_string())?;
    std::fs::write(own.join("package.json"), "{}").map_err(|e| e.to_string())?;
    let packages: Vec<String> = packages.iter().map(|(name, version)| format!("{name}@{version}")).collect();
    let install = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund"])
        .args(&packages)
        .current_dir(&own)
        .output()
        .map_err(|e| e.to_string())?;
    if !install.status.success() {
        let said = String::from_utf8_lossy(&install.stderr);
        return Err(format!("npm cannot install {}: {said}", packages.join(", ")));
    }
    if std::fs::rename(&own, &folder).is_err() {
        let _ = std::fs::remove_dir_all(&own);
    }
    Ok(folder)
}

/// Shows `page.html` of the folder `page` in headless Chromium until it says that it is done. It reads `jobs` and `models`, and writes results into `jobs`.
///
/// # Errors
/// What the page, or the browser, says went wrong.
pub fn browse(packages: &Path, page: &Path, jobs: &Path, models: &Path) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/serve.mjs");
    let run = Command::new("node").arg(script).args([page, jobs, models]).current_dir(packages).output();
    let run = run.map_err(|error| error.to_string())?;
    if run.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&run.stderr).into_owned()) }
}
