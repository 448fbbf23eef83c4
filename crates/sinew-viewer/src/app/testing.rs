//! Small characters for the tests of this module.

use super::{Files, Show, Sources};
use sinew::CharacterData;
use sinew::glam::Vec3;
use sinew::{
    Character, Clip, ClipInfo, ClipLibrary, Interpolation, Joint, JointTracks, LoopMode, Material, Mesh,
    Part, Skeleton, Space, Texture, Track, Transform,
};
use sinew_import::TagTable;
use sinew_testkit::humanoid::{self, Motion};
use std::sync::{Arc, OnceLock};

fn moved(name: &str, from: Vec3, to: Vec3) -> Clip {
    let track = Track::new(vec![0.0, 1.0], vec![from, to], Interpolation::Linear);
    let tracks = JointTracks { translation: Some(track.unwrap()), ..JointTracks::new(0) };
    Clip::new(name, 1.0, vec![tracks], vec![]).unwrap()
}

/// Hips, spine, head and a leg, with clips `Rise` (up by one from one) and `Walk` (two along Z, at three).
pub fn character() -> Arc<Character> {
    character_with(["Rise", "Walk"])
}

/// The same with other clip names.
pub fn character_with(clips: [&str; 2]) -> Arc<Character> {
    character_of(&[("Hips", None), ("Spine", Some(0)), ("Head", Some(1)), ("Leg", Some(0))], clips)
}

/// The same with loop modes of the clips.
pub fn character_in(modes: [Option<LoopMode>; 2]) -> Arc<Character> {
    let hero = character();
    let mut library = ClipLibrary::default();
    for (index, mode) in modes.into_iter().enumerate() {
        let info = ClipInfo { mode, ..hero.clips().info(index).unwrap().clone() };
        library.add_with(info, hero.clips().get(index).unwrap());
    }
    Arc::new(hero.with_clips(library).unwrap())
}

/// The same with other joints (name, parent).
pub fn character_of(joints: &[(&str, Option<u16>)], clips: [&str; 2]) -> Arc<Character> {
    let clips =
        [moved(clips[0], Vec3::Y, Vec3::Y * 2.0), moved(clips[1], Vec3::Y * 3.0, Vec3::new(0.0, 3.0, 2.0))];
    made_of(joints, clips.into())
}

/// A character whose only clip starts at x = 3 and travels by 2.
pub fn character_aside() -> Arc<Character> {
    let clip = moved("Sidle", Vec3::new(3.0, 1.0, 0.0), Vec3::new(5.0, 1.0, 0.0));
    made_of(&[("Hips", None), ("Spine", Some(0))], vec![clip])
}

/// One joint with a textured triangle that faces +Z, repeated `triangles` times, without normals.
pub fn with_mesh(triangles: u32, texture: Texture) -> Arc<Character> {
    let mesh = Mesh {
        joint: 0,
        positions: [Vec3::ZERO, Vec3::X, Vec3::Y].into(),
        indices: (0..triangles).flat_map(|_| [0, 1, 2]).collect(),
        parts: vec![Part { material: Some(0), first: 0, count: triangles * 3 }],
        ..Mesh::new("Body")
    };
    let hips = Joint::new("rig:Hips", None, Transform::from_translation(Vec3::Y));
    Arc::new(
        Character::new(CharacterData {
            name: "hero".into(),
            skeleton: Skeleton::new(vec![hips], vec![]).unwrap(),
            meshes: vec![mesh],
            materials: vec![Material {
                base_color_texture: Some(sinew::TextureRef::new(0)),
                ..Material::default()
            }],
            textures: vec![texture],
            clips: ClipLibrary::default(),
            space: Space::CANONICAL,
        })
        .unwrap(),
    )
}

fn made_of(joints: &[(&str, Option<u16>)], clips: Vec<Clip>) -> Arc<Character> {
    let mut library = ClipLibrary::default();
    for clip in clips {
        let mut info = clip.name().into();
        TagTable::default().complete(&mut info);
        library.add_with(info, clip);
    }
    let up = Transform::from_translation(Vec3::Y);
    let joints = joints.iter().map(|(name, parent)| Joint::new(format!("rig:{name}"), *parent, up)).collect();
    Arc::new(
        Character::new(CharacterData {
            name: "hero".into(),
            skeleton: Skeleton::new(joints, vec![]).unwrap(),
            meshes: vec![],
            materials: vec![],
            textures: vec![],
            clips: library,
            space: Space::CANONICAL,
        })
        .unwrap(),
    )
}

/// A clip of the character.
pub fn clip_of(show: &Show, index: usize) -> Arc<Clip> {
    show.character().clips().get(index).unwrap()
}

/// The testkit's humanoid with all its clips.
pub fn hero() -> Arc<Character> {
    static HERO: OnceLock<Arc<Character>> = OnceLock::new();
    HERO.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        humanoid::write_to(folder.path()).unwrap();
        let file = |name: &str| folder.path().join(format!("{name}.fbx"));
        let animations = Motion::ALL.iter().map(|motion| file(motion.name())).collect();
        let files = Files { character: file("hero"), animations, ..Files::default() };
        let sources = Sources::read(&files, &sinew_import::Options::default()).unwrap();
        sources.document().unwrap().character
    })
    .clone()
}

/// Number of a clip of a character.
pub fn number(character: &Character, clip: &str) -> usize {
    character.find_clip(clip).unwrap()
}
