//! Which of several files with the same model is the character, and what the character is called.

use super::Source;
use sinew_import::{TagTable, stem};

/// The file of the character among others that repeat it.
pub(super) struct Base {
    pub(super) index: usize,
    pub(super) name: String,
    /// Why this file.
    pub(super) why: String,
}

/// The file that the user named; else the one that no clip moves; else the one whose name is not that of a motion; else the one whose name
/// the others, or the folder, begin with; else the first by name.
pub(super) fn choose(sources: &[Source], title: &str) -> Base {
    let stems: Vec<&str> = sources.iter().map(|source| stem(&source.file)).collect();
    let facts: Vec<Facts> =
        (0..sources.len()).map(|index| Facts::of(sources, &stems, index, title)).collect();
    let index =
        (0..facts.len()).min_by_key(|&index| (facts[index].rank(), &sources[index].file)).unwrap_or(0);
    let differs = |key: fn(&Facts) -> usize| facts.iter().any(|other| key(other) != key(&facts[index]));
    let why = if sources[index].named {
        "this one was named by --character"
    } else if differs(|facts| facts.moves) {
        "this one has no clip that moves it"
    } else if differs(|facts| facts.motion_name) {
        "this one is not named after a motion"
    } else if differs(|facts| facts.unsuggested) {
        "the names of the others, or the folder, begin with this one's"
    } else {
        "all move and are named alike, so this is the first by name"
    };
    let name = match is_motion(stems[index]) && !sources[index].named {
        true => shared_name(&stems).or(sources[index].folder_name()).unwrap_or(title).to_owned(),
        false => stems[index].to_owned(),
    };
    Base { index, name, why: why.to_owned() }
}

/// What speaks against a file, in the order of weight.
struct Facts {
    unnamed: usize,
    moves: usize,
    motion_name: usize,
    /// How many of the other names, and that of the folder, do not begin with its name.
    unsuggested: usize,
}

impl Facts {
    fn of(sources: &[Source], stems: &[&str], index: usize, title: &str) -> Self {
        let (source, own) = (&sources[index], stems[index].to_lowercase());
        let folder = source.folder_name().unwrap_or(title);
        let names = stems.iter().copied().chain([folder]);
        Self {
            unnamed: usize::from(!source.named),
            moves: usize::from(source.moves()),
            motion_name: usize::from(is_motion(stems[index])),
            unsuggested: names.filter(|name| !name.to_lowercase().starts_with(&own)).count(),
        }
    }

    fn rank(&self) -> [usize; 4] {
        [self.unnamed, self.moves, self.motion_name, self.unsuggested]
    }
}

/// Whether a file is named after a motion.
pub(super) fn is_motion(stem: &str) -> bool {
    TagTable::default().by_name(stem).is_some()
}

/// What all names begin with, up to the end of a word: `hero` of `hero_walk` and `hero@run`.
fn shared_name<'a>(stems: &[&'a str]) -> Option<&'a str> {
    let first = *stems.first()?;
    let shared = |other: &&str| {
        first.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let length: usize = stems.iter().map(shared).min()?;
    let ends_word = |stem: &&str| !stem[length..].starts_with(char::is_alphanumeric);
    let name = match stems.iter().all(ends_word) {
        true => &first[..length],
        false => first[..length].rsplit_once(|c: char| !c.is_alphanumeric())?.0,
    };
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    (!name.is_empty() && !is_motion(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_name_ends_with_a_word() {
        assert_eq!(shared_name(&["hero_walk", "hero@run"]), Some("hero"));
        assert_eq!(shared_name(&["x bot run", "x bot rest"]), Some("x bot"));
        assert_eq!(shared_name(&["jump", "jog"]), None);
        assert_eq!(shared_name(&["walk_a", "walk_b"]), None, "a motion is no name");
        assert_eq!(shared_name(&["größe_1", "grün_2"]), None);
    }
}
