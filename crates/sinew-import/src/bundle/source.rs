//! Section `SRCS`.

use super::layout::{JOINT_HELPER, SourceHeader, TAG_INFERRED};
use crate::{SourceClip, SourceInfo, SourceJoint};
use sinew::BundleError;
use sinew::Character;
use sinew::bundle_file::{Cursor, Section};

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
    let mut seen = vec![false; order.len()];
    for &joint in &order {
        let first = seen.get_mut(usize::from(joint)).is_some_and(|seen| !std::mem::replace(seen, true));
        cursor.check(first, "a joint occurs twice in the order of the source")?;
    }
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
    })
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
