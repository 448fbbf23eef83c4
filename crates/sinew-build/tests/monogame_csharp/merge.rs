//! Clips from other files: by the names of joints, or loaded when they are first played.

use crate::characters::{self, write};
use crate::compare::{Pair, model};
use crate::csharp::CSharp;
use crate::figures;
use crate::names_of;
use sinew::glam::Vec3;
use sinew::{Character, ClipLibrary, PlayOptions, Player, RootMotion};
use sinew_build::monogame::{ClipFiles, MonoGameOptions, SkinningVersion};
use sinew_xnb::skinning::{BoneTracks, BoneV2, Keys, Track, V2};
use sinew_xnb::{Asset, Platform, Profile, SkinningData, Tag, WriteOptions};
use std::path::Path;
use std::sync::Arc;

/// The tag of a model with v2.
fn tag(xnb: &[u8]) -> V2 {
    match model(xnb).tag {
        Tag::Skinning(SkinningData::V2(data)) => data,
        other => panic!("no v2: {other:?}"),
    }
}

/// Writes clips alone, with a joint of their own before all others: no index is that of the model.
fn write_clips(content: &Path, mut data: V2, change: impl FnOnce(&mut V2)) {
    let rest = data.bones[0].rest;
    for bone in &mut data.bones {
        bone.parent = Some(bone.parent.map_or(0, |parent| parent + 1));
    }
    data.bones.insert(0, BoneV2 { name: "of the clips".into(), parent: None, rest });
    data.inverse_binds.clear();
    data.tables.clear();
    for clip in &mut data.clips {
        let Keys::Plain(keys) = &mut clip.keys else { panic!("plain keys") };
        keys.bones.iter_mut().for_each(|tracks| tracks.bone += 1);
        let still = Track { table: 0, step: true, values: [0.0; 3].repeat(keys.tables[0].len()).into() };
        keys.bones.insert(0, BoneTracks { bone: 0, translation: Some(still), rotation: None, scale: None });
    }
    change(&mut data);
    let reader = MonoGameOptions::default().reader;
    let how =
        WriteOptions { platform: Platform::DESKTOP_GL, profile: Profile::Reach, skinning_reader: &reader };
    let bytes = sinew_xnb::write(&Asset::Skinning(SkinningData::V2(data)), &how).unwrap();
    std::fs::write(content.join("moves.xnb"), bytes).unwrap();
}

/// Both play every clip and agree.
fn compare_clips(csharp: &mut CSharp, character: &Character, xnb: &[u8]) {
    let mut pair = Pair::new(character, xnb);
    let mut player = Player::new(Arc::new(character.clone()));
    let keep = PlayOptions { root_motion: Some(RootMotion::Keep), ..PlayOptions::default() };
    for clip in names_of(character) {
        player.play_with(&clip, keep).unwrap();
        assert_eq!(csharp.tell(&["play", &clip, "mode=Loop", "root=Keep"]).text, "");
        for seconds in [0.13, 0.4] {
            player.update(seconds);
            csharp.tell(&["update", &seconds.to_string()]);
            pair.skin(csharp, player.instance(), &clip);
        }
    }
}

#[test]
fn clips_are_merged_by_name() {
    let hero = figures::hero();
    let content = tempfile::tempdir().unwrap();
    let data = tag(&write(content.path(), "hero", &hero, &MonoGameOptions::default()));
    let bare = hero.with_clips(ClipLibrary::default()).unwrap();
    let xnb = write(content.path(), "hero", &bare, &MonoGameOptions::default());
    write_clips(content.path(), data, |_| ());
    let Some(mut csharp) = CSharp::start("clips_are_merged_by_name", content.path()) else { return };
    csharp.tell(&["load", "hero"]);
    let refused = csharp.tell(&["play", "walk"]).text;
    assert!(refused.contains("'walk'"), "{refused}");
    csharp.tell(&["merge", "moves"]);
    compare_clips(&mut csharp, &hero, &xnb);
    let warnings = csharp.tell(&["warnings"]).text;
    assert_eq!(warnings.lines().count(), hero.clips().len(), "{warnings}");
    assert!(warnings.contains("'of the clips'"), "{warnings}");
}

