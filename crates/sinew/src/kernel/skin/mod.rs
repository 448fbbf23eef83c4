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
use crate::skinning::turn::Turn;
use glam::{Vec3, Vec4};
use std::marker::PhantomData;
use std::ops::Range;
use vertex::{load, nearly_unit, normal, position, splat_rows, store, turned, unit};

/// Vertices that hang on the same skin joints. They lie in blocks of eight, of which the last may have fewer.
///
/// A block is one lanes of weights for each term, three of positions, three of normals and four of tangents, the latter as the plan has them.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) joints: [u16; MOST_INFLUENCES],
    /// How many of the joints count: at least one.
    pub(crate) len: usize,
    /// Whether the weights of every vertex sum to one.
    pub(crate) whole: bool,
    /// If morph targets move the vertices first, the number of the first block among the blocks that are moved.
    pub(crate) morphed: Option<usize>,
    pub(crate) place: Place,
    /// Number of vertices.
    pub(crate) count: usize,
    /// Number of the first lanes.
    pub(crate) lanes: usize,
}

impl Run {
    /// How many weighted matrices are added up: where weights sum to one, that of the first joint is what the others leave, and need not be known.
    #[inline(always)]
    pub(crate) fn terms(&self) -> usize {
        self.len - usize::from(self.whole)
    }

    /// Whether one joint has all the weight. Normals and tangents of such vertices lie here with length one, unless morph targets move them.
    pub(crate) fn is_single(&self) -> bool {
        self.terms() == 0
    }
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
        run.terms() + 3 + 3 * usize::from(self.normals) + 4 * usize::from(self.tangents)
    }

    /// Where tangents begin among the lanes of positions, normals and tangents.
    #[inline(always)]
    fn tangents_at(self) -> usize {
        if self.normals { 6 } else { 3 }
    }

    /// Where the vectors of length one begin among them.
    fn vectors(self) -> impl Iterator<Item = usize> {
        [self.normals.then_some(3), self.tangents.then_some(self.tangents_at())].into_iter().flatten()
    }
}

