//! The examples of the run-time crate, run on a compiled character: each prints what its documentation says.

mod common;

use std::path::Path;
use std::process::Command;

/// What an example prints. Cargo builds examples of all crates beside the binary of the command.
fn run(name: &str, bundle: &Path) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_sinew")).with_file_name("examples");
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let started = Command::new(&program).arg(bundle).output();
    let output = started.unwrap_or_else(|error| {
        panic!("{}: {error}; build it with `cargo build --workspace --examples`", program.display())
    });
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("examples print UTF-8")
}

#[test]
fn examples_play_a_compiled_character() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    sinew_testkit::humanoid::write_to(folder.path()).expect("it can be written to");
    let bundle = folder.path().join("hero.sinew");
    let files = ["hero.fbx", "idle.fbx", "walk.fbx"].map(|file| folder.path().join(file));
    let converted =
        Command::new(env!("CARGO_BIN_EXE_sinew")).arg("convert").args(files).arg("-o").arg(&bundle).output();
    assert!(converted.expect("the command runs").status.success());
    assert!(run("play", &bundle).contains("0.5 s: right hand at"));
    let crossfade = run("crossfade", &bundle);
    assert!(crossfade.contains("Walk has") && crossfade.contains("Fly"), "{crossfade}");
    assert!(run("root_motion", &bundle).contains("after 5 s it stands at"));
    assert!(run("cpu_skinning", &bundle).contains("high"));
    let events = run("events", &bundle);
    assert!(events.contains("right foot, left foot, right foot, left foot"), "{events}");
    if common::can_draw("examples_play_a_compiled_character") {
        let line = run("gpu_palette", &bundle);
        let apart =
            line.split("differ by ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<f32>().ok());
        assert!(apart.is_some_and(|apart| apart < 1e-4), "{line}");
    }
}
