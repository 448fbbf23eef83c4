//! Sizes of clips: the second version beside the first, which takes 76 bytes a key.

use crate::{corpus, figures, model, written};
use sinew::Character;
use sinew_build::monogame::{MonoGameOptions, Rate, SkinningVersion};

/// Names and sizes of the clips in a model's tag.
fn sizes(character: &Character, version: SkinningVersion, rate: Rate) -> Vec<(String, usize)> {
    let options = MonoGameOptions::default().with(|o| (o.version, o.rate) = (version, rate));
    let tag = model(&written(character, &options)).tag.expect("skinning data");
    tag.clips.into_iter().map(|clip| (clip.name, clip.size)).collect()
}

/// With the same keys the second version is always the smaller one.
fn compare(name: &str, character: &Character) {
    let rates = [Rate::PerSecond(30), Rate::Source];
    let [even, source] = rates.map(|rate| {
        let [v1, v2] =
            [SkinningVersion::V1, SkinningVersion::V2].map(|version| sizes(character, version, rate));
        v1.into_iter().zip(v2).collect::<Vec<_>>()
    });
    for (((clip, even_v1), (_, even_v2)), ((_, v1), (_, v2))) in even.into_iter().zip(source) {
        println!("| {name} | {clip} | {even_v1} | {even_v2} | {v1} | {v2} |");
        assert!(even_v2 < even_v1 && v2 < v1, "{name}, {clip}");
    }
}

#[test]
fn the_second_version_is_smaller_on_every_clip() {
    println!(
        "| character | clip | 30 Hz, v1 | 30 Hz, v2 | keys of the source, v1 | keys of the source, v2 |"
    );
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
