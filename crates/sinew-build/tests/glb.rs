//! Binary glTF: the Khronos validator has nothing to say against it.

mod common;
mod validator;

use common::{Size, character};
use sinew::Image;
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_build::textures::Textures;

/// Characters of every shape, with and without everything.
#[test]
fn the_validator_is_content_with_made_up_characters() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for seed in 0..120u64 {
        let pick = |shift: u64, below: u64| (seed.wrapping_mul(0x9E37_79B9) >> shift) % below;
        let size = Size {
            joints: pick(3, 30) as usize,
            meshes: pick(7, 4) as usize,
            vertices: pick(11, 30) as usize,
            clips: pick(13, 4) as usize,
            keys: pick(17, 9) as usize,
        };
        let glb = write_glb(&character(seed, size), &GlbOptions::default()).unwrap();
        let path = folder.path().join(format!("{seed}.glb"));
        std::fs::write(&path, &glb.bytes).unwrap();
        files.push(path);
    }
    if let Some(complaints) =
        validator::complaints("the_validator_is_content_with_made_up_characters", &files)
    {
        assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), files.len(), complaints.join("\n"));
    }
}

/// The judge does judge.
#[test]
fn the_validator_finds_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let size = Size { joints: 3, meshes: 1, vertices: 9, clips: 1, keys: 3 };
    let mut bytes = write_glb(&character(1, size), &GlbOptions::default()).unwrap().bytes;
    let place = bytes.windows(8).position(|w| w == b"POSITION").unwrap();
    bytes[place] = b'Q';
    let path = folder.path().join("wrong.glb");
    std::fs::write(&path, bytes).unwrap();
    if let Some(complaints) = validator::complaints("the_validator_finds_a_fault", &[path]) {
        assert_eq!(complaints.len(), 1);
    }
}

#[test]
fn the_same_character_gives_the_same_bytes() {
    let size = Size { joints: 20, meshes: 2, vertices: 40, clips: 3, keys: 9 };
    let write = || write_glb(&character(7, size), &GlbOptions::default()).unwrap().bytes;
    assert_eq!(write(), write());
}

#[test]
fn pictures_are_referred_to_by_relative_uri() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("art & more").join("skin.png");
    std::fs::create_dir(picture.parent().unwrap()).unwrap();
    std::fs::write(&picture, common::PIXEL).unwrap();
    let size = Size { joints: 2, meshes: 1, vertices: 9, clips: 1, keys: 3 };
    let textured = |c: &sinew::Character| c.materials().iter().any(|m| m.texture == Some(0));
    let original = (0..).map(|seed| character(seed, size)).find(textured).unwrap();
    let mut textures = original.textures().to_vec();
    textures[0].image = Image::File(picture);
    textures[1].image = Image::Embedded(b"BM this is no PNG".to_vec());
    let character = sinew::Character::new(sinew::character::CharacterData {
        name: original.name().into(),
        skeleton: (**original.skeleton()).clone(),
        meshes: original.meshes().to_vec(),
        materials: original.materials().to_vec(),
        textures,
        clips: original.clips().clone(),
        space: original.space(),
    });
    let options = GlbOptions { textures: Textures::Reference(folder.path().to_owned()) };
    let glb = write_glb(&character.unwrap(), &options).unwrap();
    assert_eq!(glb.findings.iter().map(|f| f.id()).collect::<Vec<_>>(), ["glb.texture-format"]);
    let text = String::from_utf8_lossy(&glb.bytes);
    assert!(text.contains("art%20%26%20more/skin.png"), "{text}");
    let path = folder.path().join("hero.glb");
    std::fs::write(&path, &glb.bytes).unwrap();
    if let Some(complaints) = validator::complaints("pictures_are_referred_to_by_relative_uri", &[path]) {
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}
