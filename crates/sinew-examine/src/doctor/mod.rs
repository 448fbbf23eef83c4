//! What is likely to be wrong with a character and its clips.
//!
//! [`examine`] measures files against the catalogue of [findings](sinew_findings::catalogue) and tells the likeliest cause first. A finding that
//! follows from another (a clip in the wrong unit stretches bones, too) is kept apart as a [`Consequence`].
//!
//! Modules: `rest` is the character at rest, which all measurements refer to; `sampled_clip` a clip sampled in even steps; `measure` its motion in a few numbers;
//! `character`, `skin`, `surface`, `motion`, `feet`, `seam` and `pictures` hold the checks, `rank` the order.

mod character;
mod feet;
mod measure;
mod motion;
mod pictures;
mod rank;
mod report;
pub(crate) mod rest;
mod sampled_clip;
mod seam;
mod skin;
mod surface;
#[cfg(test)]
mod tests;

pub use measure::{ClipMeasurer, ClipMotion};
pub use report::{ClipFacts, Consequence, FileFacts, Report, Verdict};

use crate::criteria::LEFT_AT_REST;
use motion::ExaminedClip;
use rank::Observed;
use rest::RestPose;
use sampled_clip::SampledClip;
use sinew::ChannelKind;
use sinew::{Clip, Finding, Kind, Mat3x4};
use sinew_findings::catalogue::examine::{
    AMBIGUOUS_JOINTS, CHANNELS_UNMATCHED, CLIP_UNREADABLE, POSE_NOT_FINITE, SPACE_DIFFERS,
};
use sinew_import::{MatchTable, MergeError, Merged, merge};
use sinew_import::{Source, Sources};
use std::collections::HashSet;

/// Areas of findings about meshes and textures. They are left out for animation files, of which only the clips are used.
const DRAWN: [&str; 3] = ["skin.", "mesh.", "texture."];

/// Whether a measured value reaches the threshold of its kind.
fn exceeds(kind: &Kind, measured: f64) -> bool {
    kind.threshold.is_some_and(|threshold| measured >= threshold)
}

/// Examines a character, its own clips, and the clips of animation files on it.
pub fn examine(base: Source<'_>, animations: &[Source<'_>]) -> Report {
    let mut exam =
        Exam { at_rest: RestPose::of(base.character), files: vec![], tables: vec![], observed: vec![] };
    exam.base(&base);
    for (number, source) in (1..).zip(animations) {
        exam.animation(number, source);
    }
    let (findings, consequences) = rank::rank(exam.observed);
    Report { files: exam.files, tables: exam.tables, findings, consequences }
}

/// Examines a character's file and the files of its animations.
pub fn examine_sources(sources: &Sources) -> Report {
    let mut sources = sources.iter();
    match sources.next() {
        Some(base) => examine(base, &sources.collect::<Vec<_>>()),
        None => Report::default(),
    }
}

struct Exam<'a> {
    at_rest: RestPose<'a>,
    files: Vec<FileFacts>,
    tables: Vec<MatchTable>,
    observed: Vec<Observed>,
}

