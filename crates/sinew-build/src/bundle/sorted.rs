//! Vertices in the order in which the CPU deforms them fastest.

use sinew::skinning::{reorder_vertices, vertex_order};
use sinew::{Character, CharacterError, Mesh};
use sinew_import::SourceInfo;

/// The same character with the vertices of each skinned mesh sorted by the joints that carry them, and where they come from.
pub(super) fn sorted(
    character: &Character,
    source: &SourceInfo,
) -> Result<(Character, SourceInfo), CharacterError> {
    let mut source = source.clone();
    let (mut meshes, mut any) = (Vec::with_capacity(character.meshes().len()), false);
    for (index, mesh) in character.meshes().iter().enumerate() {
        let order = new_order(mesh);
        let mut mesh = mesh.clone();
        if let Some(order) = &order {
            any = true;
            reorder_vertices(&mut mesh, order);
            // Another number of them is an error, which is found when the bundle is read back.
            let of_mesh = source.vertices.get_mut(index).filter(|numbers| numbers.len() == order.len());
            if let Some(numbers) = of_mesh {
                *numbers = order.iter().map(|&vertex| numbers[vertex as usize]).collect();
            }
            let before = order.iter().map(|&vertex| source.imported_vertex(index, vertex)).collect();
            source.vertex_order.resize(character.meshes().len(), Vec::new());
            source.vertex_order[index] = before;
        }
        meshes.push(mesh);
    }
    Ok((if any { character.with_meshes(meshes)? } else { character.clone() }, source))
}

/// The order for a skinned mesh that is not in it yet.
fn new_order(mesh: &Mesh) -> Option<Vec<u32>> {
    mesh.skin.as_ref()?;
    let order = vertex_order(mesh);
    (!order.is_sorted()).then_some(order)
}
