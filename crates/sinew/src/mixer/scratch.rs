//! Room for the poses of voices while they are mixed.

use crate::pose::Lanes;
use crate::{Pose, Skeleton};

/// Room for the poses of voices while they are mixed. It holds nothing from one mix to the next, so one is enough for all instances
/// of a character that a thread mixes.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// One clip of a voice, and the same before left and right are changed over.
    pub(super) voice: Pose,
    pub(super) mirrored: Pose,
    /// The sum of the voices of a layer, and of their weights.
    pub(super) sum: Pose,
    pub(super) weights: Vec<Lanes>,
    pub(super) scalar_weights: Vec<f32>,
    /// What an inertial transition takes the place of, now and a moment before.
    pub(super) now: Pose,
    pub(super) before: Pose,
    /// What a mirrored clip moves.
    pub(super) coverage: Vec<Lanes>,
}

impl Scratch {
    /// Room for the poses of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        let rest = skeleton.rest();
        let lanes = vec![Lanes::splat(0.0); rest.blocks().len()];
        Self {
            voice: rest.clone(),
            mirrored: rest.clone(),
            sum: rest.clone(),
            now: rest.clone(),
            before: rest.clone(),
            weights: lanes.clone(),
            scalar_weights: vec![0.0; rest.scalars().len()],
            coverage: lanes,
        }
    }
}
