//! Pictures: decoding PNG, JPEG, TGA and BMP ([`decode`]), reading a size from the header alone ([`size`]), encoding PNG ([`encode_png`]).

mod decode;
mod encode;
mod header;
mod picture;

pub use decode::{TextureError, decode};
pub use encode::{EncodeError, encode_png, png_encoder};
pub use header::size;
pub use picture::Picture;
