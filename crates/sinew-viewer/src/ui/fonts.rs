//! Letters of other scripts than the bundled fonts have: from fonts of the system, else as an escape.

use eframe::egui::epaint::text::{
    FallbackRequest, FontInsert, GlyphBitmap, GlyphRasterizer, GlyphRasterizerRequest, RasterizedGlyph,
};
use eframe::egui::{Color32, ColorImage, Context, FontData, vec2};
use sinew_fonts::Fonts;
use sinew_render::escape_picture;
use std::sync::Arc;

/// Installs what is asked for letters that no bundled font has.
pub(crate) fn install(context: &Context) {
    context.add_font_provider(Arc::new(|request: &FallbackRequest<'_>| of_the_system(request.cluster)));
    context.add_glyph_rasterizer(GlyphRasterizer::new("sinew escapes", escaped));
}

fn of_the_system(cluster: &str) -> Option<FontInsert> {
    let face = Fonts::installed().face(cluster.chars().next()?)?;
    let data = FontData { index: face.index(), ..FontData::from_owned(face.data().to_vec()) };
    Some(FontInsert::new(face.name(), data, vec![]))
}

/// A letter such as `\u{5de6}`, in pixels that fit the size of the text.
fn escaped(request: &GlyphRasterizerRequest<'_>) -> Option<RasterizedGlyph> {
    let letter = request.cluster.chars().next()?;
    let size = (request.font_size_px / 12.0).round().max(1.0) as u32;
    let (picture, above) = escape_picture(letter, size);
    let pixels = picture.pixels().chunks_exact(4).map(|p| Color32::from_white_alpha(p[3])).collect();
    let image = ColorImage::new([picture.width() as usize, picture.height() as usize], pixels);
    let bitmap = GlyphBitmap { image, offset_px: vec2(0.0, -(above as f32)), is_color: false };
    Some(RasterizedGlyph { bitmap, advance_px: (picture.width() + size) as f32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::{FontFamily, FontId, RawInput};

    /// Width of a text in points, which are pixels here.
    fn width(context: &Context, text: &str) -> f32 {
        let id = FontId::new(12.0, FontFamily::Proportional);
        context.fonts_mut(|fonts| fonts.layout_no_wrap(text.into(), id, Color32::WHITE).rect.width())
    }

    #[test]
    fn what_no_font_has_is_escaped() {
        let context = Context::default();
        install(&context);
        // Fonts exist from the first frame on.
        context.run_ui(RawInput::default(), |_| {}).textures_delta.clear();
        let (picture, _) = escape_picture('\u{e000}', 1);
        assert!((width(&context, "\u{e000}") - picture.width() as f32).abs() < 2.0);
        for text in ["Größe", "Прыжок"] {
            assert!(width(&context, text) < 10.0 * text.chars().count() as f32, "{text} is bundled");
        }
    }

    #[test]
    fn fonts_are_handed_over_with_the_number_of_their_face() {
        let insert = of_the_system("Я").unwrap();
        assert_eq!((insert.name.as_str(), insert.data.index), ("Hack", 0));
        assert!(of_the_system("\u{e000}").is_none());
    }
}
