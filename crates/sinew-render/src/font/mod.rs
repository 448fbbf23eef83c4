//! Text on sheets and beside joints. A text of ASCII alone is drawn with a small bitmap font, any other with the outlines of a font that has its
//! letters, in a grid of the same size; letters are not shaped.

mod atlas;
mod glyphs;

pub(crate) use atlas::{Atlas, INSET};

use crate::Picture;
use glyphs::{GLYPHS, HEIGHT, WIDTH};
use sinew_fonts::{Fonts, Glyph, columns};
use std::borrow::Cow;

/// Width of a column of the grid, in font pixels.
pub(crate) const ADVANCE: u32 = WIDTH as u32 + 1;
/// Height of capital letters, in font pixels.
pub(crate) const CAP_HEIGHT: u32 = 7;
/// Distance from one line to the next, in font pixels.
pub(crate) const LINE_HEIGHT: u32 = HEIGHT as u32 + 1;

/// Font pixels per em, at which capital letters have their height, and wide letters nearly fill two columns.
const EM: f32 = 9.6;
const WIDE_EM: f32 = 11.0;

/// Which font a text is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Bitmap,
    Outlines,
}

/// A text as it is drawn: what no font has is escaped.
pub(crate) fn readable(text: &str) -> Cow<'_, str> {
    Fonts::installed().readable(text)
}

pub(crate) fn style(text: &str) -> Style {
    if text.is_ascii() { Style::Bitmap } else { Style::Outlines }
}

/// Letters of a text, each with its left edge in font pixels. A mark is placed over the letter before it.
pub(crate) fn placed(text: &str) -> impl Iterator<Item = (u32, char)> {
    let (mut last, mut next) = (0, 0);
    text.chars().map(move |letter| {
        let wide = columns(letter) * ADVANCE;
        if wide > 0 {
            last = next;
            next += wide;
        }
        (last, letter)
    })
}

/// Index of a letter in the bitmap font; that of a question mark if the font does not have it.
fn bitmap(letter: char) -> usize {
    let code = letter as usize;
    if (0x20..0x7f).contains(&code) { code - 0x20 } else { '?' as usize - 0x20 }
}

fn ink(glyph: usize, x: i32, y: i32) -> bool {
    let inside = (0..WIDTH as i32).contains(&x) && (0..HEIGHT as i32).contains(&y);
    inside && GLYPHS[glyph][y as usize] >> (WIDTH as i32 - 1 - x) & 1 == 1
}

/// Coverage of a letter from its outlines, relative to the left end of its cell and the top of capital letters.
fn outlined(letter: char, size: u32) -> Option<Glyph> {
    let em = if columns(letter) == 2 { WIDE_EM } else { EM } * size as f32;
    let mut glyph = Fonts::installed().face(letter)?.glyph(letter, em)?;
    glyph.top += (CAP_HEIGHT * size) as i32;
    Some(glyph)
}

/// The pixels of a glyph that have ink, and how much.
fn inked(glyph: &Glyph) -> impl Iterator<Item = (i32, i32, u8)> + '_ {
    let width = glyph.width.max(1) as usize;
    let pixels = glyph.coverage.iter().enumerate().filter(|(_, ink)| **ink > 0);
    pixels.map(move |(i, &ink)| (glyph.left + (i % width) as i32, glyph.top + (i / width) as i32, ink))
}

/// Width of a text in pixels. `size` is the size of a font pixel.
pub(crate) fn text_width(text: &str, size: u32) -> u32 {
    let all: u32 = readable(text).chars().map(|letter| columns(letter) * ADVANCE).sum();
    all.saturating_sub(1) * size
}

/// Draws a text with its upper left corner at `x`, `y`.
pub(crate) fn draw_text(picture: &mut Picture, x: i32, y: i32, size: u32, text: &str, color: [u8; 4]) {
    let (size, text) = (size.max(1), readable(text));
    let style = style(&text);
    for (left, letter) in placed(&text) {
        let left = x + (left * size) as i32;
        match style {
            Style::Bitmap => draw_bitmap(picture, (left, y), size, letter, color),
            Style::Outlines => {
                let [r, g, b, alpha] = color;
                for (dx, dy, ink) in outlined(letter, size).iter().flat_map(inked) {
                    let alpha = (u16::from(alpha) * u16::from(ink) / 255) as u8;
                    picture.fill_rect(left + dx, y + dy, 1, 1, [r, g, b, alpha]);
                }
            }
        }
    }
}

