//! Projects through the public API: what is built, what is up to date, and that the result is right.

mod common;

use common::Folder;
use glam::Vec3;
use sinew::{Character, Clip, ClipLibrary, Fire, LoopMode, RootMotion};
use sinew_build::project::{
    BuildOptions, BuildReport, Project, ProjectError, Reason, State, Target, build, init, plan,
};
use sinew_import::Options;
use sinew_import::bundle::BundleFile;
use sinew_testkit::fixtures::stick::Pair;
use sinew_testkit::fixtures::{Fixture, quirks};
use sinew_testkit::scene::{Property, Texture};
use sinew_testkit::{creature, fbx, humanoid};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

impl Folder {
    fn project(&self) -> Project {
        Project::open(self.0.path()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn build_with(&self, options: BuildOptions) -> BuildReport {
        build(&self.project().jobs(&[], &[]).unwrap(), options, &|_| {}).unwrap()
    }

    fn build(&self) -> BuildReport {
        let report = self.build_with(BuildOptions::default());
        for job in &report.jobs {
            assert!(!matches!(job.state, State::Failed(_) | State::NotWritten { .. }), "{:?}", job.state);
        }
        report
    }

    fn bundle(&self, name: &str) -> BundleFile {
        BundleFile::read(fs::read(self.path(&format!("build/{name}.sinew"))).unwrap()).unwrap()
    }

    /// Everything that was built, by name.
    fn built(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.path("build")).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.is_file());
        files
            .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
            .collect()
    }
}

/// Small characters that all differ, each with a clip.
fn crowd(count: usize) -> Folder {
    let folder = Folder::new();
    let mut toml = String::new();
    for number in 0..count {
        let mut pair = Pair::default();
        pair.change("Head", Property::Rotation, 1, |_, value| value + number as f64);
        folder.write(&format!("{number:04}/body.fbx"), fbx::write(&pair.character));
        folder.write(&format!("{number:04}/sway.fbx"), fbx::write(&pair.clip));
        toml += &format!(
            "[characters.c{number:04}]\nfile = \"{number:04}/body.fbx\"\n[[characters.c{number:04}.clips]]\nfile = \"{number:04}/sway.fbx\"\n"
        );
    }
    folder.write("sinew.toml", toml);
    folder
}

fn one(fixture: &Fixture, toml: &str) -> Folder {
    let folder = Folder::new();
    fixture.files.iter().for_each(|(name, content)| folder.write(name, content));
    folder.write("sinew.toml", toml);
    folder
}

const PLAIN: &str =
    "[characters.hero]\nfile = 'character.fbx'\n[[characters.hero.clips]]\nfile = 'clip.fbx'\n";

fn only_check() -> BuildOptions {
    let mut options = BuildOptions::default();
    options.check = true;
    options
}

fn on_threads(threads: usize) -> BuildOptions {
    let mut options = BuildOptions::default();
    options.threads = std::num::NonZeroUsize::new(threads);
    options
}

fn reason(report: &BuildReport) -> &Reason {
    match &report.jobs[0].state {
        State::Built { reason, .. } | State::OutOfDate(reason) => reason,
        other => panic!("{other:?}"),
    }
}

