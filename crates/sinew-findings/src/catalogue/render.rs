//! What the renderer reports.

use crate::{Kind, Severity};

catalogue! {
    TEXTURE_NOT_SHOWN: "render.texture", Warning,
        "a texture cannot be shown",
        "The picture that a material names was not found, or is of a kind or size that cannot be read. The surface is drawn in the material's colour alone.",
        "Put the picture beside the model under the name that the model gives, as PNG, JPEG, WebP, TGA, BMP, DDS or KTX2.";
}
