//! What a pose becomes each frame: model matrices, and skin matrices for every mesh.

use crate::job::{self, JobError};
use crate::{Character, Pose};
use glam::Affine3;
use std::ops::Range;

/// Model matrices and skin matrices of one instance of a character, allocated once.
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    pub(crate) root: Affine3,
    model: Vec<Affine3>,
    palette: Vec<Affine3>,
    slots: Vec<Range<usize>>,
}

impl Matrices {
    /// Those of the rest pose.
    pub(crate) fn new(character: &Character) -> Self {
        let mut slots = Vec::with_capacity(character.meshes().len());
        let mut total = 0;
        for mesh in character.meshes() {
            slots.push(total..total + mesh.slot_count());
            total += mesh.slot_count();
        }
        let mut matrices = Self {
            root: Affine3::IDENTITY,
            model: vec![Affine3::IDENTITY; character.skeleton().len()],
            palette: vec![Affine3::IDENTITY; total],
            slots,
        };
        matrices.update(character, character.skeleton().rest());
        matrices
    }

    /// Follows a pose of the character that it was made for.
    pub(crate) fn update(&mut self, character: &Character, pose: &Pose) {
        let checked = self.try_update(character, pose);
        // Character and pose were checked when they were made, so the jobs cannot refuse.
        debug_assert_eq!(checked, Ok(()));
    }

    fn try_update(&mut self, character: &Character, pose: &Pose) -> Result<(), JobError> {
        let parents = character.skeleton().parents();
        job::local_to_model(parents, pose.blocks(), &self.root, &mut self.model)?;
        for (mesh, slots) in character.meshes().iter().zip(&self.slots) {
            mesh.skin_matrices(&self.model, &mut self.palette[slots.clone()])?;
        }
        Ok(())
    }

    pub(crate) fn model(&self) -> &[Affine3] {
        &self.model
    }

    /// Skin matrices of one mesh, a slot each; empty for a mesh that is none.
    pub(crate) fn skin(&self, mesh: usize) -> &[Affine3] {
        self.slots.get(mesh).map_or(&[], |slots| &self.palette[slots.clone()])
    }
}
