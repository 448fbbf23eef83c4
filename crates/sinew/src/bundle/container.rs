//! The outer form: header, section table, checksums, padding. Content of sections is not read here.

use super::layout::{FileHeader, MAGIC, MAJOR, SECTION_ALIGN, SectionEntry, SectionId};
use super::{BundleError, Place, checksum};
use bytemuck::pod_read_unaligned;

/// One section of a bundle, whose checksum has been verified.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// What is in it.
    pub id: SectionId,
    /// Number of the mesh, texture or clip.
    pub index: u32,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl Section<'_> {
    /// Its name, for messages.
    pub fn place(&self) -> Place {
        Place { id: self.id, index: self.index }
    }
}

/// Verifies the outer form of a bundle — magic, version, lengths, every checksum, every padding byte — and lists its sections
/// in the order of the file.
pub(super) fn sections(bytes: &[u8]) -> Result<Vec<Section<'_>>, BundleError> {
    if cfg!(target_endian = "big") {
        return Err(BundleError::BigEndian);
    }
    let header = header(bytes)?;
    let table_start = size_of::<FileHeader>();
    let cut_off = BundleError::Length { expected: header.length, found: bytes.len() as u64 };
    let table_length =
        (header.sections as usize).checked_mul(size_of::<SectionEntry>()).ok_or(cut_off.clone())?;
    let table =
        table_start.checked_add(table_length).and_then(|end| bytes.get(table_start..end)).ok_or(cut_off)?;
    if checksum(table) != header.table_checksum {
        return Err(BundleError::Checksum { what: "the section table".to_owned() });
    }
    let mut at = padded(bytes, table_start + table.len())?;
    let mut found: Vec<Section<'_>> = Vec::with_capacity(header.sections as usize);
    for (number, raw) in table.chunks_exact(size_of::<SectionEntry>()).enumerate() {
        let entry: SectionEntry = pod_read_unaligned(raw);
        let wrong = |what| BundleError::Table { entry: number, what };
        if entry.offset != at as u64 {
            return Err(wrong("its offset is not where the section before it ends"));
        }
        let end = usize::try_from(entry.length).ok().and_then(|length| at.checked_add(length));
        let content = end.and_then(|end| bytes.get(at..end)).ok_or(wrong("it reaches beyond the file"))?;
        let section = Section { id: entry.id, index: entry.index, bytes: content };
        if found.last().is_some_and(|last| last.id == section.id && last.index >= section.index) {
            return Err(wrong("sections of one kind are not in rising order"));
        }
        if checksum(content) != entry.checksum {
            return Err(BundleError::Checksum { what: section.place().to_string() });
        }
        at = padded(bytes, at + content.len())?;
        found.push(section);
    }
    if at != bytes.len() {
        return Err(BundleError::Length { expected: at as u64, found: bytes.len() as u64 });
    }
    Ok(found)
}

fn header(bytes: &[u8]) -> Result<FileHeader, BundleError> {
    let raw = bytes.get(..size_of::<FileHeader>());
    let Some(raw) = raw.filter(|raw| raw.starts_with(&MAGIC)) else {
        if bytes.starts_with(&MAGIC) {
            let expected = size_of::<FileHeader>() as u64;
            return Err(BundleError::Length { expected, found: bytes.len() as u64 });
        }
        return Err(BundleError::NotABundle);
    };
    let header: FileHeader = pod_read_unaligned(raw);
    let (before, _) = raw.split_at(size_of::<FileHeader>() - size_of::<u64>());
    // All versions keep their version and checksum in these places, so that damage is not mistaken for a newer version.
    if checksum(before) != header.checksum {
        return Err(BundleError::Checksum { what: "the header".to_owned() });
    }
    if header.major != MAJOR {
        return Err(BundleError::Version { major: header.major, minor: header.minor });
    }
    if header.reserved != [0; 3] {
        return Err(BundleError::Padding { offset: 32 });
    }
    if header.length != bytes.len() as u64 {
        return Err(BundleError::Length { expected: header.length, found: bytes.len() as u64 });
    }
    Ok(header)
}

/// The next offset where a section may begin; the padding before it must be zero.
fn padded(bytes: &[u8], end: usize) -> Result<usize, BundleError> {
    let next = end.checked_next_multiple_of(SECTION_ALIGN);
    let padding = next.and_then(|next| bytes.get(end..next)).ok_or(BundleError::Length {
        expected: (end as u64).next_multiple_of(SECTION_ALIGN as u64),
        found: bytes.len() as u64,
    })?;
    if padding.iter().any(|&byte| byte != 0) {
        return Err(BundleError::Padding { offset: end as u64 });
    }
    Ok(end + padding.len())
}
