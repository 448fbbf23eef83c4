//! Sizes of clips: the second version beside the first, which takes 76 bytes a key, at 30 keys a second.

use crate::{corpus, figures, model, written};
use sinew::Character;
use sinew_build::monogame::{MonoGameOptions, Rate, SkinningVersion};

/// Names and sizes of the clips in a model's tag.
fn sizes(character: &Character, version: SkinningVersion, rate: Rate) -> Vec<(String, usize)> {
    let options = MonoGameOptions::default().with(|o| (o.version, o.rate) = (version, rate));
    let tag = model(&written(character, &options)).tag.expect("skinning data");
    tag.clips.into_iter().map(|clip| (clip.name, clip.size)).collect()
}

fn compare(name: &str, character: &Character) {
    let v1 = sizes(character, SkinningVersion::V1, Rate::PerSecond(30));
    let even = sizes(character, SkinningVersion::V2, Rate::PerSecond(30));
    let source = sizes(character, SkinningVersion::V2, Rate::Source);
    for (((clip, v1), (_, even)), (_, source)) in v1.into_iter().zip(even).zip(source) {
        println!("| {name} | {clip} | {v1} | {even} | {source} |");
        assert!(even < v1 && source < v1, "{name}, {clip}: {v1}, {even}, {source}");
    }
}

#[test]
fn the_second_version_is_smaller_on_every_clip() {
    println!("| character | clip | v1, 30 Hz | v2, 30 Hz | v2, keys of the source |");
    compare("hero", &figures::hero());
    compare("creature", &figures::creature().0);
}

#[test]
fn the_second_version_is_smaller_on_clips_of_others() {
    for file in ["three/fbx/Samba_Dancing.fbx", "three/gltf/Soldier.glb"] {
        let Some(path) = corpus("the_second_version_is_smaller_on_clips_of_others", file) else { return };
        compare(file, &sinew_import::import(&path, &Default::default()).unwrap().character);
    }
}
