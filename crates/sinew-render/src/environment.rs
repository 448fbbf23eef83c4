//! The surroundings that surfaces reflect: a sky, a ground and a soft lamp, made from a [`Look`].
//!
//! The shader computes them, blurred by roughness, in `light.wgsl`. Here they are an image, for other renderers.

use crate::Look;
use sinew::glam::Vec3;

/// Colour of the lamp. The same as in `light.wgsl`.
const LAMP: Vec3 = Vec3::new(1.0, 0.965, 0.91);
/// Width of the transition from ground to sky at the horizon.
const HORIZON: f32 = 0.03;
/// Sharpness of the lamp, a spherical Gaussian.
const SHARPNESS: f32 = 20.0;

/// An equirectangular image of linear light, without an upper limit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Environment {
    /// Pixels in a row; twice the height.
    pub width: u32,
    /// Number of rows; the first is straight up.
    pub height: u32,
    /// Linear RGB, row by row.
    pub pixels: Vec<[f32; 3]>,
}

impl Look {
    /// Light that arrives from a direction, linear RGB. A diffuse surface that is lit by it looks nearly as it does here: light from sky and
    /// ground is the same, that of the lamp differs by at most 0.1 of its brightness.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let direction = direction.normalize_or(Vec3::Y);
        let up = 0.5 + 0.5 * direction.y / direction.y.hypot(HORIZON);
        let lobe = 0.475 * SHARPNESS / (1.0 - (-2.0 * SHARPNESS).exp());
        let lamp = lobe * (SHARPNESS * (direction.dot(self.light_direction()) - 1.0)).exp();
        self.soil.lerp(self.sky, up) + LAMP * (self.brightness * lamp)
    }

    /// The surroundings as an image of a height. Directions are as three.js takes them: the middle column is +X, a quarter to the right of it
    /// is +Z, the first row is +Y.
    pub fn environment(&self, height: u32) -> Environment {
        use std::f32::consts::{PI, TAU};
        let (width, height) = (height.max(1) * 2, height.max(1));
        let pixel = |x: u32, y: u32| {
            let angle = ((x as f32 + 0.5) / width as f32 - 0.5) * TAU;
            let latitude = (0.5 - (y as f32 + 0.5) / height as f32) * PI;
            let level = latitude.cos();
            let direction = Vec3::new(angle.cos() * level, latitude.sin(), angle.sin() * level);
            self.radiance(direction).to_array()
        };
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| pixel(x, y))).collect();
        Environment { width, height, pixels }
    }
}

impl Environment {
    /// The image in the Radiance format (`.hdr`), uncompressed.
    pub fn to_hdr(&self) -> Vec<u8> {
        let header = format!("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {} +X {}\n", self.height, self.width);
        let mut bytes = header.into_bytes();
        bytes.extend(self.pixels.iter().flat_map(|&rgb| rgbe(rgb)));
        bytes
    }
}

/// Three mantissas of eight bits and a shared exponent.
fn rgbe(rgb: [f32; 3]) -> [u8; 4] {
    let most = rgb.into_iter().fold(0.0, f32::max);
    if most < 1e-30 {
        return [0; 4];
    }
    let exponent = most.log2().floor() as i32 + 1;
    let [r, g, b] = rgb.map(|c| (c.max(0.0) * 2f32.powi(8 - exponent)).min(255.0) as u8);
    [r, g, b, (exponent + 128) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Light on a diffuse surface as `arriving` in `light.wgsl` computes it.
    fn arriving(look: &Look, normal: Vec3) -> Vec3 {
        let facing = ((normal.dot(look.light_direction()) + 0.25) / 1.25).max(0.0);
        look.soil.lerp(look.sky, normal.y * 0.5 + 0.5) + LAMP * (look.brightness * facing * facing)
    }

    #[test]
    fn the_image_lights_a_diffuse_surface_as_the_shader_does() {
        let look = Look::default();
        let image = look.environment(64);
        let lamp_off = Look { brightness: 0.0, ..Look::default() };
        let flat = lamp_off.environment(64);
        for normal in [Vec3::X, Vec3::Y, Vec3::NEG_Y, Vec3::NEG_Z, Vec3::new(-0.5, 0.7, 0.5).normalize()] {
            let lit = irradiance(&image, normal);
            assert!(lit.abs_diff_eq(arriving(&look, normal), 0.11), "{normal}: {lit}");
            let lit = irradiance(&flat, normal);
            assert!(lit.abs_diff_eq(arriving(&lamp_off, normal), 0.005), "{normal}: {lit}");
        }
    }

    /// Integral of light by cosine, divided by pi.
    fn irradiance(image: &Environment, normal: Vec3) -> Vec3 {
        use std::f32::consts::{PI, TAU};
        let (width, height) = (image.width as f32, image.height as f32);
        let mut sum = Vec3::ZERO;
        for (i, pixel) in image.pixels.iter().enumerate() {
            let (x, y) = ((i as u32 % image.width) as f32, (i as u32 / image.width) as f32);
            let angle = ((x + 0.5) / width - 0.5) * TAU;
            let latitude = (0.5 - (y + 0.5) / height) * PI;
            let direction =
                Vec3::new(angle.cos() * latitude.cos(), latitude.sin(), angle.sin() * latitude.cos());
            let area = TAU / width * PI / height * latitude.cos();
            sum += Vec3::from_array(*pixel) * normal.dot(direction).max(0.0) * area;
        }
        sum / PI
    }

    #[test]
    fn radiance_files_hold_the_pixels() {
        let image = Environment { width: 2, height: 1, pixels: vec![[1.0, 0.5, 0.25], [0.0; 3]] };
        let bytes = image.to_hdr();
        assert!(bytes.starts_with(b"#?RADIANCE\n"));
        assert_eq!(bytes[bytes.len() - 8..], [128, 64, 32, 129, 0, 0, 0, 0]);
    }
}
