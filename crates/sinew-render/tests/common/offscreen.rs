//! A renderer with a target, for tests of a single scene.

use sinew::glam::Vec3;
use sinew::{Aabb, Character};
use sinew_render::{
    Batch, Camera, Color, Gpu, Look, OffscreenTarget, Overlay, Picture, Renderer, Samples, Scene, Settings,
    Skinning, View,
};

/// A uniform grey background, without ground and shadow.
pub(crate) fn plain() -> Look {
    Look::default().with_background(Color([120, 124, 130, 255]))
}

pub(crate) struct Offscreen {
    pub(crate) renderer: Renderer,
    pub(crate) target: OffscreenTarget,
    pub(crate) overlay: Overlay,
    pub(crate) look: Look,
}

impl Offscreen {
    pub(crate) fn new(gpu: &Gpu, size: (u32, u32), samples: Samples) -> Self {
        let renderer = Renderer::new(gpu, Settings::default().with_samples(samples)).unwrap();
        let target = renderer.offscreen_target(size.0, size.1).unwrap();
        Self { renderer, target, overlay: Overlay::new(), look: plain() }
    }

    pub(crate) fn one(&mut self, character: &Character, skinning: Skinning) -> Batch {
        let model = self.renderer.load(character).unwrap();
        self.renderer.batch(&model, 1, skinning).unwrap()
    }

    pub(crate) fn shoot(&mut self, camera: &Camera, batches: &mut [&mut Batch]) -> Picture {
        let mut scene = Scene::new(camera, &self.look, batches).with_overlay(&mut self.overlay);
        self.renderer.shoot(&mut self.target, &mut scene).unwrap()
    }
}

/// A camera that faces a square around the origin.
pub(crate) fn facing(half: f32, aspect: f32) -> Camera {
    let corners = [Vec3::new(-half, -half, 0.0), Vec3::new(half, half, 0.0)];
    Camera::framing(View::Angles { yaw: 0.0, pitch: 0.0 }, &Aabb::of(&corners), aspect)
}
