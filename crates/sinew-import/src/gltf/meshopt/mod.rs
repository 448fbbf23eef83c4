//! Buffer views compressed with `KHR_meshopt_compression` or `EXT_meshopt_compression`.
//!
//! Written from the bitstream specification: attributes of version 0 and 1, triangles, indices, and all filters. Every stream is checked: one that
//! ends early, has bytes left over or refers to something that was not written is refused.

mod attributes;
mod filter;
mod indices;

use super::json::{BufferView, CompressionFilter, CompressionMode, Document, Meshopt};
use crate::{Budget, Cause};
use std::borrow::Cow;

/// The decoded bytes of each buffer view, `None` for one that is not compressed. Output is counted in `budget` before it is allocated.
pub(super) fn decode_views(
    document: &Document,
    buffers: &[Cow<[u8]>],
    budget: &Budget<'_>,
) -> Result<Vec<Option<Vec<u8>>>, Cause> {
    let views = document.buffer_views.iter().enumerate();
    let decode = |(index, view): (usize, &BufferView)| {
        let Some(source) = &view.extensions.meshopt else { return Ok(None) };
        let malformed = |what: &str| Cause::malformed(what, format!("bufferViews[{index}], meshopt data"));
        check(source, view).map_err(malformed)?;
        budget.memory(view.byte_length as u64)?;
        let end = source.byte_offset.checked_add(source.byte_length);
        let data = buffers.get(source.buffer).zip(end).and_then(|(b, end)| b.get(source.byte_offset..end));
        let data = data.ok_or_else(|| malformed("extends beyond its buffer"))?;
        decode(source, data).map(Some).map_err(malformed)
    };
    views.map(decode).collect()
}

/// Whether each buffer only holds what compressed views hold too, for readers without the extension. Such a buffer need not exist.
pub(super) fn fallbacks(document: &Document) -> Vec<bool> {
    let mut shown = vec![false; document.buffers.len()];
    let mut needed = shown.clone();
    let mark = |list: &mut [bool], buffer: usize| {
        if let Some(mark) = list.get_mut(buffer) {
            *mark = true;
        }
    };
    for view in &document.buffer_views {
        match &view.extensions.meshopt {
            Some(source) => {
                mark(&mut shown, view.buffer);
                mark(&mut needed, source.buffer);
            }
            None => mark(&mut needed, view.buffer),
        }
    }
    shown.iter().zip(&needed).map(|(shown, needed)| *shown && !needed).collect()
}

/// The rules of the extension about counts and strides.
fn check(source: &Meshopt, view: &BufferView) -> Result<(), &'static str> {
    let stride = source.byte_stride;
    if source.count.checked_mul(stride) != Some(view.byte_length) {
        return Err("its count times its stride is not the length of the view");
    }
    let stride_fits = match source.mode {
        CompressionMode::Attributes => stride.is_multiple_of(4) && (4..=256).contains(&stride),
        CompressionMode::Triangles | CompressionMode::Indices => matches!(stride, 2 | 4),
    };
    let filter_fits = match source.filter {
        CompressionFilter::None => true,
        _ if source.mode != CompressionMode::Attributes => false,
        CompressionFilter::Octahedral | CompressionFilter::Color => matches!(stride, 4 | 8),
        CompressionFilter::Quaternion => stride == 8,
        CompressionFilter::Exponential => true,
    };
    if !stride_fits || !filter_fits {
        return Err("its stride does not fit its mode and filter");
    }
    if source.mode == CompressionMode::Triangles && !source.count.is_multiple_of(3) {
        return Err("its count is not a multiple of three");
    }
    Ok(())
}

fn decode(source: &Meshopt, data: &[u8]) -> Result<Vec<u8>, &'static str> {
    let (count, stride) = (source.count, source.byte_stride);
    match source.mode {
        CompressionMode::Attributes => {
            let mut bytes = attributes::decode(data, count, stride)?;
            filter::apply(source.filter, stride, &mut bytes);
            Ok(bytes)
        }
        CompressionMode::Triangles => indices::triangles(data, count, stride),
        CompressionMode::Indices => indices::sequence(data, count, stride),
    }
}

const TRUNCATED: &str = "ends too early";
const LEFT_OVER: &str = "has bytes left over";

/// Reads a stream from the front.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], &'static str> {
        let (head, rest) = self.0.split_at_checked(count).ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(head)
    }

    fn byte(&mut self) -> Result<u8, &'static str> {
        let (&byte, rest) = self.0.split_first().ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(byte)
    }

    /// A number of up to 32 bits, seven in a byte, the lowest first.
    fn varint(&mut self) -> Result<u32, &'static str> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("has a number of more than five bytes")
    }

    fn finish(&self) -> Result<(), &'static str> {
        if self.0.is_empty() { Ok(()) } else { Err(LEFT_OVER) }
    }
}

/// The signed difference that an unsigned number stands for, in wrapping arithmetic.
fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}
