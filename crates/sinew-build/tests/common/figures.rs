//! Characters for the tests of XNB files.

#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(unreachable_pub, reason = "a module shared by test binaries")]

use sinew::glam::{Quat, Vec2, Vec3};
use sinew::{
    Character, CharacterData, Clip, ClipLibrary, Interpolation, Joint, JointTracks, Mesh, Part, Skeleton,
    Skin, Space, Track, Transform,
};
use sinew_import::Options;

/// The humanoid with all its clips.
pub fn hero() -> Character {
    let folder = tempfile::tempdir().unwrap();
    sinew_testkit::humanoid::write_to(folder.path()).unwrap();
    let motions = sinew_testkit::humanoid::Motion::ALL;
    let clips = motions.map(|motion| folder.path().join(format!("{}.fbx", motion.name())));
    sinew_import::load(folder.path().join("hero.fbx"), clips).unwrap().character
}

/// The creature with all its clips, and the folder in which its pictures lie.
pub fn creature() -> (Character, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    sinew_testkit::creature::write_to(folder.path(), &sinew_testkit::creature::Style::default()).unwrap();
    (sinew_import::read(folder.path(), &Options::default()).unwrap().character, folder)
}

/// A character of plain meshes: without materials, and without morph targets.
pub fn build(name: &str, joints: Vec<Joint>, meshes: Vec<Mesh>, clips: ClipLibrary) -> Character {
    let mut meshes = meshes;
    meshes.iter_mut().flat_map(|mesh| &mut mesh.parts).for_each(|part| part.material = None);
    meshes.iter_mut().for_each(|mesh| mesh.morphs.clear());
    let scalars = clips.ready().flat_map(|clip| clip.moved_scalars().collect::<Vec<_>>()).max();
    let scalars =
        (0..scalars.map_or(0, |s| s + 1)).map(|i| sinew::Scalar { name: format!("s{i}"), rest: 0.0 });
    Character::new(CharacterData {
        name: name.to_owned(),
        skeleton: Skeleton::new(joints, scalars.collect()).unwrap(),
        meshes,
        materials: vec![],
        textures: vec![],
        clips,
        space: Space::CANONICAL,
    })
    .unwrap()
}

/// A ribbon along a chain of so many joints, each of which moves its vertices, with a clip that bends it.
pub fn ribbon(joints: u16) -> Character {
    let rest = |j: u16| Transform::from_translation(if j == 0 { Vec3::ZERO } else { Vec3::Y * 0.1 });
    let chain = (0..joints).map(|j| Joint::new(format!("j{j}"), j.checked_sub(1), rest(j))).collect();
    let bend = |joint: u16| {
        let turned = Quat::from_rotation_z(0.02);
        let track = Track::new(
            vec![0.0, 0.5, 1.0],
            vec![Quat::IDENTITY, turned, Quat::IDENTITY],
            Interpolation::Linear,
        );
        JointTracks { rotation: Some(track.unwrap()), ..JointTracks::new(joint) }
    };
    let clip = Clip::new("bend", 1.0, (0..joints).map(bend).collect(), vec![]).unwrap();
    let inverse = |j: u16| sinew::Mat3x4::from_translation(Vec3::NEG_Y * 0.1 * f32::from(j));
    let mut mesh = strip("ribbon", (0..joints).map(|j| (j, inverse(j))).collect());
    mesh.uvs = vec![Vec2::ZERO; mesh.positions.len()].into();
    build("ribbon", chain, vec![mesh], ClipLibrary::new([clip]))
}

/// A strip with two vertices for each joint of its skin, one above the other, each moved by its joint and a little by the one before.
pub fn strip(name: &str, skin: Vec<(u16, sinew::Mat3x4)>) -> Mesh {
    let mut mesh = Mesh::new(name);
    for slot in 0..skin.len() as u32 {
        let height = slot as f32 * 0.1;
        mesh.positions.extend([Vec3::new(-0.1, height, 0.0), Vec3::new(0.1, height, 0.0)]);
        if let Some(below) = slot.checked_sub(1).map(|below| below * 2) {
            mesh.indices.extend([below, below + 1, below + 3, below, below + 3, below + 2]);
        }
        let (own, before) = (slot as u16, slot.saturating_sub(1) as u16);
        for _ in 0..2 {
            let (share, rest) = if slot == 0 { (1.0, 0.0) } else { (0.75, 0.25) };
            mesh.influences.skin_joints.extend([own, before, 0, 0]);
            mesh.influences.weights.extend([share, rest, 0.0, 0.0]);
        }
    }
    mesh.influences.per_vertex = 4;
    mesh.normals = vec![Vec3::Z; mesh.positions.len()].into();
    let (joints, inverse_binds) = skin.into_iter().unzip();
    mesh.skin = Some(Skin { joints, inverse_binds });
    mesh.parts = vec![Part { first: 0, count: mesh.indices.len() as u32, material: None }];
    mesh
}

/// The smallest character with all parts: two joints, a triangle, and a clip of a second that bends the second joint.
pub fn tiny() -> Character {
    let up = Transform::from_translation(Vec3::Y);
    let joints = vec![Joint::new("hip", None, Transform::IDENTITY), Joint::new("knee", Some(0), up)];
    let mut mesh = Mesh::new("leg");
    mesh.positions = vec![Vec3::NEG_X, Vec3::X, Vec3::Y * 2.0].into();
    mesh.normals = vec![Vec3::Z; 3].into();
    mesh.uvs = vec![Vec2::new(0.0, 1.0), Vec2::new(1.0, 1.0), Vec2::new(0.5, 0.0)].into();
    mesh.indices = vec![0, 1, 2].into();
    mesh.influences.per_vertex = 4;
    mesh.influences.skin_joints = vec![0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0].into();
    mesh.influences.weights = vec![1.0, 0.0, 0.0, 0.0, 0.75, 0.25, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].into();
    let inverse_binds = vec![sinew::Mat3x4::IDENTITY, sinew::Mat3x4::from_translation(Vec3::NEG_Y)];
    mesh.skin = Some(Skin { joints: vec![0, 1].into(), inverse_binds: inverse_binds.into() });
    mesh.parts = vec![Part { first: 0, count: 3, material: None }];
    // A quarter of a turn.
    let bent = Quat::from_xyzw(0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2);
    let track = Track::new(vec![0.0, 1.0], vec![Quat::IDENTITY, bent], Interpolation::Linear).unwrap();
    let tracks = JointTracks { rotation: Some(track), ..JointTracks::new(1) };
    let clip = Clip::new("bend", 1.0, vec![tracks], vec![]).unwrap();
    build("tiny", joints, vec![mesh], ClipLibrary::new([clip]))
}
