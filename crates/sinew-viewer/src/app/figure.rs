//! Size and position of a character in picture space, in which +Y is up.

use sinew::glam::{Affine3, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Aabb, Character, Clip, PlayOptions, Player, RootMotion};
use sinew_render::{ground_height, upright};
use std::sync::Arc;

/// Measurements of the rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// From the character's space to picture space.
    pub upright: Affine3,
    /// Bounding box.
    pub rest: Aabb,
    /// Height of the ground.
    pub ground: f32,
    /// Diagonal of the bounding box; never zero.
    pub size: f32,
}

/// Poses of a clip that are measured to find how far it reaches.
pub(super) const SAMPLES: u32 = 12;
/// Steps of a trail.
const TRAIL: u32 = 60;

impl Figure {
    /// Measures a character.
    pub fn of(character: &Arc<Character>) -> Self {
        let upright = upright(character.space().up.into());
        let rest = character.rest_bounds().transformed(upright);
        let size = if rest.is_empty() { 0.0 } else { rest.diagonal() };
        Self { upright, rest, ground: ground_height(&rest), size: if size > 1e-6 { size } else { 1.0 } }
    }

    /// Bounding box of a clip that is played in place; of the rest pose without a clip.
    pub fn reach(&self, character: &Arc<Character>, clip: Option<&Arc<Clip>>) -> Aabb {
        let mut player = Player::new(Arc::clone(character));
        let options = to_the_end(RootMotion::InPlace);
        let Some(clip) = clip.filter(|clip| player.play_clip(Arc::clone(clip), options).is_ok()) else {
            return self.rest;
        };
        let mut all = Aabb::EMPTY;
        for time in times(clip, SAMPLES) {
            player.seek(time);
            all = all.union(bounds(&player));
        }
        all.transformed(self.upright)
    }

    /// Path of a clip's root on the ground, at equal time steps.
    pub fn trail(&self, character: &Arc<Character>, clip: &Arc<Clip>) -> Vec<Vec3> {
        let mut player = Player::new(Arc::clone(character));
        let root = usize::from(clip.travel(character, None).joint().unwrap_or(0));
        if player.play_clip(Arc::clone(clip), to_the_end(RootMotion::Keep)).is_err() {
            return Vec::new();
        }
        let points = times(clip, TRAIL).map(|time| {
            player.seek(time);
            self.on_ground(player.model_matrices().get(root).map_or(Vec3::ZERO, |model| model.translation()))
        });
        points.collect()
    }

    /// Projects a point of the character onto the ground.
    pub fn on_ground(&self, point: Vec3) -> Vec3 {
        let point = self.upright.transform_point3(point);
        Vec3::new(point.x, self.ground, point.z)
    }
}

/// Plays once: a loop would show its start at its end.
pub(super) fn to_the_end(root_motion: RootMotion) -> PlayOptions {
    PlayOptions { root_motion: Some(root_motion), ..PlayOptions::once(0.0) }
}

pub(super) fn times(clip: &Clip, count: u32) -> impl Iterator<Item = f64> {
    let duration = f64::from(clip.duration());
    (0..=count).map(move |i| duration * f64::from(i) / f64::from(count))
}

/// Bounding box of the meshes, or of the joints if there are none.
fn bounds(player: &Player) -> Aabb {
    let meshes = player.character().meshes().iter().enumerate();
    let drawn = meshes.fold(Aabb::EMPTY, |all, (number, mesh)| {
        let mut shape = SkinnedVertices::for_mesh(mesh);
        match shape.skin(mesh, player.skin_matrices(number), player.pose().scalars()) {
            Ok(()) => all.union(shape.bounds()),
            Err(_) => all,
        }
    });
    let joints = player.model_matrices().iter().map(|model| model.translation());
    if drawn.is_empty() { joints.fold(Aabb::EMPTY, Aabb::with) } else { drawn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::character;

    #[test]
    fn a_clip_reaches_as_far_as_it_goes_on_the_spot() {
        let hero = character();
        let figure = Figure::of(&hero);
        assert_eq!((figure.rest.min.y, figure.rest.max.y), (1.0, 3.0));
        let rise = figure.reach(&hero, Some(&hero.clips().get(0).unwrap()));
        assert_eq!((rise.min.y, rise.max.y), (1.0, 4.0));
        let walk = figure.reach(&hero, Some(&hero.clips().get(1).unwrap()));
        assert_eq!((walk.min.z, walk.max.z), (0.0, 0.0));
        assert_eq!(figure.reach(&hero, None), figure.rest);
    }

    #[test]
    fn a_trail_lies_on_the_ground_from_start_to_end() {
        let hero = character();
        let figure = Figure::of(&hero);
        let trail = figure.trail(&hero, &hero.clips().get(1).unwrap());
        assert_eq!(trail.first(), Some(&Vec3::new(0.0, figure.ground, 0.0)));
        assert_eq!(trail.last(), Some(&Vec3::new(0.0, figure.ground, 2.0)));
    }
}
