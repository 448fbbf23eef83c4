//! Where the skin matrices of each mesh lie in the palette of an instance.

use crate::Mesh;
use std::ops::Range;

/// A range of the palette for every mesh. Meshes with equal skins, and rigid meshes on the same joint, share a range. Ranges are assigned in
/// the order of the meshes, without gaps.
#[derive(Clone, Debug)]
pub(crate) struct PaletteLayout {
    ranges: Vec<Range<usize>>,
    len: usize,
}

impl PaletteLayout {
    pub(crate) fn new(meshes: &[Mesh]) -> Self {
        let mut layout = Self { ranges: Vec::with_capacity(meshes.len()), len: 0 };
        for mesh in meshes {
            let shared = meshes.iter().zip(&layout.ranges).find(|(other, _)| share(mesh, other));
            let range = shared.map(|(_, range)| range.clone());
            let range = range.unwrap_or_else(|| layout.len..layout.len + mesh.skin_matrix_count());
            layout.len = layout.len.max(range.end);
            layout.ranges.push(range);
        }
        layout
    }

    /// Number of skin matrices of an instance.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn range(&self, mesh: usize) -> Option<Range<usize>> {
        self.ranges.get(mesh).cloned()
    }

    /// Each distinct range once, with the index of the first mesh that uses it.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut end = 0;
        self.ranges.iter().cloned().enumerate().filter(move |(_, range)| {
            let is_first = range.start == end;
            end = end.max(range.end);
            is_first
        })
    }
}

fn share(a: &Mesh, b: &Mesh) -> bool {
    match (&a.skin, &b.skin) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.joint == b.joint,
        _ => false,
    }
}
