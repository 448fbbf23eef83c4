//! A small bitmap font for sheets and joint labels.

mod glyphs;

use crate::Picture;
use glyphs::{GLYPHS, HEIGHT, WIDTH};

/// Distance from one letter to the next, in font pixels.
pub(crate) const ADVANCE: u32 = WIDTH as u32 + 1;
/// Height of capital letters, in font pixels.
pub(crate) const CAP_HEIGHT: u32 = 7;
/// Distance from one line to the next, in font pixels.
pub(crate) const LINE_HEIGHT: u32 = HEIGHT as u32 + 1;

/// Cell of a glyph in the atlas: the glyph with a margin for its halo.
pub(crate) const CELL: (u32, u32) = (8, 12);
/// Glyphs in a row of the atlas.
pub(crate) const COLUMNS: u32 = 16;
/// Offset of a glyph within its cell.
pub(crate) const INSET: (u32, u32) = (1, 1);

/// Glyph index of a letter; a question mark if the font does not have it.
pub(crate) fn glyph(letter: char) -> usize {
    let code = letter as usize;
    if (0x20..0x7f).contains(&code) { code - 0x20 } else { '?' as usize - 0x20 }
}

fn ink(glyph: usize, x: i32, y: i32) -> bool {
    let inside = (0..WIDTH as i32).contains(&x) && (0..HEIGHT as i32).contains(&y);
    inside && GLYPHS[glyph][y as usize] >> (WIDTH as i32 - 1 - x) & 1 == 1
}

/// Width of a text in pixels. `size` is the size of a font pixel.
pub(crate) fn text_width(text: &str, size: u32) -> u32 {
    (text.chars().count() as u32 * ADVANCE).saturating_sub(1) * size
}

/// Draws a text with its upper left corner at `x`, `y`.
pub(crate) fn draw_text(picture: &mut Picture, x: i32, y: i32, size: u32, text: &str, color: [u8; 4]) {
    let size = size.max(1) as i32;
    for (i, letter) in text.chars().enumerate() {
        let left = x + i as i32 * ADVANCE as i32 * size;
        let glyph = glyph(letter);
        for row in 0..HEIGHT as i32 {
            for column in (0..WIDTH as i32).filter(|&column| ink(glyph, column, row)) {
                picture.fill_rect(left + column * size, y + row * size, size as u32, size as u32, color);
            }
        }
    }
}

/// Shortens a text to a width, ending in two dots if it was cut.
pub(crate) fn fit_text(text: &str, size: u32, width: u32) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let room = (width / size.max(1) + 1) / ADVANCE;
    let kept: String = text.chars().take(room.saturating_sub(2) as usize).collect();
    if kept.is_empty() { String::new() } else { kept + ".." }
}

/// The glyph atlas: ink in the first channel, ink and halo in the second.
pub(crate) fn atlas() -> (u32, u32, Vec<u8>) {
    let rows = (GLYPHS.len() as u32).div_ceil(COLUMNS);
    let (width, height) = (COLUMNS * CELL.0, rows * CELL.1);
    let mut texels = Vec::with_capacity((width * height * 2) as usize);
    for y in 0..height {
        for x in 0..width {
            let number = (y / CELL.1 * COLUMNS + x / CELL.0) as usize;
            let at = |dx: i32, dy: i32| {
                let column = (x % CELL.0) as i32 - INSET.0 as i32 + dx;
                let row = (y % CELL.1) as i32 - INSET.1 as i32 + dy;
                number < GLYPHS.len() && ink(number, column, row)
            };
            let near = (-1..=1).any(|dy| (-1..=1).any(|dx| at(dx, dy)));
            texels.extend([if at(0, 0) { 255 } else { 0 }, if near { 255 } else { 0 }]);
        }
    }
    (width, height, texels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_but_the_space_has_ink_of_its_own() {
        for (i, a) in GLYPHS.iter().enumerate().skip(1) {
            assert!(a.iter().any(|row| *row != 0), "glyph {i}");
            assert!(a.iter().all(|row| *row < 32), "glyph {i} is five wide");
            for (j, b) in GLYPHS.iter().enumerate().skip(i + 1) {
                assert_ne!(a, b, "glyphs {i} and {j}");
            }
        }
    }

    #[test]
    fn text_is_as_wide_as_it_says() {
        let mut picture = Picture::new(40, 12, [0, 0, 0, 255]);
        draw_text(&mut picture, 0, 0, 1, "Hi!", [255; 4]);
        let lit = |x| (0..12).any(|y| picture.pixel(x, y)[0] == 255);
        let width = (0..40).filter(|&x| lit(x)).max().unwrap() + 1;
        assert!(width <= text_width("Hi!", 1) && width + 3 >= text_width("Hi!", 1), "{width}");
        assert_eq!(text_width("", 3), 0);
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(fit_text("mixamorig:LeftHand", 1, 1000), "mixamorig:LeftHand");
        let cut = fit_text("mixamorig:LeftHand", 2, 100);
        assert!(cut.ends_with("..") && text_width(&cut, 2) <= 100, "{cut}");
        assert_eq!(fit_text("abc", 4, 3), "");
    }

    #[test]
    fn letters_outside_the_font_become_a_question_mark() {
        assert_eq!(glyph('ö'), glyph('?'));
        assert_eq!(glyph(' '), 0);
    }
}
