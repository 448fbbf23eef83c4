//! Writes seeds for every target, and a dictionary of the words in them: `seeds FOLDER`.
//!
//! They come from the testkit and, where `SINEW_CORPUS` names a folder of real files, from its small ones.

// Code that counts its coverage does not link without libFuzzer.
use libfuzzer_sys as _;

use sinew::{Bundle, Character};
use sinew_build::bundle::{BundleOptions, write_bundle};
use sinew_build::compress::{CompressOptions, compress};
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_build::monogame::{MonoGameOptions, SkinningVersion, write_monogame};
use sinew_build::textures::Textures;
use sinew_compress::Profile;
use sinew_fuzz::{container, mend};
use sinew_import::{SourceInfo, import_bytes};
use sinew_testkit::collada::{Angles, Channels, Options, write};
use sinew_testkit::fixtures::{doctor, handheld, quirks, stick};
use sinew_testkit::{bvh, creature, draco, pictures, png, tree, vrm};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// Larger files make a fuzzer slow.
const LARGEST: usize = 200_000;

/// Bundles up to this size are also merged with themselves: small inputs that merge are rare, and quick.
const SMALL: usize = 8_000;

/// Most words of a dictionary.
const WORDS: usize = 400;

/// A `sinew.toml` with every key.
const PROJECT: &str = r##"
[build]
out = "build"
targets = ["sinew", "glb"]
textures = "reference"
[import]
space = "keep"
influences = 8
resample = 2e-5
euler_unit = "radians"
bvh_unit = 0.01
bvh_rate = 60
rest_frame = 0
textures = ["art"]
outside_textures = true
limits = { bytes = 1, memory = 2, nodes = 3, joints = 4, vertices = 5, keys = 6, depth = 7, texture_pixels = 8 }
[characters.hero]
file = "hero.fbx"
[[characters.hero.clips]]
file = "walk.fbx"
take = "#0"
name = "walk"
tag = "Walk"
loop = "ping-pong"
root_motion = "extract"
events = [{ time = 0.4, name = "step" }]
[[characters.hero.clips]]
loop = "once"
root_motion = "in-place"
[characters.fox]
file = "fox.glb"
"##;

/// Names and contents.
type Files = Vec<(String, Vec<u8>)>;

/// Names and paths.
type Paths = Vec<(String, PathBuf)>;

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).expect("usage: seeds FOLDER");
    let mut seeds = Seeds::default();
    seeds.add("project", "all-keys.toml", PROJECT.into());
    from_testkit(&mut seeds)?;
    pictures_from_testkit(&mut seeds);
    seeds.expect_kinds();
    match std::env::var_os("SINEW_CORPUS") {
        Some(corpus) if !corpus.is_empty() => from_corpus(&mut seeds, Path::new(&corpus))?,
        _ => {}
    }
    seeds.write_to(&folder)
}

