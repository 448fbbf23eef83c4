//! The counts at the beginning of a stream, read before anything is allocated for them.

use crate::DecodeError;
use std::borrow::Cow;

/// Bit of the header's flags: metadata follows.
const METADATA: u64 = 0x8000;

/// The newest version of the bitstream.
const NEWEST: (u8, u8) = (2, 2);

/// Nested metadata is refused beyond this depth.
const DEPTH: usize = 64;

/// Bytes of the header, whose last two are the flags.
const HEADER: usize = 11;

/// What a stream says that it holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outline<'a> {
    /// The stream without metadata: nothing in it is needed, and it would take many times its size in memory.
    pub(crate) bytes: Cow<'a, [u8]>,
    pub(crate) faces: u64,
    /// Points, or vertices where attributes may split them into several points.
    pub(crate) points: u64,
    /// Attributes with connectivity of their own, as edgebreaker streams have them.
    pub(crate) seamed: u64,
}

/// Reads the outline.
///
/// # Errors
/// The stream ends too early, or is not a mesh.
pub(crate) fn outline(bytes: &[u8]) -> Result<Outline<'_>, DecodeError> {
    let mut reader = Reader { bytes };
    if reader.take(5)? != b"DRACO" {
        return Err(DecodeError::malformed("it does not begin with `DRACO`"));
    }
    let version = (reader.byte()?, reader.byte()?);
    if version > NEWEST {
        let (major, minor) = version;
        return Err(DecodeError::Unsupported(format!("its version {major}.{minor} is unknown")));
    }
    if reader.byte()? != 1 {
        return Err(DecodeError::Unsupported("it is a point cloud, which has no triangles".to_owned()));
    }
    let method = reader.byte()?;
    let flags = reader.little_endian(2)?;
    let mut stream = Cow::Borrowed(bytes);
    if version >= (1, 3) && flags & METADATA != 0 {
        skip_all_metadata(&mut reader)?;
        let header = bytes.get(..HEADER - 2).unwrap_or_default();
        let flags = (flags & !METADATA) as u16;
        stream = [header, &flags.to_le_bytes(), reader.bytes].concat().into();
    }
    let (faces, points, seamed) = match method {
        0 => sequential(&mut reader, version)?,
        1 => edgebreaker(&mut reader, version)?,
        _ => return Err(DecodeError::Unsupported(format!("connectivity of the unknown method {method}"))),
    };
    Ok(Outline { bytes: stream, faces, points, seamed })
}

/// Faces, points and attributes with connectivity of their own.
type Counts = (u64, u64, u64);

fn sequential(reader: &mut Reader<'_>, version: (u8, u8)) -> Result<Counts, DecodeError> {
    let wide = version < (2, 2);
    Ok((reader.count(wide)?, reader.count(wide)?, 0))
}

fn edgebreaker(reader: &mut Reader<'_>, version: (u8, u8)) -> Result<Counts, DecodeError> {
    let wide = version < (2, 0);
    // The kind of traversal.
    reader.byte()?;
    if version < (2, 2) {
        // Vertices that splits add.
        reader.count(wide)?;
    }
    let points = reader.count(wide)?;
    let faces = reader.count(wide)?;
    Ok((faces, points, reader.byte()?.into()))
}

/// Metadata of attributes, then of the mesh.
fn skip_all_metadata(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    for _ in 0..reader.varint()? {
        reader.varint()?;
        skip_metadata(reader, 0)?;
    }
    skip_metadata(reader, 0)
}

/// Named values, then named metadata of the same form.
fn skip_metadata(reader: &mut Reader<'_>, depth: usize) -> Result<(), DecodeError> {
    if depth > DEPTH {
        return Err(DecodeError::Unsupported(format!("metadata nested deeper than {DEPTH}")));
    }
    for _ in 0..reader.varint()? {
        reader.name()?;
        let length = reader.varint()?;
        reader.take(length)?;
    }
    for _ in 0..reader.varint()? {
        reader.name()?;
        skip_metadata(reader, depth + 1)?;
    }
    Ok(())
}

/// The bytes not yet read.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], DecodeError> {
        let split = usize::try_from(length).ok().and_then(|length| self.bytes.split_at_checked(length));
        let (taken, rest) = split.ok_or_else(|| DecodeError::malformed("it ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn little_endian(&mut self, length: u64) -> Result<u64, DecodeError> {
        Ok(self.take(length)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn byte(&mut self) -> Result<u8, DecodeError> {
        Ok(self.take(1)?.first().copied().unwrap_or_default())
    }

    fn name(&mut self) -> Result<(), DecodeError> {
        let length = self.byte()?;
        self.take(length.into()).map(drop)
    }

    /// A number of which each byte holds seven bits, the lowest first.
    fn varint(&mut self) -> Result<u64, DecodeError> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(DecodeError::malformed("a number is too long"))
    }

    /// A count, which is four bytes wide in old versions.
    fn count(&mut self, wide: bool) -> Result<u64, DecodeError> {
        if wide { self.little_endian(4) } else { self.varint() }
    }
}
