//! Merging, checking and compiling of animated characters.

pub mod bundle;
pub mod textures;
