//! Writing numbers, strings and lists.

use crate::Matrix;
use crate::error::{XnbError, invalid};

/// Bytes that are written from the front to the back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output(pub Vec<u8>);

impl Output {
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn u16(&mut self, value: u16) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn i32(&mut self, value: i32) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn i64(&mut self, value: i64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn f32(&mut self, value: f32) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|&value| self.f32(value));
    }

    pub fn matrix(&mut self, matrix: &Matrix) {
        self.floats(matrix);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    /// A number of seven bits a byte, the lowest first.
    pub fn packed(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.u8((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8);
    }

    /// A count as a number of seven bits a byte.
    pub fn packed_count(&mut self, what: &str, count: usize) -> Result<(), XnbError> {
        self.packed(number(what, count)?);
        Ok(())
    }

    /// A count as four bytes. Readers take it as a signed number.
    pub fn count(&mut self, what: &str, count: usize) -> Result<(), XnbError> {
        self.u32(number(what, count)?);
        Ok(())
    }

    pub fn string(&mut self, text: &str) -> Result<(), XnbError> {
        self.packed_count("bytes of a name", text.len())?;
        self.bytes(text.as_bytes());
        Ok(())
    }

    /// A chunk: its id, the length of what `write` writes, and that.
    pub fn chunk(
        &mut self,
        id: [u8; 4],
        write: impl FnOnce(&mut Self) -> Result<(), XnbError>,
    ) -> Result<(), XnbError> {
        let mut inner = Self::default();
        write(&mut inner)?;
        self.bytes(&id);
        self.count("bytes of a chunk", inner.0.len())?;
        self.bytes(&inner.0);
        Ok(())
    }
}

/// A count that C# can hold.
pub(crate) fn number(what: &str, count: usize) -> Result<u32, XnbError> {
    i32::try_from(count)
        .map(|count| count as u32)
        .map_err(|_| invalid(format!("{count} {what} are more than XNB can hold")))
}
