//! Contact sheets and heat strips.

use crate::font::{self, draw_text, fit_text, text_width};
use crate::{Picture, RenderError};

/// A row of a sheet: one clip.
#[derive(Clone, Debug)]
pub(crate) struct SheetRow {
    /// Label above the row.
    pub(crate) label: String,
    /// Pictures, each with a caption below it: the time.
    pub(crate) cells: Vec<(Picture, String)>,
}

const PAGE: [u8; 4] = [250, 250, 251, 255];
const INK: [u8; 4] = [38, 42, 50, 255];
const FAINT: [u8; 4] = [96, 104, 118, 255];
/// Largest number of pixels of a page.
const LARGEST: u64 = 100_000_000;

/// Checks the size of a page before its pictures are drawn.
pub(crate) fn check(title: &str, cell: (u32, u32), columns: usize, rows: usize) -> Result<(), RenderError> {
    Layout::of(title, cell, columns, rows).map(|_| ())
}

/// Lays out rows of pictures on one page. All pictures must have one size; rows may differ in length.
pub(crate) fn sheet(title: &str, rows: &[SheetRow]) -> Result<Picture, RenderError> {
    let layout = Layout::of_rows(title, rows)?;
    let mut page = Picture::new(layout.size.0, layout.size.1, PAGE);
    let (text, margin) = (layout.text, layout.margin as i32);
    let room = layout.size.0 - 2 * layout.margin;
    draw_text(&mut page, margin, margin, text + 1, &fit_text(title, text + 1, room), INK);
    for (number, row) in rows.iter().enumerate() {
        let top = layout.row_top(number) as i32;
        draw_text(&mut page, margin, top, text, &fit_text(&row.label, text, room), INK);
        for (column, (picture, note)) in row.cells.iter().enumerate() {
            let x = margin + column as i32 * (layout.cell.0 + layout.gap) as i32;
            let y = top + layout.label as i32;
            page.lay(picture, x, y);
            let note_top = y + layout.cell.1 as i32 + 2 * layout.note as i32;
            draw_text(
                &mut page,
                x,
                note_top,
                layout.note,
                &fit_text(note, layout.note, layout.cell.0),
                FAINT,
            );
        }
    }
    Ok(page)
}

/// Layout of a page, in pixels.
struct Layout {
    cell: (u32, u32),
    size: (u32, u32),
    margin: u32,
    gap: u32,
    /// Font sizes of labels and captions.
    text: u32,
    note: u32,
    title: u32,
    /// Height of the label of a row.
    label: u32,
    /// Height of a row.
    row: u32,
}

impl Layout {
    fn of_rows(title: &str, rows: &[SheetRow]) -> Result<Self, RenderError> {
        let mut cells = rows.iter().flat_map(|row| &row.cells).map(|(picture, _)| picture.size());
        let empty =
            RenderError::Empty { what: "the sheet", hint: "give it at least one clip with one frame" };
        let cell = cells.next().ok_or(empty)?;
        if let Some((index, got)) = cells.enumerate().find(|(_, size)| *size != cell) {
            return Err(RenderError::Size { index: index + 1, got, expected: cell });
        }
        let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        Self::of(title, cell, columns, rows.len())
    }

    fn of(title: &str, cell: (u32, u32), columns: usize, rows: usize) -> Result<Self, RenderError> {
        let text = (cell.0 / 90).clamp(1, 4);
        let (gap, margin) = (3 * text, 8 * text);
        let title = if title.is_empty() { 0 } else { (font::LINE_HEIGHT + 4) * (text + 1) };
        let label = (font::LINE_HEIGHT + 1) * text;
        let note = (text / 2).max(1);
        let row = label + cell.1 + (font::LINE_HEIGHT + 2) * note + margin;
        let width = columns as u64 * u64::from(cell.0 + gap) - u64::from(gap) + u64::from(2 * margin);
        let height = u64::from(title + margin) + rows as u64 * u64::from(row);
        if width.saturating_mul(height) > LARGEST || width.max(height) > u64::from(u16::MAX) {
            return Err(RenderError::TooLarge {
                what: "the sheet (pixels)".into(),
                needed: width.saturating_mul(height),
                limit: LARGEST,
                hint: "choose smaller pictures, fewer frames or fewer clips",
            });
        }
        Ok(Self { cell, size: (width as u32, height as u32), margin, gap, text, note, title, label, row })
    }

