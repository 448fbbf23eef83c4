use crate::math;
use glam::{DMat4, DQuat, DVec3};

/// Order in which the three rotations of a node are applied, first axis first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RotationOrder {
    #[default]
    Xyz = 0,
    Xzy = 1,
    Yzx = 2,
    Yxz = 3,
    Zxy = 4,
    Zyx = 5,
}

/// How a node takes over its parent's scale. The numbers are FBX's `InheritType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inherit {
    /// `RrSs`: scales are multiplied axis by axis, below all rotations.
    Componentwise = 0,
    /// `RSrs`: the plain product of matrices.
    #[default]
    Full = 1,
    /// `Rrs`: the parent's own scale moves the node but does not scale it.
    IgnoreParentScale = 2,
}

/// A node's transform with the properties that FBX has. Angles are in degrees.
///
/// `local = T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// `Lcl Translation`.
    pub translation: DVec3,
    /// `Lcl Rotation`, composed in [`Transform::rotation_order`].
    pub rotation: DVec3,
    /// `Lcl Scaling`.
    pub scaling: DVec3,
    /// `PreRotation`, always XYZ.
    pub pre_rotation: DVec3,
    /// `PostRotation`, always XYZ; its inverse is applied.
    pub post_rotation: DVec3,
    /// `RotationOffset`.
    pub rotation_offset: DVec3,
    /// `RotationPivot`.
    pub rotation_pivot: DVec3,
    /// `ScalingOffset`.
    pub scaling_offset: DVec3,
    /// `ScalingPivot`.
    pub scaling_pivot: DVec3,
    /// `RotationOrder`.
    pub rotation_order: RotationOrder,
    /// `InheritType`.
    pub inherit: Inherit,
    /// `GeometricTranslation`: moves the node's mesh, not its children.
    pub geometric_translation: DVec3,
    /// `GeometricRotation`.
    pub geometric_rotation: DVec3,
    /// `GeometricScaling`.
    pub geometric_scaling: DVec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self {
            translation: DVec3::ZERO,
            rotation: DVec3::ZERO,
            scaling: DVec3::ONE,
            pre_rotation: DVec3::ZERO,
            post_rotation: DVec3::ZERO,
            rotation_offset: DVec3::ZERO,
            rotation_pivot: DVec3::ZERO,
            scaling_offset: DVec3::ZERO,
            scaling_pivot: DVec3::ZERO,
            rotation_order: RotationOrder::Xyz,
            inherit: Inherit::Full,
            geometric_translation: DVec3::ZERO,
            geometric_rotation: DVec3::ZERO,
            geometric_scaling: DVec3::ONE,
        }
    }
}

impl Transform {
    /// A translation.
    pub fn at(translation: DVec3) -> Self {
        Self { translation, ..Self::default() }
    }

    /// A translation with a pre-rotation in degrees.
    pub fn pre_rotated(translation: DVec3, pre_rotation: DVec3) -> Self {
        Self { translation, pre_rotation, ..Self::default() }
    }

    /// Rotation of the `Lcl Rotation` alone, in its order.
    pub fn lcl_rotation(&self) -> DQuat {
        let r = self.rotation.map(f64::to_radians);
        let x = DQuat::from_rotation_x(r.x);
        let y = DQuat::from_rotation_y(r.y);
        let z = DQuat::from_rotation_z(r.z);
        match self.rotation_order {
            RotationOrder::Xyz => z * y * x,
            RotationOrder::Xzy => y * z * x,
            RotationOrder::Yzx => x * z * y,
            RotationOrder::Yxz => z * x * y,
            RotationOrder::Zxy => y * x * z,
            RotationOrder::Zyx => x * y * z,
        }
    }

    /// The whole local rotation: pre, own and post.
    pub fn local_rotation(&self) -> DQuat {
        math::euler_xyz(self.pre_rotation)
            * self.lcl_rotation()
            * math::euler_xyz(self.post_rotation).inverse()
    }

    /// Local matrix by the formula above.
    pub fn local(&self) -> DMat4 {
        let t = DMat4::from_translation;
        t(self.translation + self.rotation_offset + self.rotation_pivot)
            * DMat4::from_quat(self.local_rotation())
            * t(self.scaling_offset + self.scaling_pivot - self.rotation_pivot)
            * DMat4::from_scale(self.scaling)
            * t(-self.scaling_pivot)
    }

    /// Where the node's mesh stands relative to the node.
    pub fn geometric(&self) -> DMat4 {
        DMat4::from_scale_rotation_translation(
            self.geometric_scaling,
            math::euler_xyz(self.geometric_rotation),
            self.geometric_translation,
        )
    }

    /// Sets `Lcl Rotation` so that the whole local rotation becomes `local`, on the branch nearest to `reference`.
    pub fn rotation_for(&self, local: DQuat, reference: DVec3) -> DVec3 {
        assert_eq!(self.rotation_order, RotationOrder::Xyz);
        let lcl = math::euler_xyz(self.pre_rotation).inverse() * local * math::euler_xyz(self.post_rotation);
        math::nearest_branch(math::to_euler_xyz(lcl), reference)
    }

    pub(super) fn scale_lengths(&mut self, factor: f64) {
        for length in [
            &mut self.translation,
            &mut self.rotation_offset,
            &mut self.rotation_pivot,
            &mut self.scaling_offset,
            &mut self.scaling_pivot,
            &mut self.geometric_translation,
        ] {
            *length *= factor;
        }
    }

    pub(super) fn turn_to_z_up(&mut self) {
        let turn = DQuat::from_rotation_x(90f64.to_radians());
        self.translation = turn * self.translation;
        self.pre_rotation = math::to_euler_xyz(turn * math::euler_xyz(self.pre_rotation));
    }
}
