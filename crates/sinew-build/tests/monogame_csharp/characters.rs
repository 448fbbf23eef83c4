//! The characters of the tests, and their XNB files in a folder of content.

use sinew::glam::{Affine3, Quat, Vec2, Vec3};
use sinew::{
    Character, CharacterData, Clip, ClipInfo, ClipLibrary, Event, Influences, Interpolation, Joint,
    JointTracks, LoopMode, Mesh, Part, RootMotion, Skeleton, Skin, Space, Track, Transform,
};
use sinew_build::monogame::{MonoGameOptions, write_monogame};
use sinew_build::textures::Textures;
use sinew_import::Options;
use std::path::Path;

/// The humanoid with all its clips.
pub fn hero() -> Character {
    let folder = tempfile::tempdir().expect("a folder");
    sinew_testkit::humanoid::write_to(folder.path()).expect("it is written");
    let clips = sinew_testkit::humanoid::Motion::ALL
        .map(|motion| folder.path().join(format!("{}.fbx", motion.name())));
    let loaded = sinew_import::load(folder.path().join("hero.fbx"), clips).expect("it loads");
    loaded.character
}

/// The creature with all its clips, and the folder in which its pictures lie.
pub fn creature() -> (Character, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    sinew_testkit::creature::write_to(folder.path(), &sinew_testkit::creature::Style::default())
        .expect("it is written");
    let imported = sinew_import::read(folder.path(), &Options::default()).expect("it loads");
    (imported.character, folder)
}

/// A snake of so many joints, each of which moves two vertices, with a clip that bends it.
pub fn snake(joints: u16) -> Character {
    let rest = |joint: u16| Transform::from_translation(if joint == 0 { Vec3::ZERO } else { Vec3::Y * 0.1 });
    let skeleton = (0..joints).map(|j| Joint::new(format!("j{j}"), j.checked_sub(1), rest(j))).collect();
    let mut mesh = Mesh::new("snake");
    for joint in 0..joints {
        let height = f32::from(joint) * 0.1;
        mesh.positions.extend([Vec3::new(-0.1, height, 0.0), Vec3::new(0.1, height, 0.0)]);
        if let Some(below) = joint.checked_sub(1).map(|below| u32::from(below) * 2) {
            mesh.indices.extend([below, below + 1, below + 3, below, below + 3, below + 2]);
        }
    }
    let vertices = mesh.positions.len();
    mesh.normals = vec![Vec3::Z; vertices];
    mesh.uvs = vec![Vec2::ZERO; vertices];
    mesh.influences = Influences {
        per_vertex: 4,
        skin_joints: (0..joints).flat_map(|j| [j, 0, 0, 0, j, 0, 0, 0]).collect(),
        weights: [1.0, 0.0, 0.0, 0.0].repeat(vertices),
        ..Influences::default()
    };
    let inverse = |j: u16| Affine3::from_translation(Vec3::NEG_Y * 0.1 * f32::from(j));
    mesh.skin =
        Some(Skin { joints: (0..joints).collect(), inverse_binds: (0..joints).map(inverse).collect() });
    mesh.parts = vec![Part { first: 0, count: mesh.indices.len() as u32, material: None }];
    let bend = |joint: u16| {
        let values = vec![Quat::IDENTITY, Quat::from_rotation_z(0.02)];
        let track = Track::new(vec![0.0, 1.0], values, Interpolation::Linear).expect("sound keys");
        JointTracks { rotation: Some(track), ..JointTracks::new(joint) }
    };
    let clip = Clip::new("bend", 1.0, (0..joints).map(bend).collect(), vec![]).expect("a sound clip");
    let data = CharacterData {
        name: "snake".into(),
        skeleton: Skeleton::new(skeleton, vec![]).expect("a sound skeleton"),
        meshes: vec![mesh],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new([clip]),
        space: Space::CANONICAL,
    };
    Character::new(data).expect("a sound character")
}

/// The same character with a tag for each clip, events at its start, its end and between, travel that is
/// extracted, and a loop mode that the clip before does not have.
pub fn eventful(character: &Character) -> Character {
    let modes = [LoopMode::Loop, LoopMode::Once, LoopMode::PingPong, LoopMode::Times(2)];
    let mut library = ClipLibrary::default();
    for (index, info) in character.clips().infos().enumerate() {
        let clip = character.clips().get(index).expect("it loads");
        let at = |share: f32, name: &str| Event { time: clip.duration() * share, name: name.into() };
        let events =
            vec![at(0.0, "start"), at(0.3, "step"), at(0.3, "step too"), at(0.7, "öffnen"), at(1.0, "end")];
        let info = ClipInfo {
            tag: Some(format!("tag {}", info.name)),
            mode: Some(modes[index % modes.len()]),
            root_motion: Some(RootMotion::Extract),
            ..info.clone()
        };
        library.add_with(info, (*clip).clone().with_events(events).expect("they lie in the clip"));
    }
    character.with_clips(library).expect("its own clips fit")
}

/// Writes a character's files into a folder of content; returns the bytes of the model.
pub fn write(content: &Path, name: &str, character: &Character, options: &MonoGameOptions) -> Vec<u8> {
    let written =
        write_monogame(&format!("{name}.xnb"), character, &Textures::Embed, options).expect("it is written");
    for file in &written.files {
        let path = content.join(&file.name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("a folder");
        std::fs::write(path, &file.bytes).expect("it is written");
    }
    written.files.last().expect("the model comes last").bytes.clone()
}
