//! Changing axes and unit, the same way for every format.
//!
//! An axis change is multiplied onto root locals only; a unit multiplies every translation and vertex and leaves no scale
//! on a joint; a left-handed source is mirrored along x, joint by joint, so that rotations stay rotations.

use crate::SpaceMode;
use crate::decompose::Trs;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use sinew::{Axis, Space};

/// Axes and unit of a source file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceSpace {
    /// Where the character's left hand points when it looks along `front`: what becomes +X.
    pub right: Axis,
    /// What becomes +Y.
    pub up: Axis,
    /// Where the character looks: what becomes +Z.
    pub front: Axis,
    /// Length of one unit in metres.
    pub unit_meters: f64,
}

impl SourceSpace {
    /// Right-handed, +Y up, metres.
    pub const CANONICAL: Self =
        Self { right: Axis::PlusX, up: Axis::PlusY, front: Axis::PlusZ, unit_meters: 1.0 };

    fn basis(&self) -> DMat3 {
        let axis = |axis: Axis| glam::Vec3::from(axis).as_dvec3();
        DMat3::from_cols(axis(self.right), axis(self.up), axis(self.front))
    }

    /// Whether the three axes are perpendicular and the unit is positive and finite.
    pub fn is_valid(&self) -> bool {
        self.basis().determinant().abs() > 0.5 && self.unit_meters.is_finite() && self.unit_meters > 0.0
    }
}

/// A change from a source's space to the space that was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion {
    turn: DQuat,
    mirror: bool,
    unit: f64,
    space: Space,
}

