//! ufbx's types as ours, and back.

use crate::decompose::Trs;
use crate::euler::Order;
use crate::space::SourceSpace;
use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};
use sinew::Axis;
use ufbx::RotationOrder;

pub(super) fn vec2(v: ufbx::Vec2) -> DVec2 {
    DVec2::new(v.x, v.y)
}

pub(super) fn vec3(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub(super) fn quat(q: ufbx::Quat) -> DQuat {
    DQuat::from_xyzw(q.x, q.y, q.z, q.w)
}

pub(super) fn trs(t: &ufbx::Transform) -> Trs {
    Trs { translation: vec3(t.translation), rotation: quat(t.rotation), scale: vec3(t.scale) }
}

pub(super) fn affine(m: &ufbx::Matrix) -> DAffine3 {
    DAffine3 {
        matrix3: DMat3::from_cols(
            DVec3::new(m.m00, m.m10, m.m20),
            DVec3::new(m.m01, m.m11, m.m21),
            DVec3::new(m.m02, m.m12, m.m22),
        ),
        translation: DVec3::new(m.m03, m.m13, m.m23),
    }
}

/// The order of three rotations, which ufbx names by what is applied first. A spheric one is none of three.
pub(super) fn order(order: RotationOrder) -> Option<Order> {
    let [zyx, xyz, xzy, yxz, yzx, zxy] = Order::ALL;
    match order {
        RotationOrder::Xyz => Some(zyx),
        RotationOrder::Xzy => Some(yzx),
        RotationOrder::Yzx => Some(xzy),
        RotationOrder::Yxz => Some(zxy),
        RotationOrder::Zxy => Some(yxz),
        RotationOrder::Zyx => Some(xyz),
        RotationOrder::Spheric => None,
    }
}

/// Axes and unit of a file; what a file does not state gets FBX's usual default.
pub(super) fn source_space(scene: &ufbx::Scene) -> SourceSpace {
    let axes = &scene.settings.axes;
    SourceSpace {
        right: axis(axes.right).unwrap_or(Axis::PlusX),
        up: axis(axes.up).unwrap_or(Axis::PlusY),
        front: axis(axes.front).unwrap_or(Axis::PlusZ),
        unit_meters: scene.settings.unit_meters,
    }
}

fn axis(axis: ufbx::CoordinateAxis) -> Option<Axis> {
    match axis {
        ufbx::CoordinateAxis::PositiveX => Some(Axis::PlusX),
        ufbx::CoordinateAxis::NegativeX => Some(Axis::MinusX),
        ufbx::CoordinateAxis::PositiveY => Some(Axis::PlusY),
        ufbx::CoordinateAxis::NegativeY => Some(Axis::MinusY),
        ufbx::CoordinateAxis::PositiveZ => Some(Axis::PlusZ),
        ufbx::CoordinateAxis::NegativeZ => Some(Axis::MinusZ),
        ufbx::CoordinateAxis::Unknown => None,
    }
}
