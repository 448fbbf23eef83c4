//! A renderer with a target, for tests that look at one thing.

use sinew::glam::Vec3;
use sinew::{Aabb, Character};
use sinew_render::{
    Batch, Camera, Color, Gpu, Look, Overlay, Picture, Renderer, Samples, Scene, Settings, Skinning, Target,
    View,
};

/// The same grey everywhere, and neither ground nor shadow.
pub(crate) fn plain() -> Look {
    Look::default().with_background(Color([120, 124, 130, 255]))
}

pub(crate) struct Stage {
    pub(crate) renderer: Renderer,
    pub(crate) target: Target,
    pub(crate) overlay: Overlay,
    pub(crate) look: Look,
}

impl Stage {
    pub(crate) fn new(gpu: &Gpu, size: (u32, u32), samples: Samples) -> Self {
        let renderer = Renderer::new(gpu, Settings { samples, ..Settings::default() }).unwrap();
        let target = renderer.target(size.0, size.1).unwrap();
        Self { renderer, target, overlay: Overlay::new(), look: plain() }
    }

    pub(crate) fn one(&mut self, character: &Character, skinning: Skinning) -> Batch {
        let model = self.renderer.load(character).unwrap();
        self.renderer.batch(&model, 1, skinning).unwrap()
    }

    pub(crate) fn shoot(&mut self, camera: &Camera, batches: &mut [&mut Batch]) -> Picture {
        let overlay = Some(&mut self.overlay);
        let mut scene = Scene { camera, look: &self.look, batches, overlay, scale: 1.0 };
        self.renderer.shoot(&mut self.target, &mut scene).unwrap()
    }
}

/// Straight from the front, at a square around the origin.
pub(crate) fn facing(half: f32, aspect: f32) -> Camera {
    let corners = [Vec3::new(-half, -half, 0.0), Vec3::new(half, half, 0.0)];
    Camera::framing(View::Angles { yaw: 0.0, pitch: 0.0 }, &Aabb::of(&corners), aspect)
}
