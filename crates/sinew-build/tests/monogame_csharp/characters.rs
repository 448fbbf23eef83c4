//! Characters with all that a clip can have, and XNB files in a folder of content.

use sinew::{Character, ClipInfo, ClipLibrary, Event, LoopMode, RootMotion};
use sinew_build::monogame::{MonoGameOptions, write_monogame};
use sinew_build::textures::Textures;
use std::path::Path;

/// The same character with a tag for each clip, events at its start, its end and between, travel that is
/// extracted, and a loop mode that the clip before does not have.
pub fn eventful(character: &Character) -> Character {
    let modes = [LoopMode::Loop, LoopMode::Once, LoopMode::PingPong, LoopMode::Times(2)];
    let mut library = ClipLibrary::default();
    for (index, info) in character.clips().infos().enumerate() {
        let clip = character.clips().get(index).expect("it loads");
        let at = |share: f32, name: &str| Event::new(clip.duration() * share, name);
        let events =
            vec![at(0.0, "start"), at(0.3, "step"), at(0.3, "step too"), at(0.7, "öffnen"), at(1.0, "end")];
        let info = ClipInfo {
            tag: Some(format!("tag {}", info.name).into()),
            mode: Some(modes[index % modes.len()]),
            root_motion: Some(RootMotion::Extract),
            ..info.clone()
        };
        library.add_with(info, (*clip).clone().with_events(events).expect("they lie in the clip"));
    }
    character.with_clips(library).expect("its own clips fit")
}

/// Writes a character's files into a folder of content; returns the bytes of the model.
pub fn write(content: &Path, name: &str, character: &Character, options: &MonoGameOptions) -> Vec<u8> {
    let written =
        write_monogame(&format!("{name}.xnb"), character, &Textures::Embed, options).expect("it is written");
    for file in &written.files {
        let path = content.join(&file.name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("a folder");
        std::fs::write(path, &file.bytes).expect("it is written");
    }
    written.files.last().expect("the model comes last").bytes.clone()
}
