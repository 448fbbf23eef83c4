//! One character from several files: clips of animation files, matched to the character by joint name.
//!
//! Names are compared without prefixes ([`sinew::names`]); the order of joints in a file does not matter, and axes and units were
//! made equal by the importer. Nothing is guessed: a channel that could mean two joints refuses its file, a clip that
//! moves no joint of the character is left out with a finding, and the [`MatchTable`] says what became of every channel.

mod naming;
mod table;
#[cfg(test)]
mod tests;

pub use naming::{UniqueNames, stem};
pub use table::MatchTable;

use crate::{Source, SourceInfo, TagTable};
use sinew::CharacterError;
use sinew::{AmbiguousNames, JointMap, JointMapError};
use sinew::{Character, Clip, ClipError, ClipInfo, ClipLibrary, Finding, Space};
use sinew_findings::catalogue::examine as findings;
use sinew_findings::plural;
use sinew_retarget::Humanoid;
use std::sync::Arc;

/// Why files cannot be merged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The list of files is empty.
    #[error("there is no file to merge")]
    NoFile,
    /// Channels that could mean several joints or scalars of the character.
    #[error("{file}: {names}; rename the joints so that each name is there once")]
    Ambiguous {
        /// The animation file.
        file: String,
        /// How its channels were matched.
        names: AmbiguousNames,
    },
    /// The files were imported into different spaces.
    #[error("{file}: its space ({}) is not the character's ({}); import both in canonical space", describe(.animation), describe(.base))]
    Space {
        /// The animation file.
        file: String,
        /// Space of the character.
        base: Space,
        /// Space of the animation.
        animation: Space,
    },
    /// A clip that is in a file of its own could not be loaded.
    #[error("{file}: {error}")]
    Load {
        /// The file that refers to it.
        file: String,
        /// What went wrong.
        error: ClipError,
    },
    /// The matched tracks do not form a valid clip.
    #[error("{file}: {error}")]
    Clip {
        /// The animation file.
        file: String,
        /// What is wrong with them.
        error: JointMapError,
    },
    /// The clips do not form a valid character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

sinew_findings::error_codes! { MergeError {
    Self::Ambiguous { .. } => "merge.ambiguous", "Channels could mean several joints or scalars of the character";
    Self::NoFile => "merge.no-file", "There is no file to merge";
    Self::Space { .. } => "merge.space", "The files were imported into different spaces";
    Self::Clip { .. } => "merge.clip", "The matched tracks make no clip";
    Self::Character(_) => "merge.character", "The clips make no character";
} passes on {
    Self::Load { error, .. } => error;
} }

fn describe(space: &Space) -> String {
    format!("{} up, {} m a unit", space.up.name(), space.unit_meters)
}

/// Clips of one animation file, on the joints of the character.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The clips that move the character, under their own names.
    pub clips: Vec<Clip>,
    /// Index in the animation file of each of them.
    pub sources: Vec<usize>,
    /// From the file's joints and scalars to the character's.
    pub map: JointMap,
    /// How the channels were matched.
    pub table: MatchTable,
    /// Clips that were refused or are empty.
    pub findings: Vec<Finding>,
}

/// Matches the joints and scalars that the clips of an animation file move to those of a character.
pub fn match_file(base: &Character, animation: &Character, file: &str) -> Result<JointMap, MergeError> {
    Ok(match_clips(base, animation, file)?.0)
}

fn match_clips(
    base: &Character,
    animation: &Character,
    file: &str,
) -> Result<(JointMap, Vec<Arc<Clip>>), MergeError> {
    let file = || file.to_owned();
    if base.space() != animation.space() {
        let (base, animation) = (base.space(), animation.space());
        return Err(MergeError::Space { file: file(), base, animation });
    }
    let clips = load_all(animation, &file())?;
    let map = JointMap::for_clips(animation.skeleton(), base.skeleton(), clips.iter().map(|clip| &**clip));
    let map = map.map_err(|names| MergeError::Ambiguous { file: file(), names })?;
    Ok((map, clips))
}

/// Re-indexes the clips of an animation file to the joints of a character.
pub fn merge(base: &Character, animation: &Character, file: &str) -> Result<Merged, MergeError> {
    let (map, clips) = match_clips(base, animation, file)?;
    let table = MatchTable { file: file.to_owned(), rows: map.rows(animation.skeleton(), base.skeleton()) };
    let mut merged = Merged { clips: vec![], sources: vec![], map, table, findings: vec![] };
    for (index, clip) in clips.iter().enumerate() {
        match verdict(clip, (base, animation), &merged.map, file) {
            Some(finding) => merged.findings.push(finding),
            None => {
                let clip = merged.map.apply(animation.skeleton(), clip);
                let clip = clip.map_err(|error| MergeError::Clip { file: file.to_owned(), error })?;
                merged.clips.push(clip);
                merged.sources.push(index);
            }
        }
    }
    Ok(merged)
}

fn load_all(character: &Character, file: &str) -> Result<Vec<Arc<Clip>>, MergeError> {
    let clips = character.clips();
    let load = |error| MergeError::Load { file: file.to_owned(), error };
    (0..clips.len()).map(|index| clips.get(index).map_err(load)).collect()
}

