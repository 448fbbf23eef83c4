//! Cameras, and how a camera is placed to show a whole character.

use sinew::Aabb;
use sinew::glam::{Mat3, Mat4, Vec3, Vec4};
use std::fmt;
use std::str::FromStr;

/// A viewing direction, relative to a character that faces +Z.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum View {
    /// From the front.
    Front,
    /// From behind.
    Back,
    /// From its left side.
    Side,
    /// From its right side.
    Right,
    /// From above, with its front at the lower edge.
    Top,
    /// Between the two, slightly from above.
    #[default]
    ThreeQuarter,
    /// Any direction, in degrees.
    Angles {
        /// Around the up axis, from the front towards its left side.
        yaw: f32,
        /// Up from the horizon.
        pitch: f32,
    },
}

impl View {
    /// Yaw and pitch in degrees. Front, back and sides have a little pitch, so that the ground is visible.
    pub fn angles(self) -> (f32, f32) {
        match self {
            Self::Front => (0.0, 6.0),
            Self::Back => (180.0, 6.0),
            Self::Side => (90.0, 6.0),
            Self::Right => (-90.0, 6.0),
            Self::Top => (0.0, 89.0),
            Self::ThreeQuarter => (35.0, 14.0),
            Self::Angles { yaw, pitch } => (yaw, pitch),
        }
    }

    /// Right, up and backward (towards the camera), as columns.
    fn axes(self) -> Mat3 {
        let (yaw, pitch) = self.angles();
        Mat3::from_rotation_y(yaw.to_radians()) * Mat3::from_rotation_x(-pitch.to_radians())
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Front => f.write_str("front"),
            Self::Back => f.write_str("back"),
            Self::Side => f.write_str("side"),
            Self::Right => f.write_str("right"),
            Self::Top => f.write_str("top"),
            Self::ThreeQuarter => f.write_str("three-quarter"),
            Self::Angles { yaw, pitch } => write!(f, "{yaw},{pitch}"),
        }
    }
}

/// A view that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{given}` is not a view: write front, back, left (side), right, top, three-quarter, or two numbers of degrees (yaw,pitch) such as 35,14 with the \
     pitch between -89 and 89"
)]
#[non_exhaustive]
pub struct ViewError {
    /// As written.
    pub given: String,
}

impl FromStr for View {
    type Err = ViewError;

    fn from_str(text: &str) -> Result<Self, ViewError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "front" => return Ok(Self::Front),
            "back" => return Ok(Self::Back),
            "side" | "left" => return Ok(Self::Side),
            "right" => return Ok(Self::Right),
            "top" => return Ok(Self::Top),
            "three-quarter" | "threequarter" | "3/4" => return Ok(Self::ThreeQuarter),
            _ => {}
        }
        let number = |part: &str| part.trim().parse::<f32>().ok().filter(|x| x.is_finite());
        text.split_once(',')
            .and_then(|(yaw, pitch)| Some((number(yaw)?, number(pitch)?)))
            .filter(|(_, pitch)| pitch.abs() <= 89.0)
            .map(|(yaw, pitch)| Self::Angles { yaw, pitch })
            .ok_or_else(|| ViewError { given: text.to_owned() })
    }
}

/// A perspective camera with reversed depth: 1 at the near plane, 0 at infinity, which is precise at any distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    back: Vec3,
    fov: f32,
    near: f32,
}

/// Default vertical field of view in radians: a short telephoto lens, which distorts little.
pub const FOV: f32 = 28.0 * std::f32::consts::PI / 180.0;

impl Camera {
    /// A camera at `eye` that looks at `target`, with a vertical field of view in radians.
    pub fn look_at(eye: Vec3, target: Vec3, fov: f32) -> Self {
        let back = (eye - target).try_normalize().unwrap_or(Vec3::Z);
        let right = Vec3::Y.cross(back).try_normalize().unwrap_or(Vec3::X);
        let near = (eye.distance(target) * 0.01).max(1e-4);
        Self { eye, right, up: back.cross(right), back, fov, near }
    }

    /// A camera that shows a whole box from a direction; see [`Framing`].
    pub fn framing(view: View, bounds: &Aabb, aspect: f32) -> Self {
        let mut framing = Framing::new(view, aspect);
        framing.add_box(bounds);
        framing.camera()
    }

    /// Position of the camera.
    pub fn eye(&self) -> Vec3 {
        self.eye
    }

    /// Direction towards the camera: opposite to the viewing direction.
    pub fn back(&self) -> Vec3 {
        self.back
    }

    /// Direction to the right of the picture.
    pub fn right(&self) -> Vec3 {
        self.right
    }

    /// Direction to the top of the picture.
    pub fn up(&self) -> Vec3 {
        self.up
    }

    /// Vertical field of view in radians.
    pub fn fov(&self) -> f32 {
        self.fov
    }

