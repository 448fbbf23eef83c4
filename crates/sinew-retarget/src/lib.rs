//! Clips of one humanoid on another: names, rests, axes, proportions and units may differ.
//!
//! A [`Humanoid`] says which joint has which [`Role`] (VRM's bones): found by name, tree and rest, or listed in a [`sinew::BoneMap`]. A [`Retarget`] carries poses
//! of one over to another; [`LiveRetarget`] does so each frame. Clips are retargeted by `sinew_import::retarget`, which
//! resamples them within the tolerance of imports. The page [`page_retargeting`] goes through all of it.
//!
//! Modules: `role`, `alias` (what rigs call the parts of the body: `data/aliases.txt`) and `humanoid` find roles; `body` and `fit` lay two rests over one
//! another; `segment` says who follows whom, `correct` how limbs that point elsewhere are turned; `plan` makes rules of it; `limbs` moves feet
//! and hands to where they shall be.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod alias;
mod body;
mod correct;
mod error;
mod findings;
mod fit;
mod humanoid;
mod limbs;
mod live;
mod map_file;
mod plan;
mod retarget;
mod role;
mod segment;
mod tree;

pub use error::{RetargetError, Who};
pub use humanoid::{Assigned, Humanoid, Known, Method, NotHumanoid, Refused};
pub use limbs::Shift;
pub use live::LiveRetarget;
pub use map_file::to_toml;
pub use retarget::Retarget;
pub use role::{Part, Role, Side};

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/retargeting.md")]
pub mod page_retargeting {}
