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
    /// What `doctor` found, and the remarks; `None` until it has looked.
    pub findings: Option<Vec<FindingRow>>,
    /// What the renderer could not show.
    pub remarks: Vec<FindingRow>,
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
            remarks: Vec::new(),
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

    /// The clip to begin with where none is asked for: what it does when nothing happens, else the first.
    pub fn first_clip(&self) -> Option<usize> {
        self.character.clips().find_by_tag(sinew::tags::IDLE).or((!self.clips.is_empty()).then_some(0))
    }

    /// A clip as `--clip` of all commands names it. Where there is none, says what there is.
    pub fn choose_clip(&self, wanted: &str) -> Result<usize, String> {
        self.character.find_clip(wanted).map_err(|error| error.to_string())
    }

    /// A joint by its name, or by its name without namespace. Where there is none, says what there is.
    pub fn choose_joint(&self, wanted: &str) -> Result<u16, String> {
        self.character.skeleton().joint(wanted).map_err(|error| error.to_string())
    }

    /// Lists the remarks with what was found, which may come first or after them. Those from before it was read again are there.
    pub(super) fn list_remarks(&mut self) {
        let Some(findings) = &mut self.findings else { return };
        let new: Vec<FindingRow> =
            self.remarks.iter().filter(|remark| !findings.contains(remark)).cloned().collect();
        findings.extend(new);
    }

    /// The joint that has the name of one of another document.
    pub fn same_joint(&self, other: &Self, joint: u16) -> Option<u16> {
        let skeleton = other.character.skeleton();
        (usize::from(joint) < skeleton.len())
            .then(|| self.character.skeleton().find_exact(skeleton.name(joint)))?
    }

    /// The clip that has the name of one of another document.
    pub fn same_clip(&self, other: &Self, clip: usize) -> Option<usize> {
        let name = &other.clips.get(clip)?.name;
        self.clips.iter().position(|row| row.name == *name)
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
    fn it_begins_with_idle_or_the_first() {
        let of = |names| Document::new(character_with(names), &[]);
        assert_eq!(of(["Run", "hero_idle"]).first_clip(), Some(1));
        assert_eq!(of(["Run", "Rise"]).first_clip(), Some(0));
    }

    #[test]
    fn a_clip_is_chosen_by_name_tag_or_number() {
        let document = Document::new(character_with(["Run", "hero_idle"]), &[]);
        let choose = |wanted| document.choose_clip(wanted);
        for (wanted, clip) in [("run", 0), ("Idle", 1), ("hero_idle", 1), ("#1", 1)] {
            assert_eq!(choose(wanted), Ok(clip), "{wanted}");
        }
        assert_eq!(choose("rnu").unwrap_err(), "`hero` has no clip `rnu`; did you mean `Run`?");
        assert_eq!(
            choose("#2").unwrap_err(),
            "`hero` has no clip `#2`; there are `Idle`, `Run`, `hero_idle`"
        );
        assert!(choose("#x").is_err() && choose("Walk").is_err());
    }

    #[test]
    fn a_joint_is_chosen_by_its_name_or_the_end_of_it() {
        let document = Document::new(character(), &[]);
        for wanted in ["rig:Head", "RIG:head", "head"] {
            assert_eq!(document.choose_joint(wanted), Ok(2), "{wanted}");
        }
        let error = document.choose_joint("haed").unwrap_err();
        assert_eq!(error, "there is no joint `haed`; did you mean `rig:Head`?");
    }
}
