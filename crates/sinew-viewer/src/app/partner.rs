//! The source of retargeted clips, which plays beside the character, in step with it.

use super::figure::Figure;
use super::show::Show;
use sinew::glam::{Affine3, Vec3};
use sinew::{Aabb, Character, PlayOptions, Player, RootMotion};
use std::sync::Arc;

/// Space between the two, in parts of the larger one's width.
const GAP: f32 = 0.35;

/// A source of retargeted clips.
#[derive(Clone, Debug)]
pub struct Beside {
    /// The source.
    pub character: Arc<Character>,
    /// For each clip of the target the clip of the source that it was made of.
    pub clips: Vec<Option<usize>>,
    /// Its size and position, before it is placed.
    pub figure: Figure,
    /// Where it stands in the picture: as tall as the target, and to its right.
    pub place: Affine3,
}

impl Beside {
    /// A source beside a target.
    pub fn new(character: Arc<Character>, clips: Vec<Option<usize>>, target: &Figure) -> Self {
        let figure = Figure::of(&character);
        let height = |figure: &Figure| {
            if figure.rest.is_empty() { 1.0 } else { (figure.rest.max.y - figure.rest.min.y).max(1e-6) }
        };
        let scale = height(target) / height(&figure);
        let scaled = Affine3::from_scale(Vec3::splat(scale));
        let own = if figure.rest.is_empty() { figure.rest } else { figure.rest.transformed(scaled) };
        let width = |bounds: &Aabb| if bounds.is_empty() { 0.0 } else { bounds.max.x - bounds.min.x };
        let (left, right) = (width(&target.rest), width(&own));
        let aside = 0.5 * (left + right) + GAP * left.max(right);
        let middle = |bounds: &Aabb| if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
        let to = Vec3::new(middle(&target.rest).x - aside, target.ground, middle(&target.rest).z);
        let from = Vec3::new(middle(&own).x, figure.ground * scale, middle(&own).z);
        Self { character, clips, figure, place: Affine3::from_translation(to - from) * scaled }
    }
}

/// The source as it plays.
#[derive(Clone, Debug)]
pub struct Partner {
    beside: Beside,
    player: Player,
    /// The clip that it plays, and how root motion is handled.
    playing: Option<(usize, RootMotion)>,
}

impl Partner {
    /// The source at rest.
    pub fn new(beside: Beside) -> Self {
        Self { player: Player::new(Arc::clone(&beside.character)), beside, playing: None }
    }

    /// The source.
    pub fn beside(&self) -> &Beside {
        &self.beside
    }

    /// Its pose.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Goes to where the target is in its clip. While that is none of its own, it stands at rest.
    pub(super) fn follow(&mut self, clip: Option<usize>, target: &Show) {
        let own = clip.and_then(|clip| self.beside.clips.get(clip).copied().flatten());
        let root_motion = target.options().root_motion;
        let wanted = own.map(|clip| (clip, root_motion));
        if wanted != self.playing {
            self.player = Player::new(Arc::clone(&self.beside.character));
            self.playing = wanted.filter(|(clip, _)| {
                let options = PlayOptions { root_motion: Some(root_motion), ..PlayOptions::once(0.0) };
                let clip = self.beside.character.clips().get(*clip);
                clip.is_ok_and(|clip| self.player.play_clip(clip, options).is_ok())
            });
        }
        if let Some(clip) = self.player.clip() {
            // A frame of the rest that stands in front of motion capture is left out of what is made of it.
            let cut = (f64::from(clip.duration()) - target.duration()).max(0.0);
            self.player.seek(target.time() + cut);
        }
    }

    /// The box of its rest, moved along with the target.
    pub(super) fn bounds(&self, way: Vec3) -> Aabb {
        let rest = self.beside.figure.rest;
        if rest.is_empty() {
            return rest;
        }
        let bounds = rest.transformed(self.beside.place);
        Aabb { min: bounds.min + way, max: bounds.max + way }
    }
}
