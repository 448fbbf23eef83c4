//! Vertices under the weighted sum of their skin matrices, eight at a time. The order of operations is that of `skinning::reference`.
//!
//! No lanes go through closures or `array::map`: these are compiled without the machine's instructions unless they happen to be inlined.

mod at;
mod own;
mod vertex;

use super::morph::Moves;
use super::simd::{Matrix, Simd, Wide};
use super::{Kernel, Kernels, WideKernel, Width, dispatch_wide_to};
use crate::Mat3x4;
use crate::pose::{LANES, Lanes};
use crate::skinning::MOST_INFLUENCES;
use crate::skinning::turn::Turn;
use at::At;
use glam::{Vec3, Vec4};
use own::{Sums, summed};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use vertex::{load, nearly_unit, normal, position, splat_rows, store, turned, unit};

/// Vertices that hang on the same skin joints, or on as many. They lie in blocks of eight, of which the last may have fewer.
///
/// A block is one lanes of weights for each term, three of positions, three of normals and four of tangents, the latter as the plan has them.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) joints: Joints,
    /// How many joints count for a vertex: at least one.
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

/// The joints of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Joints {
    /// Those of all its vertices.
    Shared([u16; MOST_INFLUENCES]),
    /// Each vertex has its own: those of the first block begin here.
    Own(usize),
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
    /// By block, of vertices with joints of their own.
    pub(crate) joints: &'a [[u16; LANES]],
    pub(crate) table: &'a [u32],
    pub(crate) content: Content,
    pub(crate) moves: &'a Moves,
    /// Weights of the morph targets.
    pub(crate) scalars: &'a [f32],
    pub(crate) matrices: &'a [Mat3x4],
    pub(crate) target: Target<'a>,
}

/// The same with what is written chosen. Each choice is compiled by itself: all of them in one function would take megabytes of stack where nothing is optimised.
struct Written<'a, const NORMALS: bool, const TANGENTS: bool>(SkinRuns<'a>);

impl<const NORMALS: bool, const TANGENTS: bool> Kernel for Written<'_, NORMALS, TANGENTS> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: the caller runs this on a machine with S.
        unsafe { self.0.all::<S, S, NORMALS, TANGENTS>() }
    }
}

impl<const NORMALS: bool, const TANGENTS: bool> WideKernel for Written<'_, NORMALS, TANGENTS> {
    #[inline(always)]
    unsafe fn run_wide<S: Simd, W: Wide + Matrix>(self) {
        // SAFETY: the caller runs this on a machine with S and W.
        unsafe { self.0.all::<S, W, NORMALS, TANGENTS>() }
    }
}

