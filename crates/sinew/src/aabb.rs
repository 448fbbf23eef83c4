//! An axis-aligned box.

use glam::{Affine3, Vec3};

/// An axis-aligned box. The empty one has `min > max`.
///
/// ```
/// use sinew::{Aabb, glam::Vec3};
///
/// let bounds = Aabb::of(&[Vec3::ZERO, Vec3::ONE]);
/// assert!(bounds.contains(Vec3::splat(0.5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner.
    pub min: Vec3,
    /// Highest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The empty box.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around points.
    pub fn of(points: &[Vec3]) -> Self {
        points.iter().fold(Self::EMPTY, |bounds, &point| bounds.with(point))
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// The box around this one and a point.
    pub fn with(self, point: Vec3) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Grown by `margin` on every side; an empty box stays empty.
    pub fn grown(self, margin: f32) -> Self {
        if self.is_empty() {
            return self;
        }
        Self { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// The box around this one after a transform.
    pub fn transformed(&self, matrix: impl Into<Affine3>) -> Self {
        let matrix = matrix.into();
        if self.is_empty() {
            return *self;
        }
        let center = matrix.transform_point3(self.center());
        let half = (self.max - self.min) * 0.5;
        let m = &matrix.matrix3;
        let reach = m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
        Self { min: center - reach, max: center + reach }
    }

    /// Whether a point lies inside or on it.
    pub fn contains(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Its middle.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Length from corner to corner; zero for an empty box.
    pub fn diagonal(&self) -> f32 {
        if self.is_empty() { 0.0 } else { self.min.distance(self.max) }
    }

    /// Distance of the farthest corner from the origin.
    pub(crate) fn reach(&self) -> f32 {
        if self.is_empty() { 0.0 } else { self.min.abs().max(self.max.abs()).length() }
    }
}
