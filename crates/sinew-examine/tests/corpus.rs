//! Doctor on real files: correct files get no errors.

#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use sinew::{Finding, Severity};
use sinew_examine::doctor::{Report, examine};
use sinew_findings::catalogue::examine as findings;
use sinew_import::Source;
use sinew_import::{Imported, Options, import};
use std::path::{Path, PathBuf};

fn corpus(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty());
    if folder.is_none() {
        println!("SINEW-SKIP: {test}: corpus not set");
    }
    folder.map(PathBuf::from)
}

fn examined(paths: &[PathBuf]) -> Option<Report> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let read = |path: &PathBuf| Some((name(path), import(path, &Options::default()).ok()?));
    let files: Vec<(String, Imported)> = paths.iter().map(read).collect::<Option<_>>()?;
    let sources: Vec<_> = files.iter().map(|(name, imported)| Source::new(name, imported)).collect();
    Some(examine(sources[0], &sources[1..]))
}

/// Doctor's own findings, without those of the importer.
fn own(report: &Report) -> Vec<(&str, &str)> {
    let own = report.findings.iter().filter(|f| findings::ALL.contains(&f.kind));
    own.map(|f| (f.id(), f.place.as_str())).collect()
}

/// A looping dance of 18 s: it ends in its first pose, but an arm turns by 2° in the last frame and by 20° in the first.
#[test]
fn a_dance_closes_with_a_jerk() {
    let Some(corpus) = corpus("a_dance_closes_with_a_jerk") else { return };
    let report = examined(&[corpus.join("three/fbx/Samba_Dancing.fbx")]).unwrap();
    assert_eq!(
        own(&report),
        [("clip.loop-speed", "Samba_Dancing.fbx: Samba_Dancing")],
        "{:#?}",
        report.findings
    );
    assert_eq!(report.count(Severity::Error), 0);
}

/// Walk and run of an animator's scene, with cameras and controls, on a mesh from another file.
#[test]
fn locomotion_on_another_files_mesh() {
    let Some(corpus) = corpus("locomotion_on_another_files_mesh") else { return };
    let files = ["arnaud", "walk", "run"].map(|name| corpus.join(format!("ozz/fbx/pab/{name}.fbx")));
    let report = examined(&files).unwrap();
    let id = "clip.travelling-root";
    assert_eq!(own(&report), [(id, "run.fbx: run"), (id, "walk.fbx: walk")], "{:#?}", report.findings);
    assert_eq!(report.count(Severity::Warning), 0, "{:#?}", report.findings);
    assert_eq!((report.tables[0].matched(), report.tables[0].total()), (54, 75));
}

/// Doctor reports no errors for files that other programs play.
#[test]
fn no_file_that_plays_is_broken() {
    let Some(corpus) = corpus("no_file_that_plays_is_broken") else { return };
    let index = std::fs::read_to_string(corpus.join("index.tsv")).unwrap();
    let paths =
        index.lines().filter_map(|line| line.split('\t').nth(1)).filter(|path| path.ends_with(".fbx"));
    let mut count = 0;
    for path in paths {
        let Some(report) = examined(&[corpus.join(path)]) else { continue };
        count += 1;
        let errors: Vec<&Finding> =
            report.findings.iter().filter(|f| f.severity() == Severity::Error).collect();
        assert!(errors.is_empty(), "{path}: {errors:#?}");
    }
    assert!(count > 40, "{count}");
}

/// Surfaces by what the files themselves say: the bind shape of the first mirrors it, which its joints undo; normals of the second point against its polygons (2,808 of
/// 2,811); polygons of the third enclose a negative volume.
#[test]
fn surfaces_point_the_way_they_do_in_the_file() {
    let Some(corpus) = corpus("surfaces_point_the_way_they_do_in_the_file") else { return };
    for (file, part) in [
        ("three/collada/stormtrooper/stormtrooper.dae", None),
        ("ozz/fbx/pab/skeleton.fbx", Some("the normals of 100 %")),
        ("assimp/FBX/animation_with_skeleton.fbx", Some("inside out")),
    ] {
        let report = examined(&[corpus.join(file)]).unwrap();
        let found = report.findings.iter().find(|finding| finding.id() == "mesh.normals-inwards");
        assert_eq!(found.is_some(), part.is_some(), "{file}: {:#?}", report.findings);
        let message = found.map_or("", |finding| finding.message.as_str());
        assert!(message.contains(part.unwrap_or_default()), "{file}: {message}");
    }
}
