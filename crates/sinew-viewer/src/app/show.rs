//! What plays: a clip and its clock, and the crossfade from the one before.

use sinew::blend::blend_poses;
use sinew::glam::{Affine3, Vec3};
use sinew::{Character, Clip, JobError, LoopMode, PlayOptions, Player, Pose, RootMotion, Travel, job};
use std::sync::Arc;

/// Seconds in which one clip goes over into the next.
pub const CROSSFADE: f64 = 0.25;

/// A clip on its way, and where it takes the figure.
#[derive(Clone, Debug)]
struct Voice {
    player: Player,
    travel: Travel,
    /// Where the clip puts the root at its start, seen from where it rests.
    start: Vec3,
}

impl Voice {
    fn new(character: &Arc<Character>, clip: Arc<Clip>, options: PlayOptions) -> Result<Self, JobError> {
        let mut player = Player::new(Arc::clone(character));
        let travel = clip.travel(character, None);
        let root = |player: &Player| {
            let joint = usize::from(travel.joint().unwrap_or(0));
            player.model_matrices().get(joint).map_or(Vec3::ZERO, |model| model.translation)
        };
        let rest = root(&player);
        player.play_clip(Arc::clone(&clip), PlayOptions::default())?;
        let start = level(root(&player) - rest, character);
        player.play_clip(clip, options)?;
        Ok(Self { player, travel, start })
    }

    /// The way from where the figure rests to where the clip has taken it: a steady one, without sway.
    fn way(&self, root_motion: RootMotion) -> Vec3 {
        match root_motion {
            RootMotion::Keep => self.start + self.travel.at(self.player.time()),
            RootMotion::InPlace | RootMotion::Extract => self.start,
        }
    }
}

/// A way over the ground: what goes up or down is left out.
fn level(way: Vec3, character: &Character) -> Vec3 {
    let up = Vec3::from(character.space().up);
    way - up * way.dot(up)
}

/// What a crossfade comes from.
#[derive(Clone, Debug)]
enum Outgoing {
    /// A clip that plays on while it goes.
    Voice(Box<Voice>),
    /// A mixture that an earlier crossfade had come to: it stands still, so that nothing jumps.
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

/// One character and the clip that it shows; the rest pose before the first.
#[derive(Clone, Debug)]
pub struct Show {
    character: Arc<Character>,
    voice: Option<Voice>,
    fade: Option<Fade>,
    options: PlayOptions,
    paused: bool,
    pose: Pose,
    model: Vec<Affine3>,
}

impl Show {
    /// The rest pose.
    pub fn new(character: Arc<Character>) -> Self {
        let player = Player::new(Arc::clone(&character));
        let (pose, model) = (player.pose().clone(), player.model_matrices().to_vec());
        Self {
            character,
            voice: None,
            fade: None,
            options: PlayOptions::default(),
            paused: false,
            pose,
            model,
        }
    }

    /// The same speed, loop mode, travel and pause on another character, which rests.
    pub fn renewed(&self, character: Arc<Character>) -> Self {
        Self { options: self.options, paused: self.paused, ..Self::new(character) }
    }

    /// Plays a clip from its start, with a crossfade from what was shown. On an error everything stays as it was.
    pub fn play(&mut self, clip: Arc<Clip>) -> Result<(), JobError> {
        let next = Voice::new(&self.character, clip, self.options)?;
        let way = self.way();
        let before = self.voice.replace(next);
        // A figure that stands still shows the new clip at once: there is no time in which to go over.
        self.fade = before.filter(|_| !self.paused).map(|before| {
            let outgoing = match self.fade {
                Some(_) => Outgoing::Frozen(self.pose.clone(), way),
                None => Outgoing::Voice(Box::new(before)),
            };
            Fade { outgoing, elapsed: 0.0 }
        });
        self.refresh();
        Ok(())
    }

    /// Moves on by `seconds`, unless it is paused. Says whether the pose may have changed.
    pub fn advance(&mut self, seconds: f64) -> bool {
        if !self.is_moving() {
            return false;
        }
        if let Some(voice) = &mut self.voice {
            voice.player.update(seconds);
        }
        if let Some(fade) = &mut self.fade {
            fade.elapsed += seconds;
            if let Outgoing::Voice(voice) = &mut fade.outgoing {
                voice.player.update(seconds);
            }
            if fade.elapsed >= CROSSFADE {
                self.fade = None;
            }
        }
        self.refresh();
        true
    }

    /// Goes to a time, and ends a crossfade: who looks for a time wants to see that and nothing else.
    pub fn seek(&mut self, time: f64) {
        self.fade = None;
        if let Some(voice) = &mut self.voice {
            voice.player.seek(time);
        }
        self.refresh();
    }