/// Seeds by target and name.
#[derive(Default)]
struct Seeds(BTreeMap<&'static str, BTreeMap<String, Vec<u8>>>);

impl Seeds {
    fn add(&mut self, target: &'static str, name: &str, bytes: Vec<u8>) {
        if bytes.len() <= LARGEST {
            self.0.entry(target).or_default().insert(name.replace(['/', '\\'], "-"), bytes);
        }
    }

    /// A file of one character, for the target that its extension names.
    fn file(&mut self, name: &str, bytes: &[u8]) {
        let target = match Path::new(name).extension().and_then(|e| e.to_str()) {
            Some("fbx") => "fbx",
            Some("dae") => "collada",
            Some("zae") => "zae",
            Some("bvh") => "bvh",
            Some("gltf") => "gltf",
            Some("xnb") => "xnb",
            Some("png" | "jpg" | "jpeg" | "webp" | "tga" | "bmp" | "dds" | "ktx2") => "image",
            Some("glb" | "vrm" | "vrma") => {
                self.add("glb", name, split_glb(bytes));
                "gltf"
            }
            _ => return,
        };
        self.add(target, name, bytes.to_vec());
    }

    /// A file, and its character as the formats that this project writes.
    fn file_and_written(&mut self, name: &str, bytes: &[u8]) {
        self.file(name, bytes);
        let Ok(imported) = import_bytes(bytes, Path::new(name), &sinew_fuzz::options()) else { return };
        self.written(name, &imported.character);
    }

    fn written(&mut self, name: &str, character: &Character) {
        if let Ok(bytes) = write_bundle(character, &SourceInfo::default(), &BundleOptions::default(), None) {
            if bytes.len() <= SMALL {
                let twice = ["character", "clip"].map(|part| (format!("{part}.sinew"), bytes.clone()));
                self.container("merge", &format!("{name}-twice"), &twice.into());
            }
            self.add("bundle", &format!("{name}.sinew"), bytes);
        }
        // With compiled clips too, for their decoder.
        if let Ok(compressed) = compress(character, &SourceInfo::default(), CompressOptions::default())
            && let Ok(bytes) =
                write_bundle(&compressed.character, &compressed.source, &BundleOptions::default(), None)
        {
            self.add("bundle", &format!("{name}-compiled.sinew"), bytes);
        }
        if let Ok(glb) = write_glb(character, &SourceInfo::default(), &GlbOptions::default()) {
            self.file(&format!("{name}.glb"), &glb.bytes);
            if let Some(text) = as_text(&split_glb(&glb.bytes)) {
                self.add("gltf", &format!("{name}.gltf"), text);
            }
        }
        for version in [SkinningVersion::V1, SkinningVersion::V2] {
            let options = MonoGameOptions::default().with(|options| options.version = version);
            let Ok(xnb) = write_monogame("model.xnb", character, &SourceInfo::default(), &Textures::Embed, &options) else { continue };
            for file in &xnb.files {
                self.file(&format!("{name}-{version:?}-{}", file.name), &file.bytes);
            }
        }
    }

    /// Two files that are merged: as they are where they are small, since reading them takes most of the time, and as bundles.
    fn pair(&mut self, name: &str, files: &Files) {
        if files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() <= LARGEST / 2 {
            self.container("merge", name, files);
        }
        let bundle = |(name, bytes): &(String, Vec<u8>)| {
            let imported = import_bytes(bytes, Path::new(name), &sinew_fuzz::options()).ok()?;
            let bytes =
                write_bundle(&imported.character, &imported.source, &BundleOptions::default(), None).ok()?;
            Some((format!("{name}.sinew"), bytes))
        };
        if let Some(bundles) = files.iter().map(bundle).collect::<Option<Files>>() {
            self.container("merge", &format!("{name}-bundles"), &bundles);
        }
    }

    /// What the readers have of their own is among the seeds, and was not left out for its size.
    fn expect_kinds(&self) {
        let named = |target: &str, ending: &str| -> Vec<&Vec<u8>> {
            let of_target = self.0.get(target).into_iter().flatten();
            of_target.filter(|(name, _)| name.ends_with(ending)).map(|(_, bytes)| bytes).collect()
        };
        let kinds = [("glb", ".vrm"), ("glb", ".vrma"), ("gltf", ".vrm"), ("gltf", ".vrma"), ("bvh", ".bvh")];
        for (target, ending) in kinds {
            assert!(!named(target, ending).is_empty(), "{target} has no seed {ending}");
        }
        let has_frames = |bytes: &Vec<u8>| {
            let clips = Bundle::read(bytes.as_slice()).map(|bundle| bundle.character.clips().clone());
            clips.is_ok_and(|clips| clips.ready().any(|clip| clip.frames().is_some()))
        };
        assert!(named("bundle", ".sinew").into_iter().any(has_frames), "no bundle has compiled clips");
    }

    fn container(&mut self, target: &'static str, name: &str, files: &Files) {
        let files = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        self.add(target, name, container::pack(files));
    }

    fn write_to(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder.join("dict"))?;
        for (target, seeds) in &self.0 {
            let into = folder.join("seeds").join(target);
            std::fs::create_dir_all(&into)?;
            for (name, bytes) in seeds {
                std::fs::write(into.join(name), bytes)?;
            }
            std::fs::write(folder.join("dict").join(target), dictionary(seeds.values()))?;
            println!("{target}: {} seeds", seeds.len());
        }
        Ok(())
    }
}

