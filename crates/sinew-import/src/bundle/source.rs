//! Sections `SRCS` and `VORD`.

use super::layout::{JOINT_HELPER, SourceHeader, TAG_INFERRED, VORD, VertexOrderHeader};
use crate::{SourceClip, SourceInfo, SourceJoint};
use sinew::bundle_file::{Cursor, Section, Sections};
use sinew::{BundleError, Character, Mesh};

pub(super) fn source(section: Section<'_>, character: &Character) -> Result<SourceInfo, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: SourceHeader = cursor.record()?;
    cursor.check(header.reordered <= 1, "its `reordered` is neither 0 nor 1")?;
    let counts = [header.joints, header.meshes, header.clips].map(|count| count as usize);
    let expected = [character.skeleton().len(), character.meshes().len(), character.clips().len()];
    cursor.check(counts == expected, "its numbers of joints, meshes and clips are not the character's")?;
    let [joints, meshes, clips] = counts;
    let nodes = cursor.array::<u32>(joints)?;
    let helpers = flags(&mut cursor, joints, JOINT_HELPER)?;
    let order = if header.reordered == 1 { cursor.array::<u16>(joints)? } else { Vec::new() };
    let once = holds_each_once(order.iter().map(|&joint| joint.into()), order.len());
    cursor.check(once, "a joint occurs twice in the order of the source")?;
    let vertices = vertices(&mut cursor, meshes, character)?;
    let starts = cursor.array::<f64>(clips)?;
    cursor.check(starts.iter().all(|start| start.is_finite()), "the start of a clip is not finite")?;
    let inferred = flags(&mut cursor, clips, TAG_INFERRED)?;
    cursor.finish()?;
    Ok(SourceInfo {
        joints: nodes.into_iter().zip(helpers).map(|(node, helper)| SourceJoint { node, helper }).collect(),
        vertices,
        clips: starts
            .into_iter()
            .zip(inferred)
            .map(|(start, tag_inferred)| SourceClip { start, tag_inferred })
            .collect(),
        order,
        ..SourceInfo::default()
    })
}

/// Whether numbers below a count occur once each.
fn holds_each_once(mut numbers: impl Iterator<Item = usize>, count: usize) -> bool {
    let mut seen = vec![false; count];
    numbers.all(|number| seen.get_mut(number).is_some_and(|seen| !std::mem::replace(seen, true)))
}

/// The order of the vertices of each mesh when it was imported; nothing at all if no mesh is in another one.
pub(super) fn vertex_order(
    sections: &Sections<'_>,
    character: &Character,
) -> Result<Vec<Vec<u32>>, BundleError> {
    let meshes = character.meshes();
    let mut orders = Vec::new();
    for section in sections.belonging(VORD, meshes.len())? {
        let mut cursor = Cursor::new(section);
        let header: VertexOrderHeader = cursor.record()?;
        cursor.zero(header.reserved)?;
        let index = section.index as usize;
        let count = meshes.get(index).map_or(0, Mesh::vertex_count);
        cursor.check(header.vertices as usize == count, "its number of vertices differs from its mesh's")?;
        let order = cursor.array::<u32>(count)?;
        cursor.finish()?;
        if !holds_each_once(order.iter().map(|&vertex| vertex as usize), count) {
            let what = "a vertex occurs twice in the order of the source".to_owned();
            return Err(BundleError::Content { place: section.place(), what });
        }
        orders.resize(meshes.len(), Vec::new());
        if let Some(place) = orders.get_mut(index) {
            *place = order;
        }
    }
    Ok(orders)
}

/// Bytes of which one bit has a meaning.
fn flags(cursor: &mut Cursor<'_>, count: usize, bit: u8) -> Result<Vec<bool>, BundleError> {
    let flags = cursor.array::<u8>(count)?;
    cursor.check(flags.iter().all(|&flags| flags & !bit == 0), "a joint or clip has unknown flags")?;
    Ok(flags.into_iter().map(|flags| flags & bit != 0).collect())
}

fn vertices(
    cursor: &mut Cursor<'_>,
    meshes: usize,
    character: &Character,
) -> Result<Vec<Vec<u32>>, BundleError> {
    let counts = cursor.array::<u32>(meshes)?;
    let fits = counts
        .iter()
        .zip(character.meshes())
        .all(|(&count, mesh)| count == 0 || count as usize == mesh.vertex_count());
    cursor.check(fits, "a mesh has another number of source vertices than of vertices")?;
    let mut all = cursor.array::<u32>(counts.iter().map(|&count| count as usize).sum())?.into_iter();
    Ok(counts.iter().map(|&count| all.by_ref().take(count as usize).collect()).collect())
}
