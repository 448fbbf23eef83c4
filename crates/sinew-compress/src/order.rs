//! Which joints lie side by side: those that need alike many bits share an octet.

use sinew::{
    Character, CharacterData, CharacterError, Clip, ClipDataError, ClipError, ClipInfo, ClipLibrary, Joint,
    JointTracks, Keys, Mesh, NO_JOINT, Skeleton, SkeletonError, Socket,
};

/// An order of joints, parents first, with the neediest in front: element `i` is the old index of the joint that comes `i`-th. `bits` is what each needs.
pub fn joint_order(parents: &[u16], bits: &[f64]) -> Vec<u16> {
    // A parent comes before its children, so it counts at least as much as the neediest of them.
    let mut need = bits.to_vec();
    for joint in (0..parents.len()).rev() {
        let parent = parents[joint];
        if parent != NO_JOINT {
            let at = usize::from(parent);
            need[at] = need[at].max(need[joint]);
        }
    }
    let mut order: Vec<u16> = (0..parents.len() as u16).collect();
    // Sorting keeps the order of equals, in which parents come first.
    order.sort_by(|&a, &b| need[usize::from(b)].total_cmp(&need[usize::from(a)]));
    order
}

/// Why joints cannot be put in another order.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReorderError {
    /// A clip cannot be loaded.
    #[error(transparent)]
    Load(#[from] ClipError),
    /// A clip has two tracks for one joint.
    #[error(transparent)]
    Clip(#[from] ClipDataError),
    /// The joints in that order form no skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The parts form no character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// A character with its joints in another order; `order[i]` is the old index of the joint that comes `i`-th, parents first. Its clips become clips of keys.
///
/// # Errors
/// If the order does not hold every joint once, or parents do not come first.
pub fn reordered(character: &Character, order: &[u16]) -> Result<Character, ReorderError> {
    let skeleton = character.skeleton();
    let mut places = vec![NO_JOINT; skeleton.len()];
    for (new, &old) in (0u16..).zip(order) {
        if let Some(place) = places.get_mut(usize::from(old)) {
            *place = new;
        }
    }
    let place = |joint: u16| places.get(usize::from(joint)).copied().unwrap_or(NO_JOINT);
    let old: Vec<Joint> = skeleton.joints().collect();
    let joints = order.iter().filter_map(|&joint| old.get(usize::from(joint)));
    let joints = joints.map(|joint| Joint { parent: joint.parent.map(place), ..joint.clone() }).collect();
    let meshes = character.meshes().iter().map(|mesh| {
        let mut mesh = Mesh { joint: place(mesh.joint), ..mesh.clone() };
        if let Some(skin) = &mut mesh.skin {
            skin.joints.iter_mut().for_each(|joint| *joint = place(*joint));
        }
        mesh
    });
    let mut clips = ClipLibrary::default();
    for index in 0..character.clips().len() {
        let info = character.clips().info(index).cloned().unwrap_or_default();
        let clip = character.clips().get(index)?;
        clips.add_with(ClipInfo { name: clip.name().into(), ..info }, moved_clip(&clip, skeleton, place)?);
    }
    let sockets = character.sockets().iter().map(|s| Socket { joint: place(s.joint), ..s.clone() }).collect();
    let reordered = Character::new(CharacterData {
        name: character.name().to_owned(),
        skeleton: Skeleton::new(joints, skeleton.scalars().collect())?,
        meshes: meshes.collect(),
        materials: character.materials().to_vec(),
        textures: character.textures().to_vec(),
        clips,
        space: character.space(),
    })?;
    Ok(reordered.with_sockets(sockets)?)
}

fn moved_clip(clip: &Clip, skeleton: &Skeleton, place: impl Fn(u16) -> u16) -> Result<Clip, ClipDataError> {
    let keys = clip.to_keys(skeleton);
    let moved = |tracks: &JointTracks| JointTracks { joint: place(tracks.joint), ..tracks.clone() };
    let mut joints: Vec<JointTracks> = keys.joints().iter().map(moved).collect();
    joints.sort_by_key(|tracks| tracks.joint);
    let keys = Keys::new(joints, keys.scalars().to_vec()).map_err(ClipDataError::from)?;
    Clip::from_keys(clip.name(), clip.duration(), keys)?.with_moments_of(clip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_needs_fall() {
        let parents = [NO_JOINT, 0, 1, 0, 3];
        let order = joint_order(&parents, &[1.0, 2.0, 9.0, 4.0, 5.0]);
        assert_eq!(order, [0, 1, 2, 3, 4]);
        let order = joint_order(&parents, &[1.0, 2.0, 3.0, 4.0, 9.0]);
        assert_eq!(order, [0, 3, 4, 1, 2]);
        let place = |joint: u16| order.iter().position(|&j| j == joint);
        assert!((1..5).all(|joint| place(parents[joint]) < place(joint as u16)));
    }
}
