//! The text of a new `sinew.toml`, with comments.

use super::{CharacterChoice, ClipChoice, Decision};
use crate::project::settings::{Key, keys};
use crate::toml_text::{key, string};
use sha2::{Digest, Sha256};
use sinew_files::hex;

/// Start of the first line of a file written by `init`; the line ends with the digest of all other lines.
const MARK: &str = "# Written by `sinew init`, which may write it again as long as nobody changes it: ";

/// Column of the comments after keys.
const COLUMN: usize = 32;

/// Whether a file was written by `init` and not edited since.
pub fn is_own(text: &str) -> bool {
    let rest = text.strip_prefix(MARK).and_then(|rest| rest.split_once('\n'));
    rest.is_some_and(|(digest, body)| digest == digest_of(body))
}

fn digest_of(body: &str) -> String {
    hex(&Sha256::digest(body.as_bytes())[..8])
}

/// The whole file.
pub fn text(decision: &Decision) -> String {
    let mut body = String::from(
        "#\n# `sinew build` compiles the characters below. Paths are seen from this file. A key that is not there, or commented out, has\n\
         # the default that is shown.\n\n",
    );
    for table in ["build", "import", "monogame"] {
        body += &format!("[{table}]\n");
        keys().filter(|key| key.table == table).for_each(|key| body += &default_line(&key));
        body.push('\n');
    }
    body += "# A character is a table [characters.NAME], and NAME becomes the name of the compiled file. Its keys:\n";
    legend(&mut body, "character");
    body += "#\n# A clip is an entry [[characters.NAME.clips]]. Its keys:\n";
    legend(&mut body, "clip");
    for character in &decision.characters {
        write_character(&mut body, character);
    }
    if !decision.left_out.is_empty() {
        body += "\n# Left out:\n";
        for left_out in &decision.left_out {
            body += &format!("#   {}: {}\n", one_line(&left_out.place), one_line(&left_out.why));
        }
    }
    format!("{MARK}{}\n{body}", digest_of(&body))
}

fn default_line(key: &Key) -> String {
    commented(&format!("# {} = {}", key.name, key.default), key.about)
}

fn legend(body: &mut String, table: &str) {
    for key in keys().filter(|key| key.table == table) {
        let default =
            if key.default.is_empty() { "must be there".to_owned() } else { format!("= {}", key.default) };
        *body += &commented(&format!("#   {} {default}", key.name), key.about);
    }
}

fn write_character(body: &mut String, character: &CharacterChoice) {
    let table = format!("characters.{}", key(&character.name));
    *body += &format!("\n[{table}]\n");
    *body += &commented(&format!("file = {}", string(&character.file)), &character.why);
    for clip in &character.clips {
        *body += &format!("\n[[{table}.clips]]\n");
        write_clip(body, clip);
    }
}

fn write_clip(body: &mut String, clip: &ClipChoice) {
    let settings = &clip.settings;
    for (key, value) in [("file", &settings.file), ("take", &settings.take), ("name", &settings.name)] {
        if !value.is_empty() {
            *body += &format!("{key} = {}\n", string(value));
        }
    }
    let tag = if settings.tag.is_empty() {
        "# tag = \"\"".to_owned()
    } else {
        format!("tag = {}", string(&settings.tag))
    };
    *body += &commented(&tag, &clip.why_tag);
    *body += &commented(&format!("loop = {}", string(settings.mode.name())), &clip.why_loop);
    *body +=
        &commented(&format!("root_motion = {}", string(settings.root_motion.name())), &clip.why_root_motion);
}

fn commented(line: &str, about: &str) -> String {
    let pad = COLUMN.saturating_sub(line.chars().count()).max(1);
    format!("{line}{}# {}\n", " ".repeat(pad), one_line(about))
}

/// A comment ends with its line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Settings;
    use crate::project::init::LeftOut;
    use crate::project::settings::{CharacterSettings, ClipSettings, LoopSetting, RootMotionSetting};

    fn decision() -> Decision {
        let clip = |file: &str, take: &str, name: &str| ClipChoice {
            settings: ClipSettings {
                file: file.into(),
                take: take.into(),
                name: name.into(),
                tag: "Walk".into(),
                mode: LoopSetting::Once,
                root_motion: RootMotionSetting::Extract,
                events: vec![],
                retarget: String::new(),
                lock_feet: false,
                keep_hands: false,
            },
            why_tag: "by its name".into(),
            why_loop: "so\nit is".into(),
            why_root_motion: "travels".into(),
        };
        let mut plain = clip("", "#2", "plain");
        plain.settings.tag = String::new();
        plain.settings.mode = LoopSetting::Loop;
        plain.settings.root_motion = RootMotionSetting::Keep;
        let odd = "we\"ird\\ \u{7f}\n名";
        Decision {
            characters: vec![CharacterChoice {
                name: "my hero.v2".into(),
                file: "sub/my hero.fbx".into(),
                why: "the only one".into(),
                clips: vec![clip("a b.fbx", odd, odd), plain],
            }],
            left_out: vec![LeftOut { place: "x.fbx\n[evil]".into(), why: "broken".into() }],
            loose_clips: 0,
        }
    }

    #[test]
    fn the_file_says_what_was_decided() {
        let decision = decision();
        let settings: Settings = toml::from_str(&text(&decision)).unwrap();
        let clips = decision.characters[0].clips.iter().map(|clip| clip.settings.clone()).collect();
        let character = CharacterSettings {
            file: "sub/my hero.fbx".into(),
            clips,
            contacts: Default::default(),
            sockets: vec![],
        };
        assert_eq!(settings.characters.len(), 1);
        assert_eq!(settings.characters["my hero.v2"], character);
        assert_eq!((settings.build, settings.import), Default::default());
    }

    #[test]
    fn every_key_is_there_with_its_default() {
        let text = text(&decision());
        for key in keys() {
            let line = |line: &&str| {
                line.starts_with('#') && line.contains(&format!("{} ", key.name)) && line.contains(key.about)
            };
            let line =
                text.lines().find(line).unwrap_or_else(|| panic!("no line for {}.{}", key.table, key.name));
            assert!(line.contains(key.default), "{line}");
        }
        // Uncommenting the defaults changes nothing.
        let uncommented: String = text
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if keys().any(|key| rest.starts_with(&format!("{} = ", key.name))) => {
                    format!("{rest}\n")
                }
                _ => format!("{line}\n"),
            })
            .collect();
        assert_ne!(uncommented, text);
        let parse = |text: &str| toml::from_str::<Settings>(text).unwrap();
        assert_eq!(parse(&uncommented), parse(&text));
    }

    #[test]
    fn defaults_of_clips_are_as_the_table_says() {
        let lines =
            keys().filter(|key| key.table == "clip").map(|key| format!("{} = {}\n", key.name, key.default));
        let parsed: ClipSettings = toml::from_str(&lines.collect::<String>()).unwrap();
        assert_eq!(parsed, ClipSettings::default());
        let every = serde_json::to_value(parsed).unwrap();
        let known = |key: &String| keys().any(|known| known.table == "clip" && known.name == key);
        assert!(every.as_object().unwrap().keys().all(known), "{every}");
    }

    #[test]
    fn its_own_file_is_known() {
        let text = text(&decision());
        assert!(is_own(&text));
        assert!(!is_own(&text.replace("once", "loop")), "it was edited");
        assert!(!is_own("[build]\n") && !is_own(""));
    }
}
