//! Geometry compressed with `KHR_draco_mesh_compression`, which is not decoded: a file that has it without plain data beside it is refused by name.

use super::json::{Document, Primitive};
use crate::Cause;

/// Refuses primitives whose vertices are in Draco data alone.
pub(super) fn check(document: &Document) -> Result<(), Cause> {
    let plain = |primitive: &Primitive| {
        let accessor = primitive.attributes.position.and_then(|index| document.accessors.get(index));
        accessor.is_some_and(|accessor| accessor.buffer_view.is_some())
    };
    // Here the data would be decoded: `draco.buffer_view` holds it, `draco.attributes` maps what it holds to ids of its attributes, and the
    // result replaces the accessors of `primitive.attributes` and `primitive.indices`.
    let compressed = |primitive: &Primitive| primitive.extensions.draco.is_some() && !plain(primitive);
    match document.meshes.iter().flat_map(|mesh| &mesh.primitives).any(compressed) {
        true => Err(Cause::Extension { name: "KHR_draco_mesh_compression".to_owned() }),
        false => Ok(()),
    }
}
