//! A loaded character and what the panels list of it.

use super::figure::Figure;
use super::marks::Feet;
use super::partner::Beside;
use super::rows::FindingRow;
use super::show::{Handle, handles};
use super::tree::Tree;
use sinew::Character;
use std::path::PathBuf;
use std::sync::Arc;

/// A row of the list of clips.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRow {
    /// Its name.
    pub name: String,
    /// Its tag, if it has one.
    pub tag: Option<String>,
    /// Name of its file, without folder; empty for clips of the character's file.
    pub file: String,
}

/// A character and its lists. The last one that was read stays until the next is read.
#[derive(Clone, Debug)]
pub struct Document {
    /// The character.
    pub character: Arc<Character>,
    /// Its clips.
    pub clips: Vec<ClipRow>,
    /// Its joints.
    pub tree: Tree,
    /// Its size and position.
    pub figure: Figure,
    /// What was found out about the feet in each clip.
    pub feet: Vec<Option<Feet>>,
    /// How many feet it has: so many lanes the timeline has room for, whichever clip plays.
    pub foot_count: usize,
    /// What can follow a target.
    pub handles: Vec<Handle>,
    /// The source of retargeted clips.
    pub beside: Option<Beside>,
    /// Findings of `doctor` and remarks of the renderer; `None` until it was examined.
    pub findings: Option<Vec<FindingRow>>,
    /// Findings of the renderer.
    pub remarks: Vec<FindingRow>,
    /// The files that were read for it, which nothing may be written over.
    pub read: Vec<PathBuf>,
}

impl Document {
    /// Lists of a character. `files` are the names of the files of its clips, in the order of the clips.
    pub fn new(character: Arc<Character>, files: &[String]) -> Self {
        let clips = character.clips().infos().enumerate().map(|(index, info)| ClipRow {
            name: (&info.name).into(),
            tag: info.tag.as_ref().map(Into::into),
            file: files.get(index).cloned().unwrap_or_default(),
        });
        Self {
            feet: vec![None; clips.len()],
            clips: clips.collect(),
            foot_count: sinew_contacts::feet(character.skeleton()).len(),
            handles: handles(&character),
            beside: None,
            tree: Tree::new(character.skeleton()),
            figure: Figure::of(&character),
            findings: None,
            remarks: Vec::new(),
            read: Vec::new(),
            character,
        }
    }

    /// Duration of a clip in seconds, if it is loaded.
    pub fn duration(&self, clip: usize) -> Option<f32> {
        let clips = self.character.clips();
        if !clips.is_ready(clip) {
            return None;
        }
        clips.get(clip).ok().map(|clip| clip.duration())
    }

    /// Indices of the clips whose name, tag or file contains a text, ignoring case.
    pub fn search(&self, text: &str) -> Vec<usize> {
        let wanted = text.trim().to_lowercase();
        let fits = |row: &ClipRow| {
            let texts = [Some(&row.name), row.tag.as_ref(), Some(&row.file)];
            texts.into_iter().flatten().any(|text| text.to_lowercase().contains(&wanted))
        };
        (0..).zip(&self.clips).filter(|(_, row)| fits(row)).map(|(index, _)| index).collect()
    }

    /// The clip to start with if none is chosen: the first that is retargeted, else the one tagged `Idle`, else the first.
    pub fn first_clip(&self) -> Option<usize> {
        let retargeted =
            self.beside.as_ref().and_then(|beside| beside.clips.iter().position(Option::is_some));
        if retargeted.is_some() {
            return retargeted;
        }
        self.character.clips().find_by_tag(sinew::IDLE).or((!self.clips.is_empty()).then_some(0))
    }

    /// A clip by name, tag or number, as `--clip` of all commands. The error lists what there is.
    pub fn choose_clip(&self, wanted: &str) -> Result<usize, String> {
        self.character.find_clip(wanted).map_err(|error| error.to_string())
    }

    /// A joint by its name, with or without namespace. The error lists what there is.
    pub fn choose_joint(&self, wanted: &str) -> Result<u16, String> {
        self.character.skeleton().joint(wanted).map_err(|error| error.to_string())
    }

    /// Adds the remarks to the findings, whichever comes first. Remarks that were kept from before a reload are not repeated.
    pub(super) fn list_remarks(&mut self) {
        let Some(findings) = &mut self.findings else { return };
        let new: Vec<FindingRow> =
            self.remarks.iter().filter(|remark| !findings.contains(remark)).cloned().collect();
        findings.extend(new);
    }

    /// The joint with the same name as one of another document.
    pub fn same_joint(&self, other: &Self, joint: u16) -> Option<u16> {
        let skeleton = other.character.skeleton();
        (usize::from(joint) < skeleton.len())
            .then(|| self.character.skeleton().find_exact(skeleton.name(joint)))?
    }

    /// The clip with the same name as one of another document.
    pub fn same_clip(&self, other: &Self, clip: usize) -> Option<usize> {
        let name = &other.clips.get(clip)?.name;
        self.clips.iter().position(|row| row.name == *name)
    }

    /// What was found out about the feet in the clip of a name.
    pub fn feet_of(&self, clip: &str) -> Option<&Feet> {
        let clip = self.clips.iter().position(|row| row.name == clip)?;
        self.feet.get(clip)?.as_ref()
    }

    /// Number of triangles of all meshes.
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
