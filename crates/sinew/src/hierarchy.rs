//! Which joint hangs on which, prepared for one pass from front to back.

use crate::kernel::hierarchy::{Order, pairs};
use crate::pose::LANES;
use crate::{Buffer, JobError, NO_JOINT};

/// Parents of all joints, each before its children: what [`crate::job::local_to_model`] walks down.
///
/// ```
/// use sinew::{Hierarchy, NO_JOINT};
///
/// let arm = Hierarchy::new(vec![NO_JOINT, 0, 1])?;
/// assert_eq!(arm.parents()[2], 1);
/// assert!(Hierarchy::new(vec![1, NO_JOINT]).is_err(), "a parent comes before its children");
/// # Ok::<(), sinew::JobError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Hierarchy {
    parents: Buffer<u16>,
    /// Which joints of each block can be computed two at a time.
    pairs: Vec<u8>,
}

impl Hierarchy {
    /// Checks parents, [`NO_JOINT`] for roots.
    ///
    /// Fails if a parent does not come before its child.
    pub fn new(parents: Vec<u16>) -> Result<Self, JobError> {
        Self::from_buffer(parents.into())
    }

    /// The same for parents that may lie in a bundle.
    pub(crate) fn from_buffer(parents: Buffer<u16>) -> Result<Self, JobError> {
        for (joint, &parent) in parents.iter().enumerate() {
            if parent != NO_JOINT {
                crate::job::at_least("parents", usize::from(parent) + 1, joint)?;
            }
        }
        let pairs = parents.chunks(LANES).enumerate().map(|(i, block)| pairs(i, block)).collect();
        Ok(Self { parents, pairs })
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no joints.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Parents in joint order, [`NO_JOINT`] for a root.
    #[inline]
    pub fn parents(&self) -> &[u16] {
        &self.parents
    }

    pub(crate) fn order(&self) -> Order<'_> {
        Order { parents: &self.parents, pairs: &self.pairs }
    }
}