fn draw_bitmap(picture: &mut Picture, (x, y): (i32, i32), size: u32, letter: char, color: [u8; 4]) {
    let glyph = bitmap(letter);
    for row in 0..HEIGHT as i32 {
        for column in (0..WIDTH as i32).filter(|&column| ink(glyph, column, row)) {
            let (left, top) = (x + column * size as i32, y + row * size as i32);
            picture.fill_rect(left, top, size, size, color);
        }
    }
}

/// Shortens a text to a width, ending in two dots if it was cut.
pub(crate) fn fit_text(text: &str, size: u32, width: u32) -> String {
    let text = readable(text);
    if text_width(&text, size) <= width {
        return text.into_owned();
    }
    let room = ((width / size.max(1) + 1) / ADVANCE).saturating_sub(2) * ADVANCE;
    let fits = |(left, letter): &(u32, char)| left + columns(*letter) * ADVANCE <= room;
    let kept: String = placed(&text).take_while(fits).map(|(_, letter)| letter).collect();
    if kept.is_empty() { String::new() } else { kept + ".." }
}

/// A text as a white picture with the coverage in alpha, and the height of its letters above the line. For what shows a text by other means where
/// no font has a letter.
pub fn escape_picture(letter: char, size: u32) -> (Picture, u32) {
    let text = letter.escape_unicode().to_string();
    let mut picture = Picture::new(text_width(&text, size).max(1), LINE_HEIGHT * size, [255, 255, 255, 0]);
    draw_text(&mut picture, 0, 0, size, &text, [255; 4]);
    (picture, CAP_HEIGHT * size)
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

    fn drawn(text: &str) -> Picture {
        let mut picture = Picture::new(80, 16, [0, 0, 0, 255]);
        draw_text(&mut picture, 4, 4, 1, text, [255; 4]);
        picture
    }

    #[test]
    fn text_is_as_wide_as_it_says() {
        for text in ["Hi!", "Прыжок", "Ünä"] {
            let picture = drawn(text);
            let lit = |x| (0..16).any(|y| picture.pixel(x, y)[0] > 100);
            let width = (0..80).filter(|&x| lit(x)).max().unwrap() + 1 - 4;
            assert!(width <= text_width(text, 1) + 1 && width + 3 >= text_width(text, 1), "{text}: {width}");
        }
        assert_eq!(text_width("", 3), 0);
        assert_eq!(text_width("e\u{301}", 1), text_width("e", 1), "a mark takes no room");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(fit_text("mixamorig:LeftHand", 1, 1000), "mixamorig:LeftHand");
        for text in ["mixamorig:LeftHand", "Левая_рука_и_плечо"] {
            let cut = fit_text(text, 2, 100);
            assert!(cut.ends_with("..") && text_width(&cut, 2) <= 100, "{cut}");
        }
        assert_eq!(fit_text("abc", 4, 3), "");
    }

    #[test]
    fn letters_beyond_ascii_are_drawn_as_they_are() {
        let pictures = ["Größe", "Grobe", "Прыжок", "Пружок"].map(drawn);
        for (i, a) in pictures.iter().enumerate() {
            assert!(pictures[i + 1..].iter().all(|b| a.differing(b, 40) > 0.0), "{i}");
        }
        assert_eq!(drawn("\u{e000}"), drawn("\\u{e000}"), "and escaped where no font has them");
    }

    #[test]
    fn an_escape_is_a_picture() {
        let (picture, above) = escape_picture('左', 2);
        assert_eq!((picture.width(), above), (text_width("\\u{5de6}", 2), 14));
        assert!(picture.pixels().chunks_exact(4).any(|p| p[3] == 255));
    }
}
