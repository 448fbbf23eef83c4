//! Fingers by name, each a line of joints below the hand.

use super::{Humanoid, Method};
use crate::alias::Aliases;
use crate::role::{Part, Role, Side};
use crate::tree::Tree;

pub(super) fn find(tree: &Tree<'_>, found: &mut Humanoid, side: Side) {
    let Some(hand) = found.part(side, Part::Hand) else { return };
    let aliases = Aliases::get();
    let mut fingers: [Vec<u16>; 5] = Default::default();
    for joint in tree.joints().filter(|&joint| joint != hand && tree.hangs_on(joint, hand)) {
        let spelled = aliases.spell(tree.skeleton.name(joint));
        let here = spelled.side == side || spelled.side == Side::Middle;
        if let Some(finger) = aliases.finger(&spelled).filter(|_| here && found.role(joint).is_none()) {
            fingers[finger].push(joint);
        }
    }
    for (parts, mut joints) in Part::FINGERS.into_iter().zip(fingers) {
        joints.sort_by_key(|&joint| tree.depth(joint));
        let is_line = joints.windows(2).all(|pair| pair[0] != pair[1] && tree.hangs_on(pair[1], pair[0]));
        if !is_line {
            let role = Role::new(side, parts[0]);
            found.refuse(
                tree.skeleton,
                role,
                &joints,
                "the joints of the finger are not one below the other",
            );
            continue;
        }
        for (part, joint) in parts.into_iter().zip(joints) {
            found.set(Role::new(side, part), joint, Method::Name, 0.9);
        }
    }
}
