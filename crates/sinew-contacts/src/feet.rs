//! Feet by their names.

use sinew::{Skeleton, names};

/// A foot: the joints whose height and speed tell whether it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foot {
    /// What markers and events call it: `left-foot`.
    pub name: String,
    /// The joint at the ankle.
    pub ankle: u16,
    /// The joint at the ball of the foot, where there is one.
    pub toe: Option<u16>,
}

impl Foot {
    /// Its joints.
    pub(crate) fn joints(&self) -> impl Iterator<Item = u16> {
        std::iter::once(self.ankle).chain(self.toe)
    }
}

/// Joints that are called feet but only help to move or to show them.
const HELPERS: [&str; 10] = ["ik", "fk", "ctrl", "target", "pole", "roll", "twist", "end", "nub", "site"];

/// The feet of a skeleton, by the names that authoring tools give them: `LeftFoot`, `foot_l`, `foot.L`, `Bip01 L Foot`, `LFoot`, `l_ankle`, with or without
/// prefix. Left ones come first.
///
/// ```
/// use sinew::{Joint, Skeleton, Transform};
///
/// let joint = |name: &str, parent| Joint::new(name, parent, Transform::IDENTITY);
/// let joints = vec![joint("mixamorig:LeftFoot", None), joint("mixamorig:LeftToeBase", Some(0))];
/// let feet = sinew_contacts::feet(&Skeleton::new(joints, vec![])?);
/// assert_eq!((feet[0].name.as_str(), feet[0].ankle, feet[0].toe), ("left-foot", 0, Some(1)));
/// # Ok::<(), sinew::SkeletonError>(())
/// ```
pub fn feet(skeleton: &Skeleton) -> Vec<Foot> {
    let words: Vec<Vec<String>> = skeleton.names().iter().map(words).collect();
    let is =
        |joint: u16, any: &[&str]| words[usize::from(joint)].iter().any(|word| any.contains(&word.as_str()));
    let joints = || (0u16..).take(skeleton.len()).filter(|&joint| !is(joint, &HELPERS));
    let above = |joint: u16| std::iter::successors(skeleton.parent(joint), |&j| skeleton.parent(j));
    let mut feet = Vec::new();
    for (side, spellings) in [("left", ["left", "l"]), ("right", ["right", "r"])] {
        let ankles = |any: &'static [&'static str]| {
            let named = move |joint: &u16| is(*joint, any) && is(*joint, &spellings);
            // Of several in a row the highest is the ankle; the others are parts of the foot.
            joints().filter(named).filter(|&joint| !above(joint).any(|j| named(&j))).collect::<Vec<_>>()
        };
        let mut own = ankles(&["foot", "feet"]);
        if own.is_empty() {
            own = ankles(&["ankle"]);
        }
        for (number, &ankle) in (1..).zip(&own) {
            let toe = joints()
                .find(|&joint| above(joint).any(|j| j == ankle) && is(joint, &["toe", "toes", "ball"]));
            let name = if number == 1 { format!("{side}-foot") } else { format!("{side}-foot-{number}") };
            feet.push(Foot { name, ankle, toe });
        }
    }
    feet
}

/// The words of a name in lower case: `mixamorig:LeftToeBase` is left, toe, base; `LFoot` is l, foot.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let letters: Vec<char> = names::bare(name).chars().collect();
    for (index, &letter) in letters.iter().enumerate() {
        if !letter.is_alphabetic() {
            words.push(String::new());
            continue;
        }
        let before = index.checked_sub(1).map(|i| letters[i]);
        let next_is_small = letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        // A capital begins a word after a small letter, and where a small one follows: `LFoot`.
        let begins = letter.is_uppercase() && before.is_none_or(|b| b.is_lowercase() || next_is_small);
        if begins || words.is_empty() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    // `leftfoot`, where a program writes all in small letters.
    let glued = |word: &String| {
        ["left", "right"].iter().find(|side| word.len() > side.len() && word.starts_with(**side)).copied()
    };
    words
        .into_iter()
        .flat_map(|word| match glued(&word) {
            Some(side) => vec![side.to_owned(), word[side.len()..].to_owned()],
            None => vec![word],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Transform};

    fn found(names: &[&str]) -> Vec<(String, u16, Option<u16>)> {
        let joints = names
            .iter()
            .enumerate()
            .map(|(i, name)| Joint::new(*name, i.checked_sub(1).map(|p| p as u16), Transform::IDENTITY));
        let skeleton = Skeleton::new(joints.collect(), vec![]).unwrap();
        feet(&skeleton).into_iter().map(|foot| (foot.name, foot.ankle, foot.toe)).collect()
    }

    #[test]
    fn every_tool_s_names_are_known() {
        for [foot, toe] in [
            ["mixamorig:LeftFoot", "mixamorig:LeftToeBase"],
            ["mixamorigLeftFoot", "mixamorigLeftToeBase"],
            ["foot_l", "ball_l"],
            ["foot.L", "toe.L"],
            ["Bip01 L Foot", "Bip01 L Toe0"],
            ["LFoot", "LToe"],
            ["l_ankle", "l_ball"],
            ["leftfoot", "lefttoe"],
            ["b_LeftFoot01_020", "b_LeftToe_021"],
        ] {
            assert_eq!(found(&["Hips", foot, toe]), [("left-foot".to_owned(), 1, Some(2))], "{foot}");
        }
    }

    #[test]
    fn what_is_no_foot_is_none() {
        assert_eq!(found(&["Hips", "LeftFootIK", "LeftHand", "Football", "Foot"]), []);
        let pair = found(&["Hips", "RightFoot", "RightFoot1", "LeftFoot", "LeftToe_End"]);
        assert_eq!(pair, [("left-foot".to_owned(), 3, None), ("right-foot".to_owned(), 1, None)]);
    }
}
