//! Examination: [`doctor`] reports what is likely to be wrong with a character and its clips, [`mod@diff`] compares two characters,
//! [`graph`] draws a state machine. Nothing here prints or writes.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod criteria;
pub mod diff;
pub mod doctor;
pub mod graph;
pub mod purpose;

pub use diff::{Diff, DiffError, diff};
