//! The clip that plays, its clock, and the crossfade from the clips before.

use sinew::glam::Vec3;
use sinew::{
    Character, Clip, Instance, JobError, LoopMode, Mat3x4, Mixer, PlayError, PlayOptions, Pose, RootMotion,
    Sampling, Scratch, Voice, VoiceId, job,
};
use std::sync::Arc;

/// Length of a crossfade in seconds.
pub const CROSSFADE: f64 = 0.25;

/// Clips that may be heard at once: more changes within one crossfade than a person makes.
const VOICES: usize = 16;

/// How clips are shown.
#[derive(Clone, Copy, Debug)]
pub struct ShowOptions {
    /// What happens at the end.
    pub mode: LoopMode,
    /// Factor on time; negative plays backward.
    pub speed: f64,
    /// What becomes of travel.
    pub root_motion: RootMotion,
    /// How clips are read between their keys.
    pub sampling: Sampling,
}

impl Default for ShowOptions {
    fn default() -> Self {
        Self {
            mode: LoopMode::Loop,
            speed: 1.0,
            root_motion: RootMotion::Keep,
            sampling: Sampling::Interpolate,
        }
    }
}

/// One character and the clip that it shows; the rest pose before the first.
#[derive(Clone, Debug)]
pub struct Show {
    mixer: Mixer,
    scratch: Scratch,
    voice: Option<VoiceId>,
    /// For each voice that is heard: offset of the root from its rest position at the start of the clip, without height.
    starts: Vec<(VoiceId, Vec3)>,
    options: ShowOptions,
    /// Loop mode of clips that have none of their own.
    mode: LoopMode,
    paused: bool,
    instance: Instance,
}

impl Show {
    /// The rest pose.
    pub fn new(character: Arc<Character>) -> Self {
        Self {
            mixer: Mixer::new(Arc::clone(&character), VOICES),
            scratch: Scratch::new(character.skeleton()),
            voice: None,
            starts: Vec::new(),
            options: ShowOptions::default(),
            mode: ShowOptions::default().mode,
            paused: false,
            instance: Instance::new(character),
        }
    }

    /// The same speed, loop mode, root motion and pause for another character, in its rest pose.
    pub fn renewed(&self, character: Arc<Character>) -> Self {
        Self { options: self.options, mode: self.mode, paused: self.paused, ..Self::new(character) }
    }

    /// Plays a clip from its start, with a crossfade from what was shown: in its own loop mode, if it has one, else in the one that was set last.
    /// On an error everything stays as it was.
    pub fn play(&mut self, clip: Arc<Clip>, own: Option<LoopMode>) -> Result<(), PlayError> {
        let options = ShowOptions { mode: own.unwrap_or(self.mode), ..self.options };
        // While paused no time passes, so the new clip is shown at once; nor is there a crossfade from the rest pose.
        let crossfade = if self.paused || self.voice.is_none() { 0.0 } else { CROSSFADE };
        let play = PlayOptions {
            crossfade,
            mode: Some(options.mode),
            speed: Some(options.speed),
            root_motion: Some(options.root_motion),
            sampling: Some(options.sampling),
            ..PlayOptions::default()
        };
        let voice = self.mixer.play_clip(Arc::clone(&clip), play)?;
        let start = start_of(self.character(), &clip).unwrap_or_default();
        self.voice = Some(voice);
        self.starts.retain(|(voice, _)| self.mixer.voice(*voice).is_some());
        self.starts.push((voice, start));
        self.options = options;
        self.refresh();
        Ok(())
    }

    /// Advances by `seconds`, unless paused. Returns whether the pose may have changed.
    pub fn advance(&mut self, seconds: f64) -> bool {
        if !self.is_moving() {
            return false;
        }
        self.mixer.advance(seconds);
        self.refresh();
        true
    }

    /// Goes to a time and ends a crossfade, so that only the clip at that time is seen.
    pub fn seek(&mut self, time: f64) {
        self.mixer.settle();
        if let Some(voice) = self.voice {
            self.mixer.seek(voice, time);
        }
        self.refresh();
    }

