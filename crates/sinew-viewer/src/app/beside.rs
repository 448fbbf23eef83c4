//! Files that are read along with one that is named.

use serde_json::Value;
use sinew_import::manifest::is_manifest;
use std::path::{Path, PathBuf};

/// What a file leads to: a manifest to all of its folder, a glTF text to its buffers. Pictures are known once it was read.
pub(super) fn beside(file: &Path) -> Vec<PathBuf> {
    if is_manifest(file) {
        return vec![folder(file)];
    }
    match file.extension() {
        Some(end) if end.eq_ignore_ascii_case("gltf") => buffers(file).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The folder of a file; of a mere name, the one that one is in.
fn folder(file: &Path) -> PathBuf {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

/// Files of the buffers. What is not JSON names none; whoever reads it will say so.
fn buffers(file: &Path) -> Option<Vec<PathBuf>> {
    let document: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let uris = document["buffers"].as_array()?.iter().filter_map(|buffer| buffer["uri"].as_str());
    let files = uris.filter(|uri| !uri.starts_with("data:") && !uri.contains("://"));
    Some(files.map(|uri| folder(file).join(decoded(uri))).collect())
}

/// A URI without its `%20`s.
fn decoded(uri: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(uri.len()), uri);
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.bytes());
        match after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_leads_to_its_folder() {
        assert_eq!(beside(Path::new("creature/manifest.json")), [Path::new("creature")]);
        assert_eq!(beside(Path::new("manifest.json")), [Path::new(".")]);
        assert!(beside(Path::new("creature/hero.fbx")).is_empty());
    }

    #[test]
    fn a_gltf_leads_to_its_buffers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hero.gltf");
        let text = r#"{"buffers":[{"uri":"my%20hero.bin"},{"uri":"data:;base64,AA=="},{"byteLength":4},{"uri":"100%.bin"}]}"#;
        std::fs::write(&file, text).unwrap();
        assert_eq!(beside(&file), ["my hero.bin", "100%.bin"].map(|name| folder.path().join(name)));
        std::fs::write(&file, "half a fi").unwrap();
        assert!(beside(&file).is_empty());
    }
}
