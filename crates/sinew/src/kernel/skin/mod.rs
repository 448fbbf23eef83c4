//! Vertices under the weighted sum of their skin matrices, eight at a time. The order of operations is that of `skinning::reference`.
//!
//! No lanes go through closures or `array::map`: these are compiled without the machine's instructions unless they happen to be inlined.

mod vertex;

use super::Kernel;
use super::morph::Moves;
use super::simd::Simd;
use crate::Mat3x4;
use crate::pose::{LANES, Lanes};
use crate::skinning::MOST_INFLUENCES;
use glam::{Vec3, Vec4};
use std::marker::PhantomData;
use vertex::{Turn, load, normal, position, tangent};

/// Vertices that hang on the same skin joints. They lie in blocks of eight, of which the last may have fewer.
///
/// A block is `len` lanes of weights, three of positions, three of normals and four of tangents, the latter as the plan has them.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) joints: [u16; MOST_INFLUENCES],
    /// How many of the joints count: at least one.
    pub(crate) len: usize,
    /// Whether that is one joint, which has the whole weight of every vertex.
    pub(crate) whole: bool,
    /// If morph targets move the vertices first, the number of the first block among the blocks that are moved.
    pub(crate) morphed: Option<usize>,
    pub(crate) place: Place,
    /// Number of vertices.
    pub(crate) count: usize,
    /// Number of the first lanes.
    pub(crate) lanes: usize,
}

/// Which vertices a run writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// One after another from this one.
    Row(usize),
    /// Those in the table from this entry.
    Table(usize),
}

/// Where vertices are written: pointers, because threads write to different vertices of one buffer.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    positions: *mut Vec3,
    normals: Option<*mut Vec3>,
    tangents: Option<*mut Vec4>,
    buffers: PhantomData<&'a mut [Vec3]>,
}

// SAFETY: it stands for borrowed slices of plain numbers; who runs a kernel promises that no two threads have the same vertices.
unsafe impl Send for Target<'_> {}
// SAFETY: as above.
unsafe impl Sync for Target<'_> {}

impl<'a> Target<'a> {
    /// Normals and tangents that are empty are left out.
    pub(crate) fn new(positions: &'a mut [Vec3], normals: &'a mut [Vec3], tangents: &'a mut [Vec4]) -> Self {
        Self {
            positions: positions.as_mut_ptr(),
            normals: (!normals.is_empty()).then_some(normals.as_mut_ptr()),
            tangents: (!tangents.is_empty()).then_some(tangents.as_mut_ptr()),
            buffers: PhantomData,
        }
    }

    /// Changes one vertex by functions of position, normal and tangent.
    ///
    /// # Safety
    /// The buffers have that vertex, and no other thread uses it.
    pub(crate) unsafe fn change(
        self,
        vertex: usize,
        position: impl FnOnce(Vec3) -> Vec3,
        normal: impl FnOnce(Vec3) -> Vec3,
        tangent: impl FnOnce(Vec4) -> Vec4,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            let at = self.positions.add(vertex);
            at.write(position(at.read()));
            if let Some(normals) = self.normals {
                let at = normals.add(vertex);
                at.write(normal(at.read()));
            }
            if let Some(tangents) = self.tangents {
                let at = tangents.add(vertex);
                at.write(tangent(at.read()));
            }
        }
    }
}

/// What the lanes of a plan hold beside weights and positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) normals: bool,
    pub(crate) tangents: bool,
}

impl Content {
    /// Number of lanes of a block.
    pub(crate) fn stride(self, run: &Run) -> usize {
        run.len + 3 + 3 * usize::from(self.normals) + 4 * usize::from(self.tangents)
    }
}

/// Deforms runs of vertices.
///
/// The caller has checked: the target has normals and tangents only if the content has; there are scalars for all moves; every vertex of the runs is within the target's buffers, and no
/// other thread uses it meanwhile.
pub(crate) struct SkinRuns<'a> {
    pub(crate) runs: &'a [Run],
    pub(crate) lanes: &'a [Lanes],
    pub(crate) table: &'a [u32],
    pub(crate) content: Content,
    pub(crate) moves: &'a Moves,
    /// Weights of the morph targets.
    pub(crate) scalars: &'a [f32],
    pub(crate) matrices: &'a [Mat3x4],
    pub(crate) target: Target<'a>,
}

