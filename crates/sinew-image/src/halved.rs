//! Smaller versions of pictures, and what their numbers mean.

use crate::Picture;
use crate::srgb::Srgb;

/// What the numbers of a picture mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColorSpace {
    /// Colours, encoded as sRGB.
    Srgb,
    /// Anything else: normals, roughness.
    Linear,
}

/// A picture of half the size: colours averaged in linear space, weighted by alpha; other numbers as they are.
pub fn halved(picture: &Picture, space: ColorSpace) -> Picture {
    let srgb = Srgb::tables();
    let (width, height) = ((picture.width() / 2).max(1), (picture.height() / 2).max(1));
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            let (x1, y1) = ((2 * x + 1).min(picture.width() - 1), (2 * y + 1).min(picture.height() - 1));
            let (x0, y0) = ((2 * x).min(x1), (2 * y).min(y1));
            let four = [(x0, y0), (x1, y0), (x0, y1), (x1, y1)].map(|(x, y)| picture.pixel(x, y));
            if space == ColorSpace::Linear {
                let mean = |c: usize| four.iter().map(|p| u16::from(p[c])).sum::<u16>() + 2;
                pixels.extend((0..4).map(|c| (mean(c) / 4) as u8));
                continue;
            }
            let alpha: f32 = four.iter().map(|p| f32::from(p[3])).sum();
            for c in 0..3 {
                let weight = |p: &[u8; 4]| if alpha > 0.0 { f32::from(p[3]) / alpha } else { 0.25 };
                let light: f32 = four.iter().map(|p| srgb.decode(p[c]) * weight(p)).sum();
                pixels.push(srgb.encode(light));
            }
            pixels.push((alpha / 4.0).round() as u8);
        }
    }
    Picture::from_pixels(width, height, pixels).unwrap_or_else(|| Picture::new(1, 1, [255; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_checkerboard_is_half_the_light() {
        let mut picture = Picture::new(2, 2, [255; 4]);
        picture.fill_rect(0, 0, 1, 1, [0, 0, 0, 255]);
        picture.fill_rect(1, 1, 1, 1, [0, 0, 0, 255]);
        assert_eq!(halved(&picture, ColorSpace::Srgb).pixel(0, 0), [188, 188, 188, 255]);
        assert_eq!(halved(&picture, ColorSpace::Linear).pixel(0, 0), [128, 128, 128, 255]);
        let mut cutout = Picture::from_pixels(2, 1, vec![200, 0, 0, 255, 0, 200, 0, 0]).unwrap();
        assert_eq!(
            halved(&cutout, ColorSpace::Srgb).pixel(0, 0),
            [200, 0, 0, 128],
            "transparent pixels do not contribute"
        );
        cutout = Picture::new(5, 1, [40, 50, 60, 70]);
        assert_eq!(
            (halved(&cutout, ColorSpace::Srgb).size(), halved(&cutout, ColorSpace::Srgb).pixel(1, 0)),
            ((2, 1), [40, 50, 60, 70])
        );
    }
}
