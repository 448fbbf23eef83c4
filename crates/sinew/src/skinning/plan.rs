//! What can be decided about deforming a mesh before the first frame.

use super::moves::Changes;
use super::order::{Group, Groups, Kind};
use super::reference::{Deform, Used, unit};
use super::{MOST_INFLUENCES, SkinOutput, check, move_vertex};
use crate::job::{at_least, exactly};
use crate::kernel::morph::Moves;
use crate::kernel::simd::MOST_BLOCKS;
use crate::kernel::skin::{Content, Joints, Place, Run, SkinRuns, Target};
use crate::kernel::{Kernels, Width};
use crate::pose::{LANES, Lanes};
use crate::{JobError, Mat3x4, Mesh, MeshError, MorphDelta};
use glam::Vec3;
use std::ops::Range;

/// About as many vertices as one thread takes at a time.
const PIECE: usize = 4096;
/// From this number of vertices on the work is split across threads.
#[cfg(feature = "rayon")]
const SPLIT: usize = 4 * PIECE;

/// How a mesh is deformed many times over, made once: vertices in groups of the same skin joints, or of as many, eight side by side.
///
/// It gives the same bits as [`skin`](super::skin), on every machine and with any number of threads, unless [`Kernels::Fast`] was chosen. It
/// allocates nothing while it deforms, and can be shared by all instances of the mesh. A mesh whose vertices lie in
/// [`vertex_order`](super::vertex_order), as in compiled bundles, is deformed faster than others. With the feature `rayon` large meshes are split across
/// its threads.
///
/// ```
/// use sinew::skinning::{SkinOutput, SkinPlan};
/// use sinew::{Mat3x4, Mesh, glam::Vec3};
///
/// let mesh = Mesh { positions: [Vec3::ZERO, Vec3::X].into(), ..Mesh::new("rigid") };
/// let plan = SkinPlan::new(&mesh)?;
/// let mut positions = [Vec3::ZERO; 2];
/// let out = SkinOutput { positions: &mut positions, normals: &mut [], tangents: &mut [] };
/// plan.skin(&mesh, &[Mat3x4::from_translation(Vec3::Y)], &[], out)?;
/// assert_eq!(positions, [Vec3::Y, Vec3::new(1.0, 1.0, 0.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SkinPlan {
    vertices: usize,
    matrices: usize,
    content: Content,
    runs: Vec<Run>,
    lanes: Vec<Lanes>,
    /// Of blocks whose vertices have joints of their own: one after another, each of the eight vertices.
    joints: Vec<[u16; LANES]>,
    table: Vec<u32>,
    /// How morph targets move the blocks.
    moves: Moves,
    /// Vertices that are deformed one by one or not at all: they start as the mesh has them.
    prepared: Vec<u32>,
    /// How morph targets move those, each with its scalar.
    loose: Vec<(u16, MorphDelta)>,
    /// Number of scalars that are needed.
    scalars: usize,
    turned: Vec<u32>,
    pieces: Vec<Piece>,
}

/// Work for one thread. No vertex is in two pieces.
#[derive(Clone, Debug)]
enum Piece {
    /// Some of the runs, and up to which vertex they write every one, in order; 0 if they leave some out.
    Runs(Range<usize>, usize),
    /// Some of the vertices that are blended by dual quaternions.
    Turned(Range<usize>),
}

impl SkinPlan {
    /// The plan of a mesh. Fails if the mesh does not fit itself; a valid one ([`Mesh::validate`]) always has a plan.
    pub fn new(mesh: &Mesh) -> Result<Self, MeshError> {
        check_mesh(mesh)?;
        let content = Content { normals: !mesh.normals.is_empty(), tangents: !mesh.tangents.is_empty() };
        let mut plan = Self {
            vertices: mesh.vertex_count(),
            matrices: mesh.skin_matrix_count(),
            content,
            ..Self::default()
        };
        let changes = Changes::new(mesh);
        for (group, vertices) in Groups::new(mesh).iter() {
            if matches!(group.kind, Kind::Plain | Kind::Morphed) {
                plan.add_runs(mesh, group, vertices, &changes);
                continue;
            }
            plan.prepared.extend(vertices);
            let loose = vertices.iter().flat_map(|&vertex| changes.of(vertex));
            plan.loose.extend(loose.map(|change| (change.scalar, *change.delta)));
            if group.kind == Kind::Turned {
                plan.turned.extend(vertices);
            }
        }
        plan.moves.starts.push(plan.moves.moves.len() as u32);
        plan.scalars = mesh.morphs.iter().map(|target| usize::from(target.scalar) + 1).max().unwrap_or(0);
        plan.cut();
        Ok(plan)
    }

