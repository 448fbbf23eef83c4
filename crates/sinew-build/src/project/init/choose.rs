//! Decides which files are characters, and to which characters clips belong.

use super::scan::Found;
use super::{CharacterChoice, ClipChoice, Decision, LeftOut, guess};
use crate::project::settings::ClipSettings;
use sinew::{Character, Clip, Finding, JointTracks};
use sinew_examine::doctor::{ClipMeasurer, ClipMotion};
use sinew_findings::catalogue::import::TAKE_EMPTY;
use sinew_import::SourceInfo;
use sinew_import::manifest;
use sinew_import::{Merged, merge};
use sinew_import::{UniqueNames, stem};
use std::path::Path;

/// A file that could be read.
#[derive(Clone)]
struct Source {
    file: String,
    character: Character,
    info: SourceInfo,
}

impl Source {
    fn is_skinned(&self) -> bool {
        self.character.meshes().iter().any(|mesh| mesh.skin.is_some())
    }

    fn has_clips(&self) -> bool {
        !self.character.clips().is_empty()
    }

    fn folder(&self) -> &str {
        self.file.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Name of the character: that of its file, or of the folder of its manifest.
    fn name(&self) -> &str {
        let folder = self.folder().rsplit('/').next().filter(|folder| !folder.is_empty());
        match folder {
            Some(folder) if manifest::is_manifest(Path::new(&self.file)) => folder,
            _ if manifest::is_manifest(Path::new(&self.file)) => self.character.name(),
            _ => stem(&self.file),
        }
    }

    /// Whether another file holds the same character: downloads of animations often repeat it.
    fn is_same_figure(&self, other: &Self) -> bool {
        let shape = |source: &Self| -> Vec<(usize, usize)> {
            source.character.meshes().iter().map(|mesh| (mesh.vertex_count(), mesh.indices.len())).collect()
        };
        let joints = |source: &Self| {
            let skeleton = source.character.skeleton();
            let mut names: Vec<String> = skeleton.joints().map(|joint| joint.name.clone()).collect();
            names.sort_unstable();
            names
        };
        shape(self) == shape(other) && joints(self) == joints(other)
    }
}

/// The files of one character, the base first.
struct Group {
    sources: Vec<Source>,
    why: String,
}

/// Decides for all files.
pub(super) fn choose(found: Vec<Found>) -> Decision {
    let mut left_out = Vec::new();
    let mut sources = Vec::new();
    for Found { file, content } in found {
        match content {
            Ok(imported) => {
                left_out.extend(empty_takes(&file, &imported.findings));
                sources.push(Source { file, character: imported.character, info: imported.source });
            }
            Err(why) => left_out.push(LeftOut { place: file, why }),
        }
    }
    let (mut groups, others) = bases(sources);
    let mut shared: Vec<Vec<Source>> = groups.iter().map(|_| Vec::new()).collect();
    for source in others {
        match owners(&source, &groups) {
            Owners::None(why) => left_out.push(LeftOut { place: source.file, why }),
            Owners::Itself => {
                let why = "its own clips move it, and nothing else's joints".to_owned();
                groups.push(Group { sources: vec![source], why });
                shared.push(Vec::new());
            }
            Owners::Groups(owners) => {
                for owner in owners {
                    shared[owner].push(source.clone());
                }
            }
        }
    }
    let mut names = UniqueNames::default();
    let mut characters = Vec::new();
    for (mut group, animations) in groups.into_iter().zip(shared) {
        group.sources.extend(animations);
        characters.push(character(&group, &mut names, &mut left_out));
    }
    characters.sort_by(|a, b| a.file.cmp(&b.file));
    left_out.sort_by(|a, b| a.place.cmp(&b.place));
    Decision { characters, left_out }
}

/// Empty takes, which an importer dropped.
fn empty_takes(file: &str, findings: &[Finding]) -> Vec<LeftOut> {
    let empty = findings.iter().filter(|finding| finding.id() == TAKE_EMPTY.id);
    empty.map(|f| LeftOut { place: format!("{file}: {}", f.place), why: "empty".to_owned() }).collect()
}

/// Files that are characters, each with those that repeat it; and all other files.
fn bases(sources: Vec<Source>) -> (Vec<Group>, Vec<Source>) {
    let is_base: fn(&Source) -> bool = if sources.iter().any(Source::is_skinned) {
        Source::is_skinned
    } else if sources.iter().any(|source| !source.character.meshes().is_empty()) {
        |source| !source.character.meshes().is_empty()
    } else {
        |source| source.has_clips()
    };
    let only = sources.iter().filter(|source| is_base(source)).count() == 1;
    let (bases, others): (Vec<_>, Vec<_>) = sources.into_iter().partition(is_base);
    let mut groups: Vec<Vec<Source>> = Vec::new();
    for source in bases {
        match groups.iter_mut().find(|group| group[0].is_same_figure(&source)) {
            Some(group) => group.push(source),
            None => groups.push(vec![source]),
        }
    }
    (groups.into_iter().map(|sources| group(sources, only)).collect(), others)
}

/// Puts the base first: the file without clips, else the one with the shortest name.
fn group(mut sources: Vec<Source>, only: bool) -> Group {
    let rank = |source: &Source| (source.has_clips(), source.file.len(), source.file.clone());
    let base =
        sources.iter().enumerate().min_by_key(|(_, source)| rank(source)).map_or(0, |(index, _)| index);
    sources[..=base].rotate_right(1);
    let what = match (sources[0].is_skinned(), sources[0].character.meshes().is_empty()) {
        (true, _) => "a skin",
        (false, false) => "a mesh",
        (false, true) => "clips",
    };
    let why = match sources.len() {
        1 if only => format!("the only file with {what}"),
        1 => format!("has {what}, and no other file has the same character"),
        n => format!("{n} files have {what} of this character; {}", chosen(&sources)),
    };
    Group { sources, why }
}

fn chosen(sources: &[Source]) -> &'static str {
    if sources[0].has_clips() { "this one has the shortest name" } else { "this one has no clips" }
}

