//! Real files through everything: import, certificate, bundle, binary glTF, and back.

mod validator;

use rayon::prelude::*;
use sinew::glam::Affine3;
use sinew::skinning::SkinnedVertices;
use sinew::{Bundle, Character, Clip, Mesh, Sampling, job};
use sinew_build::bundle::{Evidence, WriteOptions, certify, verify, write_bundle};
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_import::{Imported, Options, import, import_bytes};
use std::path::{Path, PathBuf};

/// How far a joint or vertex may be from where it was, relative to the diagonal. Imports are within half of a ten-thousandth of gold, so the
/// whole way is within one.
const BAR: f64 = 5e-5;

/// All files of the corpus with gold that are of a format.
fn files(test: &str, prefix: &str) -> Option<Vec<PathBuf>> {
    let Some(corpus) = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty()).map(PathBuf::from) else {
        #[allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]
        {
            println!("SINEW-SKIP: {test}: corpus not set");
        }
        return None;
    };
    let index = std::fs::read_to_string(corpus.join("index.tsv")).expect("the corpus has an index");
    let rows = index.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let rows = rows.filter(|row| row[0].starts_with(prefix) && row[2] == "yes");
    Some(rows.map(|row| corpus.join(row[1])).collect())
}

#[test]
fn gltf_files_survive_the_round_trips() {
    round_trips("gltf_files_survive_the_round_trips", "gltf_");
}

#[test]
fn fbx_files_survive_the_round_trips() {
    round_trips("fbx_files_survive_the_round_trips", "fbx_");
}

fn round_trips(test: &str, prefix: &str) {
    let Some(files) = files(test, prefix) else { return };
    assert!(!files.is_empty());
    let folder = tempfile::tempdir().expect("a folder");
    let faults: Vec<String> = files
        .par_iter()
        .enumerate()
        .filter_map(|(index, file)| {
            let out = folder.path().join(format!("{index}.glb"));
            round_trip(file, &out).err().map(|fault| format!("{}: {fault}", file.display()))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let written: Vec<PathBuf> =
        (0..files.len()).map(|index| folder.path().join(format!("{index}.glb"))).collect();
    if let Some(complaints) = validator::complaints(test, &written) {
        assert!(complaints.is_empty(), "{} files:\n{}", complaints.len(), complaints.join("\n"));
    }
}

fn round_trip(file: &Path, out: &Path) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let imported = import(file, &Options::default()).map_err(|e| e.to_string())?;
    through_a_bundle(&imported, &bytes)?;
    let character = &imported.character;
    let glb = write_glb(character, &GlbOptions::default()).map_err(|e| e.to_string())?;
    std::fs::write(out, &glb.bytes).map_err(|e| e.to_string())?;
    let back = import_bytes(&glb.bytes, out, &Options::default()).map_err(|e| e.to_string())?;
    compare(character, &back.character)
}

/// The bundle holds the same, and is as near to its source as its certificate says.
fn through_a_bundle(imported: &Imported, bytes: &[u8]) -> Result<(), String> {
    let character = &imported.character;
    let origins = (0..character.clips().len() as u32)
        .map(|clip| Some(sinew::bundle::Origin { input: 0, clip }))
        .collect::<Vec<_>>();
    let evidence = [Evidence::new("source", bytes, imported)];
    let certificate = certify(character, &origins, &evidence).map_err(|e| e.to_string())?;
    let bundle = write_bundle(character, &WriteOptions::default(), Some(&certificate));
    let bundle = bundle.map_err(|e| e.to_string())?;
    verify(&bundle, &evidence).map_err(|e| e.to_string())?;
    let loaded = Bundle::read(&bundle).map_err(|e| e.to_string())?;
    for (index, clip) in (0..).zip(loaded.character.clips().ready()) {
        if *clip != *character.clips().get(index).map_err(|e| e.to_string())? {
            return Err(format!("clip {index} differs"));
        }
    }
    let relative = certificate.whole.joint_max / certificate.diagonal;
    if relative > BAR {
        return Err(format!("its certificate states a joint error of {relative:.1e} of the diagonal"));
    }
    Ok(())
}

/// Joint i was written as node i, so where a joint came from says which it was.
fn compare(before: &Character, after: &Character) -> Result<(), String> {
    let sources = after.skeleton().sources();
    let joint_of = |joint: usize| sources.iter().position(|&s| s as usize == joint);
    let joints: Option<Vec<usize>> = (0..before.skeleton().len()).map(joint_of).collect();
    let joints = joints.ok_or("a joint is lost")?;
    if before.clips().len() != after.clips().len() {
        return Err(format!("{} clips became {}", before.clips().len(), after.clips().len()));
    }
    let diagonal = diagonal(before);
    let meshes = before.meshes().iter().filter(|m| !m.indices.is_empty()).collect::<Vec<_>>();
    for index in 0..before.clips().len() {
        let (a, b) = (clip(before, index), clip(after, index));
        if (a.duration() - b.duration()).abs() > 1e-6 {
            return Err(format!("clip {index}: {} s became {} s", a.duration(), b.duration()));
        }
        for step in 0..7 {
            let time = f64::from(a.duration()) * (f64::from(step) + 0.37) / 7.0;
            let (a, b) = (Look::new(before, &a, time), Look::new(after, &b, time));
            for (joint, &other) in joints.iter().enumerate() {
                let (x, y) = (&a.model[joint], &b.model[other]);
                let error = joint_error(x, y, diagonal) / diagonal;
                if error > BAR {
                    return Err(format!("clip {index} at {time} s: joint {joint} is off by {error:.1e}"));
                }
            }
            for mesh in &meshes {
                let error = vertex_error(mesh, &a, after, &b) / diagonal;
                if error > BAR {
                    return Err(format!(
                        "clip {index} at {time} s: mesh `{}` is off by {error:.1e}",
                        mesh.name
                    ));
                }
            }
        }
    }
    Ok(())
}

fn clip(character: &Character, index: usize) -> std::sync::Arc<Clip> {
    character.clips().get(index).expect("it is loaded")
}

struct Look {
    model: Vec<Affine3>,
    scalars: Vec<f32>,
}

impl Look {
    fn new(character: &Character, clip: &Clip, time: f64) -> Self {
        let skeleton = character.skeleton();
        let mut pose = skeleton.rest().clone();
        job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose).expect("it fits");
        let mut model = vec![Affine3::IDENTITY; skeleton.len()];
        job::local_to_model(skeleton.parents(), pose.blocks(), &Affine3::IDENTITY, &mut model)
            .expect("it fits");
        Self { model, scalars: pose.scalars().to_vec() }
    }

    fn skin(&self, mesh: &Mesh) -> SkinnedVertices {
        let mut matrices = vec![Affine3::IDENTITY; mesh.slot_count()];
        mesh.skin_matrices(&self.model, &mut matrices).expect("it fits");
        let mut out = SkinnedVertices::for_mesh(mesh);
        out.skin(mesh, &matrices, &self.scalars).expect("it fits");
        out
    }
}

