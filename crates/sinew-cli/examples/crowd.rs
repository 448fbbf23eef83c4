//! The benchmark of `cargo xtask bench-build`: `crowd FOLDER COUNT` generates small, distinct characters, builds them, and builds them again.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use sinew_build::project::{BuildOptions, BuildReport, Project, State, build};
use sinew_testkit::fbx;
use sinew_testkit::fixtures::stick::Pair;
use sinew_testkit::scene::Property;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [folder, count] => count.parse().map_err(Into::into).and_then(|count| run(Path::new(folder), count)),
        _ => Err("usage: crowd FOLDER COUNT".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    timed(&format!("{count} characters written"), || write(folder, count))?;
    let first = timed("first build", || all(folder))?;
    let again = timed("build again", || all(folder))?;
    std::fs::write(folder.join("0000/sway.fbx"), fbx::write(&Pair::default().clip))?;
    let changed = timed("build after one clip changed", || all(folder))?;
    let counts = |report: &BuildReport| (report.built(), report.up_to_date(), report.imported());
    let expected = [(count, 0, 2 * count), (0, count, 0), (1, count.saturating_sub(1), 2)];
    if [counts(&first), counts(&again), counts(&changed)] != expected {
        return Err("the build did not do the expected work".into());
    }
    Ok(())
}

fn timed<T>(what: &str, run: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<T, Box<dyn Error>> {
    let start = Instant::now();
    let result = run()?;
    println!("{:>8.3} s  {what}", start.elapsed().as_secs_f64());
    Ok(result)
}

fn all(folder: &Path) -> Result<BuildReport, Box<dyn Error>> {
    let jobs = Project::open(folder)?.jobs(&[], &[])?;
    let report = build(&jobs, BuildOptions::default(), &|_| {})?;
    if let Some(job) =
        report.jobs.iter().find(|job| matches!(job.state, State::Failed(_) | State::NotWritten { .. }))
    {
        return Err(format!("{}: {:?}", job.character, job.state).into());
    }
    println!(
        "            built {}, up to date {}; {} files read",
        report.built(),
        report.up_to_date(),
        report.imported()
    );
    Ok(report)
}

fn write(folder: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    let mut toml = String::new();
    for number in 0..count {
        let mut pair = Pair::default();
        pair.change("Head", Property::Rotation, 1, |_, value| value + number as f64 * 0.01 + 0.01);
        let name = format!("{number:04}");
        std::fs::create_dir_all(folder.join(&name))?;
        std::fs::write(folder.join(&name).join("body.fbx"), fbx::write(&pair.character))?;
        std::fs::write(folder.join(&name).join("sway.fbx"), fbx::write(&pair.clip))?;
        toml += &format!("[characters.c{name}]\nfile = \"{name}/body.fbx\"\n");
        toml += &format!("[[characters.c{name}.clips]]\nfile = \"{name}/sway.fbx\"\n\n");
    }
    Ok(std::fs::write(folder.join("sinew.toml"), toml)?)
}
