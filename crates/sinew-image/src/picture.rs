//! A picture in memory.

use std::fmt;

/// A picture of 8-bit RGBA pixels: sRGB, straight (not premultiplied) alpha, rows from top to bottom.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({} x {})", self.width, self.height)
    }
}

impl Picture {
    /// A picture of one colour.
    pub fn new(width: u32, height: u32, color: [u8; 4]) -> Self {
        Self { width, height, pixels: color.repeat(width as usize * height as usize) }
    }

    /// A picture of RGBA bytes; `None` unless there are exactly `width * height * 4` of them.
    pub fn from_pixels(width: u32, height: u32, pixels: Vec<u8>) -> Option<Self> {
        (pixels.len() == width as usize * height as usize * 4).then_some(Self { width, height, pixels })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Width and height.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// RGBA bytes.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// RGBA bytes, to be changed.
    pub fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    /// The picture in another size, each channel interpolated between the nearest pixels: fit for enlarging.
    #[must_use]
    pub fn resized(&self, width: u32, height: u32) -> Self {
        if self.size() == (width, height) || self.pixels.is_empty() {
            return self.clone();
        }
        let mut out = Self::new(width, height, [0; 4]);
        let columns: Vec<_> = (0..width).map(|x| between(x, width, self.width)).collect();
        let row_bytes = (width as usize * 4).max(1);
        for (y, row) in (0..height).zip(out.pixels.chunks_exact_mut(row_bytes)) {
            let ([top, bottom], down) = between(y, height, self.height);
            for (pixel, &([left, right], across)) in row.chunks_exact_mut(4).zip(&columns) {
                let corner = |x, y| self.pixel(x, y).map(f32::from);
                let upper = mix(corner(left, top), corner(right, top), across);
                let lower = mix(corner(left, bottom), corner(right, bottom), across);
                pixel.copy_from_slice(&mix(upper, lower, down).map(|value| value.round() as u8));
            }
        }
        out
    }

    /// The colour of one pixel; transparent black outside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        if x >= self.width || y >= self.height {
            return [0; 4];
        }
        let at = (y as usize * self.width as usize + x as usize) * 4;
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2], self.pixels[at + 3]]
    }

    /// Fills a rectangle, clipped to the picture. A translucent colour is blended over the pixels.
    pub fn fill_rect(&mut self, x: i32, y: i32, width: u32, height: u32, color: [u8; 4]) {
        let span = |from: i32, length: u32, whole: u32| {
            let end = i64::from(from) + i64::from(length);
            from.max(0) as usize..end.clamp(0, i64::from(whole)) as usize
        };
        let columns = span(x, width, self.width);
        for row in span(y, height, self.height) {
            for column in columns.clone() {
                let at = (row * self.width as usize + column) * 4;
                over(&mut self.pixels[at..at + 4], color);
            }
        }
    }

    /// Blends another picture over this one, with its upper left corner at `x`, `y`.
    pub fn lay(&mut self, other: &Self, x: i32, y: i32) {
        for (row, line) in other.pixels.chunks_exact((other.width as usize * 4).max(1)).enumerate() {
            let to = i64::from(y) + row as i64;
            if to < 0 || to >= i64::from(self.height) {
                continue;
            }
            for (column, pixel) in line.chunks_exact(4).enumerate() {
                let to_x = i64::from(x) + column as i64;
                if to_x < 0 || to_x >= i64::from(self.width) {
                    continue;
                }
                let at = (to as usize * self.width as usize + to_x as usize) * 4;
                over(&mut self.pixels[at..at + 4], [pixel[0], pixel[1], pixel[2], pixel[3]]);
            }
        }
    }

    /// Sets the pixels of a block of 4 x 4 with its upper left corner at `x`, `y`, without those outside the picture.
    pub(crate) fn put_block(&mut self, x: u32, y: u32, block: &[[u8; 4]; 16]) {
        let width = self.width.saturating_sub(x).min(4) as usize;
        for (y, row) in (y..self.height).zip(block.chunks_exact(4)) {
            let at = (y as usize * self.width as usize + x as usize) * 4;
            self.pixels[at..at + width * 4].copy_from_slice(row[..width].as_flattened());
        }
    }

    /// Mean absolute difference over all channels, in steps of 1/255. Infinite if the sizes differ.
    pub fn mean_difference(&self, other: &Self) -> f64 {
        if self.size() != other.size() {
            return f64::INFINITY;
        }
        let sum: u64 = self.pixels.iter().zip(&other.pixels).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f64 / (self.pixels.len().max(1)) as f64
    }

    /// Part of the pixels (0 to 1) that differ by more than `step` in any channel; 1 if the sizes differ.
    pub fn differing(&self, other: &Self, step: u8) -> f64 {
        if self.size() != other.size() {
            return 1.0;
        }
        let pairs = self.pixels.chunks_exact(4).zip(other.pixels.chunks_exact(4));
        let count = pairs.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > step)).count();
        count as f64 / (self.pixels.len() / 4).max(1) as f64
    }

    /// Both pictures and their difference, amplified four times, side by side.
    pub fn compared(&self, other: &Self) -> Self {
        let (width, height) = (self.width.max(other.width), self.height.max(other.height));
        let mut out = Self::new(width * 3 + 8, height, [255, 255, 255, 255]);
        out.lay(self, 0, 0);
        out.lay(other, width as i32 + 4, 0);
        for y in 0..height {
            for x in 0..width {
                let (a, b) = (self.pixel(x, y), other.pixel(x, y));
                let off = [0, 1, 2].map(|c| a[c].abs_diff(b[c]).max(a[3].abs_diff(b[3])).saturating_mul(4));
                let at = (y as usize * out.width as usize + (x + 2 * width + 8) as usize) * 4;
                out.pixels[at..at + 4].copy_from_slice(&[off[0], off[1], off[2], 255]);
            }
        }
        out
    }

    /// First and last row with a pixel that differs from the other picture by more than `step`. Compared with an empty picture this is the
    /// height of what is drawn.
    pub fn differing_rows(&self, other: &Self, step: u8) -> Option<(u32, u32)> {
        if self.size() != other.size() {
            return None;
        }
        let stride = (self.width as usize * 4).max(1);
        let mut rows = (0u32..)
            .zip(self.pixels.chunks_exact(stride).zip(other.pixels.chunks_exact(stride)))
            .filter(|(_, (a, b))| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > step))
            .map(|(row, _)| row);
        let first = rows.next()?;
        Some((first, rows.last().unwrap_or(first)))
    }
}

