//! Which joints a voice may move, and how much.

use crate::Skeleton;
use crate::math::share;
use crate::names::UnknownName;
use crate::pose::{LANES, Lanes};

/// A weight from 0 to 1 for each joint: how much of a voice counts there. Made once and shared by all instances.
///
/// ```
/// # fn demo(character: &sinew::Character) -> Result<(), sinew::names::UnknownName> {
/// use sinew::Mask;
///
/// let skeleton = character.skeleton();
/// let torso = Mask::below(skeleton, "Spine")?.falloff(skeleton, 3);    // over three joints from nothing to all
/// let body = Mask::all(skeleton).without(skeleton, "Head")?;
/// # let _ = (torso, body);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    lanes: Box<[Lanes]>,
    scalars: f32,
}

impl Mask {
    /// Every joint and scalar.
    pub fn all(skeleton: &Skeleton) -> Self {
        Self::none(skeleton).filled(skeleton, |_| 1.0)
    }

    /// No joint; every scalar.
    pub fn none(skeleton: &Skeleton) -> Self {
        Self { lanes: vec![Lanes::splat(0.0); skeleton.len().div_ceil(LANES)].into(), scalars: 1.0 }
    }

    /// A joint and all below it.
    ///
    /// Fails if there is no such joint; the error says what there is.
    pub fn below(skeleton: &Skeleton, joint: &str) -> Result<Self, UnknownName> {
        Self::none(skeleton).with(skeleton, joint)
    }

    /// The same with a joint and all below it.
    ///
    /// Fails if there is no such joint; the error says what there is.
    pub fn with(self, skeleton: &Skeleton, joint: &str) -> Result<Self, UnknownName> {
        Ok(self.set_below(skeleton, skeleton.joint(joint)?, 1.0))
    }

    /// The same without a joint and all below it.
    ///
    /// Fails if there is no such joint; the error says what there is.
    pub fn without(self, skeleton: &Skeleton, joint: &str) -> Result<Self, UnknownName> {
        Ok(self.set_below(skeleton, skeleton.joint(joint)?, 0.0))
    }

    /// The same with a weight for one joint alone.
    pub fn set(mut self, joint: u16, weight: f32) -> Self {
        let joint = usize::from(joint);
        if let Some(lanes) = self.lanes.get_mut(joint / LANES) {
            lanes.0[joint % LANES] = share(weight);
        }
        self
    }

    /// The same with so much of the scalars (morph weights, curves); all of them by default.
    pub fn scalars(self, weight: f32) -> Self {
        Self { scalars: share(weight), ..self }
    }

    /// The same, growing down each chain from the highest joint that it has: over so many joints in even steps, the last of which has all.
    pub fn falloff(self, skeleton: &Skeleton, joints: u16) -> Self {
        let mut depth = vec![0u16; skeleton.len()];
        for joint in 0..skeleton.len() as u16 {
            if self.weight(joint) > 0.0 {
                let above = skeleton.parent(joint).map_or(0, |parent| depth[usize::from(parent)]);
                depth[usize::from(joint)] = above + 1;
            }
        }
        let steps = f32::from(joints.max(1));
        let before = self.clone();
        self.filled(skeleton, |joint| {
            before.weight(joint) * (f32::from(depth[usize::from(joint)]) / steps).min(1.0)
        })
    }

    /// Reads a mask, written as that of a layer of a [state machine](crate::machine): joints whose whole branches it has (all, if it names none), branches that it
    /// leaves out, and over how many joints it grows.
    ///
    /// Fails if the text is not of that form, or names a joint that the skeleton does not have; the error has its line and column.
    ///
    /// ```
    /// # fn demo(skeleton: &sinew::Skeleton) -> Result<(), sinew::machine::MachineError> {
    /// let torso = sinew::Mask::from_toml("below = [\"Spine\"]\nwithout = [\"Head\"]\nfalloff = 3", skeleton)?;
    /// # let _ = torso;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "toml")]
    pub fn from_toml(text: &str, skeleton: &Skeleton) -> Result<Self, crate::machine::MachineError> {
        crate::machine::read_mask(text)?.mask(skeleton)
    }

    /// How much of a voice counts at a joint.
    pub fn weight(&self, joint: u16) -> f32 {
        let joint = usize::from(joint);
        self.lanes.get(joint / LANES).map_or(0.0, |lanes| lanes.0[joint % LANES])
    }

    /// How much of a voice counts for scalars.
    pub fn scalar_weight(&self) -> f32 {
        self.scalars
    }

    /// The weights in blocks of eight joints, as [`crate::blend::blend_masked`] takes them.
    pub fn lanes(&self) -> &[Lanes] {
        &self.lanes
    }

    fn filled(mut self, skeleton: &Skeleton, weight: impl Fn(u16) -> f32) -> Self {
        for joint in 0..skeleton.len() as u16 {
            self = self.set(joint, weight(joint));
        }
        self
    }

    /// The same with a weight for a joint and all below it.
    pub(crate) fn set_below(mut self, skeleton: &Skeleton, top: u16, weight: f32) -> Self {
        for joint in top..skeleton.len() as u16 {
            let mut ancestors = std::iter::successors(Some(joint), |&joint| skeleton.parent(joint));
            if ancestors.any(|joint| joint == top) {
                self = self.set(joint, weight);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::character;

    #[test]
    fn a_mask_holds_a_joint_and_all_below_it() {
        let hero = character("hero", &["hips", "spine", "neck", "head"], 1.0, crate::ClipLibrary::default());
        let weights = |mask: Mask| [0, 1, 2, 3].map(|joint| mask.weight(joint));
        let skeleton = hero.skeleton();
        let torso = Mask::below(skeleton, "Spine").unwrap();
        assert_eq!(weights(torso.clone()), [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(weights(torso.clone().falloff(skeleton, 2)), [0.0, 0.5, 1.0, 1.0]);
        assert_eq!(weights(torso.without(skeleton, "head").unwrap()), [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(weights(Mask::all(skeleton).set(9, 1.0).set(0, f32::NAN).set(1, 7.0))[1..], [1.0; 3]);
        let error = Mask::below(skeleton, "spin").unwrap_err().to_string();
        assert!(error.contains("spine"), "{error}");
    }

    #[cfg(feature = "toml")]
    #[test]
    fn a_mask_is_read() {
        let hero = character("hero", &["hips", "spine", "neck", "head"], 1.0, crate::ClipLibrary::default());
        let read = |text: &str| Mask::from_toml(text, hero.skeleton());
        let mask = read("below = ['Spine']\nwithout = ['head']\nfalloff = 2\nscalars = 0.5").unwrap();
        assert_eq!([0, 1, 2, 3].map(|joint| mask.weight(joint)), [0.0, 0.5, 1.0, 0.0]);
        assert_eq!(mask.scalar_weight(), 0.5);
        let error = read("below = ['spine']\nwithout = [\n  'hed']").unwrap_err().to_string();
        assert!(error.starts_with("line 3, column 4: there is no joint `hed`"), "{error}");
        assert!(read("above = ['spine']").is_err() && read("falloff = 0.5").is_err());
        assert_eq!(read("without = ['neck']").unwrap().weight(1), 1.0, "all else");
    }
}
