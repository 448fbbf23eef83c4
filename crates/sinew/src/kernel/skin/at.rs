//! Where a block of vertices is written.

use crate::kernel::simd::{MOST_BLOCKS, Wide};
use crate::pose::LANES;

/// The vertices of a block.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    /// One after another.
    Row { first: usize, count: usize },
    /// As listed, at most eight.
    Table(&'a [u32]),
}

impl At<'_> {
    #[inline(always)]
    fn count(self) -> usize {
        match self {
            Self::Row { count, .. } => count,
            Self::Table(vertices) => vertices.len(),
        }
    }

    #[inline(always)]
    fn vertex(self, lane: usize) -> usize {
        match self {
            Self::Row { first, .. } => first + lane,
            Self::Table(vertices) => vertices[lane] as usize,
        }
    }

    #[inline(always)]
    pub(super) unsafe fn write_three<W: Wide>(self, vectors: [W; 3], to: *mut [f32; 3]) {
        // SAFETY: the caller runs this on a machine with W, and has checked the vertices.
        unsafe {
            if let Self::Row { first, count: LANES } = self {
                return W::write_three(vectors, to.add(first).cast());
            }
            let mut packed = [[0.0; 3]; MOST_BLOCKS * LANES];
            W::write_three(vectors, packed.as_mut_ptr().cast());
            for (lane, vector) in packed.iter().enumerate().take(self.count()) {
                to.add(self.vertex(lane)).write(*vector);
            }
        }
    }

    #[inline(always)]
    pub(super) unsafe fn write_four<W: Wide>(self, vectors: [W; 4], to: *mut [f32; 4]) {
        // SAFETY: the caller runs this on a machine with W, and has checked the vertices.
        unsafe {
            if let Self::Row { first, count: LANES } = self {
                return W::write_four(vectors, to.add(first).cast());
            }
            let mut packed = [[0.0; 4]; MOST_BLOCKS * LANES];
            W::write_four(vectors, packed.as_mut_ptr().cast());
            for (lane, vector) in packed.iter().enumerate().take(self.count()) {
                to.add(self.vertex(lane)).write(*vector);
            }
        }
    }
}
