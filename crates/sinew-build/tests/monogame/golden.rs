//! Bytes that must not change: the files of a tiny model, which docs/monogame.md explains byte by byte, and digests of the files that were loaded
//! and drawn by the real framework.

use crate::{corpus, figures, file, written};
use sha2::{Digest, Sha256};
use sinew::Character;
use sinew_build::monogame::{ClipFiles, MonoGameOptions, SkinningVersion, write_monogame};
use sinew_build::textures::Textures;
use sinew_import::SourceInfo;

/// The bytes of a listing in the page, found by the words behind its fence.
fn listing(title: &str) -> Vec<u8> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/monogame.md");
    let text = std::fs::read_to_string(page).unwrap();
    let (_, rest) = text.split_once(&format!("```text {title}\n")).unwrap_or_else(|| panic!("{title}"));
    let (lines, _) = rest.split_once("```").unwrap();
    let mut bytes = Vec::new();
    for line in lines.lines() {
        let (offset, rest) = line.trim_start().split_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert_eq!(offset.parse(), Ok(bytes.len()), "{title}: {line}");
        let (values, _meaning) = rest.split_once('|').unwrap_or_else(|| panic!("{line}"));
        assemble(values, &mut bytes);
    }
    bytes
}

/// Values of a line: a type, then numbers or a text of that type, as often as there are more.
fn assemble(values: &str, bytes: &mut Vec<u8>) {
    let mut kind = "";
    let mut rest = values.trim();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (text, behind) = quoted.split_once('"').expect("a text ends");
            if kind == "str" {
                let mut length = text.len();
                while length > 127 {
                    bytes.push(length as u8 | 0x80);
                    length >>= 7;
                }
                bytes.push(length as u8);
            }
            bytes.extend(text.bytes());
            rest = behind.trim_start();
            continue;
        }
        let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = behind.trim_start();
        match kind {
            _ if word.starts_with(|c: char| c.is_ascii_lowercase()) => kind = word,
            "u8" => bytes.push(word.parse().unwrap()),
            "u16" => bytes.extend(word.parse::<u16>().unwrap().to_le_bytes()),
            "i32" => bytes.extend(word.parse::<i32>().unwrap().to_le_bytes()),
            "i64" => bytes.extend(word.parse::<i64>().unwrap().to_le_bytes()),
            "f32" => bytes.extend(word.parse::<f32>().unwrap().to_le_bytes()),
            other => panic!("`{other}` is no type of a listing"),
        }
    }
}

/// Says where two files begin to differ.
fn same(title: &str, written: &[u8]) {
    let listed = listing(title);
    let differs = listed.iter().zip(written).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{title} differs from its listing from this byte on");
    assert_eq!(listed.len(), written.len(), "{title}");
}

#[test]
fn the_files_of_a_tiny_model_are_as_the_page_lists_them() {
    let files = |options: &MonoGameOptions| {
        write_monogame("tiny.xnb", &figures::tiny(), &SourceInfo::default(), &Textures::Embed, options)
            .unwrap()
    };
    let second = files(&MonoGameOptions::default());
    same("tiny.xnb", file(&second, "tiny.xnb"));
    same("tiny/textures/white.xnb", file(&second, "tiny/textures/white.xnb"));
    let first = files(&MonoGameOptions::default().with(|options| {
        (options.version, options.clips) = (SkinningVersion::V1, ClipFiles::Files);
    }));
    same("tiny/clips/bend.xnb, version 1", file(&first, "tiny/clips/bend.xnb"));
}

/// The digest of all files of a character, in the order of their names.
fn digest(character: &Character) -> String {
    let mut files = written(character, &MonoGameOptions::default()).files;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let mut digest = Sha256::new();
    for file in files {
        digest.update(file.name);
        digest.update(file.bytes);
    }
    sinew_files::hex(&digest.finalize())
}

/// Whoever changes these bytes loads and draws them in the real framework again; docs/monogame.md says what came of it.
#[test]
fn files_are_those_that_the_real_framework_drew() {
    let (creature, _pictures) = figures::creature();
    for (name, character, expected) in [
        ("hero", figures::hero(), HERO),
        ("creature", creature, CREATURE),
        ("108 joints", figures::ribbon(108), RIBBON),
    ] {
        assert_eq!(digest(&character), expected, "{name}");
    }
    let samba = "three/fbx/Samba_Dancing.fbx";
    let Some(path) = corpus("files_are_those_that_the_real_framework_drew", samba) else { return };
    let samba = sinew_import::import(&path, &Default::default()).unwrap().character;
    assert_eq!(digest(&samba), SAMBA, "Samba");
}

const HERO: &str = "88848b8c22a2291559d7700a00363f99663c6b58025629e1baa546bc987e759b";
const CREATURE: &str = "36f414caf45a063500ee360417dbc1e21dc197a113d474dea04a878e0fe9050c";
const RIBBON: &str = "23bd696feba368299389bc2df6c180e3847286e2d249ff9dd0fb950bde23dc95";
const SAMBA: &str = "745599831afbb8c94e9d980180172fb68bb22a9f299b0e8b43ce85f60de9e2de";