    /// Stops or goes on. What has come to its end starts again.
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
            voice.player.set_speed(speed);
        }
    }

    /// Changes what happens at the end.
    pub fn set_mode(&mut self, mode: LoopMode) {
        self.options.mode = mode;
        self.restart();
    }

    /// Changes what becomes of travel.
    pub fn set_root_motion(&mut self, root_motion: RootMotion) {
        self.options.root_motion = root_motion;
        self.restart();
    }

    /// Plays the same clip with the options as they are now, from the same time.
    fn restart(&mut self) {
        let time = self.time();
        if let Some(voice) = &mut self.voice
            && let Some(clip) = voice.player.clip().cloned()
        {
            // It played already, so it fits.
            let _ = voice.player.play_clip(clip, self.options);
        }
        self.seek(time);
    }

    fn refresh(&mut self) {
        let Some(voice) = &self.voice else { return };
        let to = voice.player.pose();
        let checked = match &self.fade {
            None => {
                self.pose.copy_from(to);
                Ok(())
            }
            Some(fade) => {
                let from = match &fade.outgoing {
                    Outgoing::Voice(voice) => voice.player.pose(),
                    Outgoing::Frozen(pose, _) => pose,
                };
                blend_poses(from, to, fade.weight() as f32, &mut self.pose)
            }
        };
        let parents = self.character.skeleton().parents();
        let checked = checked.and(job::local_to_model(
            parents,
            self.pose.blocks(),
            &Affine3::IDENTITY,
            &mut self.model,
        ));
        // All are poses of one skeleton, so the jobs cannot refuse.
        debug_assert_eq!(checked, Ok(()));
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// The clip that plays.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        self.voice.as_ref()?.player.clip()
    }

    /// Seconds from the start of the clip.
    pub fn time(&self) -> f64 {
        self.voice.as_ref().map_or(0.0, |voice| voice.player.time())
    }

    /// Seconds that the clip lasts; zero for the rest pose.
    pub fn duration(&self) -> f64 {
        self.voice.as_ref().map_or(0.0, |voice| voice.player.playback().duration())
    }

    /// Speed, loop mode and travel.
    pub fn options(&self) -> &PlayOptions {
        &self.options
    }

    /// Whether it was told to stop.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    fn has_ended(&self) -> bool {
        self.voice.as_ref().is_some_and(|voice| voice.player.has_ended())
    }

    /// Whether time will change what is seen.
    pub fn is_moving(&self) -> bool {
        let runs = self.duration() > 0.0 && !self.has_ended() && self.options.speed != 0.0;
        !self.paused && (runs || self.fade.is_some())
    }

    /// How much of the pose is the clip's own: 1 but during a crossfade.
    pub fn weight(&self) -> f64 {
        self.fade.as_ref().map_or(1.0, Fade::weight)
    }

    /// The way from where the figure rests to where the clip has taken it, in the character's space: a steady one, without sway,
    /// for an eye that follows.
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

    /// Local transforms and scalars.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Model matrices by joint.
    pub fn model_matrices(&self) -> &[Affine3] {
        &self.model
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{character, clip_of};

    fn show() -> Show {
        let mut show = Show::new(character());
        show.play(clip_of(&show, 0)).unwrap();
        show
    }

    fn height(show: &Show) -> f32 {
        show.model_matrices()[0].translation.y
    }

    #[test]
    fn a_switch_crossfades_and_ends_in_the_new_clip() {
        let mut show = show();
        assert_eq!(show.weight(), 1.0, "from the rest there is nothing to fade");
        show.advance(0.5);
        let before = height(&show);
        show.play(clip_of(&show, 1)).unwrap();
        assert_eq!((height(&show), show.weight()), (before, 0.0), "nothing jumps");
        show.advance(CROSSFADE / 2.0);
        let half = height(&show);
        show.play(clip_of(&show, 0)).unwrap();
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
        show.play(clip_of(&show, 1)).unwrap();
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
    fn seeking_ends_the_crossfade() {
        let mut show = show();
        show.advance(0.5);
        show.play(clip_of(&show, 1)).unwrap();
        show.seek(0.25);
        assert_eq!((show.weight(), show.time()), (1.0, 0.25));
    }

    #[test]
    fn in_place_takes_the_travel_out() {
        let mut show = show();
        show.play(clip_of(&show, 1)).unwrap();
        show.seek(1.0);
        assert!(show.model_matrices()[0].translation.z > 1.9);
        show.set_root_motion(RootMotion::InPlace);
        assert!(show.model_matrices()[0].translation.z.abs() < 1e-5);
    }

    #[test]
    fn the_way_is_that_of_the_root_and_fades_with_it() {
        let mut show = show();
        assert_eq!(show.way(), Vec3::ZERO, "up and down is no way");
        show.advance(0.5);
        show.play(clip_of(&show, 1)).unwrap();
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
