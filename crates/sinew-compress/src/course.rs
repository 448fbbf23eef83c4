//! Where joints truly are in each frame, and how they make up for the joints above them: the same for all roundings that are tried.

use crate::encode::Prepared;
use crate::figure::{self, Model};
use crate::grid::Sampled;
use crate::room::Room;
use sinew::NO_JOINT;
use sinew::glam::{DMat3, DQuat, DVec3};

/// How much the points on a joint's own shell weigh against the places of its children.
const SHELL_WEIGHT: f64 = 1.0;

/// All frames of a layout.
pub(crate) struct Course<'a> {
    pub(crate) parents: &'a [u16],
    pub(crate) sampled: &'a Sampled,
    shells: &'a [f64],
    /// Of the joints that may be turned to make up for others.
    children: Vec<Vec<u16>>,
    /// Of all frames, one after the other; nothing where they would take too much memory, and are found anew each time.
    joints: Vec<OnCourse>,
}

/// A joint in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnCourse {
    pub(crate) model: Model,
    /// Its rotation in model space.
    pub(crate) turn: DQuat,
    /// From how far its place is off to half of the turn, about x, y and z, that makes up for it. None where nothing does.
    lever: Option<DMat3>,
}

impl OnCourse {
    /// The rotation that brings the children of the joint, seen from where it is, nearest to where they should be; points on its shell weigh against it. It is the true one
    /// where there are no children, or where the way to it is not small.
    #[inline]
    pub(crate) fn wanted(&self, place: DVec3) -> DQuat {
        let Some(lever) = &self.lever else { return self.turn };
        let half = *lever * (place - self.model.place);
        let square = half.length_squared();
        // No number is not small either.
        let is_small = square <= 0.01;
        match is_small {
            true => DQuat::from_xyzw(half.x, half.y, half.z, (1.0 - square).sqrt()) * self.turn,
            false => self.turn,
        }
    }
}

impl<'a> Course<'a> {
    /// Also returns what is left of the room for it.
    pub(crate) fn new(prepared: &Prepared<'a>, room: Room) -> (Self, Room) {
        let (parents, sampled, shells) = (prepared.parents, prepared.sampled, prepared.shells);
        let mut children = vec![Vec::new(); parents.len()];
        for (joint, &parent) in (0u16..).zip(parents) {
            // Only what is rounded can make up for anything.
            if parent != NO_JOINT && prepared.turns[usize::from(parent)].is_some() {
                children[usize::from(parent)].push(joint);
            }
        }
        let count = sampled.joints.len() * parents.len();
        let (room, stored) = room.without_course(count);
        let mut course = Self { parents, sampled, shells, children, joints: Vec::new() };
        if stored {
            let (mut joints, mut found) = (Vec::with_capacity(count), Found::default());
            (0..sampled.joints.len())
                .for_each(|frame| joints.extend_from_slice(course.find(frame, &mut found)));
            course.joints = joints;
        }
        (course, room)
    }

    /// All joints in a frame; `found` is room for what is not stored.
    pub(crate) fn frame<'s>(&'s self, frame: usize, found: &'s mut Found) -> &'s [OnCourse] {
        let joints = self.parents.len();
        let stored = self.joints.get(frame * joints..(frame + 1) * joints);
        stored.unwrap_or_else(|| self.find(frame, found))
    }

    fn find<'s>(&self, frame: usize, found: &'s mut Found) -> &'s [OnCourse] {
        let (locals, Found { models, joints }) = (&self.sampled.joints[frame], found);
        models.resize(locals.len(), Model::IDENTITY);
        figure::models(self.parents, locals, models);
        joints.clear();
        joints.reserve_exact(locals.len());
        for (joint, (local, &parent)) in locals.iter().zip(self.parents).enumerate() {
            let turn = match parent {
                NO_JOINT => local.rotation,
                parent => joints[usize::from(parent)].turn * local.rotation,
            };
            joints.push(OnCourse { model: models[joint], turn, lever: self.lever(joint, models) });
        }
        joints
    }

    fn lever(&self, joint: usize, models: &[Model]) -> Option<DMat3> {
        let (children, own, shell) = (&self.children[joint], models[joint].place, self.shells[joint]);
        if children.is_empty() {
            return None;
        }
        let mut squares = DMat3::from_diagonal(DVec3::splat(SHELL_WEIGHT * shell * shell));
        let mut sum = DVec3::ZERO;
        for &child in children {
            let to = models[usize::from(child)].place - own;
            let outer = DMat3::from_cols(to * to.x, to * to.y, to * to.z);
            squares += DMat3::from_diagonal(DVec3::splat(to.length_squared())) - outer;
            sum += to;
        }
        // A vector by this is its cross product with the sum.
        let cross = DMat3::from_cols(DVec3::X.cross(sum), DVec3::Y.cross(sum), DVec3::Z.cross(sum));
        Some(squares.inverse() * cross * 0.5)
    }
}

/// Room for one frame.
#[derive(Default)]
pub(crate) struct Found {
    models: Vec<Model>,
    joints: Vec<OnCourse>,
}

#[cfg(test)]
impl Found {
    /// Whether all that was asked for was stored.
    pub(crate) fn is_unused(&self) -> bool {
        self.joints.is_empty()
    }
}
