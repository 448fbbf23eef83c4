//! Writing a file whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes a file under a temporary name beside its place and renames it, so that at every moment the old file or the new one
/// is there, whole, whoever else reads or writes it.
pub fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_file_by(path, |file| file.write_all(bytes))
}

/// The same, filled by a function: if that fails, the old file stays.
fn write_file_by(
    path: &Path,
    fill: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let temporary = temporary(path)?;
    let written = filled(&temporary, fill).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // What went wrong first is what matters; that a leftover could not be removed is not.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn filled(path: &Path, fill: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut file = std::fs::File::options().write(true).create_new(true).open(path)?;
    fill(&mut file)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_writer_that_fails_leaves_the_old_file_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hero.sinew");
        write_file(&path, b"old").unwrap();
        let full = |file: &mut std::fs::File| {
            file.write_all(b"ne")?;
            Err(std::io::ErrorKind::StorageFull.into())
        };
        assert!(write_file_by(&path, full).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["hero.sinew"], "nothing is left over");
    }

    #[test]
    fn a_crash_amid_writing_leaves_the_old_file_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hero.sinew");
        write_file(&path, b"old").unwrap();
        let crash = std::panic::catch_unwind(|| {
            write_file_by(&path, |file| {
                file.write_all(b"ne")?;
                panic!("as if the process were killed here")
            })
        });
        assert!(crash.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        write_file(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new", "what the crash left behind is in nobody's way");
    }
}
