//! The bits of what a character's frames come to, as one number for each clip.

use sinew::bundle_file::checksum;
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Clip, Instance, JobError, Sampling, job};
use std::sync::Arc;

/// Where in a clip its bits are taken, as shares of its duration.
const PLACES: [f64; 5] = [0.0, 0.137, 0.5, 0.731, 1.0];

/// A number that depends on every bit of the poses, palettes and deformed vertices of a clip at fixed times.
///
/// # Errors
/// If the clip does not fit the character.
pub fn of_clip(character: &Arc<Character>, clip: &Clip) -> Result<u64, JobError> {
    let mut instance = Instance::new(Arc::clone(character));
    let mut vertices: Vec<SkinnedVertices> =
        character.meshes().iter().map(SkinnedVertices::for_mesh).collect();
    let mut sums: Vec<u64> = Vec::new();
    for place in PLACES {
        let time = place * f64::from(clip.duration());
        job::sample(character.skeleton(), clip, time, Sampling::Interpolate, instance.pose_mut())?;
        instance.finish()?;
        sums.push(of_numbers(bytemuck::cast_slice(instance.pose().blocks())));
        sums.push(of_numbers(instance.pose().scalars()));
        sums.push(of_numbers(bytemuck::cast_slice(instance.model_matrices())));
        sums.push(of_numbers(bytemuck::cast_slice(instance.palette())));
        for (index, (mesh, vertices)) in character.meshes().iter().zip(&mut vertices).enumerate() {
            vertices.skin(mesh, instance.skin_matrices(index), instance.pose().scalars())?;
            sums.push(of_numbers(bytemuck::cast_slice(&vertices.positions)));
            sums.push(of_numbers(bytemuck::cast_slice(&vertices.normals)));
            sums.push(of_numbers(bytemuck::cast_slice(&vertices.tangents)));
        }
    }
    let bytes: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    Ok(checksum(&bytes))
}

/// The same for numbers. One NaN counts as another: which bits it has is the machine's affair.
pub fn of_numbers(numbers: &[f32]) -> u64 {
    let bits = numbers.iter().map(|x| if x.is_nan() { f32::NAN } else { *x });
    let bytes: Vec<u8> = bits.flat_map(f32::to_le_bytes).collect();
    checksum(&bytes)
}
