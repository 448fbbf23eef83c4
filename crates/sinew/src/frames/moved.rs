//! Which joints and scalars a clip moves.

use crate::Buffer;

/// Which parts of a joint a clip moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Parts {
    /// Its translation.
    pub translation: bool,
    /// Its rotation.
    pub rotation: bool,
    /// Its scale.
    pub scale: bool,
}

impl Parts {
    /// Whether it moves any.
    pub fn any(self) -> bool {
        self.translation || self.rotation || self.scale
    }
}

/// A bit for each part of each joint, and for each scalar.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Moved {
    joints: Buffer<u8>,
    scalars: Buffer<u8>,
}

impl Moved {
    /// Nothing moves, so far.
    pub fn none(joints: usize, scalars: usize) -> Self {
        Self {
            joints: vec![0; (joints * 3).div_ceil(8)].into(),
            scalars: vec![0; scalars.div_ceil(8)].into(),
        }
    }

    /// Adds parts of a joint.
    pub fn add(&mut self, joint: u16, parts: Parts) {
        for (part, is_moved) in [parts.translation, parts.rotation, parts.scale].into_iter().enumerate() {
            set(&mut self.joints, usize::from(joint) * 3 + part, is_moved);
        }
    }

    /// Adds a scalar.
    pub fn add_scalar(&mut self, scalar: u16) {
        set(&mut self.scalars, scalar.into(), true);
    }

    /// Which parts of a joint move.
    pub fn joint(&self, joint: u16) -> Parts {
        let bit = |part: usize| get(&self.joints, usize::from(joint) * 3 + part);
        Parts { translation: bit(0), rotation: bit(1), scale: bit(2) }
    }

    /// Whether a scalar moves.
    pub fn scalar(&self, scalar: u16) -> bool {
        get(&self.scalars, scalar.into())
    }

    /// Joints of which any part moves.
    pub fn joints(&self) -> impl Iterator<Item = u16> + '_ {
        let count = self.joints.len() * 8 / 3;
        (0..count.min(usize::from(u16::MAX)) as u16).filter(|&joint| self.joint(joint).any())
    }

    /// Scalars that move.
    pub fn scalars(&self) -> impl Iterator<Item = u16> + '_ {
        let count = self.scalars.len() * 8;
        (0..count.min(usize::from(u16::MAX)) as u16).filter(|&scalar| self.scalar(scalar))
    }

    /// The bits as bytes, lowest first: three for each joint; one for each scalar.
    pub fn bytes(&self) -> (&[u8], &[u8]) {
        (&self.joints, &self.scalars)
    }

    /// The same from such bytes.
    pub(crate) fn from_bits(joints: Buffer<u8>, scalars: Buffer<u8>) -> Self {
        Self { joints, scalars }
    }
}

fn set(bits: &mut [u8], at: usize, value: bool) {
    if let Some(byte) = bits.get_mut(at / 8) {
        *byte |= u8::from(value) << (at % 8);
    }
}

fn get(bits: &[u8], at: usize) -> bool {
    bits.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
}
