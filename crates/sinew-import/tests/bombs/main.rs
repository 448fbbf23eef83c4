//! Small files that ask for much: each is refused by an error that names the limit, or read, and takes neither much memory nor much time.
//!
//! The files are generated. `SINEW_BOMBS=full` makes them as large as those that were reported; a name instead runs one case alone.

#![allow(clippy::print_stdout, reason = "the table is for whoever runs the tests")]

mod bundle;
mod bvh;
mod collada;
mod fbx;
mod gltf;
mod pictures;
mod vrm;
mod xnb;

#[path = "../common/doc.rs"]
#[allow(dead_code, reason = "only a part of it is needed here")]
mod doc;

use sinew_files::{Files, Memory};
use sinew_import::{Options, import_bytes, read_from};
use sinew_testkit::memory;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

#[global_allocator]
static COUNTING: memory::Counting = memory::Counting;

/// Most that a case may hold, the file itself included.
const MOST: u64 = 600 << 20;

/// Most seconds that the processor may work on a case in full size, in a release build. Other programs do not count.
const SECONDS: f64 = 10.0;

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// It is read.
    Read,
    /// It exceeds the limit of this name.
    Limit(&'static str),
    /// It breaks the rules of its format, or means nothing that can be played.
    Refused,
}
use Outcome::{Limit, Read, Refused};

/// A generated file.
#[derive(Clone, Copy)]
struct Bomb {
    name: &'static str,
    /// Its name, which tells the format.
    file: &'static str,
    /// The content; the number scales it from one, for everyday tests, up.
    make: fn(usize) -> Vec<u8>,
    /// The scale at which it was reported.
    full: usize,
    expected: Outcome,
}

fn outcome(bytes: &[u8], file: &str) -> (Outcome, String) {
    let shown;
    // A picture is read as part of a document.
    let (bytes, file) = if file.ends_with(".png") {
        shown = pictures::showing(bytes);
        (shown.as_slice(), "a.gltf")
    } else {
        (bytes, file)
    };
    match import_bytes(bytes, Path::new(file), &Options::default()) {
        Ok(imported) => {
            let lost = imported.findings.iter().find(|f| f.id() == "material.texture-not-converted");
            (Read, lost.map(|finding| finding.message.clone()).unwrap_or_default())
        }
        Err(error) => {
            let text = error.to_string();
            let name = sinew_import::Limits::NAMES
                .iter()
                .copied()
                .find(|name| text.contains(&format!("exceeds the limit `{name}`")));
            (name.map_or(Refused, Limit), text)
        }
    }
}

/// The peak of memory is that of the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn clips_of_a_manifest_share_the_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let clips: Vec<_> = (0..4).map(|i| format!(r#"{{ "index": {i}, "file": "{i}.dae" }}"#)).collect();
    let manifest = format!(r#"{{ "modelFile": "model.dae", "clips": [{}] }}"#, clips.join(","));
    let mut files = Memory::default().with("manifest.json", manifest).with("model.dae", collada::one_bone());
    let large = collada::elements(2);
    for clip in 0..clips.len() {
        files.insert(format!("{clip}.dae"), large.clone());
    }
    let files: Arc<dyn Files> = Arc::new(files);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let peak = memory::Peak::start();
    let imported =
        pool.install(|| read_from(&files, Path::new("manifest.json"), &Options::default())).unwrap();
    let peak = peak.bytes();
    println!("four clips of a manifest: {} MiB", peak >> 20);
    assert!(peak <= MOST);
    for clip in 0..clips.len() {
        let error = imported.character.clips().get(clip).unwrap_err().to_string();
        assert!(error.contains("exceeds the limit `memory`"), "{error}");
        assert!(error.contains("where 419430400 are allowed"), "{error}");
    }
}

#[test]
fn a_long_recording_takes_three_times_its_size() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    bvh::recording(if std::env::var("SINEW_BOMBS").is_ok_and(|wanted| wanted == "full") { 60 } else { 1 });
}

#[test]
fn curves_are_made_ready_in_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let options = Options::default().with(|options| options.limits.memory = 4 << 30);
    let imported = import_bytes(&fbx::shared_curve(1), Path::new("a.fbx"), &options).expect("it is read");
    let count = imported.character.skeleton().len();
    let [mut often, mut locals] = [(); 2].map(|()| vec![sinew::Transform::IDENTITY; count]);
    let peak = memory::Peak::start();
    imported.evaluator.often(0)(0.004, &mut often);
    let peak = peak.bytes();
    println!("curves of {count} nodes made ready: {} MiB", peak >> 20);
    // All of them would take more than a hundred.
    assert!((32..80).contains(&(peak >> 20)), "{} MiB", peak >> 20);
    imported.evaluator.locals(0, 0.004, &mut locals);
    let apart = often.iter().zip(&locals).map(|(a, b)| a.translation.distance(b.translation));
    assert!(apart.fold(0.0, f32::max) <= 1e-6);
    assert!(locals.iter().all(|local| local.translation.x > 0.0));
}

#[test]
fn bombs_meet_a_limit_in_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = std::env::var("SINEW_BOMBS").unwrap_or_default();
    let full = wanted == "full";
    println!("{:<34} {:>10} {:>9} {:>8} {:>8}  limit", "case", "bytes", "peak MiB", "seconds", "CPU");
    let mut wrong = Vec::new();
    let all =
        [gltf::BOMBS, vrm::BOMBS, collada::BOMBS, fbx::BOMBS, bvh::BOMBS, bundle::BOMBS, pictures::BOMBS];
    for bomb in all.concat() {
        if !(wanted.is_empty() || full || bomb.name.contains(&wanted)) {
            continue;
        }
        let bytes = (bomb.make)(if full || !wanted.is_empty() { bomb.full } else { 1 });
        let peak = memory::Peak::start();
        let (start, cpu) = (Instant::now(), memory::cpu_seconds());
        let (got, message) = outcome(&bytes, bomb.file);
        let (took, peak) = (start.elapsed().as_secs_f64(), peak.bytes() + bytes.len() as u64);
        let cpu = memory::cpu_seconds() - cpu;
        println!(
            "{:<34} {:>10} {:>9} {took:>8.2} {cpu:>8.2}  {got:?} {}",
            bomb.name,
            bytes.len(),
            peak >> 20,
            if got == Read { &message } else { "" }
        );
        // In full size another limit may be the first to be met.
        let expected = got == bomb.expected || full && matches!(got, Limit(_));
        let too_long = full && !cfg!(debug_assertions) && cpu > SECONDS;
        if !expected || peak > MOST || too_long {
            wrong.push(format!("{}: {got:?}, {} MiB, {cpu:.1} s, {message}", bomb.name, peak >> 20));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
