//! Morph targets, put in order for a plan: by block of vertices instead of by target.

use crate::kernel::morph::{MANY, Move, Moves, numbers};
use crate::kernel::skin::Content;
use crate::pose::Lanes;
use crate::{Mesh, MorphDelta};

/// The changes of each vertex of a mesh, in the order of the targets.
pub(super) struct Changes<'a> {
    /// With the scalar of its target and the number of the target.
    changes: Vec<Change<'a>>,
    /// Where those of each vertex begin, and behind the last vertex where they end.
    starts: Vec<usize>,
}

#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    target: usize,
    pub(super) scalar: u16,
    pub(super) delta: &'a MorphDelta,
}

impl<'a> Changes<'a> {
    /// Of a mesh whose targets were checked.
    pub(super) fn new(mesh: &'a Mesh) -> Self {
        let mut changes: Vec<Change<'a>> = Vec::new();
        for (target, of) in mesh.morphs.iter().enumerate() {
            changes.extend(of.deltas.iter().map(|delta| Change { target, scalar: of.scalar, delta }));
        }
        changes.sort_by_key(|change| change.delta.vertex);
        let vertices = 0..=mesh.vertex_count();
        let start = |vertex| changes.partition_point(|change| (change.delta.vertex as usize) < vertex);
        let starts = vertices.map(start).collect();
        Self { changes, starts }
    }

    /// Those of one vertex.
    pub(super) fn of(&self, vertex: u32) -> &[Change<'a>] {
        let [start, end] = [0, 1].map(|next| self.starts[vertex as usize + next]);
        &self.changes[start..end]
    }

    /// Adds a block of at most eight vertices to the moves of a plan.
    pub(super) fn add_block(&self, vertices: &[u32], content: Content, to: &mut Moves) {
        to.starts.push(to.moves.len() as u32);
        let lanes = vertices.iter().enumerate();
        let mut all: Vec<(usize, Change<'a>)> = lanes
            .flat_map(|(lane, &vertex)| self.of(vertex).iter().map(move |change| (lane, *change)))
            .collect();
        all.sort_by_key(|(_, change)| change.target);
        for of_target in all.chunk_by(|a, b| a.1.target == b.1.target) {
            // A target that moves a vertex twice is as two that move it once.
            for once in of_target.chunk_by(|a, b| a.0 < b.0) {
                add_move(once, content, to);
            }
        }
    }
}

/// What one target does to a block: lanes rise.
fn add_move(changes: &[(usize, Change<'_>)], content: Content, to: &mut Moves) {
    let moved = changes.iter().fold(0u8, |bits, (lane, _)| bits | 1 << lane);
    let many = moved.count_ones() >= MANY;
    let at = if many { to.lanes.len() } else { to.singles.len() } as u32;
    to.moves.push(Move { scalar: changes[0].1.scalar, moved, at });
    if !many {
        to.singles.extend(changes.iter().map(|(_, change)| *change.delta));
        return;
    }
    let parts = [(0, true), (3, content.normals), (6, content.tangents)];
    for component in parts.into_iter().filter(|part| part.1).flat_map(|(first, _)| first..first + 3) {
        let mut lanes = Lanes::splat(0.0);
        for (lane, change) in changes {
            lanes.0[*lane] = numbers(change.delta)[component];
        }
        to.lanes.push(lanes);
    }
}
