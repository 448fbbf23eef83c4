//! Which format a file is in.

use std::path::Path;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Autodesk FBX, ASCII or binary.
    Fbx,
    /// glTF 2.0, binary or text.
    Gltf,
    /// COLLADA, as XML or in a `.zae` archive.
    Collada,
    /// A compiled character, `.sinew`.
    Bundle,
}

impl Format {
    /// Tells a format by content, and where that says nothing, by extension.
    pub fn detect(bytes: &[u8], path: &Path) -> Option<Self> {
        Self::of_content(bytes).or_else(|| Self::of_extension(path))
    }

    fn of_content(bytes: &[u8]) -> Option<Self> {
        let head = bytes.get(..4096).unwrap_or(bytes);
        if head.starts_with(b"Kaydara FBX Binary") || has(head, b"FBXHeaderExtension") || has(head, b"; FBX ")
        {
            return Some(Self::Fbx);
        }
        if head.starts_with(&sinew::bundle::file::MAGIC) {
            return Some(Self::Bundle);
        }
        // A text of glTF is JSON, as others are; only its extension tells more.
        if head.starts_with(b"glTF") {
            return Some(Self::Gltf);
        }
        // UTF-16 has a zero between any two of the letters.
        if has(head, b"<COLLADA") || has(head, b"<\0C\0O\0L\0L\0A\0D\0A") {
            return Some(Self::Collada);
        }
        None
    }

    fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "fbx" => Some(Self::Fbx),
            "glb" | "gltf" => Some(Self::Gltf),
            "dae" | "zae" => Some(Self::Collada),
            "sinew" => Some(Self::Bundle),
            _ => None,
        }
    }
}

fn has(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_comes_before_extension() {
        let detect = |bytes: &[u8], path: &str| Format::detect(bytes, Path::new(path));
        assert_eq!(detect(b"Kaydara FBX Binary  \0", "a.dae"), Some(Format::Fbx));
        assert_eq!(detect(b"; FBX 7.3.0 project file", "a"), Some(Format::Fbx));
        assert_eq!(detect(b"?", "a.FBX"), Some(Format::Fbx));
        assert_eq!(detect(b"glTF\x02\0\0\0", "a.fbx"), Some(Format::Gltf));
        assert_eq!(detect(b"{}", "a.gltf"), Some(Format::Gltf));
        assert_eq!(detect(b"<?xml?><COLLADA>", "a.fbx"), Some(Format::Collada));
        assert_eq!(detect(b"PK\x03\x04", "a.zae"), Some(Format::Collada));
        assert_eq!(detect(b"?", "a.txt"), None);
    }
}
