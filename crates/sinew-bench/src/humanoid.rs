//! A humanoid of 65 joints, called and placed as Mixamo does.

use sinew::glam::Vec3;
use sinew::{Character, CharacterData, ClipLibrary, Joint, Skeleton, Space, Transform};

/// Joints that it has.
pub const JOINTS: usize = 65;

struct Rig {
    joints: Vec<Joint>,
    places: Vec<Vec3>,
    scale: f32,
}

impl Rig {
    fn push(&mut self, name: String, parent: Option<u16>, place: [f32; 3]) -> u16 {
        let place = Vec3::from(place) * self.scale;
        let above = parent.map_or(Vec3::ZERO, |parent| self.places[usize::from(parent)]);
        self.joints.push(Joint::new(name, parent, Transform::from_translation(place - above)));
        self.places.push(place);
        (self.joints.len() - 1) as u16
    }

    /// Joints one below the other; the last of them.
    fn line<'a>(
        &mut self,
        parent: u16,
        side: &str,
        joints: impl IntoIterator<Item = (&'a str, [f32; 3])>,
    ) -> u16 {
        let push =
            |above, (name, place): (&str, [f32; 3])| self.push(format!("{side}{name}"), Some(above), place);
        joints.into_iter().fold(parent, push)
    }
}

/// The figure in its T-pose, 1.8 m times `scale` tall.
pub(crate) fn character(scale: f32) -> Option<Character> {
    let mut rig = Rig { joints: vec![], places: vec![], scale };
    let hips = rig.push("Hips".into(), None, [0.0, 1.0, 0.0]);
    let spine = [("Spine", [0.0, 1.1, 0.0]), ("Spine1", [0.0, 1.2, 0.0]), ("Spine2", [0.0, 1.3, 0.0])];
    let chest = rig.line(hips, "", spine);
    let head = [("Neck", [0.0, 1.5, 0.0]), ("Head", [0.0, 1.6, 0.0]), ("HeadTop_End", [0.0, 1.8, 0.0])];
    rig.line(chest, "", head);
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let arm = [("Shoulder", 0.05), ("Arm", 0.18), ("ForeArm", 0.45), ("Hand", 0.7)];
        let hand = rig.line(chest, side, arm.map(|(name, x)| (name, [sign * x, 1.43, 0.0])));
        for (finger, z) in
            [("Thumb", 0.05), ("Index", 0.03), ("Middle", 0.01), ("Ring", -0.01), ("Pinky", -0.03)]
        {
            let side = format!("{side}Hand{finger}");
            let links = [("1", 0.78), ("2", 0.82), ("3", 0.85), ("4", 0.87)];
            rig.line(hand, &side, links.map(|(name, x)| (name, [sign * x, 1.43, z])));
        }
        let leg = [
            ("UpLeg", 0.95, 0.0),
            ("Leg", 0.5, 0.01),
            ("Foot", 0.08, 0.0),
            ("ToeBase", 0.02, 0.1),
            ("Toe_End", 0.02, 0.2),
        ];
        rig.line(hips, side, leg.map(|(name, y, z)| (name, [sign * 0.1, y, z])));
    }
    Character::new(CharacterData {
        name: "figure".into(),
        skeleton: Skeleton::new(rig.joints, vec![]).ok()?,
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::default(),
        space: Space::CANONICAL,
    })
    .ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_has_as_many_joints_as_it_says() {
        assert_eq!(super::character(1.0).unwrap().skeleton().len(), super::JOINTS);
    }
}
