//! The viewer in a real window on a virtual display, with the available driver: time to the first frame, and frames per second with a character of
//! more than 50,000 triangles. Then ten thousand of its hero as a [`sinew::Crowd`]: poses, palettes and a picture.
//!
//! `cargo bench -p sinew-viewer`; needs Xvfb.

#![allow(missing_docs, dead_code, reason = "a program, which shares the display with the tests")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints what it measured")]

mod crowd;
#[path = "../tests/window/display.rs"]
mod display;
#[path = "../tests/window/viewer.rs"]
mod viewer;

use display::Display;
use serde_json::Value;
use sinew_testkit::scene::{Mesh, Skin};
use sinew_testkit::{fbx, humanoid};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};
use viewer::Viewer;

/// Duration of the measurement.
const SPAN: Duration = Duration::from_secs(10);

fn main() {
    let Some(display) = Display::open("the viewer's benchmark", (1600, 900)) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    humanoid::write_to(folder.path()).expect("files are written");
    first_frame(&display, folder.path());
    crowd::measure(folder.path());
    let mut hero = humanoid::character();
    hero.meshes.iter_mut().for_each(|mesh| *mesh = denser(mesh));
    let triangles: usize = hero.meshes.iter().map(|mesh| mesh.faces.len()).sum();
    std::fs::write(folder.path().join("dense.fbx"), fbx::write(&hero)).expect("the file is written");
    println!("{triangles} triangles, {} nodes, 4 influences, in the clip `run`:", hero.nodes.len());
    // A window of 960x540 with its panels, and a larger window whose 3D view has that size.
    frames(&display, folder.path(), "960x540", &[]);
    frames(&display, folder.path(), "1484x684", &[]);
    frames(&display, folder.path(), "1484x684", &["--overlay", "skeleton,names,bounds,ghost,trail"]);
}

fn first_frame(display: &Display, folder: &Path) {
    let files = ["hero.fbx", "walk.fbx"].map(|name| folder.join(name));
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let start = Instant::now();
            let viewer = Viewer::open(display, &files, &[]);
            viewer.wait("the first frame", |line| line["event"] == "drawn" && line["clip"] == "walk");
            start.elapsed()
        })
        .collect();
    times.sort();
    println!("hero.fbx walk.fbx: from start to the first frame drawn {:.0?} (median of 5)", times[2]);
}

fn frames(display: &Display, folder: &Path, size: &str, more: &[&str]) {
    let files = ["dense.fbx", "run.fbx"].map(|name| folder.join(name));
    let viewer = Viewer::open_sized(display, &files, size, more);
    viewer.wait_until("examined");
    let drawn = |line: &Value| line["event"] == "drawn";
    let first = viewer.wait("it is drawn", drawn);
    let (start, work) = (Instant::now(), processor_seconds(viewer.process.id()));
    let mut last = first.clone();
    while start.elapsed() < SPAN {
        last = viewer.wait("it is drawn", drawn);
    }
    let count = last["number"].as_u64().unwrap_or(0) - first["number"].as_u64().unwrap_or(0);
    let rate = count as f64 / start.elapsed().as_secs_f64();
    let work = (processor_seconds(viewer.process.id()) - work) * 1e3 / count.max(1) as f64;
    let (width, height) = (&last["pixels"][0], &last["pixels"][1]);
    println!(
        "  {rate:5.1} frames a second, {work:4.0} ms of processor time each: window {size}, view {width}x{height} {}",
        more.join(" ")
    );
}

/// CPU seconds of a process over all threads: the cost of a frame independent of other load.
fn processor_seconds(process: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // After the name, which may contain any character, fields 12 and 13 are the times in hundredths.
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields = rest.split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The same surface with each triangle split into four.
fn denser(mesh: &Mesh) -> Mesh {
    let skin = mesh.skin.as_ref().expect("it has a skin");
    let joints: Vec<usize> = skin.clusters.iter().map(|cluster| cluster.joint).collect();
    let mut weights: Vec<Vec<(usize, f64)>> = skin.by_vertex(mesh.vertices.len());
    let mut out = Mesh { faces: vec![], face_materials: vec![], shapes: vec![], ..mesh.clone() };
    let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
    for (number, face) in mesh.faces.iter().enumerate() {
        for i in 1..face.len() - 1 {
            let [a, b, c] = [face[0], face[i], face[i + 1]];
            let mut middle = |from: u32, to: u32| {
                let key = (from.min(to), from.max(to));
                *middles.entry(key).or_insert_with(|| add_middle(&mut out, &mut weights, key))
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            let parts = [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]];
            out.faces.extend(parts.map(|part| part.to_vec()));
            out.face_materials
                .extend(mesh.face_materials.get(number).map(|slot| [*slot; 4]).into_iter().flatten());
        }
    }
    let named = |weights: &Vec<(usize, f64)>| weights.iter().map(|&(slot, w)| (joints[slot], w)).collect();
    let by_joint: Vec<Vec<(usize, f64)>> = weights.iter().map(named).collect();
    let mut dense = Skin::from_vertices(&by_joint);
    for cluster in &mut dense.clusters {
        let old = skin.clusters.iter().find(|old| old.joint == cluster.joint).expect("a joint of before");
        (cluster.bind, cluster.mesh_bind) = (old.bind, old.mesh_bind);
    }
    out.skin = Some(dense);
    out
}

fn add_middle(mesh: &mut Mesh, weights: &mut Vec<Vec<(usize, f64)>>, (a, b): (u32, u32)) -> u32 {
    let (a, b) = (a as usize, b as usize);
    mesh.vertices.push((mesh.vertices[a] + mesh.vertices[b]) * 0.5);
    mesh.normals.push((mesh.normals[a] + mesh.normals[b]).normalize_or(mesh.normals[a]));
    mesh.uvs.push((mesh.uvs[a] + mesh.uvs[b]) * 0.5);
    let mut mixed: Vec<(usize, f64)> = Vec::new();
    for &(slot, weight) in weights[a].iter().chain(&weights[b]) {
        match mixed.iter_mut().find(|(other, _)| *other == slot) {
            Some((_, sum)) => *sum += weight * 0.5,
            None => mixed.push((slot, weight * 0.5)),
        }
    }
    weights.push(mixed);
    (mesh.vertices.len() - 1) as u32
}
