//! Decides which files are characters, and to which characters clips belong.

mod base;

use super::scan::Found;
use super::{CharacterChoice, ClipChoice, Decision, LeftOut, guess};
use crate::project::settings::ClipSettings;
use sha2::{Digest, Sha256};
use sinew::{Character, Clip, Finding, Image};
use sinew_examine::doctor::{ClipMeasurer, ClipMotion};
use sinew_findings::catalogue::import::TAKE_EMPTY;
use sinew_import::{Cause, Merged, SourceInfo, UniqueNames, manifest, merge, stem};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A file that could be read.
#[derive(Clone)]
struct Source {
    file: String,
    character: Character,
    info: SourceInfo,
    /// Named by the user as the file of a character.
    named: bool,
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

    fn is_manifest(&self) -> bool {
        manifest::is_manifest(Path::new(&self.file))
    }

    /// Last folder of its path, if it is not in the project's own.
    fn folder_name(&self) -> Option<&str> {
        self.folder().rsplit('/').next().filter(|folder| !folder.is_empty())
    }

    /// Whether one of its own clips moves it.
    fn moves(&self) -> bool {
        let measurer = ClipMeasurer::new(&self.character);
        let clips = self.character.clips();
        (0..clips.len())
            .filter_map(|index| clips.get(index).ok())
            .any(|clip| measurer.measure(&clip).is_some_and(|motion| !motion.still))
    }

    /// What two files of the same character have in common: downloads of animations often repeat it.
    fn figure(&self) -> Figure {
        let meshes = self.character.meshes().iter();
        let mut joints: Vec<String> = self.character.skeleton().names().iter().map(str::to_owned).collect();
        joints.sort_unstable();
        (meshes.map(|mesh| (mesh.vertex_count(), mesh.indices.len())).collect(), joints)
    }

    /// The textures of its materials, by content or name: files that differ in them are recolours of one model. Empty without textures.
    fn look(&self) -> BTreeSet<String> {
        let textures = self.character.textures();
        let used = self.character.materials().iter().filter_map(|material| material.base_color_texture);
        let used = used.filter_map(|used| textures.get(used.texture));
        used.map(|texture| match &texture.image {
            Image::Embedded(bytes) => format!("{:x?}", Sha256::digest(bytes)),
            _ => texture.reference.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase(),
        })
        .collect()
    }
}

/// Vertices and indices of each mesh, and the sorted names of the joints.
type Figure = (Vec<(usize, usize)>, Vec<String>);

/// The files of one character, the base first.
struct Group {
    sources: Vec<Source>,
    name: String,
    why: String,
}

