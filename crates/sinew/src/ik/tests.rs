use super::*;
use crate::math::normalize;
use crate::{Hierarchy, Mat3x4, NO_JOINT, Pose, Transform};
use glam::{DMat4, DVec3, Quat, Vec4};
use proptest::prelude::*;

/// A pose with its matrices, and where its joints are by glam's own arithmetic in double precision.
#[derive(Clone, Debug)]
struct Rig {
    hierarchy: Hierarchy,
    pose: Pose,
    model: Vec<Mat3x4>,
    root: Mat3x4,
}

impl Rig {
    fn new(joints: &[(u16, Transform)]) -> Self {
        let mut pose = Pose::identity(joints.len(), 0);
        joints.iter().enumerate().for_each(|(joint, (_, local))| pose.set(joint, *local));
        let hierarchy = Hierarchy::new(joints.iter().map(|j| j.0).collect()).unwrap();
        let root = Mat3x4::from_translation(Vec3::new(0.3, 0.0, -0.2));
        Self { hierarchy, pose, model: vec![Mat3x4::IDENTITY; joints.len()], root }
    }

    fn chain(locals: &[Transform]) -> Self {
        let parent = |i: usize| i.checked_sub(1).map_or(NO_JOINT, |p| p as u16);
        Self::new(&locals.iter().enumerate().map(|(i, l)| (parent(i), *l)).collect::<Vec<_>>())
    }

    fn posed(&mut self) -> Posed<'_> {
        Posed::new(&self.hierarchy, &mut self.pose, &self.root, &mut self.model).unwrap()
    }

    fn matrix(&self, joint: usize) -> DMat4 {
        let (mut at, mut matrix) = (joint as u16, DMat4::IDENTITY);
        while at != NO_JOINT {
            let t = self.pose.get(at.into());
            let rotation = t.rotation.as_dquat().normalize();
            let local = (t.scale.as_dvec3(), rotation, t.translation.as_dvec3());
            matrix = DMat4::from_scale_rotation_translation(local.0, local.1, local.2) * matrix;
            at = self.hierarchy.parents()[usize::from(at)];
        }
        DMat4::from_translation(self.root.translation().as_dvec3()) * matrix
    }

    fn place(&self, joint: usize) -> DVec3 {
        self.matrix(joint).w_axis.truncate()
    }

    /// Whether the matrices that a job leaves are those of its pose, to the rounding of `f32` at their distance.
    fn follows(&self) -> bool {
        let places: Vec<DVec3> = (0..self.pose.len()).map(|joint| self.place(joint)).collect();
        let size = places.iter().map(|place| place.length()).fold(1.0, f64::max);
        self.model
            .iter()
            .zip(&places)
            .all(|(m, place)| m.translation().as_dvec3().distance(*place) < 2e-5 * size)
    }

    fn segment(&self, joint: usize) -> f64 {
        self.place(joint).distance(self.place(joint + 1))
    }
}

fn any_rotation() -> impl Strategy<Value = Quat> {
    [-1.0f32..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0]
        .prop_filter("has a direction", |q| q.iter().map(|x| x * x).sum::<f32>() > 1e-2)
        .prop_map(normalize)
}

fn direction() -> impl Strategy<Value = Vec3> {
    any_rotation().prop_map(|q| rotation::rotate(q, Vec3::X))
}

/// A segment of 10 to 50 cm along any axis, and a uniform scale.
fn segment() -> impl Strategy<Value = Transform> {
    (direction(), 0.1f32..0.5, any_rotation(), 0.8f32..1.25).prop_map(|(d, length, rotation, scale)| {
        Transform { translation: d * length, rotation, scale: Vec3::splat(scale) }
    })
}

/// What lies above a limb: in any units, and scaled differently along each axis.
fn above() -> impl Strategy<Value = Transform> {
    (segment(), [0.7f32..1.4, 0.7..1.4, 0.7..1.4], prop_oneof![Just(1.0f32), Just(0.01)])
        .prop_map(|(segment, scale, unit)| Transform { scale: Vec3::from(scale) * unit, ..segment })
}

