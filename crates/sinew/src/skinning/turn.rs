//! What one matrix does to normals and tangents, worked out once for all vertices that it moves alone.

use super::reference::{cross, dot};
use crate::Mat3x4;

/// How far squares and products of a matrix's columns may be from those of a turn with one scale. One step of Newton's method then brings vectors to length one
/// to within 6e-7.
const NEARLY: f32 = 2e-4;

/// A matrix that turns and scales evenly, or nearly so, as most matrices of characters do: what is left of it for vectors of length one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Rows of its cofactors, negative where it mirrors, without its scale.
    pub(crate) normals: [[f32; 3]; 3],
    /// Its own rows without its scale.
    pub(crate) tangents: [[f32; 3]; 3],
}

impl Turn {
    /// Where there is nothing to turn.
    pub(crate) const UNUSED: Self = Self { normals: [[0.0; 3]; 3], tangents: [[0.0; 3]; 3] };

    /// Of a matrix; `None` of one that is not so.
    pub(crate) fn of(matrix: &Mat3x4) -> Option<Self> {
        let [a, b, c] = [0, 1, 2].map(|column| matrix.rows.map(|row| row[column]));
        let squares = [dot(a, a), dot(b, b), dot(c, c)];
        let mean = (squares[0] + squares[1] + squares[2]) / 3.0;
        let limit = NEARLY * mean;
        let even = squares.iter().all(|square| (square - mean).abs() <= limit);
        let upright = [dot(a, b), dot(b, c), dot(c, a)].iter().all(|product| product.abs() <= limit);
        // Within this range neither squares nor products of cofactors leave that of the numbers.
        if !(even && upright && mean > 1e-16 && mean < 1e16) {
            return None;
        }
        let (x, y, z) = (cross(b, c), cross(c, a), cross(a, b));
        let normal = if dot(a, x) < 0.0 { -1.0 } else { 1.0 } / mean;
        let tangent = 1.0 / mean.sqrt();
        Some(Self {
            normals: [0, 1, 2].map(|r| [x[r], y[r], z[r]].map(|number| number * normal)),
            tangents: [0, 1, 2].map(|r| [a[r], b[r], c[r]].map(|number| number * tangent)),
        })
    }
}
