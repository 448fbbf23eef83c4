//! The clip that plays, its clock, and the crossfade from the clip before.

use sinew::blend::blend_poses;
use sinew::glam::Vec3;
use sinew::{
    Character, Clip, Instance, JobError, LoopMode, Mat3x4, Playback, Pose, RootMotion, Sampling, Travel, job,
};
use std::sync::Arc;

/// Length of a crossfade in seconds.
pub const CROSSFADE: f64 = 0.25;

/// A playing clip.
#[derive(Clone, Debug)]
struct Voice {
    clip: Arc<Clip>,
    playback: Playback,
    /// The time of the last seek, until the clock advances. The clock of a loop wraps its end to its start, but a seek to the last frame must
    /// show that frame.
    sought: Option<f64>,
    travel: Travel,
    /// Offset of the root from its rest position at the start of the clip, without height.
    start: Vec3,
    pose: Pose,
}

impl Voice {
    fn new(character: &Arc<Character>, clip: Arc<Clip>, options: &ShowOptions) -> Result<Self, JobError> {
        let travel = clip.travel(character, None);
        let root = |instance: &Instance| {
            let joint = usize::from(travel.joint().unwrap_or(0));
            instance.model_matrices().get(joint).map_or(Vec3::ZERO, |model| model.translation())
        };
        let mut instance = Instance::new(Arc::clone(character));
        let rest = root(&instance);
        job::sample(character.skeleton(), &clip, 0.0, options.sampling, instance.pose_mut())?;
        instance.finish()?;
        let start = level(root(&instance) - rest, character);
        let pose = instance.pose().clone();
        let playback = Playback::new(clip.duration().into(), options.mode, options.speed);
        let mut voice = Self { clip, playback, sought: None, travel, start, pose };
        voice.sample(character, options);
        Ok(voice)
    }

    fn time(&self) -> f64 {
        self.sought.unwrap_or_else(|| self.playback.time())
    }

    fn advance(&mut self, seconds: f64) {
        self.sought = None;
        self.playback.advance(seconds);
    }

    fn seek(&mut self, time: f64) {
        self.playback.seek(time);
        let time = if time.is_finite() { time } else { 0.0 };
        self.sought = Some(time.clamp(0.0, self.playback.duration()));
    }

    fn sample(&mut self, character: &Character, options: &ShowOptions) {
        let (time, skeleton) = (self.time(), character.skeleton());
        let checked = job::sample(skeleton, &self.clip, time, options.sampling, &mut self.pose);
        // The clip was sampled in `new`, so it fits.
        debug_assert_eq!(checked, Ok(()));
        if options.root_motion != RootMotion::Keep {
            self.travel.remove(skeleton, time, &mut self.pose);
        }
    }

    /// Displacement of the figure from its rest position: the travel of the clip, without the sway of the hips.
    fn way(&self, root_motion: RootMotion) -> Vec3 {
        match root_motion {
            RootMotion::Keep => self.start + self.travel.at(self.time()),
            RootMotion::InPlace | RootMotion::Extract => self.start,
        }
    }
}

/// A displacement without its component along the up axis.
fn level(way: Vec3, character: &Character) -> Vec3 {
    let up = Vec3::from(character.space().up);
    way - up * way.dot(up)
}

/// The source of a crossfade.
#[derive(Clone, Debug)]
enum Outgoing {
    /// A clip that goes on playing while it fades out.
    Voice(Box<Voice>),
    /// The pose and displacement of an interrupted crossfade, frozen so that nothing jumps.
    Frozen(Pose, Vec3),
}

#[derive(Clone, Debug)]
struct Fade {
    outgoing: Outgoing,
    elapsed: f64,
}

