//! The files of a folder that can be read.

use crate::{Format, manifest};
use sinew::Finding;
use sinew_files::Disk;
use sinew_findings::catalogue::import::MANIFEST_FOLDER;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Folders below this depth are not searched.
const DEPTH: usize = 8;

/// Bytes from the start of a file that are enough to detect its format.
const HEAD: u64 = 4096;

/// Files of known formats in a folder and below, sorted. A folder with a manifest is one character, for which the manifest stands. Hidden folders below, and
/// those with compiled files, are left out; those that cannot be searched are reported.
///
/// Fails if the folder itself cannot be searched.
pub fn find_sources(folder: &Path) -> std::io::Result<(Vec<PathBuf>, Vec<Finding>)> {
    let (mut files, mut findings) = (Vec::new(), Vec::new());
    let mut folders = search(folder, 0, &mut files)?;
    while let Some((folder, depth)) = folders.pop() {
        match search(&folder, depth, &mut files) {
            Ok(below) => folders.extend(below),
            Err(error) => {
                let place = folder.display().to_string();
                findings.push(Finding::new(&MANIFEST_FOLDER, place, error.to_string()));
            }
        }
    }
    files.sort();
    Ok((files, findings))
}

/// Adds the files of one folder, and returns the folders in it with their depth.
fn search(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<Vec<(PathBuf, usize)>> {
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let manifests = entries.iter().map(std::fs::DirEntry::path);
    let manifests = manifests.filter(|path| manifest::is_found_manifest(path, &Disk));
    if let Some(manifest) = manifests.min() {
        files.push(manifest);
        return Ok(Vec::new());
    }
    let mut folders = Vec::new();
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // Symbolic links to folders are not followed, since they may form cycles.
        if kind.is_dir() && !hidden && depth < DEPTH && !path.join(".sinew").is_dir() {
            folders.push((path, depth + 1));
        } else if !hidden && path.is_file() && format_of(&path).is_some() {
            files.push(path);
        }
    }
    Ok(folders)
}

/// The format of a file, by its first bytes, else by its name; `None` if it is of none or cannot be read.
pub fn format_of(file: &Path) -> Option<Format> {
    let mut head = Vec::new();
    std::fs::File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut head)).ok()?;
    Format::detect(&head, file)
}