    fn row_top(&self, row: usize) -> u32 {
        self.margin + self.title + row as u32 * self.row
    }
}

/// A row of a heat strip: usually one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct StripRow {
    /// Label beside the row.
    pub label: String,
    /// Values over time, of all sections in order.
    pub values: Vec<f32>,
}

/// A group of columns of a heat strip: usually one clip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StripSection {
    /// Label above the section.
    pub label: String,
    /// Number of columns.
    pub columns: usize,
}

/// A heat map of values over time: a row for each label, time to the right, from dark (0) to red (`highest` and above). `unit` is the unit of the
/// scale. A strip of one clip needs no sections.
pub fn heat_strip(
    title: &str,
    sections: &[StripSection],
    rows: &[StripRow],
    highest: f32,
    unit: &str,
) -> Result<Picture, RenderError> {
    let layout = StripLayout::of(title, sections, rows)?;
    let mut page = Picture::new(layout.size.0, layout.size.1, PAGE);
    let (margin, left) = (MARGIN as i32, layout.left as i32);
    draw_text(&mut page, margin, margin, 2, title, INK);
    let mut first = 0;
    for (number, section) in sections.iter().enumerate() {
        let room = section.columns as u32 * layout.wide;
        let text = fit_text(&section.label, 1, room);
        let y = layout.top as i32 - font::LINE_HEIGHT as i32 - 1;
        draw_text(&mut page, layout.x(first, number), y, 1, &text, FAINT);
        first += section.columns;
    }
    for (number, row) in rows.iter().enumerate() {
        let y = (layout.top + number as u32 * layout.high) as i32;
        draw_text(&mut page, margin, y + 2, 1, &fit_text(&row.label, 1, layout.names), INK);
        for (column, value) in row.values.iter().enumerate() {
            let x = layout.x(column, section_of(sections, column));
            let color = heat_color(value / highest.max(f32::MIN_POSITIVE));
            page.fill_rect(x, y, layout.wide, layout.high - 1, color);
        }
    }
    let y = layout.size.1 as i32 - margin - font::LINE_HEIGHT as i32;
    for i in 0..100 {
        page.fill_rect(left + i, y, 1, font::CAP_HEIGHT, heat_color(i as f32 / 99.0));
    }
    draw_text(&mut page, left + 106, y, 1, &format!("0 to {highest:.3} {unit}"), FAINT);
    Ok(page)
}

const MARGIN: u32 = 10;
/// Between two sections of a strip.
const SECTION_GAP: usize = 3;

/// Layout of a strip, in pixels.
struct StripLayout {
    size: (u32, u32),
    /// Width of the labels.
    names: u32,
    left: u32,
    top: u32,
    wide: u32,
    high: u32,
}

impl StripLayout {
    fn of(title: &str, sections: &[StripSection], rows: &[StripRow]) -> Result<Self, RenderError> {
        let columns = rows.iter().map(|row| row.values.len()).max().unwrap_or(0);
        if columns == 0 {
            return Err(RenderError::Empty {
                what: "the strip",
                hint: "give it at least one joint and one time",
            });
        }
        let high = u64::from(font::LINE_HEIGHT + 2);
        let wide = (900 / columns as u64).clamp(1, 12);
        let names = rows.iter().map(|row| text_width(&row.label, 1)).max().unwrap_or(0).min(220);
        let left = MARGIN + names + 8;
        let gaps = (sections.len().saturating_sub(1) * SECTION_GAP) as u64;
        let strip = u64::from(left + MARGIN) + columns as u64 * wide + gaps;
        let width = strip.max(u64::from(text_width(title, 2) + 2 * MARGIN)).max(320);
        let top = u64::from(MARGIN + if sections.is_empty() { 3 } else { 4 } * font::LINE_HEIGHT);
        let height = top + rows.len() as u64 * high + u64::from(MARGIN) + 2 * high;
        if width.max(height) > u64::from(u16::MAX) {
            return Err(RenderError::TooLarge {
                what: "the strip's longer side (pixels)".into(),
                needed: width.max(height),
                limit: u16::MAX.into(),
                hint: "show fewer joints or fewer times",
            });
        }
        let size = (width as u32, height as u32);
        Ok(Self { size, names, left, top: top as u32, wide: wide as u32, high: high as u32 })
    }

    /// Left edge of a column, in a section.
    fn x(&self, column: usize, section: usize) -> i32 {
        (self.left + column as u32 * self.wide) as i32 + (section * SECTION_GAP) as i32
    }
}

