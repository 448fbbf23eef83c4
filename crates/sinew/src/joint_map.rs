//! Matches the joints and scalars of two skeletons, and carries clips from one to the other.
//!
//! Joints and scalars are matched by name ([`crate::names`]), or as a [`BoneMap`] lists them. One rule holds everywhere: a name that
//! could mean several joints is an error if a clip moves its joint or a bone map lists it. A joint that nothing moves is not
//! matched, so it cannot make another one ambiguous.

use crate::clip::ClipDataError;
use crate::names::{Match, match_names};
use crate::{BoneMap, Clip, JobError, JointTracks, Parts, ScalarTrack, Skeleton, TextList, Transform};
use std::collections::HashSet;
use std::fmt;

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// A joint.
    Joint,
    /// A scalar of the pose: a morph weight or a named curve.
    Scalar,
}

/// A joint or scalar of the source and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRow {
    /// Name in the source.
    pub channel: String,
    /// What it moves.
    pub kind: ChannelKind,
    /// How it was matched.
    pub how: Match,
    /// Names in the target: of the one that was matched, or of all that could be meant.
    pub targets: Vec<String>,
}

impl MatchRow {
    pub(crate) fn joint(channel: &str, how: Match, targets: &TextList) -> Self {
        Self::new(channel, ChannelKind::Joint, how, targets)
    }

    fn new(channel: &str, kind: ChannelKind, how: Match, targets: &TextList) -> Self {
        let name = |index: &u16| targets.get(usize::from(*index)).map(str::to_owned);
        let targets = match &how {
            Match::Exact(one) | Match::Prefix(one) => name(one).into_iter().collect(),
            Match::Ambiguous(many) => many.iter().filter_map(name).collect(),
            Match::None => Vec::new(),
        };
        Self { channel: channel.to_owned(), kind, how, targets }
    }

    fn is_ambiguous(&self) -> bool {
        matches!(self.how, Match::Ambiguous(_))
    }
}

/// Names that could mean several joints or scalars.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct AmbiguousNames {
    /// Everything that was matched, the ambiguous ones among it: joints first, then scalars.
    pub rows: Vec<MatchRow>,
}

impl AmbiguousNames {
    /// The rows, unless one of them is ambiguous.
    pub fn check(rows: Vec<MatchRow>) -> Result<Vec<MatchRow>, Self> {
        if rows.iter().any(MatchRow::is_ambiguous) { Err(Self { rows }) } else { Ok(rows) }
    }
}

impl fmt::Display for AmbiguousNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ambiguous = self.rows.iter().filter(|row| row.is_ambiguous());
        let names: Vec<_> =
            ambiguous.map(|row| format!("`{}` could mean {}", row.channel, either(&row.targets))).collect();
        let shown = names.len().min(3);
        f.write_str(&names[..shown].join(", "))?;
        if names.len() > shown { write!(f, " and {} more", names.len() - shown) } else { Ok(()) }
    }
}

/// What an ambiguous channel could mean; where several channels claim one joint there is only that one.
fn either(targets: &[String]) -> String {
    match targets {
        [one] => format!("`{one}`, as another channel does"),
        [first, rest @ ..] if rest.iter().all(|name| name == first) => {
            format!("{} joints called `{first}`", targets.len())
        }
        _ => targets.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "),
    }
}

/// Why a clip cannot be carried over.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointMapError {
    /// It has joints or scalars that the source skeleton does not have.
    #[error("the clip is not one of the source skeleton: {0}")]
    Foreign(#[from] JobError),
    /// It moves a joint or scalar that was not matched, since no clip that the map was made for moves it.
    #[error("the map was made for other clips: none of them moves {} {index}", match .kind { ChannelKind::Joint => "joint", ChannelKind::Scalar => "scalar" })]
    NotCovered {
        /// What it moves.
        kind: ChannelKind,
        /// Index in the source skeleton.
        index: u16,
    },
    /// The tracks do not form a valid clip.
    #[error(transparent)]
    Data(#[from] ClipDataError),
}

/// The target joint and scalar of each joint and scalar of a source skeleton that clips move. No two have the same target, and
/// none is ambiguous: that is an error.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// # let other = character.clone();
/// use sinew::JointMap;
///
/// let walk = other.clips().by_name("walk")?;
/// let map = JointMap::for_clips(other.skeleton(), character.skeleton(), [&*walk])?;
/// let walk = map.apply(other.skeleton(), &walk)?;    // the same clip on the joints of `character`
/// # let _ = walk;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointMap {
    /// By joint of the source; `None` for one that no clip moves.
    joints: Vec<Option<Match>>,
    scalars: Vec<Option<Match>>,
}

