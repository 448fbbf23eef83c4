//! Reading one section: a record, then arrays one after the other, each borrowed or copied as a whole.

use super::layout::ARRAY_ALIGN;
use super::{BundleError, Section};
use crate::{Buffer, Bytes, Text, TextList};
use bytemuck::{Pod, Zeroable};
use std::borrow::Cow;

/// Reads a section from front to back.
pub struct Cursor<'a> {
    section: Section<'a>,
    rest: &'a [u8],
    file: Option<&'a Bytes>,
}

impl<'a> Cursor<'a> {
    /// The start of a section, whose arrays will be copied.
    pub fn new(section: Section<'a>) -> Self {
        Self { section, rest: section.bytes, file: None }
    }

    /// The start of a section of a file, whose arrays stay where they lie.
    pub fn within(section: Section<'a>, file: &'a Bytes) -> Self {
        Self { file: Some(file), ..Self::new(section) }
    }

    /// An error of this section.
    pub fn wrong(&self, what: impl Into<String>) -> BundleError {
        BundleError::Content { place: self.section.place(), what: what.into() }
    }

    /// The record at the head of the section.
    pub fn record<T: Pod>(&mut self) -> Result<T, BundleError> {
        Ok(bytemuck::pod_read_unaligned(self.raw::<T>(1)?))
    }

    /// The next array, copied into memory that is aligned for it.
    pub fn array<T: Pod>(&mut self, count: usize) -> Result<Vec<T>, BundleError> {
        Ok(copy(self.raw::<T>(count)?))
    }

    /// The next array, where it lies if it is aligned there: for what is only looked at while reading.
    pub fn view<T: Pod>(&mut self, count: usize) -> Result<Cow<'a, [T]>, BundleError> {
        let raw = self.raw::<T>(count)?;
        Ok(bytemuck::try_cast_slice(raw).map_or_else(|_| Cow::Owned(copy(raw)), Cow::Borrowed))
    }

    /// The next array, which shares the bytes of the file if it is aligned there.
    pub fn buffer<T: Pod>(&mut self, count: usize) -> Result<Buffer<T>, BundleError> {
        let raw = self.raw::<T>(count)?;
        Ok(shared(raw, self.file))
    }

    /// The next array, only if there is one.
    pub(super) fn buffer_if<T: Pod>(
        &mut self,
        present: bool,
        count: usize,
    ) -> Result<Buffer<T>, BundleError> {
        if present { self.buffer(count) } else { Ok(Buffer::new()) }
    }

    /// The next values of many arrays behind one another.
    pub(super) fn pool<T: Pod>(&mut self, count: usize) -> Result<Pool<'a>, BundleError> {
        Ok(Pool { rest: self.raw::<T>(count)?, file: self.file })
    }

    /// The bytes of the next array, where they lie.
    pub(crate) fn raw<T: Pod>(&mut self, count: usize) -> Result<&'a [u8], BundleError> {
        let short =
            || self.wrong(format!("it ends before an array of {count} elements that its counts promise"));
        let length = count.checked_mul(size_of::<T>()).ok_or_else(short)?;
        let (array, rest) = self.rest.split_at_checked(length).ok_or_else(short)?;
        let gap = length.checked_next_multiple_of(ARRAY_ALIGN).ok_or_else(short)? - length;
        let (padding, rest) = rest.split_at_checked(gap).ok_or_else(short)?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(self.wrong("padding behind an array is not zero"));
        }
        self.rest = rest;
        Ok(array)
    }

    /// What has not been read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// A list of strings: where each ends, then all of them behind one another.
    pub fn texts(&mut self, count: usize) -> Result<TextList, BundleError> {
        let ends = self.buffer::<u32>(count)?;
        let raw = self.raw::<u8>(ends.last().map_or(0, |&end| end as usize))?;
        let bytes = self.file.and_then(|file| file.slice_of(raw)).unwrap_or_else(|| raw.into());
        let text = Text::from_utf8(bytes).ok_or_else(|| self.wrong("its names are not UTF-8"))?;
        TextList::new(text, ends)
            .ok_or_else(|| self.wrong("the ends of its names do not rise between characters"))
    }

    /// One string.
    pub fn text(&mut self) -> Result<Text, BundleError> {
        Ok(self.texts(1)?.text(0).unwrap_or_default())
    }

    /// A list of strings, copied.
    pub fn names(&mut self, count: usize) -> Result<Vec<String>, BundleError> {
        Ok(self.texts(count)?.iter().map(str::to_owned).collect())
    }

    /// One string, copied.
    pub fn name(&mut self) -> Result<String, BundleError> {
        Ok(self.text()?.into())
    }

    /// An error unless `condition` holds.
    pub fn check(&self, condition: bool, what: &'static str) -> Result<(), BundleError> {
        if condition { Ok(()) } else { Err(self.wrong(what)) }
    }

    /// An error unless reserved fields are zero.
    pub fn zero<T: Zeroable + PartialEq>(&self, reserved: T) -> Result<(), BundleError> {
        self.check(reserved == T::zeroed(), "a reserved field is not zero")
    }

    /// An error if anything is left.
    pub fn finish(self) -> Result<(), BundleError> {
        self.check(self.rest.is_empty(), "it is longer than its counts say")
    }
}

/// Bytes as values, in memory that is aligned for them.
fn copy<T: Pod>(bytes: &[u8]) -> Vec<T> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// Bytes as values that share the file which they lie in, or copied.
fn shared<T: Pod>(raw: &[u8], file: Option<&Bytes>) -> Buffer<T> {
    if raw.is_empty() {
        return Buffer::new();
    }
    file.and_then(|file| file.slice_of(raw)).map_or_else(|| copy(raw).into(), Buffer::from_bytes)
}

/// Arrays of many tracks behind one another, taken off the front.
pub(super) struct Pool<'a> {
    rest: &'a [u8],
    file: Option<&'a Bytes>,
}

impl Pool<'_> {
    /// The next so many values; fewer if the pool ends, which the caller's counts rule out.
    pub(super) fn take<T: Pod>(&mut self, count: usize) -> Buffer<T> {
        let length = count.saturating_mul(size_of::<T>()).min(self.rest.len());
        let (values, rest) = self.rest.split_at(length);
        self.rest = rest;
        shared(values, self.file)
    }
}
