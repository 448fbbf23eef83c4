//! The whole body by the shape of the tree: two pairs of limbs that mirror each other, and a head.
//!
//! Names are not looked at. What could be read in two ways is left out.

use super::{Humanoid, Method};
use crate::role::{Part, Role, Side};
use crate::tree::Tree;
use glam::Vec3;
use std::collections::HashSet;

/// How far limbs may be from mirroring each other, relative to their length.
const ASYMMETRY: f32 = 0.15;
/// What is found by shape alone is not sure.
const CONFIDENCE: f32 = 0.6;
/// Every joint is tried as hips: a rig with more joints than this is not a humanoid without names.
const MOST_JOINTS: usize = 1000;

/// Two limbs that hang on one joint and mirror each other: lines of equally many joints.
struct Pair {
    on: u16,
    limbs: [Vec<u16>; 2],
    length: f32,
}

pub(super) fn find(tree: &Tree<'_>, kept_out: &HashSet<u16>, found: &mut Humanoid) {
    if tree.skeleton.len() > MOST_JOINTS {
        return;
    }
    let free = tree.joints().filter(|joint| !kept_out.contains(joint));
    let mut pairs: Vec<Pair> = free.filter_map(|on| pair_of(tree, on)).collect();
    // Fingers mirror each other too.
    let longest = pairs.iter().map(|pair| pair.length).fold(0.0, f32::max);
    pairs.retain(|pair| pair.length > 0.3 * longest);
    let Some((legs, arms)) = only(bodies(tree, &pairs)) else { return };
    let Some(left) = left_limb(tree, legs) else { return };
    let arms_left = usize::from(!on_same_side(tree, legs, left, arms));
    for (side, turn) in [(Side::Left, 0), (Side::Right, 1)] {
        set_limb(found, side, &leg_parts(legs.limbs[0].len()), &legs.limbs[(left + turn) % 2]);
        let arm = &arms.limbs[(arms_left + turn) % 2];
        set_limb(found, side, &arm_parts(tree, arm), arm);
    }
    found.set(Role::middle(Part::Hips), legs.on, Method::Tree, CONFIDENCE);
    let path = tree.path(legs.on, arms.on);
    set_trunk(found, path.get(1..).unwrap_or_default(), Method::Tree);
    set_head(tree, found, arms);
}

/// The pairs that make a body: legs, and arms on a joint that hangs on what the legs hang on, on the other side of it.
fn bodies<'p>(tree: &Tree<'_>, pairs: &'p [Pair]) -> Vec<(&'p Pair, &'p Pair)> {
    let mut bodies = Vec::new();
    for legs in pairs {
        for arms in pairs.iter().filter(|arms| arms.on != legs.on && tree.hangs_on(arms.on, legs.on)) {
            let in_leg = legs
                .limbs
                .iter()
                .any(|limb| limb.first().is_some_and(|&first| tree.hangs_on(arms.on, first)));
            let trunk = tree.place(arms.on) - tree.place(legs.on);
            let down = middle_of_ends(tree, legs) - tree.place(legs.on);
            if !in_leg && trunk.dot(down) < 0.0 {
                bodies.push((legs, arms));
            }
        }
    }
    bodies
}

fn only<T: Copy>(list: Vec<T>) -> Option<T> {
    if let [one] = list[..] { Some(one) } else { None }
}

fn middle_of_ends(tree: &Tree<'_>, pair: &Pair) -> Vec3 {
    let ends = pair.limbs.each_ref().map(|limb| limb.last().map_or(Vec3::ZERO, |&joint| tree.place(joint)));
    (ends[0] + ends[1]) * 0.5
}

/// The two longest branches of a joint, if they mirror each other and are long enough to be limbs.
fn pair_of(tree: &Tree<'_>, on: u16) -> Option<Pair> {
    let mut branches: Vec<Vec<u16>> = tree.children(on).iter().map(|&child| tree.longest(child)).collect();
    branches.retain(|branch| (3..=12).contains(&branch.len()));
    let mut pairs = Vec::new();
    for (at, a) in branches.iter().enumerate() {
        for b in branches.iter().skip(at + 1).filter(|b| b.len() == a.len()) {
            if mirror(tree, on, a, b) {
                pairs.push(Pair { on, limbs: [a.clone(), b.clone()], length: length(tree, a) });
            }
        }
    }
    if pairs.len() == 1 { pairs.pop() } else { None }
}

fn length(tree: &Tree<'_>, line: &[u16]) -> f32 {
    line.windows(2).map(|pair| tree.place(pair[0]).distance(tree.place(pair[1]))).sum()
}

