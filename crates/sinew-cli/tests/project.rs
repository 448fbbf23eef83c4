//! `init`, `build`, `convert` and `verify` through the command line.

mod common;

use common::{sinew, text};
use serde_json::Value;
use sinew_testkit::fbx;
use sinew_testkit::fixtures::doctor;
use sinew_testkit::fixtures::stick::Pair;
use sinew_testkit::scene::{Property, Texture};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.current_dir(folder).args(arguments).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// The output of a command that must succeed.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = sinew(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let said = said(folder, &[arguments, &["--json"]].concat());
    serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}"))
}

/// All numbers in a document, in order.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Number(number) => vec![number.as_f64().unwrap()],
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        Value::Object(values) => values.values().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

/// A folder for each of some characters, and the project that `init` makes of it.
fn crowd(count: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..count {
        let mut pair = Pair::default();
        pair.change("Head", Property::Rotation, 1, |_, value| value + number as f64);
        // Equal characters would be taken for one.
        let body = &mut pair.character;
        for node in &mut body.nodes {
            node.name = format!("{}{number}", node.name);
        }
        for node in &mut pair.clip.nodes {
            node.name = format!("{}{number}", node.name);
        }
        let inside = folder.path().join(format!("c{number}"));
        fs::create_dir(&inside).unwrap();
        fs::write(inside.join(format!("body{number}.fbx")), fbx::write(&pair.character)).unwrap();
        fs::write(inside.join("sway.fbx"), fbx::write(&pair.clip)).unwrap();
    }
    said(folder.path(), &["init"]);
    folder
}

