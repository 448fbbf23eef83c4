//! One playing character: a mixer with one voice, a pose and its matrices, brought up to date by one call a frame.

use crate::{Character, Clip, ClipId, ClipRef, Instance, Mixer, PlayError, PlayOptions, Scratch, VoiceId};
use std::sync::Arc;

/// Plays one clip at a time on one instance of a character: a [`Mixer`] with one voice.
///
/// Its output is valid from the start: before a clip plays it is the rest pose. After construction nothing allocates, except
/// what a [`crate::ClipSource`] does when a clip is asked for the first time.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::Player;
///
/// let mut player = Player::new(character);    // shows the rest pose
/// player.play("walk")?;
/// player.update(1.0 / 60.0);
/// for event in player.events() {
///     println!("{}", event.name);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Player {
    voice: Option<VoiceId>,
    mixer: Mixer,
    scratch: Scratch,
    instance: Instance,
}

impl Player {
    /// A player that shows the rest pose.
    pub fn new(character: Arc<Character>) -> Self {
        Self {
            voice: None,
            mixer: Mixer::new(character.clone(), 1),
            scratch: Scratch::new(character.skeleton()),
            instance: Instance::new(character),
        }
    }

    /// Plays a clip of the character by name, tag or [`ClipId`], from its start, as it is meant to be ([`crate::ClipInfo::options`]): in a loop by
    /// default. On an error everything stays as it was.
    pub fn play<'a>(&mut self, clip: impl Into<ClipRef<'a>>) -> Result<(), PlayError> {
        self.play_with(clip, PlayOptions::default())
    }

    /// Plays a clip of the character as it is meant to be, except for what the options give. On an error everything stays as it was.
    pub fn play_with<'a>(
        &mut self,
        clip: impl Into<ClipRef<'a>>,
        options: PlayOptions,
    ) -> Result<(), PlayError> {
        let wanted = clip.into();
        let id = self.id(wanted).ok_or(wanted)?;
        self.voice = Some(self.mixer.play(id, at_once(options))?);
        self.refresh();
        Ok(())
    }

    /// Plays any clip made for this skeleton, as the options say. On an error everything stays as it was.
    pub fn play_clip(&mut self, clip: Arc<Clip>, options: PlayOptions) -> Result<(), PlayError> {
        self.voice = Some(self.mixer.play_clip(clip, at_once(options))?);
        self.refresh();
        Ok(())
    }

    /// Shows the rest pose again.
    pub fn stop(&mut self) {
        self.mixer.stop(None);
        self.voice = None;
        self.refresh();
    }

    crate::instance::performing!();

    fn id(&self, wanted: ClipRef<'_>) -> Option<ClipId> {
        match wanted {
            ClipRef::Id(id) => Some(id),
            ClipRef::Text(text) => self.character().clips().id(text),
        }
    }
}

