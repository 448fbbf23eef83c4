//! Real files through everything: import, certificate, bundle, binary glTF, and back.

mod compare;
mod validator;

use compare::{compare, same_parts};
use rayon::prelude::*;

use sinew_build::bundle::{BundleOptions, Evidence, certify, verify, write_bundle};
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_import::bundle::{BundleFile, Origin};
use sinew_import::{Imported, Options, import, import_bytes};
use std::path::{Path, PathBuf};

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

#[test]
fn dae_files_survive_the_round_trips() {
    round_trips("dae_files_survive_the_round_trips", "dae_");
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
    let glb = write_glb(character, &imported.source, &GlbOptions::default()).map_err(|e| e.to_string())?;
    std::fs::write(out, &glb.bytes).map_err(|e| e.to_string())?;
    let back = import_bytes(&glb.bytes, out, &Options::default()).map_err(|e| e.to_string())?;
    same_parts(character, &back)?;
    compare(character, &back, &sinew::Mat3x4::IDENTITY)
}

/// The bundle holds the same, and its errors are within its certificate.
fn through_a_bundle(imported: &Imported, bytes: &[u8]) -> Result<(), String> {
    let character = &imported.character;
    let origins =
        (0..character.clips().len() as u32).map(|clip| Some(Origin { input: 0, clip })).collect::<Vec<_>>();
    let evidence = [Evidence::new("source", bytes, imported)];
    let certificate =
        certify(character, &Default::default(), &origins, &evidence).map_err(|e| e.to_string())?;
    let bundle = write_bundle(character, &imported.source, &BundleOptions::default(), Some(&certificate));
    let bundle = bundle.map_err(|e| e.to_string())?;
    verify(&bundle, &evidence).map_err(|e| e.to_string())?;
    BundleFile::read(&bundle).map_err(|e| e.to_string())?;
    let loaded =
        import_bytes(&bundle, "bundle.sinew".as_ref(), &Options::default()).map_err(|e| e.to_string())?;
    if loaded.source != imported.source {
        return Err("what it says about its source differs".to_owned());
    }
    if loaded.character.meshes() != character.meshes() {
        return Err("its meshes differ".to_owned());
    }
    for (index, clip) in (0..).zip(loaded.character.clips().ready()) {
        if *clip != *character.clips().get(index).map_err(|e| e.to_string())? {
            return Err(format!("clip {index} differs"));
        }
    }
    let relative = certificate.whole.joint_max / certificate.diagonal;
    if relative > compare::BAR {
        return Err(format!("its certificate states a joint error of {relative:.1e} of the diagonal"));
    }
    Ok(())
}
