//! Numbers out of buffers: strided, normalised, sparse, always within bounds.

use super::container::File;
use super::json::{Accessor, BufferView};
use crate::{Budget, Cause};

/// Types of components.
const I8: u32 = 5120;
const U8: u32 = 5121;
const I16: u32 = 5122;
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

/// Numbers of an accessor, element after element.
pub(super) struct Values {
    /// Components of an element.
    pub(super) width: usize,
    pub(super) numbers: Vec<f32>,
}

impl Values {
    pub(super) fn count(&self) -> usize {
        self.numbers.len() / self.width.max(1)
    }

    /// Elements of just that many components.
    pub(super) fn elements<const N: usize>(&self) -> Option<&[[f32; N]]> {
        (self.width == N).then(|| self.numbers.as_chunks::<N>().0)
    }
}

impl File<'_> {
    /// An accessor as numbers, counted in `budget`.
    pub(super) fn numbers(&self, index: usize, budget: &Budget<'_>) -> Result<Values, Cause> {
        let accessor = self.accessor(index)?;
        let width = width(&accessor.kind).ok_or_else(|| wrong(index, "is of an unknown type"))?;
        let total = accessor.count.checked_mul(width).ok_or_else(|| wrong(index, "is too large"))?;
        budget.list::<f32>(total)?;
        let mut numbers = match accessor.buffer_view {
            Some(view) => {
                let run = Run { view, offset: accessor.byte_offset, count: accessor.count, width };
                self.run(index, &run, accessor.component_type, accessor.normalized)?
            }
            None => vec![0.0; total],
        };
        if let Some(sparse) = &accessor.sparse {
            budget.list::<f32>(sparse.count.saturating_mul(width.saturating_add(1)))?;
            let run = Run {
                view: sparse.indices.buffer_view,
                offset: sparse.indices.byte_offset,
                count: sparse.count,
                width: 1,
            };
            let indices = self.integers(index, &run, sparse.indices.component_type)?;
            let run = Run {
                view: sparse.values.buffer_view,
                offset: sparse.values.byte_offset,
                count: sparse.count,
                width,
            };
            let values = self.run(index, &run, accessor.component_type, accessor.normalized)?;
            for (&at, value) in indices.iter().zip(values.chunks_exact(width)) {
                let start = (at as usize).checked_mul(width);
                let end = start.and_then(|start| start.checked_add(width));
                let place = start.zip(end).and_then(|(start, end)| numbers.get_mut(start..end));
                place
                    .ok_or_else(|| wrong(index, "has a sparse index beyond its end"))?
                    .copy_from_slice(value);
            }
        }
        Ok(Values { width, numbers })
    }

    /// An accessor of whole numbers, one an element.
    pub(super) fn indices(&self, index: usize, budget: &Budget<'_>) -> Result<Vec<u32>, Cause> {
        let accessor = self.accessor(index)?;
        if accessor.kind != "SCALAR" {
            return Err(wrong(index, "does not hold scalar indices"));
        }
        budget.list::<u32>(accessor.count)?;
        let mut numbers = match accessor.buffer_view {
            Some(view) => {
                let run = Run { view, offset: accessor.byte_offset, count: accessor.count, width: 1 };
                self.integers(index, &run, accessor.component_type)?
            }
            None => vec![0; accessor.count],
        };
        if let Some(sparse) = &accessor.sparse {
            budget.list::<u32>(sparse.count.saturating_mul(2))?;
            let [places, values] = [
                (&sparse.indices.buffer_view, sparse.indices.byte_offset, sparse.indices.component_type),
                (&sparse.values.buffer_view, sparse.values.byte_offset, accessor.component_type),
            ]
            .map(|(&view, offset, component)| {
                self.integers(index, &Run { view, offset, count: sparse.count, width: 1 }, component)
            });
            for (at, value) in places?.into_iter().zip(values?) {
                let place = numbers.get_mut(at as usize);
                *place.ok_or_else(|| wrong(index, "has a sparse index beyond its end"))? = value;
            }
        }
        Ok(numbers)
    }

    fn accessor(&self, index: usize) -> Result<&Accessor, Cause> {
        self.document.accessors.get(index).ok_or_else(|| wrong(index, "does not exist"))
    }

    /// Elements of an accessor; none for one that does not exist.
    pub(super) fn count(&self, index: usize) -> u64 {
        self.document.accessors.get(index).map_or(0, |accessor| accessor.count as u64)
    }

    pub(super) fn view(&self, index: usize) -> Result<(&BufferView, &[u8]), Cause> {
        let malformed = |what| Cause::malformed(what, format!("bufferViews[{index}]"));
        let view = self.document.buffer_views.get(index).ok_or_else(|| malformed("does not exist"))?;
        if let Some(Some(decoded)) = self.decoded_views.get(index) {
            return Ok((view, decoded));
        }
        let end = view.byte_offset.checked_add(view.byte_length);
        let buffer = self.buffers.get(view.buffer).ok_or_else(|| malformed("its buffer does not exist"))?;
        let bytes = end.and_then(|end| buffer.get(view.byte_offset..end));
        Ok((view, bytes.ok_or_else(|| malformed("extends beyond its buffer"))?))
    }

    fn run(&self, index: usize, run: &Run, component: u32, normalized: bool) -> Result<Vec<f32>, Cause> {
        let clamp = |value: f32| if normalized { value.max(-1.0) } else { value };
        let scale = |most: f32| if normalized { 1.0 / most } else { 1.0 };
        match component {
            I8 => self.each::<1, _>(index, run, |b| clamp(f32::from(b[0].cast_signed()) * scale(127.0))),
            U8 => self.each::<1, _>(index, run, |b| f32::from(b[0]) * scale(255.0)),
            I16 => {
                self.each::<2, _>(index, run, |b| clamp(f32::from(i16::from_le_bytes(b)) * scale(32767.0)))
            }
            U16 => self.each::<2, _>(index, run, |b| f32::from(u16::from_le_bytes(b)) * scale(65535.0)),
            U32 if !normalized => self.each::<4, _>(index, run, |b| u32::from_le_bytes(b) as f32),
            F32 => self.each::<4, _>(index, run, f32::from_le_bytes),
            _ => Err(wrong(index, "has components of an unknown type")),
        }
    }

    fn integers(&self, index: usize, run: &Run, component: u32) -> Result<Vec<u32>, Cause> {
        match component {
            U8 => self.each::<1, _>(index, run, |b| b[0].into()),
            U16 => self.each::<2, _>(index, run, |b| u16::from_le_bytes(b).into()),
            U32 => self.each::<4, _>(index, run, u32::from_le_bytes),
            _ => Err(wrong(index, "has indices of an unknown type")),
        }
    }

    /// Every component of a run of elements, read from `N` bytes.
    fn each<const N: usize, T>(
        &self,
        index: usize,
        run: &Run,
        read: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Cause> {
        let (view, bytes) = self.view(run.view)?;
        let size = N * run.width;
        let stride = view.byte_stride.unwrap_or(size);
        let beyond = || wrong(index, "extends beyond its buffer view");
        if run.count == 0 {
            return Ok(Vec::new());
        }
        let last = stride.checked_mul(run.count - 1).and_then(|at| at.checked_add(run.offset));
        let end = last.and_then(|at| at.checked_add(size)).ok_or_else(beyond)?;
        let bytes = bytes.get(run.offset..end).ok_or_else(beyond)?;
        if stride < size {
            return Err(wrong(index, "has elements that overlap"));
        }
        let mut out = Vec::with_capacity(run.count * run.width);
        // The last element may be shorter than the stride.
        for element in bytes.chunks(stride) {
            let components = element.get(..size).ok_or_else(beyond)?.as_chunks::<N>().0;
            out.extend(components.iter().map(|component| read(*component)));
        }
        Ok(out)
    }
}

/// Where elements lie.
struct Run {
    view: usize,
    offset: usize,
    count: usize,
    width: usize,
}

fn wrong(index: usize, what: &str) -> Cause {
    Cause::malformed(what, format!("accessors[{index}]"))
}

fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}