    /// The same camera, translated.
    pub fn moved(self, offset: Vec3) -> Self {
        Self { eye: self.eye + offset, ..self }
    }

    /// From world to clip space, for an aspect ratio (width by height).
    pub fn view_projection(&self, aspect: f32) -> Mat4 {
        let axes = Mat4::from_mat3(Mat3::from_cols(self.right, self.up, self.back).transpose());
        let view = axes * Mat4::from_translation(-self.eye);
        let t = 1.0 / (self.fov * 0.5).tan();
        let projection = Mat4::from_cols(
            Vec4::new(t / aspect.max(1e-3), 0.0, 0.0, 0.0),
            Vec4::new(0.0, t, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 0.0, -1.0),
            Vec4::new(0.0, 0.0, self.near, 0.0),
        );
        projection * view
    }

    /// Position of a world point in a picture of a size, in pixels from the upper left; `None` behind the camera.
    pub fn project(&self, point: Vec3, size: (u32, u32)) -> Option<(f32, f32)> {
        let (width, height) = (size.0 as f32, size.1 as f32);
        let clip = self.view_projection(width / height.max(1.0)) * point.extend(1.0);
        (clip.w > 1e-6)
            .then(|| ((clip.x / clip.w * 0.5 + 0.5) * width, (0.5 - clip.y / clip.w * 0.5) * height))
    }

    /// Whether any part of a box may be visible at an aspect ratio. Test the bounds of a whole clip with it to skip the evaluation of poses
    /// that are out of sight.
    pub fn sees(&self, bounds: &Aabb, aspect: f32) -> bool {
        !bounds.is_empty() && sees(&planes(self.view_projection(aspect)), bounds)
    }
}

/// Left, right, bottom, top and near plane of the frustum; the visible side is positive.
pub(crate) fn planes(view_projection: Mat4) -> [Vec4; 5] {
    let m = view_projection;
    let (x, y, z, w) = (m.row(0), m.row(1), m.row(2), m.row(3));
    [w + x, w - x, w + y, w - y, w - z]
}

/// Whether no plane has the whole box behind it.
pub(crate) fn sees(planes: &[Vec4; 5], bounds: &Aabb) -> bool {
    planes.iter().all(|plane| {
        let farthest = Vec3::select(plane.truncate().cmpge(Vec3::ZERO), bounds.max, bounds.min);
        plane.truncate().dot(farthest) + plane.w >= 0.0
    })
}

/// Finds the nearest camera in a direction that shows all added points.
///
/// For a fixed direction and field of view, each edge of the picture needs only one number, the maximum over all points. So all frames of a
/// clip can be added without storing them.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    axes: Mat3,
    /// Tangents of half the horizontal and vertical field of view, less the margin.
    tangents: [f32; 2],
    /// Maxima to the right, left, top and bottom, projected to depth zero along the frustum planes.
    reach: [f32; 4],
    /// Largest depth coordinate: the point nearest to the camera.
    front: f32,
}

/// Part of the picture that the framed points fill at most.
const FILL: f32 = 0.92;

impl Framing {
    /// Without points. `aspect` is the width of the picture by its height.
    pub fn new(view: View, aspect: f32) -> Self {
        let tangent = (FOV * 0.5).tan() * FILL;
        Self {
            axes: view.axes(),
            tangents: [tangent * aspect.max(1e-3), tangent],
            reach: [f32::NEG_INFINITY; 4],
            front: f32::NEG_INFINITY,
        }
    }

    /// Adds a point.
    pub fn add(&mut self, point: Vec3) {
        let p = self.axes.transpose() * point;
        let [tx, ty] = self.tangents;
        for (reach, value) in
            self.reach.iter_mut().zip([p.x + tx * p.z, -p.x + tx * p.z, p.y + ty * p.z, -p.y + ty * p.z])
        {
            *reach = reach.max(value);
        }
        self.front = self.front.max(p.z);
    }

    /// Adds the corners of a box.
    pub fn add_box(&mut self, bounds: &Aabb) {
        if bounds.is_empty() {
            return;
        }
        for i in 0..8u32 {
            let pick = |bit: u32, low: f32, high: f32| if i >> bit & 1 == 0 { low } else { high };
            self.add(Vec3::new(
                pick(0, bounds.min.x, bounds.max.x),
                pick(1, bounds.min.y, bounds.max.y),
                pick(2, bounds.min.z, bounds.max.z),
            ));
        }
    }

