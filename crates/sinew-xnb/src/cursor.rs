//! Reading numbers, strings and lists from bytes, within an allowance of memory.

use crate::Matrix;
use crate::error::{Cause, XnbError};

/// How many times the size of a file's decompressed content reading may take in memory, that content included.
pub const MEMORY_FACTOR: u64 = 8;

/// Bytes that are read from the front to the back.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Memory that may still be taken.
    allowance: u64,
}

/// A value that a list is made of, and the least bytes it takes in a file.
pub(crate) struct Item {
    pub what: &'static str,
    pub least: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of decompressed content.
    pub fn new(bytes: &'a [u8]) -> Self {
        // The content itself is one of the eight.
        Self { bytes, at: 0, allowance: (MEMORY_FACTOR - 1).saturating_mul(bytes.len() as u64) }
    }

    pub fn offset(&self) -> usize {
        self.at
    }

    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// The same bytes, from another offset on.
    pub fn moved_to(&self, offset: usize) -> Self {
        Self { at: offset.min(self.bytes.len()), ..self.clone() }
    }

    /// An error at the place that is read.
    pub fn wrong(&self, what: impl Into<String>) -> XnbError {
        XnbError::at(Cause::Invalid(what.into()), self.at)
    }

    pub fn fail(&self, cause: Cause) -> XnbError {
        XnbError::at(cause, self.at)
    }

    /// The next bytes, borrowed.
    pub fn take(&mut self, what: &'static str, count: usize) -> Result<&'a [u8], XnbError> {
        let end = self.at.checked_add(count);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => {
                let (needed, left) = (count as u64, self.left() as u64);
                Err(self.fail(Cause::Truncated { what, needed, left }))
            }
        }
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], XnbError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(what, N)?);
        Ok(array)
    }

    pub fn u8(&mut self, what: &'static str) -> Result<u8, XnbError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub fn bool(&mut self, what: &'static str) -> Result<bool, XnbError> {
        Ok(self.u8(what)? != 0)
    }

    pub fn u16(&mut self, what: &'static str) -> Result<u16, XnbError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub fn u32(&mut self, what: &'static str) -> Result<u32, XnbError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub fn i32(&mut self, what: &'static str) -> Result<i32, XnbError> {
        Ok(i32::from_le_bytes(self.array(what)?))
    }

    pub fn i64(&mut self, what: &'static str) -> Result<i64, XnbError> {
        Ok(i64::from_le_bytes(self.array(what)?))
    }

    pub fn f32(&mut self, what: &'static str) -> Result<f32, XnbError> {
        Ok(f32::from_le_bytes(self.array(what)?))
    }

    pub fn id(&mut self, what: &'static str) -> Result<[u8; 4], XnbError> {
        self.array(what)
    }

    /// So many numbers.
    pub fn floats<const N: usize>(&mut self, what: &'static str) -> Result<[f32; N], XnbError> {
        let mut floats = [0.0; N];
        for float in &mut floats {
            *float = self.f32(what)?;
        }
        Ok(floats)
    }

    pub fn matrix(&mut self, what: &'static str) -> Result<Matrix, XnbError> {
        self.floats(what)
    }

    /// A number of seven bits a byte, the lowest first.
    pub fn packed(&mut self, what: &'static str) -> Result<u32, XnbError> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8(what)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).map_err(|_| self.wrong(format!("{what} is out of range")));
            }
        }
        Err(self.wrong(format!("{what} is a number of more than five bytes")))
    }

    pub fn string(&mut self, what: &'static str) -> Result<String, XnbError> {
        let count = self.packed(what)? as usize;
        let bytes = self.take(what, count)?;
        self.spend(bytes.len() as u64)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(self.wrong(format!("{what} is not UTF-8"))),
        }
    }

    /// Bytes of their own.
    pub fn bytes(&mut self, what: &'static str, count: usize) -> Result<Vec<u8>, XnbError> {
        let bytes = self.take(what, count)?;
        self.spend(bytes.len() as u64)?;
        Ok(bytes.to_vec())
    }

    /// An empty list with room for `count` items, each of which takes at least `least` bytes of the file.
    pub fn list<T>(&mut self, count: usize, item: &Item) -> Result<Vec<T>, XnbError> {
        let needed = (count as u64).saturating_mul(item.least as u64);
        if needed > self.left() as u64 {
            return Err(self.fail(Cause::Truncated { what: item.what, needed, left: self.left() as u64 }));
        }
        self.spend((count as u64).saturating_mul(size_of::<T>() as u64))?;
        Ok(Vec::with_capacity(count))
    }

    /// A list of which each item is read by `read`.
    pub fn items<T>(
        &mut self,
        count: usize,
        item: &Item,
        mut read: impl FnMut(&mut Self) -> Result<T, XnbError>,
    ) -> Result<Vec<T>, XnbError> {
        let mut list = self.list(count, item)?;
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// Takes memory from the allowance.
    pub fn spend(&mut self, bytes: u64) -> Result<(), XnbError> {
        match self.allowance.checked_sub(bytes) {
            Some(left) => {
                self.allowance = left;
                Ok(())
            }
            None => Err(self.fail(Cause::Memory)),
        }
    }

    /// Reads the next `count` bytes as something of their own; the rest of them is skipped.
    pub fn within<T>(
        &mut self,
        what: &'static str,
        count: usize,
        read: impl FnOnce(&mut Cursor<'a>) -> Result<T, XnbError>,
    ) -> Result<T, XnbError> {
        let start = self.at;
        self.take(what, count)?;
        let bytes = self.bytes.get(..self.at).unwrap_or_default();
        let mut inner = Cursor { bytes, at: start, allowance: self.allowance };
        let value = read(&mut inner)?;
        self.allowance = inner.allowance;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers() {
        let read = |bytes: &[u8]| Cursor::new(bytes).packed("number");
        assert_eq!(read(&[0]), Ok(0));
        assert_eq!(read(&[0x7f]), Ok(127));
        assert_eq!(read(&[0x80, 1]), Ok(128));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Ok(u32::MAX));
        assert!(read(&[0xff, 0xff, 0xff, 0xff, 0x1f]).is_err());
        assert!(read(&[0xff; 6]).is_err());
        assert!(read(&[0x80]).is_err());
    }

    #[test]
    fn lists_are_bounded_by_bytes_and_by_memory() {
        let mut cursor = Cursor::new(&[0; 100]);
        let item = Item { what: "item", least: 10 };
        assert!(cursor.list::<u8>(11, &item).is_err());
        assert!(cursor.list::<[u8; 70]>(10, &item).is_ok(), "seven times the size");
        assert_eq!(cursor.list::<u8>(1, &item).unwrap_err().cause, Cause::Memory);
        assert!(Cursor::new(&[0; 100]).list::<u8>(usize::MAX, &item).is_err());
    }

    #[test]
    fn an_inner_part_ends_where_it_says() {
        let mut cursor = Cursor::new(&[1, 2, 3, 4]);
        let inner =
            cursor.within("part", 2, |part| Ok((part.u8("a")?, part.u8("b")?, part.u8("c").is_err())));
        assert_eq!(inner, Ok((1, 2, true)));
        assert_eq!(cursor.u8("d"), Ok(3));
        assert!(cursor.within("part", 2, |_| Ok(())).is_err());
    }
}
