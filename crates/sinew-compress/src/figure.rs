//! The character as the error sees it: how large it is, and how far each joint reaches.

use crate::motion::Local;
use sinew::glam::{DMat3, DVec3};
use sinew::{Aabb, Character, NO_JOINT, Skeleton};

/// Radius of the shell on which errors are measured, for a figure of [`HEIGHT`].
const SHELL: f64 = 0.03;

/// Height that all lengths of profiles are for, in metres.
const HEIGHT: f64 = 1.8;

/// Size of a figure and the shells around its joints.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Factor from lengths for 1.8 m to those of this figure, in its own unit.
    pub scale: f64,
    /// Radius of the shell around each joint, in the figure's unit.
    pub shells: Vec<f64>,
}

impl Figure {
    /// Measures a character: its height at rest, or the largest extent of its joints where it has no height. `shell` may give a joint another radius than
    /// 3 cm, in metres for a figure of 1.8 m.
    pub fn of(character: &Character, shell: impl Fn(&str) -> Option<f64>) -> Self {
        let up: sinew::glam::Vec3 = character.space().up.into();
        let bounds = character.rest_bounds();
        Self::new(character.skeleton(), height(&bounds, up), shell)
    }

    /// The same for a skeleton and a height.
    pub fn new(skeleton: &Skeleton, height: f64, shell: impl Fn(&str) -> Option<f64>) -> Self {
        let scale = if height > 0.0 && height.is_finite() { height / HEIGHT } else { 1.0 };
        let radius = |name: &str| shell(name).unwrap_or(SHELL) * scale;
        Self { scale, shells: skeleton.names().iter().map(radius).collect() }
    }
}

fn height(bounds: &Aabb, up: sinew::glam::Vec3) -> f64 {
    let size = bounds.max - bounds.min;
    let height = size.dot(up.abs());
    f64::from(if height > 0.0 { height } else { size.max_element() })
}

/// Model matrices in double precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    pub(crate) axes: DMat3,
    pub(crate) place: DVec3,
}

impl Model {
    pub(crate) const IDENTITY: Self = Self { axes: DMat3::IDENTITY, place: DVec3::ZERO };
}

pub(crate) fn models(parents: &[u16], locals: &[Local], out: &mut [Model]) {
    for (joint, (&parent, local)) in parents.iter().zip(locals).enumerate() {
        let (axes, place) = (axes(local), local.translation);
        out[joint] = match parent {
            NO_JOINT => Model { axes, place },
            parent => {
                let above = &out[usize::from(parent)];
                Model { axes: above.axes * axes, place: above.axes * place + above.place }
            }
        };
    }
}

fn axes(local: &Local) -> DMat3 {
    let (turn, scale) = (DMat3::from_quat(local.rotation), local.scale);
    if scale == DVec3::ONE {
        return turn;
    }
    DMat3::from_cols(turn.x_axis * scale.x, turn.y_axis * scale.y, turn.z_axis * scale.z)
}

/// What one joint's error does to the joints next to it; those farther down make up for it (see [`crate::follow`]).
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// Distance to the farthest point of its own shell or of a child's.
    pub(crate) far: Vec<f64>,
    /// Scale of its parent's space.
    pub(crate) above: Vec<f64>,
}

impl Reach {
    /// Over some poses of a clip.
    pub(crate) fn over<'p>(
        parents: &[u16],
        figure: &Figure,
        poses: impl Iterator<Item = &'p Vec<Local>>,
    ) -> Self {
        let mut reach = Self { far: figure.shells.clone(), above: vec![1.0; parents.len()] };
        let mut model = vec![Model::IDENTITY; parents.len()];
        for pose in poses {
            models(parents, pose, &mut model);
            for (joint, &parent) in parents.iter().enumerate().filter(|(_, parent)| **parent != NO_JOINT) {
                let at = usize::from(parent);
                let axes = model[at].axes;
                let scale = axes.x_axis.length().max(axes.y_axis.length()).max(axes.z_axis.length());
                reach.above[joint] = reach.above[joint].max(scale);
                let distance = (model[joint].place - model[at].place).length() + figure.shells[joint];
                reach.far[at] = reach.far[at].max(distance);
            }
        }
        reach
    }
}