    /// The camera that shows all points. Without any, one that shows a cube of one metre at the origin.
    pub fn camera(&self) -> Camera {
        if !self.reach.iter().chain([&self.front]).all(|x| x.is_finite()) {
            let mut framing = Self { reach: [f32::NEG_INFINITY; 4], front: f32::NEG_INFINITY, ..*self };
            framing.add_box(&Aabb { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) });
            return framing.camera();
        }
        let [right, left, top, bottom] = self.reach;
        let [tx, ty] = self.tangents;
        let across = (right + left) / (2.0 * tx);
        let high = (top + bottom) / (2.0 * ty);
        // A single point alone would give distance zero.
        let depth = across.max(high).max(self.front + (self.front.abs() * 1e-3).max(1e-3));
        let eye = self.axes * Vec3::new((right - left) * 0.5, (top - bottom) * 0.5, depth);
        let near = ((depth - self.front) * 0.1).max(depth.abs() * 1e-4).max(1e-5);
        let (right, up, back) = (self.axes.x_axis, self.axes.y_axis, self.axes.z_axis);
        Camera { eye, right, up, back, fov: FOV, near }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_read_and_written() {
        for text in ["front", "back", "right", "top", "side", "three-quarter", "35,14", "-120.5,-20"] {
            assert_eq!(text.parse::<View>().unwrap().to_string(), text);
        }
        assert_eq!(" 10 , 5 ".parse(), Ok(View::Angles { yaw: 10.0, pitch: 5.0 }));
        for text in ["", "behind", "1", "1,2,3", "nan,0", "0,90"] {
            let error = text.parse::<View>().unwrap_err().to_string();
            assert!(error.contains("three-quarter"), "{error}");
        }
    }

    #[test]
    fn what_is_framed_fills_the_picture_and_stays_inside() {
        let points = [Vec3::new(-0.4, 0.0, -0.2), Vec3::new(0.6, 1.8, 0.3), Vec3::new(0.1, 0.9, -0.5)];
        for view in [View::Front, View::Side, View::ThreeQuarter, View::Angles { yaw: 200.0, pitch: -30.0 }] {
            for size in [(400, 400), (800, 300), (200, 600)] {
                let mut framing = Framing::new(view, size.0 as f32 / size.1 as f32);
                points.iter().for_each(|&p| framing.add(p));
                let camera = framing.camera();
                let seen: Vec<_> = points.iter().map(|&p| camera.project(p, size).unwrap()).collect();
                let span = |pick: fn(&(f32, f32)) -> f32, whole: u32| {
                    let low = seen.iter().map(pick).fold(f32::INFINITY, f32::min);
                    let high = seen.iter().map(pick).fold(f32::NEG_INFINITY, f32::max);
                    assert!(low >= 0.0 && high <= whole as f32, "{view} {size:?}");
                    (high - low) / whole as f32
                };
                let fill = span(|p| p.0, size.0).max(span(|p| p.1, size.1));
                assert!((fill - FILL).abs() < 1e-3, "{view} {size:?}: {fill}");
            }
        }
    }

    #[test]
    fn the_front_is_the_face_and_the_side_is_the_left() {
        let unit = Aabb { min: Vec3::splat(-1.0), max: Vec3::ONE };
        assert!(Camera::framing(View::Front, &unit, 1.0).eye().z > 1.0);
        assert!(Camera::framing(View::Side, &unit, 1.0).eye().x > 1.0);
        let camera = Camera::framing(View::Front, &unit, 1.0);
        let (x, y) = camera.project(Vec3::new(0.5, 0.5, 0.0), (100, 100)).unwrap();
        assert!(x > 50.0 && y < 50.0, "right is right and up is up: {x} {y}");
    }

    #[test]
    fn boxes_out_of_sight_are_told_from_those_in_it() {
        let camera = Camera::look_at(Vec3::new(0.0, 1.0, 5.0), Vec3::Y, FOV);
        let at = |x: f32, y: f32, z: f32| Aabb::of(&[Vec3::new(x, y, z)]).grown(0.2);
        assert!(camera.sees(&at(0.0, 1.0, 0.0), 1.0));
        assert!(camera.sees(&at(0.0, 1.0, -500.0), 1.0), "there is no far plane");
        assert!(!camera.sees(&at(0.0, 1.0, 6.0), 1.0), "behind the eye");
        assert!(!camera.sees(&at(3.0, 1.0, 0.0), 1.0));
        assert!(camera.sees(&at(3.0, 1.0, 0.0), 4.0), "a wider picture sees more");
        assert!(!camera.sees(&at(0.0, 4.0, 0.0), 4.0));
        assert!(!camera.sees(&Aabb::EMPTY, 1.0));
    }

    #[test]
    fn nothing_to_frame_still_gives_an_eye() {
        let camera = Framing::new(View::Front, 1.0).camera();
        assert!(camera.eye().is_finite() && camera.eye().z > 0.5);
        let mut framing = Framing::new(View::Front, 1.0);
        framing.add(Vec3::splat(3.0));
        assert!(framing.camera().project(Vec3::splat(3.0), (10, 10)).is_some());
    }
}