/// The fixtures in every format: as FBX as they are written, as what this project writes, and paired for merging.
fn from_testkit(seeds: &mut Seeds) -> io::Result<()> {
    let handheld = [Angles::Degrees, Angles::Radians].map(handheld::turned_bone);
    for fixture in quirks::all().into_iter().chain(doctor::all()).chain(handheld) {
        for (name, bytes) in &fixture.files {
            seeds.file_and_written(&format!("{}-{name}", fixture.name), bytes);
        }
        if let [_, _] = fixture.files[..] {
            seeds.pair(&fixture.name, &fixture.files);
        }
    }
    let picture = png::encode(4, 4, |x, y| [60 * x as u8, 60 * y as u8, 90]);
    for (number, options) in collada_options().into_iter().enumerate() {
        let document = write(&stick::character(), &options).into_bytes();
        let clip = write(&stick::clip(), &options).into_bytes();
        seeds.file_and_written(&format!("stick-{number}.dae"), &document);
        let pair = vec![("character.dae".into(), document.clone()), ("clip.dae".into(), clip)];
        seeds.pair(&format!("stick-{number}"), &pair);
        let root = b"<?xml version='1.0'?><dae_root>./sub/stick.dae</dae_root>".to_vec();
        archive(
            seeds,
            &format!("stick-{number}"),
            &vec![
                ("manifest.xml".into(), root),
                ("sub/stick.dae".into(), document),
                ("sub/skin.png".into(), picture.clone()),
            ],
        );
    }
    for frames in [0, 1, 20] {
        seeds.file_and_written(&format!("dancer-{frames}.bvh"), bvh::Figure::dancer(frames).text().as_bytes());
    }
    for (version, name) in [(vrm::Version::V0, "zero.vrm"), (vrm::Version::V1, "one.vrm")] {
        seeds.file_and_written(name, &vrm::model(version));
    }
    seeds.file_and_written("dance.vrma", &vrm::animation());
    // Clips that are smaller as frames: those of the fixtures are too short for that.
    for joints in [3, 20] {
        let (character, _) = sinew_bench::synthetic::character(joints, 1.0, 30.0, Profile::default());
        let written = write_bundle(&character, &SourceInfo::default(), &BundleOptions::default(), None);
        seeds.add("bundle", &format!("swing-{joints}.sinew"), written.map_err(io::Error::other)?);
    }
    seeds.add("draco", "quad", draco::quad().write());
    seeds.container("manifest", "creature", &creature::files(&creature::Style::default()));
    let folder = tempfile::tempdir()?;
    tree::write_tree(folder.path(), 4, None)?;
    manifests(seeds, "tree", folder.path())
}

/// A picture of each kind.
fn pictures_from_testkit(seeds: &mut Seeds) {
    use pictures::{Dds, Ktx2, dds, ktx2, ktx2_etc1s, ktx2_uastc, ktx2_uastc_zstd, uastc, zstd};
    let block: Vec<u8> = (0..16).map(|byte| byte * 15).collect();
    seeds.file("plain.png", &png::encode(4, 4, |x, y| [60 * x as u8, 60 * y as u8, 90]));
    for code in [b"DXT1", b"DXT3", b"DXT5", b"ATI1", b"ATI2"] {
        let name = format!("{}.dds", code.escape_ascii());
        seeds.file(&name, &dds(4, 4, Dds::FourCc(*code), &block));
    }
    seeds.file("bc7.dds", &dds(4, 4, Dds::Dxgi(98), &block));
    let masks = Dds::Masks(0x41, 32, [0xff_0000, 0xff00, 0xff, 0xff00_0000]);
    seeds.file("bgra.dds", &dds(2, 2, masks, &block));
    let colors = [[1, 2, 3, 4], [250, 9, 30, 255]].map(uastc);
    seeds.file("uastc.ktx2", &ktx2_uastc(8, 4, &colors));
    seeds.file("uastc-zstd.ktx2", &ktx2_uastc_zstd(8, 4, &colors));
    seeds.file("etc1s.ktx2", &ktx2_etc1s());
    let about = Ktx2 { format: 37, scheme: 2, uncompressed: 16, ..Ktx2::default() };
    seeds.file("rgba.ktx2", &ktx2(2, 2, about, &zstd(&block)));
}

fn collada_options() -> Vec<Options> {
    let mut all = Vec::new();
    for angles in [Angles::Degrees, Angles::Radians] {
        for channels in [Channels::Components, Channels::Matrices] {
            all.push(Options { angles, channels, ..Options::default() });
        }
    }
    all
}

/// A `.zae`, and the files in it.
fn archive(seeds: &mut Seeds, name: &str, files: &Files) {
    seeds.container("zae", name, files);
    let files: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    if let Some(zip) = mend::zip(&files) {
        seeds.add("zae", &format!("{name}.zae"), zip);
    }
}

