//! What holds for whatever a reader accepts.

use sinew::{Bundle, Character, Clip, PlayOptions, Player, Pose, Sampling, Transform, job};
use sinew_build::bundle::{Evidence, BundleOptions, certify, origin, verify, write_bundle};
use sinew_build::bvh::write_bvh;
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_build::monogame::{MonoGameOptions, write_monogame};
use sinew_build::textures::Textures;
use sinew_import::bundle::BundleFile;
use sinew_import::{Imported, Loaded, SourceInfo, import_bytes};
use sinew_xnb::{WriteOptions, Xnb};
use std::path::Path;
use std::sync::Arc;

/// Clips of a character that are looked at: many more would only make the fuzzer slow.
const CLIPS: usize = 8;

/// Poses are finite, the source's own evaluator answers, and the character can be written and read again.
pub fn imported(imported: &Imported) {
    poses(&imported.character);
    let skeleton = imported.character.skeleton();
    let mut locals = vec![Transform::IDENTITY; skeleton.len()];
    let mut scalars = vec![0.0; skeleton.scalar_names().len()];
    for (index, clip) in clips(&imported.character) {
        for time in times(&clip) {
            imported.evaluator.locals(index, time, &mut locals);
            imported.evaluator.scalars(index, time, &mut scalars);
        }
    }
    round_trip(&imported.character);
}

/// Every triangle has points, and every point a value of every attribute.
pub fn draco(mesh: &sinew_draco::Mesh) {
    assert!(mesh.indices.len().is_multiple_of(3), "three indices a triangle");
    assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.points), "indices of points");
    for attribute in &mesh.attributes {
        let size = attribute.component.size() * usize::from(attribute.components);
        assert_eq!(attribute.bytes.len(), mesh.points * size, "a value for each point");
    }
}

/// What is read is written as bytes that read back and are written as the same bytes again, unless something in it is not written.
pub fn xnb(xnb: &Xnb) {
    let reader = "Sinew.SkinningDataReader, Sinew.MonoGame";
    let options = WriteOptions { platform: xnb.platform, profile: xnb.profile, skinning_reader: reader };
    let Ok(bytes) = sinew_xnb::write(&xnb.asset, &options) else { return };
    let read = sinew_xnb::read(&bytes, u64::MAX).expect("a written XNB reads back");
    let again = sinew_xnb::write(&read.asset, &options).expect("what was read is written");
    assert!(again == bytes, "an XNB that was read is written as other bytes");
}

/// The rest and every clip give finite poses, at three times and played by a player.
pub fn poses(character: &Character) {
    let skeleton = character.skeleton();
    finite(skeleton.rest(), "the rest");
    let mut pose = skeleton.rest().clone();
    let mut player = Player::new(Arc::new(character.clone()));
    for (index, clip) in clips(character) {
        for time in times(&clip) {
            // A clip of a manifest is read late, and may not fit.
            if job::sample(skeleton, &clip, time, Sampling::default(), &mut pose).is_ok() {
                finite(&pose, &format!("clip {index} at {time} s"));
            }
        }
        let step = f64::from(clip.duration()) * 0.7;
        if player.play_clip(clip, PlayOptions::default()).is_ok() {
            for _ in 0..3 {
                player.update(step);
                let _ = player.events().count();
                finite(player.pose(), &format!("clip {index}, played to {} s", player.time()));
            }
        }
    }
}

fn clips(character: &Character) -> impl Iterator<Item = (usize, Arc<Clip>)> {
    let clips = character.clips();
    (0..clips.len().min(CLIPS)).filter_map(|index| Some((index, clips.get(index).ok()?)))
}

fn times(clip: &Clip) -> [f64; 3] {
    let end = f64::from(clip.duration());
    [0.0, end * 0.5, end]
}

fn finite(pose: &Pose, place: &str) {
    for (joint, local) in pose.iter().enumerate() {
        assert!(local.is_finite(), "{place}: joint {joint} is not finite: {local:?}");
    }
    for (scalar, value) in pose.scalars().iter().enumerate() {
        assert!(value.is_finite(), "{place}: scalar {scalar} is {value}");
    }
}

/// Pictures in files stay there: the fuzzer chooses their paths, and nothing is to be read from them.
fn textures() -> Textures {
    Textures::Reference(".".into())
}

/// A character is written as a bundle that reads back and is written as the same bytes again, as a GLB that imports, and as an XNB that
/// imports; or it is refused by the writer.
pub fn round_trip(character: &Character) {
    let options = BundleOptions::from(textures());
    let Ok(bytes) = write_bundle(character, &SourceInfo::default(), &options, None) else { return };
    let read = Bundle::read(&bytes).expect("a written bundle reads back").character;
    assert_eq!(read.skeleton().names(), character.skeleton().names());
    assert_eq!(read.meshes().len(), character.meshes().len());
    assert!(read.clips().names().eq(character.clips().names()), "clips differ");
    // As tools read it: with the order that its vertices had in the source.
    let file = BundleFile::read(bytes.as_slice()).expect("tools read what games read");
    let again =
        write_bundle(&file.character, &file.source, &options, None).expect("what was read is written");
    assert!(again == bytes, "a bundle that was read is written as other bytes");
    let Ok(glb) = write_glb(character, &SourceInfo::default(), &GlbOptions::from(textures())) else { return };
    if let Err(error) = import_bytes(&glb.bytes, Path::new("no-such-folder/written.glb"), &crate::options()) {
        panic!("a written GLB does not import: {error}");
    }
    // Frames of long clips would only make the fuzzer slow.
    if clips(character).all(|(_, clip)| clip.duration() < 10.0) {
        let _ = write_bvh("written.bvh", character, &SourceInfo::default());
    }
    let Ok(xnb) = write_monogame("written.xnb", character, &SourceInfo::default(), &Textures::Omit, &MonoGameOptions::default()) else {
        return;
    };
    let model = xnb.files.last().expect("the model comes last");
    if let Err(error) = import_bytes(&model.bytes, Path::new("no-such-folder/written.xnb"), &crate::options()) {
        panic!("a written XNB does not import: {error}");
    }
}

/// A merged character is certified, written, read back and verified; or one of these steps refuses it before it is written.
pub fn certified(loaded: &Loaded, files: [&[u8]; 2]) {
    let sources: Vec<_> = loaded.sources.iter().collect();
    let imported = loaded.sources.imported().iter();
    let evidence: Vec<_> = sources
        .iter()
        .zip(files)
        .zip(imported)
        .map(|((source, bytes), imported)| Evidence::new(source.file, bytes, imported))
        .collect();
    let origins: Vec<_> = loaded.origins.iter().map(|clip| Some(origin(clip))).collect();
    let Ok(certificate) = certify(&loaded.character, &loaded.source, &origins, &evidence) else { return };
    let options = BundleOptions::from(textures());
    let Ok(bytes) = write_bundle(&loaded.character, &loaded.source, &options, Some(&certificate)) else {
        return;
    };
    if let Err(error) = verify(&bytes, &evidence) {
        panic!("what was just certified does not verify: {error}");
    }
}
