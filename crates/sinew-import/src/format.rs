//! Which format a file is in.

use crate::Cause;
use std::path::Path;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Autodesk FBX, ASCII or binary.
    Fbx,
    /// glTF 2.0, binary or text, and VRM, which is glTF.
    Gltf,
    /// COLLADA, as XML or in a `.zae` archive.
    Collada,
    /// Biovision's motion capture.
    Bvh,
    /// A compiled character, `.sinew`.
    Bundle,
    /// Compiled content of MonoGame, FNA and XNA.
    Xnb,
}

impl Format {
    /// Detects a format by the first bytes, else by extension.
    pub fn detect(bytes: &[u8], path: &Path) -> Option<Self> {
        Self::of_content(bytes).or_else(|| Self::of_extension(path))
    }

    /// By magic bytes, or the first word of a text. Later text does not count: it may be a copyright, a comment, a name.
    fn of_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"Kaydara FBX Binary") {
            return Some(Self::Fbx);
        }
        if bytes.starts_with(&sinew::bundle_file::MAGIC) {
            return Some(Self::Bundle);
        }
        if bytes.starts_with(b"glTF") {
            return Some(Self::Gltf);
        }
        if bytes.starts_with(b"XNB") {
            return Some(Self::Xnb);
        }
        // JSON and zip files may hold anything, so the extension decides.
        let head = first_characters(bytes);
        let mut code = head.lines().filter(|line| !line.starts_with(';') && !line.trim_ascii().is_empty());
        if head.starts_with("; FBX") || code.next().is_some_and(|line| line.starts_with("FBXHeaderExtension"))
        {
            return Some(Self::Fbx);
        }
        let first = head.split_ascii_whitespace().next();
        if first.is_some_and(|word| word.eq_ignore_ascii_case("HIERARCHY")) {
            return Some(Self::Bvh);
        }
        is_collada(&head).then_some(Self::Collada)
    }

    fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "fbx" => Some(Self::Fbx),
            "glb" | "gltf" | "vrm" | "vrma" => Some(Self::Gltf),
            "dae" | "zae" => Some(Self::Collada),
            "bvh" => Some(Self::Bvh),
            "sinew" => Some(Self::Bundle),
            "xnb" => Some(Self::Xnb),
            _ => None,
        }
    }
}

/// What often lies where a model should, under its name.
pub(crate) fn other_kind(bytes: &[u8]) -> Option<Cause> {
    const AGAIN: &str = "download or export the file again";
    let is_page = |head: &str| ["<!doctype html", "<html"].iter().any(|tag| head.starts_with(tag));
    let (what, remedy) = if bytes.starts_with(b"version https://git-lfs") {
        ("a pointer of Git LFS, not the file itself", "`git lfs pull` fetches the file")
    } else if bytes.starts_with(b"\x89PNG") {
        ("a picture in the format PNG", AGAIN)
    } else if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        ("a picture in the format JPEG", AGAIN)
    } else if is_page(&first_characters(bytes.get(..64).unwrap_or(bytes)).to_ascii_lowercase()) {
        ("a web page", AGAIN)
    } else {
        return None;
    };
    Some(Cause::OtherKind { what, remedy })
}

/// The beginning of a text in UTF-8 or UTF-16, without its byte-order mark and white space, with the characters of ASCII only.
fn first_characters(bytes: &[u8]) -> String {
    const LOOKED_AT: usize = 4096;
    let head = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    // UTF-16 has a zero between any two letters of ASCII.
    let ascii = |byte: &&u8| **byte != 0 && byte.is_ascii();
    let text = head.iter().filter(ascii).skip_while(|byte| byte.is_ascii_whitespace());
    String::from_utf8(text.copied().collect()).unwrap_or_default()
}

/// Whether a text begins with an element of COLLADA, behind an XML declaration, comments and a document type.
fn is_collada(head: &str) -> bool {
    let mut rest = head;
    loop {
        let end = match rest {
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<!") => ">",
            _ => break,
        };
        match rest.split_once(end) {
            Some((_, behind)) => rest = behind.trim_ascii_start(),
            None => return false,
        }
    }
    let Some(name) = rest.strip_prefix('<') else { return false };
    let name = name.split([' ', '\t', '\r', '\n', '>', '/']).next().unwrap_or_default();
    name.rsplit(':').next() == Some("COLLADA")
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
        assert_eq!(detect(b"XNBw\x05", "a.fbx"), Some(Format::Xnb));
        assert_eq!(detect(b"\r\n hierarchy\r\nROOT", "a.txt"), Some(Format::Bvh));
        assert_eq!(detect(b"HIERARCHYOF", "a.txt"), None);
        assert_eq!(detect(b"?", "a.bvh"), Some(Format::Bvh));
        assert_eq!(detect(b"?", "a.txt"), None);
        assert_eq!(detect(b"{}", "a.txt"), None);
    }

    #[test]
    fn only_the_beginning_tells() {
        let detect = |bytes: &[u8], path: &str| Format::detect(bytes, Path::new(path));
        let words = b" ; FBX 7.4 project FBXHeaderExtension <COLLADA> Kaydara FBX Binary ";
        let with = |head: &[u8]| [head, words].concat();
        assert_eq!(detect(&with(b"glTF\x02\0\0\0"), "a"), Some(Format::Gltf));
        assert_eq!(detect(&with(&sinew::bundle_file::MAGIC), "a"), Some(Format::Bundle));
        assert_eq!(detect(&with(b"{\"asset\":{\"copyright\":\""), "a.gltf"), Some(Format::Gltf));
        assert_eq!(detect(&with(b"PK\x03\x04"), "a.zae"), Some(Format::Collada));
        let collada = with(b"\xEF\xBB\xBF\n<?xml version='1.0'?>\n<!-- ; FBX -->\n<COLLADA xmlns='x'><!-- ");
        assert_eq!(detect(&collada, "a.fbx"), Some(Format::Collada));
        assert_eq!(detect(&with(b"<?xml?><c:COLLADA>"), "a"), Some(Format::Collada));
        assert_eq!(detect(&with(b"<?xml?><html>"), "a"), None);
        assert_eq!(detect(&with(b"\r\n"), "a.dae"), Some(Format::Fbx));
        assert_eq!(detect(&with(b"words"), "a.dae"), Some(Format::Collada));
        for mark in [&b""[..], b"\xFF\xFE"] {
            let wide: Vec<u8> = "<?xml?>\r\n<COLLADA>".encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(detect(&[mark, &wide].concat(), "a"), Some(Format::Collada));
        }
    }
}