fn clean() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in doctor::clean().files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// All compiled files and stamps.
fn built(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let list = |inside: &str| -> Vec<_> {
        fs::read_dir(folder.join(inside)).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let files = [list("build"), list("build/.sinew")].concat().into_iter().filter(|path| path.is_file());
    files
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect()
}

#[test]
fn from_downloads_to_compiled_files() {
    let folder = clean();
    let table = said(folder.path(), &["init", "."]);
    assert!(table.contains("character") && table.contains("the only file with a skin"), "{table}");
    assert!(table.contains("ends as it begins"), "{table}");
    // Exact keys, so that poses can be compared below.
    let project = fs::read_to_string(folder.path().join("sinew.toml")).unwrap();
    let exact = project.replace("[build]\n", "[build]\ncompress = \"off\"\n");
    assert_ne!(exact, project);
    fs::write(folder.path().join("sinew.toml"), exact).unwrap();
    let first = said(folder.path(), &["build"]);
    assert!(first.contains("build/character.sinew") && first.contains("built 1, up to date 0"), "{first}");
    let again = json(folder.path(), &["build"]);
    assert_eq!(again["schema"], "sinew.build/1");
    assert_eq!(
        (&again["built"], &again["up_to_date"], &again["files_read"]),
        (&0.into(), &1.into(), &0.into())
    );
    assert_eq!(again["characters"][0]["state"], "up-to-date");
    said(folder.path(), &["build", "--check"]);
    // The compiled file has the same poses as its sources, and can be inspected like them.
    let at = ["--time", "0,0.3,1.7", "--vertices", "50"];
    let compiled = json(folder.path(), &[&["pose", "build/character.sinew"][..], &at].concat());
    let sources = json(folder.path(), &[&["pose", "character.fbx", "clip.fbx"][..], &at].concat());
    assert_eq!(numbers(&compiled["samples"]).len(), numbers(&sources["samples"]).len());
    let off = numbers(&compiled["samples"])
        .into_iter()
        .zip(numbers(&sources["samples"]))
        .map(|(a, b)| (a - b).abs());
    assert!(off.fold(0.0, f64::max) < 2e-4);
    assert!(said(folder.path(), &["inspect", "build/character.sinew"]).contains("Skeleton"));
    fs::write(folder.path().join("clip.fbx"), doctor::seam_position(1.0).file("clip.fbx")).unwrap();
    let check = sinew(folder.path(), &["build", "--check"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(text(&check.stdout).contains("clip.fbx changed"), "{}", text(&check.stdout));
    assert!(said(folder.path(), &["build", "-q"]).contains("built 1"));
    // From elsewhere, and by the file itself.
    let elsewhere = tempfile::tempdir().unwrap();
    let project = folder.path().join("sinew.toml");
    assert!(said(elsewhere.path(), &["build", project.to_str().unwrap()]).contains("up to date 1"));
}

#[test]
fn init_is_careful_with_files_of_others() {
    let folder = clean();
    let file = folder.path().join("sinew.toml");
    said(folder.path(), &["init", "--dry-run"]);
    assert!(!file.exists());
    fs::write(&file, "# mine\n").unwrap();
    let refused = sinew(folder.path(), &["init"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--force"), "{}", text(&refused.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\n");
    said(folder.path(), &["init", "--force"]);
    let decided = json(folder.path(), &["init"]);
    assert_eq!(decided["characters"][0]["clips"][0]["loop"], "loop");
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(sinew(empty.path(), &["init"]).status.code(), Some(2));
}

#[test]
fn a_plan_gives_the_same_bytes() {
    let folder = crowd(3);
    said(folder.path(), &["build", "--target", "sinew,glb"]);
    let expected = built(folder.path());
    assert_eq!(expected.len(), 12);
    fs::remove_dir_all(folder.path().join("build")).unwrap();
    let plan = said(folder.path(), &["build", "--plan", "--target", "glb", "--target", "sinew"]);
    assert!(!folder.path().join("build").exists(), "a plan builds nothing");
    let bin = Path::new(env!("CARGO_BIN_EXE_sinew")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    for line in plan.lines().rev() {
        let step: Value = serde_json::from_str(line).unwrap();
        // As on another machine: only the inputs are copied there, and only the outputs back.
        let machine = tempfile::tempdir().unwrap();
        let copy = |file: &Value, from: &Path, to: &Path| {
            let file = file.as_str().unwrap();
            fs::create_dir_all(to.join(file).parent().unwrap()).unwrap();
            fs::copy(from.join(file), to.join(file)).unwrap();
        };
        step["inputs"].as_array().unwrap().iter().for_each(|file| copy(file, folder.path(), machine.path()));
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(step["command"].as_str().unwrap()).current_dir(machine.path());
        let output = shell.env("PATH", path.as_ref().unwrap()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        step["outputs"].as_array().unwrap().iter().for_each(|file| copy(file, machine.path(), folder.path()));
    }
    assert!(built(folder.path()) == expected);
    assert!(
        said(folder.path(), &["build", "--target", "sinew,glb"])
            .contains("built 0, up to date 3; 0 files read")
    );
}

#[test]
fn two_builds_at_once_do_not_disturb_each_other() {
    let folder = crowd(6);
    said(folder.path(), &["build"]);
    let expected = built(folder.path());
    fs::remove_dir_all(folder.path().join("build")).unwrap();
    let start =
        || command(folder.path(), &["build"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    for child in [start(), start(), start()] {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    assert!(built(folder.path()) == expected, "the same files, and nothing left over");
}

#[cfg(unix)]
#[test]
fn a_build_that_is_killed_leaves_whole_files() {
    let folder = crowd(8);
    said(folder.path(), &["build"]);
    let old = built(folder.path());
    let toml = fs::read_to_string(folder.path().join("sinew.toml")).unwrap();
    fs::write(folder.path().join("sinew.toml"), toml.replace("name = \"sway\"", "name = \"swing\"")).unwrap();
    let mut child = command(folder.path(), &["build", "--jobs", "1"]).stdout(Stdio::null()).spawn().unwrap();
    let stamp = folder.path().join("build/.sinew/body0.sinew.json");
    // The first character is done, others are not, or have just been.
    while fs::read(&stamp).unwrap() == old["body0.sinew.json"] && child.try_wait().unwrap().is_none() {}
    child.kill().unwrap();
    child.wait().unwrap();
    let compiled = |name: &String| name.ends_with(".sinew") && !name.starts_with('.');
    let now = built(folder.path());
    assert_eq!(now.keys().filter(|name| compiled(name)).count(), 8);
    for (name, bytes) in now.iter().filter(|(name, _)| compiled(name)) {
        let bundle = sinew::Bundle::read(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let clip = bundle.character.clips().names().next().unwrap().to_owned();
        assert!(*bytes == old[name] || clip == "swing", "{name}: {clip}");
    }
    // The next build brings everything up to date.
    said(folder.path(), &["build"]);
    let clips = built(folder.path());
    let clips =
        clips.iter().filter(|(name, _)| compiled(name)).map(|(_, bytes)| sinew::Bundle::read(bytes).unwrap());
    assert!(clips.map(|bundle| bundle.character.clips().find("swing")).all(|clip| clip == Some(0)));
}

/// Lines as they come, so that a test that waits for one can give up.
fn lines_of(pipe: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (tell, lines) = channel();
    std::thread::spawn(move || {
        BufReader::new(pipe).lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
    });
    lines
}

/// Waits for a line that contains something; a minute at most, where a second is usual.
fn said_line(lines: &Receiver<String>, what: &str) {
    while !lines.recv_timeout(Duration::from_secs(60)).expect(what).contains(what) {}
}

#[test]
fn watching_builds_again() {
    let folder = clean();
    said(folder.path(), &["init"]);
    let watching = Watching::new(folder.path());
    let until = |what: &str| said_line(&watching.lines, what);
    until("built 1, up to date 0");
    fs::write(folder.path().join("clip.fbx"), doctor::seam_position(1.0).file("clip.fbx")).unwrap();
    until("clip.fbx changed");
    until("built 1, up to date 0");
    // An error is printed and does not end the run.
    let toml = fs::read_to_string(folder.path().join("sinew.toml")).unwrap();
    fs::write(folder.path().join("sinew.toml"), "[chars]").unwrap();
    said_line(&watching.errors, "chars");
    fs::write(folder.path().join("sinew.toml"), toml.replace("name = \"clip\"", "name = \"swing\"")).unwrap();
    until("settings changed");
}

/// A run of `build --watch`, which ends with the test.
struct Watching {
    child: std::process::Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

impl Watching {
    fn new(folder: &Path) -> Self {
        let mut child = command(folder, &["build", "--watch"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let errors = lines_of(child.stderr.take().unwrap());
        Self { child, lines, errors }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn watching_notices_what_dates_and_lengths_do_not_show() {
    let mut pair = Pair::default();
    pair.character.materials[0].texture =
        Some(Texture { name: "Cloth".into(), file: "cloth.png".into(), ..Texture::default() });
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("hero.fbx"), fbx::write(&pair.character)).unwrap();
    fs::write(file("sinew.toml"), "[characters.hero]\nfile = 'hero.fbx'\n").unwrap();
    let watching = Watching::new(folder.path());
    let until = |what: &str| said_line(&watching.lines, what);
    until("built 1, up to date 0");
    // A picture under the second of the names that were tried.
    fs::create_dir(file("textures")).unwrap();
    fs::write(file("textures/cloth.png"), b"one").unwrap();
    until("texture textures/cloth.png changed");
    until("built 1, up to date 0");
    let date = fs::metadata(file("textures/cloth.png")).unwrap().modified().unwrap();
    fs::write(file("textures/cloth.png"), b"two").unwrap();
    fs::File::options().append(true).open(file("textures/cloth.png")).unwrap().set_modified(date).unwrap();
    until("texture textures/cloth.png changed");
    until("built 1, up to date 0");
    fs::remove_dir_all(file("build")).unwrap();
    until("not built yet");
    assert!(file("build/hero.sinew").is_file());
}

#[test]
fn watching_waits_for_an_output_that_cannot_be_written() {
    let folder = clean();
    said(folder.path(), &["init"]);
    // Where the folder should be is a file, as unwritable as a full disk.
    fs::write(folder.path().join("build"), "in the way").unwrap();
    let watching = Watching::new(folder.path());
    said_line(&watching.errors, "cannot write");
    fs::remove_file(folder.path().join("build")).unwrap();
    said_line(&watching.lines, "built 1, up to date 0");
}

#[test]
fn a_source_is_never_an_output() {
    let folder = clean();
    said(folder.path(), &["convert", "character.fbx", "clip.fbx", "-o", "hero.glb"]);
    let before = fs::read(folder.path().join("hero.glb")).unwrap();
    for output in ["hero.glb", "./hero.glb"] {
        let refused = sinew(folder.path(), &["convert", "hero.glb", "-o", output]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            text(&refused.stderr).contains("would overwrite its own source"),
            "{}",
            text(&refused.stderr)
        );
    }
    assert!(fs::read(folder.path().join("hero.glb")).unwrap() == before);
}

#[test]
fn convert_makes_one_file() {
    let folder = clean();
    let both = ["character.fbx", "clip.fbx"];
    let line = said(folder.path(), &[&["convert"][..], &both, &["-o", "hero.sinew"]].concat());
    assert!(line.contains("hero.sinew") && line.contains("1 clip"), "{line}");
    let bundle = fs::read(folder.path().join("hero.sinew")).unwrap();
    let bundle = sinew_import::bundle::BundleFile::read(&bundle).unwrap();
    assert_eq!(bundle.character.clips().names().collect::<Vec<_>>(), ["sway"]);
    assert_eq!(bundle.certificate.unwrap().inputs.len(), 2);
    let report = json(folder.path(), &[&["convert"][..], &both, &["-o", "hero.GLB"]].concat());
    assert_eq!(report["clips"][0], "sway");
    assert!(fs::read(folder.path().join("hero.GLB")).unwrap().starts_with(b"glTF"));
    let wrong = sinew(folder.path(), &[&["convert"][..], &both, &["-o", "hero.obj"]].concat());
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains(".sinew or .glb"), "{}", text(&wrong.stderr));
    let nowhere = sinew(folder.path(), &[&["convert"][..], &both, &["-o", "no/such/hero.glb"]].concat());
    assert_eq!(nowhere.status.code(), Some(3));
}

#[test]
fn verify_tells_whole_from_damaged() {
    let folder = clean();
    said(folder.path(), &["convert", "character.fbx", "clip.fbx", "-o", "hero.sinew"]);
    assert!(said(folder.path(), &["verify", "hero.sinew"]).contains("whole"));
    let measured = json(folder.path(), &["verify", "hero.sinew", "clip.fbx", "character.fbx"]);
    assert_eq!(measured["stated"]["whole"], measured["measured"]["whole"]);
    assert!(measured["stated"]["whole"]["samples"].as_u64().unwrap() > 0);
    let missing = sinew(folder.path(), &["verify", "hero.sinew", "character.fbx"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("clip.fbx"), "{}", text(&missing.stderr));
    let path = folder.path().join("hero.sinew");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let damaged = sinew(folder.path(), &["verify", "hero.sinew"]);
    assert_eq!(damaged.status.code(), Some(2));
    assert!(text(&damaged.stderr).contains("hero.sinew"));
}

#[test]
fn mistakes_are_named() {
    let folder = crowd(2);
    let wrong = |arguments: &[&str]| {
        let output = sinew(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        text(&output.stderr)
    };
    assert!(wrong(&["build", "--only", "bodi0"]).contains("did you mean `body0`?"));
    assert!(wrong(&["build", "nowhere"]).contains("sinew init"));
    assert!(wrong(&["build", "--jobs", "0"]).contains("--jobs"));
    assert!(wrong(&["build", "--target", "fbx"]).contains("glb"));
    fs::write(folder.path().join("c1/sway.fbx"), "no animation").unwrap();
    let output = sinew(folder.path(), &["build"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("built 1, up to date 0, failed 1"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("body1: ") && text(&output.stderr).contains("sway.fbx"));
    // Where the folder is to be lies a file.
    fs::write(folder.path().join("c1/sway.fbx"), fs::read(folder.path().join("c0/sway.fbx")).unwrap())
        .unwrap();
    fs::remove_dir_all(folder.path().join("build")).unwrap();
    fs::write(folder.path().join("build"), "in the way").unwrap();
    assert_eq!(sinew(folder.path(), &["build", "--only", "body0"]).status.code(), Some(3));
}
