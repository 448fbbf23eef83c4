//! Pictures: decoding PNG, JPEG, WebP, TGA, BMP, DDS and KTX2 ([`decode`]), reading a size from the header alone ([`size`]), looking for what is missing without
//! decoding ([`check`]), encoding PNG ([`encode_png`]), halving
//! ([`halved`]).

mod check;
mod dds;
mod decode;
mod encode;
mod halved;
mod header;
mod ktx2;
mod picture;
mod pixels;
mod srgb;

pub use check::check;
pub use decode::{TextureError, decode, decode_bytes, hidden_fault};
pub use encode::{EncodeError, encode_png, png_encoder};
pub use halved::{ColorSpace, halved};
pub use header::{jpeg_components, size};
pub use picture::Picture;
pub use srgb::{decode_srgb, encode_srgb, to_linear, to_srgb};