impl JointMap {
    /// Matches the joints and scalars that some clips of `source` move, by name.
    ///
    /// ```
    /// use sinew::{Joint, JointMap, Skeleton, TextList, Transform};
    ///
    /// let skeleton = |names: [&str; 2]| {
    ///     Skeleton::new(names.map(|name| Joint::new(name, None, Transform::IDENTITY)).to_vec(), vec![])
    /// };
    /// let (source, target) = (skeleton(["Spine", "Hips"])?, skeleton(["mixamorig:Hips", "mixamorig:Spine"])?);
    /// let map = JointMap::whole(&source, &target, [])?;
    /// assert_eq!((map.joint(0), map.joint(1)), (Some(1), Some(0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_clips<'c>(
        source: &Skeleton,
        target: &Skeleton,
        clips: impl IntoIterator<Item = &'c Clip>,
    ) -> Result<Self, AmbiguousNames> {
        Self::build(source, target, &Moved::by(clips), &[], true)
    }

    /// The same as a bone map says: joints that it lists as listed, the others by name if it allows that.
    pub fn with_bone_map<'c>(
        bones: &BoneMap,
        source: &Skeleton,
        target: &Skeleton,
        clips: impl IntoIterator<Item = &'c Clip>,
    ) -> Result<Self, AmbiguousNames> {
        Self::build(source, target, &Moved::by(clips), &bones.listed(source, target)?, bones.by_name)
    }

    /// The same as [`JointMap::for_clips`], and beside what the clips move every other joint and scalar whose name is unambiguous.
    pub fn whole<'c>(
        source: &Skeleton,
        target: &Skeleton,
        clips: impl IntoIterator<Item = &'c Clip>,
    ) -> Result<Self, AmbiguousNames> {
        let map = Self::for_clips(source, target, clips)?;
        let complete = |names: &TextList, targets: &TextList, moved: Vec<Option<Match>>| {
            let moved: Vec<_> = (0u16..).zip(moved).filter_map(|(index, how)| Some((index, how?))).collect();
            let mut all = matches(names, targets, &every(names), &moved, true);
            all.iter_mut().for_each(|how| {
                how.take_if(|how| matches!(how, Match::Ambiguous(_)));
            });
            all
        };
        Ok(Self {
            joints: complete(source.names(), target.names(), map.joints),
            scalars: complete(source.scalar_names(), target.scalar_names(), map.scalars),
        })
    }

    fn build(
        source: &Skeleton,
        target: &Skeleton,
        moved: &Moved,
        listed: &[(u16, Match)],
        by_name: bool,
    ) -> Result<Self, AmbiguousNames> {
        let map = Self {
            joints: matches(source.names(), target.names(), &moved.joints, listed, by_name),
            scalars: matches(source.scalar_names(), target.scalar_names(), &moved.scalars, &[], true),
        };
        AmbiguousNames::check(map.rows(source, target))?;
        Ok(map)
    }

    /// What was matched and how: joints first, then scalars, each in the order of the source.
    pub fn rows(&self, source: &Skeleton, target: &Skeleton) -> Vec<MatchRow> {
        let rows = |kind, list: &[Option<Match>], names: &TextList, targets: &TextList| -> Vec<MatchRow> {
            let matched = list.iter().zip(names.iter()).filter_map(|(how, name)| Some((how.clone()?, name)));
            matched.map(|(how, name)| MatchRow::new(name, kind, how, targets)).collect()
        };
        let mut all = rows(ChannelKind::Joint, &self.joints, source.names(), target.names());
        let scalars = rows(ChannelKind::Scalar, &self.scalars, source.scalar_names(), target.scalar_names());
        all.extend(scalars);
        all
    }

    /// The target's joint for one of the source.
    pub fn joint(&self, source: u16) -> Option<u16> {
        self.joints.get(usize::from(source))?.as_ref()?.joint()
    }

    /// The target's scalar for one of the source.
    pub fn scalar(&self, source: u16) -> Option<u16> {
        self.scalars.get(usize::from(source))?.as_ref()?.joint()
    }

    /// A clip of the source as a clip of the target. Tracks without a counterpart are left out.
    pub fn apply(&self, source: &Skeleton, clip: &Clip) -> Result<Clip, JointMapError> {
        self.apply_with(source, clip, |tracks, _| tracks.clone())
    }

    /// The same, where `adapt` is given the target's joint and makes its tracks from those of the source.
    pub fn apply_with(
        &self,
        source: &Skeleton,
        clip: &Clip,
        mut adapt: impl FnMut(&JointTracks, u16) -> JointTracks,
    ) -> Result<Clip, JointMapError> {
        clip.fits(self.joints.len(), self.scalars.len())?;
        let keys = clip.to_keys(source);
        let mut joints = Vec::with_capacity(keys.joints().len());
        for tracks in keys.joints().iter().filter(|tracks| !tracks.is_empty()) {
            if let Some(joint) = covered(&self.joints, ChannelKind::Joint, tracks.joint)? {
                joints.push(JointTracks { joint, ..adapt(tracks, joint) });
            }
        }
        let mut scalars = Vec::with_capacity(keys.scalars().len());
        for ScalarTrack { scalar, track } in keys.scalars() {
            if let Some(scalar) = covered(&self.scalars, ChannelKind::Scalar, *scalar)? {
                scalars.push(ScalarTrack { scalar, track: track.clone() });
            }
        }
        joints.retain(|tracks| !tracks.is_empty());
        joints.sort_by_key(|tracks| tracks.joint);
        scalars.sort_by_key(|track| track.scalar);
        let mapped = Clip::new(clip.name(), clip.duration(), joints, scalars)?;
        Ok(mapped.with_moments_of(clip)?)
    }

    /// How poses of `clip`, a clip of the source, are carried over.
    pub fn pose_map(&self, clip: &Clip) -> PoseMap {
        let joint = |joint: u16| Some((joint, self.joint(joint)?, clip.moved(joint)));
        let scalar = |scalar: u16| Some((scalar, self.scalar(scalar)?));
        PoseMap {
            joints: clip.moved_joints().filter_map(joint).collect(),
            scalars: clip.moved_scalars().filter_map(scalar).collect(),
        }
    }
}

