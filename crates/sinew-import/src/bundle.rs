//! Compiled characters, for those who look into files: a bundle is what it is, in the space that it was built in.

use crate::{Cause, Imported, SourceEvaluator};
use sinew::character::CharacterData;
use sinew::{Bundle, Character, Clip, Image, Pose, Sampling, Skeleton, Texture, Transform, job};
use std::path::Path;
use std::sync::Arc;

/// Reads a bundle that is in memory. Its clips are their own truth.
pub fn import(bytes: &[u8], path: &Path) -> Result<Imported, Cause> {
    let character = located(Bundle::read(bytes)?.character, path)?;
    let evaluator =
        Evaluator { skeleton: character.skeleton().clone(), clips: character.clips().ready().collect() };
    Ok(Imported { character, evaluator: Box::new(evaluator), findings: Vec::new(), clip_target: None })
}

/// Pictures in files are seen from the bundle's folder.
fn located(character: Character, path: &Path) -> Result<Character, Cause> {
    let is_file = |texture: &Texture| matches!(texture.image, Image::File(_));
    if !character.textures().iter().any(is_file) {
        return Ok(character);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let located = |texture: &Texture| match &texture.image {
        Image::File(file) => Texture { image: Image::File(folder.join(file)), ..texture.clone() },
        Image::Missing | Image::Embedded(_) => texture.clone(),
    };
    Ok(Character::new(CharacterData {
        name: character.name().to_owned(),
        skeleton: Skeleton::clone(character.skeleton()),
        meshes: character.meshes().to_vec(),
        materials: character.materials().to_vec(),
        textures: character.textures().iter().map(located).collect(),
        clips: character.clips().clone(),
        space: character.space(),
    })?)
}

struct Evaluator {
    skeleton: Arc<Skeleton>,
    clips: Vec<Arc<Clip>>,
}

impl Evaluator {
    fn pose(&self, clip: usize, time: f64) -> Pose {
        let mut pose = self.skeleton.rest().clone();
        if let Some(clip) = self.clips.get(clip) {
            // A clip of a bundle fits its skeleton: that was checked when it was read.
            let fits = job::sample(&self.skeleton, clip, time, Sampling::Interpolate, &mut pose);
            debug_assert_eq!(fits, Ok(()));
        }
        pose
    }
}

impl SourceEvaluator for Evaluator {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        out.iter_mut().zip(self.pose(clip, time).iter()).for_each(|(out, local)| *out = local);
    }

    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]) {
        out.iter_mut().zip(self.pose(clip, time).scalars()).for_each(|(out, scalar)| *out = *scalar);
    }
}
