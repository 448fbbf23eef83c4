//! The hierarchy of joints and their rest pose.

use crate::names::{UnknownName, bare};
use crate::{Buffer, Hierarchy, Mat3x4, Pose, TextList, Transform, job};

/// Index that stands for "no joint", as the parent of a root.
pub const NO_JOINT: u16 = u16::MAX;

/// One joint, as an importer hands it over.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name in the source file; need not be unique.
    pub name: String,
    /// Index of the parent, or `None` for a root.
    pub parent: Option<u16>,
    /// Where the joint stands without animation, relative to its parent.
    pub rest: Transform,
}

impl Joint {
    /// A joint with a name, a parent and a rest transform.
    pub fn new(name: impl Into<String>, parent: Option<u16>, rest: Transform) -> Self {
        Self { name: name.into(), parent, rest }
    }
}

/// A named number that a pose carries beside its joints: a morph weight or a custom curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Name in the source file.
    pub name: String,
    /// Value without animation.
    pub rest: f32,
}

/// Why a skeleton was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// More joints than a `u16` can number.
    #[error("{count} joints are too many: at most {} can be numbered", NO_JOINT)]
    TooManyJoints {
        /// How many there were.
        count: usize,
    },
    /// More scalars than a `u16` can number.
    #[error("{count} scalars are too many: at most {} can be numbered", NO_JOINT)]
    TooManyScalars {
        /// How many there were.
        count: usize,
    },
    /// A parent that does not come before its child.
    #[error(
        "joint {joint} `{name}` has parent {parent}, which does not come before it: sort joints parents first"
    )]
    ParentNotFirst {
        /// The child.
        joint: usize,
        /// Its name.
        name: String,
        /// The parent that it names.
        parent: u16,
    },
    /// A rest transform or scalar that is not finite, or a rotation that is not a unit quaternion.
    #[error("`{name}` has a rest value that is not finite, or a rotation that is not a unit quaternion")]
    BadRest {
        /// Joint or scalar.
        name: String,
    },
}

/// Names, parents and rest pose of the joints, and the scalars that go with them.
///
/// Parents come before their children, so that one pass from front to back turns local transforms into model transforms.
/// There may be several roots.
///
/// ```
/// use sinew::{Joint, Skeleton, Transform, glam::Vec3};
///
/// let up = Transform::from_translation(Vec3::Y);
/// let joints = vec![Joint::new("rig:Hips", None, up), Joint::new("rig:Head", Some(0), up)];
/// let skeleton = Skeleton::new(joints, vec![])?;
/// assert_eq!(skeleton.find("Head"), Some(1));
/// assert_eq!(skeleton.rest_model()[1].translation(), Vec3::Y * 2.0);
/// # Ok::<(), sinew::SkeletonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Skeleton {
    names: TextList,
    hierarchy: Hierarchy,
    scalar_names: TextList,
    rest: Pose,
    rest_model: Vec<Mat3x4>,
    digest: u64,
}

impl Skeleton {
    /// Builds a skeleton, or says why it cannot be one.
    pub fn new(joints: Vec<Joint>, scalars: Vec<Scalar>) -> Result<Self, SkeletonError> {
        if let Some(joint) = joints.iter().position(|joint| joint.parent == Some(NO_JOINT)) {
            let name = joints[joint].name.clone();
            return Err(SkeletonError::ParentNotFirst { joint, name, parent: NO_JOINT });
        }
        let mut rest = Pose::identity(joints.len(), scalars.len());
        for (index, joint) in joints.iter().enumerate() {
            rest.set(index, joint.rest);
        }
        for (value, scalar) in rest.scalars_mut().iter_mut().zip(&scalars) {
            *value = scalar.rest;
        }
        Self::from_parts(SkeletonParts {
            names: joints.iter().map(|joint| &joint.name).collect(),
            parents: joints.iter().map(|j| j.parent.unwrap_or(NO_JOINT)).collect(),
            scalar_names: scalars.iter().map(|scalar| &scalar.name).collect(),
            rest,
        })
    }

    /// The same from its parts, as many of each as there are joints or scalars.
    pub(crate) fn from_parts(parts: SkeletonParts) -> Result<Self, SkeletonError> {
        parts.validate()?;
        let SkeletonParts { names, parents, scalar_names, rest } = parts;
        // Parents were validated, and the slices have the skeleton's length.
        let hierarchy = Hierarchy::from_buffer(parents).unwrap_or_default();
        let mut rest_model = vec![Mat3x4::IDENTITY; hierarchy.len()];
        let checked = job::local_to_model(&hierarchy, rest.blocks(), &Mat3x4::IDENTITY, &mut rest_model);
        debug_assert_eq!(checked, Ok(()));
        let digest = digest(&names, hierarchy.parents(), &scalar_names);
        Ok(Self { digest, hierarchy, names, scalar_names, rest, rest_model })
    }

