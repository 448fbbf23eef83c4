//! The uniform buffer of a picture: camera, light, background, ground.

use super::Scene;
use sinew::Aabb;
use sinew::glam::{Vec2, Vec3, Vec4};

/// Laid out as `Frame` in `frame.wgsl`.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct FrameUniform {
    view_projection: [f32; 16],
    eye: [f32; 4],
    light: [f32; 4],
    sky: [f32; 4],
    soil: [f32; 4],
    top: [f32; 4],
    bottom: [f32; 4],
    grid: [f32; 4],
    line: [f32; 4],
    shadow: [f32; 4],
    viewport: [f32; 4],
}

impl FrameUniform {
    pub(super) fn new(scene: &Scene<'_, '_>, size: (u32, u32), encodes: bool, bounds: &Aabb) -> Self {
        let look = scene.look;
        let (width, height) = (size.0.max(1) as f32, size.1.max(1) as f32);
        let light = look.light_direction();
        let (top, bottom) = look.background();
        let ground_height = look.ground.map_or(0.0, |ground| ground.height);
        let shadow = Square::of_shadow(bounds, light, ground_height);
        // Shadows fade out with the height of what casts them, to nothing a little above the highest point.
        let fade = if bounds.is_empty() { 1.0 } else { (bounds.max.y - ground_height) * 1.25 };
        let grid = look.ground.map_or([0.0; 4], |g| [g.center.x, g.center.z, g.radius, g.step.max(1e-6)]);
        let line = look.ground.map_or(Vec4::ZERO, |ground| ground.line.linear());
        Self {
            view_projection: scene.camera.view_projection(width / height).to_cols_array(),
            eye: scene.camera.eye().extend(if encodes { 0.0 } else { 1.0 }).to_array(),
            light: light.extend(look.brightness).to_array(),
            sky: look.sky.extend(look.shadow.clamp(0.0, 1.0)).to_array(),
            soil: look.soil.extend(0.0).to_array(),
            top: top.to_array(),
            bottom: bottom.to_array(),
            grid,
            line: line.to_array(),
            shadow: [shadow.center.x, shadow.center.y, shadow.half, ground_height],
            viewport: [width, height, scene.scale.max(0.1), fade.max(1e-3)],
        }
    }
}

/// A square of the ground.
struct Square {
    center: Vec2,
    half: f32,
}

impl Square {
    /// Around the shadow of everything in a box, with a margin for the blur.
    fn of_shadow(bounds: &Aabb, light: Vec3, ground: f32) -> Self {
        if bounds.is_empty() {
            return Self { center: Vec2::ZERO, half: 1.0 };
        }
        let slope = Vec2::new(light.x, light.z) / light.y.max(0.1);
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for y in [bounds.min.y, bounds.max.y] {
            let shift = slope * (y - ground).max(0.0);
            low = low.min(Vec2::new(bounds.min.x, bounds.min.z) - shift);
            high = high.max(Vec2::new(bounds.max.x, bounds.max.z) - shift);
        }
        Self { center: (low + high) * 0.5, half: ((high - low).max_element() * 0.5 * 1.15).max(1e-3) }
    }
}