    /// Runs of blocks whose vertices lie in a row, and of others.
    fn add_runs(&mut self, mesh: &Mesh, group: &Group, vertices: &[u32], changes: &Changes<'_>) {
        let blocks: Vec<&[u32]> = vertices.chunks(LANES).collect();
        let in_a_row = |block: &[u32]| (block[block.len() - 1] - block[0]) as usize == block.len() - 1;
        let continues = |a: &&[u32], b: &&[u32]| match (in_a_row(a), in_a_row(b)) {
            (true, true) => a[a.len() - 1] + 1 == b[0],
            (a, b) => !a && !b,
        };
        for alike in blocks.chunk_by(continues) {
            for part in alike.chunks(PIECE / LANES) {
                let morphed = (group.kind == Kind::Morphed).then_some(self.moves.starts.len());
                if morphed.is_some() {
                    part.iter().for_each(|block| changes.add_block(block, self.content, &mut self.moves));
                }
                self.add_run(mesh, group, part, morphed, in_a_row(part[0]));
            }
        }
    }

    fn add_run(
        &mut self,
        mesh: &Mesh,
        group: &Group,
        blocks: &[&[u32]],
        morphed: Option<usize>,
        in_a_row: bool,
    ) {
        let place = if in_a_row { Place::Row(blocks[0][0] as usize) } else { Place::Table(self.table.len()) };
        let run = Run {
            joints: group.joints.map_or(Joints::Own(self.joints.len()), Joints::Shared),
            len: group.len,
            whole: group.whole,
            morphed,
            place,
            count: blocks.iter().map(|block| block.len()).sum(),
            lanes: self.lanes.len(),
        };
        for block in blocks {
            if !in_a_row {
                self.table.extend(*block);
            }
            self.add_block(mesh, &run, block);
        }
        // The last block again, for backends that take several at once.
        let stride = self.content.stride(&run);
        for _ in blocks.len()..blocks.len().next_multiple_of(MOST_BLOCKS) {
            self.lanes.extend_from_within(self.lanes.len() - stride..);
            if matches!(run.joints, Joints::Own(_)) {
                self.joints.extend_from_within(self.joints.len() - run.len..);
            }
            if morphed.is_some() {
                self.moves.starts.push(self.moves.moves.len() as u32);
            }
        }
        self.runs.push(run);
    }

    /// Weights and the vertices themselves, a component in each lanes.
    fn add_block(&mut self, mesh: &Mesh, run: &Run, vertices: &[u32]) {
        // The lanes behind the last vertex repeat it: their results are not written.
        let vertices: [usize; LANES] =
            std::array::from_fn(|lane| vertices[lane.min(vertices.len() - 1)] as usize);
        let used = vertices.map(|vertex| Used::of(mesh, vertex));
        if matches!(run.joints, Joints::Own(_)) {
            self.joints.extend((0..run.len).map(|i| used.map(|used| used.joints[i])));
        }
        let terms = run.len - run.terms()..run.len;
        self.lanes.extend(terms.map(|i| Lanes(used.map(|used| used.weights[i]))));
        self.lanes.extend((0..3).map(|c| Lanes(vertices.map(|vertex| mesh.positions[vertex][c]))));
        // What morph targets move is scaled when they have.
        let ready = run.is_single() && run.morphed.is_none();
        let scaled = |v: Vec3| if ready { unit(v) } else { v };
        if self.content.normals {
            let normals = vertices.map(|vertex| scaled(mesh.normals[vertex]));
            self.lanes.extend((0..3).map(|c| Lanes(normals.map(|normal| normal[c]))));
        }
        if self.content.tangents {
            let tangents = vertices.map(|vertex| mesh.tangents[vertex]);
            let tangents = tangents.map(|tangent| scaled(tangent.truncate()).extend(tangent.w));
            self.lanes.extend((0..4).map(|c| Lanes(tangents.map(|tangent| tangent[c]))));
        }
    }

    /// Cuts the work into pieces for threads.
    fn cut(&mut self) {
        let (mut first, mut vertices) = (0, 0);
        for (i, run) in self.runs.iter().enumerate() {
            vertices += run.count.next_multiple_of(LANES);
            if vertices >= PIECE || i + 1 == self.runs.len() {
                let end = unbroken(&self.runs[first..=i]).unwrap_or(0);
                self.pieces.push(Piece::Runs(first..i + 1, end));
                (first, vertices) = (i + 1, 0);
            }
        }
        let starts = (0..self.turned.len()).step_by(PIECE);
        let end = |start: usize| (start + PIECE).min(self.turned.len());
        self.pieces.extend(starts.map(|start| Piece::Turned(start..end(start))));
    }

    /// Whether all vertices that are deformed by lanes lie in a row with those that are deformed like them, so that none is written by itself: the mesh
    /// is in [`vertex_order`](super::vertex_order), or as good as that.
    pub fn is_in_order(&self) -> bool {
        self.table.is_empty()
    }

    /// Deforms the mesh that the plan was made of, as [`skin`](super::skin) does.
    ///
    /// Fails if a buffer does not fit the mesh, the mesh does not fit the plan, or matrices or scalars are missing.
    pub fn skin(
        &self,
        mesh: &Mesh,
        matrices: &[Mat3x4],
        scalars: &[f32],
        out: SkinOutput<'_>,
    ) -> Result<(), JobError> {
        self.skin_with((Kernels::chosen(), Width::Widest), mesh, matrices, scalars, out)
    }