/// Units below an armature: its scale is 1 or a hundredth.
fn in_units(above: &Transform, mut locals: Vec<Transform>) -> Vec<Transform> {
    let unit = if above.scale.x < 0.1 { 100.0 } else { 1.0 };
    locals.iter_mut().for_each(|local| local.translation *= unit);
    locals
}

/// Armature, hips, upper, lower, end.
fn limb() -> impl Strategy<Value = Rig> {
    (above(), proptest::collection::vec(segment(), 4)).prop_map(|(above, rest)| {
        let mut locals = vec![above];
        locals.extend(in_units(&above, rest));
        Rig::chain(&locals)
    })
}

fn turned(rig: &Rig, turns: &[(usize, Quat)]) -> Rig {
    let mut other = rig.clone();
    for &(joint, rotation) in turns {
        let local = other.pose.get(joint);
        other.pose.set(joint, Transform { rotation, ..local });
    }
    other
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The target is where another pose of the same limb has its end, so it can be reached.
    #[test]
    fn two_bones_reach(rig in limb(), a in any_rotation(), b in any_rotation(), pole in proptest::option::of(direction())) {
        let target = turned(&rig, &[(2, a), (3, b)]).place(4);
        let mut solved = rig.clone();
        let job = TwoBone { pole, ..TwoBone::new(2, 3, 4, target.as_vec3()) };
        job.solve(&mut solved.posed()).unwrap();
        prop_assert!(solved.place(4).distance(target) < 1e-4, "{}", solved.place(4).distance(target));
        prop_assert!(solved.follows());
        prop_assert_eq!(solved.pose.get(4), rig.pose.get(4), "the end keeps its local transform");
        for joint in [2, 3] {
            prop_assert_eq!(solved.pose.get(joint).translation, rig.pose.get(joint).translation);
            prop_assert!((solved.pose.get(joint).rotation.length() - 1.0).abs() < 1e-5);
        }
    }

    /// Where nothing is scaled unevenly, lengths in model space are what they were, and the knee is off the line towards the pole.
    #[test]
    fn lengths_stay_and_the_knee_points_to_the_pole(
        locals in proptest::collection::vec(segment(), 5), a in any_rotation(), b in any_rotation(), pole in direction()
    ) {
        let rig = Rig::chain(&locals);
        let target = turned(&rig, &[(2, a), (3, b)]).place(4);
        let mut solved = rig.clone();
        TwoBone { pole: Some(pole), ..TwoBone::new(2, 3, 4, target.as_vec3()) }.solve(&mut solved.posed()).unwrap();
        for joint in 2..4 {
            prop_assert!((solved.segment(joint) / rig.segment(joint) - 1.0).abs() < 1e-5);
        }
        let line = (target - solved.place(2)).normalize();
        let off = solved.place(3) - solved.place(2);
        let off = off - line * line.dot(off);
        let aside = pole.as_dvec3() - line * line.dot(pole.as_dvec3());
        prop_assume!(aside.length() > 0.05 && off.length() > 1e-3);
        prop_assert!(off.angle_between(aside) < 2e-3, "{}", off.angle_between(aside));
    }

    #[test]
    fn beyond_reach_a_limb_is_straight_and_steady(rig in limb(), to in direction(), a in any_rotation(), soft in 0.0f32..0.3) {
        let rig = turned(&rig, &[(3, a)]);
        // Straight back there is no shortest way, and without a pole nothing says which way round: there no solver is steady.
        let along = rig.place(3) - rig.place(2);
        prop_assume!(along.angle_between(-to.as_dvec3()) > 0.05);
        let target = rig.place(2).as_vec3() + to * 9.0;
        let solve = |target: Vec3| {
            let mut solved = rig.clone();
            TwoBone { soft, ..TwoBone::new(2, 3, 4, target) }.solve(&mut solved.posed()).unwrap();
            solved
        };
        let (solved, near) = (solve(target), solve(target + Vec3::splat(1e-4)));
        let (first, second) = (solved.place(3) - solved.place(2), solved.place(4) - solved.place(3));
        prop_assert!(first.angle_between(second) < 5e-3, "{}", first.angle_between(second));
        prop_assert!((solved.place(4) - solved.place(2)).angle_between(to.as_dvec3()) < 1e-3);
        for joint in [2, 3] {
            let [p, q] = [&solved, &near].map(|rig| rig.pose.get(joint).rotation);
            prop_assert!(rotation::angle(rotation::multiply(rotation::conjugate(p), q)) < 2e-3);
        }
    }

    /// Scale that differs along the axes within the limb itself, where no formula is exact.
    #[test]
    fn uneven_scale_within_the_limb_is_reached_too(rig in limb(), scale in [0.7f32..1.4, 0.7..1.4, 0.7..1.4], part in 0.0f32..0.8) {
        let mut rig = rig;
        let upper = rig.pose.get(2);
        rig.pose.set(2, Transform { scale: scale.into(), ..upper });
        // A bend of the limb as it is: in its own plane, so that it can be reached.
        let lower = rig.pose.get(3);
        let bone = rotation::rotate(lower.rotation, rig.pose.get(4).translation);
        prop_assume!(bone.cross(lower.translation).length() > 0.01 * bone.length() * lower.translation.length());
        // Beyond half a turn it would bend the other way.
        prop_assume!(lower.translation.angle_between(bone) + part < 3.1);
        let axis = lower.translation.cross(bone).normalize();
        let target = turned(&rig, &[(3, rotation::multiply(rotation::about(axis, part), lower.rotation))]).place(4);
        TwoBone::new(2, 3, 4, target.as_vec3()).solve(&mut rig.posed()).unwrap();
        prop_assert!(rig.place(4).distance(target) < 1e-4, "{}", rig.place(4).distance(target));
    }

    #[test]
    fn a_gaze_meets_its_target(rig in limb(), forward in direction(), eye in direction(), to in direction(), limited in any::<bool>()) {
        let limit = if limited { 0.2 } else { 9.0 };
        let joints = [(2, 0.3), (3, 0.5), (4, 1.0)].map(|(joint, share)| AimJoint { joint, share, limit });
        let unit = if rig.pose.get(0).scale.x < 0.1 { 100.0 } else { 1.0 };
        let target = rig.place(4).as_vec3() + to * 2.0;
        let mut solved = rig.clone();
        Aim { eye: eye * 0.1 * unit, ..Aim::new(&joints, forward, target) }.solve(&mut solved.posed()).unwrap();
        let matrix = solved.matrix(4);
        let from = matrix.transform_point3((eye * 0.1 * unit).as_dvec3());
        let ray = matrix.transform_vector3(forward.as_dvec3()).normalize();
        // No gaze meets what is nearer to the joint than its eye.
        prop_assume!(solved.place(4).distance(target.as_dvec3()) > solved.place(4).distance(from));
        let way = target.as_dvec3() - from;
        let past = (way - ray * ray.dot(way)).length();
        if limited {
            for joint in 2..5 {
                let [p, q] = [&rig, &solved].map(|rig| rig.pose.get(joint).rotation);
                prop_assert!(rotation::angle(rotation::multiply(rotation::conjugate(p), q)) < 0.2 + 1e-3);
            }
        } else {
            prop_assert!(past < 1e-4 && ray.dot(way) > 0.0, "{past}");
        }
        prop_assert!(solved.follows());
    }

    /// Chains of up to 20 segments, straight ones among them, to targets from near their base to nearly their length away.
    #[test]
    fn chains_reach(
        above in above(), links in proptest::collection::vec(segment(), 3..20), straight in any::<bool>(), to in direction(), far in 0.3f32..0.999,
    ) {
        let mut locals = vec![above];
        locals.extend(in_units(&above, links));
        if straight {
            locals[1..].iter_mut().for_each(|local| local.rotation = Quat::IDENTITY);
            let along = locals[2].translation;
            locals[3..].iter_mut().for_each(|local| local.translation = along.normalize() * local.translation.length());
        }
        let mut rig = Rig::chain(&locals);
        let last = locals.len() - 1;
        let above = rig.matrix(0);
        let places: Vec<DVec3> = (1..=last).map(|j| above.inverse().transform_point3(rig.place(j))).collect();
        let lengths: Vec<f64> = places.windows(2).map(|p| p[0].distance(p[1])).collect();
        let (whole, longest) = (lengths.iter().sum::<f64>(), lengths.iter().copied().fold(0.0, f64::max));
        let nearest = (2.0 * longest - whole).max(0.0);
        let wanted = nearest + (whole - nearest) * f64::from(far);
        let to = if straight && far < 0.6 { (places[1] - places[0]).normalize() } else { to.as_dvec3() };
        let target = above.transform_point3(places[0] + to * wanted);
        let chain: Vec<u16> = (1..=last as u16).collect();
        let mut scratch = vec![Vec4::ZERO; chain.len()];
        Reach::new(&chain, target.as_vec3()).solve(&mut scratch, &mut rig.posed()).unwrap();
        prop_assert!(rig.place(last).distance(target) < 1e-4, "{} of {}", rig.place(last).distance(target), rig.place(1).distance(target));
        prop_assert!(rig.follows());
        for (index, length) in lengths.iter().enumerate() {
            let [a, b] = [index + 1, index + 2].map(|j| above.inverse().transform_point3(rig.place(j)));
            prop_assert!((a.distance(b) / length - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn beyond_reach_a_chain_is_straight(links in proptest::collection::vec(segment(), 3..12), to in direction()) {
        let mut rig = Rig::chain(&links);
        let last = links.len() - 1;
        let chain: Vec<u16> = (0..=last as u16).collect();
        let mut scratch = vec![Vec4::ZERO; chain.len()];
        let target = rig.place(0).as_vec3() + to * 20.0;
        Reach::new(&chain, target).solve(&mut scratch, &mut rig.posed()).unwrap();
        for joint in 0..last {
            let way = rig.place(joint + 1) - rig.place(joint);
            prop_assert!(way.angle_between(to.as_dvec3()) < 2e-3, "{}", way.angle_between(to.as_dvec3()));
        }
    }
}

/// Armature, hips, two legs of a metre each with feet.
fn biped() -> (Rig, [Leg; 2]) {
    let at = |x: f32, y: f32, z: f32| Transform::from_translation(Vec3::new(x, y, z));
    let axes = Transform { scale: Vec3::splat(0.5), ..Transform::from_rotation(Quat::from_rotation_x(-1.5)) };
    let back = Transform { scale: Vec3::splat(2.0), ..Transform::from_rotation(Quat::from_rotation_x(1.5)) };
    let mut joints = vec![(NO_JOINT, axes), (0, back), (1, at(0.0, 1.0, 0.0))];
    for side in [1.0f32, -1.0] {
        let first = joints.len() as u16;
        joints.extend([
            (2, at(0.1 * side, 0.0, 0.0)),
            (first, at(0.0, -0.45, 0.05)),
            (first + 1, at(0.0, -0.45, -0.05)),
        ]);
    }
    let leg = |upper| Leg { upper, lower: upper + 1, foot: upper + 2, pole: None };
    (Rig::new(&joints), [leg(3), leg(6)])
}

#[test]
fn on_level_ground_feet_stay_as_they_are() {
    let (mut rig, legs) = biped();
    let before = rig.clone();
    let ground = [Ground { height: 0.0, normal: Vec3::Y, contact: true }; 2];
    PlantFeet::new(2, &legs).solve(&ground, &mut [Footing::default(); 2], 0.1, &mut rig.posed()).unwrap();
    for joint in 0..rig.pose.len() {
        assert!(rig.matrix(joint).abs_diff_eq(before.matrix(joint), 1e-5), "{joint}");
    }
}

#[test]
fn feet_stand_on_the_ground_and_the_hips_follow_the_lower_one() {
    let (rig, legs) = biped();
    let slope = Vec3::new(0.0, 1.0, 0.3).normalize();
    let grounds = [
        Ground { height: -0.2, normal: slope, contact: true },
        Ground { height: 0.1, normal: Vec3::Y, contact: true },
    ];
    let mut solved = rig.clone();
    PlantFeet::new(2, &legs).solve(&grounds, &mut [Footing::default(); 2], 0.0, &mut solved.posed()).unwrap();
    assert!(solved.follows());
    // A little more than the lower foot, whose leg was nearly straight and reaches along the slope.
    let lowered = rig.place(2) - solved.place(2);
    assert!((0.2..0.21).contains(&lowered.y) && lowered.x.hypot(lowered.z) < 1e-5, "{lowered}");
    // The ankle is 10 cm above the ground it stands on, along the normal.
    let sole = rig.place(5) - DVec3::Y * 0.1 + DVec3::Y * -0.2;
    assert!(solved.place(5).distance(sole + slope.as_dvec3() * 0.1) < 1e-4);
    let up = solved.matrix(5).transform_vector3(DVec3::Y).normalize();
    assert!(up.angle_between(slope.as_dvec3()) < 1e-3, "the foot lies along the slope");
    assert!(solved.place(8).distance(rig.place(8) + DVec3::Y * 0.1) < 1e-4);
    assert!(solved.matrix(8).transform_vector3(DVec3::Y).normalize().angle_between(DVec3::Y) < 1e-3);
}

#[test]
fn a_foot_comes_and_goes_without_a_jump() {
    let (rig, legs) = biped();
    let plan = PlantFeet::new(2, &legs);
    let mut footing = [Footing::default(); 2];
    let mut before: Option<f64> = None;
    for frame in 0..60 {
        let high = Ground { height: 0.15, normal: Vec3::Y, contact: (20..40).contains(&frame) };
        let passing = Ground { height: if frame < 10 { 0.0 } else { 0.15 }, ..high };
        let level = Ground { height: 0.0, normal: Vec3::Y, contact: true };
        let mut posed = rig.clone();
        plan.solve(
            &[if frame < 20 { passing } else { high }, level],
            &mut footing,
            1.0 / 60.0,
            &mut posed.posed(),
        )
        .unwrap();
        let height = posed.place(5).y;
        if let Some(before) = before {
            assert!((height - before).abs() < 0.04, "frame {frame}: from {before} to {height}");
        }
        if (30..40).contains(&frame) {
            assert!(footing[0].is_planted() && (height - 0.25).abs() < 1e-4, "frame {frame}: {height}");
        }
        before = Some(height);
    }
}

#[test]
fn a_soft_limb_slows_down_before_it_is_straight() {
    let up = |x: f32| Transform::from_translation(Vec3::new(x, 0.5, 0.0));
    let rig = Rig::chain(&[Transform::IDENTITY, up(0.1), up(-0.1)]);
    let length = rig.segment(0) + rig.segment(1);
    let base = rig.place(0).as_vec3();
    let reached = |part: f32, soft: f32| {
        let mut solved = rig.clone();
        let target = base + Vec3::Z * part * length as f32;
        TwoBone { soft, ..TwoBone::new(0, 1, 2, target) }.solve(&mut solved.posed()).unwrap();
        solved.place(2).distance(solved.place(0)) / length
    };
    assert!((reached(0.8, 0.1) - 0.8).abs() < 1e-4, "not there yet");
    let ways = [0.9f32, 0.95, 1.0, 1.1, 1.5].map(|part| reached(part, 0.1));
    assert!(ways.windows(2).all(|w| w[0] < w[1]) && ways[4] < 1.0, "{ways:?}");
    assert!((reached(1.5, 0.0) - 1.0).abs() < 1e-4);
}

#[test]
fn a_gaze_goes_half_of_the_way_in_its_half_life() {
    let rig = Rig::chain(&[Transform::IDENTITY]);
    let joints = [AimJoint { joint: 0, share: 1.0, limit: 9.0 }];
    let mut gaze = Gaze::new(0.5);
    let look = |gaze: &mut Gaze, target: Vec3, seconds: f32| {
        let mut solved = rig.clone();
        let target = solved.root.translation() + target;
        Aim::new(&joints, Vec3::Z, target).solve_smooth(gaze, seconds, &mut solved.posed()).unwrap();
        solved.matrix(0).z_axis.truncate().angle_between(DVec3::Z)
    };
    assert!(look(&mut gaze, Vec3::Z, 0.0) < 1e-6);
    let quarter = f64::from(std::f32::consts::FRAC_PI_2);
    assert!((look(&mut gaze, Vec3::X, 0.5) - quarter * 0.5).abs() < 1e-4);
    assert!((look(&mut gaze, Vec3::X, 0.5) - quarter * 0.75).abs() < 1e-4);
    assert!((look(&mut gaze, Vec3::X, 90.0) - quarter).abs() < 1e-4);
}

#[test]
fn wrong_joints_and_numbers_are_refused_by_name() {
    let (mut rig, legs) = biped();
    let before = rig.pose.clone();
    let two = TwoBone::new(3, 4, 5, Vec3::ZERO);
    let message = |result: Result<(), crate::JobError>| result.unwrap_err().to_string();
    let mut posed = rig.posed();
    let refused = |job: TwoBone, posed: &mut Posed<'_>| message(job.solve(posed));
    assert_eq!(refused(TwoBone { end: 99, ..two }, &mut posed), "end is joint 99, and there are 9");
    assert_eq!(
        refused(TwoBone { lower: 7, ..two }, &mut posed),
        "lower is joint 7, which does not hang below joint 3"
    );
    assert_eq!(refused(TwoBone { target: Vec3::NAN, ..two }, &mut posed), "target is not a finite number");
    assert_eq!(refused(TwoBone { weight: f32::NAN, ..two }, &mut posed), "weight is not a finite number");
    let chain = [3, 4, 5];
    let reach = Reach::new(&chain, Vec3::ZERO);
    assert_eq!(message(reach.solve(&mut [Vec4::ZERO; 2], &mut posed)), "scratch has 2 elements and needs 3");
    assert!(
        message(Reach::new(&[5, 4], Vec3::ZERO).solve(&mut [Vec4::ZERO; 2], &mut posed)).starts_with("chain")
    );
    let looking = [AimJoint { joint: 5, share: 1.0, limit: 1.0 }];
    assert_eq!(
        message(Aim::new(&looking, Vec3::ZERO, Vec3::ZERO).solve(&mut posed)),
        "forward is not a finite number"
    );
    let plan = PlantFeet::new(2, &legs);
    assert!(
        message(plan.solve(&[], &mut [Footing::default(); 2], 0.0, &mut posed)).starts_with("ground has 0")
    );
    assert_eq!(rig.pose, before, "nothing was written");
}

#[test]
fn odd_limbs_are_left_alone_or_stay_finite() {
    let at = Transform::from_translation(Vec3::Y);
    for locals in [[at, Transform::IDENTITY, at], [at, at, Transform::IDENTITY], [at, at, at]] {
        let mut rig = Rig::chain(&locals);
        let target = rig.place(0).as_vec3();
        TwoBone::new(0, 1, 2, target).solve(&mut rig.posed()).unwrap();
        assert!(rig.pose.iter().all(|local| local.is_finite()));
    }
    let flat = Transform { scale: Vec3::new(1.0, 0.0, 1.0), ..at };
    let mut rig = Rig::chain(&[flat, at, at, at]);
    assert!(TwoBone::new(1, 2, 3, Vec3::ONE).solve(&mut rig.posed()).is_err(), "a matrix without an inverse");
}

/// A leg that is straight but for a degree to the side bends forward and back, as knees do.
#[test]
fn a_straight_limb_bends_about_its_hinge() {
    let down = Transform::from_translation(Vec3::new(0.0, -0.5, 0.0));
    let aside = Transform { rotation: rotation::about(Vec3::Z, 0.02), ..down };
    let rig = Rig::chain(&[Transform::IDENTITY, Transform::IDENTITY, aside, down]);
    let target = rig.place(1).as_vec3() - Vec3::Y * 0.98;
    let sideways = |hinge: Option<Vec3>| {
        let mut solved = rig.clone();
        TwoBone { hinge, ..TwoBone::new(1, 2, 3, target) }.solve(&mut solved.posed()).unwrap();
        assert!(solved.place(3).as_vec3().distance(target) < 1e-5);
        let way = solved.place(3) - solved.place(2);
        let own = solved.matrix(1).inverse().transform_vector3(way).normalize();
        own.x.abs().asin().to_degrees()
    };
    assert!(sideways(None) > 20.0, "{}", sideways(None));
    assert!(sideways(Some(Vec3::X)) < 4.0, "{}", sideways(Some(Vec3::X)));
}
