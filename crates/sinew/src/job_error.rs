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
}