/// Decides for all files. `named` are the files that the user named as characters; `title` is the name of the project's folder.
pub(super) fn choose(found: Vec<Found>, named: &[String], title: &str) -> Decision {
    let mut left_out = Vec::new();
    let mut sources = Vec::new();
    let mut loose_clips = 0;
    for Found { file, content } in found {
        match content {
            Ok(imported) => {
                left_out.extend(empty_takes(&file, &imported.findings));
                let named = named.contains(&file);
                sources.push(Source { file, character: imported.character, info: imported.source, named });
            }
            Err(cause) => {
                loose_clips += usize::from(matches!(cause, Cause::ClipsOnly));
                left_out.push(LeftOut { place: file, why: cause.to_string() });
            }
        }
    }
    let (mut groups, others) = bases(sources, title);
    let mut shared: Vec<Vec<Source>> = groups.iter().map(|_| Vec::new()).collect();
    for source in others {
        match owners(&source, &groups) {
            Owners::None(why) => left_out.push(LeftOut { place: source.file, why }),
            Owners::Itself => {
                let why = "its own clips move it, and nothing else's joints".to_owned();
                groups.push(Group { name: stem(&source.file).to_owned(), sources: vec![source], why });
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
    Decision { characters, left_out, loose_clips }
}

/// Empty takes, which an importer dropped.
fn empty_takes(file: &str, findings: &[Finding]) -> Vec<LeftOut> {
    let empty = findings.iter().filter(|finding| finding.id() == TAKE_EMPTY.id);
    empty.map(|f| LeftOut { place: format!("{file}: {}", f.place), why: "empty".to_owned() }).collect()
}

/// Files that are characters, each with those that repeat it; and all other files.
///
/// A manifest is a character always, and so is a file that the user named.
fn bases(sources: Vec<Source>, title: &str) -> (Vec<Group>, Vec<Source>) {
    let is_figure: fn(&Source) -> bool = if sources.iter().any(Source::is_skinned) {
        Source::is_skinned
    } else if sources.iter().any(|source| !source.character.meshes().is_empty()) {
        |source| !source.character.meshes().is_empty()
    } else {
        |source| source.has_clips()
    };
    let is_base = |source: &Source| source.named || source.is_manifest() || is_figure(source);
    let only = sources.iter().filter(|source| is_base(source)).count() == 1;
    let (bases, mut others): (Vec<_>, Vec<_>) = sources.into_iter().partition(is_base);
    let mut groups = Vec::new();
    let mut figures: BTreeMap<Figure, Vec<Source>> = BTreeMap::new();
    for source in bases {
        match source.is_manifest() {
            true => groups.push(manifest_group(source, only)),
            false => figures.entry(source.figure()).or_default().push(source),
        }
    }
    for same in figures.into_values() {
        let (recolours, rest) = recolours(same);
        groups.extend(recolours.into_iter().map(|sources| group(sources, only, title)));
        others.extend(rest);
    }
    (groups, others)
}

fn manifest_group(source: Source, only: bool) -> Group {
    let name = source.folder_name().unwrap_or(source.character.name()).to_owned();
    let why = if only { "the only manifest" } else { "a folder with a manifest is one character" };
    Group { sources: vec![source], name, why: why.to_owned() }
}

/// Files of the same model, divided by their textures; and files without textures that could belong to any of them.
fn recolours(sources: Vec<Source>) -> (Vec<Vec<Source>>, Vec<Source>) {
    if sources.len() == 1 {
        return (vec![sources], Vec::new());
    }
    let mut looks: BTreeMap<BTreeSet<String>, Vec<Source>> = BTreeMap::new();
    for source in sources {
        let look = source.look();
        looks.entry(look).or_default().push(source);
    }
    match looks.remove(&BTreeSet::new()) {
        Some(plain) if looks.is_empty() => (vec![plain], Vec::new()),
        Some(plain) if looks.len() == 1 => {
            let all = looks.into_values().flatten().chain(plain);
            (vec![all.collect()], Vec::new())
        }
        plain => (looks.into_values().collect(), plain.unwrap_or_default()),
    }
}

/// Puts the base first, and names the character.
fn group(mut sources: Vec<Source>, only: bool, title: &str) -> Group {
    let (mut name, mut chosen) = (stem(&sources[0].file).to_owned(), String::new());
    if sources.len() > 1 {
        let base = base::choose(&sources, title);
        sources[..=base.index].rotate_right(1);
        (name, chosen) = (base.name, base.why);
    }
    let what = match (sources[0].is_skinned(), sources[0].character.meshes().is_empty()) {
        (true, _) => "a skin",
        (false, false) => "a mesh",
        (false, true) => "clips",
    };
    let why = match sources.len() {
        1 if sources[0].named => "named by --character".to_owned(),
        1 if only => format!("the only file with {what}"),
        1 => format!("has {what}, and no other file has the same character"),
        n => format!("{n} files have {what} of this character; {chosen}"),
    };
    Group { sources, name, why }
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
    let mut by_distance: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        by_distance.entry(distance(source.folder(), group.sources[0].folder())).or_default().push(index);
    }
    // Matching is slow, so the joints of characters farther away are matched only if none of the nearer ones fits.
    let fits = |near: Vec<usize>| {
        let shares =
            near.into_iter().filter_map(|index| Some((index, share(source, &groups[index].sources[0])?)));
        let shares: Vec<(usize, usize)> = shares.collect();
        let best = shares.iter().map(|&(_, share)| share).max()?;
        Some(shares.into_iter().filter(|&(_, share)| share == best).map(|(index, _)| index).collect())
    };
    let owners: Vec<usize> = by_distance.into_values().find_map(fits).unwrap_or_default();
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

/// Number of folders from an animation up to its character. A character elsewhere is farther than any above, and the nearer the more folders
/// the two have in common.
fn distance(animation: &str, character: &str) -> usize {
    let folders = |path: &'_ str| path.split('/').filter(|folder| !folder.is_empty()).count();
    let parts = animation.split('/').zip(character.split('/'));
    let common = parts.take_while(|(a, b)| a == b && !a.is_empty()).count();
    match common == folders(character) {
        true => folders(animation) - common,
        false => usize::MAX - common,
    }
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
                    let by_file =
                        index > 0 || (group.sources.len() > 1 && base::is_motion(stem(&source.file)));
                    let name = name(source, clip, count, by_file, &mut clip_names);
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
        name: names.keep(&file_name(&group.name)),
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
            clip.moved_joints().next().is_none() && clip.moved_scalars().next().is_none()
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

/// A clip that is alone in an animation file gets the name of the file, without the character's name before an `@`.
fn name(source: &Source, clip: &Clip, count: usize, by_file: bool, names: &mut UniqueNames) -> String {
    let file = stem(&source.file);
    match (count, by_file) {
        (1, true) => names.keep(file.rsplit_once('@').map_or(file, |(_, name)| name).trim()),
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
    let (tag, why_tag) = guess::source_tag(source.character.clips().info(number), source.info.clip(number));
    ClipChoice {
        settings: ClipSettings {
            file: if own { String::new() } else { source.file.clone() },
            take,
            name,
            tag,
            ..ClipSettings::default()
        },
        why_tag,
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
