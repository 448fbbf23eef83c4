//! Triangles by edges and vertices that were met shortly before, and plain sequences of indices.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays of fixed length")]

use super::{Cursor, TRUNCATED, unzigzag};

/// The last sixteen of what was met.
struct Recent<T> {
    items: [T; 16],
    pushed: usize,
}

impl<T: Copy + Default> Recent<T> {
    fn new() -> Self {
        Self { items: [T::default(); 16], pushed: 0 }
    }

    fn push(&mut self, item: T) {
        self.items[self.pushed % 16] = item;
        self.pushed += 1;
    }

    /// The one that was pushed so many pushes before the last.
    fn get(&self, back: usize) -> Result<T, &'static str> {
        if back >= self.pushed.min(16) {
            return Err("refers to an edge or vertex that was not met yet");
        }
        Ok(self.items[(self.pushed - 1 - back) % 16])
    }
}

/// What decoding triangles goes by.
struct Triangles<'a> {
    data: Cursor<'a>,
    next: u32,
    last: u32,
    edges: Recent<(u32, u32)>,
    vertices: Recent<u32>,
}

/// A list of triangles, `count` indices of `stride` bytes.
pub(super) fn triangles(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, &'static str> {
    let (&head, rest) = data.split_first().ok_or(TRUNCATED)?;
    if head != 0xE1 {
        return Err("is not a stream of triangles");
    }
    let (codes, rest) = rest.split_at_checked(count / 3).ok_or(TRUNCATED)?;
    let (data, table) = rest.split_last_chunk::<16>().ok_or(TRUNCATED)?;
    let mut state =
        Triangles { data: Cursor(data), next: 0, last: 0, edges: Recent::new(), vertices: Recent::new() };
    let mut out = Output::new(count, stride);
    for &code in codes {
        let triangle = if code < 0xF0 { state.on_edge(code)? } else { state.free(code, table)? };
        triangle.into_iter().for_each(|index| out.push(index));
    }
    state.data.finish()?;
    Ok(out.bytes)
}

impl Triangles<'_> {
    fn on_edge(&mut self, code: u8) -> Result<[u32; 3], &'static str> {
        let (a, b) = self.edges.get(usize::from(code >> 4))?;
        let c = match code & 0xF {
            0 => self.next(),
            back @ 1..=12 => self.vertices.get(back.into())?,
            13 => self.by(u32::MAX),
            14 => self.by(1),
            _ => self.explicit()?,
        };
        if !matches!(code & 0xF, 1..=12) {
            self.vertices.push(c);
        }
        self.edges.push((c, b));
        self.edges.push((a, c));
        Ok([a, b, c])
    }

    fn free(&mut self, code: u8, table: &[u8; 16]) -> Result<[u32; 3], &'static str> {
        let how = match code & 0xF {
            short @ 0..=13 => table[usize::from(short)],
            _ => self.data.byte()?,
        };
        if code >= 0xFE && how == 0 {
            self.next = 0;
        }
        let a = if code == 0xFF { self.explicit()? } else { self.next() };
        let b = self.corner(how >> 4)?;
        let c = self.corner(how & 0xF)?;
        self.vertices.push(a);
        for (how, vertex) in [(how >> 4, b), (how & 0xF, c)] {
            if matches!(how, 0 | 15) {
                self.vertices.push(vertex);
            }
        }
        [(b, a), (c, b), (a, c)].into_iter().for_each(|edge| self.edges.push(edge));
        Ok([a, b, c])
    }

    fn corner(&mut self, how: u8) -> Result<u32, &'static str> {
        match how {
            0 => Ok(self.next()),
            15 => self.explicit(),
            back => self.vertices.get(usize::from(back) - 1),
        }
    }

    fn next(&mut self) -> u32 {
        let next = self.next;
        self.next = next.wrapping_add(1);
        next
    }

    fn by(&mut self, delta: u32) -> u32 {
        self.last = self.last.wrapping_add(delta);
        self.last
    }

    fn explicit(&mut self) -> Result<u32, &'static str> {
        let delta = unzigzag(self.data.varint()?);
        Ok(self.by(delta))
    }
}

/// Indices of any kind, each as a difference from one of two before.
pub(super) fn sequence(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, &'static str> {
    let (&head, rest) = data.split_first().ok_or(TRUNCATED)?;
    if head != 0xD1 {
        return Err("is not a stream of indices");
    }
    let (data, _) = rest.split_last_chunk::<4>().ok_or(TRUNCATED)?;
    // Every index takes a byte at least.
    if data.len() < count {
        return Err(TRUNCATED);
    }
    let mut cursor = Cursor(data);
    let mut last = [0u32; 2];
    let mut out = Output::new(count, stride);
    for _ in 0..count {
        let value = cursor.varint()?;
        let last = &mut last[(value & 1) as usize];
        *last = last.wrapping_add(unzigzag(value >> 1));
        out.push(*last);
    }
    cursor.finish()?;
    Ok(out.bytes)
}

/// Indices of two or four bytes.
struct Output {
    bytes: Vec<u8>,
    stride: usize,
}

impl Output {
    fn new(count: usize, stride: usize) -> Self {
        Self { bytes: Vec::with_capacity(count * stride), stride }
    }

    fn push(&mut self, index: u32) {
        self.bytes.extend(index.to_le_bytes().iter().take(self.stride));
    }
}