    /// Number of joints.
    #[inline]
    pub fn len(&self) -> usize {
        self.parents().len()
    }

    /// Whether there are no joints.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.parents().is_empty()
    }

    /// Names, in joint order.
    pub fn names(&self) -> &TextList {
        &self.names
    }

    /// Name of one joint; empty if the index is out of range.
    pub fn name(&self, joint: u16) -> &str {
        self.names.get(usize::from(joint)).unwrap_or_default()
    }

    /// What [`crate::job::local_to_model`] takes.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// Parents in joint order, [`NO_JOINT`] for a root.
    #[inline]
    pub fn parents(&self) -> &[u16] {
        self.hierarchy.parents()
    }

    /// Parent of one joint.
    #[inline]
    pub fn parent(&self, joint: u16) -> Option<u16> {
        self.parents().get(usize::from(joint)).copied().filter(|&p| p != NO_JOINT)
    }

    /// Names of the scalars of a pose.
    pub fn scalar_names(&self) -> &TextList {
        &self.scalar_names
    }

    /// The pose without animation.
    pub fn rest(&self) -> &Pose {
        &self.rest
    }

    /// Model matrices of the pose without animation, in joint order.
    pub fn rest_model(&self) -> &[Mat3x4] {
        &self.rest_model
    }

    /// A joint by its name, else by its name in other upper and lower case, else by its name without prefixes. Of several that fit
    /// equally well, the first.
    ///
    /// ```
    /// # use sinew::{Joint, Skeleton, Transform};
    /// let hand = Joint::new("mixamorig:RightHand", None, Transform::IDENTITY);
    /// let skeleton = Skeleton::new(vec![hand], vec![])?;
    /// assert_eq!(skeleton.find("RightHand"), Some(0));
    /// assert_eq!(skeleton.find_exact("RightHand"), None);
    /// let error = skeleton.joint("RightHnad").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no joint `RightHnad`; did you mean `mixamorig:RightHand`?");
    /// # Ok::<(), sinew::SkeletonError>(())
    /// ```
    pub fn find(&self, name: &str) -> Option<u16> {
        self.find_exact(name)
            .or_else(|| self.first(|joint| joint.eq_ignore_ascii_case(name)))
            .or_else(|| self.first(|joint| bare(joint).eq_ignore_ascii_case(name)))
    }

    /// First joint of that very name.
    pub fn find_exact(&self, name: &str) -> Option<u16> {
        self.first(|joint| joint == name)
    }

    fn first(&self, fits: impl Fn(&str) -> bool) -> Option<u16> {
        // The count was checked on construction, so the cast keeps the value.
        self.names.iter().position(fits).map(|index| index as u16)
    }

    /// The same as [`Skeleton::find`]; where there is no such joint, the error says which may have been meant.
    pub fn joint(&self, name: &str) -> Result<u16, UnknownName> {
        self.find(name).ok_or_else(|| UnknownName::new("there is no joint", name, self.names.iter()))
    }

    /// Indices of the roots.
    pub fn roots(&self) -> impl Iterator<Item = u16> + '_ {
        (0u16..).zip(self.parents()).filter(|&(_, &p)| p == NO_JOINT).map(|(i, _)| i)
    }

    /// A number that stands for names, order and parents of the joints and for the names of the scalars: compiled clips belong to one.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The joints as values again, to build another skeleton from.
    pub fn joints(&self) -> impl Iterator<Item = Joint> + '_ {
        (0..self.len()).map(|i| Joint {
            name: self.names[i].to_owned(),
            parent: Some(self.parents()[i]).filter(|&p| p != NO_JOINT),
            rest: self.rest.get(i),
        })
    }

    /// The scalars as values again.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.scalar_names
            .iter()
            .zip(self.rest.scalars())
            .map(|(name, &rest)| Scalar { name: name.to_owned(), rest })
    }
}