/// The two pixels of a row of `from` pixels that the centre of pixel `at` of `to` lies between, and how far it is from the first.
fn between(at: u32, to: u32, from: u32) -> ([u32; 2], f32) {
    let last = from.saturating_sub(1);
    let place = ((at as f32 + 0.5) * from as f32 / to as f32 - 0.5).clamp(0.0, last as f32);
    let first = (place as u32).min(last);
    ([first, (first + 1).min(last)], place - first as f32)
}

fn mix(a: [f32; 4], b: [f32; 4], share: f32) -> [f32; 4] {
    std::array::from_fn(|channel| a[channel] + (b[channel] - a[channel]) * share)
}

/// Blends a colour over a pixel, both with straight alpha.
fn over(under: &mut [u8], color: [u8; 4]) {
    if color[3] == 255 {
        under.copy_from_slice(&color);
        return;
    }
    if color[3] == 0 {
        return;
    }
    let (a, b) = (u32::from(color[3]), u32::from(under[3]));
    let rest = b * (255 - a) / 255;
    let alpha = a + rest;
    for (under, color) in under.iter_mut().zip(&color[..3]) {
        *under = ((u32::from(*color) * a + u32::from(*under) * rest + alpha / 2) / alpha) as u8;
    }
    under[3] = alpha as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_cut_off() {
        let mut picture = Picture::new(4, 3, [0, 0, 0, 255]);
        picture.fill_rect(-2, 1, 3, 9, [255, 0, 0, 255]);
        let red: Vec<_> = (0..3)
            .flat_map(|y| (0..4).map(move |x| (x, y)))
            .filter(|&(x, y)| picture.pixel(x, y)[0] == 255)
            .collect();
        assert_eq!(red, [(0, 1), (0, 2)]);
        picture.lay(&Picture::new(9, 1, [0, 9, 0, 255]), -3, 0);
        assert!((0..4).all(|x| picture.pixel(x, 0)[1] == 9));
        picture.lay(&Picture::new(1, 1, [9; 4]), 100, 100);
        assert_eq!(picture.pixel(4, 0), [0; 4]);
    }

    #[test]
    fn colours_are_laid_over_each_other() {
        let mut picture = Picture::new(1, 1, [0, 0, 0, 0]);
        picture.fill_rect(0, 0, 1, 1, [200, 100, 0, 128]);
        assert_eq!(picture.pixel(0, 0), [200, 100, 0, 128], "over transparent pixels it is unchanged");
        picture.fill_rect(0, 0, 1, 1, [0, 0, 0, 255]);
        picture.fill_rect(0, 0, 1, 1, [200, 100, 0, 128]);
        assert_eq!(picture.pixel(0, 0), [100, 50, 0, 255]);
    }

    #[test]
    fn an_enlarged_picture_is_interpolated() {
        let small = Picture::from_pixels(2, 1, vec![0, 0, 0, 255, 200, 100, 0, 255]).unwrap();
        let large = small.resized(4, 2);
        let reds: Vec<u8> = (0..4).map(|x| large.pixel(x, 1)[0]).collect();
        assert_eq!(reds, [0, 50, 150, 200]);
        assert_eq!(small.resized(2, 1), small);
        assert_eq!(Picture::new(0, 0, [0; 4]).resized(0, 0).size(), (0, 0));
    }

    #[test]
    fn differences_are_measured() {
        let a = Picture::new(2, 2, [10, 20, 30, 255]);
        let mut b = a.clone();
        assert_eq!((a.mean_difference(&b), a.differing(&b, 0)), (0.0, 0.0));
        b.fill_rect(1, 1, 1, 1, [26, 20, 30, 255]);
        assert_eq!((a.mean_difference(&b), a.differing(&b, 15), a.differing(&b, 16)), (1.0, 0.25, 0.0));
        assert_eq!(a.differing_rows(&b, 3), Some((1, 1)));
        assert_eq!(a.differing_rows(&a, 3), None);
        let other = Picture::new(1, 2, [0; 4]);
        assert!(a.mean_difference(&other).is_infinite() && a.differing(&other, 255) == 1.0);
        let side = a.compared(&b);
        assert_eq!((side.size(), side.pixel(13, 1)), ((14, 2), [64, 0, 0, 255]));
    }
}
