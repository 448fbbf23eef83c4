//! Repairs what a mutation nearly always breaks: lengths, offsets, padding and checksums.

use crate::container::cut;
use bytemuck::{bytes_of, pod_read_unaligned};
use sinew::bundle_file::{FileHeader, MAGIC, MAJOR, SECTION_ALIGN, SectionEntry, checksum};
use std::io::{Cursor, Write};

/// A GLB of the JSON up to the first zero byte and of the binary chunk behind it.
pub fn glb(data: &[u8]) -> Vec<u8> {
    let (json, binary) = cut(data, b"\0");
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, content, pad) in [(b"JSON", json, b' '), (b"BIN\0", binary, 0)] {
        let length = content.len().next_multiple_of(4);
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(content);
        bytes.resize(bytes.len() + length - content.len(), pad);
    }
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// An XNB file that is as long as its header says.
pub fn xnb(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    let length = (data.len() as u32).to_le_bytes();
    if let Some(field) = bytes.get_mut(6..10) {
        field.copy_from_slice(&length);
    }
    bytes
}

/// A zip of files, unless their names do not go into one.
pub fn zip(files: &[(&str, &[u8])]) -> Option<Vec<u8>> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in files {
        writer.start_file(*name, stored).ok()?;
        writer.write_all(content).ok()?;
    }
    Some(writer.finish().ok()?.into_inner())
}

/// A bundle with the sections of `data`, as far as they lie in it: offsets follow from the lengths, padding is zero, and every
/// checksum is that of the bytes.
pub fn bundle(data: &[u8]) -> Vec<u8> {
    const HEADER: usize = size_of::<FileHeader>();
    const ENTRY: usize = size_of::<SectionEntry>();
    let mut bytes = data.to_vec();
    bytes.resize(data.len().max(HEADER).next_multiple_of(SECTION_ALIGN), 0);
    let mut header: FileHeader = pod_read_unaligned(&bytes[..HEADER]);
    header.sections = header.sections.min(((bytes.len() - HEADER) / ENTRY) as u32);
    let table_end = HEADER + header.sections as usize * ENTRY;
    let mut at = pad(&mut bytes, table_end);
    for entry_at in (HEADER..table_end).step_by(ENTRY) {
        let mut entry: SectionEntry = pod_read_unaligned(&bytes[entry_at..entry_at + ENTRY]);
        entry.offset = at as u64;
        entry.length = entry.length.min((bytes.len() - at) as u64);
        let end = at + entry.length as usize;
        entry.checksum = checksum(&bytes[at..end]);
        bytes[entry_at..entry_at + ENTRY].copy_from_slice(bytes_of(&entry));
        at = pad(&mut bytes, end);
    }
    bytes.truncate(at);
    header.magic = MAGIC;
    header.major = MAJOR;
    header.reserved = [0; 3];
    header.length = at as u64;
    header.table_checksum = checksum(&bytes[HEADER..table_end]);
    header.checksum = checksum(&bytes_of(&header)[..HEADER - size_of::<u64>()]);
    bytes[..HEADER].copy_from_slice(bytes_of(&header));
    bytes
}

/// Zeroes the bytes up to the next place where a section may begin, and says where that is. The length of `bytes` is a multiple
/// of the alignment, so the place is not behind the end.
fn pad(bytes: &mut [u8], end: usize) -> usize {
    let next = end.next_multiple_of(SECTION_ALIGN);
    bytes[end..next].fill(0);
    next
}
