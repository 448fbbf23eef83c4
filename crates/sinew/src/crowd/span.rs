//! Neighbouring slots, worked on in turn or by several threads.

use crate::{Character, JobError, Mat3x4, Pose, Scratch, Skeleton, job};

/// How many slots one thread works on in turn, at least. Enough to pay for handing them over and for room of its own.
#[cfg(any(test, feature = "rayon"))]
pub(super) const TEAM: usize = 128;

/// Room for one pose while it is made.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) scratch: Scratch,
    pub(super) pose: Pose,
}

impl Work {
    /// Room for the poses that are made at the same time, of so many slots.
    pub(super) fn for_slots(skeleton: &Skeleton, slots: usize) -> Vec<Self> {
        #[cfg(feature = "rayon")]
        // Twice as many as threads, since some may have less to do than others.
        let teams = slots.div_ceil(TEAM).clamp(1, 2 * rayon::current_num_threads());
        #[cfg(not(feature = "rayon"))]
        let teams = slots.min(1);
        vec![Self { scratch: Scratch::new(skeleton), pose: skeleton.rest().clone() }; teams]
    }

    /// Refuses a pose of another shape, and takes back one of the right shape for those that follow.
    pub(super) fn check(&mut self, skeleton: &Skeleton) -> Result<(), JobError> {
        if self.pose.same_shape(skeleton.rest()) {
            return Ok(());
        }
        let wrong = std::mem::replace(&mut self.pose, skeleton.rest().clone());
        job::exactly("pose.joints", skeleton.len(), wrong.len())?;
        job::exactly("pose.scalars", self.pose.scalars().len(), wrong.scalars().len())
    }
}

/// Some neighbouring slots: who is posed in each, and the matrices and scalars that follow.
pub(super) struct Span<'a, T> {
    pub(super) character: &'a Character,
    /// The number of the first.
    pub(super) first: usize,
    pub(super) items: &'a mut [T],
    pub(super) model: &'a mut [Mat3x4],
    pub(super) scalars: &'a mut [f32],
    /// One for each team.
    pub(super) works: &'a mut [Work],
}

impl<'a, T: Send> Span<'a, T> {
    /// Lets `mix` write the pose of each, and makes matrices of those of which it says that it did. Goes through all even where some fail, and tells of
    /// the first that did.
    pub(super) fn run<F>(self, mix: &F) -> Result<(), JobError>
    where
        F: Fn(usize, &mut T, &mut Work) -> Result<bool, JobError> + Sync,
    {
        #[cfg(feature = "rayon")]
        if self.works.len() > 1 && self.items.len() > TEAM {
            let (front, back) = self.halves();
            let (front, back) = rayon::join(|| front.run(mix), || back.run(mix));
            return front.and(back);
        }
        self.in_turn(mix)
    }

    #[cfg(feature = "rayon")]
    fn halves(self) -> (Self, Self) {
        let teams = self.works.len() / 2;
        let front = self.items.len() * teams / self.works.len();
        let (joints, scalars) = shape(self.character);
        let (items, more_items) = self.items.split_at_mut(front);
        let (model, more_model) = self.model.split_at_mut(front * joints);
        let (values, more_values) = self.scalars.split_at_mut(front * scalars);
        let (works, more_works) = self.works.split_at_mut(teams);
        let (character, first) = (self.character, self.first);
        (
            Self { character, first, items, model, scalars: values, works },
            Self {
                character,
                first: first + front,
                items: more_items,
                model: more_model,
                scalars: more_values,
                works: more_works,
            },
        )
    }

    fn in_turn<F>(self, mix: &F) -> Result<(), JobError>
    where
        F: Fn(usize, &mut T, &mut Work) -> Result<bool, JobError>,
    {
        let Some(work) = self.works.first_mut() else { return Ok(()) };
        let (joints, scalars) = shape(self.character);
        let hierarchy = self.character.skeleton().hierarchy();
        let mut done = Ok(());
        for (i, item) in self.items.iter_mut().enumerate() {
            let mut pose = || {
                if mix(self.first + i, item, work)? {
                    let model = &mut self.model[i * joints..(i + 1) * joints];
                    job::local_to_model(hierarchy, work.pose.blocks(), &Mat3x4::IDENTITY, model)?;
                    self.scalars[i * scalars..(i + 1) * scalars].copy_from_slice(work.pose.scalars());
                }
                Ok(())
            };
            done = done.and(pose());
        }
        done
    }
}

/// How many joints and scalars a pose has.
pub(super) fn shape(character: &Character) -> (usize, usize) {
    (character.skeleton().len(), character.skeleton().rest().scalars().len())
}
