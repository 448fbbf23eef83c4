//! Which files are read, how often, and that changed files cause a new build.

mod common;

use common::Folder;
use sinew::{Character, Image};
use sinew_build::bundle::{BundleOptions, Evidence, certify, origin, verify, write_bundle};
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_build::project::{
    BuildOptions, BuildReport, CompileError, Project, Reason, State, Target, TargetOptions, build, plan,
};
use sinew_build::textures::Textures;
use sinew_examine::doctor;
use sinew_files::{Cache, FileRecord, Files, Memory, Role};
use sinew_import::bundle::Origin;
use sinew_import::{Options, SourceInfo, Sources, import, load_from, read_from};
use sinew_testkit::fixtures::stick::Pair;
use sinew_testkit::scene::Texture;
use sinew_testkit::{collada, creature, fbx};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Folder {
    fn build(&self) -> BuildReport {
        let jobs = Project::open(self.0.path()).unwrap().jobs(&[], &[]).unwrap();
        build(&jobs, BuildOptions::default(), &|_| {}).unwrap()
    }

    fn reason(&self) -> Reason {
        match self.build().jobs.remove(0).state {
            State::Built { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }

    fn failure(&self) -> String {
        match self.build().jobs.remove(0).state {
            State::Failed(error) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    fn is_up_to_date(&self) -> bool {
        matches!(self.build().jobs[0].state, State::UpToDate)
    }

    /// A copy in memory that counts, and the same read once each.
    fn counted(&self) -> (Arc<Memory>, Arc<dyn Files>) {
        let memory = Arc::new(Memory::copy_of(self.0.path()).unwrap());
        (memory.clone(), Arc::new(Cache::new(memory)))
    }

    fn names(&self, paths: &[PathBuf]) -> Vec<String> {
        let name = |path: &PathBuf| path.strip_prefix(self.0.path()).unwrap().to_str().unwrap().to_owned();
        let mut names: Vec<String> = paths.iter().map(name).collect();
        names.sort();
        names
    }
}

/// A character and a clip file that both have the texture, as downloads with skin do.
fn fbx_set() -> Folder {
    let mut pair = Pair::default();
    let texture = Texture { name: "Cloth".into(), file: "cloth.png".into(), ..Texture::default() };
    pair.character.materials[0].texture = Some(texture.clone());
    let mut with_skin = pair.character.clone();
    with_skin.takes = pair.clip.takes.clone();
    let folder = Folder::new();
    folder.write("hero.fbx", fbx::write(&pair.character));
    folder.write("sway.fbx", fbx::write(&with_skin));
    folder.write("textures/cloth.png", common::PIXEL);
    folder.write(
        "sinew.toml",
        "build.targets = ['sinew', 'glb']\n[characters.hero]\nfile = 'hero.fbx'\n[[characters.hero.clips]]\nfile = 'sway.fbx'\n",
    );
    folder
}

/// A glTF JSON file and a separate buffer file.
fn split_glb(character: &Character, folder: &Path, bin: &str) -> (serde_json::Value, Vec<u8>) {
    let options = GlbOptions::from(Textures::Reference(folder.to_owned()));
    let glb = write_glb(character, &SourceInfo::default(), &options).unwrap().bytes;
    let number = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let text = number(12);
    let mut json: serde_json::Value = serde_json::from_slice(&glb[20..20 + text]).unwrap();
    json["buffers"][0]["uri"] = bin.into();
    (json, glb[20 + text + 8..].to_vec())
}

/// A binary glTF without a binary chunk.
fn glb_of(json: &serde_json::Value) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(u32::try_from(20 + text.len()).unwrap().to_le_bytes());
    glb.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(text);
    glb
}

fn hero() -> Character {
    let set = fbx_set();
    let sources = [set.path("sway.fbx")];
    let loaded = sinew_import::load(set.path("hero.fbx"), &sources).unwrap();
    // The picture goes with the test that asks for it.
    let textures = loaded.character.textures().iter();
    assert!(textures.clone().all(|texture| matches!(texture.image, Image::File(_))));
    loaded.character
}

/// A glTF with a buffer and a picture beside it.
fn gltf() -> Folder {
    let folder = Folder::new();
    let (mut json, bin) = split_glb(&hero(), folder.0.path(), "my%20hero.bin");
    json["images"][0]["uri"] = "cloth.png".into();
    folder.write("hero.gltf", json.to_string());
    folder.write("my hero.bin", bin);
    folder.write("cloth.png", common::PIXEL);
    folder.write("sinew.toml", "[characters.hero]\nfile = 'hero.gltf'\n");
    folder
}

fn manifest() -> Folder {
    let folder = Folder::new();
    creature::write_to(&folder.path("imp"), &creature::Style::default()).unwrap();
    folder.write("sinew.toml", "[characters.imp]\nfile = 'imp'\n");
    folder
}

/// What the commands do, on files that are counted: each is read once.
fn count(folder: &Folder, files: &[&str], expected: &[String]) {
    let [character, animations @ ..] = files else { panic!("there is a character") };
    let character = folder.path(character);
    let animations: Vec<PathBuf> = animations.iter().map(|file| folder.path(file)).collect();
    let options = Options::default();

    // build, with all its targets.
    let (memory, place) = folder.counted();
    let job = &Project::open(folder.0.path()).unwrap().jobs(&[], &[]).unwrap()[0];
    let compiled = job.compile_from(&place).unwrap();
    let mut bundle = Vec::new();
    for output in &job.outputs {
        let written = job.write(&compiled, output).unwrap();
        if output.target == Target::Sinew {
            bundle = written.files.into_iter().next_back().unwrap().bytes;
        }
    }
    assert_eq!(folder.names(&memory.reads()), expected, "build");
    let read = compiled.files.iter().filter(|record| record.digest.is_some());
    let read: Vec<PathBuf> = read.map(|record| record.path.clone()).collect();
    assert_eq!(folder.names(&read), expected, "the record is what was read");

    // convert
    let (memory, place) = folder.counted();
    let loaded = load_from(&place, &character, &animations, &options).unwrap();
    let origins: Vec<Option<Origin>> = loaded.origins.iter().map(|o| Some(origin(o))).collect();
    let evidence: Vec<_> = loaded.sources.imported().iter().map(Evidence::of).collect();
    let certificate = certify(&loaded.character, &loaded.source, &origins, &evidence).unwrap();
    let write = Target::Glb
        .write(
            "a.glb",
            &loaded.character,
            &loaded.source,
            Some(&certificate),
            &TargetOptions::default(),
            &place,
        )
        .unwrap();
    assert_eq!((write.files.len(), write.files[0].name.as_str()), (1, "a.glb"));
    assert_eq!(folder.names(&memory.reads()), expected, "convert");

    // verify
    let (memory, place) = folder.counted();
    let all = std::iter::once(&character).chain(&animations);
    let imported: Vec<_> = all.map(|path| read_from(&place, path, &options).unwrap()).collect();
    let evidence: Vec<_> = imported.iter().map(Evidence::of).collect();
    assert!(verify(&bundle, &evidence).unwrap().measured.is_some());
    assert_eq!(folder.names(&memory.reads()), expected, "verify");

    // doctor
    let (memory, place) = folder.counted();
    doctor::examine_sources(&Sources::import_from(&place, &character, &animations, &options).unwrap());
    assert_eq!(folder.names(&memory.reads()), expected, "doctor");
}

#[test]
fn each_file_of_an_fbx_set_is_read_once() {
    let expected = ["hero.fbx", "sway.fbx", "textures/cloth.png"].map(str::to_owned);
    count(&fbx_set(), &["hero.fbx", "sway.fbx"], &expected);
}

#[test]
fn each_file_of_a_gltf_is_read_once() {
    let expected = ["cloth.png", "hero.gltf", "my hero.bin"].map(str::to_owned);
    count(&gltf(), &["hero.gltf"], &expected);
}

#[test]
fn each_file_of_a_manifest_is_read_once() {
    let folder = manifest();
    let all = Memory::copy_of(&folder.path("imp")).unwrap();
    let mut expected = Vec::new();
    let mut open = vec![folder.path("imp")];
    while let Some(at) = open.pop() {
        for entry in all.list(&at).unwrap() {
            if entry.is_folder { open.push(entry.path) } else { expected.push(entry.path) }
        }
    }
    let expected = folder.names(&expected);
    assert!(expected.len() > 10, "{expected:?}");
    count(&folder, &["imp"], &expected);
}

#[test]
fn what_was_looked_for_in_vain_is_on_record() {
    let set = fbx_set();
    fs::remove_file(set.path("textures/cloth.png")).unwrap();
    let imported = import(&set.path("hero.fbx"), &Options::default()).unwrap();
    let main = &imported.files[0];
    assert_eq!((main.name(), main.role, main.digest.is_some()), ("hero.fbx", Role::Source, true));
    let missed = |record: &&FileRecord| record.digest.is_none() && record.role == Role::Picture;
    let missed: Vec<PathBuf> = imported.files.iter().filter(missed).map(|r| r.path.clone()).collect();
    let names = set.names(&missed);
    for name in ["cloth.png", "textures/cloth.png", "hero.fbm/cloth.png"] {
        assert!(names.iter().any(|n| n == name), "{names:?}");
    }
    assert_eq!(imported.files.len(), 1 + names.len());
}

#[test]
fn a_buffer_of_a_binary_gltf_counts() {
    let folder = gltf();
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path("hero.gltf")).unwrap()).unwrap();
    folder.write("hero.glb", glb_of(&json));
    folder.write("sinew.toml", "[characters.hero]\nfile = 'hero.glb'\n");
    assert_eq!(folder.reason(), Reason::New);
    assert!(folder.is_up_to_date());
    let mut bin = fs::read(folder.path("my hero.bin")).unwrap();
    bin.push(0);
    folder.write("my hero.bin", bin);
    assert_eq!(folder.reason(), Reason::Input("my hero.bin".into()));
    assert!(folder.is_up_to_date());
    fs::remove_file(folder.path("my hero.bin")).unwrap();
    assert!(folder.failure().contains("my hero.bin"));
}

#[test]
fn a_buffer_of_a_manifests_model_counts() {
    let folder = gltf();
    folder.write("manifest.json", r#"{ "version": 1, "modelFile": "hero.gltf", "clips": [] }"#);
    folder.write("sinew.toml", "[characters.hero]\nfile = '.'\n");
    assert_eq!(folder.reason(), Reason::New);
    assert!(folder.is_up_to_date());
    let mut bin = fs::read(folder.path("my hero.bin")).unwrap();
    bin.push(0);
    folder.write("my hero.bin", bin);
    assert_eq!(folder.reason(), Reason::Input("my hero.bin".into()));
    folder.write("cloth.png", [common::PIXEL, b"more"].concat());
    assert_eq!(folder.reason(), Reason::Texture("cloth.png".into()));
    assert!(folder.is_up_to_date());
}

#[test]
fn a_texture_that_appears_where_it_was_looked_for_counts() {
    let set = fbx_set();
    fs::remove_file(set.path("textures/cloth.png")).unwrap();
    assert_eq!(set.reason(), Reason::New);
    assert!(set.is_up_to_date());
    set.write("hero.fbm/cloth.png", common::PIXEL);
    assert_eq!(set.reason(), Reason::Texture("hero.fbm/cloth.png".into()), "the third of the names");
    set.write("cloth.png", [common::PIXEL, b"more"].concat());
    assert_eq!(set.reason(), Reason::Texture("cloth.png".into()), "another is found first");
    assert!(set.is_up_to_date());
}

/// A texture is looked for without regard to case, so it may appear in any.
#[test]
fn a_texture_that_appears_in_any_case_counts() {
    for name in
        ["Cloth.PNG", "cLoTh.png", "TexTures/cloth.png", "Hero.FBM/Cloth.png", "CLOTH.png", "cloth.PNG"]
    {
        let set = fbx_set();
        fs::remove_dir_all(set.path("textures")).unwrap();
        assert_eq!(set.reason(), Reason::New);
        assert!(set.is_up_to_date(), "{name}");
        set.write("other.png", common::PIXEL);
        assert!(set.is_up_to_date(), "{name}: another file is nothing to it");
        set.write(name, common::PIXEL);
        assert!(matches!(set.reason(), Reason::Texture(_)), "{name}");
        assert!(set.is_up_to_date(), "{name}");
        // Another spelling that is taken instead.
        set.write("cloth.png", [common::PIXEL, b"more"].concat());
        assert_eq!(set.reason(), Reason::Texture("cloth.png".into()), "{name}");
    }
}

/// COLLADA refers to a picture by names that exporters changed: the second of those that are tried counts as well.
#[test]
fn a_texture_of_collada_that_appears_under_its_second_name_counts() {
    let mut scene = Pair::default().character;
    let texture = Texture { name: "Cloth".into(), file: "cloth.tga".into(), ..Texture::default() };
    scene.materials[0].texture = Some(texture);
    let folder = Folder::new();
    folder.write("hero.dae", collada::write(&scene, &collada::Options::default()));
    folder.write("sinew.toml", "[characters.hero]\nfile = 'hero.dae'\n");
    assert_eq!(folder.reason(), Reason::New);
    assert!(folder.is_up_to_date());
    folder.write("cloth.tga.png", common::PIXEL);
    assert_eq!(folder.reason(), Reason::Texture("cloth.tga.png".into()));
    let imported = import(&folder.path("hero.dae"), &Options::default()).unwrap();
    assert_eq!(imported.character.textures()[0].image, Image::File(folder.path("cloth.tga.png")));
    assert!(folder.is_up_to_date());
    folder.write("textures/cloth.tga", common::PIXEL);
    assert_eq!(folder.reason(), Reason::Texture("textures/cloth.tga".into()), "the first name goes first");
    assert!(folder.is_up_to_date());
}

/// `manifest.json` goes before other manifests, in any case.
#[test]
fn a_manifest_that_appears_in_any_case_counts() {
    let folder = gltf();
    let manifest = r#"{ "version": 1, "modelFile": "hero.gltf", "clips": [] }"#;
    folder.write("in/manifest.other.json", manifest);
    for name in ["hero.gltf", "my hero.bin", "cloth.png"] {
        fs::rename(folder.path(name), folder.path("in").join(name)).unwrap();
    }
    folder.write("sinew.toml", "[characters.hero]\nfile = 'in'\n");
    assert_eq!(folder.reason(), Reason::New);
    assert!(folder.is_up_to_date());
    folder.write("in/Manifest.JSON", manifest);
    assert_eq!(folder.reason(), Reason::Input("in/manifest.json".into()));
    assert!(folder.is_up_to_date());
}

#[test]
fn a_folder_stands_for_its_manifest() {
    let folder = manifest();
    assert_eq!(folder.reason(), Reason::New);
    assert!(folder.is_up_to_date());
    let project = Project::open(folder.0.path()).unwrap();
    let jobs = project.jobs(&[], &[]).unwrap();
    let current = plan(&project, &jobs).unwrap().remove(0).inputs;
    fs::remove_dir_all(folder.path("build")).unwrap();
    assert_eq!(plan(&project, &jobs).unwrap().remove(0).inputs, current);
    let inputs: Vec<PathBuf> = current.iter().map(PathBuf::from).collect();
    let inputs = folder.names(&inputs);
    assert!(inputs.contains(&"imp/manifest.json".into()) && !inputs.contains(&"imp".into()), "{inputs:?}");
    let of_file = {
        let bytes = |file: &str| {
            folder.write("sinew.toml", format!("[characters.imp]\nfile = '{file}'\n"));
            folder.build();
            fs::read(folder.path("build/imp.sinew")).unwrap()
        };
        (bytes("imp"), bytes("imp/manifest.json"))
    };
    assert!(of_file.0 == of_file.1, "the folder and its manifest give the same bytes");
}

#[test]
fn a_source_is_never_an_output() {
    let folder = Folder::new();
    let glb = write_glb(&hero(), &SourceInfo::default(), &GlbOptions::from(Textures::Omit)).unwrap().bytes;
    folder.write("fox.glb", &glb);
    folder.write(
        "sinew.toml",
        "build.out = '.'\nbuild.targets = ['glb']\n[characters.fox]\nfile = 'fox.glb'\n",
    );
    assert!(folder.failure().contains("would overwrite the source"));
    assert!(fs::read(folder.path("fox.glb")).unwrap() == glb);
    // The source of another character, and through a link.
    let other = "build.out = 'out'\nbuild.targets = ['glb']\n[characters.fox]\nfile = 'art/hare.glb'\n[characters.hare]\nfile = 'fox.glb'\n";
    folder.write("art/hare.glb", &glb);
    folder.write("sinew.toml", other);
    fs::create_dir(folder.path("out")).unwrap();
    fs::hard_link(folder.path("fox.glb"), folder.path("out/fox.glb")).unwrap();
    assert!(folder.failure().contains("would overwrite the source"));
    assert!(fs::read(folder.path("fox.glb")).unwrap() == glb);
}

/// Where only some characters are built, the sources of the others are still sources.
#[test]
fn a_source_of_a_character_that_is_not_built_is_no_output() {
    let folder = Folder::new();
    let glb = write_glb(&hero(), &SourceInfo::default(), &GlbOptions::from(Textures::Omit)).unwrap().bytes;
    let settings = "build.out = '.'\nbuild.targets = ['glb']\n[characters.fox]\nfile = 'art.glb'\n[characters.hare]\nfile = 'fox.glb'\n";
    ["art.glb", "fox.glb"].iter().for_each(|file| folder.write(file, &glb));
    folder.write("sinew.toml", settings);
    let jobs = Project::open(folder.0.path()).unwrap().jobs(&[], &["fox".to_owned()]).unwrap();
    let state = build(&jobs, BuildOptions::default(), &|_| {}).unwrap().jobs.remove(0).state;
    assert!(matches!(&state, State::Failed(CompileError::Overwrites { .. })), "{state:?}");
    assert!(fs::read(folder.path("fox.glb")).unwrap() == glb);
}

/// What the sources of another character refer to is known only when these are read.
#[test]
fn what_another_character_refers_to_is_no_output() {
    let folder = gltf();
    let glb = write_glb(&hero(), &SourceInfo::default(), &GlbOptions::from(Textures::Omit)).unwrap().bytes;
    folder.write("art.glb", &glb);
    let settings = "build.targets = ['glb']\n[characters.fox]\nfile = 'art.glb'\n[characters.hero]\nfile = 'hero.gltf'\n";
    folder.write("sinew.toml", settings);
    let buffer = fs::read(folder.path("my hero.bin")).unwrap();
    fs::create_dir(folder.path("build")).unwrap();
    fs::hard_link(folder.path("my hero.bin"), folder.path("build/fox.glb")).unwrap();
    assert!(folder.failure().contains("would overwrite the source"));
    assert!(fs::read(folder.path("my hero.bin")).unwrap() == buffer);
    // A file that nothing reads is in the way of nobody.
    fs::remove_file(folder.path("build/fox.glb")).unwrap();
    folder.write("build/fox.glb", b"of an earlier build");
    assert_eq!(folder.reason(), Reason::New);
}

/// The project's own file, contacts, bone maps, and what the manifest of another character lists.
#[test]
fn no_input_of_a_project_is_an_output() {
    let glb = write_glb(&hero(), &SourceInfo::default(), &GlbOptions::from(Textures::Omit)).unwrap().bytes;
    let project = "build.out = 'out'\nbuild.targets = ['sinew']\n[characters.fox]\nfile = 'art/fox.glb'\n";
    let refused = |input: &str, content: &[u8], project: &str| {
        let folder = Folder::new();
        folder.write("art/fox.glb", &glb);
        folder.write("sinew.toml", project);
        folder.write(input, content);
        fs::create_dir(folder.path("out")).unwrap();
        fs::hard_link(folder.path(input), folder.path("out/fox.sinew")).unwrap();
        let failure = folder.failure();
        assert!(failure.contains("would overwrite the source"), "{input}: {failure}");
        assert!(fs::read(folder.path(input)).unwrap() == content, "{input}");
    };
    refused("sinew.toml", project.as_bytes(), project);
    let contacts = format!("{project}contacts = 'steps.toml'\n");
    refused("steps.toml", b"", &contacts);
    let map = format!("{project}[[characters.fox.clips]]\nfile = 'art/fox.glb'\nretarget = 'fox.map.toml'\n");
    let of_another = format!("{map}[characters.zebra]\nfile = 'art/fox.glb'\ncontacts = 'zebra.toml'\n");
    refused("zebra.toml", b"", &of_another.replace(&map, project));
    let listed = format!("{project}[characters.zebra]\nfile = 'zoo'\n");
    let folder = Folder::new();
    folder.write("art/fox.glb", &glb);
    folder.write("zoo/manifest.json", r#"{ "version": 1, "modelFile": "zebra.glb", "clips": [] }"#);
    folder.write("zoo/zebra.glb", &glb);
    folder.write("sinew.toml", &listed);
    fs::create_dir(folder.path("out")).unwrap();
    fs::hard_link(folder.path("zoo/zebra.glb"), folder.path("out/fox.sinew")).unwrap();
    assert!(folder.failure().contains("would overwrite the source"));
}

#[test]
fn a_bundle_reads_no_files_outside_of_its_folder() {
    let set = fbx_set();
    let character = hero();
    let bundle = |path: &Path| {
        let textures = character.textures().iter();
        let textures = textures.map(|t| sinew::Texture { image: Image::File(path.to_owned()), ..t.clone() });
        let moved = Character::new(sinew::CharacterData {
            name: "spy".into(),
            skeleton: sinew::Skeleton::clone(character.skeleton()),
            meshes: character.meshes().to_vec(),
            materials: character.materials().to_vec(),
            textures: textures.collect(),
            clips: character.clips().clone(),
            space: character.space(),
        });
        let options = BundleOptions::from(Textures::Reference(set.path("in")));
        write_bundle(&moved.unwrap(), &SourceInfo::default(), &options, None).unwrap()
    };
    set.write("secret.png", common::PIXEL);
    let mut options = Options::default();
    for path in [set.path("secret.png"), set.path("in/../secret.png")] {
        set.write("in/spy.sinew", bundle(&path));
        options.outside_textures = false;
        let imported = import(&set.path("in/spy.sinew"), &options).unwrap();
        let ids: Vec<_> = imported.findings.iter().map(|finding| finding.id()).collect();
        assert_eq!(ids, ["texture.outside"], "{:?}", imported.findings);
        assert_eq!(imported.character.textures()[0].image, Image::Missing);
        assert!(imported.files.iter().all(|record| record.name() != "secret.png" || record.digest.is_none()));
        options.outside_textures = true;
        let imported = import(&set.path("in/spy.sinew"), &options).unwrap();
        assert!(imported.findings.is_empty() && imported.files.len() == 2, "{:?}", imported.findings);
    }
    set.write("in/cloth.png", common::PIXEL);
    set.write("in/spy.sinew", bundle(&set.path("in/cloth.png")));
    options.outside_textures = false;
    let imported = import(&set.path("in/spy.sinew"), &options).unwrap();
    assert_eq!(imported.character.textures()[0].image, Image::File(set.path("in/cloth.png")));
}

#[cfg(unix)]
#[test]
fn buffers_and_models_do_not_lie_outside_by_a_link() {
    let folder = gltf();
    fs::rename(folder.path("my hero.bin"), folder.path("elsewhere.bin")).unwrap();
    fs::create_dir(folder.path("in")).unwrap();
    fs::rename(folder.path("hero.gltf"), folder.path("in/hero.gltf")).unwrap();
    std::os::unix::fs::symlink(folder.path("elsewhere.bin"), folder.path("in/my hero.bin")).unwrap();
    let mut options = Options::default();
    let error = import(&folder.path("in/hero.gltf"), &options).unwrap_err().to_string();
    assert!(error.contains("leads out of the folder"), "{error}");
    options.outside_textures = true;
    assert!(import(&folder.path("in/hero.gltf"), &options).is_ok());
    folder.write("m/manifest.json", r#"{ "version": 1, "modelFile": "hero.gltf", "clips": [] }"#);
    std::os::unix::fs::symlink(folder.path("in/hero.gltf"), folder.path("m/hero.gltf")).unwrap();
    options.outside_textures = false;
    let error = sinew_import::read(&folder.path("m"), &options).unwrap_err().to_string();
    assert!(error.contains("leads out of the manifest's folder"), "{error}");
}

#[test]
fn leftovers_of_killed_builds_are_removed() {
    let set = fbx_set();
    set.build();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 60 * 60);
    for name in ["build/.hero.sinew.abcDEF012345.tmp", "build/.sinew/.hero.sinew.json.abcDEF012345.tmp"] {
        set.write(name, "half");
        fs::File::options().append(true).open(set.path(name)).unwrap().set_modified(long_ago).unwrap();
    }
    set.write("build/.hero.sinew.zzzDEF012345.tmp", "another build is at work");
    set.build();
    let entries = ["build", "build/.sinew"].map(|folder| fs::read_dir(set.path(folder)).unwrap());
    let names = entries.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: BTreeSet<String> = names.collect();
    assert_eq!(
        left.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            ".hero.sinew.zzzDEF012345.tmp",
            ".sinew",
            "hero.glb",
            "hero.glb.json",
            "hero.sinew",
            "hero.sinew.json"
        ]
    );
}

/// Frames may take no bytes at all, and limits count for bundles as for other files.
#[test]
fn limits_hold_for_bundles() {
    let folder = Folder::new();
    let options = BundleOptions::from(Textures::Omit);
    let bytes = write_bundle(&hero(), &SourceInfo::default(), &options, None).unwrap();
    folder.write("hero.sinew", bytes);
    for limit in ["joints", "vertices"] {
        let mut options = Options::default();
        options.limits.set(limit, 1).unwrap();
        let error = import(&folder.path("hero.sinew"), &options).unwrap_err().to_string();
        assert!(error.contains(&format!("exceeds the limit `{limit}`")), "{error}");
    }
}
