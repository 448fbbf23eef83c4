//! Places on a character where things are attached.

use crate::Transform;

/// A named place on a joint, where a sword or a hat is attached.
#[derive(Clone, Debug, PartialEq)]
pub struct Socket {
    /// What the game asks for.
    pub name: String,
    /// Joint that it moves with.
    pub joint: u16,
    /// Where it is, relative to the joint.
    pub offset: Transform,
}