/// The section that a column is in.
fn section_of(sections: &[StripSection], column: usize) -> usize {
    let mut end = 0;
    let before = |section: &&StripSection| {
        end += section.columns;
        end <= column
    };
    sections.iter().take_while(before).count().min(sections.len().saturating_sub(1))
}

/// Dark through blue, green and yellow to red; light grey for NaN.
fn heat_color(part: f32) -> [u8; 4] {
    const STOPS: [[f32; 3]; 6] = [
        [36.0, 40.0, 52.0],
        [42.0, 78.0, 190.0],
        [0.0, 160.0, 170.0],
        [104.0, 190.0, 70.0],
        [245.0, 200.0, 50.0],
        [215.0, 48.0, 39.0],
    ];
    if part.is_nan() {
        return [214, 216, 220, 255];
    }
    let at = part.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let low = (at as usize).min(STOPS.len() - 2);
    let t = at - low as f32;
    let [r, g, b] = [0, 1, 2].map(|c| (STOPS[low][c] * (1.0 - t) + STOPS[low + 1][c] * t).round() as u8);
    [r, g, b, 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str, count: usize) -> SheetRow {
        let cell = |i: usize| (Picture::new(60, 40, [100, i as u8 * 10, 0, 255]), format!("{i} s"));
        SheetRow { label: label.into(), cells: (0..count).map(cell).collect() }
    }

    #[test]
    fn every_picture_is_on_the_page_and_none_is_covered() {
        let page = sheet("hero", &[row("walk", 3), row("run", 5)]).unwrap();
        for i in 0..5u8 {
            let pixels = page.pixels().chunks_exact(4).filter(|p| **p == [100, i * 10, 0, 255]).count();
            let rows = if i < 3 { 2 } else { 1 };
            assert_eq!(pixels, rows * 60 * 40, "picture {i}");
        }
    }

    #[test]
    fn odd_sheets_are_refused() {
        assert!(matches!(sheet("", &[]), Err(RenderError::Empty { .. })));
        assert!(matches!(sheet("", &[row("none", 0)]), Err(RenderError::Empty { .. })));
        let mut mixed = row("a", 2);
        mixed.cells[1].0 = Picture::new(1, 1, [0; 4]);
        assert!(matches!(sheet("", &[mixed]), Err(RenderError::Size { index: 1, .. })));
        let wide = SheetRow {
            label: String::new(),
            cells: vec![(Picture::new(4000, 2, [0; 4]), String::new()); 20],
        };
        assert!(matches!(sheet("", &[wide]), Err(RenderError::TooLarge { .. })));
    }

    #[test]
    fn a_strip_shows_where_values_are_high() {
        let rows = [
            StripRow { label: "hips".into(), values: vec![0.0, 0.5, 1.0] },
            StripRow { label: "hand".into(), values: vec![2.0, f32::NAN, 0.0] },
        ];
        let strip = heat_strip("a against b", &[], &rows, 1.0, "mm").unwrap();
        let count = |color| strip.pixels().chunks_exact(4).filter(|p| **p == color).count();
        assert!(count(heat_color(1.0)) >= 2 * 11 * 12, "two high ones");
        assert!(count(heat_color(f32::NAN)) >= 11 * 12);
        assert!(heat_strip("", &[], &[], 1.0, "mm").is_err());
    }

    #[test]
    fn sections_of_a_strip_lie_apart() {
        let rows = [StripRow { label: "hips".into(), values: vec![1.0; 5] }];
        let section = |label: &str, columns| StripSection { label: label.into(), columns };
        let sections = [section("walk", 2), section("run", 3)];
        let strip = heat_strip("", &sections, &rows, 1.0, "mm").unwrap();
        let red = heat_color(1.0);
        // The pixel row with most red belongs to the strip, not to the scale.
        let line = (0..strip.height())
            .map(|y| (0..strip.width()).map(|x| strip.pixel(x, y) == red).collect::<Vec<_>>())
            .max_by_key(|line| line.iter().filter(|red| **red).count())
            .unwrap();
        let first = line.iter().position(|red| *red).unwrap();
        let runs: Vec<usize> =
            line[first..].split(|red| !red).map(<[bool]>::len).filter(|n| *n > 0).collect();
        assert_eq!(runs, [2 * 12, 3 * 12]);
        assert_eq!([0, 1, 2, 4, 9].map(|column| section_of(&sections, column)), [0, 0, 1, 1, 1]);
    }
}