#[test]
fn an_ambiguous_name_is_refused() {
    let ribbon = figures::ribbon(5);
    let content = tempfile::tempdir().unwrap();
    let data = tag(&write(content.path(), "ribbon", &ribbon, &MonoGameOptions::default()));
    let last = data.bones.len();
    let name = data.bones[last - 1].name.clone();
    write_clips(content.path(), data, |data| data.bones[last - 1].name.clone_from(&name));
    let Some(mut csharp) = CSharp::start("an_ambiguous_name_is_refused", content.path()) else { return };
    csharp.tell(&["load", "ribbon"]);
    let answer = csharp.ask(&["merge", "moves"]);
    assert_eq!(answer.kind, "ContentLoadException");
    assert!(answer.text.contains(&format!("'{name}'")) && answer.text.contains("several"), "{}", answer.text);
}

#[test]
fn clips_in_files_are_loaded_when_they_are_played() {
    let hero = characters::eventful(&figures::hero());
    let content = tempfile::tempdir().unwrap();
    let options = MonoGameOptions::default().with(|options| options.clips = ClipFiles::Files);
    // In a folder, to which the paths of the clips are relative.
    let folder = content.path().join("people");
    let xnb = write(&folder, "hero", &hero, &options);
    let Some(mut csharp) = CSharp::start("clips_in_files_are_loaded_when_they_are_played", content.path())
    else {
        return;
    };
    csharp.tell(&["load", "people/hero"]);
    let listed = csharp.tell(&["clips"]).text;
    let expected: Vec<String> =
        names_of(&hero).iter().map(|name| format!("{name}\ttag {name}\tFalse")).collect();
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    std::fs::remove_file(folder.join("hero/clips/wave.xnb")).unwrap();
    let refused = csharp.tell(&["play", "wave"]).text;
    assert!(refused.contains("wave"), "{refused}");
    write(&folder, "hero", &hero, &options);
    let without: Vec<String> = names_of(&hero).into_iter().filter(|name| name != "wave").collect();
    let mut library = ClipLibrary::default();
    for name in &without {
        library.add(hero.clips().by_name(name).unwrap());
    }
    compare_clips(&mut csharp, &hero.with_clips(library).unwrap(), &xnb);
}

#[test]
fn v1_clips_are_merged_by_index_or_refused() {
    let (hero, ribbon) = (figures::hero(), figures::ribbon(5));
    let content = tempfile::tempdir().unwrap();
    let v1 = MonoGameOptions::default().with(|options| {
        options.version = SkinningVersion::V1;
        options.clips = ClipFiles::Files;
    });
    write(content.path(), "ribbon", &ribbon, &v1);
    write(content.path(), "hero", &hero, &v1);
    let Some(mut csharp) = CSharp::start("v1_clips_are_merged_by_index_or_refused", content.path()) else {
        return;
    };
    csharp.tell(&["load", "ribbon"]);
    csharp.tell(&["merge", "ribbon/clips/bend"]);
    assert_eq!(csharp.tell(&["play", "bend"]).text, "");
    csharp.tell(&["seek", "0.5"]);
    let skin = csharp.tell(&["skin"]).numbers;
    let mut player = Player::new(Arc::new(ribbon.clone()));
    player.play("bend").unwrap();
    player.seek(0.5);
    let last = crate::affine(&skin[skin.len() - 16..]).transform_point3(Vec3::Y);
    let expected = player.skin_matrices(0)[4].transform_point3(Vec3::Y);
    assert!(last.distance(expected) < 1e-4 * ribbon.size(), "{last} and {expected}");
    let refused = csharp.ask(&["merge", "hero/clips/walk"]);
    assert_eq!(refused.kind, "ContentLoadException", "{}", refused.text);
    assert!(refused.text.contains("version 2"), "{}", refused.text);
}
