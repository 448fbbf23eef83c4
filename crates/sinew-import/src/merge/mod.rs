//! One character from several files: clips of animation files, matched to the character by joint name.
//!
//! Names are compared without prefixes ([`sinew::names`]); the order of joints in a file does not matter, and axes and units were
//! made equal by the importer. Nothing is guessed: a channel that could mean two joints refuses its file, a clip that
//! moves no joint of the character is left out with a finding, and the [`MatchTable`] says what became of every channel.

mod naming;
mod table;
#[cfg(test)]
mod tests;

pub use naming::{Names, stem};
pub use table::{ChannelKind, MatchRow, MatchTable};

use crate::{Source, SourceInfo, TagTable};
use sinew::character::CharacterError;
use sinew::clip::ClipDataError;
use sinew::{Character, Clip, ClipError, ClipInfo, ClipLibrary, Finding, JointTracks, ScalarTrack, Space};
use sinew_findings::catalogue::examine as findings;
use std::sync::Arc;
use table::Targets;

/// Why files cannot be merged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MergeError {
    /// Channels that could mean several joints or scalars of the character.
    #[error("{}: {}; rename the joints so that each name is there once", .0.file, describe_ambiguous(.0))]
    Ambiguous(MatchTable),
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
    /// The matched tracks make no clip.
    #[error("{file}: {error}")]
    Clip {
        /// The animation file.
        file: String,
        /// What is wrong with them.
        error: ClipDataError,
    },
    /// The clips make no character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

fn describe_ambiguous(table: &MatchTable) -> String {
    let ambiguous = table.rows.iter().filter(|row| matches!(row.how, sinew::names::Match::Ambiguous(_)));
    let names: Vec<_> =
        ambiguous.map(|row| format!("`{}` could mean {}", row.channel, either(&row.targets))).collect();
    let more = names.len().saturating_sub(3);
    let shown = names.into_iter().take(3).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// What an ambiguous channel could mean; where several channels claim one joint there is only that one.
fn either(targets: &[String]) -> String {
    match targets {
        [one] => format!("`{one}`, as another channel does"),
        [first, rest @ ..] if rest.iter().all(|name| name == first) => {
            format!("{} joints called `{first}`", targets.len())
        }
        _ => targets.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "),
    }
}

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
    /// How the channels were matched.
    pub table: MatchTable,
    /// Clips that were refused or are empty.
    pub findings: Vec<Finding>,
}

/// Brings the clips of an animation file to the joints of a character.
pub fn merge(base: &Character, animation: &Character, file: &str) -> Result<Merged, MergeError> {
    if base.space() != animation.space() {
        let (base, animation) = (base.space(), animation.space());
        return Err(MergeError::Space { file: file.to_owned(), base, animation });
    }
    let clips = load_all(animation, file)?;
    let (table, targets) = table::match_channels(base.skeleton(), animation.skeleton(), &clips, file);
    if table.ambiguous() > 0 {
        return Err(MergeError::Ambiguous(table));
    }
    let mut merged = Merged { clips: Vec::new(), sources: Vec::new(), table, findings: Vec::new() };
    for (index, clip) in clips.iter().enumerate() {
        match verdict(clip, animation, &targets, file) {
            Some(finding) => merged.findings.push(finding),
            None => {
                let clip = bring(clip, &targets)
                    .map_err(|error| MergeError::Clip { file: file.to_owned(), error })?;
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
fn verdict(clip: &Clip, animation: &Character, targets: &Targets, file: &str) -> Option<Finding> {
    let place = format!("{file}: {}", clip.name());
    let joints = || clip.joints().iter().filter(|tracks| !tracks.is_empty());
    let matched =
        |targets: &[Option<u16>], index: u16| targets.get(usize::from(index)).is_some_and(Option::is_some);
    let moves_joint = joints().any(|tracks| matched(&targets.joints, tracks.joint));
    let moves_scalar = clip.scalars().iter().any(|track| matched(&targets.scalars, track.scalar));
    if joints().next().is_none() && clip.scalars().is_empty() {
        let message = "it has no channels, as takes that an exporter adds unasked; it was left out";
        return Some(Finding::new(&findings::CLIP_EMPTY, place, message));
    }
    // Weights of a face need no joints, but a clip that moves joints and finds none is not this character's.
    if moves_joint || (joints().next().is_none() && moves_scalar) {
        return None;
    }
    let skeleton = animation.skeleton();
    let scalar_name =
        |track: &ScalarTrack| skeleton.scalar_names().get(usize::from(track.scalar)).map(String::as_str);
    let mut names: Vec<_> = joints().map(|tracks| skeleton.name(tracks.joint)).collect();
    names.extend(clip.scalars().iter().filter_map(scalar_name));
    let count = names.len();
    let more = if count > 3 { ", …" } else { "" };
    names.truncate(3);
    let message =
        format!("of its {count} channels ({}{more}) none moves a joint of the character", names.join(", "));
    Some(Finding::new(&findings::NO_MATCHING_JOINTS, place, message).count(count))
}

/// The same clip on other joints.
fn bring(clip: &Clip, targets: &Targets) -> Result<Clip, ClipDataError> {
    let target = |targets: &[Option<u16>], index: u16| targets.get(usize::from(index)).copied().flatten();
    let joint = |tracks: &JointTracks| {
        Some(JointTracks { joint: target(&targets.joints, tracks.joint)?, ..tracks.clone() })
    };
    let scalar = |track: &ScalarTrack| {
        Some(ScalarTrack { scalar: target(&targets.scalars, track.scalar)?, ..track.clone() })
    };
    let mut joints: Vec<_> = clip.joints().iter().filter_map(joint).collect();
    let mut scalars: Vec<_> = clip.scalars().iter().filter_map(scalar).collect();
    joints.sort_by_key(|tracks| tracks.joint);
    scalars.sort_by_key(|track| track.scalar);
    Clip::new(clip.name(), clip.duration(), joints, scalars)?.with_events(clip.events().to_vec())
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
        names: Names::default(),
        library: ClipLibrary::default(),
        source: SourceInfo { clips: vec![], ..base.info.clone() },
        origins: vec![],
        findings: vec![],
    };
    for (index, clip) in own.iter().enumerate() {
        let name = build.names.keep(clip.name());
        build.add(Clip::clone(clip), name, (0, index), &base);
    }
    let mut tables = Vec::new();
    for (file, source) in (1..).zip(animations) {
        let merged = merge(base.character, source.character, source.file)?;
        let count = merged.clips.len();
        for (clip, index) in merged.clips.into_iter().zip(merged.sources) {
            let name = build.names.give(clip.name(), source.file, count);
            build.add(clip, name, (file, index), source);
        }
        build.findings.extend(merged.findings);
        tables.push(merged.table);
    }
    let character = base.character.with_clips(build.library)?;
    let Build { source, origins, findings, .. } = build;
    Ok(MergedCharacter { character, source, origins, tables, findings })
}

struct Build<'t> {
    tags: &'t TagTable,
    names: Names,
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
        let mut info = ClipInfo { name: name.clone(), ..known };
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
