//! What each job of inverse kinematics costs, on a character of 70 joints.
//!
//! `cargo bench -p sinew --bench ik`. Targets move while it is measured.

use divan::Bencher;
use sinew::glam::{Quat, Vec3, Vec4};
use sinew::ik::{Aim, AimJoint, Footing, Ground, Leg, PlantFeet, Posed, Reach, TwoBone};
use sinew::{Hierarchy, Mat3x4, NO_JOINT, Pose, Transform};

const JOINTS: u16 = 70;
/// Joints of one limb.
const LIMB: u16 = 14;

fn main() {
    divan::main();
}

/// Five limbs below a root: chains that bend a little at each joint.
struct Figure {
    hierarchy: Hierarchy,
    pose: Pose,
    model: Vec<Mat3x4>,
    frame: u16,
}

impl Figure {
    fn new() -> Self {
        let parents = (0..JOINTS).map(|joint| match joint {
            0 => NO_JOINT,
            _ if joint % LIMB == 1 => 0,
            _ => joint - 1,
        });
        let hierarchy = Hierarchy::new(parents.collect()).expect("parents come first");
        let mut pose = Pose::identity(usize::from(JOINTS), 0);
        for joint in 0..usize::from(JOINTS) {
            let rotation = Quat::from_rotation_x(0.1)
                * Quat::from_rotation_z(if joint % 14 == 1 { joint as f32 } else { 0.0 });
            pose.set(joint, Transform { rotation, ..Transform::from_translation(Vec3::Y * 0.1) });
        }
        Self { hierarchy, pose, model: vec![Mat3x4::IDENTITY; usize::from(JOINTS)], frame: 0 }
    }

    /// A job on the pose as it was made, with a target that goes round; the matrices of all joints are part of it, as in a frame.
    fn measure(bencher: Bencher, mut job: impl FnMut(Vec3, &mut Posed<'_>)) {
        let mut figure = Self::new();
        let first = figure.pose.clone();
        bencher.bench_local(|| {
            figure.frame = figure.frame.wrapping_add(1);
            let turn = f32::from(figure.frame % 256) * 0.025;
            let target = Vec3::new(turn.sin(), 0.6, turn.cos()) * 0.5;
            figure.pose.copy_from(&first);
            let mut pose =
                Posed::new(&figure.hierarchy, &mut figure.pose, &Mat3x4::IDENTITY, &mut figure.model)
                    .expect("of one length");
            job(target, &mut pose);
        });
    }
}

/// The matrices of all joints alone, which every other figure contains.
#[divan::bench]
fn matrices(bencher: Bencher) {
    Figure::measure(bencher, |target, _| {
        divan::black_box(target);
    });
}

#[divan::bench]
fn two_bone(bencher: Bencher) {
    Figure::measure(bencher, |target, pose| {
        let arm = TwoBone { pole: Some(Vec3::Z), soft: 0.1, ..TwoBone::new(1, 4, 7, target) };
        arm.solve(pose).expect("joints below each other");
    });
}

#[divan::bench]
fn aim_of_three_joints(bencher: Bencher) {
    let joints = [15, 17, 19].map(|joint| AimJoint { joint, share: 0.5, limit: 0.6 });
    Figure::measure(bencher, |target, pose| {
        Aim::new(&joints, Vec3::Z, target).solve(pose).expect("joints that are there");
    });
}

#[divan::bench]
fn reach_of_ten_joints(bencher: Bencher) {
    let chain: [u16; 10] = std::array::from_fn(|joint| 29 + joint as u16);
    let mut scratch = [Vec4::ZERO; 10];
    Figure::measure(bencher, |target, pose| {
        Reach::new(&chain, target).solve(&mut scratch, pose).expect("a chain");
    });
}

#[divan::bench]
fn two_feet(bencher: Bencher) {
    let legs = [1, 15].map(|upper| Leg { upper, lower: upper + 3, foot: upper + 6, pole: None });
    let mut footing = [Footing::default(); 2];
    Figure::measure(bencher, |target, pose| {
        let ground = Ground { height: target.x * 0.1, normal: Vec3::new(0.1, 1.0, 0.0), contact: true };
        PlantFeet::new(0, &legs).solve(&[ground; 2], &mut footing, 0.02, pose).expect("legs below the hips");
    });
}
