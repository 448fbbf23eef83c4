//! Finding the joint that a name from another file means, and suggestions for unknown names.
//!
//! Files of one character spell its joints differently: `mixamorig:Hips`, `mixamorig1:Hips`, `mixamorig_Hips`, `hero:Hips`,
//! `Hips`. Two names mean the same joint if they are equal, or if they are equal without such prefixes and nothing else could be
//! meant.

use crate::TextList;
use std::collections::HashMap;

/// How a joint of one file was matched to a joint of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// A joint of that very name.
    Exact(u16),
    /// One joint whose name is equal without prefixes.
    Prefix(u16),
    /// No joint.
    None,
    /// Several joints could be meant, so none is.
    Ambiguous(Vec<u16>),
}

impl Match {
    /// The joint, if one was found.
    pub fn joint(&self) -> Option<u16> {
        match self {
            Self::Exact(joint) | Self::Prefix(joint) => Some(*joint),
            Self::None | Self::Ambiguous(_) => None,
        }
    }

    /// `exact`, `prefix`, `none` or `ambiguous`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exact(_) => "exact",
            Self::Prefix(_) => "prefix",
            Self::None => "none",
            Self::Ambiguous(_) => "ambiguous",
        }
    }
}

/// A name without namespace and without the prefix of Mixamo's rigs.
pub fn bare(name: &str) -> &str {
    // A path of a DCC tool (`|group|hero:Hips`) and nested namespaces end before the last separator.
    let name = name.rsplit(['|', ':']).next().unwrap_or(name);
    let Some(rest) = name.strip_prefix("mixamorig") else { return name };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let stripped = rest.strip_prefix('_').unwrap_or(rest);
    // `mixamorigHips` is what remains where a program drops colons; a joint called `mixamorig` keeps its name.
    let whole_word = stripped.len() < rest.len() || rest.starts_with(|c: char| c.is_ascii_uppercase());
    if whole_word && !stripped.is_empty() { stripped } else { name }
}

/// An unknown name. Its message says what may have been meant, or what there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} `{name}`; {hint}")]
#[non_exhaustive]
pub struct UnknownName {
    /// What was looked for, as the message begins: `there is no joint`.
    pub what: String,
    /// The name as it was given.
    pub name: String,
    /// The known name that is nearest to it, if one is near.
    pub nearest: Option<String>,
    hint: String,
}

impl UnknownName {
    /// Looks for what may have been meant among the names that there are.
    pub fn new<'a>(what: impl Into<String>, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let nearest = nearest(name, &known);
        let hint = hint(nearest, &known);
        Self { what: what.into(), name: name.to_owned(), nearest: nearest.map(str::to_owned), hint }
    }
}

/// A sentence that names what may have been meant, or what there is.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    hint(nearest(name, &known), &known)
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let lower = name.to_lowercase();
    // A name is often given without the namespace that the file puts before it.
    let distance = |other: &str| {
        let [whole, bare] = [other, bare(other)].map(str::to_lowercase);
        strsim::damerau_levenshtein(&lower, &whole).min(strsim::damerau_levenshtein(&lower, &bare))
    };
    let near = |&(distance, other): &(usize, &str)| {
        distance <= 1 + bare(other).len().max(name.len()) / 4 || other.to_lowercase().contains(&lower)
    };
    known.iter().map(|&other| (distance(other), other)).filter(near).min().map(|(_, other)| other)
}