/// Deforms runs of vertices.
///
/// The caller has checked: the target has normals and tangents only if the content has; there are scalars for all moves; every vertex of the runs is within the target's buffers, and no
/// other thread uses it meanwhile.
pub(crate) struct SkinRuns<'a> {
    pub(crate) runs: &'a [Run],
    /// Up to here the runs write every vertex, in order, so that a run may write on into the vertices of the next.
    pub(crate) end: usize,
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
        let mut spread = [[0.0; 12]; MOST_INFLUENCES + 1];
        let mut room = Room::new();
        for run in self.runs {
            // SAFETY: the caller runs this on a machine with S, and has checked the vertices.
            unsafe {
                self.spread_out::<S>(run, &mut spread);
                let turn = match run.is_single() {
                    true => Turn::of(&self.matrices[usize::from(run.joints[0])]),
                    false => None,
                };
                // Blocks whose vertices lie in a row are written without a look at each of them.
                let blocks = run.count.div_ceil(LANES);
                let whole = match run.place {
                    Place::Row(start) if start + blocks * LANES <= self.end => blocks,
                    Place::Row(_) => run.count / LANES,
                    Place::Table(_) => 0,
                };
                let (rows, others) = (0..whole, whole..blocks);
                if let Some(turn) = &turn {
                    self.turned::<S, true, NORMALS, TANGENTS>(run, rows, &spread, turn, &mut room);
                    self.turned::<S, false, NORMALS, TANGENTS>(run, others, &spread, turn, &mut room);
                    continue;
                }
                // Most vertices have few influences: for these the loop over them is unrolled.
                match run.terms() {
                    1 => self.blocks::<S, 1, true, NORMALS, TANGENTS>(run, rows, &spread, &mut room),
                    2 => self.blocks::<S, 2, true, NORMALS, TANGENTS>(run, rows, &spread, &mut room),
                    3 => self.blocks::<S, 3, true, NORMALS, TANGENTS>(run, rows, &spread, &mut room),
                    _ => self.blocks::<S, MANY, true, NORMALS, TANGENTS>(run, rows, &spread, &mut room),
                }
                self.blocks::<S, MANY, false, NORMALS, TANGENTS>(run, others, &spread, &mut room);
            }
        }
    }

    /// The matrices that a run sums: the first is taken as it is, the others by their weights.
    ///
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn spread_out<S: Simd>(&self, run: &Run, spread: &mut Spread) {
        let [first, terms @ ..] = spread;
        let (whole, others) = run.joints[..run.len].split_at(run.len - run.terms());
        let start = whole.first().map_or(&Mat3x4::ZERO, |&joint| &self.matrices[usize::from(joint)]);
        first.copy_from_slice(start.rows.as_flattened());
        for (&joint, term) in others.iter().zip(terms) {
            let matrix = &self.matrices[usize::from(joint)];
            for ((number, start), out) in matrix.rows.as_flattened().iter().zip(&*first).zip(term) {
                *out = number - start;
            }
        }
    }

    /// The loop that counts: the blocks of a run of `TERMS` terms, or as many as the run has.
    ///
    /// Vectors are brought to length one some blocks later: a processor looks ahead only so far, and would wait for each of them.
    #[inline(always)]
    unsafe fn blocks<
        S: Simd,
        const TERMS: usize,
        const ROW: bool,
        const NORMALS: bool,
        const TANGENTS: bool,
    >(
        &self,
        run: &Run,
        blocks: Range<usize>,
        spread: &Spread,
        room: &mut Room,
    ) {
        let terms = if TERMS == MANY { run.terms() } else { TERMS };
        let stride = self.content.stride(run);
        let lanes = &self.lanes[run.lanes..][blocks.start * stride..blocks.end * stride];
        for (batch, lanes) in lanes.chunks(BATCH * stride).enumerate() {
            let first = blocks.start + batch * BATCH;
            // SAFETY: as for `all`.
            unsafe {
                let lanes = self.moved::<S>(run, first, lanes, &mut room.moved);
                for (block, lanes) in lanes.chunks_exact(stride).enumerate() {
                    let (weights, vertices) = lanes.split_at(terms);
                    let sum = blend::<S, TERMS>(weights, spread);
                    let at = self.at::<ROW>(run, first + block);
                    at.write_three(position(sum, load(vertices)), self.target.positions.cast());
                    if NORMALS {
                        store(normal(sum, load(&vertices[3..])), &mut room.normals[block]);
                    }
                    if TANGENTS {
                        let direction = load(&vertices[self.content.tangents_at()..]);
                        store(turned(sum, direction), &mut room.tangents[block]);
                    }
                }
                if !NORMALS && !TANGENTS {
                    continue;
                }
                for (block, lanes) in lanes.chunks_exact(stride).enumerate() {
                    let (vertices, at) = (&lanes[terms..], self.at::<ROW>(run, first + block));
                    if NORMALS && let Some(to) = self.target.normals {
                        let normal = unit(load::<S>(&room.normals[block]), load(&vertices[3..]));
                        at.write_three(normal, to.cast());
                    }
                    if TANGENTS && let Some(to) = self.target.tangents {
                        let tangents = &vertices[self.content.tangents_at()..];
                        let tangent = unit(load::<S>(&room.tangents[block]), load(tangents));
                        at.write_four(tangent, S::load(&tangents[3].0), to.cast());
                    }
                }
            }
        }
    }

    /// The same where one joint has all the weight, as it has of most vertices of most characters, and its matrix turns and scales evenly.
    #[inline(always)]
    unsafe fn turned<S: Simd, const ROW: bool, const NORMALS: bool, const TANGENTS: bool>(
        &self,
        run: &Run,
        blocks: Range<usize>,
        spread: &Spread,
        turn: &Turn,
        room: &mut Room,
    ) {
        let stride = self.content.stride(run);
        let lanes = &self.lanes[run.lanes..][blocks.start * stride..blocks.end * stride];
        // SAFETY: as for `all`.
        unsafe {
            let matrix = blend::<S, 0>(&[], spread);
            let (normals, tangents) = (splat_rows::<S>(&turn.normals), splat_rows::<S>(&turn.tangents));
            for (batch, lanes) in lanes.chunks(BATCH * stride).enumerate() {
                let first = blocks.start + batch * BATCH;
                let lanes = self.moved::<S>(run, first, lanes, &mut room.moved);
                for (block, vertices) in lanes.chunks_exact(stride).enumerate() {
                    let at = self.at::<ROW>(run, first + block);
                    at.write_three(position(matrix, load(vertices)), self.target.positions.cast());
                    if NORMALS && let Some(to) = self.target.normals {
                        at.write_three(nearly_unit(normals, load(&vertices[3..])), to.cast());
                    }
                    if TANGENTS && let Some(to) = self.target.tangents {
                        let vertices = &vertices[self.content.tangents_at()..];
                        let tangent = nearly_unit(tangents, load(vertices));
                        at.write_four(tangent, S::load(&vertices[3].0), to.cast());
                    }
                }
            }
        }
    }

    /// The lanes of a batch of blocks, after morph targets; `first` is the number of the first block.
    #[inline(always)]
    unsafe fn moved<'b, S: Simd>(
        &self,
        run: &Run,
        first: usize,
        lanes: &'b [Lanes],
        room: &'b mut [Lanes; BATCH * MOST_LANES],
    ) -> &'b [Lanes] {
        let Some(start) = run.morphed else { return lanes };
        let moved = &mut room[..lanes.len()];
        moved.copy_from_slice(lanes);
        for (block, lanes) in moved.chunks_exact_mut(self.content.stride(run)).enumerate() {
            let vertices = &mut lanes[run.terms()..];
            // SAFETY: as for `all`.
            unsafe {
                self.moves.apply::<S>(start + first + block, self.scalars, vertices);
                if run.is_single() {
                    for vectors in self.content.vectors() {
                        let vectors = &mut vertices[vectors..][..3];
                        let v = load::<S>(vectors);
                        store(unit(v, v), vectors);
                    }
                }
            }
        }
        moved
    }

    /// Which vertices a block of a run has; `ROW`: eight in a row.
    #[inline(always)]
    fn at<const ROW: bool>(&self, run: &Run, block: usize) -> At<'_> {
        let first = block * LANES;
        let count = if ROW { LANES } else { (run.count - first).min(LANES) };
        match run.place {
            Place::Table(_) if ROW => At::Row { first: 0, count: 0 },
            Place::Row(start) => At::Row { first: start + first, count },
            Place::Table(start) => At::Table(&self.table[start + first..][..count]),
        }
    }
}

