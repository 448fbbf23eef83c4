//! Pictures: decoding PNG, JPEG, WebP, TGA, BMP, DDS and KTX2 ([`decode`]), reading a size from the header alone ([`size`]), encoding PNG ([`encode_png`]), halving
//! ([`halved`]).

mod dds;
mod decode;
mod encode;
mod halved;
mod header;
mod ktx2;
mod picture;
mod pixels;

pub use decode::{TextureError, decode, decode_bytes};
pub use encode::{EncodeError, encode_png, png_encoder};
pub use halved::{ColorSpace, decode_srgb, encode_srgb, halved, to_linear, to_srgb};
pub use header::size;
pub use picture::Picture;
