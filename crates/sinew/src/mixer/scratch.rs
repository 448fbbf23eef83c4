//! Room for the poses of voices while they are mixed.

use crate::pose::{JointBlock, Lanes};
use crate::{Pose, Skeleton};

/// Room for the poses of voices while they are mixed. It holds nothing from one mix to the next, so one is enough for all instances
/// of a character that a thread mixes.
#[derive(Clone, Debug)]
pub struct Scratch {
    pub(super) voice: Pose,
    pub(super) sum: Pose,
    pub(super) weights: Vec<Lanes>,
    pub(super) scalar_weights: Vec<f32>,
}

impl Scratch {
    /// Room for the poses of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        let rest = skeleton.rest();
        Self {
            voice: rest.clone(),
            sum: rest.clone(),
            weights: vec![Lanes::splat(0.0); rest.blocks().len()],
            scalar_weights: vec![0.0; rest.scalars().len()],
        }
    }

    /// All that voices and sums are written into.
    pub(super) fn parts(&mut self) -> (&mut Pose, &mut [JointBlock], &mut [Lanes]) {
        (&mut self.voice, self.sum.blocks_mut(), &mut self.weights)
    }
}
