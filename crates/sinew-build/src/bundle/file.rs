//! Writing a file whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes a file under a temporary name beside its place and renames it, so that at every moment the old file or the new one
/// is there, whole, whoever else reads or writes it.
pub fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = temporary(path)?;
    let written = fill(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // What went wrong first is what matters; that a leftover could not be removed is not.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn fill(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = std::fs::File::options().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    // Before the rename: else a power failure could leave the new name with nothing behind it.
    file.sync_all()
}

/// A name in the same folder that no other process or thread uses.
fn temporary(path: &Path) -> std::io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let Some(name) = path.file_name() else {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "the path names no file"));
    };
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut unique = std::ffi::OsString::from(".");
    unique.push(name);
    unique.push(format!(".{}-{number}.tmp", std::process::id()));
    Ok(path.with_file_name(unique))
}