impl Exam<'_> {
    fn note(&mut self, file: usize, clip: Option<usize>, findings: impl IntoIterator<Item = Finding>) {
        self.observed.extend(findings.into_iter().map(|finding| Observed { file, clip, finding }));
    }

    /// Adds the importer's findings.
    fn imported(&mut self, number: usize, source: &Source<'_>, concerns: impl Fn(&Finding) -> bool) {
        self.note(number, None, source.named_findings().filter(|finding| concerns(finding)));
    }

    fn base(&mut self, source: &Source<'_>) {
        self.imported(0, source, |_| true);
        self.note(0, None, not_finite(&self.at_rest, self.at_rest.models, source.file));
        let found = character::examine(&self.at_rest, source);
        self.note(0, None, found);
        let found = skin::examine(&self.at_rest, source);
        self.note(0, None, found);
        let found = surface::examine(&self.at_rest, source);
        self.note(0, None, found);
        self.note(0, None, pictures::examine(source));
        let library = source.character.clips();
        let mut facts = Vec::new();
        for index in 0..library.len() {
            match library.get(index) {
                Ok(clip) => {
                    self.clip(0, index, &clip, source);
                    facts.push(ClipFacts::of(&clip, source.character.skeleton()));
                }
                Err(error) => {
                    self.note(
                        0,
                        Some(index),
                        [Finding::new(&CLIP_UNREADABLE, source.file, error.to_string())],
                    );
                }
            }
        }
        self.files.push(FileFacts::of(source, facts));
    }

    fn animation(&mut self, number: usize, source: &Source<'_>) {
        self.imported(number, source, |finding| !DRAWN.iter().any(|area| finding.id().starts_with(area)));
        let mut facts = Vec::new();
        match merge(self.at_rest.character, source.character, source.file) {
            Ok(merged) => {
                self.note(number, None, unmatched(&self.at_rest, &merged));
                self.note(number, None, merged.findings);
                for (index, clip) in merged.sources.iter().zip(&merged.clips) {
                    self.clip(number, *index, clip, source);
                    facts.push(ClipFacts::of(clip, self.at_rest.skeleton()));
                }
                self.tables.push(merged.table);
            }
            Err(error) => self.refused(number, source.file, error),
        }
        self.files.push(FileFacts::of(source, facts));
    }

    fn refused(&mut self, number: usize, file: &str, error: MergeError) {
        let message = error.to_string();
        let message = message.strip_prefix(&format!("{file}: ")).unwrap_or(&message).to_owned();
        let (kind, table) = match error {
            MergeError::Ambiguous { file, names } => {
                (&AMBIGUOUS_JOINTS, MatchTable { file, rows: names.rows })
            }
            MergeError::Space { .. } => (&SPACE_DIFFERS, MatchTable::default()),
            _ => (&CLIP_UNREADABLE, MatchTable::default()),
        };
        let finding = Finding::new(kind, file, message).count(table.ambiguous().max(1));
        self.note(number, None, [finding]);
        // Every animation file has a table, possibly empty, so that tables and files have the same indices.
        self.tables.push(MatchTable { file: file.to_owned(), ..table });
    }

    fn clip(&mut self, number: usize, index: usize, clip: &Clip, source: &Source<'_>) {
        let place = format!("{}: {}", source.file, clip.name());
        let tag = source.character.clips().info(index).and_then(|info| info.tag.as_deref());
        let Some(samples) = SampledClip::of(&self.at_rest, clip) else { return };
        let broken =
            samples.frames().iter().find_map(|frame| not_finite(&self.at_rest, &frame.models, &place));
        if let Some(finding) = broken {
            // Every other measurement of the clip would be infinite or NaN.
            return self.note(number, Some(index), [finding]);
        }
        let body = self.at_rest.body_root(clip);
        let examined = ExaminedClip { at_rest: &self.at_rest, clip, samples, body, tag, place: &place };
        let mut found = motion::examine(&examined);
        found.extend(feet::examine(&examined));
        found.extend(seam::examine(&examined));
        found.extend(character::examine_scales(&self.at_rest, clip, &place));
        self.note(number, Some(index), found);
    }
}

/// A pose whose model matrices are not all finite.
fn not_finite(at_rest: &RestPose<'_>, models: &[Mat3x4], place: &str) -> Option<Finding> {
    let broken = || (0u16..).zip(models).filter(|(_, model)| !model.is_finite());
    let (first, _) = broken().next()?;
    let name = at_rest.skeleton().name(first);
    let count = broken().count();
    let message = format!("model matrices are infinite or NaN, first of joint `{name}` ({count} in all)");
    Some(Finding::new(&POSE_NOT_FINITE, place, message).count(count))
}

/// Reports joints of a file that the character does not have, but only if a share of the character's own joints is left at rest: cameras
/// and controls of an animator's scene are not missed. For a file without any match each clip is reported by itself, so nothing is reported here.
fn unmatched(at_rest: &RestPose<'_>, merged: &Merged) -> Option<Finding> {
    let table = &merged.table;
    let total = table.rows_of(ChannelKind::Joint).count();
    let missing: Vec<_> = table
        .rows_of(ChannelKind::Joint)
        .filter(|row| row.how.joint().is_none())
        .map(|row| row.channel.as_str())
        .collect();
    let moved: HashSet<u16> = merged.clips.iter().flat_map(|clip| clip.moved_joints()).collect();
    let body = || (0u16..).zip(&at_rest.weighted).filter(|&(_, &weighted)| weighted || !at_rest.is_skinned());
    let still = body().filter(|(joint, _)| !moved.contains(joint)).count();
    let enough = still as f64 >= body().count() as f64 * LEFT_AT_REST.value / 100.0;
    if missing.len() == total || !enough {
        return None;
    }
    let share = missing.len() as f64 / total as f64 * 100.0;
    let some = missing.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    let more = if missing.len() > 3 { ", …" } else { "" };
    let message = format!(
        "{} of {total} joints are not in the character ({some}{more}), and {still} of its joints remain at rest",
        missing.len()
    );
    exceeds(&CHANNELS_UNMATCHED, share).then(|| {
        Finding::new(&CHANNELS_UNMATCHED, table.file.as_str(), message).count(missing.len()).measured(share)
    })
}
