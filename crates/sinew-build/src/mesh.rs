//! What writers ask of a mesh.

use sinew::{Mesh, Part};

/// The non-empty parts of a mesh; all triangles as one part if the mesh has none.
pub(crate) fn parts(mesh: &Mesh) -> Vec<Part> {
    let whole = Part { material: None, first: 0, count: mesh.indices.len() as u32 };
    let parts = if mesh.parts.is_empty() { vec![whole] } else { mesh.parts.clone() };
    parts.into_iter().filter(|part| part.count > 0).collect()
}

/// Whether some vertex has no weights, and so stays at its bind position.
pub(crate) fn has_still_vertices(mesh: &Mesh) -> bool {
    (0..mesh.vertex_count()).any(|vertex| mesh.influences.of(vertex).all(|(_, weight)| weight == 0.0))
}
