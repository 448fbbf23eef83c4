//! Reading one source, and noting every other file that was read for it.

use sha2::{Digest, Sha256};
use sinew_import::manifest::{self, Disk, Entry, Files, OpenOptions};
use sinew_import::{Cause, ImportError, Imported, Options};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A source as it was read.
pub(super) struct Read {
    /// Digest of the file itself.
    pub(super) sha256: [u8; 32],
    /// Other files that belong to it: clips of a manifest, buffers of a glTF. `None` for one that was not there.
    pub(super) companions: Companions,
    /// What it holds.
    pub(super) imported: Imported,
}

/// Files and their digests; `None` for one that was looked for in vain.
pub(super) type Companions = BTreeMap<PathBuf, Option<[u8; 32]>>;

/// Reads a source: a file, or a manifest with all that it names.
pub(super) fn read(path: &Path, options: &Options) -> Result<Read, ImportError> {
    let bytes = Disk.read(path, options.limits.bytes).map_err(|cause| ImportError::new(path, cause))?;
    let sha256 = Sha256::digest(&bytes).into();
    if manifest::is_manifest(path) {
        let files = Arc::new(Noting::default());
        let mut options = OpenOptions::new(options.clone());
        options.files = files.clone();
        let imported = manifest::open(path, &options)?.into_imported();
        return Ok(Read { sha256, companions: files.companions(path), imported });
    }
    // Digests come first: what changes while it is read will be seen to have changed.
    let companions = buffers(path, &bytes).into_iter().map(|path| (digest(&path), path));
    let companions = companions.map(|(digest, path)| (path, digest)).collect();
    Ok(Read { sha256, companions, imported: sinew_import::import_bytes(&bytes, path, options)? })
}

/// The disk, with a note of every file that was read or looked for.
#[derive(Default)]
struct Noting {
    seen: Mutex<Companions>,
}

impl Noting {
    fn note(&self, path: &Path, digest: Option<[u8; 32]>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.entry(path.to_owned()).or_default();
        *known = known.or(digest);
    }

    /// All of them but the manifest itself. What was found and not read does not count.
    fn companions(&self, manifest: &Path) -> Companions {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let counts =
            |path: &Path, digest: &Option<_>| path != manifest && (digest.is_some() || !path.is_file());
        seen.iter().filter(|(path, digest)| counts(path, digest)).map(|(p, d)| (p.clone(), *d)).collect()
    }
}

impl Files for Noting {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Cause> {
        let bytes = Disk.read(path, limit);
        self.note(path, bytes.as_ref().ok().map(|bytes| Sha256::digest(bytes).into()));
        bytes
    }

    fn is_file(&self, path: &Path) -> bool {
        self.note(path, None);
        Disk.is_file(path)
    }

    fn list(&self, folder: &Path) -> std::io::Result<Vec<Entry>> {
        Disk.list(folder)
    }
}

/// Files that a `.gltf` keeps its numbers in.
fn buffers(path: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gltf")) {
        return Vec::new();
    }
    let document: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let buffers = document.get("buffers").and_then(|buffers| buffers.as_array()).into_iter().flatten();
    let uris =
        buffers.filter_map(|buffer| buffer.get("uri")?.as_str()).filter(|uri| !uri.starts_with("data:"));
    let folder = path.parent().unwrap_or(Path::new(""));
    uris.map(|uri| folder.join(sinew_import::textures::clean(uri))).collect()
}

/// SHA-256 of a file's content; `None` if it cannot be read.
pub(super) fn digest(path: &Path) -> Option<[u8; 32]> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        match std::io::Read::read(&mut file, &mut buffer) {
            Ok(0) => return Some(hasher.finalize().into()),
            Ok(read) => hasher.update(buffer.get(..read)?),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_a_gltf_belong_to_it() {
        let text = br#"{"buffers":[{"uri":"a%20b.bin"},{"uri":"data:,x"},{"byteLength":3}]}"#;
        assert_eq!(buffers(Path::new("art/fox.GLTF"), text), [PathBuf::from("art/a b.bin")]);
        assert!(buffers(Path::new("art/fox.glb"), text).is_empty());
        assert!(buffers(Path::new("art/fox.gltf"), b"no json").is_empty());
    }
}
