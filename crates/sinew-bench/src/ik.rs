//! What each job of inverse kinematics costs, on a humanoid of 65 joints. The matrices of all joints are part of it, as in a frame.

use crate::humanoid;
use crate::work::Workload;
use sinew::glam::{Vec3, Vec4};
use sinew::ik::{Aim, AimJoint, Footing, Ground, Leg, PlantFeet, Posed, Reach, TwoBone};
use sinew::{JobError, Mat3x4, Pose, Skeleton};
use std::sync::Arc;

/// How near a hand or a foot must come, in metres.
const NEAR: f32 = 1e-4;

#[derive(Clone)]
struct Figure {
    skeleton: Arc<Skeleton>,
    pose: Pose,
    model: Vec<Mat3x4>,
    frame: u16,
    footing: [Footing; 2],
    solved: bool,
}

impl Figure {
    fn place(&self, joint: u16) -> Vec3 {
        self.model[usize::from(joint)].translation()
    }

    /// A point that goes round, from frame to frame.
    fn swing(&self) -> Vec3 {
        let turn = f32::from(self.frame % 256) * 0.025;
        Vec3::new(libm::sinf(turn), 0.0, libm::cosf(turn))
    }

    fn was_at_rest(&self, joint: u16) -> Vec3 {
        self.skeleton.rest_model()[usize::from(joint)].translation()
    }
}

/// A job on the rest pose; `holds` says whether it did what it is for.
fn workload(
    (name, title): (&'static str, &'static str),
    skeleton: &Arc<Skeleton>,
    mut job: impl FnMut(Vec3, &mut [Footing; 2], &mut Posed<'_>) -> Result<(), JobError> + 'static,
    holds: impl Fn(&Figure) -> bool + 'static,
) -> Workload {
    let figure = Figure {
        skeleton: Arc::clone(skeleton),
        pose: skeleton.rest().clone(),
        model: skeleton.rest_model().to_vec(),
        frame: 0,
        footing: [Footing::default(); 2],
        solved: false,
    };
    let bytes = size_of_val(&figure.model[..]);
    let work = move |figure: &mut Figure| {
        figure.frame = figure.frame.wrapping_add(1);
        let swing = figure.swing();
        let Figure { skeleton, pose, model, footing, solved, .. } = figure;
        pose.copy_from(skeleton.rest());
        let posed = Posed::new(skeleton.hierarchy(), pose, &Mat3x4::IDENTITY, model);
        *solved = posed.and_then(|mut posed| job(swing, footing, &mut posed)).is_ok();
    };
    // No bits at all are no result.
    let bits = move |figure: &Figure| {
        if figure.solved && holds(figure) { crate::work::matrix_bits(&figure.model) } else { vec![] }
    };
    Workload::new(name, title, figure, bytes, work, bits)
}

/// All jobs. None if the figure lacks a joint.
pub(crate) fn all() -> Option<Vec<Workload>> {
    let character = humanoid::character(1.0)?;
    let skeleton = character.skeleton();
    Some(vec![matrices(skeleton), two_bone(skeleton)?, aim(skeleton)?, reach(skeleton)?, feet(skeleton)?])
}

/// What all other rows contain.
fn matrices(skeleton: &Arc<Skeleton>) -> Workload {
    let name = ("ik-matrices", "matrices of all joints alone, which every other row contains");
    workload(name, skeleton, |_, _, _| Ok(()), |figure| figure.model == figure.skeleton.rest_model())
}

fn joints<const N: usize>(skeleton: &Skeleton, names: [&str; N]) -> Option<[u16; N]> {
    let mut joints = [0; N];
    for (joint, name) in joints.iter_mut().zip(names) {
        *joint = skeleton.find(name)?;
    }
    Some(joints)
}

fn two_bone(skeleton: &Arc<Skeleton>) -> Option<Workload> {
    let [upper, lower, end] = joints(skeleton, ["LeftArm", "LeftForeArm", "LeftHand"])?;
    let target = |swing: Vec3| Vec3::new(0.4, 1.3, 0.2) + swing * 0.1;
    let job = move |swing, _: &mut _, posed: &mut Posed<'_>| {
        let arm = TwoBone::new(upper, lower, end, target(swing));
        TwoBone { pole: Some(Vec3::NEG_Z), soft: 0.1, ..arm }.solve(posed)
    };
    let holds = move |figure: &Figure| figure.place(end).distance(target(figure.swing())) < NEAR;
    Some(workload(("ik-two-bone", "two-bone: an arm"), skeleton, job, holds))
}

