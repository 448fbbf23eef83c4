//! Compiling characters: the writers [`bundle`], [`glb`], [`bvh`], [`vrma`] and [`monogame`], certificates that say how far a compiled character is from its sources
//! ([`bundle::certify`]), and [`project`]s, folders of sources with a `sinew.toml` that are built incrementally.
//!
//! Page: [`page_projects`]. Nothing here prints.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod bundle;
pub mod bvh;
pub mod compress;
pub mod contacts;
pub mod glb;
mod mesh;
pub mod monogame;
mod names;
pub mod project;
mod steps;
pub mod textures;
mod toml_text;
mod vrm;
pub mod vrma;

/// The README, whose example is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/projects.md")]
pub mod page_projects {}
