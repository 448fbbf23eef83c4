//! The orbit camera. It can follow the character.

use sinew::Aabb;
use sinew::glam::{Mat3, Vec3};
use sinew_render::{Camera, FOV, View};

/// A camera at a distance from the point that it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Degrees around the up axis, from the front towards the left side of the character.
    pub yaw: f32,
    /// Degrees up from the horizon.
    pub pitch: f32,
    /// Distance from the target to the camera.
    pub distance: f32,
    /// The point that it looks at, without `followed`.
    pub target: Vec3,
    /// Displacement by following the character.
    pub followed: Vec3,
}

/// At 90 degrees right and left would be undefined.
const MAX_PITCH: f32 = 89.0;
/// Degrees of a drag over the whole height of the view.
const TURN: f32 = 240.0;

impl Orbit {
    /// The camera that shows a whole box from a direction.
    pub fn framing(view: View, bounds: &Aabb, aspect: f32) -> Self {
        let (yaw, pitch) = view.angles();
        let camera = Camera::framing(view, bounds, aspect);
        let center = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
        let distance = (camera.eye() - center).dot(camera.back()).max(1e-3);
        Self { yaw, pitch, distance, target: camera.eye() - camera.back() * distance, followed: Vec3::ZERO }
    }

    /// Rotates by a drag, in parts of the view's height.
    pub fn turn(&mut self, right: f32, down: f32) {
        self.yaw = (self.yaw - right * TURN).rem_euclid(360.0);
        self.pitch = (self.pitch + down * TURN).clamp(-MAX_PITCH, MAX_PITCH);
    }

    /// Pans by a drag, in parts of the view's height. The target plane moves with the pointer.
    pub fn pan(&mut self, right: f32, down: f32) {
        let axes = self.axes();
        let height = 2.0 * self.distance * (FOV * 0.5).tan();
        self.target += (axes.y_axis * down - axes.x_axis * right) * height;
    }

    /// Multiplies the distance by a factor, within limits for a figure of a size.
    pub fn zoom(&mut self, factor: f32, size: f32) {
        let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        if factor > 0.0 && factor.is_finite() {
            self.distance = (self.distance * factor).clamp(size * 0.05, size * 50.0);
        }
    }

    /// Keeps the target and changes the direction.
    pub fn look_from(&mut self, view: View) {
        (self.yaw, self.pitch) = view.angles();
    }

    /// The camera for the renderer.
    pub fn camera(&self) -> Camera {
        let target = self.target + self.followed;
        Camera::look_at(target + self.axes().z_axis * self.distance, target, FOV)
    }

    /// Right, up and backward.
    fn axes(&self) -> Mat3 {
        Mat3::from_rotation_y(self.yaw.to_radians()) * Mat3::from_rotation_x(-self.pitch.to_radians())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURE: Aabb = Aabb { min: Vec3::new(-0.4, 0.0, -0.2), max: Vec3::new(0.4, 1.8, 0.2) };

    #[test]
    fn it_frames_as_the_renderer_does() {
        for view in [View::Front, View::Side, View::ThreeQuarter] {
            let (ours, theirs) =
                (Orbit::framing(view, &FIGURE, 1.6).camera(), Camera::framing(view, &FIGURE, 1.6));
            assert!(ours.eye().abs_diff_eq(theirs.eye(), 1e-4), "{view}");
            assert!(ours.back().abs_diff_eq(theirs.back(), 1e-5), "{view}");
        }
        assert!(Orbit::framing(View::Front, &Aabb::EMPTY, 1.0).camera().eye().is_finite());
    }

    #[test]
    fn what_is_panned_stays_under_the_pointer() {
        let mut orbit = Orbit::framing(View::ThreeQuarter, &FIGURE, 1.0);
        let point = orbit.target;
        let before = orbit.camera().project(point, (400, 400)).unwrap();
        orbit.pan(0.25, 0.1);
        let after = orbit.camera().project(point, (400, 400)).unwrap();
        assert!(
            (after.0 - before.0 - 100.0).abs() < 0.5 && (after.1 - before.1 - 40.0).abs() < 0.5,
            "{after:?}"
        );
    }

    #[test]
    fn it_never_turns_over_or_goes_through() {
        let mut orbit = Orbit::framing(View::Front, &FIGURE, 1.0);
        orbit.turn(0.0, 9.0);
        assert_eq!(orbit.pitch, MAX_PITCH);
        orbit.turn(1e3, -9.0);
        assert!(orbit.pitch == -MAX_PITCH && (0.0..360.0).contains(&orbit.yaw));
        (0..500).for_each(|_| orbit.zoom(0.5, 2.0));
        assert_eq!(orbit.distance, 0.1);
        orbit.zoom(f32::NAN, 2.0);
        orbit.zoom(0.0, 2.0);
        assert_eq!(orbit.distance, 0.1);
        (0..500).for_each(|_| orbit.zoom(2.0, f32::INFINITY));
        assert_eq!(orbit.distance, 50.0);
    }

    #[test]
    fn a_drag_to_the_right_shows_the_left_side() {
        let mut orbit = Orbit::framing(View::Front, &FIGURE, 1.0);
        let before = orbit.camera().project(Vec3::Z * 0.2, (100, 100)).unwrap().0;
        orbit.turn(0.1, 0.0);
        let after = orbit.camera().project(Vec3::Z * 0.2, (100, 100)).unwrap().0;
        assert!(after > before, "the front moves with the pointer");
    }
}
