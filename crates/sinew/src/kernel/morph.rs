//! Morph targets: how vertices are moved before they are skinned, eight at a time. The order of operations is that of `skinning::morph`.

use super::layer::SIGNS;
use super::simd::Simd;
use crate::MorphDelta;
use crate::pose::{LANES, Lanes};

/// From so many vertices of a block on, the changes of a target lie in lanes; those of fewer would be mostly gaps.
pub(crate) const MANY: u32 = 4;

/// What one morph target does to a block of eight vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// The scalar that is its weight.
    pub(crate) scalar: u16,
    /// Which of the vertices it moves, a bit for each.
    pub(crate) moved: u8,
    /// Number of its first lanes if it moves [`MANY`] vertices or more: three of positions, then of normals and of tangents as the plan has them. Else
    /// that of its first single change, in the order of the vertices.
    pub(crate) at: u32,
}

/// The moves of all blocks of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    /// Block by block, and in each in the order of the targets.
    pub(crate) moves: Vec<Move>,
    /// Where the moves of each block begin, and behind the last block where they end.
    pub(crate) starts: Vec<u32>,
    pub(crate) lanes: Vec<Lanes>,
    pub(crate) singles: Vec<MorphDelta>,
}

impl Moves {
    /// Moves the vertices of a block: lanes of positions, then of normals and of tangents if there are any.
    ///
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    pub(crate) unsafe fn apply<S: Simd>(&self, block: usize, scalars: &[f32], vertices: &mut [Lanes]) {
        let [start, end] = [self.starts[block], self.starts[block + 1]];
        for step in &self.moves[start as usize..end as usize] {
            let weight = scalars[usize::from(step.scalar)];
            if weight == 0.0 {
                continue;
            }
            let at = step.at as usize;
            if step.moved.count_ones() < MANY {
                let mut lanes = (0..LANES).filter(|lane| step.moved >> lane & 1 == 1);
                for (lane, change) in lanes.by_ref().zip(&self.singles[at..]) {
                    single(change, lane, weight, vertices);
                }
            } else {
                // SAFETY: the caller's promise.
                unsafe { many::<S>(&self.lanes[at..], step.moved, weight, vertices) };
            }
        }
    }
}

/// Components that a target changes: all but the sign of the bitangent.
#[inline(always)]
fn changed(vertices: &[Lanes]) -> usize {
    vertices.len() / 3 * 3
}

fn single(change: &MorphDelta, lane: usize, weight: f32, vertices: &mut [Lanes]) {
    let changes: &[f32; 9] = &numbers(change);
    let count = changed(vertices);
    // Normals and tangents have their place only if there are such.
    let order = if count == 6 && vertices.len() == 7 {
        [0, 1, 2, 6, 7, 8, 0, 0, 0]
    } else {
        [0, 1, 2, 3, 4, 5, 6, 7, 8]
    };
    for (c, &from) in order.iter().enumerate().take(count) {
        let value = &mut vertices[c].0[lane];
        *value += changes[from] * weight;
    }
    if let Some(sign) = vertices.get_mut(count) {
        sign.0[lane] += 0.0;
    }
}

/// Position, normal and tangent one after the other.
pub(crate) fn numbers(change: &MorphDelta) -> [f32; 9] {
    let [[a, b, c], [d, e, f], [g, h, i]] =
        [change.position.to_array(), change.normal.to_array(), change.tangent.to_array()];
    [a, b, c, d, e, f, g, h, i]
}

/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn many<S: Simd>(changes: &[Lanes], moved: u8, weight: f32, vertices: &mut [Lanes]) {
    let count = changed(vertices);
    // SAFETY: the caller's promise.
    unsafe {
        let (weight, zero, stays) = (S::splat(weight), S::splat(0.0), S::load(&SIGNS[usize::from(moved)]));
        for (value, change) in vertices[..count].iter_mut().zip(&changes[..count]) {
            let before = S::load(&value.0);
            let after = S::load(&change.0).mul_add(weight, before);
            let [after] = S::where_greater(zero, stays, [after], [before]);
            after.store(&mut value.0);
        }
        if let Some(sign) = vertices.get_mut(count) {
            let before = S::load(&sign.0);
            let [after] = S::where_greater(zero, stays, [before.add(zero)], [before]);
            after.store(&mut sign.0);
        }
    }
}
