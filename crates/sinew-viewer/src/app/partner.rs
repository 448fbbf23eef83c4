//! The source of retargeted clips, which plays beside the character, in step with it.

use super::figure::{Figure, SAMPLES, times, to_the_end};
use super::show::Show;
use sinew::glam::{Affine3, Vec3};
use sinew::{Aabb, Character, Player, RootMotion, Skeleton};
use sinew_render::ground_height;
use sinew_retarget::{Humanoid, Retarget};
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
    /// Where it stands in the picture: turned and scaled as its motion is carried over, to the target's right.
    pub place: Affine3,
    /// The box of its rest there.
    pub bounds: Aabb,
}

impl Beside {
    /// A source beside a target.
    pub fn new(
        character: Arc<Character>,
        clips: Vec<Option<usize>>,
        retarget: &Retarget,
        target: &Figure,
    ) -> Self {
        let figure = Figure::of(&character);
        let turn = target.upright * Affine3::from_quat(retarget.turn()) * figure.upright.inverse();
        let fitted = Affine3::from_scale(Vec3::splat(retarget.scale())) * turn;
        // Joints with a role: files of motion have helpers far from the body.
        let own = body(retarget.source(), retarget.source_roles(), &(fitted * figure.upright));
        let other = body(retarget.target(), retarget.target_roles(), &target.upright);
        let (mesh, bare) = (figure.rest.transformed(fitted), character.meshes().is_empty());
        let sole = match bare {
            true => {
                let lowest = lowest(&character, retarget.source_roles(), &(fitted * figure.upright));
                target.ground + lowest.unwrap_or(own.min.y) - other.min.y
            }
            false => ground_height(&mesh),
        };
        let [left, right] = [&other, &own].map(|body| body.max.x - body.min.x);
        let aside = 0.5 * (left + right) + GAP * left.max(right);
        let to = Vec3::new(other.center().x - aside, target.ground, other.center().z);
        let from = Vec3::new(own.center().x, sole, own.center().z);
        let moved = Affine3::from_translation(to - from);
        let bounds = if bare { own } else { mesh }.transformed(moved);
        Self { character, clips, place: moved * fitted, bounds }
    }
}

/// The box of all joints that have a role, at rest.
fn body(skeleton: &Skeleton, roles: &Humanoid, place: &Affine3) -> Aabb {
    let joints = roles.roles().filter_map(|(_, role)| skeleton.rest_model().get(usize::from(role.joint)));
    joints.fold(Aabb::EMPTY, |all, joint| all.with(place.transform_point3(joint.translation())))
}

/// How low joints with a role come in the first clip: the rest of motion capture need not stand on the ground.
fn lowest(character: &Arc<Character>, roles: &Humanoid, place: &Affine3) -> Option<f32> {
    let clip = character.clips().get(0).ok()?;
    let mut player = Player::new(Arc::clone(character));
    player.play_clip(Arc::clone(&clip), to_the_end(RootMotion::Keep)).ok()?;
    let mut lowest = f32::INFINITY;
    for time in times(&clip, SAMPLES) {
        player.seek(time);
        let model = player.model_matrices();
        let joints = roles.roles().filter_map(|(_, role)| model.get(usize::from(role.joint)));
        lowest = joints.map(|joint| place.transform_point3(joint.translation()).y).fold(lowest, f32::min);
    }
    lowest.is_finite().then_some(lowest)
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
                let clip = self.beside.character.clips().get(*clip);
                clip.is_ok_and(|clip| self.player.play_clip(clip, to_the_end(root_motion)).is_ok())
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
        let Aabb { min, max } = self.beside.bounds;
        Aabb { min: min + way, max: max + way }
    }
}
