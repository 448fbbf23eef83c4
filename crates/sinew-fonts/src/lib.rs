//! Letters of any script that a font has: the bundled font (Latin with accents, Greek, Cyrillic) first, then the fonts that are installed. What
//! no font has is written as an escape, such as `\u{5de6}`.

use ab_glyph::{Font, FontArc, FontRef, FontVec, GlyphId};
use fontdb::{Database, FaceInfo, Style, Weight};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use unicode_width::UnicodeWidthChar;

/// Fonts that are opened at most: a text of many scripts must not load all that are installed.
const MOST_FACES: usize = 16;

/// Columns that a letter takes in a grid: two for a wide one, as of Chinese, none for a mark over the letter before it.
pub fn columns(letter: char) -> u32 {
    letter.width().unwrap_or(0) as u32
}

/// A font face. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Face {
    name: String,
    index: u32,
    outlines: FontArc,
}

/// A letter as coverage, relative to the pen on the baseline; Y points down.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Glyph {
    /// Left edge.
    pub left: i32,
    /// Upper edge.
    pub top: i32,
    /// Pixels in a row.
    pub width: u32,
    /// Coverage of each pixel, row by row.
    pub coverage: Vec<u8>,
}

impl Face {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of its file.
    pub fn data(&self) -> &[u8] {
        self.outlines.font_data()
    }

    /// Its number in the file.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Coverage of a letter, with `em` pixels per em; `None` for one without ink.
    pub fn glyph(&self, letter: char, em: f32) -> Option<Glyph> {
        let units = self.outlines.units_per_em()?;
        // ab_glyph counts the scale from the lowest to the highest letter.
        let scale = em * self.outlines.height_unscaled() / units;
        let outlined = self.outlines.outline_glyph(self.outlines.glyph_id(letter).with_scale(scale))?;
        let bounds = outlined.px_bounds();
        let (width, height) = (bounds.width() as u32, bounds.height() as u32);
        let mut coverage = vec![0; width as usize * height as usize];
        outlined.draw(|x, y, part| {
            if let Some(pixel) = coverage.get_mut((y * width + x) as usize) {
                *pixel = (part.clamp(0.0, 1.0) * 255.0).round() as u8;
            }
        });
        Some(Glyph { left: bounds.min.x as i32, top: bounds.min.y as i32, width, coverage })
    }
}

/// Fonts, in the order in which they are asked for a letter.
#[derive(Debug)]
pub struct Fonts {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// What was opened, the bundled font first.
    faces: Vec<Face>,
    installed: Installed,
    /// Letters that no font has.
    missing: HashSet<char>,
}

/// Fonts beyond the bundled one.
#[derive(Debug)]
enum Installed {
    /// Not looked for yet: most texts need none.
    Unknown,
    Known(Database),
}

impl Fonts {
    /// The bundled font, and those that are installed on the system.
    pub fn installed() -> &'static Self {
        static FONTS: OnceLock<Fonts> = OnceLock::new();
        FONTS.get_or_init(|| Self::new(Installed::Unknown))
    }

    /// The bundled font, and those in a folder.
    pub fn of_folder(folder: &Path) -> Self {
        let mut database = Database::new();
        database.load_fonts_dir(folder);
        Self::new(Installed::Known(database))
    }

    fn new(installed: Installed) -> Self {
        let font = FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR);
        let bundled = font.map(|font| Face { name: "Hack".into(), index: 0, outlines: font.into() });
        let state = State { faces: bundled.into_iter().collect(), installed, missing: HashSet::new() };
        Self { state: Mutex::new(state) }
    }

    /// The first font that has a letter.
    pub fn face(&self, letter: char) -> Option<Face> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).face(letter)
    }

    /// A text in which letters that no font has, and those that are not meant to be seen, are escaped.
    pub fn readable<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let shown = |c: char| match c {
            ' '..='~' => true,
            _ if c.is_control() => false,
            _ => c.is_whitespace() || self.face(c).is_some(),
        };
        if text.chars().all(shown) {
            return Cow::Borrowed(text);
        }
        let letter = |c: char| if shown(c) { c.to_string() } else { c.escape_unicode().to_string() };
        Cow::Owned(text.chars().map(letter).collect())
    }
}

