//! Elements as differences from the element before. All first bytes of a block of elements come first, then all second bytes, and so on.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays of fixed length")]

use super::{Cursor, TRUNCATED, unzigzag};

/// Most elements in a block; deltas come in groups of 16.
const BLOCK: usize = 256;
const GROUP: usize = 16;

/// How the differences of four bytes are meant.
#[derive(Clone, Copy)]
enum Channel {
    Bytes,
    Words,
    /// Turned by so many bits.
    Xor(u32),
}

/// Four bytes of an element: how their differences are meant, and their last values.
struct State {
    channel: Channel,
    last: [u8; 4],
}

pub(super) fn decode(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, &'static str> {
    let (&head, rest) = data.split_first().ok_or(TRUNCATED)?;
    let (modes, least_tail) = match head {
        0xA0 => (0, 32),
        0xA1 => (stride / 4, 24),
        _ => return Err("is not an attribute stream of version 0 or 1"),
    };
    let tail = stride + modes;
    let body = rest.len().checked_sub(tail.max(least_tail)).ok_or(TRUNCATED)?;
    let (body, _) = rest.split_at_checked(body).ok_or(TRUNCATED)?;
    let tail = rest.len().checked_sub(tail).and_then(|at| rest.get(at..)).ok_or(TRUNCATED)?;
    let (baseline, modes) = tail.split_at_checked(stride).ok_or(TRUNCATED)?;
    let mut states = states(baseline, modes)?;
    let mut cursor = Cursor(body);
    let mut out = vec![0; count * stride];
    let most = (8192 / stride / GROUP * GROUP).min(BLOCK);
    for block in out.chunks_mut(most * stride) {
        let controls = cursor.take(modes.len())?;
        let elements = block.len() / stride;
        for (index, state) in states.iter_mut().enumerate() {
            let mut deltas = [[0; BLOCK]; 4];
            for (byte, deltas) in deltas.iter_mut().enumerate() {
                let mode = controls.get(index).map(|control| control >> (2 * byte) & 3);
                read_deltas(&mut cursor, mode, elements, deltas)?;
            }
            for (at, element) in block.chunks_exact_mut(stride).enumerate() {
                state.add(deltas.map(|deltas| deltas[at]));
                if let Some(bytes) = element.as_chunks_mut::<4>().0.get_mut(index) {
                    *bytes = state.last;
                }
            }
        }
    }
    cursor.finish()?;
    Ok(out)
}

fn states(baseline: &[u8], modes: &[u8]) -> Result<Vec<State>, &'static str> {
    let state = |(index, last): (usize, &[u8; 4])| {
        let mode = modes.get(index).copied().unwrap_or(0);
        let channel = match (mode & 0xF, mode >> 4) {
            (0, 0) => Channel::Bytes,
            (1, 0) => Channel::Words,
            (2, turn) => Channel::Xor(turn.into()),
            _ => return Err("has an unknown channel mode"),
        };
        Ok(State { channel, last: *last })
    };
    baseline.as_chunks::<4>().0.iter().enumerate().map(state).collect()
}

impl State {
    fn add(&mut self, delta: [u8; 4]) {
        let last = self.last;
        self.last = match self.channel {
            Channel::Bytes => std::array::from_fn(|i| last[i].wrapping_add(unzigzag(delta[i].into()) as u8)),
            Channel::Words => {
                let word = |i: usize| {
                    let delta = unzigzag(u16::from_le_bytes([delta[i], delta[i + 1]]).into()) as u16;
                    u16::from_le_bytes([last[i], last[i + 1]]).wrapping_add(delta).to_le_bytes()
                };
                let ([a, b], [c, d]) = (word(0), word(2));
                [a, b, c, d]
            }
            Channel::Xor(turn) => {
                (u32::from_le_bytes(last) ^ u32::from_le_bytes(delta).rotate_right(turn)).to_le_bytes()
            }
        };
    }
}

/// The deltas of one byte of all elements of a block. Version 0 has no control mode.
fn read_deltas(
    cursor: &mut Cursor<'_>,
    mode: Option<u8>,
    elements: usize,
    out: &mut [u8; BLOCK],
) -> Result<(), &'static str> {
    let bits: [usize; 4] = match mode {
        None => [0, 2, 4, 8],
        Some(0) => [0, 1, 2, 4],
        Some(1) => [1, 2, 4, 8],
        Some(2) => return Ok(()),
        Some(_) => {
            let literal = cursor.take(elements)?;
            out.iter_mut().zip(literal).for_each(|(out, byte)| *out = *byte);
            return Ok(());
        }
    };
    let groups = elements.div_ceil(GROUP);
    let heads = cursor.take(groups.div_ceil(4))?;
    for (index, group) in out.as_chunks_mut::<GROUP>().0.iter_mut().take(groups).enumerate() {
        let head = heads.get(index / 4).copied().unwrap_or(0) >> (2 * (index % 4)) & 3;
        read_group(cursor, bits[usize::from(head)], group)?;
    }
    Ok(())
}

/// Sixteen deltas of so many bits; one with all bits set is followed by a byte of its own behind the others.
fn read_group(cursor: &mut Cursor<'_>, bits: usize, out: &mut [u8; GROUP]) -> Result<(), &'static str> {
    let packed = cursor.take(2 * bits)?;
    for (index, out) in out.iter_mut().enumerate() {
        let at = index * bits;
        let byte = packed.get(at / 8).copied().unwrap_or(0);
        *out = match bits {
            0 => 0,
            8 => byte,
            _ => {
                // Single bits begin with the lowest, others with the highest.
                let shift = if bits == 1 { at % 8 } else { 8 - bits - at % 8 };
                let all = (1u8 << bits) - 1;
                let delta = byte >> shift & all;
                if delta == all { cursor.byte()? } else { delta }
            }
        };
    }
    Ok(())
}
