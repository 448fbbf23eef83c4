//! Playing a clip of one skeleton on another whose joints are called differently.
//!
//! A borrowed clip is re-indexed and not retargeted: rotations are taken as they are, so the two skeletons must rest in poses whose
//! joints are turned alike, as two rigs of one make are. Scales stay behind. Of translations only the root's is taken, because
//! those of other joints say how long the lender's bones are.

use crate::clip::ClipDataError;
use crate::job::{self, JobError};
use crate::names::{Match, bare, match_names};
use crate::{Character, Clip, Finding, JointTracks, ScalarTrack, Skeleton, Track};
use glam::{Affine3, Mat3, Vec3};
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct BoneMap {
    /// From a joint of the lender to one of the borrower; prefixes such as `mixamorig:` do not matter. An empty target keeps the
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

    /// The joint of the map that an entry's left side means: by its very name, else without prefixes.
    fn listed(&self, name: &str) -> Option<(&str, &str)> {
        let exact = self.joints.get_key_value(name);
        let found = exact.or_else(|| self.joints.iter().find(|(from, _)| bare(from) == bare(name)));
        found.map(|(from, to)| (from.as_str(), to.as_str()))
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
    /// A clip of some other skeleton.
    #[error("the clip is not one of the lender's: {0}")]
    Foreign(#[from] JobError),
    /// What was borrowed makes no clip.
    #[error(transparent)]
    Data(#[from] ClipDataError),
}

/// A [`BoneMap`] worked out for two characters: turns clips of the one into clips of the other.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// By joint of the lender.
    joints: Vec<Option<u16>>,
    /// By scalar of the lender; scalars go by name.
    scalars: Vec<Option<u16>>,
    root_translation: RootTranslation,
    lender: Stature,
    borrower: Stature,
}

impl Mapping {
    /// Works out a map, and says what of it led nowhere.
    pub fn new(
        map: &BoneMap,
        lender: &Character,
        borrower: &Character,
    ) -> Result<(Self, Vec<Finding>), BoneMapError> {
        let (from, to) = (lender.skeleton(), borrower.skeleton());
        let mut findings = unknown_entries(map, lender, borrower);
        let joints = match_joints(map, from, to);
        let unmatched = joints.iter().filter(|joint| joint.is_none()).count();
        if unmatched == joints.len() {
            return Err(BoneMapError::NothingMatches {
                lender: lender.name().to_owned(),
                borrower: borrower.name().to_owned(),
            });
        }
        if unmatched > 0 {
            let first = from.names().iter().zip(&joints).find(|(_, joint)| joint.is_none());
            let first = first.map_or("", |(name, _)| name);
            let message =
                format!("{unmatched} of {} joints have no counterpart, `{first}` first", joints.len());
            findings.push(Finding::new(&BONE_MAP_UNMATCHED, lender.name(), message).count(unmatched));
        }
        let scalar = |name| to.scalar_names().iter().position(|n| n == name).map(|i| i as u16);
        let mapping = Self {
            joints,
            scalars: from.scalar_names().iter().map(scalar).collect(),
            root_translation: map.root_translation,
            lender: Stature::of(lender),
            borrower: Stature::of(borrower),
        };
        Ok((mapping, findings))
    }

    /// The borrower's joint for one of the lender's.
    pub fn joint(&self, lender: u16) -> Option<u16> {
        self.joints.get(usize::from(lender)).copied().flatten()
    }

    /// A clip of the lender as a clip of the borrower. Fails if it is no clip of the lender.
    pub fn apply(&self, clip: &Clip) -> Result<Clip, BoneMapError> {
        clip.fits(self.joints.len(), self.scalars.len())?;
        let root = self.root(clip);
        let mut joints: Vec<JointTracks> = Vec::with_capacity(clip.joints().len());
        for tracks in clip.joints() {
            let Some(joint) = self.joint(tracks.joint) else { continue };
            let translation = match &tracks.translation {
                Some(track) if root == Some(tracks.joint) => self.translate(track, tracks.joint, joint),
                _ => None,
            };
            let borrowed = JointTracks { joint, translation, rotation: tracks.rotation.clone(), scale: None };
            joints.extend((!borrowed.is_empty()).then_some(borrowed));
        }
        let scalars = clip.scalars().iter().filter_map(|s| {
            let scalar = self.scalars.get(usize::from(s.scalar)).copied().flatten()?;
            Some(ScalarTrack { scalar, track: s.track.clone() })
        });
        let mut scalars: Vec<ScalarTrack> = scalars.collect();
        joints.sort_by_key(|tracks| tracks.joint);
        scalars.sort_by_key(|s| s.scalar);
        // No two joints share a counterpart; should two scalars share a name, the first counts.
        scalars.dedup_by_key(|s| s.scalar);
        let borrowed = Clip::new(clip.name(), clip.duration(), joints, scalars)?;
        Ok(borrowed.with_events(clip.events().to_vec())?)
    }

    /// The highest joint with a counterpart whose translation moves.
    fn root(&self, clip: &Clip) -> Option<u16> {
        let moves = |track: &Track<Vec3>| track.values().windows(2).any(|pair| pair[0] != pair[1]);
        clip.joints()
            .iter()
            .filter(|t| self.joint(t.joint).is_some() && t.translation.as_ref().is_some_and(moves))
            .map(|t| t.joint)
            .min_by_key(|&joint| self.lender.depth(joint))
    }

    fn translate(&self, track: &Track<Vec3>, from: u16, to: u16) -> Option<Track<Vec3>> {
        if self.root_translation == RootTranslation::Off {
            return None;
        }
        let ratio = self.borrower.size_against(to, &self.lender, from);
        // Out of the lender's parent space, into the borrower's.
        let turn = self.borrower.parent_axes(to).inverse() * self.lender.parent_axes(from) * ratio;
        let (rest_from, rest_to) = (self.lender.rest(from), self.borrower.rest(to));
        // A parent scaled to nothing has no space to move in: then the root stays at rest.
        track.map(|value| rest_to + turn * (value - rest_from)).ok()
    }
}

/// Entries of a map that name a joint that is not there.
fn unknown_entries(map: &BoneMap, lender: &Character, borrower: &Character) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut check = |name: &str, character: &Character| {
        let found = match_names([name], character.skeleton().names());
        if !matches!(found.first(), Some(Match::Exact(_) | Match::Prefix(_))) {
            let message = format!("`{}` has no joint, or several, of the name `{name}`", character.name());
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

/// The counterpart of each joint: listed ones first, then by name among what they left.
fn match_joints(map: &BoneMap, from: &Skeleton, to: &Skeleton) -> Vec<Option<u16>> {
    let mut joints = vec![None; from.len()];
    let listed: Vec<Option<&str>> = from.names().iter().map(|n| map.listed(n).map(|(_, to)| to)).collect();
    let wanted: Vec<(usize, &str)> = listed
        .iter()
        .enumerate()
        .filter_map(|(i, to)| Some((i, (*to)?)))
        .filter(|(_, to)| !to.is_empty())
        .collect();
    for ((joint, _), found) in wanted.iter().zip(match_names(wanted.iter().map(|w| w.1), to.names())) {
        joints[*joint] = found.joint();
    }
    if !map.by_name {
        return joints;
    }
    let taken: Vec<u16> = joints.iter().copied().flatten().collect();
    let others: Vec<usize> = (0..from.len()).filter(|&i| listed[i].is_none()).collect();
    let names = others.iter().map(|&i| from.names()[i].as_str());
    for (&joint, found) in others.iter().zip(match_names(names, to.names())) {
        joints[joint] = found.joint().filter(|target| !taken.contains(target));
    }
    joints
}

/// How a character stands at rest.
#[derive(Clone, Debug)]
struct Stature {
    skeleton: Arc<Skeleton>,
    model: Vec<Affine3>,
    up: Vec3,
}

impl Stature {
    fn of(character: &Character) -> Self {
        let skeleton = character.skeleton().clone();
        let mut model = vec![Affine3::IDENTITY; skeleton.len()];
        let rest = skeleton.rest().blocks();
        let checked = job::local_to_model(skeleton.parents(), rest, &Affine3::IDENTITY, &mut model);
        debug_assert_eq!(checked, Ok(()));
        Self { skeleton, model, up: character.space().up.into() }
    }

    fn depth(&self, joint: u16) -> usize {
        std::iter::successors(Some(joint), |&j| self.skeleton.parent(j)).count()
    }

    fn rest(&self, joint: u16) -> Vec3 {
        self.skeleton.rest().get(usize::from(joint)).translation
    }

    fn parent_axes(&self, joint: u16) -> Mat3 {
        self.skeleton.parent(joint).map_or(Mat3::IDENTITY, |parent| self.model[usize::from(parent)].matrix3)
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
        let level = |model: &Affine3| model.translation.dot(self.up);
        let lowest = self.model.iter().map(level).fold(f32::INFINITY, f32::min);
        let highest = self.model.iter().map(level).fold(f32::NEG_INFINITY, f32::max);
        (level(&self.model[usize::from(joint)]) - lowest, highest - lowest)
    }
}

#[cfg(test)]
mod tests;
