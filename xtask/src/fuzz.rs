//! `cargo xtask fuzz`: runs the fuzz targets of the folder `fuzz`, one after the other.
//!
//! libFuzzer guides them by coverage, the address sanitizer watches. Both need compiler flags that are not stable yet; `RUSTC_BOOTSTRAP` makes
//! the stable toolchain take them, so no other toolchain and no cargo-fuzz is needed.

use crate::{run, setup};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What can be fuzzed: the binaries of the folder `fuzz`, and the most bytes that an input of theirs may have.
const TARGETS: &[(&str, usize)] = &[
    ("bundle", LARGE),
    ("bvh", LARGE),
    ("collada", LARGE),
    ("draco", LARGE),
    ("fbx", LARGE),
    ("glb", LARGE),
    ("gltf", LARGE),
    ("image", LARGE),
    ("manifest", LARGE),
    ("merge", LARGE),
    ("project", 8 << 10),
    ("xnb", LARGE),
    ("zae", LARGE),
];

/// A little more than the largest seed.
const LARGE: usize = 256 << 10;

/// How long each target runs unless the command line says.
const MINUTES: f64 = 10.0;

/// Where everything goes, seen from the workspace: build, seeds, corpus and crashes.
const FOLDER: &str = "target/fuzz";

/// Coverage and address sanitizer for Rust.
const RUST_FLAGS: &[&str] = &[
    "--cfg fuzzing",
    "-Zsanitizer=address",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The same for C, which is ufbx. `fuzz/coverage.cpp` takes what `trace-pc` reports.
const C_FLAGS: &str = "-fsanitize=address -fsanitize-coverage=trace-pc,trace-cmp";

/// What the command line asks for.
#[derive(Debug, PartialEq)]
struct Request {
    minutes: f64,
    targets: Vec<(&'static str, usize)>,
}

impl Request {
    fn parse(arguments: &[&str]) -> Result<Self, String> {
        let mut request = Self { minutes: MINUTES, targets: Vec::new() };
        let mut words = arguments.iter();
        while let Some(&word) = words.next() {
            if word == "--minutes" {
                let minutes = words.next().and_then(|word| word.parse::<f64>().ok());
                let minutes = minutes.filter(|minutes| *minutes > 0.0 && minutes.is_finite());
                request.minutes =
                    minutes.ok_or("`--minutes` takes a number above zero, such as 10 or 0.5")?;
            } else if let Some(&target) = TARGETS.iter().find(|(name, _)| *name == word) {
                request.targets.push(target);
            } else {
                let known: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
                return Err(format!("there is no fuzz target `{word}`; there are {}", known.join(", ")));
            }
        }
        if request.targets.is_empty() {
            request.targets = TARGETS.to_vec();
        }
        Ok(request)
    }
}

/// Builds the targets, writes their seeds and runs them.
///
/// # Errors
/// What is wrong with the arguments.
pub(crate) fn run(arguments: &[&str]) -> Result<ExitCode, String> {
    let request = Request::parse(arguments)?;
    Ok(match fuzz(&request) {
        Ok(finds) if finds.is_empty() => {
            println!("\n{} targets, nothing found", request.targets.len());
            ExitCode::SUCCESS
        }
        Ok(finds) => {
            println!("\nFound:\n{}", finds.join("\n"));
            println!("CONTRIBUTING.md says how such an input becomes a test.");
            ExitCode::FAILURE
        }
        Err(problem) => {
            println!("{problem}");
            ExitCode::FAILURE
        }
    })
}

fn fuzz(request: &Request) -> Result<Vec<String>, String> {
    if !cfg!(target_os = "linux") {
        return Err(
            "Fuzzing needs the address sanitizer and libFuzzer's counters as they are on Linux.".into()
        );
    }
    setup::ensure("fuzz")?;
    let programs = build(&request.targets)?;
    seeds(&programs)?;
    let mut finds = Vec::new();
    for &(target, largest) in &request.targets {
        println!("\n== {target}: {} minutes", request.minutes);
        finds.extend(Target::new(target, &programs)?.run(largest, request.minutes)?);
    }
    Ok(finds)
}

/// Builds the targets and the program that writes seeds, and says which folder they are in.
fn build(targets: &[(&str, usize)]) -> Result<PathBuf, String> {
    let root = run::root();
    take_versions(root).map_err(|error| format!("Cargo.lock: {error}"))?;
    let host = host()?;
    let folder = root.join(FOLDER).join("build");
    // With a target named, build scripts and macros are built without the flags.
    let mut command =
        run::cargo(&["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", &host]);
    command.arg("--target-dir").arg(&folder);
    for (name, _) in targets.iter().chain([&("seeds", 0)]) {
        command.args(["--bin", name]);
    }
    command.env("RUSTC_BOOTSTRAP", "1").env_remove("CARGO_ENCODED_RUSTFLAGS");
    command.env("RUSTFLAGS", RUST_FLAGS.join(" "));
    command.env(format!("CFLAGS_{}", host.replace('-', "_")), C_FLAGS);
    expect_success(command, "building the fuzz targets")?;
    Ok(folder.join(host).join("release"))
}

/// Starts from the lock file of the project where it has changed, so that what is fuzzed is what is tested.
fn take_versions(root: &Path) -> io::Result<()> {
    let (project, own) = (root.join("Cargo.lock"), root.join("fuzz/Cargo.lock"));
    let changed = project.metadata()?.modified()?;
    match own.metadata().and_then(|own| own.modified()) {
        Ok(taken) if taken > changed => Ok(()),
        _ => std::fs::copy(project, own).map(drop),
    }
}

/// The machine's own target, as rustc names it.
fn host() -> Result<String, String> {
    let output =
        Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc did not start: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` names no host".to_owned())
}

/// Writes the seeds anew: the testkit may have changed.
fn seeds(programs: &Path) -> Result<(), String> {
    let mut command = Command::new(programs.join("seeds"));
    command.arg(run::root().join(FOLDER)).env("ASAN_OPTIONS", "detect_leaks=0");
    expect_success(command, "writing seeds")
}

fn expect_success(mut command: Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what} failed: {status}")),
        Err(error) => Err(format!("{what} did not start: {error}")),
    }
}

/// A target and its folders.
struct Target {
    program: PathBuf,
    corpus: PathBuf,
    seeds: PathBuf,
    crashes: PathBuf,
    dictionary: PathBuf,
}

impl Target {
    fn new(name: &str, programs: &Path) -> Result<Self, String> {
        let folder = run::root().join(FOLDER);
        let target = Self {
            program: programs.join(name),
            corpus: folder.join("corpus").join(name),
            seeds: folder.join("seeds").join(name),
            crashes: folder.join("crashes").join(name),
            dictionary: folder.join("dict").join(name),
        };
        for path in [&target.corpus, &target.crashes] {
            std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(target)
    }

    /// Runs for some time, and says which inputs were found and how each is run again.
    fn run(&self, largest: usize, minutes: f64) -> Result<Vec<String>, String> {
        let mut command = Command::new(&self.program);
        command.arg(&self.corpus).arg(&self.seeds);
        command.arg(format!("-dict={}", self.dictionary.display()));
        command.arg(format!("-artifact_prefix={}/", self.crashes.display()));
        command.arg(format!("-max_len={largest}"));
        command.arg(format!("-max_total_time={}", (minutes * 60.0).ceil()));
        // Otherwise there is a line for every input and every function that is new.
        command.args(LIMITS).args(["-verbosity=0", "-print_funcs=0", "-print_final_stats=1"]);
        let mut finds = Vec::new();
        let status = run::stream(command, &mut io::sink(), |line| {
            finds.extend(line.split_once(WRITTEN).map(|(_, path)| self.describe(path)));
            // libFuzzer recommends a dictionary at the end, whatever its verbosity.
            if !line.starts_with(['"', '#']) {
                println!("{line}");
            }
        });
        match status {
            Ok(status) if status.success() || !finds.is_empty() => Ok(finds),
            Ok(status) => Err(format!("{} failed: {status}", self.program.display())),
            Err(error) => Err(format!("{} did not run: {error}", self.program.display())),
        }
    }

    fn describe(&self, find: &str) -> String {
        let (program, limits) = (self.program.display(), LIMITS.join(" "));
        format!(
            "  {find}\n    again:   {program} {limits} {find}\n    \
             smaller: {program} {limits} -minimize_crash=1 -max_total_time=60 -exact_artifact_path={find}.min {find}"
        )
    }
}

/// What libFuzzer prints before the path of an input that it has found.
const WRITTEN: &str = "Test unit written to ";

/// What one input may take: an input that takes more is reported as a crash is. Leaks are not looked for, since that runs
/// inputs twice and stops for a search.
const LIMITS: [&str; 3] = ["-rss_limit_mb=2048", "-timeout=20", "-detect_leaks=0"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_minutes_and_targets() {
        let all = Request::parse(&[]).unwrap();
        assert_eq!((all.minutes, all.targets.len()), (10.0, TARGETS.len()));
        let some = Request::parse(&["fbx", "--minutes", "0.5", "zae"]).unwrap();
        assert_eq!(some, Request { minutes: 0.5, targets: vec![("fbx", LARGE), ("zae", LARGE)] });
        for wrong in [&["--minutes"][..], &["--minutes", "0"], &["--minutes", "nan"], &["obj"]] {
            assert!(Request::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn every_target_is_listed() {
        let folder = run::root().join("fuzz/targets");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        files.sort();
        assert!(files.iter().eq(TARGETS.iter().map(|(name, _)| name)), "{files:?}");
    }
}