enum Owners {
    Groups(Vec<usize>),
    Itself,
    None(String),
}

/// The characters that a file's clips belong to: those whose joints it moves, of these the nearest, of these those that it
/// fits best.
fn owners(source: &Source, groups: &[Group]) -> Owners {
    if !source.has_clips() {
        let what = if source.character.meshes().is_empty() { "no mesh" } else { "no skin" };
        return Owners::None(format!("has no clips and {what}"));
    }
    // Share of matching joints and distance for each character.
    let fit = |(index, group): (usize, &Group)| {
        let base = &group.sources[0];
        Some((index, distance(source.folder(), base.folder()), share(source, base)?))
    };
    let fits: Vec<_> = groups.iter().enumerate().filter_map(fit).collect();
    let nearest = fits.iter().map(|&(_, distance, _)| distance).min();
    let near = || fits.iter().filter(|&&(_, distance, _)| Some(distance) == nearest);
    let best = near().map(|&(_, _, share)| share).max();
    let owners: Vec<usize> = near().filter(|&&(_, _, share)| Some(share) == best).map(|&(i, ..)| i).collect();
    match owners.is_empty() {
        false => Owners::Groups(owners),
        true if !source.character.meshes().is_empty() => Owners::Itself,
        true => {
            Owners::None("its clips move no character here: too few joints have names that match".to_owned())
        }
    }
}

/// Percentage of the joints that a file moves which the character has; `None` below 50 %.
fn share(source: &Source, base: &Source) -> Option<usize> {
    let merged = merge(&base.character, &source.character, &source.file).ok()?;
    let share = (merged.table.matched() * 100).checked_div(merged.table.total())?;
    (!merged.clips.is_empty() && share >= 50).then_some(share)
}

/// Number of folders from an animation up to its character; `usize::MAX` if the character is not in that folder or above it.
fn distance(animation: &str, character: &str) -> usize {
    let folders =
        |path: &str| path.split('/').filter(|folder| !folder.is_empty()).map(str::to_owned).collect();
    let (animation, character): (Vec<String>, Vec<String>) = (folders(animation), folders(character));
    if animation.starts_with(&character) { animation.len() - character.len() } else { usize::MAX }
}

