//! Reading one section: a record, then arrays one after the other, each copied as a whole.

use super::layout::ARRAY_ALIGN;
use super::{BundleError, Section};
use bytemuck::{Pod, Zeroable};

/// Reads a section from front to back.
pub struct Cursor<'a> {
    section: Section<'a>,
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// The start of a section.
    pub fn new(section: Section<'a>) -> Self {
        Self { section, rest: section.bytes }
    }

    /// An error of this section.
    pub fn wrong(&self, what: impl Into<String>) -> BundleError {
        BundleError::Content { place: self.section.place(), what: what.into() }
    }

    /// The record at the head of the section.
    pub fn record<T: Pod>(&mut self) -> Result<T, BundleError> {
        Ok(self.array::<T>(1)?.first().copied().unwrap_or_else(T::zeroed))
    }

    /// The next array, copied into memory that is aligned for it.
    pub fn array<T: Pod>(&mut self, count: usize) -> Result<Vec<T>, BundleError> {
        Ok(copy(self.raw::<T>(count)?))
    }

    /// The next array, only if there is one.
    pub(super) fn array_if<T: Pod>(&mut self, present: bool, count: usize) -> Result<Vec<T>, BundleError> {
        if present { self.array(count) } else { Ok(Vec::new()) }
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

    /// A list of strings: their lengths, then all of them behind one another.
    pub fn names(&mut self, count: usize) -> Result<Vec<String>, BundleError> {
        let lengths = self.array::<u32>(count)?;
        let total = lengths.iter().try_fold(0usize, |sum, &length| sum.checked_add(length as usize));
        let total = total.ok_or_else(|| self.wrong("the lengths of its names are too large"))?;
        let bytes = self.raw::<u8>(total)?;
        let mut text = std::str::from_utf8(bytes).map_err(|_| self.wrong("its names are not UTF-8"))?;
        let mut names = Vec::with_capacity(count);
        for length in lengths {
            let (name, rest) = text
                .split_at_checked(length as usize)
                .ok_or_else(|| self.wrong("a name ends within a character"))?;
            names.push(name.to_owned());
            text = rest;
        }
        Ok(names)
    }

    /// One string.
    pub fn name(&mut self) -> Result<String, BundleError> {
        Ok(self.names(1)?.pop().unwrap_or_default())
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

/// Bytes as values, in memory that is aligned for them. Bytes that fill no value are left out.
pub(super) fn copy<T: Pod>(bytes: &[u8]) -> Vec<T> {
    let mut out: Vec<T> = bytemuck::zeroed_vec(bytes.len() / size_of::<T>());
    let whole = bytes.get(..size_of_val(&*out)).unwrap_or_default();
    bytemuck::cast_slice_mut(&mut out).copy_from_slice(whole);
    out
}

/// Arrays of many tracks behind one another, taken off the front.
pub(super) struct Pool<'a>(pub(super) &'a [u8]);

impl Pool<'_> {
    /// The next so many values; fewer if the pool ends, which the caller's counts rule out.
    pub(super) fn take<T: Pod>(&mut self, count: usize) -> Vec<T> {
        let length = count.saturating_mul(size_of::<T>()).min(self.0.len());
        let (values, rest) = self.0.split_at(length);
        self.0 = rest;
        copy(values)
    }
}