    /// Pauses or resumes. A clip that has ended starts again.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
        if !paused && self.has_ended() {
            self.seek(if self.options.speed < 0.0 { self.duration() } else { 0.0 });
        }
    }

    /// Changes the speed; negative plays backward.
    pub fn set_speed(&mut self, speed: f64) {
        self.options.speed = speed;
        if let Some(voice) = self.voice {
            self.mixer.set_speed(voice, speed);
        }
    }

    /// Changes the loop mode, also of clips to come that have none of their own; the time stays.
    pub fn set_mode(&mut self, mode: LoopMode) {
        self.mode = mode;
        self.set_mode_of_clip(mode);
    }

    /// Changes the loop mode of the clip that plays; the time stays.
    pub fn set_mode_of_clip(&mut self, mode: LoopMode) {
        self.options.mode = mode;
        let time = self.time();
        if let Some(voice) = self.voice {
            self.mixer.set_mode(voice, mode);
        }
        self.seek(time);
    }

    /// Changes the handling of root motion.
    pub fn set_root_motion(&mut self, root_motion: RootMotion) {
        self.options.root_motion = root_motion;
        for (voice, _) in &self.starts {
            self.mixer.set_root_motion(*voice, root_motion);
        }
        self.refresh();
    }

    fn refresh(&mut self) {
        let mixed = self.mixer.mix(&mut self.scratch, self.instance.pose_mut());
        let finished = self.instance.finish();
        // All are of one skeleton.
        debug_assert_eq!(mixed.and(finished), Ok(()));
    }

    fn playing(&self) -> Option<&Voice> {
        self.mixer.voice(self.voice?)
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        self.instance.character()
    }

    /// The clip that plays.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        self.playing().map(Voice::clip)
    }

    /// Seconds from the start of the clip.
    pub fn time(&self) -> f64 {
        self.playing().map_or(0.0, |voice| voice.playback().time())
    }

    /// Seconds that the clip lasts; zero for the rest pose.
    pub fn duration(&self) -> f64 {
        self.playing().map_or(0.0, |voice| voice.playback().duration())
    }

    /// Speed, loop mode and root motion.
    pub fn options(&self) -> &ShowOptions {
        &self.options
    }

    /// Whether it is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    fn has_ended(&self) -> bool {
        self.playing().is_some_and(|voice| voice.playback().has_ended())
    }

    /// Whether the pose changes with time.
    pub fn is_moving(&self) -> bool {
        let runs = self.duration() > 0.0 && !self.has_ended() && self.options.speed != 0.0;
        !self.paused && (runs || self.weight() < 1.0)
    }

    /// Weight of the clip in the pose: below 1 during a crossfade.
    pub fn weight(&self) -> f64 {
        self.playing().map_or(1.0, |voice| voice.share().into())
    }

    /// Displacement of the figure from its rest position, in the character's space: the travel of the clip without the sway of the hips, for a
    /// camera that follows.
    pub fn way(&self) -> Vec3 {
        self.mixer.voices().iter().map(|voice| self.way_of(voice) * voice.share()).sum()
    }

    /// The same of one voice.
    fn way_of(&self, voice: &Voice) -> Vec3 {
        let start = self.start_at(voice.id());
        match voice.root_motion() {
            RootMotion::Keep => start + voice.travel().at(voice.playback().time()),
            RootMotion::InPlace | RootMotion::Extract => start,
        }
    }

    fn start_at(&self, voice: VoiceId) -> Vec3 {
        self.starts.iter().find(|(id, _)| *id == voice).map_or(Vec3::ZERO, |(_, start)| *start)
    }

    /// Offset of the root from its rest position at the start of the clip; [`Show::way`] starts with it.
    pub fn start(&self) -> Vec3 {
        self.voice.map_or(Vec3::ZERO, |voice| self.start_at(voice))
    }

    /// Pose and matrices, as the renderer takes them.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Local transforms and scalars.
    pub fn pose(&self) -> &Pose {
        self.instance.pose()
    }

    /// Model matrices by joint.
    pub fn model_matrices(&self) -> &[Mat3x4] {
        self.instance.model_matrices()
    }
}

