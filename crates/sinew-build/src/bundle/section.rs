//! The file header, section table and sections of a bundle, and the arrays within sections.

use super::WriteError;
use bytemuck::{NoUninit, bytes_of, cast_slice};
use sinew::bundle_file::{
    ARRAY_ALIGN, FileHeader, MAGIC, MAJOR, MINOR, SECTION_ALIGN, SectionEntry, SectionId, checksum,
};

/// A section that is being written.
pub(super) struct SectionWriter {
    id: SectionId,
    index: u32,
    bytes: Vec<u8>,
}

impl SectionWriter {
    pub(super) fn new(id: SectionId, index: usize) -> Result<Self, WriteError> {
        Ok(Self { id, index: count("sections of one kind", index)?, bytes: Vec::new() })
    }

    pub(super) fn record<T: NoUninit>(&mut self, record: &T) {
        self.array(std::slice::from_ref(record));
    }

    pub(super) fn array<T: NoUninit>(&mut self, values: &[T]) {
        self.bytes.extend_from_slice(cast_slice(values));
        pad(&mut self.bytes, ARRAY_ALIGN);
    }

    pub(super) fn array_if_any<T: NoUninit>(&mut self, values: &[T]) {
        if !values.is_empty() {
            self.array(values);
        }
    }

    /// One array from several slices.
    pub(super) fn gather<'a, T: NoUninit>(&mut self, parts: impl Iterator<Item = &'a [T]>) {
        parts.for_each(|part| self.bytes.extend_from_slice(cast_slice(part)));
        pad(&mut self.bytes, ARRAY_ALIGN);
    }

    pub(super) fn names<'a>(
        &mut self,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), WriteError> {
        let mut end = 0;
        let ends = names.clone().map(|name| {
            end += name.len();
            count("bytes of names", end)
        });
        self.array(&ends.collect::<Result<Vec<u32>, _>>()?);
        self.gather(names.map(str::as_bytes));
        Ok(())
    }

    pub(super) fn name(&mut self, name: &str) -> Result<(), WriteError> {
        self.names(std::iter::once(name))
    }
}

/// A count as a `u32`, or an error that names what is counted.
pub(super) fn count(what: &'static str, count: usize) -> Result<u32, WriteError> {
    // The largest u32 means "none".
    u32::try_from(count).ok().filter(|&n| n != u32::MAX).ok_or(WriteError::TooMany { what, count })
}

/// The file: header, table, sections.
pub(super) fn assemble(sections: &[SectionWriter]) -> Result<Vec<u8>, WriteError> {
    let table_length = sections.len() * size_of::<SectionEntry>();
    let mut at = (size_of::<FileHeader>() + table_length).next_multiple_of(SECTION_ALIGN);
    let mut table: Vec<SectionEntry> = Vec::with_capacity(sections.len());
    for section in sections {
        table.push(SectionEntry {
            id: section.id,
            index: section.index,
            offset: at as u64,
            length: section.bytes.len() as u64,
            checksum: checksum(&section.bytes),
        });
        at = (at + section.bytes.len()).next_multiple_of(SECTION_ALIGN);
    }
    let mut header = FileHeader {
        magic: MAGIC,
        major: MAJOR,
        minor: MINOR,
        sections: count("sections", sections.len())?,
        length: at as u64,
        table_checksum: checksum(cast_slice(&table)),
        reserved: [0; 3],
        checksum: 0,
    };
    header.checksum = checksum(&bytes_of(&header)[..size_of::<FileHeader>() - size_of::<u64>()]);
    let mut file = Vec::with_capacity(at);
    file.extend_from_slice(bytes_of(&header));
    file.extend_from_slice(cast_slice(&table));
    pad(&mut file, SECTION_ALIGN);
    for section in sections {
        file.extend_from_slice(&section.bytes);
        pad(&mut file, SECTION_ALIGN);
    }
    Ok(file)
}

fn pad(bytes: &mut Vec<u8>, align: usize) {
    bytes.resize(bytes.len().next_multiple_of(align), 0);
}
