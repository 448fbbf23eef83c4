//! Half a turn about the up axis, for models that face −Z.
//!
//! As with every change of space, roots are turned, and so are vertices that are not in the space of a joint.

use super::animation::Animation;
use super::rig::Rig;
use glam::{DQuat, DVec3, Vec3};
use sinew::{Mesh, NO_JOINT};

/// Turns the rest of the roots.
pub(super) fn rig(rig: &mut Rig) {
    for (rest, &parent) in rig.rest.iter_mut().zip(&rig.parents) {
        if parent == NO_JOINT {
            let DVec3 { x, y, z } = rest.translation;
            rest.translation = DVec3::new(-x, y, -z);
            let [x, y, z, w] = rest.rotation.to_array();
            rest.rotation = DQuat::from_xyzw(z, w, -x, -y);
        }
    }
}

/// Turns what moves the roots. It is linear in the numbers of keys, so tangents are turned alike.
pub(super) fn animations(animations: &mut [Animation], rig: &Rig) {
    for channels in animations.iter_mut().flat_map(|animation| &mut animation.joints) {
        if rig.parents.get(usize::from(channels.joint)) != Some(&NO_JOINT) {
            continue;
        }
        let [translation, rotation, _] = &mut channels.parts;
        for [x, _, z] in translation.iter_mut().flat_map(|sampler| sampler.values.as_chunks_mut::<3>().0) {
            (*x, *z) = (-*x, -*z);
        }
        for key in rotation.iter_mut().flat_map(|sampler| sampler.values.as_chunks_mut::<4>().0) {
            let [x, y, z, w] = *key;
            *key = [z, w, -x, -y];
        }
    }
}

/// Turns meshes that are skinned or hang on nothing; others turn with their joints.
pub(super) fn meshes(meshes: &mut [Mesh]) {
    for mesh in meshes.iter_mut().filter(|mesh| mesh.skin.is_some() || mesh.joint == NO_JOINT) {
        mesh.positions.iter_mut().for_each(turn);
        mesh.normals.iter_mut().for_each(turn);
        mesh.tangents.iter_mut().for_each(|tangent| (tangent.x, tangent.z) = (-tangent.x, -tangent.z));
        for delta in mesh.morphs.iter_mut().flat_map(|morph| morph.deltas.iter_mut()) {
            turn(&mut delta.position);
            turn(&mut delta.normal);
            turn(&mut delta.tangent);
        }
        let binds = mesh.skin.iter_mut().flat_map(|skin| skin.inverse_binds.iter_mut());
        // Turned back before the bind, which is the other way round the same.
        for [x, _, z, _] in binds.flat_map(|bind| &mut bind.rows) {
            (*x, *z) = (-*x, -*z);
        }
    }
}

fn turn(vector: &mut Vec3) {
    (vector.x, vector.z) = (-vector.x, -vector.z);
}
