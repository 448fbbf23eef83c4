//! What a frame of animation costs.
//!
//! [`cost`] measures a character of the user's: `sinew bench`. [`work`] holds the workloads on [`synthetic`] characters that `cargo xtask bench` times and
//! `cargo xtask count` counts the instructions of; each says what it computed, so that a row of a table whose result is wrong is never written.

pub mod bits;
pub mod clock;
pub mod cost;
mod humanoid;
mod ik;
mod machine;
pub mod plot;
pub mod report;
pub mod synthetic;
pub mod work;

/// Bytes on the heap and in place that a value takes: its own, and what is allocated while it is made.
pub fn bytes_of<T>(allocated: impl Fn() -> usize, make: impl FnOnce() -> T) -> (T, usize) {
    let before = allocated();
    let value = make();
    let after = allocated();
    (value, size_of::<T>() + after.saturating_sub(before))
}