    /// The same with kernels of one's own choice, for tests.
    pub(crate) fn skin_with(
        &self,
        (kernels, width): (Kernels, Width),
        mesh: &Mesh,
        matrices: &[Mat3x4],
        scalars: &[f32],
        mut out: SkinOutput<'_>,
    ) -> Result<(), JobError> {
        check(mesh, matrices, scalars, &out)?;
        at_least("matrices", self.matrices, matrices.len())?;
        let of_plan = |present: bool| if present { self.vertices } else { 0 };
        exactly("mesh.positions", self.vertices, mesh.positions.len())?;
        exactly("mesh.normals", of_plan(self.content.normals), mesh.normals.len())?;
        exactly("mesh.tangents", of_plan(self.content.tangents), mesh.tangents.len())?;
        at_least("scalars", self.scalars, scalars.len())?;
        self.prepare(mesh, &mut out);
        for (scalar, delta) in &self.loose {
            move_vertex(delta, scalars[usize::from(*scalar)], &mut out);
        }
        let target = Target::new(out.positions, out.normals, out.tangents);
        self.each_piece(|piece| match piece {
            Piece::Runs(runs, end) => {
                let (lanes, joints, table) = (&self.lanes, &self.joints, &self.table);
                let (content, moves) = (self.content, &self.moves);
                let (runs, end) = (&self.runs[runs.clone()], *end);
                // All vertices of the plan are within the target, and each is in one piece only.
                SkinRuns { runs, end, lanes, joints, table, content, moves, scalars, matrices, target }
                    .skin((kernels, width));
            }
            Piece::Turned(range) => turn(mesh, matrices, &self.turned[range.clone()], target),
        });
        Ok(())
    }

    fn prepare(&self, mesh: &Mesh, out: &mut SkinOutput<'_>) {
        for &vertex in &self.prepared {
            let vertex = vertex as usize;
            out.positions[vertex] = mesh.positions[vertex];
            if let Some(normal) = out.normals.get_mut(vertex) {
                *normal = mesh.normals[vertex];
            }
            if let Some(tangent) = out.tangents.get_mut(vertex) {
                *tangent = mesh.tangents[vertex];
            }
        }
    }

    fn each_piece(&self, work: impl Fn(&Piece) + Send + Sync) {
        #[cfg(feature = "rayon")]
        if self.vertices >= SPLIT {
            use rayon::prelude::*;
            return self.pieces.par_iter().for_each(work);
        }
        self.pieces.iter().for_each(work);
    }
}

/// The vertex behind the last one of runs whose vertices lie in a row, each run's behind those of the one before.
fn unbroken(runs: &[Run]) -> Option<usize> {
    let mut ends = runs.iter().map(|run| match run.place {
        Place::Row(start) => Some((start, start + run.count)),
        Place::Table(_) => None,
    });
    let (_, first) = ends.next()??;
    ends.try_fold(first, |end, run| run.filter(|&(start, _)| start == end).map(|(_, end)| end))
}

/// Blends by dual quaternions, vertex by vertex.
fn turn(mesh: &Mesh, matrices: &[Mat3x4], vertices: &[u32], target: Target<'_>) {
    for &vertex in vertices {
        let vertex = vertex as usize;
        let Some(deform) = Deform::of(mesh, matrices, vertex) else { continue };
        // SAFETY: the target has all vertices of the plan, and this one is in no other piece.
        unsafe { target.change(vertex, |p| deform.position(p), |n| deform.normal(n), |t| deform.tangent(t)) };
    }
}

/// What the plan relies on.
fn check_mesh(mesh: &Mesh) -> Result<(), MeshError> {
    let n = mesh.vertex_count();
    let length = |what, expected, got| match got == expected {
        true => Ok(()),
        false => Err(MeshError::Length { what, expected, got }),
    };
    if !mesh.normals.is_empty() {
        length("normals", n, mesh.normals.len())?;
    }
    if !mesh.tangents.is_empty() {
        length("tangents", n, mesh.tangents.len())?;
    }
    let mut deltas = mesh.morphs.iter().flat_map(|target| &target.deltas);
    if let Some(delta) = deltas.find(|delta| delta.vertex as usize >= n) {
        return Err(MeshError::Index { what: "morph.vertex", index: delta.vertex as usize, count: n });
    }
    let (Some(skin), of) = (&mesh.skin, &mesh.influences) else { return Ok(()) };
    if of.per_vertex > MOST_INFLUENCES {
        length("influences.per_vertex", MOST_INFLUENCES, of.per_vertex)?;
    }
    length("influences.skin_joints", n * of.per_vertex, of.skin_joints.len())?;
    length("influences.weights", n * of.per_vertex, of.weights.len())?;
    let count = skin.joints.len();
    let mut used = of.skin_joints.iter().zip(&of.weights).filter(|(_, weight)| **weight != 0.0);
    match used.find(|(joint, _)| usize::from(**joint) >= count) {
        Some((&joint, _)) => {
            Err(MeshError::Index { what: "influences.skin_joints", index: joint.into(), count })
        }
        None => Ok(()),
    }
}