/// Whether two lines mirror each other in the plane between their ends.
fn mirror(tree: &Tree<'_>, on: u16, a: &[u16], b: &[u16]) -> bool {
    let place = |joint: &u16| tree.place(*joint) - tree.place(on);
    let (Some(first), Some(last)) = (a.first().zip(b.first()), a.last().zip(b.last())) else { return false };
    let between = [first, last].map(|(a, b)| place(a) - place(b));
    let normal = sinew::math::normalize_or(between[0] + between[1], Vec3::ZERO);
    let length = length(tree, a);
    let reflected = |v: Vec3| v - normal * (2.0 * v.dot(normal));
    let off = a.iter().zip(b).map(|(a, b)| reflected(place(a)).distance(place(b))).fold(0.0, f32::max);
    // Two limbs in one place are not a left and a right one.
    let apart = between[1].length() > 0.1 * length;
    normal != Vec3::ZERO && apart && off <= ASYMMETRY * length
}

/// Which of the two legs is the left one: by where the toes point, or by the front of canonical space.
fn left_limb(tree: &Tree<'_>, legs: &Pair) -> Option<usize> {
    let [a, b] =
        legs.limbs.each_ref().map(|limb| limb.first().map_or(Vec3::ZERO, |&joint| tree.place(joint)));
    let up = tree.place(legs.on) - middle_of_ends(tree, legs);
    let toes = legs.limbs[0]
        .get(3)
        .zip(legs.limbs[0].get(2))
        .map(|(toes, foot)| tree.place(*toes) - tree.place(*foot));
    let forward = toes.map_or(Vec3::Z, |way| way - up * (way.dot(up) / up.length_squared()));
    let side = up.cross(forward).dot(a - b);
    let sure = side.abs() > 0.2 * up.length() * forward.length() * (a - b).length();
    sure.then_some(usize::from(side < 0.0))
}

/// Whether the first arm is on the side of the left leg.
fn on_same_side(tree: &Tree<'_>, legs: &Pair, left: usize, arms: &Pair) -> bool {
    let end = |limb: &[u16]| limb.last().map_or(Vec3::ZERO, |&joint| tree.place(joint));
    let across = end(&legs.limbs[left]) - end(&legs.limbs[1 - left]);
    across.dot(end(&arms.limbs[0]) - end(&arms.limbs[1])) > 0.0
}

fn leg_parts(joints: usize) -> Vec<Part> {
    let parts = [Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes];
    // Longer legs have joints between that only names could tell apart; one more is the end of the toes.
    if joints <= 5 { parts.to_vec() } else { Vec::new() }
}

/// Parts of an arm from its first joint on. A first segment much shorter than the next is the collar bone.
fn arm_parts(tree: &Tree<'_>, arm: &[u16]) -> Vec<Part> {
    let length =
        |at: usize| arm.get(at..at + 2).map_or(0.0, |pair| tree.place(pair[0]).distance(tree.place(pair[1])));
    let collar = length(0) < 0.75 * length(1) && arm.len() >= 4;
    let parts = [Part::Shoulder, Part::UpperArm, Part::LowerArm, Part::Hand];
    parts.into_iter().skip(usize::from(!collar)).collect()
}

fn set_limb(found: &mut Humanoid, side: Side, parts: &[Part], limb: &[u16]) {
    for (&part, &joint) in parts.iter().zip(limb) {
        found.set(Role::new(side, part), joint, Method::Tree, CONFIDENCE);
    }
}

/// Gives the joints of the trunk, from the first behind the hips to the last, their roles: of more than three, the first, the middle one and the last.
pub(super) fn set_trunk(found: &mut Humanoid, path: &[u16], method: Method) {
    let confidence = if method == Method::Name { 0.9 } else { CONFIDENCE };
    let parts = [Part::Spine, Part::Chest, Part::UpperChest];
    let picked: Vec<u16> = match path {
        [] => return,
        [first, .., last] if path.len() > 3 => vec![*first, path[path.len() / 2], *last],
        few => few.to_vec(),
    };
    for (part, joint) in parts.into_iter().zip(picked) {
        found.set(Role::middle(part), joint, method, confidence);
    }
}

/// Neck and head: the one branch beside the arms.
fn set_head(tree: &Tree<'_>, found: &mut Humanoid, arms: &Pair) {
    let is_arm = |child: &u16| arms.limbs.iter().any(|limb| limb.first() == Some(child));
    let others: Vec<u16> = tree.children(arms.on).iter().copied().filter(|child| !is_arm(child)).collect();
    let [first] = others[..] else { return };
    match *tree.children(first) {
        [head] => {
            found.set(Role::middle(Part::Neck), first, Method::Tree, CONFIDENCE);
            found.set(Role::middle(Part::Head), head, Method::Tree, CONFIDENCE);
        }
        _ => found.set(Role::middle(Part::Head), first, Method::Tree, CONFIDENCE),
    }
}
