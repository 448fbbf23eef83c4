//! Pictures of textures that can be decoded only in part, or not at all.

use rayon::prelude::*;
use sinew::{Finding, Texture};
use sinew_findings::catalogue::import::TEXTURE_DAMAGED;
use sinew_import::Source;

/// Decodes every picture. What can be told without decoding it, the importer has reported.
pub(super) fn examine(source: &Source<'_>) -> Vec<Finding> {
    let fault = |texture: &Texture| {
        let reason = sinew_image::hidden_fault(texture)?;
        let name = if texture.name.is_empty() { &texture.reference } else { &texture.name };
        let place = format!("{}: texture `{name}`", source.file);
        Some(Finding::new(&TEXTURE_DAMAGED, place, format!("its picture cannot be decoded: {reason}")))
    };
    source.character.textures().par_iter().filter_map(fault).collect()
}
