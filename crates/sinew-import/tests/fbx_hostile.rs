//! Files that a fuzzer made, that are odd on purpose, or that end too early: each gives a value or an error that names the file,
//! and none takes the process down or much of its time and memory.

#![allow(clippy::print_stdout, reason = "the slowest files are for whoever runs the tests")]

mod common;

use common::corpus;
use sinew_import::{Options, import, import_bytes};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Most that the process may ever have held, in KiB.
const MEMORY: u64 = 512 << 10;

fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.retain(|path| wanted(&path.file_name().unwrap().to_string_lossy()));
    files.sort();
    files
}

/// The most that this process has held so far, in KiB, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// What became of a number of files.
#[derive(Default)]
struct Outcome {
    values: usize,
    errors: usize,
    slowest: (Duration, String),
}

impl Outcome {
    fn read(&mut self, path: &Path) {
        let start = Instant::now();
        match import(path, &Options::default()) {
            Ok(_) => self.values += 1,
            Err(error) => {
                let text = error.to_string();
                let name = path.file_name().unwrap().to_string_lossy();
                assert!(text.contains(&*name), "{text} does not name {name}");
                self.errors += 1;
            }
        }
        let took = start.elapsed();
        if took > self.slowest.0 {
            self.slowest = (took, path.display().to_string());
        }
    }

    fn report(&self, what: &str) {
        let peak = peak_memory();
        println!(
            "{what}: {} values, {} errors, slowest {:?} ({}), peak {} MiB",
            self.values,
            self.errors,
            self.slowest.0,
            self.slowest.1,
            peak.unwrap_or(0) >> 10
        );
        assert!(peak.is_none_or(|peak| peak <= MEMORY), "{what} took {peak:?} KiB");
    }
}

#[test]
fn what_a_fuzzer_found_gives_a_value_or_an_error() {
    let Some(corpus) = corpus("what_a_fuzzer_found_gives_a_value_or_an_error") else { return };
    let files = files(&corpus.join("ufbx/fuzz"), |_| true);
    assert!(files.len() >= 400, "only {} files", files.len());
    let mut outcome = Outcome::default();
    files.iter().for_each(|file| outcome.read(file));
    outcome.report("fuzzed");
}

#[test]
fn files_that_are_wrong_on_purpose_are_refused() {
    let Some(corpus) = corpus("files_that_are_wrong_on_purpose_are_refused") else { return };
    for file in files(&corpus.join("ufbx"), |name| name.contains("_fail_")) {
        let result = import(&file, &Options::default());
        match result {
            // Its cache of vertices lies in another file, which is never opened.
            Ok(_) => assert!(file.to_string_lossy().contains("missing_cache"), "{} was read", file.display()),
            Err(error) => println!("{error}"),
        }
    }
    let mut outcome = Outcome::default();
    outcome.read(&corpus.join("assimp/FBX/transparentTest.fbx"));
    outcome.report("odd");
}

#[test]
fn a_file_that_ends_too_early_is_refused() {
    let Some(corpus) = corpus("a_file_that_ends_too_early_is_refused") else { return };
    for name in ["maya_game_sausage_7500_binary_combined.fbx", "maya_game_sausage_6100_ascii.fbx"] {
        let path = corpus.join("ufbx").join(name);
        let bytes = std::fs::read(&path).unwrap();
        let mut errors = 0;
        for part in 0..100 {
            let cut = &bytes[..bytes.len() * part / 100];
            errors += usize::from(import_bytes(cut, &path, &Options::default()).is_err());
        }
        // A text file that is cut behind all its objects is still a file.
        assert!(errors > 90, "{name}: only {errors} of 100 cuts were refused");
    }
}

/// Numbers and bytes changed at random, by a generator that always gives the same ones.
#[test]
fn damaged_files_give_a_value_or_an_error() {
    let Some(corpus) = corpus("damaged_files_give_a_value_or_an_error") else { return };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let mut values = 0;
    for name in [
        "maya_game_sausage_7500_ascii_combined.fbx",
        "maya_anim_layers_7500_ascii.fbx",
        "maya_game_sausage_6100_ascii_wiggle.fbx",
        "blender440_shape_weight_anim_7400_binary.fbx",
    ] {
        let path = corpus.join("ufbx").join(name);
        let bytes = std::fs::read(&path).unwrap();
        let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
        for round in 0..50 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random(40) {
                if name.contains("ascii") && round % 10 != 0 {
                    damaged[digits[random(digits.len())]] = b"0123456789-9999"[random(15)];
                } else {
                    let at = random(damaged.len());
                    damaged[at] = random(256) as u8;
                }
            }
            values += usize::from(import_bytes(&damaged, &path, &Options::default()).is_ok());
        }
    }
    println!("{values} of 200 damaged files gave a value");
    assert!(values > 50, "damage is too coarse to get past the reader: {values}");
    Outcome::default().report("damaged");
}