impl Kernel for SkinRuns<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            match (self.target.normals.is_some(), self.target.tangents.is_some()) {
                (false, false) => self.all::<S, false, false>(),
                (true, false) => self.all::<S, true, false>(),
                (false, true) => self.all::<S, false, true>(),
                (true, true) => self.all::<S, true, true>(),
            }
        }
    }
}

impl SkinRuns<'_> {
    #[inline(always)]
    unsafe fn all<S: Simd, const NORMALS: bool, const TANGENTS: bool>(&self) {
        let mut spread = [[Lanes::splat(0.0); 12]; MOST_INFLUENCES];
        for run in self.runs {
            let mut set = [&Mat3x4::IDENTITY; MOST_INFLUENCES];
            for (matrix, &joint) in set.iter_mut().zip(&run.joints[..run.len]) {
                *matrix = &self.matrices[usize::from(joint)];
            }
            let stride = self.content.stride(run);
            let lanes = &self.lanes[run.lanes..][..run.count.div_ceil(LANES) * stride];
            if let Some(first) = run.morphed {
                // SAFETY: as below.
                unsafe {
                    spread_out::<S>(&set[..run.len], &mut spread);
                    self.morphed::<S, NORMALS, TANGENTS>(run, &spread, lanes, first);
                }
                continue;
            }
            // What is done once for a run pays from the second block on.
            let whole = match run.place {
                Place::Row(_) if run.count >= 2 * LANES => run.count / LANES,
                _ => 0,
            };
            let (rows, others) = lanes.split_at(whole * stride);
            // SAFETY: the caller runs this on a machine with S, and has checked the vertices.
            unsafe {
                if whole > 0 {
                    spread_out::<S>(&set[..run.len], &mut spread);
                }
                // Most vertices have few influences: for these the loop over them is unrolled.
                match run.len {
                    1 if run.whole => self.rows_of_one::<S, NORMALS, TANGENTS>(run, &spread[0], rows, stride),
                    1 => self.rows::<S, 1, NORMALS, TANGENTS>(run, &spread, rows, stride),
                    2 => self.rows::<S, 2, NORMALS, TANGENTS>(run, &spread, rows, stride),
                    3 => self.rows::<S, 3, NORMALS, TANGENTS>(run, &spread, rows, stride),
                    4 => self.rows::<S, 4, NORMALS, TANGENTS>(run, &spread, rows, stride),
                    _ => self.rows::<S, 0, NORMALS, TANGENTS>(run, &spread, rows, stride),
                }
                for (block, lanes) in others.chunks_exact(stride).enumerate() {
                    let sum = blend::<S>(&lanes[..run.len], &set);
                    let at = self.at(run, (whole + block) * LANES);
                    self.block::<S, NORMALS, TANGENTS>(sum, None, &lanes[run.len..], at);
                }
            }
        }
    }

    /// The loop that counts: whole blocks of vertices in a row, with `LEN` influences, or as many as the run says if that is zero.
    #[inline(always)]
    unsafe fn rows<S: Simd, const LEN: usize, const NORMALS: bool, const TANGENTS: bool>(
        &self,
        run: &Run,
        spread: &Spread,
        lanes: &[Lanes],
        stride: usize,
    ) {
        let Place::Row(mut first) = run.place else { return };
        let len = if LEN == 0 { run.len } else { LEN };
        for lanes in lanes.chunks_exact(stride) {
            // SAFETY: as for `all`.
            unsafe {
                let sum = if LEN == 0 {
                    blend_spread::<S>(&lanes[..len], spread)
                } else {
                    blend_few::<S, LEN>(&lanes[..len], spread)
                };
                let at = At::Row { first, count: LANES };
                self.block::<S, NORMALS, TANGENTS>(sum, None, &lanes[len..], at);
            }
            first += LANES;
        }
    }

    /// The same where one joint has the whole weight, as it has of most vertices of most characters: its matrix times one is the matrix, and what normals
    /// need of it is computed once.
    #[inline(always)]
    unsafe fn rows_of_one<S: Simd, const NORMALS: bool, const TANGENTS: bool>(
        &self,
        run: &Run,
        spread: &[Lanes; 12],
        lanes: &[Lanes],
        stride: usize,
    ) {
        let Place::Row(mut first) = run.place else { return };
        // SAFETY: as for `all`.
        unsafe {
            let [a, b, c, d, e, f, g, h, i, j, k, l] = load::<S, 12>(spread);
            let matrix = [[a, b, c, d], [e, f, g, h], [i, j, k, l]];
            let turn = Some(Turn::new(matrix));
            for lanes in lanes.chunks_exact(stride) {
                let at = At::Row { first, count: LANES };
                self.block::<S, NORMALS, TANGENTS>(matrix, turn, &lanes[1..], at);
                first += LANES;
            }
        }
    }

    /// Blocks that are moved by morph targets first; `first` is the number of the first of them.
    #[inline(always)]
    unsafe fn morphed<S: Simd, const NORMALS: bool, const TANGENTS: bool>(
        &self,
        run: &Run,
        spread: &Spread,
        lanes: &[Lanes],
        first: usize,
    ) {
        let mut moved = [Lanes::splat(0.0); MOST_COMPONENTS];
        for (block, lanes) in lanes.chunks_exact(self.content.stride(run)).enumerate() {
            let (weights, vertices) = lanes.split_at(run.len);
            let moved = &mut moved[..vertices.len()];
            moved.copy_from_slice(vertices);
            // SAFETY: as for `all`.
            unsafe {
                self.moves.apply::<S>(first + block, self.scalars, moved);
                // Most vertices have few influences.
                let sum = match run.len {
                    1 => blend_few::<S, 1>(weights, spread),
                    2 => blend_few::<S, 2>(weights, spread),
                    3 => blend_few::<S, 3>(weights, spread),
                    4 => blend_few::<S, 4>(weights, spread),
                    _ => blend_spread::<S>(weights, spread),
                };
                self.block::<S, NORMALS, TANGENTS>(sum, None, moved, self.at(run, block * LANES));
            }
        }
    }

    /// Which vertices a block of a run has.
    #[inline(always)]
    fn at(&self, run: &Run, first: usize) -> At<'_> {
        let count = (run.count - first).min(LANES);
        match run.place {
            Place::Row(start) => At::Row { first: start + first, count },
            Place::Table(start) => At::Table(&self.table[start + first..][..count]),
        }
    }

    /// Writes a block. `turn` is what follows from the sum, where that is known.
    #[inline(always)]
    unsafe fn block<S: Simd, const NORMALS: bool, const TANGENTS: bool>(
        &self,
        sum: [[S; 4]; 3],
        turn: Option<Turn<S>>,
        from: &[Lanes],
        at: At<'_>,
    ) {
        // SAFETY: as for `all`.
        unsafe {
            let p = load::<S, 3>(from);
            at.write_three(position(sum, p), self.target.positions.cast());
            if NORMALS && let Some(to) = self.target.normals {
                at.write_three(normal(sum, turn, load::<S, 3>(&from[3..])), to.cast());
            }
            if TANGENTS && let Some(to) = self.target.tangents {
                let t = load::<S, 4>(&from[if self.content.normals { 6 } else { 3 }..]);
                at.write_four(tangent(sum, t), to.cast());
            }
        }
    }
}

