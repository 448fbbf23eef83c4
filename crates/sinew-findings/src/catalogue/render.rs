//! What the renderer reports.

use crate::{Kind, Severity};

catalogue! {
    TEXTURE_NOT_SHOWN: "render.texture", Warning,
        "a texture cannot be shown",
        "The picture that a material names was not found, or is of a kind or size that cannot be read. In place of a colour a magenta and grey checkerboard is drawn; other textures are left out. The finding `texture.missing` of the import says where a picture was looked for.",
        "Put the picture beside the model under the name that the model gives, as PNG, JPEG, WebP, TGA, BMP, DDS or KTX2.";
}
