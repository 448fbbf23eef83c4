//! The characters in a folder.

use std::path::{Path, PathBuf};

const EXTENSIONS: [&str; 5] = ["fbx", "dae", "zae", "gltf", "glb"];

/// Files that importers read. A folder with a manifest is one character.
pub fn find(path: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let manifest = path.join("manifest.json");
    if manifest.is_file() {
        found.push(manifest);
    } else if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            find(&entry?.path(), found)?;
        }
    } else {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        if EXTENSIONS.iter().any(|known| extension.as_deref() == Some(known.as_ref())) {
            found.push(path.to_owned());
        }
    }
    Ok(())
}
