//! A character as it was read: what the panels list.

use super::figure::Figure;
use super::rows::FindingRow;
use super::tree::Tree;
use sinew::{Character, TagTable};
use std::sync::Arc;

/// A line of the list of clips.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRow {
    /// Its name.
    pub name: String,
    /// What it is for, if that can be told.
    pub tag: Option<String>,
    /// Name of its file, without the folder; empty for the character's own.
    pub file: String,
}

/// A character, and what is listed of it. The last that could be read stays until the next can.
#[derive(Clone, Debug)]
pub struct Document {
    /// The character.
    pub character: Arc<Character>,
    /// Its clips.
    pub clips: Vec<ClipRow>,
    /// Its joints.
    pub tree: Tree,
    /// How large it is, and where it stands.
    pub figure: Figure,
    /// What `doctor` found; `None` until it has looked.
    pub findings: Option<Vec<FindingRow>>,
}

impl Document {
    /// What is listed of a character; `files` are the names of the files of its clips, in their order.
    pub fn new(character: Arc<Character>, files: &[String]) -> Self {
        let table = TagTable::default();
        let clips = character.clips().infos().enumerate().map(|(index, info)| ClipRow {
            name: info.name.clone(),
            tag: table.resolve(info).map(|(tag, _)| tag.to_owned()),
            file: files.get(index).cloned().unwrap_or_default(),
        });
        Self {
            clips: clips.collect(),
            tree: Tree::new(character.skeleton()),
            figure: Figure::of(&character),
            findings: None,
            character,
        }
    }

    /// Seconds that a clip lasts, if it is loaded.
    pub fn duration(&self, clip: usize) -> Option<f32> {
        let clips = self.character.clips();
        if !clips.is_ready(clip) {
            return None;
        }
        clips.get(clip).ok().map(|clip| clip.duration())
    }

    /// Numbers of the clips whose name, tag or file contains a text, in upper or lower case.
    pub fn search(&self, text: &str) -> Vec<usize> {
        let wanted = text.trim().to_lowercase();
        let fits = |row: &ClipRow| {
            let texts = [Some(&row.name), row.tag.as_ref(), Some(&row.file)];
            texts.into_iter().flatten().any(|text| text.to_lowercase().contains(&wanted))
        };
        (0..).zip(&self.clips).filter(|(_, row)| fits(row)).map(|(index, _)| index).collect()
    }

    /// The clip to begin with: the one of that name, else what it does when nothing happens, else the first.
    pub fn first_clip(&self, wanted: Option<&str>) -> Option<usize> {
        let named = wanted.and_then(|name| self.character.clips().find(name));
        let idle = || self.clips.iter().position(|row| row.tag.as_deref() == Some(sinew::tags::IDLE));
        named.or_else(idle).or(if self.clips.is_empty() { None } else { Some(0) })
    }

    /// A joint by its name, or by what follows the last colon, in upper or lower case.
    pub fn find_joint(&self, name: &str) -> Option<u16> {
        let skeleton = self.character.skeleton();
        let short =
            || (0u16..).take(skeleton.len()).find(|&joint| self.tree.name(joint).eq_ignore_ascii_case(name));
        skeleton.find(name).or_else(short)
    }

    /// Triangles of all meshes.
    pub fn triangles(&self) -> usize {
        self.character.meshes().iter().map(|mesh| mesh.indices.len() / 3).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{character, character_with};

    #[test]
    fn clips_are_found_by_name_tag_and_file() {
        let document = Document::new(character(), &[String::new(), "Gaits.fbx".into()]);
        assert_eq!(document.clips[1].tag.as_deref(), Some("Walk"));
        assert_eq!(document.search(""), [0, 1]);
        assert_eq!(document.search(" ALK"), [1]);
        assert_eq!(document.search("gaits"), [1]);
        assert!(document.search("fly").is_empty());
        assert_eq!(document.duration(1), Some(1.0));
        assert_eq!(document.duration(7), None);
    }

    #[test]
    fn it_begins_with_what_was_asked_for_or_idle_or_the_first() {
        let of = |names| Document::new(character_with(names), &[]);
        assert_eq!(of(["Run", "hero_idle"]).first_clip(None), Some(1));
        assert_eq!(of(["Run", "hero_idle"]).first_clip(Some("run")), Some(0));
        assert_eq!(of(["Run", "Rise"]).first_clip(Some("fly")), Some(0));
    }
}
