//! What a frame of one character costs, part by part.

use crate::clock::Rounds;
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Clip, ClipError, Instance, JobError, Mat3x4, Sampling, job};
use std::hint::black_box;
use std::sync::Arc;

/// Nanoseconds of the parts of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// The local pose of a clip: the mean over its clips, each at times that look random.
    pub sample: f64,
    /// Local to model.
    pub hierarchy: f64,
    /// Skin matrices of all meshes.
    pub skin_matrices: f64,
    /// Deforming all meshes on the CPU.
    pub skinning: f64,
}

impl Cost {
    /// Without skinning, which most games leave to the GPU.
    pub fn pose(&self) -> f64 {
        self.sample + self.hierarchy + self.skin_matrices
    }

    /// All parts.
    pub fn whole(&self) -> f64 {
        self.pose() + self.skinning
    }
}

/// Why a character could not be measured.
#[derive(Debug)]
pub enum CostError {
    /// A clip cannot be loaded.
    Clip(ClipError),
    /// Parts do not fit each other.
    Job(JobError),
}

impl std::fmt::Display for CostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Clip(error) => error.fmt(f),
            Self::Job(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CostError {}

impl From<ClipError> for CostError {
    fn from(error: ClipError) -> Self {
        Self::Clip(error)
    }
}

impl From<JobError> for CostError {
    fn from(error: JobError) -> Self {
        Self::Job(error)
    }
}

/// Measures a character on one thread.
///
/// # Errors
/// If a clip cannot be loaded, or does not fit.
pub fn measure(character: &Arc<Character>, rounds: Rounds) -> Result<Cost, CostError> {
    let clips: Vec<Arc<Clip>> =
        (0..character.clips().len()).map(|index| character.clips().get(index)).collect::<Result<_, _>>()?;
    let mut instance = Instance::new(Arc::clone(character));
    let skeleton = character.skeleton();
    let mut cost = Cost::default();
    for clip in &clips {
        // Once with the error in hand; then it cannot fail.
        job::sample(skeleton, clip, 0.0, Sampling::Interpolate, instance.pose_mut())?;
        let (mut step, duration) = (0u32, f64::from(clip.duration()));
        let time = rounds.time(|| {
            step = step.wrapping_add(1);
            let time = f64::from(step) * 0.618_034 % 1.0 * duration;
            let _ = job::sample(skeleton, clip, time, Sampling::Interpolate, black_box(instance.pose_mut()));
        });
        cost.sample += time / clips.len() as f64;
    }
    let mut model = skeleton.rest_model().to_vec();
    job::local_to_model(skeleton.hierarchy(), instance.pose().blocks(), &Mat3x4::IDENTITY, &mut model)?;
    cost.hierarchy = rounds.time(|| {
        let (locals, model) = (instance.pose().blocks(), black_box(&mut model));
        let _ = job::local_to_model(skeleton.hierarchy(), locals, &Mat3x4::IDENTITY, model);
    });
    instance.finish()?;
    for (index, mesh) in character.meshes().iter().enumerate() {
        if let Some(skin) = &mesh.skin {
            let mut palette = vec![Mat3x4::IDENTITY; skin.joints.len()];
            job::skin_matrices(skin, &model, &mut palette)?;
            cost.skin_matrices += rounds.time(|| {
                let _ = job::skin_matrices(skin, &model, black_box(&mut palette));
            });
        }
        let mut vertices = SkinnedVertices::for_mesh(mesh);
        let (matrices, scalars) = (instance.skin_matrices(index), instance.pose().scalars());
        vertices.skin(mesh, matrices, scalars)?;
        cost.skinning += rounds.time(|| {
            let _ = black_box(&mut vertices).skin(mesh, matrices, scalars);
        });
    }
    Ok(cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;
    use sinew_compress::Profile;

    #[test]
    fn every_part_of_a_frame_is_measured() {
        let (character, _) = synthetic::character(12, 0.5, 30.0, Profile::Balanced);
        let cost = measure(&Arc::new(character), Rounds(1)).unwrap();
        assert!(cost.sample > 0.0 && cost.hierarchy > 0.0);
        assert_eq!((cost.skin_matrices, cost.skinning), (0.0, 0.0), "it has no mesh");
        assert_eq!(cost.whole(), cost.sample + cost.hierarchy);
    }
}