impl State {
    fn face(&mut self, letter: char) -> Option<Face> {
        let known = self.faces.iter().find(|face| has(&face.outlines, letter));
        if known.is_some() || self.missing.contains(&letter) || self.faces.len() >= MOST_FACES {
            return known.cloned();
        }
        let face = self.search(letter);
        match &face {
            Some(face) => self.faces.push(face.clone()),
            None => {
                self.missing.insert(letter);
            }
        }
        face
    }

    /// Upright fonts of normal weight come first, then those without serifs; all else being equal, by name.
    fn search(&mut self, letter: char) -> Option<Face> {
        if let Installed::Unknown = self.installed {
            let mut database = Database::new();
            database.load_system_fonts();
            self.installed = Installed::Known(database);
        }
        let Installed::Known(database) = &self.installed else { return None };
        let mut faces: Vec<&FaceInfo> = database.faces().collect();
        faces.sort_by_cached_key(|face| {
            let name = &face.post_script_name;
            let plain = face.style == Style::Normal && face.weight == Weight::NORMAL;
            (!plain, name.contains("Serif"), name.clone(), face.index)
        });
        faces.into_iter().find_map(|face| open(database, face, letter))
    }
}

fn open(database: &Database, face: &FaceInfo, letter: char) -> Option<Face> {
    let read = |data: &[u8], index: u32| {
        FontRef::try_from_slice_and_index(data, index).ok().filter(|font| has(font, letter))?;
        let outlines = FontVec::try_from_vec_and_index(data.to_vec(), index).ok()?;
        Some(Face { name: face.post_script_name.clone(), index, outlines: outlines.into() })
    };
    database.with_face_data(face.id, read)?
}

/// Whether a font can draw a letter; one of coloured pictures alone cannot.
fn has(font: &impl Font, letter: char) -> bool {
    let id = font.glyph_id(letter);
    id != GlyphId(0) && font.outline(id).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In Ubuntu Light and not in Hack.
    const SCHWA: char = 'Ə';
    const HANGUL: char = '한';

    #[test]
    fn latin_greek_and_cyrillic_are_bundled() {
        let empty = tempfile::tempdir().unwrap();
        let fonts = Fonts::of_folder(empty.path());
        for text in
            ["Größe façade Žluťoučký kůň İstanbul", "Прыжок съёмка їжак", "Άλμα", "naïve\u{a0}x", "e\u{301}"]
        {
            assert!(matches!(fonts.readable(text), Cow::Borrowed(_)), "{text}: {}", fonts.readable(text));
        }
    }

    #[test]
    fn what_no_font_has_is_escaped() {
        let empty = tempfile::tempdir().unwrap();
        let fonts = Fonts::of_folder(empty.path());
        assert_eq!(fonts.readable("左_L"), "\\u{5de6}_L");
        assert_eq!(fonts.readable("a\tb\u{202e}c"), "a\\u{9}b\\u{202e}c", "nothing turns a text round");
    }

    #[test]
    fn fonts_of_a_folder_have_more_letters() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("light.ttf"), epaint_default_fonts::UBUNTU_LIGHT).unwrap();
        std::fs::write(folder.path().join("broken.ttf"), b"no font").unwrap();
        let fonts = Fonts::of_folder(folder.path());
        assert_eq!(fonts.face('a').unwrap().name(), "Hack");
        let face = fonts.face(SCHWA).unwrap();
        assert!(
            face.name().contains("Ubuntu") && face.data() == epaint_default_fonts::UBUNTU_LIGHT,
            "{face:?}"
        );
        assert!(fonts.face(HANGUL).is_none() && fonts.face(HANGUL).is_none());
        assert_eq!(fonts.readable("Ə한"), "Ə\\u{d55c}");
    }

    #[test]
    fn letters_are_drawn_on_the_baseline() {
        let face = Fonts::installed().face('H').unwrap();
        let glyph = face.glyph('H', 96.0).unwrap();
        let height = glyph.coverage.len() as u32 / glyph.width;
        assert!((68..73).contains(&height) && glyph.top == -(height as i32), "{height} {}", glyph.top);
        assert!(glyph.coverage.iter().filter(|c| **c == 255).count() > 500);
        assert!(face.glyph('Ä', 96.0).unwrap().top < glyph.top, "the dots are above");
        assert!(face.glyph(' ', 96.0).is_none());
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(['a', 'Я', '左', '\u{301}', '한'].map(columns), [1, 1, 2, 0, 2]);
    }
}
