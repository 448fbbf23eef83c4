//! What a joint's name says about its part of the body, by the table of `data/aliases.txt`.

use crate::role::{Part, Side};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// A name without what rigs put around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spelled {
    /// The side that it names.
    pub side: Side,
    /// The words that are left, in small letters and joined.
    pub key: String,
}

/// How sure a name is of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claim {
    /// Other rigs use the name for another part.
    Weak,
    /// No other part is called so.
    Strong,
}

pub(crate) struct Aliases {
    noise: HashSet<&'static str>,
    links: Vec<&'static str>,
    parts: HashMap<&'static str, Vec<(Part, Claim)>>,
    fingers: HashMap<&'static str, usize>,
}

const FINGERS: [&str; 5] = ["thumb", "index", "middle", "ring", "little"];

impl Aliases {
    /// The table.
    pub(crate) fn get() -> &'static Self {
        static TABLE: OnceLock<Aliases> = OnceLock::new();
        TABLE.get_or_init(|| Self::read(include_str!("../data/aliases.txt")))
    }

    fn read(text: &'static str) -> Self {
        let mut table =
            Self { noise: HashSet::new(), links: Vec::new(), parts: HashMap::new(), fingers: HashMap::new() };
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for (head, names) in lines.filter_map(|line| line.split_once(':')) {
            let names = names.split_whitespace();
            if head == "noise" {
                table.noise.extend(names);
            } else if head == "links" {
                table.links.extend(names);
            } else if let Some(finger) = FINGERS.iter().position(|name| *name == head) {
                table.fingers.extend(names.map(|name| (name, finger)));
            } else if let Some(&part) = Part::ALL.iter().find(|part| part.name() == head) {
                for name in names {
                    let (name, claim) =
                        name.strip_suffix('?').map_or((name, Claim::Strong), |name| (name, Claim::Weak));
                    table.parts.entry(name).or_default().push((part, claim));
                }
            }
        }
        table
    }

    /// Parts that a name may mean.
    pub(crate) fn parts(&self, spelled: &Spelled) -> &[(Part, Claim)] {
        self.parts.get(spelled.key.as_str()).map_or(&[], Vec::as_slice)
    }

    /// The finger that a name means, the thumb first; numbers of links do not matter.
    pub(crate) fn finger(&self, spelled: &Spelled) -> Option<usize> {
        let stem = spelled.key.trim_end_matches(|c: char| c.is_ascii_digit());
        // Biped numbers the fingers: `Finger1` is the first joint of the index finger, `Finger12` its third.
        let numbered = spelled.key.get(..stem.len() + 1).filter(|_| stem == "finger");
        let unlinked = self.links.iter().find_map(|link| stem.strip_suffix(link));
        self.fingers.get(numbered.or(unlinked).unwrap_or(stem)).copied()
    }

    /// Takes a name apart.
    pub(crate) fn spell(&self, name: &str) -> Spelled {
        let mut side = Side::Middle;
        let mut key = String::new();
        let mut after_noise = false;
        for word in words(sinew::names::bare(name)) {
            let (named, rest) = split_side(&word);
            if named != Side::Middle && side == Side::Middle {
                side = named;
            }
            let word = if named == Side::Middle { word.as_str() } else { rest };
            // `Bip01`: a number behind such a word says nothing either.
            let number = word.starts_with(|c: char| c.is_ascii_digit());
            if self.noise.contains(word) || (number && after_noise) {
                after_noise = true;
                continue;
            }
            after_noise = false;
            key +=
                if number && word.len() > 1 && key != "finger" { word.trim_start_matches('0') } else { word };
        }
        Spelled { side, key }
    }
}

/// The side that a word begins with, and what is left of it.
fn split_side(word: &str) -> (Side, &str) {
    match word {
        "l" | "left" | "lft" => (Side::Left, ""),
        "r" | "right" | "rgt" => (Side::Right, ""),
        _ => {
            let left = word.strip_prefix("left").map(|rest| (Side::Left, rest));
            let right = || word.strip_prefix("right").map(|rest| (Side::Right, rest));
            left.or_else(right).unwrap_or((Side::Middle, word))
        }
    }
}

/// The words of a name: between separators, capitals and numbers, in small letters.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            open = false;
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let lower_follows = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = before.is_none_or(|before| {
            before.is_ascii_digit() != letter.is_ascii_digit()
                || (letter.is_uppercase() && (before.is_lowercase() || lower_follows))
        });
        if begins || !open {
            words.push(String::new());
            open = true;
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_rigs_are_taken_apart() {
        for (name, side, key) in [
            ("mixamorig:LeftUpLeg", Side::Left, "upleg"),
            ("mixamorigLeftToeBase", Side::Left, "toe"),
            ("thigh_l", Side::Left, "thigh"),
            ("DEF-upper_arm.R", Side::Right, "upperarm"),
            ("Bip01 L Thigh", Side::Left, "thigh"),
            ("Bip001 Spine1", Side::Middle, "spine1"),
            ("LHipJoint", Side::Left, "hip"),
            ("lThighBend", Side::Left, "thighbend"),
            ("J_Bip_R_UpperArm", Side::Right, "upperarm"),
            ("CC_Base_L_Forearm", Side::Left, "forearm"),
            ("lefthand", Side::Left, "hand"),
            ("index_03_l", Side::Left, "index3"),
            ("Bip01 R Finger02", Side::Right, "finger02"),
            ("Character1_Hips", Side::Middle, "hips"),
        ] {
            let spelled = Aliases::get().spell(name);
            assert_eq!((spelled.side, spelled.key.as_str()), (side, key), "{name}");
        }
    }

    #[test]
    fn fingers_go_by_name_or_number() {
        let finger = |name: &str| Aliases::get().finger(&Aliases::get().spell(name));
        assert_eq!(finger("LeftHandThumb1"), Some(0));
        assert_eq!(finger("f_index.02.L"), Some(1));
        assert_eq!(finger("Bip01 L Finger02"), Some(0));
        assert_eq!(finger("Bip01 L Finger12"), Some(1));
        assert_eq!(finger("Bip01 L Finger4"), Some(4));
        assert_eq!(finger("leftThumbMetacarpal"), Some(0));
        assert_eq!(finger("LeftIndexProximal"), Some(1));
        assert_eq!(finger("index_metacarpal_l"), None);
        assert_eq!(finger("LeftHand"), None);
    }

    /// A name without a question mark means one part.
    #[test]
    fn strong_names_are_unique() {
        for (name, parts) in &Aliases::get().parts {
            let strong = parts.iter().filter(|(_, claim)| *claim == Claim::Strong).count();
            assert!(strong <= 1, "{name}");
        }
    }
}
