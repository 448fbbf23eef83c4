//! Characters with all that a clip can have, and XNB files in a folder of content.

use sinew::glam::{Quat, Vec3};
use sinew::{Character, ClipInfo, ClipLibrary, Event, Fire, LoopMode, Marker, RootMotion, Socket, Transform};
use sinew_build::monogame::{MonoGameOptions, write_monogame};
use sinew_build::textures::Textures;
use sinew_import::SourceInfo;
use std::path::Path;

/// The same character with a tag for each clip, events at its start, its end and between, travel that is
/// extracted, a loop mode that the clip before does not have, and markers; and a socket on the last joint.
pub fn eventful(character: &Character) -> Character {
    let modes = [LoopMode::Loop, LoopMode::Once, LoopMode::PingPong, LoopMode::Times(2)];
    let mut library = ClipLibrary::default();
    for (index, info) in character.clips().infos().enumerate() {
        let clip = character.clips().get(index).expect("it loads");
        let at = |share: f32, name: &str| Event::new(clip.duration() * share, name);
        let step = Event { payload: "gravel".into(), fire: Some(Fire::UnlessFading), ..at(0.3, "step") };
        let events = vec![at(0.0, "start"), step, at(0.3, "step too"), at(0.7, "öffnen"), at(1.0, "end")];
        let markers = vec![Marker::new(clip.duration() * 0.25, "left-foot down")];
        let info = ClipInfo {
            tag: Some(format!("tag {}", info.name).into()),
            mode: Some(modes[index % modes.len()]),
            root_motion: Some(RootMotion::Extract),
            ..info.clone()
        };
        let clip = (*clip).clone().with_events(events).expect("they lie in the clip");
        library.add_with(info, clip.with_markers(markers).expect("they lie in the clip"));
    }
    let offset = Transform {
        translation: Vec3::new(0.1, 0.2, 0.3),
        rotation: Quat::from_rotation_x(0.5),
        scale: Vec3::splat(2.0),
    };
    let joint = character.skeleton().len() as u16 - 1;
    let socket = Socket { name: "tip".into(), joint, offset };
    let character = character.with_clips(library).expect("its own clips fit");
    character.with_sockets(vec![socket]).expect("its joint is there")
}

/// Writes a character's files into a folder of content; returns the bytes of the model.
pub fn write(content: &Path, name: &str, character: &Character, options: &MonoGameOptions) -> Vec<u8> {
    let written =
        write_monogame(&format!("{name}.xnb"), character, &SourceInfo::default(), &Textures::Embed, options)
            .expect("it is written");
    for file in &written.files {
        let path = content.join(&file.name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("a folder");
        std::fs::write(path, &file.bytes).expect("it is written");
    }
    written.files.last().expect("the model comes last").bytes.clone()
}