impl SkinRuns<'_> {
    /// Deforms them.
    pub(crate) fn skin(self, with: (Kernels, Width)) {
        match (self.target.normals.is_some(), self.target.tangents.is_some()) {
            (false, false) => dispatch_wide_to(with, Written::<false, false>(self)),
            (true, false) => dispatch_wide_to(with, Written::<true, false>(self)),
            (false, true) => dispatch_wide_to(with, Written::<false, true>(self)),
            (true, true) => dispatch_wide_to(with, Written::<true, true>(self)),
        }
    }

    #[inline(always)]
    unsafe fn all<S: Simd, W: Wide, const NORMALS: bool, const TANGENTS: bool>(&self) {
        let mut spread = [[0.0; 12]; MOST_INFLUENCES + 1];
        let (mut room, mut narrow) = (Room::<W>::new(), Room::<S>::new());
        for run in self.runs {
            let joints = match run.joints {
                Joints::Shared(joints) => joints,
                Joints::Own(_) => {
                    let blocks = 0..run.count.div_ceil(LANES);
                    // SAFETY: the caller runs this on a machine with S, and has checked the vertices.
                    unsafe {
                        self.blocks::<S, S, OWN, false, NORMALS, TANGENTS>(run, blocks, &spread, &mut narrow)
                    };
                    continue;
                }
            };
            let rows = self.rows::<W>(run);
            let others = rows..run.count.div_ceil(LANES).max(rows);
            let rows = 0..rows;
            // SAFETY: the caller runs this on a machine with S and W, and has checked the vertices.
            unsafe {
                self.spread_out(run, &joints, &mut spread);
                let turn = match run.is_single() {
                    true if NORMALS || TANGENTS => Turn::of(&self.matrices[usize::from(joints[0])]),
                    // Any matrix moves points alike.
                    true => Some(Turn::UNUSED),
                    false => None,
                };
                if let Some(turn) = &turn {
                    self.turned::<S, W, true, NORMALS, TANGENTS>(run, rows, &spread, turn, &mut room);
                    self.turned::<S, S, false, NORMALS, TANGENTS>(run, others, &spread, turn, &mut narrow);
                    continue;
                }
                // Most vertices have few influences: for these the loop over them is unrolled.
                match run.terms() {
                    1 => self.blocks::<S, W, 1, true, NORMALS, TANGENTS>(run, rows, &spread, &mut room),
                    2 => self.blocks::<S, W, 2, true, NORMALS, TANGENTS>(run, rows, &spread, &mut room),
                    3 => self.blocks::<S, W, 3, true, NORMALS, TANGENTS>(run, rows, &spread, &mut room),
                    _ => self.blocks::<S, W, MANY, true, NORMALS, TANGENTS>(run, rows, &spread, &mut room),
                }
                self.blocks::<S, S, MANY, false, NORMALS, TANGENTS>(run, others, &spread, &mut narrow);
            }
        }
    }

    /// How many blocks of a run are written without a look at each of their vertices: those whose vertices lie in a row, and where others follow that are
    /// written later, all.
    #[inline(always)]
    fn rows<W: Wide>(&self, run: &Run) -> usize {
        let blocks = run.count.div_ceil(LANES).next_multiple_of(W::BLOCKS);
        match run.place {
            Place::Row(start) if start + blocks * LANES <= self.end => blocks,
            Place::Row(_) => run.count / (LANES * W::BLOCKS) * W::BLOCKS,
            Place::Table(_) => 0,
        }
    }

    /// The matrices that a run sums: the first is taken as it is, the others by their weights.
    #[inline(always)]
    fn spread_out(&self, run: &Run, joints: &[u16; MOST_INFLUENCES], spread: &mut Spread) {
        let [first, terms @ ..] = spread;
        let (whole, others) = joints[..run.len].split_at(run.len - run.terms());
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
        W: Wide,
        const TERMS: usize,
        const ROW: bool,
        const NORMALS: bool,
        const TANGENTS: bool,
    >(
        &self,
        run: &Run,
        blocks: Range<usize>,
        spread: &Spread,
        room: &mut Room<W>,
    ) {
        let terms = if TERMS == MANY || TERMS == OWN { run.terms() } else { TERMS };
        let stride = self.content.stride(run);
        let lanes = &self.lanes[run.lanes..][blocks.start * stride..blocks.end * stride];
        for (batch, lanes) in lanes.chunks(BATCH * stride).enumerate() {
            let first = blocks.start + batch * BATCH;
            // SAFETY: as for `all`. Sums, normals and tangents of these blocks are written here before they are read.
            unsafe {
                let lanes = self.moved::<S>(run, first, lanes, &mut room.moved);
                if TERMS == OWN {
                    for (block, lanes) in lanes.chunks_exact(stride).enumerate() {
                        let joints = self.own_joints(run, first + block);
                        room.sums[block].write(self.own::<S>(joints, &lanes[..terms]));
                    }
                }
                for (group, lanes) in lanes.chunks_exact(stride * W::BLOCKS).enumerate() {
                    let vertices = &lanes[terms..];
                    // AVX-512 spreads a number as it reads it. Told nothing of where they are, the compiler does not spread all of them before the loop, to read them from the
                    // stack.
                    let spread = if W::BLOCKS > 1 { std::hint::black_box(spread) } else { spread };
                    let sum = match TERMS {
                        OWN => summed(&room.sums[group * W::BLOCKS..]),
                        _ => blend::<W, TERMS>(&lanes[..lanes.len() - stride + terms], stride, spread),
                    };
                    let at = self.at::<ROW>(run, first + group * W::BLOCKS);
                    at.write_three(position(sum, load(vertices, stride)), self.target.positions.cast());
                    if NORMALS {
                        room.normals[group].write(normal(sum, load(&vertices[3..], stride)));
                    }
                    if TANGENTS {
                        let vertices = &vertices[self.content.tangents_at()..];
                        room.tangents[group].write(turned(sum, load(vertices, stride)));
                    }
                }
                if !NORMALS && !TANGENTS {
                    continue;
                }
                for (group, lanes) in lanes.chunks_exact(stride * W::BLOCKS).enumerate() {
                    let (vertices, at) = (&lanes[terms..], self.at::<ROW>(run, first + group * W::BLOCKS));
                    if NORMALS && let Some(to) = self.target.normals {
                        at.write_three(
                            unit(room.normals[group].assume_init(), load(&vertices[3..], stride)),
                            to.cast(),
                        );
                    }
                    if TANGENTS && let Some(to) = self.target.tangents {
                        let vertices = &vertices[self.content.tangents_at()..];
                        let [x, y, z] = unit(room.tangents[group].assume_init(), load(vertices, stride));
                        at.write_four([x, y, z, W::gather(&vertices[3..], stride)], to.cast());
                    }
                }
            }
        }
    }

    /// The same where one joint has all the weight, as it has of most vertices of most characters, and its matrix turns and scales evenly.
    #[inline(always)]
    unsafe fn turned<S: Simd, W: Wide, const ROW: bool, const NORMALS: bool, const TANGENTS: bool>(
        &self,
        run: &Run,
        blocks: Range<usize>,
        spread: &Spread,
        turn: &Turn,
        room: &mut Room<W>,
    ) {
        let stride = self.content.stride(run);
        let lanes = &self.lanes[run.lanes..][blocks.start * stride..blocks.end * stride];
        // SAFETY: as for `all`.
        unsafe {
            let matrix = blend::<W, 0>(&[], stride, spread);
            let (normals, tangents) = (splat_rows::<W>(&turn.normals), splat_rows::<W>(&turn.tangents));
            for (batch, lanes) in lanes.chunks(BATCH * stride).enumerate() {
                let first = blocks.start + batch * BATCH;
                let lanes = self.moved::<S>(run, first, lanes, &mut room.moved);
                for (group, vertices) in lanes.chunks_exact(stride * W::BLOCKS).enumerate() {
                    let at = self.at::<ROW>(run, first + group * W::BLOCKS);
                    at.write_three(position(matrix, load(vertices, stride)), self.target.positions.cast());
                    if NORMALS && let Some(to) = self.target.normals {
                        at.write_three(nearly_unit(normals, load(&vertices[3..], stride)), to.cast());
                    }
                    if TANGENTS && let Some(to) = self.target.tangents {
                        let vertices = &vertices[self.content.tangents_at()..];
                        let [x, y, z] = nearly_unit(tangents, load(vertices, stride));
                        at.write_four([x, y, z, W::gather(&vertices[3..], stride)], to.cast());
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
        room: &'b mut MaybeUninit<Moved>,
    ) -> &'b [Lanes] {
        let Some(start) = run.morphed else { return lanes };
        let moved = copied(lanes, room);
        for (block, lanes) in moved.chunks_exact_mut(self.content.stride(run)).enumerate() {
            let vertices = &mut lanes[run.terms()..];
            // SAFETY: as for `all`.
            unsafe {
                self.moves.apply::<S>(start + first + block, self.scalars, vertices);
                if run.is_single() {
                    for vectors in self.content.vectors() {
                        let vectors = &mut vertices[vectors..][..3];
                        let v = load::<S>(vectors, 0);
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

/// Room for a batch of blocks, written before it is read: to clear it takes longer than to deform a small mesh.
struct Room<W> {
    /// Normals and tangents before they are brought to length one.
    normals: [MaybeUninit<[W; 3]>; BATCH],
    tangents: [MaybeUninit<[W; 3]>; BATCH],
    /// The lanes, moved by morph targets.
    moved: MaybeUninit<Moved>,
    /// Sums of matrices of vertices with joints of their own.
    sums: [MaybeUninit<Sums>; BATCH],
}

type Moved = [Lanes; BATCH * MOST_LANES];

impl<W: Wide> Room<W> {
    fn new() -> Self {
        let vectors = [MaybeUninit::uninit(); BATCH];
        let sums = [MaybeUninit::uninit(); BATCH];
        Self { normals: vectors, tangents: vectors, moved: MaybeUninit::uninit(), sums }
    }
}

/// A number of terms that the run knows.
const MANY: usize = usize::MAX;

/// The same, of vertices with joints of their own.
const OWN: usize = usize::MAX - 1;

/// Each number of the matrices of a run in all lanes: to read one as it is takes less than to spread it each time. Behind the first, what the others differ
/// from it.
type Spread = [[f32; 12]; MOST_INFLUENCES + 1];

/// A copy of the lanes of a batch.
#[inline(always)]
fn copied<'b>(lanes: &[Lanes], room: &'b mut MaybeUninit<Moved>) -> &'b mut [Lanes] {
    assert!(lanes.len() <= BATCH * MOST_LANES, "a batch at the most");
    let to = room.as_mut_ptr().cast::<Lanes>();
    // SAFETY: there is room for as many, which are read only where they were just written.
    unsafe {
        to.copy_from_nonoverlapping(lanes.as_ptr(), lanes.len());
        std::slice::from_raw_parts_mut(to, lanes.len())
    }
}

/// The sum of the first matrix and of the others by their weights, which lie `stride` lanes apart.
///
/// # Safety
/// The machine has W.
#[inline(always)]
unsafe fn blend<W: Wide, const TERMS: usize>(
    weights: &[Lanes],
    stride: usize,
    spread: &Spread,
) -> [[W; 4]; 3] {
    let [first, terms @ ..] = spread;
    // SAFETY: the caller's promise.
    unsafe {
        let zero = W::splat(0.0);
        let mut sum = [[zero; 4]; 3];
        if TERMS == MANY {
            let terms = &terms[..weights.len() - (W::BLOCKS - 1) * stride];
            let mut n = 0;
            while n < 12 {
                let mut number = W::splat(first[n]);
                for (k, term) in terms.iter().enumerate() {
                    number = W::splat(term[n]).mul_add(W::gather(&weights[k..], stride), number);
                }
                sum[n / 4][n % 4] = number;
                n += 1;
            }
            return sum;
        }
        let few = load_few::<W, TERMS>(weights, stride);
        let mut n = 0;
        while n < 12 {
            let mut number = W::splat(first[n]);
            let mut k = 0;
            while k < TERMS {
                number = W::splat(terms[k][n]).mul_add(few[k], number);
                k += 1;
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
/// The machine has W.
#[inline(always)]
unsafe fn load_few<W: Wide, const TERMS: usize>(weights: &[Lanes], stride: usize) -> [W; 3] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut few = [W::splat(0.0); 3];
        let mut k = 0;
        while k < TERMS {
            few[k] = W::gather(&weights[k..], stride);
            k += 1;
        }
        few
    }
}