/// So many blocks are brought to length one together.
const BATCH: usize = 8;

/// The most lanes of a block: weights, positions, normals and tangents.
const MOST_LANES: usize = MOST_INFLUENCES + 10;

/// Room for a batch of blocks.
struct Room {
    /// Their lanes, moved by morph targets.
    moved: [Lanes; BATCH * MOST_LANES],
    /// Normals and tangents before they are brought to length one.
    normals: [[Lanes; 3]; BATCH],
    tangents: [[Lanes; 3]; BATCH],
}

impl Room {
    #[inline(always)]
    fn new() -> Self {
        let zero = Lanes::splat(0.0);
        Self { moved: [zero; BATCH * MOST_LANES], normals: [[zero; 3]; BATCH], tangents: [[zero; 3]; BATCH] }
    }
}

/// A number of terms that the run knows.
const MANY: usize = usize::MAX;

/// Each number of the matrices of a run in all lanes: to read one as it is takes less than to spread it each time. Behind the first, what the others differ
/// from it.
type Spread = [[f32; 12]; MOST_INFLUENCES + 1];

/// The sum of the first matrix and of the others by their weights.
///
/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn blend<S: Simd, const TERMS: usize>(weights: &[Lanes], spread: &Spread) -> [[S; 4]; 3] {
    let [first, terms @ ..] = spread;
    // SAFETY: the caller's promise.
    unsafe {
        let zero = S::splat(0.0);
        let mut sum = [[zero; 4]; 3];
        let few = if TERMS == MANY { [zero; 3] } else { load_few::<S, TERMS>(weights) };
        let mut n = 0;
        while n < 12 {
            let mut number = S::splat(first[n]);
            if TERMS == MANY {
                for (weight, term) in weights.iter().zip(terms) {
                    number = S::splat(term[n]).mul_add(S::load(&weight.0), number);
                }
            } else {
                let mut k = 0;
                while k < TERMS {
                    number = S::splat(terms[k][n]).mul_add(few[k], number);
                    k += 1;
                }
            }
            sum[n / 4][n % 4] = number;
            n += 1;
        }
        sum
    }
}

/// At most three weights, in registers.
///
/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn load_few<S: Simd, const TERMS: usize>(weights: &[Lanes]) -> [S; 3] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut few = [S::splat(0.0); 3];
        let weights = &weights[..TERMS];
        let mut k = 0;
        while k < TERMS {
            few[k] = S::load(&weights[k].0);
            k += 1;
        }
        few
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

    /// Three components, and the fourth as it is.
    #[inline(always)]
    unsafe fn write_four<S: Simd>(self, [x, y, z]: [S; 3], w: S, to: *mut [f32; 4]) {
        // SAFETY: the caller runs this on a machine with S, and has checked the vertices.
        unsafe {
            let mut packed = [[0.0; 4]; LANES];
            let (low, high) = packed.split_at_mut(4);
            for (k, rows) in S::to_rows([x, y, z, w]).into_iter().enumerate() {
                rows.store_rows(&mut low[k], &mut high[k]);
            }
            for (lane, vector) in packed.iter().enumerate().take(self.count()) {
                to.add(self.vertex(lane)).write(*vector);
            }
        }
    }
}
