//! XNB, the compiled content of XNA, MonoGame and FNA, as data: [`Model`], [`Texture2d`] and the [`SkinningData`] that games put into a model's tag.
//!
//! [`read`] takes any file of these kinds, compressed or not, and says what it cannot read; [`write`](write()) writes uncompressed files.
//! Nothing here knows of characters: indices, matrices and vertices are as in the file. Matrices are 16 numbers for row vectors, M11 first.
//!
//! Reading is bounded: what a file decompresses to by a limit that the caller gives, and the memory for its content by [`MEMORY_FACTOR`] times that.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// Reading a file must never panic.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing
    )
)]

mod asset;
mod container;
mod cursor;
mod effect;
mod error;
mod model;
mod object;
mod output;
mod readers;
pub mod skinning;
mod texture;
mod vertices;

pub use asset::{Asset, WriteOptions, Xnb, read, write};
pub use container::{Compression, Platform, Profile};
pub use cursor::MEMORY_FACTOR;
pub use effect::{BasicEffect, Effect, SkinnedEffect};
pub use error::{Cause, XnbError};
pub use model::{Bone, Mesh, Model, Part, Shared, Tag};
pub use skinning::SkinningData;
pub use texture::{SurfaceFormat, Texture2d};
pub use vertices::{
    ElementFormat, ElementUsage, IndexBuffer, VertexBuffer, VertexDeclaration, VertexElement,
};

/// Sixteen numbers of a matrix for row vectors: M11, M12, … M44, with the translation in M41, M42, M43.
pub type Matrix = [f32; 16];
