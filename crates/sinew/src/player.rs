//! One playing character: a clock, a pose and its matrices, brought up to date by one call a frame.

use crate::voice::Voice;
use crate::{
    Character, Clip, ClipError, ClipErrorKind, Event, Instance, JobError, PlayOptions, Playback, RootMotion,
};
use glam::Vec3;
use std::sync::Arc;

/// Plays one clip at a time on one instance of a character.
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
    voice: Voice,
    root_joint: Option<u16>,
    instance: Instance,
}

impl Player {
    /// A player that shows the rest pose.
    pub fn new(character: Arc<Character>) -> Self {
        Self { voice: Voice::rest(), root_joint: None, instance: Instance::new(character) }
    }

    /// Plays a clip of the character by name, from its start, as it is meant to be ([`crate::ClipInfo::options`]): in a loop by
    /// default. On an error everything stays as it was.
    pub fn play(&mut self, name: &str) -> Result<(), ClipError> {
        self.play_with(name, PlayOptions::default())
    }

    /// Plays a clip of the character by name as it is meant to be, except for what the options give. On an error everything stays as it was.
    pub fn play_with(&mut self, name: &str, options: PlayOptions) -> Result<(), ClipError> {
        let clips = self.character().clips();
        let clip = clips.by_name(name)?;
        let own = clips.find(name).and_then(|index| clips.info(index)).map(crate::ClipInfo::options);
        let options = options.over(own.unwrap_or_default());
        let misfit = |error: JobError| ClipError::new(ClipErrorKind::DoesNotFit, name, error.to_string());
        self.play_clip(clip, options).map_err(misfit)
    }

    /// Plays any clip made for this skeleton, as the options say. On an error everything stays as it was.
    pub fn play_clip(&mut self, clip: Arc<Clip>, options: PlayOptions) -> Result<(), JobError> {
        self.voice = Voice::new(self.character(), clip, options, self.root_joint)?;
        self.refresh();
        Ok(())
    }

    /// Shows the rest pose again.
    pub fn stop(&mut self) {
        self.voice = Voice::rest();
        self.refresh();
    }

    /// Moves on by `seconds` and brings pose and matrices up to date.
    pub fn update(&mut self, seconds: f64) {
        self.voice.playback.advance(seconds);
        self.refresh();
    }

    /// Goes to a time of the clip; fires no events and moves no root.
    pub fn seek(&mut self, time: f64) {
        self.voice.playback.seek(time);
        self.refresh();
    }

    /// Stays where it is until [`Player::resume`].
    pub fn pause(&mut self) {
        self.voice.playback.set_paused(true);
    }

    /// Goes on after [`Player::pause`].
    pub fn resume(&mut self) {
        self.voice.playback.set_paused(false);
    }

    /// Changes the speed from here on; negative plays backward.
    pub fn set_speed(&mut self, speed: f64) {
        self.voice.playback.set_speed(speed);
    }

    /// Changes what becomes of travel, from the next update on.
    pub fn set_root_motion(&mut self, root_motion: RootMotion) {
        self.voice.root_motion = root_motion;
    }

    /// Chooses the joint whose travel counts, instead of the highest one that moves.
    pub fn set_root_joint(&mut self, joint: Option<u16>) {
        self.root_joint = joint;
        self.voice.measure_travel(self.instance.character(), joint);
    }

    /// The clip that plays.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        self.voice.clip()
    }

    /// The clock: time, speed, whether it is paused.
    pub fn playback(&self) -> &Playback {
        &self.voice.playback
    }

    /// Seconds from the start of the clip.
    pub fn time(&self) -> f64 {
        self.voice.playback.time()
    }

    /// Whether the clip has come to its end; a loop never does.
    pub fn has_ended(&self) -> bool {
        self.voice.has_ended()
    }

    /// Events that the last update crossed.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.voice.clip().into_iter().flat_map(|clip| self.voice.playback.crossed(clip))
    }

    /// How far the last update moved the character, in model space: zero unless root motion is extracted.
    pub fn root_delta(&self) -> Vec3 {
        self.voice.root_delta()
    }

    crate::instance::accessors!();

    fn refresh(&mut self) {
        let (skeleton, pose) = self.instance.skeleton_and_pose();
        self.voice.sample(skeleton, pose);
        let checked = self.instance.finish();
        // The pose was sampled on the instance's own skeleton.
        debug_assert_eq!(checked, Ok(()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::CharacterData;
    use crate::{
        ClipLibrary, Interpolation, Joint, JointTracks, LoopMode, Mat3x4, Mesh, Sampling, Skeleton, Skin,
        Space, Track, Transform,
    };
    use glam::Affine3;
    use glam::Quat;

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
        assert_eq!(
            (player.playback().mode(), player.voice.root_motion),
            (LoopMode::Once, RootMotion::Extract)
        );
        // Only what is asked for changes.
        player.play_with("nod", PlayOptions { speed: Some(0.5), ..PlayOptions::looping(0.0) }).unwrap();
        assert_eq!(
            (player.playback().mode(), player.voice.root_motion),
            (LoopMode::Loop, RootMotion::Extract)
        );
        assert_eq!(player.playback().speed(), 0.5);
        let keep = PlayOptions { root_motion: Some(RootMotion::Keep), ..PlayOptions::default() };
        player.play_with("nod", keep).unwrap();
        assert_eq!((player.playback().mode(), player.voice.root_motion), (LoopMode::Once, RootMotion::Keep));
        // A clip from elsewhere has no options of its own.
        player.play_clip(Arc::new(turn("other", 1, 1.0)), PlayOptions::default()).unwrap();
        assert_eq!((player.playback().mode(), player.voice.root_motion), (LoopMode::Loop, RootMotion::Keep));
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
