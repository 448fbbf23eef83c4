//! Geometry compressed with `KHR_draco_mesh_compression`, which is not decoded: a file that has it without plain data beside it is refused by name.

use super::json::Document;
use crate::Cause;

/// Refuses primitives whose vertices are in Draco data alone.
pub(super) fn check(document: &Document) -> Result<(), Cause> {
    for primitive in document.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let Some(draco) = &primitive.extensions.draco else { continue };
        if document.buffer_views.get(draco.buffer_view).is_none() || draco.attributes.position.is_none() {
            return Err(Cause::malformed("its Draco data does not exist or has no positions", "meshes"));
        }
        // Decoding would begin here: the buffer view holds the data, `draco.attributes` maps what it holds to ids of its attributes, and the
        // result takes the place of the accessors in `primitive.attributes` and `primitive.indices`.
        let accessor = primitive.attributes.position.and_then(|index| document.accessors.get(index));
        if accessor.is_none_or(|accessor| accessor.buffer_view.is_none()) {
            return Err(Cause::Extension { name: "KHR_draco_mesh_compression".to_owned() });
        }
    }
    Ok(())
}
