//! Playing a clip of one skeleton on another whose joints are called differently.
//!
//! A borrowed clip is re-indexed and not retargeted: rotations are copied, so the joints of the two skeletons must have the same
//! orientation at rest, as in two rigs of one make. Scales are left out. Of translations only the root's is taken, because
//! those of other joints are the lengths of the lender's bones.

use crate::joint_map::{AmbiguousNames, JointMap, JointMapError, MatchRow, every, matches};
use crate::names::{Match, match_names};
use crate::{Character, Clip, Finding, JointTracks, Mat3x4, Skeleton, Track};
use glam::{Mat3, Vec3};
use sinew_findings::catalogue::play::{BONE_MAP_UNKNOWN, BONE_MAP_UNMATCHED};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What becomes of the root's translation in a borrowed clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum RootTranslation {
    /// How far the root leaves its rest, times the ratio of how high the two roots stand above the lowest joint at rest (of the
    /// whole heights, where a root stands on the ground): a child's jump is lower than a giant's.
    #[default]
    Scaled,
    /// The root stays at rest.
    Off,
}

/// Which joint of a borrowing skeleton follows which joint of a lending one. Data: write it, or read it from a file.
///
/// ```
/// let map = sinew::BoneMap::new([("Pelvis", "mixamorig:Hips")]);    // others go by name
/// assert!(map.by_name);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct BoneMap {
    /// From a joint of the lender to one of the borrower; prefixes such as `mixamorig:` do not matter where one joint fits without them. An empty target keeps the
    /// joint out.
    pub joints: BTreeMap<String, String>,
    /// Whether joints that are not listed go to those of the same name.
    pub by_name: bool,
    /// What becomes of the root's translation.
    pub root_translation: RootTranslation,
}

/// Joints of the same name, prefixes aside.
impl Default for BoneMap {
    fn default() -> Self {
        Self { joints: BTreeMap::new(), by_name: true, root_translation: RootTranslation::Scaled }
    }
}

impl BoneMap {
    /// A map of these joints, the lender's first; others go by name.
    pub fn new<'a>(joints: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let joints = joints.into_iter().map(|(from, to)| (from.to_owned(), to.to_owned()));
        Self { joints: joints.collect(), ..Self::default() }
    }

    /// Reads a map.
    ///
    /// ```
    /// let map = sinew::BoneMap::from_toml(
    ///     r#"
    ///     by_name = false
    ///     root_translation = "off"
    ///     [joints]
    ///     Pelvis = "mixamorig:Hips"
    ///     "#,
    /// )?;
    /// assert_eq!(map.joints["Pelvis"], "mixamorig:Hips");
    /// # Ok::<(), toml::de::Error>(())
    /// ```
    #[cfg(feature = "toml")]
    pub fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// The source's joints that entries name, and their counterparts; none for a joint that is kept out.
    pub(crate) fn listed(
        &self,
        source: &Skeleton,
        target: &Skeleton,
    ) -> Result<Vec<(u16, Match)>, AmbiguousNames> {
        let keys = match_names(self.joints.keys().map(String::as_str), source.names());
        let rows = self.joints.keys().zip(&keys);
        AmbiguousNames::check(
            rows.map(|(key, how)| MatchRow::joint(key, how.clone(), source.names())).collect(),
        )?;
        let entries =
            keys.iter().zip(self.joints.values()).filter_map(|(how, to)| Some((how.joint()?, to.as_str())));
        let (kept_out, wanted): (Vec<_>, Vec<_>) = entries.partition(|(_, to)| to.is_empty());
        let found = match_names(wanted.iter().map(|(_, to)| *to), target.names());
        let rows = wanted.iter().zip(&found);
        let row = |(&(joint, _), how): (&(u16, &str), &Match)| {
            MatchRow::joint(source.name(joint), how.clone(), target.names())
        };
        AmbiguousNames::check(rows.map(row).collect())?;
        let kept_out = kept_out.into_iter().map(|(joint, _)| (joint, Match::None));
        Ok(wanted.into_iter().map(|(joint, _)| joint).zip(found).chain(kept_out).collect())
    }
}

