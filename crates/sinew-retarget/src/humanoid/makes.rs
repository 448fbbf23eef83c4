//! Whole lists of joints of real makes, twist joints, fingers and faces included: every role is found, and no other joint has one.

use super::{Humanoid, Part, Role, Side};
use glam::Vec3;
use sinew::{Joint, Skeleton, Transform};

/// A make of rigs, with one line for each joint: indentation, name and role.
struct Make {
    name: &'static str,
    /// What stands for `#` and `%`, left and right.
    sides: Vec<[&'static str; 2]>,
    lines: Vec<(usize, &'static str, Option<Part>)>,
}

fn makes() -> Vec<Make> {
    let text = include_str!("makes.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut makes: Vec<Make> = Vec::new();
    for line in text {
        if let Some(head) = line.strip_prefix(": ") {
            let (name, sides) = head.split_once("; ").unwrap();
            let sides = sides.split("; ").map(|pair| pair.split_once(' ').unwrap());
            let sides = sides.map(|(left, right)| [left, right]).collect();
            makes.push(Make { name, sides, lines: Vec::new() });
            continue;
        }
        let (name, role) = line.split_once(" = ").map_or((line, None), |(name, role)| (name, Some(role)));
        let part = role.map(|role| *Part::ALL.iter().find(|part| part.name() == role).expect(role));
        let joint = name.trim_start();
        makes.last_mut().unwrap().lines.push((name.len() - joint.len(), joint, part));
    }
    makes
}

/// Where a joint of a role stands.
fn place(role: Role) -> Vec3 {
    let [x, y, z] = match role.part() {
        Part::Hips => [0.0, 1.0, 0.0],
        Part::Spine => [0.0, 1.1, 0.0],
        Part::Chest => [0.0, 1.2, 0.0],
        Part::UpperChest => [0.0, 1.3, 0.0],
        Part::Neck => [0.0, 1.5, 0.0],
        Part::Head => [0.0, 1.6, 0.0],
        Part::Eye => [0.03, 1.68, 0.08],
        Part::Jaw => [0.0, 1.62, 0.05],
        Part::UpperLeg => [0.1, 0.95, 0.0],
        Part::LowerLeg => [0.1, 0.5, 0.02],
        Part::Foot => [0.1, 0.08, 0.0],
        Part::Toes => [0.1, 0.02, 0.12],
        Part::Shoulder => [0.05, 1.42, 0.0],
        Part::UpperArm => [0.18, 1.43, 0.0],
        Part::LowerArm => [0.45, 1.43, 0.0],
        Part::Hand => [0.7, 1.43, 0.0],
        finger => {
            let of = |(number, parts): (usize, &[Part; 3])| {
                parts.iter().position(|part| *part == finger).map(|link| (number, link))
            };
            let (number, link) = Part::FINGERS.iter().enumerate().find_map(of).unwrap();
            [0.76 + 0.03 * link as f32, 1.43, 0.05 - 0.02 * number as f32]
        }
    };
    Vec3::new(if role.side() == Side::Right { -x } else { x }, y, z)
}

/// The joints, and which role each should have.
struct Rig {
    joints: Vec<Joint>,
    places: Vec<Vec3>,
    truth: Vec<(Role, u16)>,
}

impl Rig {
    fn of(make: &Make) -> Self {
        let mut rig = Self { joints: vec![], places: vec![], truth: vec![] };
        for (at, side) in Side::BOTH.into_iter().enumerate() {
            let named = |name: &str| {
                let marks = ["#", "%"].into_iter().zip(&make.sides);
                marks.fold(name.to_owned(), |name, (mark, letters)| name.replace(mark, letters[at]))
            };
            let mut above: Vec<(usize, u16)> = Vec::new();
            for &(depth, joint, part) in &make.lines {
                above.retain(|(other, _)| *other < depth);
                let name = named(joint);
                let known = rig.joints.iter().position(|joint| joint.name == name);
                let index = known.map_or_else(
                    || rig.push(name, above.last().map(|(_, joint)| *joint), side, part),
                    |index| index as u16,
                );
                above.push((depth, index));
            }
        }
        rig
    }

    fn push(&mut self, name: String, parent: Option<u16>, side: Side, part: Option<Part>) -> u16 {
        let joint = self.joints.len() as u16;
        let role = part.map(|part| Role::new(if part.is_paired() { side } else { Side::Middle }, part));
        let from = parent.map_or(Vec3::ZERO, |parent| self.places[usize::from(parent)]);
        let at = role.map_or(from + Vec3::new(0.0, 0.005, 0.01), place);
        self.joints.push(Joint::new(name, parent, Transform::from_translation(at - from)));
        self.places.push(at);
        self.truth.extend(role.map(|role| (role, joint)));
        joint
    }
}

#[test]
fn real_lists_are_found_whole() {
    let makes = makes();
    assert!(makes.len() >= 15);
    let mut wrong = Vec::new();
    for make in &makes {
        let rig = Rig::of(make);
        let skeleton = Skeleton::new(rig.joints.clone(), vec![]).unwrap();
        let found = match Humanoid::find(&skeleton) {
            Ok(found) => found,
            Err(error) => {
                wrong.push(format!("{}: {error}", make.name));
                continue;
            }
        };
        let name = |joint: Option<u16>| joint.map_or("no joint", |joint| skeleton.name(joint));
        wrong.extend(found.refused().iter().map(|refused| format!("{}: {refused}", make.name)));
        let missing = rig.truth.iter().filter(|(role, joint)| found.joint(*role) != Some(*joint));
        let told = missing.map(|(role, joint)| {
            let (is, should) = (name(found.joint(*role)), name(Some(*joint)));
            format!("{}: {role} is {is}, not {should}", make.name)
        });
        wrong.extend(told);
        let extra = found.roles().filter(|(role, found)| !rig.truth.contains(&(*role, found.joint)));
        wrong.extend(
            extra.map(|(role, found)| format!("{}: {role} is {}", make.name, name(Some(found.joint)))),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A second joint of the same name beside the first: of no make is one of the two taken.
#[test]
fn twins_are_refused_in_every_make() {
    let mut wrong = Vec::new();
    for make in makes() {
        for part in [Part::Foot, Part::Hand] {
            let mut rig = Rig::of(&make);
            let role = Role::new(Side::Left, part);
            let joint = usize::from(rig.truth.iter().find(|(own, _)| *own == role).unwrap().1);
            let Joint { name, parent, rest } = rig.joints[joint].clone();
            // What hangs on the first must not make it the better one.
            let below = |index: usize, joints: &[Joint]| {
                std::iter::successors(Some(index as u16), |&at| joints[usize::from(at)].parent)
                    .any(|at| usize::from(at) == joint)
            };
            let names = rig.joints.clone();
            let bare = rig.joints.iter_mut().enumerate().filter(|(index, _)| *index != joint);
            for (index, joint) in bare.filter(|(index, _)| below(*index, &names)) {
                joint.name = format!("x{index}");
            }
            rig.joints.push(Joint::new(format!("other:{}", sinew::names::bare(&name)), parent, rest));
            let skeleton = Skeleton::new(rig.joints, vec![]).unwrap();
            let found = Humanoid::find(&skeleton).unwrap_or_else(|error| panic!("{}: {error}", make.name));
            let refused = found.refused().iter().find(|refused| refused.role == role);
            let candidates = refused.map_or(&[][..], |refused| &refused.candidates);
            if found.joint(role).is_some() || candidates.len() != 2 {
                wrong.push(format!("{}: {role}: {candidates:?}", make.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
