//! Older models of a surface as metal and roughness.

use crate::findings;
use glam::{Vec3, Vec4};
use sinew::Finding;

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

/// A surface by the colour that it has as a metal or as a dielectric.
pub(crate) struct MetalSurface {
    /// Linear RGBA.
    pub(crate) base_color: Vec4,
    /// 1 is a metal.
    pub(crate) metallic: f32,
    /// 1 is matt.
    pub(crate) roughness: f32,
}

impl SpecularSurface {
    /// The amount of metal is the one with which a metal-rough surface reflects as brightly in both ways.
    pub(crate) fn to_metal(&self) -> MetalSurface {
        let diffuse = self.diffuse.truncate();
        let strongest = self.specular.max_element().clamp(0.0, 1.0);
        let metallic = metallic(brightness(diffuse), brightness(self.specular), 1.0 - strongest);
        let of_dielectric = diffuse * ((1.0 - strongest) / ((1.0 - DIELECTRIC) * (1.0 - metallic).max(1e-6)));
        let of_metal = (self.specular - DIELECTRIC * (1.0 - metallic)) / metallic.max(1e-6);
        let color = of_dielectric.lerp(of_metal, metallic * metallic).clamp(Vec3::ZERO, Vec3::ONE);
        MetalSurface {
            base_color: color.extend(self.diffuse.w),
            metallic,
            roughness: (1.0 - self.glossiness).clamp(0.0, 1.0),
        }
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

/// Notes once for a file that materials of Lambert's, Phong's or Blinn's model were converted.
pub(crate) fn report_converted(materials: usize, findings: &mut Vec<Finding>) {
    if materials > 0 {
        let are = if materials == 1 { "material is" } else { "materials are" };
        let message = format!(
            "{materials} {are} of Lambert's, Phong's or Blinn's model and {} converted to metal and roughness",
            if materials == 1 { "was" } else { "were" }
        );
        findings.push(Finding::new(&findings::MATERIAL_CONVERTED, "the file", message).count(materials));
    }
}