fn hint(nearest: Option<&str>, known: &[&str]) -> String {
    match nearest {
        Some(other) => format!("did you mean `{other}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("there are {}", list(known)),
    }
}

fn list(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let mut text = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

/// Matches each of `names` to a joint of `targets`.
///
/// Where two of `names` lead to one target, the exact one has it; if neither is exact, both are ambiguous.
pub fn match_names<'a>(names: impl IntoIterator<Item = &'a str>, targets: &TextList) -> Vec<Match> {
    let exact = index(targets, |name| name);
    let bares = index(targets, bare);
    let mut matches: Vec<Match> = names
        .into_iter()
        .map(|name| match (exact.get(name).map(Vec::as_slice), bares.get(bare(name)).map(Vec::as_slice)) {
            (Some([one]), _) => Match::Exact(*one),
            (Some(many), _) => Match::Ambiguous(many.to_vec()),
            (None, Some([one])) => Match::Prefix(*one),
            (None, Some(many)) => Match::Ambiguous(many.to_vec()),
            (None, None) => Match::None,
        })
        .collect();
    refuse_rivals(&mut matches);
    matches
}

fn index(targets: &TextList, key: impl Fn(&str) -> &str) -> HashMap<&str, Vec<u16>> {
    let mut map: HashMap<&str, Vec<u16>> = HashMap::new();
    for (joint, name) in (0u16..).zip(targets.iter()) {
        map.entry(key(name)).or_default().push(joint);
    }
    map
}

fn refuse_rivals(matches: &mut [Match]) {
    let mut claims: HashMap<u16, (usize, usize)> = HashMap::new();
    for found in matches.iter() {
        match found {
            Match::Exact(joint) => claims.entry(*joint).or_default().0 += 1,
            Match::Prefix(joint) => claims.entry(*joint).or_default().1 += 1,
            Match::None | Match::Ambiguous(_) => {}
        }
    }
    for found in matches {
        let rivals = |joint: &u16| claims.get(joint).copied().unwrap_or_default();
        match found {
            Match::Exact(joint) if rivals(joint).0 > 1 => *found = Match::Ambiguous(vec![*joint]),
            Match::Prefix(joint) if rivals(joint).0 > 0 => *found = Match::None,
            Match::Prefix(joint) if rivals(joint).1 > 1 => *found = Match::Ambiguous(vec![*joint]),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(names: &[&str]) -> TextList {
        names.iter().collect()
    }

    #[test]
    fn the_nearest_is_suggested() {
        let clips = ["idle", "walk", "run"];
        assert_eq!(did_you_mean("wlak", clips), "did you mean `walk`?");
        assert_eq!(did_you_mean("IDEL", clips), "did you mean `idle`?");
        assert_eq!(did_you_mean("somersault", clips), "there are `idle`, `walk`, `run`");
        assert_eq!(did_you_mean("x", []), "there are none");
        assert_eq!(did_you_mean("Hips", ["mixamorig:Hips", "b"]), "did you mean `mixamorig:Hips`?");
        assert_eq!(did_you_mean("Hpis", ["mixamorig:Hips", "b"]), "did you mean `mixamorig:Hips`?");
    }

    #[test]
    fn prefixes_are_taken_off() {
        for (name, expected) in [
            ("mixamorig:Hips", "Hips"),
            ("mixamorig1:Hips", "Hips"),
            ("mixamorig9:LeftHandThumb1", "LeftHandThumb1"),
            ("mixamorig_Hips", "Hips"),
            ("mixamorig3_Hips", "Hips"),
            ("mixamorigHips", "Hips"),
            ("hero:mixamorig:Hips", "Hips"),
            ("|group|hero:Hips", "Hips"),
            ("Hips", "Hips"),
            ("mixamorig", "mixamorig"),
            ("mixamorig12", "mixamorig12"),
            ("mixamorigid", "mixamorigid"),
            ("", ""),
        ] {
            assert_eq!(bare(name), expected, "{name}");
        }
    }

    #[test]
    fn every_spelling_finds_its_joint() {
        let targets = targets(&["mixamorig:Hips", "mixamorig:Spine", "Sword"]);
        let names = ["mixamorig1:Spine", "mixamorig:Hips", "Tail", "hero:Sword"];
        let found = match_names(names, &targets);
        assert_eq!(found, [Match::Prefix(1), Match::Exact(0), Match::None, Match::Prefix(2)]);
    }

    #[test]
    fn doubt_is_never_a_guess() {
        let targets = targets(&["a:Hips", "b:Hips", "Arm", "Arm", "Leg"]);
        let found = match_names(["Hips", "Arm", "a:Hips", "x:Leg", "y:Leg"], &targets);
        assert_eq!(found[0], Match::Ambiguous(vec![0, 1]));
        assert_eq!(found[1], Match::Ambiguous(vec![2, 3]));
        assert_eq!(found[2], Match::Exact(0));
        assert_eq!(found[3..], [Match::Ambiguous(vec![4]), Match::Ambiguous(vec![4])]);
    }

    #[test]
    fn the_exact_name_has_the_joint() {
        let found = match_names(["Hips", "old:Hips"], &targets(&["Hips"]));
        assert_eq!(found, [Match::Exact(0), Match::None]);
    }
}
