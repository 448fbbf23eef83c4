//! Background, light and ground.

use sinew::glam::{Vec3, Vec4};
use sinew_image::to_linear;
use std::str::FromStr;

/// An sRGB colour with straight alpha. Parses `#d8dce2` and some names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 4]);

impl Color {
    /// Fully transparent.
    pub const TRANSPARENT: Self = Self([0; 4]);

    /// Linear RGB with straight alpha.
    pub fn linear(self) -> Vec4 {
        let [r, g, b, a] = self.0;
        Vec4::new(to_linear(r), to_linear(g), to_linear(b), f32::from(a) / 255.0)
    }

    fn premultiplied(self) -> Vec4 {
        let c = self.linear();
        (c.truncate() * c.w).extend(c.w)
    }
}

/// A colour that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a colour: write #rrggbb, #rrggbbaa, #rgb, white, black, grey, dark or transparent")]
#[non_exhaustive]
pub struct ColorError {
    /// As written.
    pub given: String,
}

impl FromStr for Color {
    type Err = ColorError;

    fn from_str(text: &str) -> Result<Self, ColorError> {
        let wrong = || ColorError { given: text.to_owned() };
        match text.trim().to_ascii_lowercase().as_str() {
            "white" => return Ok(Self([255; 4])),
            "black" => return Ok(Self([0, 0, 0, 255])),
            "grey" | "gray" => return Ok(Self([128, 128, 128, 255])),
            "dark" => return Ok(Self([32, 34, 38, 255])),
            "transparent" | "none" => return Ok(Self::TRANSPARENT),
            _ => {}
        }
        let digits: Option<Vec<u8>> = text
            .trim()
            .trim_start_matches('#')
            .chars()
            .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
            .collect();
        match *digits.ok_or_else(wrong)?.as_slice() {
            [r, g, b] => Ok(Self([r * 17, g * 17, b * 17, 255])),
            [r, r2, g, g2, b, b2] => Ok(Self([r * 16 + r2, g * 16 + g2, b * 16 + b2, 255])),
            [r, r2, g, g2, b, b2, a, a2] => Ok(Self([r * 16 + r2, g * 16 + g2, b * 16 + b2, a * 16 + a2])),
            _ => Err(wrong()),
        }
    }
}

/// The ground that a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ground {
    /// Height of the ground.
    pub height: f32,
    /// Centre of the grid (x and z; y is ignored).
    pub center: Vec3,
    /// Radius of the visible grid.
    pub radius: f32,
    /// Distance between grid lines; every fifth is stronger.
    pub step: f32,
    /// Colour and opacity of the grid lines; transparent for none.
    pub line: Color,
}

/// Background, light and ground.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// Background at the top of the picture.
    pub top: Color,
    /// Background at the bottom of the picture.
    pub bottom: Color,
    /// Direction towards the light.
    pub light: Vec3,
    /// Intensity of the light.
    pub brightness: f32,
    /// Ambient light from above, linear RGB.
    pub sky: Vec3,
    /// Ambient light from below, linear RGB.
    pub soil: Vec3,
    /// Ground with grid and shadow, if any.
    pub ground: Option<Ground>,
    /// Opacity of the ground shadow, 0 to 1.
    pub shadow: f32,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            top: Color([240, 242, 245, 255]),
            bottom: Color([205, 210, 218, 255]),
            light: Vec3::new(-0.45, 0.75, 0.5),
            brightness: 0.85,
            sky: Vec3::new(0.44, 0.47, 0.52),
            soil: Vec3::new(0.20, 0.19, 0.18),
            ground: None,
            shadow: 0.62,
        }
    }
}

impl Look {
    /// The same with a background of one colour. On a dark one grid lines are light.
    pub fn with_background(mut self, color: Color) -> Self {
        (self.top, self.bottom) = (color, color);
        if let Some(ground) = &mut self.ground {
            ground.line = line_on(color);
        }
        self
    }

    /// The same with a ground that fits a character of a size. The grid step is 1, 2 or 5 times a power of ten.
    pub fn with_ground(mut self, height: f32, center: Vec3, size: f32) -> Self {
        let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
        let step = round_step(size * 0.15);
        self.ground = Some(Ground { height, center, radius: size * 3.5, step, line: line_on(self.bottom) });
        self
    }

    /// The same, lit from above and left of a camera.
    pub fn lit_for(mut self, camera: &crate::Camera) -> Self {
        let level = Vec3::new(camera.back().x, 0.0, camera.back().z).try_normalize().unwrap_or(Vec3::Z);
        self.light = level * 0.55 - camera.right() * 0.5 + Vec3::Y * 0.9;
        self
    }

    pub(crate) fn light_direction(&self) -> Vec3 {
        self.light.try_normalize().unwrap_or(Vec3::Y)
    }

    pub(crate) fn background(&self) -> (Vec4, Vec4) {
        (self.top.premultiplied(), self.bottom.premultiplied())
    }

    /// Whether the background is not opaque.
    pub(crate) fn is_transparent(&self) -> bool {
        self.top.0[3] < 255 || self.bottom.0[3] < 255
    }
}

fn line_on(background: Color) -> Color {
    let [r, g, b, a] = background.0.map(u32::from);
    let dark = a > 127 && r * 2 + g * 5 + b < 8 * 90;
    Color(if dark { [210, 218, 230, 44] } else { [70, 80, 96, 90] })
}

/// Rounds down to 1, 2 or 5 times a power of ten.
fn round_step(length: f32) -> f32 {
    let power = 10f32.powf(length.log10().floor());
    let digit = length / power;
    power
        * if digit >= 5.0 {
            5.0
        } else if digit >= 2.0 {
            2.0
        } else {
            1.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read() {
        assert_eq!("#102030".parse(), Ok(Color([16, 32, 48, 255])));
        assert_eq!("10203040".parse(), Ok(Color([16, 32, 48, 64])));
        assert_eq!("#f0a".parse(), Ok(Color([255, 0, 170, 255])));
        assert_eq!("transparent".parse(), Ok(Color::TRANSPARENT));
        for text in ["", "#12", "mauve-ish", "#gggggg"] {
            assert!(text.parse::<Color>().unwrap_err().to_string().contains("#rrggbb"), "{text}");
        }
    }

    #[test]
    fn the_grid_suits_the_size() {
        for (size, step) in [(1.8, 0.2), (180.0, 20.0), (0.4, 0.05), (7.0, 1.0)] {
            let ground = Look::default().with_ground(0.0, Vec3::ZERO, size).ground.unwrap();
            assert!((ground.step / step - 1.0).abs() < 1e-4, "{size}: {}", ground.step);
        }
        assert!(Look::default().with_ground(0.0, Vec3::ZERO, f32::NAN).ground.unwrap().step > 0.0);
    }
}
