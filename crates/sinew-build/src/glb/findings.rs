//! What glTF cannot hold.

use sinew::{Kind, Severity};

/// `glb.texture-format`: a picture that glTF does not allow.
pub static TEXTURE_FORMAT: Kind = Kind {
    id: "glb.texture-format",
    severity: Severity::Warning,
    title: "a picture that glTF does not allow",
    explanation: "glTF holds pictures as PNG or JPEG only. This one is of another format, so its material is written without it.",
    hint: "Convert the picture to PNG and import the character again.",
    threshold: None,
    unit: "",
};

/// `glb.curve-dropped`: a curve that moves no morph target.
pub static CURVE_DROPPED: Kind = Kind {
    id: "glb.curve-dropped",
    severity: Severity::Note,
    title: "a curve that glTF has no place for",
    explanation: "A pose may carry named numbers beside joints and morph weights. glTF animates nothing of the kind, so such curves are left out.",
    hint: "Nothing is lost from the picture. A .sinew bundle keeps such curves.",
    threshold: None,
    unit: "",
};

/// `glb.clip-dropped`: a clip that nothing stands for.
pub static CLIP_DROPPED: Kind = Kind {
    id: "glb.clip-dropped",
    severity: Severity::Note,
    title: "a clip that moves nothing of a character without joints",
    explanation: "An animation in glTF has at least one channel, and a channel needs a node. There is none here.",
    hint: "Nothing is lost from the picture. A .sinew bundle keeps such clips.",
    threshold: None,
    unit: "",
};

/// All kinds of this module.
pub static ALL: &[&Kind] = &[&TEXTURE_FORMAT, &CURVE_DROPPED, &CLIP_DROPPED];