impl Fade {
    fn weight(&self) -> f64 {
        (self.elapsed / CROSSFADE).min(1.0)
    }
}

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
    voice: Option<Voice>,
    fade: Option<Fade>,
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
            voice: None,
            fade: None,
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
    pub fn play(&mut self, clip: Arc<Clip>, own: Option<LoopMode>) -> Result<(), JobError> {
        let options = ShowOptions { mode: own.unwrap_or(self.mode), ..self.options };
        let next = Voice::new(self.character(), clip, &options)?;
        self.options = options;
        let way = self.way();
        let before = self.voice.replace(next);
        // While paused no time passes, so the new clip is shown at once.
        self.fade = before.filter(|_| !self.paused).map(|before| {
            let outgoing = match self.fade {
                Some(_) => Outgoing::Frozen(self.instance.pose().clone(), way),
                None => Outgoing::Voice(Box::new(before)),
            };
            Fade { outgoing, elapsed: 0.0 }
        });
        self.refresh();
        Ok(())
    }

    /// Advances by `seconds`, unless paused. Returns whether the pose may have changed.
    pub fn advance(&mut self, seconds: f64) -> bool {
        if !self.is_moving() {
            return false;
        }
        if let Some(voice) = &mut self.voice {
            voice.advance(seconds);
        }
        if let Some(fade) = &mut self.fade {
            fade.elapsed += seconds;
            if let Outgoing::Voice(voice) = &mut fade.outgoing {
                voice.advance(seconds);
            }
            if fade.elapsed >= CROSSFADE {
                self.fade = None;
            }
        }
        self.refresh();
        true
    }

    /// Goes to a time and ends a crossfade, so that only the clip at that time is seen.
    pub fn seek(&mut self, time: f64) {
        self.fade = None;
        if let Some(voice) = &mut self.voice {
            voice.seek(time);
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
        if let Some(voice) = &mut self.voice {
            voice.playback.set_speed(speed);
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
        if let Some(voice) = &mut self.voice {
            voice.playback = Playback::new(voice.playback.duration(), mode, self.options.speed);
        }
        self.seek(time);
    }

    /// Changes the handling of root motion.
    pub fn set_root_motion(&mut self, root_motion: RootMotion) {
        self.options.root_motion = root_motion;
        self.refresh();
    }

    fn refresh(&mut self) {
        let character = Arc::clone(self.character());
        let Some(voice) = &mut self.voice else { return };
        voice.sample(&character, &self.options);
        match &mut self.fade {
            None => self.instance.pose_mut().copy_from(&voice.pose),
            Some(fade) => {
                let weight = fade.weight() as f32;
                let from = match &mut fade.outgoing {
                    Outgoing::Voice(outgoing) => {
                        outgoing.sample(&character, &self.options);
                        &outgoing.pose
                    }
                    Outgoing::Frozen(pose, _) => pose,
                };
                let checked = blend_poses(from, &voice.pose, weight, self.instance.pose_mut());
                // All are poses of one skeleton.
                debug_assert_eq!(checked, Ok(()));
            }
        }
        let checked = self.instance.finish();
        debug_assert_eq!(checked, Ok(()));
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        self.instance.character()
    }

    /// The clip that plays.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        self.voice.as_ref().map(|voice| &voice.clip)
    }

    /// Seconds from the start of the clip.
    pub fn time(&self) -> f64 {
        self.voice.as_ref().map_or(0.0, Voice::time)
    }

    /// Seconds that the clip lasts; zero for the rest pose.
    pub fn duration(&self) -> f64 {
        self.voice.as_ref().map_or(0.0, |voice| voice.playback.duration())
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
        self.voice.as_ref().is_some_and(|voice| voice.playback.has_ended())
    }

    /// Whether the pose changes with time.
    pub fn is_moving(&self) -> bool {
        let runs = self.duration() > 0.0 && !self.has_ended() && self.options.speed != 0.0;
        !self.paused && (runs || self.fade.is_some())
    }

    /// Weight of the clip in the pose: below 1 during a crossfade.
    pub fn weight(&self) -> f64 {
        self.fade.as_ref().map_or(1.0, Fade::weight)
    }

    /// Displacement of the figure from its rest position, in the character's space: the travel of the clip without the sway of the hips, for a
    /// camera that follows.
    pub fn way(&self) -> Vec3 {
        let root_motion = self.options.root_motion;
        let to = self.voice.as_ref().map_or(Vec3::ZERO, |voice| voice.way(root_motion));
        match &self.fade {
            None => to,
            Some(fade) => {
                let from = match &fade.outgoing {
                    Outgoing::Voice(voice) => voice.way(root_motion),
                    Outgoing::Frozen(_, way) => *way,
                };
                from.lerp(to, fade.weight() as f32)
            }
        }
    }

    /// Offset of the root from its rest position at the start of the clip; [`Show::way`] starts with it.
    pub fn start(&self) -> Vec3 {
        self.voice.as_ref().map_or(Vec3::ZERO, |voice| voice.start)
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