/// Lanes of a block with normals and tangents.
const MOST_COMPONENTS: usize = 10;

/// The matrices of a run's joints; behind the last, identity.
type Set<'a> = [&'a Mat3x4; MOST_INFLUENCES];

/// Each number of the matrices of a run in all lanes: to read one as it is takes less than to spread it each time.
type Spread = [[Lanes; 12]; MOST_INFLUENCES];

/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn spread_out<S: Simd>(set: &[&Mat3x4], spread: &mut Spread) {
    for (matrix, spread) in set.iter().zip(spread) {
        for (number, lanes) in matrix.rows.as_flattened().iter().zip(spread) {
            // SAFETY: the caller's promise.
            unsafe { S::splat(*number).store(&mut lanes.0) };
        }
    }
}

/// The weighted sum of matrices: the same operations as in [`blend`].
///
/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn blend_spread<S: Simd>(weights: &[Lanes], spread: &Spread) -> [[S; 4]; 3] {
    // SAFETY: the caller's promise.
    unsafe {
        let first = S::load(&weights[0].0);
        let mut sum = [[first; 4]; 3];
        for (n, sum) in sum.as_flattened_mut().iter_mut().enumerate() {
            *sum = S::load(&spread[0][n].0).mul(first);
            for (weight, matrix) in weights[1..].iter().zip(&spread[1..]) {
                *sum = S::load(&matrix[n].0).mul_add(S::load(&weight.0), *sum);
            }
        }
        sum
    }
}

