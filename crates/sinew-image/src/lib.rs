//! Encoded images: their pixels ([`decode`]), and their size from a look at the header ([`size`]).

mod decode;
mod header;
mod picture;

pub use decode::{TextureError, decode};
pub use header::size;
pub use picture::Picture;
