//! Synthetic characters and quirk files, written from scratch, for tests and demos.
//!
//! - [`scene`] describes what a file says and works out where its joints are;
//! - [`fbx`] and [`collada`] write a scene as text, [`manifest`] says which clips lie beside it;
//! - [`bvh`] is a figure of motion capture, with the truth about its frames;
//! - [`vrm`] is a humanoid as VRM, and a dance as VRMA;
//! - [`draco`] writes small compressed meshes;
//! - [`shape`], [`png`] and [`pictures`] make surfaces and pictures;
//! - [`fixtures`] are small files that each have one oddity, with the truth about them;
//! - [`humanoid`] and [`creature`] are whole characters with animations, for pictures and demos;
//! - [`tree`] fills a folder with hundreds of small ones;
//! - [`memory`] tells how much a test holds at most;
//! - [`npm`] installs the programs of others that tests check against.
//!
//! Same call, same bytes, on every machine.

pub mod bvh;
pub mod collada;
pub mod creature;
pub mod draco;
pub mod fbx;
pub mod fixtures;
pub mod humanoid;
pub mod manifest;
pub mod math;
pub mod memory;
pub mod npm;
pub mod pictures;
pub mod png;
pub mod scene;
pub mod shape;
mod skeleton;
mod spline;
pub mod tree;
pub mod vrm;
