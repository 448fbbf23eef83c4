//! What happens between reading files and playing them: clips from several files become one character ([`mod@merge`]), and what is
//! likely to be wrong with it is found out ([`doctor`]). Two characters are compared by [`mod@diff`].
//!
//! A folder of sources with a `sinew.toml` is a [`project`]; its characters are compiled to [bundles](bundle).
//!
//! [`load`](load()) does it all from paths; [`merge`](merge()) and [`doctor::examine`] work on files that are read already. Nothing here prints.

pub mod bundle;
pub mod glb;
pub mod project;
pub mod textures;

/// The README, whose example is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

/// The page about projects, whose example is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/projects.md")]
pub struct ProjectsPage;
