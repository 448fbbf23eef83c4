//! Why a job was refused.

/// Why a job was refused; nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// A slice is too short.
    #[error("{field} has {got} elements and needs {needed}")]
    TooShort {
        /// Which one.
        field: &'static str,
        /// How many elements it must have.
        needed: usize,
        /// How many it has.
        got: usize,
    },
    /// Two things that must be of one size are not.
    #[error("{field} has {got} elements where exactly {needed} are meant")]
    Mismatch {
        /// Which one.
        field: &'static str,
        /// How many elements it must have.
        needed: usize,
        /// How many it has.
        got: usize,
    },
    /// A joint that is not there.
    #[error("{field} is joint {joint}, and there are {joints}")]
    NoJoint {
        /// What the joint was given as.
        field: &'static str,
        /// Its index.
        joint: u16,
        /// How many there are.
        joints: usize,
    },
    /// A joint that does not hang below another.
    #[error("{field} is joint {joint}, which does not hang below joint {above}")]
    NotBelow {
        /// What the joint was given as.
        field: &'static str,
        /// Its index.
        joint: u16,
        /// The joint that it must hang below.
        above: u16,
    },
    /// A number that is infinite or none, or a matrix without an inverse.
    #[error("{field} is not a finite number")]
    NotFinite {
        /// Which one.
        field: &'static str,
    },
}
