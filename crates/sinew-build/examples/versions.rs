//! Two versions of one project, for `cargo xtask stress`: `versions FOLDER` writes `FOLDER/a` and `FOLDER/b`.
//!
//! Both have the same files. Each character lies in a folder of its own name, and three of its files differ between the versions. Any mixture of the versions can
//! be built.

use serde_json::Value;
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_build::textures::Textures;
use sinew_import::SourceInfo;
use sinew_testkit::fixtures::stick::Pair;
use sinew_testkit::scene::{Property, Texture};
use sinew_testkit::{fbx, png, tree};
use std::error::Error;
use std::path::Path;

const PROJECT: &str = "build.targets = ['sinew', 'glb']

[characters.hero]
file = 'hero/hero.fbx'
[[characters.hero.clips]]
file = 'hero/sway.fbx'

[characters.knight]
file = 'knight/knight.gltf'

[characters.worm]
file = 'worm'
";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: versions FOLDER")?;
    for (name, other) in [("a", false), ("b", true)] {
        let folder = Path::new(&folder).join(name);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("sinew.toml"), PROJECT)?;
        hero(&folder.join("hero"), other)?;
        knight(&folder.join("knight"), &folder.join("hero"), other)?;
        worm(&folder, other)?;
    }
    Ok(())
}

/// FBX, with a clip and a picture in files of their own.
fn hero(folder: &Path, other: bool) -> Result<(), Box<dyn Error>> {
    let mut pair = Pair::default();
    let material = pair.character.materials.first_mut().ok_or("the character has a material")?;
    material.texture = Some(Texture { name: "Cloth".into(), file: "cloth.png".into(), ..Texture::default() });
    if other {
        material.name = "Silk".into();
        pair.change("Head", Property::Rotation, 1, |_, value| value + 1.0);
    }
    std::fs::create_dir_all(folder.join("textures"))?;
    std::fs::write(folder.join("hero.fbx"), fbx::write(&pair.character))?;
    std::fs::write(folder.join("sway.fbx"), fbx::write(&pair.clip))?;
    Ok(std::fs::write(folder.join("textures/cloth.png"), picture(other))?)
}

/// glTF with a buffer and a picture beside it: the hero, with a material of another name in the other version.
fn knight(folder: &Path, hero: &Path, other: bool) -> Result<(), Box<dyn Error>> {
    let character = sinew_import::load(hero.join("hero.fbx"), &[hero.join("sway.fbx")])?.character;
    let options = GlbOptions::from(Textures::Reference(hero.to_owned()));
    let glb = write_glb(&character, &SourceInfo::default(), &options)?.bytes;
    let (text, bin) = chunks(&glb).ok_or("a GLB has two chunks")?;
    let mut json: Value = serde_json::from_slice(text)?;
    json["buffers"][0]["uri"] = "knight.bin".into();
    json["images"][0]["uri"] = "steel.png".into();
    json["materials"][0]["name"] = if other { "Steel" } else { "Cloth" }.into();
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("knight.gltf"), json.to_string())?;
    std::fs::write(folder.join("knight.bin"), bin)?;
    Ok(std::fs::write(folder.join("steel.png"), picture(other))?)
}

/// The JSON and the numbers of a GLB.
fn chunks(glb: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32::from_le_bytes(glb.get(12..16)?.try_into().ok()?) as usize;
    Some((glb.get(20..20 + length)?, glb.get(20 + length + 8..)?))
}

/// COLLADA files with a manifest. The clips of the other version have each other's content.
fn worm(folder: &Path, other: bool) -> Result<(), Box<dyn Error>> {
    tree::write_tree(folder, 1, None)?;
    let worm = folder.join("worm");
    std::fs::rename(folder.join(tree::folder_name(0)), &worm)?;
    if other {
        let clips = ["animations/clip_000.dae", "animations/clip_001.dae"].map(|clip| worm.join(clip));
        let [first, second] = [std::fs::read(&clips[0])?, std::fs::read(&clips[1])?];
        std::fs::write(&clips[0], second)?;
        std::fs::write(&clips[1], first)?;
        std::fs::write(worm.join("textures/worm.png"), picture(other))?;
    }
    Ok(())
}

/// Large enough to be read and written in several pieces.
fn picture(other: bool) -> Vec<u8> {
    let red = if other { 200 } else { 40 };
    png::encode(96, 96, |x, y| [red, x as u8, y as u8])
}
