//! SkinningData v1 played in Rust: from its matrices, with glam's own decomposition.

use crate::compare::affine;
use sinew::glam::{Affine3, Mat4};
use sinew_xnb::skinning::{ClipV1, KeyV1, TICKS_PER_SECOND, V1};

/// A clip of version 1, with its keys by bone.
pub struct Played<'a> {
    data: &'a V1,
    keys: Vec<Vec<&'a KeyV1>>,
}

impl<'a> Played<'a> {
    pub fn new(data: &'a V1, clip: &'a ClipV1) -> Self {
        let mut keys = vec![Vec::new(); data.binds.len()];
        clip.keys.iter().for_each(|key| keys[key.bone as usize].push(key));
        Self { data, keys }
    }

    /// Skin matrices at a time. `step` holds the key before.
    pub fn skin(&self, time: f64, step: bool) -> Vec<Affine3> {
        let mut world: Vec<Affine3> = Vec::new();
        for ((bind, keys), parent) in self.data.binds.iter().zip(&self.keys).zip(&self.data.parents) {
            let local = if keys.is_empty() { affine(bind) } else { sample(keys, time, step) };
            world.push(parent.map_or(local, |parent| world[parent as usize] * local));
        }
        world.iter().zip(&self.data.inverse_binds).map(|(world, inverse)| *world * affine(inverse)).collect()
    }
}

fn sample(keys: &[&KeyV1], time: f64, step: bool) -> Affine3 {
    let seconds = |key: &KeyV1| key.time as f64 / TICKS_PER_SECOND as f64;
    let next = keys.partition_point(|key| f64::from(seconds(key) as f32) <= time);
    let before = keys[next.saturating_sub(1)];
    let from = affine(&before.local);
    if next == 0 || next == keys.len() || step {
        return from;
    }
    let (t0, t1) = (seconds(before), seconds(keys[next]));
    let way = ((time - t0) / (t1 - t0)) as f32;
    let (s0, r0, p0) = Mat4::from(from).to_scale_rotation_translation();
    let (s1, r1, p1) = Mat4::from(affine(&keys[next].local)).to_scale_rotation_translation();
    Affine3::from_scale_rotation_translation(s0.lerp(s1, way), r0.slerp(r1, way), p0.lerp(p1, way))
}
