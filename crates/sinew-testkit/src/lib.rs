//! Synthetic characters and quirk files, written from scratch, for tests and demos.
//!
//! - [`scene`] describes what a file says and works out where its joints are;
//! - [`fbx`] writes a scene as text;
//! - [`shape`] and [`png`] make surfaces and pictures;
//! - [`fixtures`] are small files that each have one oddity, with the truth about them;
//!
//! Same call, same bytes, on every machine.

pub mod fbx;
pub mod fixtures;
pub mod humanoid;
pub mod math;
pub mod png;
pub mod scene;
pub mod shape;