/// All small files of a folder that some target reads, and the folders of manifests.
fn from_corpus(seeds: &mut Seeds, corpus: &Path) -> io::Result<()> {
    for (name, path) in small_files(corpus)? {
        let bytes = std::fs::read(&path)?;
        for (number, stream) in draco_streams(&bytes).enumerate() {
            seeds.add("draco", &format!("{name}-{number}"), stream);
        }
        match path.extension().and_then(|e| e.to_str()) {
            // There are hundreds, and FBX from the testkit is written in all formats already.
            Some("fbx" | "zae") => seeds.file(&name, &bytes),
            _ => seeds.file_and_written(&name, &bytes),
        }
    }
    manifests(seeds, "corpus", corpus)
}

/// What begins as a Draco stream does, in a buffer of glTF, to the end of the file: what follows a stream is not read.
fn draco_streams(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    const BEGIN: &[u8] = b"DRACO\x02\x02\x01";
    let places = bytes.windows(BEGIN.len()).enumerate().filter(|(_, window)| *window == BEGIN);
    places.map(|(at, _)| bytes[at..].to_vec())
}

/// Every folder below this one that holds a manifest, with what lies in it.
fn manifests(seeds: &mut Seeds, prefix: &str, folder: &Path) -> io::Result<()> {
    let is_manifest = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("manifest.") && name.ends_with(".json")
    };
    let small = small_files(folder)?;
    let folders: BTreeSet<_> =
        small.iter().filter(|(_, path)| is_manifest(path)).filter_map(|(_, path)| path.parent()).collect();
    for (number, folder) in folders.into_iter().enumerate() {
        let mut files = Files::new();
        let mut left = LARGEST;
        // The manifest, the model and as many clips as there is room for.
        let mut paths = small_files(folder)?;
        paths.sort_by_key(|(_, path)| (!is_manifest(path), path.parent() != Some(folder)));
        for (name, path) in paths {
            let bytes = std::fs::read(path)?;
            if let Some(rest) = left.checked_sub(bytes.len() + name.len() + 8) {
                left = rest;
                files.push((name, bytes));
            }
        }
        seeds.container("manifest", &format!("{prefix}-{number}"), &files);
    }
    Ok(())
}

/// Files of a folder and of those in it that are not too large, by their paths from the folder.
fn small_files(folder: &Path) -> io::Result<Paths> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.metadata()?.len() <= LARGEST as u64 {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                found.push((name, path));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A GLB as the target `glb` takes it: its JSON, a zero byte, and its binary chunk.
fn split_glb(glb: &[u8]) -> Vec<u8> {
    let word =
        |at: usize| glb.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let json_end = 20 + word(12);
    let json = glb.get(20..json_end).unwrap_or_default();
    let binary = glb.get(json_end + 8..).unwrap_or_default();
    [json.trim_ascii_end(), binary].join(&0)
}

/// The same as text, with the binary chunk as a data URI.
fn as_text(split: &[u8]) -> Option<Vec<u8>> {
    let (json, binary) = container::cut(split, b"\0");
    let mut value: serde_json::Value = serde_json::from_slice(json).ok()?;
    let uri = format!("data:application/octet-stream;base64,{}", base64(binary));
    value.get_mut("buffers")?.get_mut(0)?["uri"] = uri.into();
    serde_json::to_vec(&value).ok()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word =
            three.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for letter in 0..4 {
            let index = word >> (18 - 6 * letter) & 63;
            text.push(if letter <= three.len() { LETTERS[index as usize].into() } else { '=' });
        }
    }
    text
}

/// The words that occur in most seeds, as libFuzzer wants a dictionary.
fn dictionary<'a>(seeds: impl Iterator<Item = &'a Vec<u8>>) -> String {
    let mut counts = BTreeMap::<&[u8], usize>::new();
    for seed in seeds {
        let words = seed.split(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':')));
        let words = words.filter(|word| (3..40).contains(&word.len()) && !word[0].is_ascii_digit());
        for word in words.collect::<BTreeSet<_>>() {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut words: Vec<_> = counts.into_iter().collect();
    words.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let words = words.iter().take(WORDS).map(|(word, _)| format!("\"{}\"\n", String::from_utf8_lossy(word)));
    format!("\"\\x0A%%%%\\x0A\"\n{}", words.collect::<String>())
}
