//! Many pictures on one page, with labels.

use crate::font::{self, draw_text, fit_text, text_width};
use crate::{Picture, RenderError};

/// A row of a sheet: usually one clip.
#[derive(Clone, Debug)]
pub struct SheetRow {
    /// Written above the row.
    pub label: String,
    /// Pictures, each with what is written below it: usually the time.
    pub cells: Vec<(Picture, String)>,
}

const PAGE: [u8; 4] = [250, 250, 251, 255];
const INK: [u8; 4] = [38, 42, 50, 255];
const FAINT: [u8; 4] = [96, 104, 118, 255];
/// The largest page, in pixels.
const LARGEST: u64 = 400_000_000;

/// Lays rows of pictures out on one page. All pictures must be of one size; rows may be of different length.
pub fn sheet(title: &str, rows: &[SheetRow]) -> Result<Picture, RenderError> {
    let layout = Layout::of(title, rows)?;
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

/// Sizes in pixels of the page.
struct Layout {
    cell: (u32, u32),
    size: (u32, u32),
    margin: u32,
    gap: u32,
    /// Size of labels and notes, in pixels for one of the font.
    text: u32,
    note: u32,
    title: u32,
    /// From the top of a row to its pictures.
    label: u32,
    /// From one row to the next.
    row: u32,
}

impl Layout {
    fn of(title: &str, rows: &[SheetRow]) -> Result<Self, RenderError> {
        let mut cells = rows.iter().flat_map(|row| &row.cells).map(|(picture, _)| picture.size());
        let empty =
            RenderError::Empty { what: "the sheet", hint: "give it at least one clip with one frame" };
        let cell = cells.next().ok_or(empty)?;
        if let Some((index, got)) = cells.enumerate().find(|(_, size)| *size != cell) {
            return Err(RenderError::Size { index: index + 1, got, expected: cell });
        }
        let text = (cell.0 / 90).clamp(1, 4);
        let (gap, margin) = (3 * text, 8 * text);
        let title = if title.is_empty() { 0 } else { (font::LINE_HEIGHT + 4) * (text + 1) };
        let label = (font::LINE_HEIGHT + 1) * text;
        let note = (text / 2).max(1);
        let row = label + cell.1 + (font::LINE_HEIGHT + 2) * note + margin;
        let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0) as u64;
        let width = columns * u64::from(cell.0 + gap) - u64::from(gap) + u64::from(2 * margin);
        let height = u64::from(title + margin) + rows.len() as u64 * u64::from(row);
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
    /// Written beside it.
    pub label: String,
    /// Values over time.
    pub values: Vec<f32>,
}

/// Values over time as colours: rows downward, time to the right, from dark (zero) to red (`highest` and above). `unit` is written beside
/// the scale.
pub fn heat_strip(title: &str, rows: &[StripRow], highest: f32, unit: &str) -> Result<Picture, RenderError> {
    let columns = rows.iter().map(|row| row.values.len()).max().unwrap_or(0) as u32;
    if columns == 0 {
        return Err(RenderError::Empty {
            what: "the strip",
            hint: "give it at least one joint and one time",
        });
    }
    let high = font::LINE_HEIGHT + 2;
    let wide = (900 / columns).clamp(1, 12);
    let names = rows.iter().map(|row| text_width(&row.label, 1)).max().unwrap_or(0).min(220);
    let (margin, left) = (10, 10 + names + 8);
    let width = (left + columns * wide + margin).max(text_width(title, 2) + 2 * margin).max(320);
    let top = margin + 3 * font::LINE_HEIGHT;
    let height = u64::from(top) + rows.len() as u64 * u64::from(high) + u64::from(margin + 2 * high);
    if height > u64::from(u16::MAX) || width > u32::from(u16::MAX) {
        return Err(RenderError::TooLarge {
            what: "the strip's longer side (pixels)".into(),
            needed: height.max(width.into()),
            limit: u16::MAX.into(),
            hint: "show fewer joints or fewer times",
        });
    }
    let mut page = Picture::new(width, height as u32, PAGE);
    draw_text(&mut page, margin as i32, margin as i32, 2, title, INK);
    for (number, row) in rows.iter().enumerate() {
        let y = (top + number as u32 * high) as i32;
        draw_text(&mut page, margin as i32, y + 2, 1, &fit_text(&row.label, 1, names), INK);
        for (column, value) in row.values.iter().enumerate() {
            let x = left as i32 + column as i32 * wide as i32;
            page.fill_rect(x, y, wide, high - 1, heat_color(value / highest.max(f32::MIN_POSITIVE)));
        }
    }
    let y = height as i32 - margin as i32 - font::LINE_HEIGHT as i32;
    for i in 0..100 {
        page.fill_rect(left as i32 + i, y, 1, font::CAP_HEIGHT, heat_color(i as f32 / 99.0));
    }
    draw_text(&mut page, left as i32 + 106, y, 1, &format!("0 to {highest:.3} {unit}"), FAINT);
    Ok(page)
}

/// Dark over blue, green and yellow to red; a light grey where there is no number.
pub fn heat_color(part: f32) -> [u8; 4] {
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
        let strip = heat_strip("a against b", &rows, 1.0, "mm").unwrap();
        let count = |color| strip.pixels().chunks_exact(4).filter(|p| **p == color).count();
        assert!(count(heat_color(1.0)) >= 2 * 11 * 12, "two high ones");
        assert!(count(heat_color(f32::NAN)) >= 11 * 12);
        assert!(heat_strip("", &[], 1.0, "mm").is_err());
    }
}