/// With one voice there is nothing to fade from.
fn at_once(options: PlayOptions) -> PlayOptions {
    PlayOptions { crossfade: 0.0, ..options }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::CharacterData;
    use crate::{
        ClipLibrary, Interpolation, Joint, JointTracks, LoopMode, Mat3x4, Mesh, RootMotion, Sampling,
        Skeleton, Skin, Space, Track, Transform,
    };
    use glam::Affine3;
    use glam::{Quat, Vec3};

    fn turn(name: &str, joint: u16, angle: f32) -> Clip {
        let track = Track::new(
            vec![0.0, 1.0],
            vec![Quat::IDENTITY, Quat::from_rotation_z(angle)],
            Interpolation::Linear,
        );
        let tracks = JointTracks { rotation: Some(track.unwrap()), ..JointTracks::new(joint) };
        Clip::new(name, 1.0, vec![tracks], vec![]).unwrap()
    }

    fn character() -> Arc<Character> {
        let up = Transform::from_translation(Vec3::Y);
        let skeleton =
            Skeleton::new(vec![Joint::new("hips", None, up), Joint::new("head", Some(0), up)], vec![])
                .unwrap();
        // Bound one unit beside the rest, so that skin matrices at rest are not identity.
        let skin = Skin {
            joints: vec![1].into(),
            inverse_binds: vec![Mat3x4::from_translation(Vec3::new(1.0, -2.0, 0.0))].into(),
        };
        let mut mesh = Mesh { skin: Some(skin), ..Mesh::new("body") };
        mesh.influences.per_vertex = 4;
        Arc::new(
            Character::new(CharacterData {
                name: "hero".into(),
                skeleton,
                meshes: vec![mesh],
                materials: vec![],
                textures: vec![],
                clips: ClipLibrary::new([turn("nod", 1, 1.0), turn("lean", 0, 0.5)]),
                space: Space::CANONICAL,
            })
            .unwrap(),
        )
    }

    #[test]
    fn before_the_first_update_it_rests() {
        let player = Player::new(character());
        assert_eq!(player.model_matrices()[1].translation(), Vec3::new(0.0, 2.0, 0.0));
        assert_eq!(player.skin_matrices(0), [Mat3x4::from_translation(Vec3::X)]);
        assert!(player.skin_matrices(7).is_empty());
        assert!(!player.has_ended());
    }

    #[test]
    fn nothing_leaks_from_the_clip_before() {
        let mut player = Player::new(character());
        player.play("nod").unwrap();
        player.update(0.5);
        assert!(player.pose().get(1).rotation.angle_between(Quat::from_rotation_z(0.5)) < 1e-5);
        player.play("lean").unwrap();
        assert_eq!(player.pose(), player.character().skeleton().rest());
        player.update(0.5);
        assert_eq!(player.pose().get(1).rotation, Quat::IDENTITY);
        player.stop();
        assert_eq!(player.pose(), player.character().skeleton().rest());
    }

    #[test]
    fn an_unknown_or_unfit_clip_leaves_it_alone() {
        let mut player = Player::new(character());
        player.play("nod").unwrap();
        player.update(0.25);
        let before = player.pose().clone();
        assert!(player.play("fly").is_err());
        assert!(player.play_clip(Arc::new(turn("big", 9, 1.0)), PlayOptions::default()).is_err());
        assert_eq!(player.pose(), &before);
        assert_eq!(player.clip().unwrap().name(), "nod");
    }

    #[test]
    fn stepped_holds_the_key_before() {
        let mut player = Player::new(character());
        player
            .play_with("nod", PlayOptions { sampling: Some(Sampling::Step), ..Default::default() })
            .unwrap();
        player.update(0.99);
        assert_eq!(player.pose().get(1).rotation, Quat::IDENTITY);
    }

    #[test]
    fn the_root_places_the_model() {
        let mut player = Player::new(character());
        player.set_root(Affine3::from_translation(Vec3::Z));
        player.update(0.0);
        assert_eq!(player.model_matrices()[0].translation(), Vec3::new(0.0, 1.0, 1.0));
    }

    fn root_motion(player: &Player) -> RootMotion {
        player.voice().unwrap().root_motion()
    }

    #[test]
    fn a_clip_plays_as_it_is_meant_to() {
        let mut library = ClipLibrary::default();
        let info = crate::ClipInfo {
            mode: Some(LoopMode::Once),
            root_motion: Some(RootMotion::Extract),
            ..crate::ClipInfo::from("nod")
        };
        library.add_with(info, turn("nod", 1, 1.0));
        let mut player = Player::new(Arc::new(character().with_clips(library).unwrap()));
        player.play("NOD").unwrap();
        assert_eq!((player.playback().mode(), root_motion(&player)), (LoopMode::Once, RootMotion::Extract));
        // Only what is asked for changes.
        player.play_with("nod", PlayOptions { speed: Some(0.5), ..PlayOptions::looping(0.0) }).unwrap();
        assert_eq!((player.playback().mode(), root_motion(&player)), (LoopMode::Loop, RootMotion::Extract));
        assert_eq!(player.playback().speed(), 0.5);
        let keep = PlayOptions { root_motion: Some(RootMotion::Keep), ..PlayOptions::default() };
        player.play_with("nod", keep).unwrap();
        assert_eq!((player.playback().mode(), root_motion(&player)), (LoopMode::Once, RootMotion::Keep));
        // A clip from elsewhere has no options of its own.
        player.play_clip(Arc::new(turn("other", 1, 1.0)), PlayOptions::default()).unwrap();
        assert_eq!((player.playback().mode(), root_motion(&player)), (LoopMode::Loop, RootMotion::Keep));
    }

    #[test]
    fn once_ends() {
        let mut player = Player::new(character());
        player.play_with("nod", PlayOptions::once(0.0)).unwrap();
        player.update(0.5);
        assert!(!player.has_ended());
        player.update(0.5);
        assert!(player.has_ended());
    }
}
