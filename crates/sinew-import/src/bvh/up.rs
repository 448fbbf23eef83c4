//! Which way is up. The format does not say; nearly all files mean +Y.

use super::clip::Evaluator;
use crate::space::SourceSpace;
use crate::{Options, SpaceMode, UpAxis, findings};
use glam::{Affine3A, Vec3};
use sinew::{Axis, Finding};

/// Frames that are looked at, at most.
const FRAMES: usize = 16;
/// A figure that is this many times as long along Z as along Y in most of them lies, or means +Z.
const LYING: f32 = 1.5;

/// Axes of a file with this axis up.
pub(super) fn axes(up: UpAxis) -> SourceSpace {
    match up {
        UpAxis::Y => SourceSpace::CANONICAL,
        UpAxis::Z => SourceSpace { up: Axis::PlusZ, front: Axis::MinusY, ..SourceSpace::CANONICAL },
    }
}

/// Says so if the figure looks as if +Z was meant, and nobody has said which axis is.
pub(super) fn check(evaluator: &Evaluator, options: &Options, findings: &mut Vec<Finding>) {
    let frames = evaluator.motion.frames();
    if options.bvh_up != UpAxis::Y || options.space == SpaceMode::Keep || frames == 0 {
        return;
    }
    let mut ratios: Vec<f32> =
        (0..frames).step_by(frames.div_ceil(FRAMES)).map(|frame| ratio(evaluator, frame)).collect();
    ratios.sort_by(f32::total_cmp);
    if ratios.get(ratios.len() / 2).is_some_and(|ratio| *ratio >= LYING) {
        let message = "the figure lies along Z in most frames; if it is to stand, Z is up in this file";
        findings.push(Finding::new(&findings::BVH_UP, "the file", message));
    }
}

/// How many times as long as high the figure is in a frame.
fn ratio(evaluator: &Evaluator, frame: usize) -> f32 {
    let locals = evaluator.rest(Some(frame));
    let mut models: Vec<Affine3A> = Vec::with_capacity(locals.len());
    for (local, node) in locals.iter().zip(&evaluator.hierarchy.nodes) {
        let local = Affine3A::from_rotation_translation(local.rotation, local.translation);
        let above = node.parent.and_then(|parent| models.get(usize::from(parent)));
        models.push(above.map_or(local, |above| *above * local));
    }
    let places = || models.iter().map(|model| Vec3::from(model.translation));
    let size = places().reduce(Vec3::max).zip(places().reduce(Vec3::min)).map(|(most, least)| most - least);
    size.map_or(0.0, |size| size.z / size.y.max(f32::MIN_POSITIVE))
}