/// The same for a number of matrices that is known, with their weights in registers.
///
/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn blend_few<S: Simd, const LEN: usize>(weights: &[Lanes], spread: &Spread) -> [[S; 4]; 3] {
    // SAFETY: the caller's promise.
    unsafe {
        let weights = load::<S, LEN>(weights);
        let mut sum = [[weights[0]; 4]; 3];
        let mut n = 0;
        while n < 12 {
            let mut number = S::load(&spread[0][n].0).mul(weights[0]);
            let mut k = 1;
            while k < LEN {
                number = S::load(&spread[k][n].0).mul_add(weights[k], number);
                k += 1;
            }
            sum[n / 4][n % 4] = number;
            n += 1;
        }
        sum
    }
}

/// The vertices of a block.
#[derive(Clone, Copy)]
enum At<'a> {
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
    unsafe fn write_three<S: Simd>(self, vectors: [S; 3], to: *mut [f32; 3]) {
        // SAFETY: the caller runs this on a machine with S, and has checked the vertices.
        unsafe {
            if let Self::Row { first, count: LANES } = self {
                return S::interleave(vectors, &mut *to.add(first).cast());
            }
            let mut packed = [0.0; 3 * LANES];
            S::interleave(vectors, &mut packed);
            for (lane, vector) in packed.as_chunks::<3>().0.iter().enumerate().take(self.count()) {
                to.add(self.vertex(lane)).write(*vector);
            }
        }
    }

    #[inline(always)]
    unsafe fn write_four<S: Simd>(self, vectors: [S; 4], to: *mut [f32; 4]) {
        // SAFETY: the caller runs this on a machine with S, and has checked the vertices.
        unsafe {
            let mut packed = [[0.0; 4]; LANES];
            let (low, high) = packed.split_at_mut(4);
            for (k, rows) in S::to_rows(vectors).into_iter().enumerate() {
                rows.store_rows(&mut low[k], &mut high[k]);
            }
            for (lane, vector) in packed.iter().enumerate().take(self.count()) {
                to.add(self.vertex(lane)).write(*vector);
            }
        }
    }
}

/// The weighted sum of the matrices of a set.
#[inline(always)]
unsafe fn blend<S: Simd>(weights: &[Lanes], set: &Set<'_>) -> [[S; 4]; 3] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let weight = S::load(&weights[0].0);
        let mut sum = [[weight; 4]; 3];
        for (sum, row) in sum.iter_mut().zip(&set[0].rows) {
            for (sum, &number) in sum.iter_mut().zip(row) {
                *sum = S::splat(number).mul(weight);
            }
        }
        for (weight, matrix) in weights[1..].iter().zip(&set[1..]) {
            let weight = S::load(&weight.0);
            for (sum, row) in sum.iter_mut().zip(&matrix.rows) {
                for (sum, &number) in sum.iter_mut().zip(row) {
                    *sum = S::splat(number).mul_add(weight, *sum);
                }
            }
        }
        sum
    }
}