fn failure(report: &BuildReport) -> String {
    match &report.jobs[0].state {
        State::Failed(error) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_up_to_date_is_not_even_parsed() {
    const COUNT: usize = 24;
    let folder = crowd(COUNT);
    let first = folder.build();
    assert_eq!((first.built(), first.up_to_date(), first.imported()), (COUNT, 0, 2 * COUNT));
    let again = folder.build();
    assert_eq!((again.built(), again.up_to_date(), again.imported()), (0, COUNT, 0));

    // A new modification time is not a change.
    let body = fs::File::options().append(true).open(folder.path("0003/body.fbx")).unwrap();
    body.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(folder.build().imported(), 0);

    // Another clip is a change for one character, even with the same modification time and size.
    let path = folder.path("0005/sway.fbx");
    let date = fs::metadata(&path).unwrap().modified().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let changed = text.replacen("Creator", "creator", 1);
    assert!(changed != text && changed.len() == text.len());
    fs::write(&path, changed).unwrap();
    fs::File::options().append(true).open(&path).unwrap().set_modified(date).unwrap();
    let check = folder.build_with(only_check());
    assert_eq!((check.up_to_date(), check.imported()), (COUNT - 1, 0));
    let report = folder.build();
    assert_eq!((report.built(), report.imported()), (1, 2));
    let State::Built { reason, .. } = &report.jobs[5].state else { panic!("{:?}", report.jobs[5]) };
    assert_eq!(*reason, Reason::Input("0005/sway.fbx".into()));

    // Settings of one character affect only that character.
    let toml = fs::read_to_string(folder.path("sinew.toml")).unwrap();
    let path = "file = \"0007/sway.fbx\"\n";
    folder.write("sinew.toml", toml.replace(path, &format!("{path}tag = \"Idle\"\n")));
    assert_eq!(folder.build().built(), 1);
    assert_eq!(folder.build().built(), 0);
}

#[test]
fn a_compiled_file_that_is_not_what_was_built_is_built_again() {
    let folder = one(&Pair::default().fixture("plain", ""), PLAIN);
    assert_eq!(*reason(&folder.build()), Reason::New);
    let whole = folder.built();
    let output = "build/hero.sinew";
    let stamp = "build/.sinew/hero.sinew.json";
    for (spoil, expected) in [
        (Box::new(|| fs::remove_file(folder.path(output)).unwrap()) as Box<dyn Fn()>, Reason::New),
        (Box::new(|| folder.write(output, "cut")), Reason::OutputChanged),
        (Box::new(|| fs::remove_file(folder.path(stamp)).unwrap()), Reason::New),
        (Box::new(|| folder.write(stamp, "{")), Reason::New),
        (
            Box::new(|| {
                let text = fs::read_to_string(folder.path(stamp)).unwrap();
                folder.write(stamp, text.replace("\"tool\": \"sinew ", "\"tool\": \"sinew 0."));
            }),
            Reason::Tool,
        ),
    ] {
        spoil();
        assert_eq!(*reason(&folder.build_with(only_check())), expected);
        assert_eq!(*reason(&folder.build()), expected);
        assert_eq!(folder.built(), whole);
        assert_eq!(folder.build().built(), 0);
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_in_any_folder() {
    let bytes = |threads| {
        let folder = crowd(4);
        folder.build_with(on_threads(threads));
        folder.built()
    };
    let one = bytes(1);
    assert_eq!(one.len(), 4);
    for threads in [2, 5] {
        assert!(bytes(threads) == one, "{threads} threads");
    }
    assert!(one["c0000.sinew"] != one["c0001.sinew"], "the characters differ, or this says nothing");
}

/// The same clips without tags and modes.
/// Without footsteps, which a build finds and `load` does not.
fn bare_clip(clip: &Clip) -> Clip {
    clip.clone().with_events(vec![]).unwrap().with_markers(vec![]).unwrap()
}

fn bare(character: &Character) -> Character {
    let clips = (0..character.clips().len()).map(|index| bare_clip(&character.clips().get(index).unwrap()));
    character.with_clips(ClipLibrary::new(clips)).unwrap()
}

#[test]
fn a_build_holds_what_load_gives() {
    let folder = Folder::new();
    humanoid::write_to(folder.0.path()).unwrap();
    let decision = init::decide(folder.0.path(), &[], &|_, _| {}).unwrap();
    init::write(&folder.path("sinew.toml"), &decision, false).unwrap();
    let project = std::fs::read_to_string(folder.path("sinew.toml")).unwrap();
    let exact = project.replace("[build]\n", "[build]\ncompress = \"off\"\n");
    assert_ne!(exact, project);
    std::fs::write(folder.path("sinew.toml"), exact).unwrap();
    folder.build();
    let bundle = folder.bundle("hero");
    let names: Vec<String> = bundle.character.clips().names().map(str::to_owned).collect();
    let animations: Vec<_> = names.iter().map(|name| folder.path(&format!("{name}.fbx"))).collect();
    let loaded = sinew_import::load(folder.path("hero.fbx"), &animations).unwrap();
    assert_eq!(names.len(), 7);
    let restored = sinew_import::import(&folder.path("build/hero.sinew"), &Default::default()).unwrap();
    assert_eq!(common::difference(&bare(&restored.character), &bare(&loaded.character)), None);
    let certificate = bundle.certificate.unwrap();
    assert_eq!(certificate.inputs.len(), 8);
    assert!(certificate.whole.joint_max < 1e-4 * certificate.diagonal, "{:?}", certificate.whole);
}

#[test]
fn init_tells_motions_apart() {
    let folder = Folder::new();
    humanoid::write_to(folder.0.path()).unwrap();
    let decision = init::decide(folder.0.path(), &[], &|_, _| {}).unwrap();
    let [hero] = decision.characters.as_slice() else { panic!("{decision:?}") };
    assert_eq!((hero.name.as_str(), hero.file.as_str()), ("hero", "hero.fbx"));
    let clips: BTreeMap<_, _> = hero
        .clips
        .iter()
        .map(|clip| {
            let s = &clip.settings;
            (s.name.as_str(), (s.file.as_str(), s.tag.as_str(), s.mode.name(), s.root_motion.name()))
        })
        .collect();
    let expected = [
        ("bash", ("bash.fbx", "", "once", "keep")),
        ("idle", ("idle.fbx", "Idle", "loop", "keep")),
        ("jump", ("jump.fbx", "Jump", "once", "keep")),
        ("land", ("land.fbx", "Land", "once", "keep")),
        ("run", ("run.fbx", "Run", "loop", "extract")),
        ("walk", ("walk.fbx", "Walk", "loop", "extract")),
        ("wave", ("wave.fbx", "", "once", "keep")),
    ];
    assert_eq!(clips, BTreeMap::from(expected));
    // Every clip file has an empty take beside the real one.
    assert_eq!(decision.left_out.iter().filter(|left| left.place.contains("Take 001")).count(), 7);
}

#[test]
fn init_sorts_files_to_their_characters() {
    let folder = Folder::new();
    // A download with skin for every animation, as Mixamo offers them.
    let mut with_skin = Pair::default();
    with_skin.character.takes = with_skin.clip.takes.clone();
    folder.write("stick/stick@sway.fbx", fbx::write(&with_skin.character));
    folder.write("stick/nod.fbx", fbx::write(&with_skin.character));
    folder.write("stick/stick.fbx", fbx::write(&Pair::default().character));
    // Another character with the same joints, with a clip in its own folder.
    for (name, content) in quirks::two_binds().files {
        folder.write(&format!("other/{name}"), content);
    }
    humanoid::write_to(&folder.path("hero")).unwrap();
    folder.write("more/bend.fbx", fbx::write(&Pair::default().clip));
    folder.write("strange.fbx", sinew_testkit::fixtures::doctor::channels_matched(0).file("clip.fbx"));
    folder.write("broken.fbx", "; FBX 7.4.0 and nothing else");
    folder.write("readme.txt", "hello");
    folder.write(".hidden/stick.fbx", fbx::write(&Pair::default().character));
    let decision = init::decide(folder.0.path(), &[], &|_, _| {}).unwrap();
    let files: Vec<_> = decision.characters.iter().map(|c| c.file.as_str()).collect();
    assert_eq!(files, ["hero/hero.fbx", "other/character.fbx", "stick/stick.fbx"], "{decision:#?}");
    let clips = |index: usize| -> Vec<_> {
        decision.characters[index].clips.iter().map(|clip| clip.settings.name.as_str()).collect()
    };
    assert_eq!(clips(0).len(), 7);
    // A clip that is near no character goes to all that it fits best.
    assert_eq!(clips(1), ["bend", "clip"]);
    assert_eq!(clips(2), ["nod", "sway", "bend"]);
    let left_out: Vec<_> = decision.left_out.iter().map(|left| left.place.as_str()).collect();
    assert!(left_out.contains(&"strange.fbx") && left_out.contains(&"broken.fbx"), "{left_out:?}");
    assert!(!left_out.contains(&"readme.txt"));
    // The written project can be built.
    init::write(&folder.path("sinew.toml"), &decision, false).unwrap();
    assert_eq!(folder.build().built(), 3);
    // Compiled files are not taken as sources, though they can be read.
    // VRM Animation is for humanoids alone, and not all of these are.
    let targets = Target::ALL.into_iter().filter(|target| *target != Target::Vrma).collect::<Vec<_>>();
    let jobs = folder.project().jobs(&targets, &[]).unwrap();
    assert_eq!(build(&jobs, BuildOptions::default(), &|_| {}).unwrap().built(), 3);
    assert_eq!(init::decide(folder.0.path(), &[], &|_, _| {}).unwrap(), decision);
}

#[test]
fn init_writes_over_its_own_files_only() {
    let folder = one(&Pair::default().fixture("plain", ""), PLAIN);
    let file = folder.path("sinew.toml");
    let decision = init::decide(folder.0.path(), &[], &|_, _| {}).unwrap();
    assert!(matches!(init::write(&file, &decision, false), Err(init::InitError::NotOwn { .. })));
    assert_eq!(fs::read_to_string(&file).unwrap(), PLAIN);
    init::write(&file, &decision, true).unwrap();
    init::write(&file, &decision, false).unwrap();
    let mut text = fs::read_to_string(&file).unwrap();
    text += "# mine\n";
    fs::write(&file, &text).unwrap();
    assert!(init::write(&file, &decision, false).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_folder_without_a_character_is_an_error() {
    let folder = Folder::new();
    folder.write("readme.txt", "hello");
    let error = init::decide(folder.0.path(), &[], &|_, _| {}).unwrap_err();
    assert!(matches!(error, init::InitError::NoCharacter { .. }), "{error}");
    assert!(init::decide(&folder.path("nowhere"), &[], &|_, _| {}).is_err());
}

#[test]
fn what_a_project_says_of_clips_reaches_the_bundle() {
    let folder = one(
        &quirks::several_takes(),
        r##"
        [characters.hero]
        file = "character.fbx"
        [[characters.hero.clips]]
        file = "clip.fbx"
        take = "nod"
        name = "yes"
        tag = "Greet"
        loop = "once"
        root_motion = "in-place"
        events = [{ time = 0.75, name = "up", payload = "7", fire = "unless-fading" }, { time = 0.25, name = "down" }]
        [[characters.hero.clips]]
        file = "clip.fbx"
        take = "#0"
        "##,
    );
    folder.build();
    let BundleFile { character, certificate, .. } = folder.bundle("hero");
    assert_eq!(character.name(), "hero");
    let infos: Vec<_> = character.clips().infos().cloned().collect();
    assert_eq!(infos.len(), 2);
    assert_eq!((infos[0].name.as_str(), infos[0].source_name.as_deref()), ("yes", Some("nod")));
    assert_eq!(infos[0].tag.as_deref(), Some("Greet"));
    assert_eq!((infos[0].mode, infos[0].root_motion), (Some(LoopMode::Once), Some(RootMotion::InPlace)));
    assert_eq!((infos[1].mode, infos[1].root_motion), (Some(LoopMode::Loop), Some(RootMotion::Keep)));
    assert_eq!((infos[1].name.as_str(), infos[1].tag.as_deref()), ("sway", None));
    let yes = character.clips().get(0).unwrap();
    let events: Vec<_> = yes.events().iter().map(|event| (event.time, event.name.as_str())).collect();
    assert_eq!(events, [(0.25, "down"), (0.75, "up")]);
    let up = &yes.events()[1];
    assert_eq!((up.payload.as_str(), up.fire), ("7", Some(Fire::UnlessFading)));
    let origins: Vec<_> =
        certificate.unwrap().origins.into_iter().map(|origin| origin.unwrap().clip).collect();
    assert_eq!(origins, [1, 0]);
}

const SOCKETS: &str = r#"
    [build]
    targets = ["sinew", "glb"]
    [characters.hero]
    file = "character.fbx"
    sockets = [{ name = "hat", joint = "Head", translation = [0, 0.25, 0.5], rotation = [90, 0, 90] }]
"#;

#[test]
fn sockets_of_a_project_reach_what_is_built() {
    let folder = one(&Pair::default().fixture("plain", ""), SOCKETS);
    folder.build();
    let glb = sinew_import::import(&folder.path("build/hero.glb"), &Options::default()).unwrap().character;
    let bundle = folder.bundle("hero").character;
    assert_eq!(glb.skeleton().len(), bundle.skeleton().len(), "a socket is no joint");
    for character in [&bundle, &glb] {
        let [hat] = character.sockets() else { panic!("{:?}", character.sockets()) };
        assert_eq!((hat.name.as_str(), character.skeleton().name(hat.joint)), ("hat", "Head"));
        assert_eq!(hat.offset.translation, Vec3::new(0.0, 0.25, 0.5));
        // About x first: y becomes z and stays there; x then becomes y.
        let turned = |axis: Vec3| hat.offset.rotation * axis;
        assert!(turned(Vec3::Y).abs_diff_eq(Vec3::Z, 1e-6), "{}", turned(Vec3::Y));
        assert!(turned(Vec3::X).abs_diff_eq(Vec3::Y, 1e-6), "{}", turned(Vec3::X));
    }
    folder.write("sinew.toml", SOCKETS.replace("0.25", "0.75"));
    assert!(matches!(reason(&folder.build()), Reason::Settings), "a changed socket is built again");
    // A socket of the project takes the place of one of the file.
    fs::copy(folder.path("build/hero.glb"), folder.path("own.glb")).unwrap();
    folder.write("sinew.toml", SOCKETS.replace("character.fbx", "own.glb"));
    folder.build();
    let heights: Vec<_> =
        folder.bundle("hero").character.sockets().iter().map(|s| s.offset.translation.y).collect();
    assert_eq!(heights, [0.25]);
    folder.write("sinew.toml", SOCKETS.replace("\"Head\"", "\"Haed\""));
    let error = failure(&folder.build_with(BuildOptions::default()));
    assert!(error.contains("socket `hat`") && error.contains("did you mean `Head`"), "{error}");
}

#[test]
fn textures_count_as_sources() {
    let mut pair = Pair::default();
    pair.character.materials[0].texture =
        Some(Texture { name: "Cloth".into(), file: "cloth.png".into(), ..Texture::default() });
    let folder = one(&pair.fixture("textured", ""), PLAIN);
    folder.build();
    let without = folder.built();
    folder.write("textures/cloth.png", common::PIXEL);
    let there = Reason::Texture("textures/cloth.png".into());
    assert_eq!(*reason(&folder.build()), there, "one that was missed is there");
    assert!(folder.built() != without);
    let with = folder.built();
    assert_eq!(folder.build().built(), 0);
    folder.write("textures/cloth.png", [common::PIXEL, b"more"].concat());
    assert_eq!(*reason(&folder.build()), Reason::Texture("textures/cloth.png".into()), "it changed");
    assert!(folder.built() != with);
    folder.write("cloth.png", common::PIXEL);
    assert_eq!(*reason(&folder.build()), Reason::Texture("cloth.png".into()), "another is found first");
    assert_eq!(folder.built(), with, "it does not matter where the picture lies");
    fs::remove_file(folder.path("cloth.png")).unwrap();
    fs::remove_file(folder.path("textures/cloth.png")).unwrap();
    assert!(matches!(reason(&folder.build()), Reason::Texture(_)), "it is gone");
    assert_eq!(folder.built(), without);
    folder.write("sinew.toml", format!("build.textures = 'omit'\n{PLAIN}"));
    assert_eq!(*reason(&folder.build()), Reason::Settings);
    folder.write("cloth.png", common::PIXEL);
    assert_eq!(folder.build().built(), 0, "nobody asks for it");
}

#[test]
fn a_manifest_is_a_character_with_all_its_files() {
    let folder = Folder::new();
    creature::write_to(&folder.path("imp"), &creature::Style::default()).unwrap();
    let decision = init::decide(folder.0.path(), &[], &|_, _| {}).unwrap();
    let [imp] = decision.characters.as_slice() else { panic!("{decision:#?}") };
    assert!(imp.file.starts_with("imp/manifest"), "{}", imp.file);
    assert_eq!(imp.name, "imp");
    let idle = &imp.clips[0];
    assert_eq!((idle.settings.tag.as_str(), idle.why_tag.as_str()), ("Idle", "its source has this tag"));
    init::write(&folder.path("sinew.toml"), &decision, false).unwrap();
    let report = folder.build();
    // The manifest, the model and every clip.
    assert_eq!((report.built(), report.imported()), (1, 2 + imp.clips.len()));
    assert_eq!(folder.build().imported(), 0);
    let clips = fs::read_dir(folder.path("imp/animations")).unwrap();
    let clip = clips.map(|entry| entry.unwrap().path()).min().unwrap();
    let text = fs::read_to_string(&clip).unwrap();
    fs::write(&clip, format!("{text}\n<!-- changed -->\n")).unwrap();
    let name = clip.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(*reason(&folder.build()), Reason::Input(format!("imp/animations/{name}")));
}

#[test]
fn a_second_target_is_built_beside_the_first() {
    let folder = one(&Pair::default().fixture("plain", ""), PLAIN);
    folder.build();
    let sinew = folder.built();
    folder.write("sinew.toml", format!("build.targets = ['sinew', 'glb']\n{PLAIN}"));
    let report = folder.build();
    assert_eq!((report.built(), *reason(&report) == Reason::New), (1, true));
    let both = folder.built();
    assert_eq!(both.keys().collect::<Vec<_>>(), ["hero.glb", "hero.sinew"]);
    assert_eq!(both["hero.sinew"], sinew["hero.sinew"]);
    assert!(both["hero.glb"].starts_with(b"glTF"));
    assert_eq!(folder.build().built(), 0);
    let jobs = folder.project().jobs(&[Target::Glb], &[]).unwrap();
    assert_eq!(jobs[0].outputs.len(), 1);
}

#[test]
fn mistakes_are_named() {
    let folder = one(&quirks::several_takes(), PLAIN);
    let clip = |line: &str| {
        folder.write("sinew.toml", format!("{PLAIN}{line}\n"));
        failure(&folder.build_with(BuildOptions::default()))
    };
    let error = clip("");
    assert!(error.contains("clip.fbx") && error.contains("`nod`") && error.contains("take"), "{error}");
    let error = clip("take = 'nob'");
    assert!(error.contains("`nob`") && error.contains("`nod`"), "{error}");
    let error = clip("take = 'nod'\nevents = [{ time = 9.0, name = 'late' }]");
    assert!(error.contains("late"), "{error}");
    let error = clip("take = 'nod'\n[[characters.hero.clips]]\nfile = 'clip.fbx'\ntake = '#1'");
    assert!(error.contains("two clips") && error.contains("`nod`"), "{error}");
    folder.write("sinew.toml", PLAIN.replace("clip.fbx", "gone.fbx"));
    let error = failure(&folder.build_with(BuildOptions::default()));
    assert!(error.contains("gone.fbx"), "{error}");

    for (toml, word) in [
        ("[chars]", "chars"),
        ("[build]\nouts = 'x'", "outs"),
        ("[import]\ninfluences = 5", "4 or 8"),
        ("[import]\nresample = 0", "tolerance"),
        ("[import]\nlimits = { bones = 3 }", "bones"),
        ("[build]\ntargets = ['fbx']", "fbx"),
        ("[characters.'a/b']\nfile = 'x'", "a/b"),
        ("[characters.A]\nfile = 'x'\n[characters.a]\nfile = 'x'", "share a file"),
        ("[characters.a]\nfile = 'x'\nclips = [{ name = 'W' }, { name = 'w' }]", "two clips"),
        ("[characters.a]\nfile = 'x'\nclips = [{ loop = 'always' }]", "ping-pong"),
        ("[characters.a]", "file"),
    ] {
        let error = Project::parse(toml, Path::new("game/sinew.toml")).unwrap_err().to_string();
        assert!(error.starts_with("game/sinew.toml: ") && error.contains(word), "{error}");
    }
    let error = Project::open(Path::new("nowhere")).unwrap_err();
    assert!(matches!(error, ProjectError::Read { .. }) && error.to_string().contains("nowhere"), "{error}");
}

#[test]
fn paths_may_have_backslashes() {
    let text = r"
        build.out = 'out\game'
        import.textures = ['art\more']
        [characters.hero]
        file = 'art\hero.fbx'
        clips = [{ file = 'art\clips\walk.fbx' }]
    ";
    let project = Project::parse(text, Path::new("game/sinew.toml")).unwrap();
    let job = project.jobs(&[], &[]).unwrap().remove(0);
    let files: Vec<_> = job.files.iter().map(|file| job.path(file)).collect();
    assert_eq!(files, ["game/art/hero.fbx", "game/art/clips/walk.fbx"].map(PathBuf::from));
    assert_eq!(job.outputs[0].path, Path::new("game/out/game/hero.sinew"));
    assert_eq!(project.settings().import.textures, [PathBuf::from("art/more")]);
}

#[test]
fn one_that_fails_does_not_stop_the_others() {
    let folder = crowd(3);
    folder.write("0001/sway.fbx", "no animation");
    let report = folder.build_with(BuildOptions::default());
    assert_eq!(report.built(), 2);
    assert!(matches!(report.jobs[1].state, State::Failed(_)));
    assert!(!folder.path("build/c0001.sinew").exists());
    let jobs = folder.project().jobs(&[], &["c0002".into(), "c0000".into()]).unwrap();
    assert_eq!(jobs.iter().map(|job| job.character.as_str()).collect::<Vec<_>>(), ["c0000", "c0002"]);
    assert!(matches!(
        folder.project().jobs(&[], &["c9".into()]),
        Err(ProjectError::UnknownCharacter { known, .. }) if known.len() == 3
    ));
}

#[test]
fn a_plan_names_all_that_is_read_and_written() {
    let mut pair = Pair::default();
    pair.character.materials[0].texture =
        Some(Texture { name: "Cloth".into(), file: "cloth.png".into(), ..Texture::default() });
    let folder = one(&pair.fixture("textured", ""), &PLAIN.replace("hero", "'my hero'"));
    folder.write("textures/cloth.png", common::PIXEL);
    let project = folder.project();
    let jobs = project.jobs(&[], &[]).unwrap();
    let before = plan(&project, &jobs).unwrap();
    assert_eq!(before.len(), 1);
    let inside = |paths: &[String]| -> Vec<String> {
        let root = format!("{}/", folder.0.path().display());
        paths.iter().map(|path| path.strip_prefix(&root).unwrap_or(path).to_owned()).collect()
    };
    assert_eq!(inside(&before[0].inputs), ["sinew.toml", "character.fbx", "clip.fbx", "textures/cloth.png"]);
    assert_eq!(inside(&before[0].outputs), ["build/my hero.sinew", "build/.sinew/my hero.sinew.json"]);
    assert!(before[0].command.ends_with("--only 'my hero' --target sinew"), "{}", before[0].command);
    folder.build();
    assert_eq!(plan(&project, &jobs).unwrap(), before, "a stamp knows what parsing finds out");
}

/// A game asks for `Walk`, and the bundle knows that the take `Walking` is meant.
#[test]
fn tags_are_resolved_in_bundles() {
    let folder = Folder::new();
    let mut scene = humanoid::clip(humanoid::Motion::Walk);
    scene.takes[0].name = "Walking".into();
    folder.write("hero.fbx", fbx::write(&humanoid::character()));
    folder.write("gait.fbx", fbx::write(&scene));
    folder.write(
        "sinew.toml",
        "[characters.hero]\nfile = \"hero.fbx\"\n[[characters.hero.clips]]\nfile = \"gait.fbx\"\nname = \"gait\"\n",
    );
    folder.build();
    let BundleFile { character, source, .. } = folder.bundle("hero");
    assert!(source.clips[0].tag_inferred);
    let game = sinew::Bundle::read(fs::read(folder.path("build/hero.sinew")).unwrap()).unwrap().character;
    assert_eq!(common::difference(&game, &character), None);
    let mut controller = sinew::Controller::new(std::sync::Arc::new(game));
    controller.play("Walk").unwrap();
    assert_eq!(controller.clip().unwrap().name(), "gait");
}