/// Offset of the root from its rest position at the start of a clip, without height.
fn start_of(character: &Arc<Character>, clip: &Clip) -> Result<Vec3, JobError> {
    let joint = usize::from(clip.travel(character, None).joint().unwrap_or(0));
    let root = |instance: &Instance| {
        instance.model_matrices().get(joint).map_or(Vec3::ZERO, |model| model.translation())
    };
    let mut instance = Instance::new(Arc::clone(character));
    let rest = root(&instance);
    job::sample(character.skeleton(), clip, 0.0, Sampling::Interpolate, instance.pose_mut())?;
    instance.finish()?;
    let way = root(&instance) - rest;
    let up = Vec3::from(character.space().up);
    Ok(way - up * way.dot(up))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{character, clip_of};

    fn show() -> Show {
        let mut show = Show::new(character());
        show.play(clip_of(&show, 0), None).unwrap();
        show
    }

    fn height(show: &Show) -> f32 {
        show.model_matrices()[0].translation().y
    }

    #[test]
    fn a_switch_crossfades_and_ends_in_the_new_clip() {
        let mut show = show();
        assert_eq!(show.weight(), 1.0, "no crossfade from the rest pose");
        show.advance(0.5);
        let before = height(&show);
        show.play(clip_of(&show, 1), None).unwrap();
        assert_eq!((height(&show), show.weight()), (before, 0.0), "nothing jumps");
        show.advance(CROSSFADE / 2.0);
        let half = height(&show);
        show.play(clip_of(&show, 0), None).unwrap();
        assert_eq!(height(&show), half, "nor when a crossfade is interrupted");
        show.advance(CROSSFADE);
        assert_eq!(show.weight(), 1.0);
        assert!((height(&show) - (1.0 + CROSSFADE as f32)).abs() < 1e-5, "{}", height(&show));
    }

    #[test]
    fn paused_it_stands_still_and_switches_at_once() {
        let mut show = show();
        show.set_paused(true);
        assert!(!show.advance(0.5) && !show.is_moving());
        assert_eq!(show.time(), 0.0);
        show.play(clip_of(&show, 1), None).unwrap();
        assert_eq!(show.weight(), 1.0);
    }

    #[test]
    fn what_has_ended_starts_again() {
        let mut show = show();
        show.set_mode(LoopMode::Once);
        show.advance(9.0);
        assert_eq!(show.time(), show.duration());
        assert!(!show.is_moving());
        show.set_paused(false);
        assert_eq!(show.time(), 0.0);
        assert!(show.is_moving());
    }

    #[test]
    fn another_mode_keeps_the_time() {
        let mut show = show();
        show.advance(0.75);
        show.set_mode(LoopMode::PingPong);
        assert_eq!(show.time(), 0.75);
        show.advance(0.5);
        assert_eq!(show.time(), 0.75, "and turns round at the end");
    }

    #[test]
    fn a_clip_is_played_in_its_own_mode() {
        let mut show = show();
        show.play(clip_of(&show, 1), Some(LoopMode::Once)).unwrap();
        show.advance(9.0);
        assert_eq!((show.time(), show.is_moving()), (1.0, false));
        show.play(clip_of(&show, 0), Some(LoopMode::Times(2))).unwrap();
        show.advance(1.5);
        assert_eq!((show.time(), show.is_moving()), (0.5, true));
        show.advance(1.0);
        assert_eq!((show.time(), show.is_moving()), (1.0, false));
        show.play(clip_of(&show, 1), None).unwrap();
        assert_eq!(show.options().mode, LoopMode::Loop, "without one of its own, that of before");
        show.set_mode(LoopMode::PingPong);
        show.play(clip_of(&show, 0), Some(LoopMode::Once)).unwrap();
        show.play(clip_of(&show, 1), None).unwrap();
        assert_eq!(show.options().mode, LoopMode::PingPong);
    }

    #[test]
    fn the_end_of_a_loop_can_be_looked_at_and_goes_on_from_the_start() {
        let mut show = show();
        assert_eq!(show.options().mode, LoopMode::Loop);
        show.seek(show.duration());
        assert_eq!((show.time(), height(&show)), (1.0, 2.0));
        show.set_mode(LoopMode::PingPong);
        show.set_mode(LoopMode::Loop);
        assert_eq!((show.time(), height(&show)), (1.0, 2.0));
        show.advance(0.25);
        assert_eq!((show.time(), height(&show)), (0.25, 1.25));
        show.seek(9.0);
        assert_eq!(show.time(), 1.0);
        show.seek(f64::NAN);
        assert_eq!(show.time(), 0.0);
    }

    #[test]
    fn seeking_ends_the_crossfade() {
        let mut show = show();
        show.advance(0.5);
        show.play(clip_of(&show, 1), None).unwrap();
        show.seek(0.25);
        assert_eq!((show.weight(), show.time()), (1.0, 0.25));
    }

    #[test]
    fn in_place_takes_the_travel_out() {
        let mut show = show();
        show.play(clip_of(&show, 1), None).unwrap();
        show.seek(1.0);
        assert!(show.model_matrices()[0].translation().z > 1.9);
        show.set_root_motion(RootMotion::InPlace);
        assert!(show.model_matrices()[0].translation().z.abs() < 1e-5);
    }

    #[test]
    fn the_way_is_that_of_the_root_and_fades_with_it() {
        let mut show = show();
        assert_eq!(show.way(), Vec3::ZERO, "vertical movement is not travel");
        show.advance(0.5);
        show.play(clip_of(&show, 1), None).unwrap();
        assert_eq!(show.way(), Vec3::ZERO);
        show.advance(CROSSFADE / 2.0);
        let expected = 0.5 * 2.0 * CROSSFADE as f32 / 2.0;
        assert!((show.way().z - expected).abs() < 1e-5, "{}", show.way());
        show.seek(1.0);
        assert_eq!(show.way(), Vec3::Z * 2.0);
        show.set_root_motion(RootMotion::InPlace);
        assert_eq!(show.way(), Vec3::ZERO);
    }
}