/// Why something cannot be borrowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BoneMapError {
    /// Not one joint has a counterpart.
    #[error(
        "no joint of `{lender}` has a counterpart in `{borrower}`: list the joints in the bone map, or lend from another character"
    )]
    NothingMatches {
        /// The character whose clips were wanted.
        lender: String,
        /// The character that wanted them.
        borrower: String,
    },
    /// A name of the bone map, or of a joint that a clip moves, could mean several joints.
    #[error("{0}; list each joint by its full name in the bone map, or rename the joints")]
    Ambiguous(#[from] AmbiguousNames),
    /// The clip cannot be carried over.
    #[error(transparent)]
    Clip(#[from] JointMapError),
}

/// A [`BoneMap`] worked out for two characters: turns clips of the one into clips of the other.
#[derive(Clone, Debug)]
pub struct Mapping {
    bones: BoneMap,
    lender: Stature,
    borrower: Stature,
}

impl Mapping {
    /// Works out a map, and reports entries without a joint.
    pub fn new(
        map: &BoneMap,
        lender: &Character,
        borrower: &Character,
    ) -> Result<(Self, Vec<Finding>), BoneMapError> {
        let (from, to) = (lender.skeleton(), borrower.skeleton());
        let listed = map.listed(from, to)?;
        let mut findings = unknown_entries(map, lender, borrower);
        let joints = matches(from.names(), to.names(), &every(from.names()), &listed, map.by_name);
        let has_none = |how: &Option<Match>| how.as_ref().is_none_or(|how| how.joint().is_none());
        let unmatched = joints.iter().filter(|how| has_none(how)).count();
        if unmatched == joints.len() {
            return Err(BoneMapError::NothingMatches {
                lender: lender.name().to_owned(),
                borrower: borrower.name().to_owned(),
            });
        }
        if unmatched > 0 {
            let first = from.names().iter().zip(&joints).find(|(_, how)| has_none(how));
            let first = first.map_or("", |(name, _)| name);
            let message =
                format!("{unmatched} of {} joints have no counterpart, `{first}` first", joints.len());
            findings.push(Finding::new(&BONE_MAP_UNMATCHED, lender.name(), message).count(unmatched));
        }
        let mapping =
            Self { bones: map.clone(), lender: Stature::of(lender), borrower: Stature::of(borrower) };
        Ok((mapping, findings))
    }

    /// A clip of the lender as a clip of the borrower. Fails if it is not a clip of the lender, or if a joint that it moves could be
    /// several of the borrower's.
    pub fn apply(&self, clip: &Clip) -> Result<Clip, BoneMapError> {
        let map =
            JointMap::with_bone_map(&self.bones, &self.lender.skeleton, &self.borrower.skeleton, [clip])?;
        let root = self.root(clip, &map);
        let borrow = |tracks: &JointTracks, to: u16| {
            let translation = tracks.translation.as_ref().filter(|_| root == Some(tracks.joint));
            JointTracks {
                translation: translation.and_then(|track| self.translate(track, tracks.joint, to)),
                scale: None,
                ..tracks.clone()
            }
        };
        let made = map.apply_with(&self.lender.skeleton, clip, borrow)?;
        // A child steps less far than a giant, in place too.
        let counterparts = root.into_iter().chain(0..self.lender.skeleton.len() as u16);
        let pair = counterparts.filter_map(|from| Some((from, map.joint(from)?))).next();
        let ratio = pair.map_or(1.0, |(from, to)| self.borrower.size_against(to, &self.lender, from));
        let velocity = clip.ground_velocity() * ratio;
        Ok(made.with_ground_velocity(velocity).map_err(JointMapError::from)?)
    }

    /// The highest joint with a counterpart whose translation moves.
    fn root(&self, clip: &Clip, map: &JointMap) -> Option<u16> {
        let moves = |track: &Track<Vec3>| track.values().windows(2).any(|pair| pair[0] != pair[1]);
        let keys = clip.to_keys(&self.lender.skeleton);
        keys.joints()
            .iter()
            .filter(|t| map.joint(t.joint).is_some() && t.translation.as_ref().is_some_and(moves))
            .map(|t| t.joint)
            .min_by_key(|&joint| self.lender.depth(joint))
    }

    fn translate(&self, track: &Track<Vec3>, from: u16, to: u16) -> Option<Track<Vec3>> {
        if self.bones.root_translation == RootTranslation::Off {
            return None;
        }
        let ratio = self.borrower.size_against(to, &self.lender, from);
        // Out of the lender's parent space, into the borrower's.
        let turn = self.borrower.parent_axes(to).inverse() * self.lender.parent_axes(from) * ratio;
        let (rest_from, rest_to) = (self.lender.rest(from), self.borrower.rest(to));
        // A parent of scale zero has no inverse: then the root stays at rest.
        track.map(|value| rest_to + turn * (value - rest_from)).ok()
    }
}

/// Entries of a map that name an unknown joint.
fn unknown_entries(map: &BoneMap, lender: &Character, borrower: &Character) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut check = |name: &str, character: &Character| {
        if match_names([name], character.skeleton().names()) == [Match::None] {
            let message = format!("`{}` has no joint of the name `{name}`", character.name());
            findings.push(Finding::new(&BONE_MAP_UNKNOWN, name, message));
        }
    };
    for (from, to) in &map.joints {
        check(from, lender);
        if !to.is_empty() {
            check(to, borrower);
        }
    }
    findings
}

/// How a character stands at rest.
#[derive(Clone, Debug)]
struct Stature {
    skeleton: Arc<Skeleton>,
    up: Vec3,
}

impl Stature {
    fn of(character: &Character) -> Self {
        Self { skeleton: character.skeleton().clone(), up: character.space().up.into() }
    }

    fn depth(&self, joint: u16) -> usize {
        std::iter::successors(Some(joint), |&j| self.skeleton.parent(j)).count()
    }

    fn rest(&self, joint: u16) -> Vec3 {
        self.skeleton.rest().get(usize::from(joint)).translation
    }

    fn parent_axes(&self, joint: u16) -> Mat3 {
        self.skeleton
            .parent(joint)
            .map_or(Mat3::IDENTITY, |parent| self.skeleton.rest_model()[usize::from(parent)].matrix3())
    }

    /// Ratio of how high two roots stand; of whole heights, if one of them is on the ground; one, if there is no height at all.
    fn size_against(&self, root: u16, other: &Self, other_root: u16) -> f32 {
        let ((root, whole), (other_root, other_whole)) = (self.heights(root), other.heights(other_root));
        let standing = root > 0.01 * whole && other_root > 0.01 * other_whole;
        let ratio = if standing { root / other_root } else { whole / other_whole };
        if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 }
    }

    /// Of a joint and of the highest joint, above the lowest.
    fn heights(&self, joint: u16) -> (f32, f32) {
        let level = |model: &Mat3x4| model.translation().dot(self.up);
        let model = self.skeleton.rest_model();
        let lowest = model.iter().map(level).fold(f32::INFINITY, f32::min);
        let highest = model.iter().map(level).fold(f32::NEG_INFINITY, f32::max);
        (level(&model[usize::from(joint)]) - lowest, highest - lowest)
    }
}

#[cfg(test)]
mod tests;
