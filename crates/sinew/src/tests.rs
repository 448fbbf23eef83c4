//! Small characters for the tests of several modules.

use crate::character::CharacterData;
use crate::*;
use glam::{Quat, Vec3};

/// A clip that turns a joint from nothing to `angle` about z in a second.
pub(crate) fn turn(name: &str, joint: u16, angle: f32) -> Clip {
    let values = vec![Quat::IDENTITY, Quat::from_rotation_z(angle)];
    let track = Track::new(vec![0.0, 1.0], values, Interpolation::Linear).unwrap();
    let tracks = JointTracks { rotation: Some(track), ..JointTracks::new(joint) };
    Clip::new(name, 1.0, vec![tracks], vec![]).unwrap()
}

/// Clips, each with its tag.
pub(crate) fn tagged<'a>(clips: impl IntoIterator<Item = (&'a str, Clip)>) -> ClipLibrary {
    let mut library = ClipLibrary::default();
    for (tag, clip) in clips {
        library.add_with(ClipInfo { tag: Some(tag.into()), ..clip.name().into() }, clip);
    }
    library
}

/// A chain of joints, each `length` above the one before, the first on the ground.
pub(crate) fn character(name: &str, joints: &[&str], length: f32, clips: ClipLibrary) -> Character {
    let joints = (0u16..).zip(joints).map(|(i, &name)| {
        let height = if i == 0 { 0.0 } else { length };
        Joint::new(name, i.checked_sub(1), Transform::from_translation(Vec3::Y * height))
    });
    Character::new(CharacterData {
        name: name.into(),
        skeleton: Skeleton::new(joints.collect(), vec![]).unwrap(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips,
        space: Space::CANONICAL,
    })
    .unwrap()
}

/// A clip source that always fails.
pub(crate) struct Broken;

impl ClipSource for Broken {
    fn load(&self) -> Result<Clip, ClipError> {
        Err(ClipError::new(crate::ClipErrorKind::Unreadable, "broken", "walk.dae: line 3 is not XML"))
    }
}