fn digest(names: &TextList, parents: &[u16], scalars: &TextList) -> u64 {
    let letters: usize = names.iter().chain(scalars.iter()).map(str::len).sum();
    let mut bytes = Vec::with_capacity(letters + names.len() * 3 + scalars.len());
    for (name, parent) in names.iter().zip(parents) {
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&parent.to_le_bytes());
    }
    for name in scalars.iter() {
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
    }
    crate::bundle_file::checksum(&bytes)
}

/// What a skeleton is made of, before it is checked.
pub(crate) struct SkeletonParts {
    pub(crate) names: TextList,
    /// [`NO_JOINT`] for a root.
    pub(crate) parents: Buffer<u16>,
    pub(crate) scalar_names: TextList,
    pub(crate) rest: Pose,
}

impl SkeletonParts {
    fn validate(&self) -> Result<(), SkeletonError> {
        let (joints, scalars) = (self.names.len(), self.scalar_names.len());
        if joints >= usize::from(NO_JOINT) {
            return Err(SkeletonError::TooManyJoints { count: joints });
        }
        if scalars >= usize::from(NO_JOINT) {
            return Err(SkeletonError::TooManyScalars { count: scalars });
        }
        for (joint, (&parent, rest)) in self.parents.iter().zip(self.rest.iter()).enumerate() {
            if parent != NO_JOINT && usize::from(parent) >= joint {
                let name = self.names[joint].to_owned();
                return Err(SkeletonError::ParentNotFirst { joint, name, parent });
            }
            if !rest.is_finite() || (rest.rotation.length_squared() - 1.0).abs() > 1e-3 {
                return Err(SkeletonError::BadRest { name: self.names[joint].to_owned() });
            }
        }
        match self.rest.scalars().iter().position(|rest| !rest.is_finite()) {
            Some(scalar) => Err(SkeletonError::BadRest { name: self.scalar_names[scalar].to_owned() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn joint(name: &str, parent: Option<u16>) -> Joint {
        Joint::new(name, parent, Transform::from_translation(Vec3::Y))
    }

    #[test]
    fn several_roots_are_fine() {
        let skeleton =
            Skeleton::new(vec![joint("a", None), joint("b", Some(0)), joint("c", None)], vec![]).unwrap();
        assert_eq!(skeleton.roots().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(skeleton.parent(1), Some(0));
        assert_eq!(skeleton.find("c"), Some(2));
        assert_eq!(skeleton.rest_model()[1].translation(), Vec3::Y * 2.0);
        assert_eq!(skeleton.joints().nth(1).unwrap(), joint("b", Some(0)));
    }

    #[test]
    fn the_exact_name_is_found_before_looser_ones() {
        let names = ["rig:hand", "HAND", "hand", "other:Hand"];
        let skeleton = Skeleton::new(names.map(|name| joint(name, None)).to_vec(), vec![]).unwrap();
        assert_eq!(skeleton.find("hand"), Some(2));
        assert_eq!(skeleton.find("Hand"), Some(1));
        assert_eq!(skeleton.joint("OTHER:hand"), Ok(3));
        assert_eq!(skeleton.find_exact("Hand"), None);
        let skeleton =
            Skeleton::new(vec![joint("rig:hand", None), joint("other:Hand", None)], vec![]).unwrap();
        assert_eq!(skeleton.find("Hand"), Some(0), "the first of two that fit equally well");
        let error = skeleton.joint("Hnad").unwrap_err();
        assert_eq!((error.name.as_str(), error.nearest.as_deref()), ("Hnad", Some("other:Hand")));
    }

    #[test]
    fn a_child_before_its_parent_is_refused() {
        let error = Skeleton::new(vec![joint("child", Some(1)), joint("parent", None)], vec![]).unwrap_err();
        assert!(error.to_string().contains("`child`"), "{error}");
        assert!(Skeleton::new(vec![joint("self", Some(0))], vec![]).is_err());
    }

    #[test]
    fn a_rest_that_is_no_number_is_refused() {
        let mut bad = joint("bad", None);
        bad.rest.translation.x = f32::NAN;
        assert!(matches!(Skeleton::new(vec![bad], vec![]), Err(SkeletonError::BadRest { .. })));
        let scalar = Scalar { name: "smile".into(), rest: f32::INFINITY };
        assert!(Skeleton::new(vec![], vec![scalar]).is_err());
    }

    #[test]
    fn too_many_joints_are_refused() {
        let joints = vec![joint("a", None); usize::from(NO_JOINT)];
        assert!(matches!(Skeleton::new(joints, vec![]), Err(SkeletonError::TooManyJoints { .. })));
    }
}
