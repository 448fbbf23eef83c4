//! Finding the joint that a name from another file means.
//!
//! Files of one character spell its joints differently: `mixamorig:Hips`, `mixamorig1:Hips`, `mixamorig_Hips`, `hero:Hips`,
//! `Hips`. Two names mean the same joint if they are equal, or if they are equal without such prefixes and nothing else could be
//! meant.

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

/// Matches each of `names` to a joint of `targets`.
///
/// Where two of `names` lead to one target, the exact one has it; if neither is exact, both are ambiguous.
pub fn match_names<'a>(names: impl IntoIterator<Item = &'a str>, targets: &[String]) -> Vec<Match> {
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

fn index(targets: &[String], key: impl Fn(&str) -> &str) -> HashMap<&str, Vec<u16>> {
    let mut map: HashMap<&str, Vec<u16>> = HashMap::new();
    for (joint, name) in (0u16..).zip(targets) {
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

    fn targets(names: &[&str]) -> Vec<String> {
        names.iter().map(|&n| n.to_owned()).collect()
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
