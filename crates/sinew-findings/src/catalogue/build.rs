//! What writers report: what a target format cannot hold.

use crate::{Kind, Severity};

catalogue! {
    TEXTURE_FORMAT: "glb.texture-format", Warning,
        "a picture that glTF does not allow",
        "glTF holds pictures as PNG or JPEG only. This one has another format and could not be converted, so its material is written without it.",
        "Convert the picture to PNG and import the character again.";
    TEXTURE_CONVERTED: "glb.texture-converted", Note,
        "a picture converted to PNG",
        "glTF holds pictures as PNG or JPEG only. This one had another format and was written as PNG.",
        "Nothing needs to be done. A .sinew bundle keeps the picture as it is.";
    DUAL_QUATERNION_DROPPED: "glb.dual-quaternion", Warning,
        "dual-quaternion skinning, which glTF does not have",
        "Vertices of the mesh are blended by dual quaternions. Programs that read glTF blend linearly, so joints that twist far look thinner there.",
        "Use a .sinew bundle, which keeps it, or add twist joints.";
    CURVE_DROPPED: "glb.curve-dropped", Note,
        "a curve that glTF has no place for",
        "A pose may carry named numbers beside joints and morph weights. glTF animates nothing of the kind, so such curves are left out.",
        "Nothing is lost from the picture. A .sinew bundle keeps such curves.";
    CLIP_DROPPED: "glb.clip-dropped", Note,
        "a clip that moves nothing of a character without joints",
        "An animation in glTF has at least one channel, and a channel needs a node. There is none here.",
        "Nothing is lost from the picture. A .sinew bundle keeps such clips.";
}
