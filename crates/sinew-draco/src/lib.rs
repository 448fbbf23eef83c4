//! Decodes Draco meshes, as `KHR_draco_mesh_compression` puts them into glTF, within limits.
//!
//! [`decode`] answers what a glTF reader needs: triangles over points, and for each attribute one value per point, laid out as the bytes of an
//! accessor. The bitstream is read by the crate `draco-core`, which is safe Rust; nothing of it shows in this interface.
//!
//! Three things are added to it here. Counts are read ahead and checked against [`Limits`], memory that decoding takes included. Indices and
//! mappings are checked, so a [`Mesh`] never refers to a point or value that does not exist. A panic in the decoder becomes an error.

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

mod decode;
mod error;
mod limits;
mod mesh;
mod outline;

pub use decode::decode;
pub use error::DecodeError;
pub use limits::Limits;
pub use mesh::{Attribute, Component, Mesh, Semantic};
