//! Older models of a surface as metal and roughness.

use glam::{Vec3, Vec4};
use sinew::Material;

/// Reflectance of a dielectric such as plastic, straight on.
const DIELECTRIC: f32 = 0.04;

/// A surface by the colours of its diffuse and its specular reflection.
pub(crate) struct SpecularSurface {
    /// Linear RGBA.
    pub(crate) diffuse: Vec4,
    /// Reflectance straight on, linear RGB.
    pub(crate) specular: Vec3,
    /// 1 is a mirror, 0 is matt.
    pub(crate) glossiness: f32,
}

impl SpecularSurface {
    /// Sets base colour, metal and roughness. The amount of metal is the one with which a metal-rough surface reflects as brightly in both ways.
    pub(crate) fn apply(&self, material: &mut Material) {
        let diffuse = self.diffuse.truncate();
        let strongest = self.specular.max_element().clamp(0.0, 1.0);
        let metallic = metallic(brightness(diffuse), brightness(self.specular), 1.0 - strongest);
        let of_dielectric = diffuse * ((1.0 - strongest) / ((1.0 - DIELECTRIC) * (1.0 - metallic).max(1e-6)));
        let of_metal = (self.specular - DIELECTRIC * (1.0 - metallic)) / metallic.max(1e-6);
        let color = of_dielectric.lerp(of_metal, metallic * metallic).clamp(Vec3::ZERO, Vec3::ONE);
        material.base_color = color.extend(self.diffuse.w);
        material.metallic = metallic;
        material.roughness = (1.0 - self.glossiness).clamp(0.0, 1.0);
    }
}

/// Solves for the amount of metal that gives this diffuse and specular brightness.
fn metallic(diffuse: f32, specular: f32, one_minus_strongest: f32) -> f32 {
    if specular < DIELECTRIC {
        return 0.0;
    }
    let a = DIELECTRIC;
    let b = diffuse * one_minus_strongest / (1.0 - DIELECTRIC) + specular - 2.0 * DIELECTRIC;
    let c = DIELECTRIC - specular;
    let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
    ((root - b) / (2.0 * a)).clamp(0.0, 1.0)
}

/// Perceived brightness of a linear colour.
fn brightness(color: Vec3) -> f32 {
    (color * color).dot(Vec3::new(0.299, 0.587, 0.114)).sqrt()
}

/// Roughness whose highlight is as wide as that of a Phong or Blinn exponent: a microfacet distribution of width `roughness²` fits the exponent
/// `2 / roughness⁴ - 2`.
pub(crate) fn roughness_of_exponent(exponent: f32) -> f32 {
    let positive = exponent.is_finite() && exponent > 0.0;
    if positive { (2.0 / (exponent + 2.0)).sqrt().sqrt().clamp(0.0, 1.0) } else { 1.0 }
}