fn joint_error(a: &Affine3, b: &Affine3, diagonal: f64) -> f64 {
    let reach = (0.05 * diagonal) as f32;
    let points = [[0.0; 3], [reach, 0.0, 0.0], [0.0, reach, 0.0], [0.0, 0.0, reach]];
    let distance = |p: [f32; 3]| a.transform_point3(p.into()).distance(b.transform_point3(p.into()));
    points.into_iter().map(distance).fold(0.0, f32::max).into()
}

/// Of meshes with the same name and number of vertices, the nearest.
fn vertex_error(mesh: &Mesh, before: &Look, after: &Character, look: &Look) -> f64 {
    let expected = before.skin(mesh);
    let like_it =
        after.meshes().iter().filter(|m| m.name == mesh.name && m.vertex_count() == mesh.vertex_count());
    let error = |other: &Mesh| {
        let found = look.skin(other);
        let pairs = expected.positions.iter().zip(&found.positions);
        pairs.map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max)
    };
    like_it.map(error).fold(f64::INFINITY, f64::min)
}

fn diagonal(character: &Character) -> f64 {
    let player = sinew::Player::new(std::sync::Arc::new(character.clone()));
    let mut bounds = sinew::Aabb::EMPTY;
    for (index, mesh) in character.meshes().iter().enumerate() {
        let mut out = SkinnedVertices::for_mesh(mesh);
        out.skin(mesh, player.skin_matrices(index), player.pose().scalars()).expect("it fits");
        bounds = bounds.union(out.bounds());
    }
    if bounds.is_empty() {
        let origins: Vec<_> = player.model_matrices().iter().map(|m| m.translation).collect();
        bounds = sinew::Aabb::of(&origins);
    }
    let diagonal = f64::from(bounds.diagonal());
    if diagonal > 0.0 { diagonal } else { 1.0 }
}
