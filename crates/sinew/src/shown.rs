//! What a renderer takes of a character in a pose, whoever holds it.

use crate::{Character, Instance, JobError, Mat3x4, job};

/// A character in a pose, borrowed from an [`Instance`] or a [`Crowd`](crate::Crowd): what a renderer takes.
///
/// ```
/// # fn demo(crowd: &sinew::Crowd, buffer: &mut [sinew::Mat3x4]) -> Result<(), sinew::JobError> {
/// if let Some(shown) = crowd.shown(7) {
///     shown.write_palette(buffer)?;    // straight into the buffer that is sent to the device
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    character: &'a Character,
    model: &'a [Mat3x4],
    scalars: &'a [f32],
    /// Skin matrices, if they are computed already.
    palette: Option<&'a [Mat3x4]>,
}

impl<'a> Shown<'a> {
    pub(crate) fn new(character: &'a Character, model: &'a [Mat3x4], scalars: &'a [f32]) -> Self {
        Self { character, model, scalars, palette: None }
    }

    /// The character.
    pub fn character(&self) -> &'a Character {
        self.character
    }

    /// Model matrices by joint.
    pub fn model_matrices(&self) -> &'a [Mat3x4] {
        self.model
    }

    /// Scalars: morph weights and named curves.
    pub fn scalars(&self) -> &'a [f32] {
        self.scalars
    }

    /// Writes the skin matrices of all meshes, of which [`Character::palette_range`] says where they lie.
    ///
    /// Fails if `out` is shorter than [`Character::palette_len`].
    pub fn write_palette(&self, out: &mut [Mat3x4]) -> Result<(), JobError> {
        let Some(palette) = self.palette else { return job::palette(self.character, self.model, out) };
        job::at_least("out", palette.len(), out.len())?;
        out[..palette.len()].copy_from_slice(palette);
        Ok(())
    }
}

impl<'a> From<&'a Instance> for Shown<'a> {
    fn from(instance: &'a Instance) -> Self {
        Self {
            character: instance.character(),
            model: instance.model_matrices(),
            scalars: instance.pose().scalars(),
            palette: Some(instance.palette()),
        }
    }
}