fn character(group: &Group, names: &mut UniqueNames, left_out: &mut Vec<LeftOut>) -> CharacterChoice {
    let base = &group.sources[0];
    let measurer = ClipMeasurer::new(&base.character);
    let mut clip_names = UniqueNames::default();
    let mut clips: Vec<(ClipChoice, ClipMotion)> = Vec::new();
    for (index, source) in group.sources.iter().enumerate() {
        let (taken, refused) = takes(base, source, index == 0);
        left_out.extend(refused);
        let count = taken.len();
        for (number, clip) in &taken {
            let place = format!("{}: {}", source.file, clip.name());
            match measurer.measure(clip) {
                Some(motion) if !motion.still => {
                    let name = name(source, clip, count, index == 0, &mut clip_names);
                    clips.push((choice(source, *number, clip, name, &taken, index == 0), motion));
                }
                Some(_) => left_out.push(LeftOut { place, why: "nothing moves in it".to_owned() }),
                None => left_out.push(LeftOut { place, why: "does not fit the character".to_owned() }),
            }
        }
    }
    guess::tags(&mut clips);
    for (clip, motion) in &mut clips {
        guess::modes(clip, motion);
    }
    clips.sort_by_key(|(clip, _)| clip.settings.tag.is_empty());
    CharacterChoice {
        name: names.keep(&file_name(base.name())),
        file: base.file.clone(),
        why: group.why.clone(),
        clips: clips.into_iter().map(|(clip, _)| clip).collect(),
    }
}

/// The clips of a file on the joints of its character, with their indices; and those that are left out.
fn takes(base: &Source, source: &Source, own: bool) -> (Vec<(usize, Clip)>, Vec<LeftOut>) {
    let refuse = |place: String, why: String| vec![LeftOut { place, why }];
    if own {
        let clips = source.character.clips();
        let clips = (0..clips.len()).filter_map(|index| Some((index, Clip::clone(&*clips.get(index).ok()?))));
        let (empty, taken): (Vec<_>, Vec<_>) = clips.partition(|(_, clip)| {
            clip.joints().iter().all(JointTracks::is_empty) && clip.scalars().is_empty()
        });
        let place = |clip: &Clip| format!("{}: {}", source.file, clip.name());
        let empty = empty.iter().map(|(_, clip)| LeftOut { place: place(clip), why: "empty".to_owned() });
        return (taken, empty.collect());
    }
    match merge(&base.character, &source.character, &source.file) {
        Ok(Merged { clips, sources, findings, .. }) => {
            let refused = findings.into_iter();
            let refused = refused.map(|f| LeftOut { place: f.place.clone(), why: f.kind.title.to_owned() });
            (sources.into_iter().zip(clips).collect(), refused.collect())
        }
        Err(error) => (Vec::new(), refuse(source.file.clone(), error.to_string())),
    }
}

/// A clip that is alone in its file gets the name of the file, without the character's name before an `@`.
fn name(source: &Source, clip: &Clip, count: usize, own: bool, names: &mut UniqueNames) -> String {
    let file = stem(&source.file);
    match (count, own) {
        (1, false) => names.keep(file.rsplit_once('@').map_or(file, |(_, name)| name).trim()),
        _ => names.give(clip.name(), &source.file, count),
    }
}

fn choice(
    source: &Source,
    number: usize,
    clip: &Clip,
    name: String,
    taken: &[(usize, Clip)],
    own: bool,
) -> ClipChoice {
    // The number of clips that a build sees: all of the character's own file, of an animation file those that move the character.
    let seen = if own { source.character.clips().len() } else { taken.len() };
    let namesakes = source.character.clips().names().filter(|other| *other == clip.name()).count();
    let take = match (seen, namesakes) {
        (1, _) => String::new(),
        (_, 1) => clip.name().to_owned(),
        _ => format!("#{number}"),
    };
    let explicit = source.character.clips().info(number).and_then(|info| info.tag.clone());
    let explicit = explicit.filter(|_| !source.info.clip(number).tag_inferred);
    ClipChoice {
        settings: ClipSettings {
            file: if own { String::new() } else { source.file.clone() },
            take,
            name,
            tag: explicit.unwrap_or_default(),
            ..ClipSettings::default()
        },
        why_tag: String::new(),
        why_loop: String::new(),
        why_root_motion: String::new(),
    }
}

/// A valid file name on every system.
fn file_name(name: &str) -> String {
    let bad = |c: char| matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') || c.is_control();
    let name: String = name.chars().map(|c| if bad(c) { '-' } else { c }).collect();
    let name = name.trim_start_matches('.').trim();
    if name.is_empty() { "character".to_owned() } else { name.to_owned() }
}