/// Carries poses of a clip from one skeleton to another: see [`JointMap::pose_map`]. What the clip does not animate stays as the target has it, which is its rest as a
/// rule.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseMap {
    /// Joint of the source, of the target, and what of it is animated.
    joints: Vec<(u16, u16, Parts)>,
    scalars: Vec<(u16, u16)>,
}

impl PoseMap {
    /// Writes the parts of local transforms that are animated.
    pub fn locals(&self, source: &[Transform], out: &mut [Transform]) {
        for &(from, to, parts) in &self.joints {
            let (Some(from), Some(to)) = (source.get(usize::from(from)), out.get_mut(usize::from(to))) else {
                continue;
            };
            if parts.translation {
                to.translation = from.translation;
            }
            if parts.rotation {
                to.rotation = from.rotation;
            }
            if parts.scale {
                to.scale = from.scale;
            }
        }
    }

    /// Writes the scalars that are animated.
    pub fn scalars(&self, source: &[f32], out: &mut [f32]) {
        for &(from, to) in &self.scalars {
            if let (Some(from), Some(to)) = (source.get(usize::from(from)), out.get_mut(usize::from(to))) {
                *to = *from;
            }
        }
    }
}

fn covered(list: &[Option<Match>], kind: ChannelKind, index: u16) -> Result<Option<u16>, JointMapError> {
    let how = list.get(usize::from(index)).and_then(Option::as_ref);
    how.map(Match::joint).ok_or(JointMapError::NotCovered { kind, index })
}

/// Joints and scalars that clips move, in rising order.
struct Moved {
    joints: Vec<u16>,
    scalars: Vec<u16>,
}

impl Moved {
    fn by<'c>(clips: impl IntoIterator<Item = &'c Clip>) -> Self {
        let mut moved = Self { joints: Vec::new(), scalars: Vec::new() };
        for clip in clips {
            moved.joints.extend(clip.moved_joints());
            moved.scalars.extend(clip.moved_scalars());
        }
        for list in [&mut moved.joints, &mut moved.scalars] {
            list.sort_unstable();
            list.dedup();
        }
        moved
    }
}

/// Indices of all names.
pub(crate) fn every(names: &TextList) -> Vec<u16> {
    (0u16..).zip(names.iter()).map(|(index, _)| index).collect()
}

/// How names are matched, by index of the name: `listed` ones as they are listed, those of `wanted` by name among the targets that are
/// left, the others not at all.
pub(crate) fn matches(
    names: &TextList,
    targets: &TextList,
    wanted: &[u16],
    listed: &[(u16, Match)],
    by_name: bool,
) -> Vec<Option<Match>> {
    let mut found = vec![None; names.len()];
    for (index, how) in listed {
        found[usize::from(*index)] = Some(how.clone());
    }
    let taken: HashSet<u16> = listed.iter().filter_map(|(_, how)| how.joint()).collect();
    let others: Vec<usize> = wanted
        .iter()
        .map(|&i| usize::from(i))
        .filter(|&i| found.get(i).is_some_and(Option::is_none))
        .collect();
    let by_names = match_names(others.iter().map(|&i| &names[i]), targets);
    for (index, how) in others.into_iter().zip(by_names) {
        found[index] = Some(if by_name { among_free(how, &taken) } else { Match::None });
    }
    found
}

/// A match among the targets that are still free.
fn among_free(how: Match, taken: &HashSet<u16>) -> Match {
    match how {
        Match::Exact(one) | Match::Prefix(one) if taken.contains(&one) => Match::None,
        Match::Ambiguous(mut many) => {
            many.retain(|target| !taken.contains(target));
            if many.is_empty() { Match::None } else { Match::Ambiguous(many) }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