impl Conversion {
    /// The change that a mode asks for. Invalid axes and an invalid unit are ignored.
    pub fn new(source: &SourceSpace, mode: SpaceMode) -> Self {
        let keep = Space { canonical: false, up: source.up, unit_meters: source.unit_meters as f32 };
        if mode == SpaceMode::Keep {
            return Self { turn: DQuat::IDENTITY, mirror: false, unit: 1.0, space: keep };
        }
        let unit = source.unit_meters;
        let unit = if unit.is_finite() && unit > 0.0 { unit } else { 1.0 };
        let basis = source.basis();
        let determinant = basis.determinant();
        let (turn, mirror) = if determinant.abs() < 0.5 {
            (DMat3::IDENTITY, false)
        } else if determinant > 0.0 {
            (basis.transpose(), false)
        } else {
            // Mirror along x first; what is left is a rotation.
            (basis.transpose() * DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)), true)
        };
        Self { turn: DQuat::from_mat3(&turn).normalize(), mirror, unit, space: Space::CANONICAL }
    }

    /// The space that results.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Factor that lengths are multiplied by.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Whether the winding of triangles and the sign of tangents are reversed.
    pub fn flips_winding(&self) -> bool {
        self.mirror
    }

    /// A local transform; `root` says that it has no parent.
    #[inline(always)]
    pub fn local(&self, root: bool, local: &Trs) -> Trs {
        let mut out = *local;
        out.translation = self.mirrored(local.translation) * self.unit;
        if self.mirror {
            let [x, y, z, w] = local.rotation.to_array();
            out.rotation = DQuat::from_xyzw(x, -y, -z, w);
        }
        if root {
            out.translation = self.turn * out.translation;
            out.rotation = self.turn * out.rotation;
        }
        out
    }

    /// A point or a change of position in model space.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.turn * self.local_point(point)
    }

    /// A point in the space of a joint.
    pub fn local_point(&self, point: DVec3) -> DVec3 {
        self.mirrored(point) * self.unit
    }

    /// A direction in model space.
    pub fn direction(&self, direction: DVec3) -> DVec3 {
        self.turn * self.mirrored(direction)
    }

    /// A direction in the space of a joint.
    pub fn local_direction(&self, direction: DVec3) -> DVec3 {
        self.mirrored(direction)
    }

    /// A matrix from model space to the space of a joint.
    pub fn inverse_bind(&self, matrix: &DAffine3) -> DAffine3 {
        let mirrored = self.joint_matrix(matrix);
        let back = DMat3::from_quat(self.turn.conjugate());
        DAffine3 { matrix3: mirrored.matrix3 * back, translation: mirrored.translation }
    }

    /// A matrix between the spaces of two joints.
    pub fn joint_matrix(&self, matrix: &DAffine3) -> DAffine3 {
        let mut linear = matrix.matrix3;
        if self.mirror {
            let flip = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
            linear = flip * linear * flip;
        }
        DAffine3 { matrix3: linear, translation: self.local_point(matrix.translation) }
    }

    fn mirrored(&self, v: DVec3) -> DVec3 {
        if self.mirror { DVec3::new(-v.x, v.y, v.z) } else { v }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaces() -> [SourceSpace; 4] {
        let space = |right, up, front, unit_meters| SourceSpace { right, up, front, unit_meters };
        [
            SourceSpace::CANONICAL,
            space(Axis::PlusX, Axis::PlusZ, Axis::MinusY, 0.01),
            space(Axis::MinusY, Axis::PlusX, Axis::PlusZ, 0.0254),
            space(Axis::PlusX, Axis::PlusY, Axis::MinusZ, 1.0),
        ]
    }

    fn some(seed: f64) -> Trs {
        Trs {
            translation: DVec3::new(seed, 2.0 - seed, 3.0 * seed),
            rotation: DQuat::from_xyzw(seed, 0.3, -0.2, 0.9).normalize(),
            scale: DVec3::new(1.0, 1.5 + seed, 0.5),
        }
    }

    #[test]
    fn axes_end_up_where_they_should() {
        for source in spaces() {
            let change = Conversion::new(&source, SpaceMode::Canonical);
            let direction = |axis: Axis| change.direction(glam::Vec3::from(axis).as_dvec3());
            assert!(direction(source.right).abs_diff_eq(DVec3::X, 1e-12), "{source:?}");
            assert!(direction(source.up).abs_diff_eq(DVec3::Y, 1e-12), "{source:?}");
            assert!(direction(source.front).abs_diff_eq(DVec3::Z, 1e-12), "{source:?}");
            assert_eq!(change.flips_winding(), source.front == Axis::MinusZ);
        }
    }

    /// Converting a chain and a skin gives the converted points.
    #[test]
    fn chains_and_skins_convert_together() {
        let (a, b, bind) = (some(0.3), some(-0.7), some(0.1).to_affine());
        let vertex = DVec3::new(0.4, -1.2, 2.0);
        let skinned = (a.to_affine() * b.to_affine() * bind).transform_point3(vertex);
        for source in spaces() {
            let change = Conversion::new(&source, SpaceMode::Canonical);
            let model = change.local(true, &a).to_affine() * change.local(false, &b).to_affine();
            let got = (model * change.inverse_bind(&bind)).transform_point3(change.point(vertex));
            assert!(got.abs_diff_eq(change.point(skinned), 1e-10), "{source:?}: {got}");
            let rigid = (a.to_affine() * b.to_affine()).transform_point3(vertex);
            let got = model.transform_point3(change.local_point(vertex));
            assert!(got.abs_diff_eq(change.point(rigid), 1e-10), "{source:?}");
            assert_eq!(change.local(false, &b).scale, b.scale, "no scale is left on a joint");
        }
    }

    #[test]
    fn keeping_changes_nothing() {
        for source in spaces() {
            let change = Conversion::new(&source, SpaceMode::Keep);
            assert_eq!(change.local(true, &some(0.3)), some(0.3));
            assert_eq!(change.space().up, source.up);
            assert!(!change.space().canonical);
        }
    }

    #[test]
    fn nonsense_is_left_alone() {
        let flat = SourceSpace { up: Axis::PlusX, unit_meters: 0.0, ..SourceSpace::CANONICAL };
        assert!(!flat.is_valid());
        assert_eq!(Conversion::new(&flat, SpaceMode::Canonical).point(DVec3::ONE), DVec3::ONE);
    }
}
