//! One pose of a humanoid of 65 joints, retargeted to another of 65.

use sinew::glam::{Quat, Vec3};
use sinew::{BoneMap, Character, CharacterData, ClipLibrary, Joint, Skeleton, Space, Transform};
use sinew_retarget::{LiveRetarget, Retarget};

fn main() {
    divan::main();
}

/// Joints as Mixamo has them.
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

    fn line(&mut self, parent: u16, names: &[&str], places: &[[f32; 3]]) -> u16 {
        names
            .iter()
            .zip(places)
            .fold(parent, |above, (name, place)| self.push((*name).into(), Some(above), *place))
    }
}

fn figure(scale: f32) -> Character {
    let mut rig = Rig { joints: vec![], places: vec![], scale };
    let hips = rig.push("Hips".into(), None, [0.0, 1.0, 0.0]);
    let trunk = [[0.0, 1.1, 0.0], [0.0, 1.2, 0.0], [0.0, 1.3, 0.0]];
    let chest = rig.line(hips, &["Spine", "Spine1", "Spine2"], &trunk);
    rig.line(chest, &["Neck", "Head", "HeadTop_End"], &[[0.0, 1.5, 0.0], [0.0, 1.6, 0.0], [0.0, 1.8, 0.0]]);
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let name = |part: &str| format!("{side}{part}");
        let mut above = chest;
        for (part, x) in [("Shoulder", 0.05), ("Arm", 0.18), ("ForeArm", 0.45), ("Hand", 0.7)] {
            above = rig.push(name(part), Some(above), [sign * x, 1.43, 0.0]);
        }
        let hand = above;
        for (finger, z) in
            [("Thumb", 0.05), ("Index", 0.03), ("Middle", 0.01), ("Ring", -0.01), ("Pinky", -0.03)]
        {
            let mut above = hand;
            for (link, x) in [(1, 0.78), (2, 0.82), (3, 0.85), (4, 0.87)] {
                above = rig.push(name(&format!("Hand{finger}{link}")), Some(above), [sign * x, 1.43, z]);
            }
        }
        let mut above = hips;
        for (part, y, z) in [
            ("UpLeg", 0.95, 0.0),
            ("Leg", 0.5, 0.0),
            ("Foot", 0.08, 0.0),
            ("ToeBase", 0.02, 0.1),
            ("Toe_End", 0.02, 0.2),
        ] {
            above = rig.push(name(part), Some(above), [sign * 0.1, y, z]);
        }
    }
    Character::new(CharacterData {
        name: "figure".into(),
        skeleton: Skeleton::new(rig.joints, vec![]).unwrap(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::default(),
        space: Space::CANONICAL,
    })
    .unwrap()
}

#[divan::bench]
fn live(bencher: divan::Bencher<'_, '_>) {
    let (source, target) = (figure(1.0), figure(1.3));
    assert_eq!(target.skeleton().len(), 65);
    let (retarget, _) = Retarget::new(&source, &target, &BoneMap::default()).unwrap();
    assert_eq!(retarget.target_roles().roles().len(), 52);
    let mut live = LiveRetarget::new(retarget);
    let mut from = source.skeleton().rest().clone();
    for joint in 0..from.len() {
        let local = from.get(joint);
        from.set(joint, Transform { rotation: Quat::from_rotation_x(0.01 * joint as f32), ..local });
    }
    let mut to = target.skeleton().rest().clone();
    bencher.bench_local(|| live.apply(divan::black_box(&from), &mut to));
}