fn aim(skeleton: &Arc<Skeleton>) -> Option<Workload> {
    let chain = joints(skeleton, ["Spine2", "Neck", "Head"])?;
    let head = chain[2];
    let chain = chain.map(|joint| AimJoint { joint, share: 0.4, limit: 3.0 });
    let target = |swing: Vec3| Vec3::new(0.0, 1.7, 2.0) + swing;
    let job =
        move |swing, _: &mut _, posed: &mut Posed<'_>| Aim::new(&chain, Vec3::Z, target(swing)).solve(posed);
    let holds = move |figure: &Figure| {
        let gaze = figure.model[usize::from(head)].transform_vector3(Vec3::Z);
        let wanted = (target(figure.swing()) - figure.place(head)).normalize();
        gaze.normalize().distance(wanted) < 1e-3
    };
    Some(workload(("ik-aim", "aim: spine, neck and head"), skeleton, job, holds))
}

fn reach(skeleton: &Arc<Skeleton>) -> Option<Workload> {
    let chain: [u16; 10] = joints(
        skeleton,
        [
            "Spine",
            "Spine1",
            "Spine2",
            "LeftShoulder",
            "LeftArm",
            "LeftForeArm",
            "LeftHand",
            "LeftHandIndex1",
            "LeftHandIndex2",
            "LeftHandIndex3",
        ],
    )?;
    let target = |swing: Vec3| Vec3::new(0.5, 1.2, 0.4) + swing * 0.1;
    let mut scratch = [Vec4::ZERO; 10];
    let job = move |swing, _: &mut _, posed: &mut Posed<'_>| {
        Reach::new(&chain, target(swing)).solve(&mut scratch, posed)
    };
    let holds = move |figure: &Figure| figure.place(chain[9]).distance(target(figure.swing())) < NEAR;
    Some(workload(("ik-reach", "reach: ten joints from spine to finger"), skeleton, job, holds))
}

fn feet(skeleton: &Arc<Skeleton>) -> Option<Workload> {
    let [hips] = joints(skeleton, ["Hips"])?;
    let left = joints(skeleton, ["LeftUpLeg", "LeftLeg", "LeftFoot"])?;
    let right = joints(skeleton, ["RightUpLeg", "RightLeg", "RightFoot"])?;
    let legs = [left, right].map(|[upper, lower, foot]| Leg { upper, lower, foot, pole: Some(Vec3::Z) });
    // One foot higher than the other, on a slope.
    let normal = Vec3::new(0.1, 1.0, 0.0).normalize();
    let heights = |swing: Vec3| [0.1 + 0.05 * swing.x, 0.02 * swing.z];
    let job = move |swing, footing: &mut [Footing; 2], posed: &mut Posed<'_>| {
        let ground = heights(swing).map(|height| Ground { height, normal, contact: true });
        PlantFeet::new(hips, &legs).solve(&ground, footing, 0.02, posed)
    };
    let holds = move |figure: &Figure| {
        legs.iter().zip(heights(figure.swing())).all(|(leg, height)| {
            let rest = figure.was_at_rest(leg.foot).y;
            (figure.place(leg.foot).y - (height + rest * normal.y)).abs() < NEAR
        })
    };
    Some(workload(("ik-feet", "two feet on a slope"), skeleton, job, holds))
}
