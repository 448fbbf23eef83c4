//! `.zae`: a zip of a document and its pictures.

use crate::{Cause, Limits, limits};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Cursor, Read};

/// A document, and what lies beside it if it came in an archive.
pub(crate) struct Opened<'a> {
    document: Cow<'a, [u8]>,
    /// Files of the archive by lower-case path, without the document.
    files: HashMap<String, Vec<u8>>,
    /// Folder of the document inside the archive, with its slash.
    folder: String,
}

impl Opened<'_> {
    /// Bytes of the document.
    pub(crate) fn document(&self) -> &[u8] {
        &self.document
    }

    /// A file that the document refers to: beside it, from the root of the archive, or anywhere by its name.
    pub(crate) fn file(&self, reference: &str) -> Option<&[u8]> {
        let clean = sinew_files::clean(reference).to_string_lossy().to_lowercase();
        let clean = clean.trim_start_matches('/');
        let name = clean.rsplit('/').next().filter(|n| !n.is_empty())?;
        let beside = self.files.get(&format!("{}{clean}", self.folder));
        let found = beside.or_else(|| self.files.get(clean)).or_else(|| {
            let mut same = self.files.iter().filter(|(path, _)| path.rsplit('/').next() == Some(name));
            // Of several the first by path, so that the answer does not depend on the order of a hash.
            same.by_ref().min_by_key(|(path, _)| path.as_str()).map(|(_, bytes)| bytes)
        });
        found.map(Vec::as_slice)
    }
}

/// Whether bytes are a zip.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// Opens a document, which may be in an archive.
pub(crate) fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Opened<'a>, Cause> {
    if !is_zip(bytes) {
        return Ok(Opened { document: Cow::Borrowed(bytes), files: HashMap::new(), folder: String::new() });
    }
    let mut files = unzip(bytes, limits)?;
    let root = manifest_root(&files).or_else(|| {
        let mut documents: Vec<_> = files.keys().filter(|path| path.ends_with(".dae")).cloned().collect();
        documents.sort_unstable();
        documents.into_iter().next()
    });
    let Some((path, document)) = root.and_then(|path| files.remove_entry(&path)) else {
        return Err(Cause::malformed("the archive holds no `.dae`", "the archive"));
    };
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    Ok(Opened { document: Cow::Owned(document), files, folder })
}

fn unzip(bytes: &[u8], limits: &Limits) -> Result<HashMap<String, Vec<u8>>, Cause> {
    let broken = |e: zip::result::ZipError| Cause::malformed(e.to_string(), "the archive");
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    limits::check("nodes", archive.len() as u64, limits.nodes)?;
    let mut files = HashMap::new();
    let mut left = limits.bytes;
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).map_err(broken)?;
        if !file.is_file() {
            continue;
        }
        let name = file.name().map_err(broken)?.replace('\\', "/").to_lowercase();
        let mut content = Vec::new();
        // The declared size may lie: what counts is what comes out.
        let read = (&mut file).take(left.saturating_add(1)).read_to_end(&mut content);
        read.map_err(|e| Cause::malformed(e.to_string(), format!("`{name}` in the archive")))?;
        let size = content.len() as u64;
        if size > left {
            return Err(Cause::Limit { name: "bytes", found: None, limit: limits.bytes });
        }
        left -= size;
        files.insert(name, content);
    }
    Ok(files)
}

/// What `manifest.xml` names as the document.
fn manifest_root(files: &HashMap<String, Vec<u8>>) -> Option<String> {
    let text = String::from_utf8_lossy(files.get("manifest.xml")?);
    let (_, rest) = text.split_once("<dae_root")?;
    let (_, rest) = rest.split_once('>')?;
    let (path, _) = rest.split_once('<')?;
    let path = sinew_files::clean(path.split('#').next()?).to_string_lossy().to_lowercase();
    files.contains_key(&path).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn the_manifest_names_the_document() {
        let manifest = b"<?xml version='1.0'?><dae_root>./sub/B%20c.dae</dae_root>";
        let bytes = zipped(&[
            ("a.dae", b"first"),
            ("sub/b c.dae", b"second"),
            ("sub/tex/T.png", b"picture"),
            ("manifest.xml", manifest),
        ]);
        let opened = open(&bytes, &Limits::default()).unwrap();
        assert_eq!(opened.document(), b"second");
        for reference in ["tex/t.png", "./tex/T.png", "sub/tex/t.png", "C:\\art\\T.png"] {
            assert_eq!(opened.file(reference), Some(&b"picture"[..]), "{reference}");
        }
        assert_eq!(opened.file("u.png"), None);
        assert_eq!(opened.file(""), None);
    }

    #[test]
    fn without_a_manifest_the_first_document_is_taken() {
        let bytes = zipped(&[("b.dae", b"2"), ("a.DAE", b"1")]);
        assert_eq!(open(&bytes, &Limits::default()).unwrap().document(), b"1");
        assert!(open(&zipped(&[("a.txt", b"1")]), &Limits::default()).is_err());
        assert!(open(b"PK\x03\x04 nonsense", &Limits::default()).is_err());
    }

    #[test]
    fn what_comes_out_is_bounded() {
        let bytes = zipped(&[("a.dae", &[b' '; 100_000])]);
        let limits = Limits { bytes: 50_000, ..Limits::default() };
        assert!(matches!(open(&bytes, &limits), Err(Cause::Limit { name: "bytes", .. })));
    }
}