/// Why a clip is refused, if it is.
fn verdict(
    clip: &Clip,
    (base, animation): (&Character, &Character),
    map: &JointMap,
    file: &str,
) -> Option<Finding> {
    let place = format!("{file}: {}", clip.name());
    let joints = || clip.moved_joints();
    let moves_joint = joints().any(|joint| map.joint(joint).is_some());
    let moves_scalar = clip.moved_scalars().any(|scalar| map.scalar(scalar).is_some());
    if joints().next().is_none() && clip.moved_scalars().next().is_none() {
        let message = "it has no channels (some exporters add empty takes); it was left out";
        return Some(Finding::new(&findings::CLIP_EMPTY, place, message));
    }
    // A clip of morph weights alone needs no joints; one whose joints all have no counterpart belongs to another character.
    if moves_joint || (joints().next().is_none() && moves_scalar) {
        return None;
    }
    let skeleton = animation.skeleton();
    let scalar_name = |scalar: u16| skeleton.scalar_names().get(usize::from(scalar));
    let mut names: Vec<_> = joints().map(|joint| skeleton.name(joint)).collect();
    names.extend(clip.moved_scalars().filter_map(scalar_name));
    let count = names.len();
    let more = if count > 3 { ", …" } else { "" };
    names.truncate(3);
    let message = format!(
        "of its {} ({}{more}) none moves a joint of the character{}",
        plural(count, "channel", "channels"),
        names.join(", "),
        match shared_roles(base, animation) {
            0 => String::new(),
            roles => format!(
                ", but {roles} humanoid roles match: it is for another skeleton, use `sinew retarget`"
            ),
        }
    );
    Some(Finding::new(&findings::NO_MATCHING_JOINTS, place, message).count(count))
}

/// How many roles of a humanoid both have; none if one of them is not a humanoid.
fn shared_roles(base: &Character, animation: &Character) -> usize {
    let roles = [base, animation].map(|character| Humanoid::find(character.skeleton()));
    let [Ok(base), Ok(animation)] = roles else { return 0 };
    base.roles().filter(|(role, _)| animation.joint(*role).is_some()).count()
}

/// Where a clip of a merged character came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipOrigin {
    /// Name in the merged character.
    pub name: String,
    /// Name in its file.
    pub source_name: String,
    /// Number of its file: 0 is the character's, 1 the first animation's.
    pub file: usize,
    /// Number of the clip in its file, as the file's evaluator counts.
    pub clip: usize,
}

/// A character with the clips of all files.
#[derive(Clone, Debug)]
pub struct MergedCharacter {
    /// The character: everything of the first file, its own clips first.
    pub character: Character,
    /// Where its parts come from in their files.
    pub source: SourceInfo,
    /// Origins of the clips, in their order.
    pub origins: Vec<ClipOrigin>,
    /// From the joints and scalars of each file to the character's, by [`ClipOrigin::file`]: none for the character's own.
    pub maps: Vec<Option<JointMap>>,
    /// How the channels of each animation file were matched.
    pub tables: Vec<MatchTable>,
    /// Clips that were refused, are empty or were renamed. What the importers found is not repeated.
    pub findings: Vec<Finding>,
}

/// Adds the clips of animation files to a character. Every clip gets a name of its own: the one in its file, or its file's where
/// that is taken. A tag that was inferred follows the name.
pub fn merge_all(
    base: Source<'_>,
    animations: &[Source<'_>],
    tags: &TagTable,
) -> Result<MergedCharacter, MergeError> {
    let own = load_all(base.character, base.file)?;
    let mut build = Build {
        tags,
        names: UniqueNames::default(),
        library: ClipLibrary::default(),
        source: SourceInfo { clips: vec![], ..base.info.clone() },
        origins: vec![],
        findings: vec![],
    };
    for (index, clip) in own.iter().enumerate() {
        let name = build.names.keep(clip.name());
        build.add(Clip::clone(clip), name, (0, index), &base);
    }
    let (mut maps, mut tables) = (vec![None], Vec::new());
    for (file, source) in (1..).zip(animations) {
        let merged = merge(base.character, source.character, source.file)?;
        let count = merged.clips.len();
        for (clip, index) in merged.clips.into_iter().zip(merged.sources) {
            let name = build.names.give(clip.name(), source.file, count);
            build.add(clip, name, (file, index), source);
        }
        build.findings.extend(merged.findings);
        maps.push(Some(merged.map));
        tables.push(merged.table);
    }
    let character = base.character.with_clips(build.library)?;
    let Build { source, origins, findings, .. } = build;
    Ok(MergedCharacter { character, source, origins, maps, tables, findings })
}

struct Build<'t> {
    tags: &'t TagTable,
    names: UniqueNames,
    library: ClipLibrary,
    source: SourceInfo,
    origins: Vec<ClipOrigin>,
    findings: Vec<Finding>,
}

impl Build<'_> {
    fn add(&mut self, clip: Clip, name: String, (file, index): (usize, usize), source: &Source<'_>) {
        let source_name = clip.name().to_owned();
        if name != source_name && self.origins.iter().any(|o| o.name.eq_ignore_ascii_case(&source_name)) {
            let message =
                format!("another clip is called `{source_name}` already, so this one became `{name}`");
            let place = format!("{}: {source_name}", source.file);
            self.findings.push(Finding::new(&findings::NAME_TAKEN, place, message));
        }
        let known = source.character.clips().info(index).cloned().unwrap_or_default();
        let mut info = ClipInfo { name: name.clone().into(), ..known };
        let mut from = source.info.clip(index);
        if name != source_name && (from.tag_inferred || info.tag.is_none()) {
            info.tag = None;
            from.tag_inferred = self.tags.complete(&mut info);
        }
        self.source.clips.push(from);
        self.library.add_with(info, clip.with_name(name.clone()));
        self.origins.push(ClipOrigin { name, source_name, file, clip: index });
    }
}
