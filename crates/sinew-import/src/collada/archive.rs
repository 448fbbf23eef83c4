//! `.zae`: a zip of a document and its pictures.

use crate::{Budget, Cause, limits};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Cursor, Read};

/// A document, and what lies beside it if it came in an archive.
pub(crate) struct Opened<'a> {
    document: Cow<'a, [u8]>,
    /// Files of the archive by lower-case path, without the document.
    files: HashMap<String, Vec<u8>>,
    /// Path of the first file of each name, by the order of paths.
    by_name: HashMap<String, String>,
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
        let anywhere = || self.by_name.get(name).and_then(|path| self.files.get(path));
        let found = beside.or_else(|| self.files.get(clean)).or_else(anywhere);
        found.map(Vec::as_slice)
    }
}

/// Whether bytes are a zip.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// Opens a document, which may be in an archive.
pub(crate) fn open<'a>(bytes: &'a [u8], budget: &Budget<'_>) -> Result<Opened<'a>, Cause> {
    if !is_zip(bytes) {
        let (files, by_name, folder) = Default::default();
        return Ok(Opened { document: Cow::Borrowed(bytes), files, by_name, folder });
    }
    let mut files = unzip(bytes, budget)?;
    let root = manifest_root(&files).or_else(|| {
        let mut documents: Vec<_> = files.keys().filter(|path| path.ends_with(".dae")).cloned().collect();
        documents.sort_unstable();
        documents.into_iter().next()
    });
    let Some((path, document)) = root.and_then(|path| files.remove_entry(&path)) else {
        return Err(Cause::malformed("the archive holds no `.dae`", "the archive"));
    };
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    Ok(Opened { document: Cow::Owned(document), by_name: by_name(&files), files, folder })
}

/// Of several files of one name the first by path, so that the answer does not depend on the order of a hash.
fn by_name(files: &HashMap<String, Vec<u8>>) -> HashMap<String, String> {
    let mut paths: Vec<&String> = files.keys().collect();
    paths.sort_unstable();
    let mut names = HashMap::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or_default();
        names.entry(name.to_owned()).or_insert_with(|| path.clone());
    }
    names
}

/// How each entry of an archive's directory begins, and what it takes once it is read.
const ENTRY: &[u8; 4] = b"PK\x01\x02";
const ENTRY_BYTES: u64 = 1024;

fn unzip(bytes: &[u8], budget: &Budget<'_>) -> Result<HashMap<String, Vec<u8>>, Cause> {
    let broken = |e: zip::result::ZipError| Cause::malformed(e.to_string(), "the archive");
    let entries = bytes.windows(4).filter(|window| *window == ENTRY).count() as u64;
    limits::check("nodes", entries, budget.limits().nodes)?;
    budget.memory(entries * ENTRY_BYTES)?;
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let mut files = HashMap::new();
    let mut total = 0;
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).map_err(broken)?;
        if !file.is_file() {
            continue;
        }
        let name = file.name().map_err(broken)?.replace('\\', "/").to_lowercase();
        // In the map, in the list of names and in that of paths.
        budget.memory(3 * name.len() as u64)?;
        let declared = file.size();
        let content = unpack(&mut file, declared, &name, &mut total, budget)?;
        files.insert(name, content);
    }
    Ok(files)
}

/// Unpacks a file. The declared size may be wrong, so what is unpacked is counted, before memory is allocated for it.
fn unpack(
    file: &mut impl Read,
    declared: u64,
    name: &str,
    total: &mut u64,
    budget: &Budget<'_>,
) -> Result<Vec<u8>, Cause> {
    const LEAST: u64 = 64 << 10;
    let broken = |e: std::io::Error| Cause::malformed(e.to_string(), format!("`{name}` in the archive"));
    let mut content = Vec::new();
    let mut room = declared;
    loop {
        *total = room.saturating_add(*total);
        limits::check("bytes", *total, budget.limits().bytes)?;
        budget.memory(room)?;
        content.reserve_exact(usize::try_from(room).unwrap_or(usize::MAX));
        file.take(room).read_to_end(&mut content).map_err(broken)?;
        let mut more = [0];
        if file.read(&mut more).map_err(broken)? == 0 {
            return Ok(content);
        }
        content.extend(more);
        room = LEAST.max(content.len() as u64);
    }
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
    use crate::Limits;
    use std::io::Write;

    fn open(bytes: &[u8]) -> Result<Opened<'_>, Cause> {
        super::open(bytes, &Budget::new(&Limits::default()))
    }

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
        let opened = open(&bytes).unwrap();
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
        assert_eq!(open(&bytes).unwrap().document(), b"1");
        assert!(open(&zipped(&[("a.txt", b"1")])).is_err());
        assert!(open(b"PK\x03\x04 nonsense").is_err());
    }

    #[test]
    fn what_comes_out_is_bounded() {
        let bytes = zipped(&[("a.dae", &[b' '; 100_000])]);
        let open = |limits: Limits| super::open(&bytes, &Budget::new(&limits)).err();
        let bytes = open(Limits { bytes: 50_000, ..Limits::default() });
        assert!(matches!(bytes, Some(Cause::Limit { name: "bytes", found: Some(100_000), limit: 50_000 })));
        let memory = open(Limits { memory: 50_000, ..Limits::default() });
        assert!(matches!(memory, Some(Cause::Limit { name: "memory", .. })));
    }

    #[test]
    fn a_size_that_lies_does_not_matter() {
        let (limits, text) = (Limits::default(), vec![7; 300_000]);
        for declared in [0, 1, 299_999, 300_000] {
            let got = unpack(&mut &text[..], declared, "a", &mut 0, &Budget::new(&limits)).unwrap();
            assert_eq!(got, text);
        }
    }
}
