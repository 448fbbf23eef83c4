//! A pose in the creature's own terms, and how it becomes joint rotations.

use super::skeleton::Skeleton;
use crate::humanoid::Side;
use crate::math::{euler_xyz, frame};
use glam::{DQuat, DVec2, DVec3};

/// One arm; zero is rest, angles in degrees.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arm {
    /// Up, sideways.
    pub(super) raise: f64,
    /// Forward, across the chest.
    pub(super) across: f64,
    /// About the arm's own length; positive turns the palm up.
    pub(super) twist: f64,
    /// Bend of the elbow, towards the chest.
    pub(super) elbow: f64,
    /// Bend of the wrist, downwards.
    pub(super) wrist: f64,
}

/// One wing; zero is spread wide.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wing {
    /// Up.
    pub(super) lift: f64,
    /// Back.
    pub(super) sweep: f64,
    /// Bend of the outer joints, in the wing's own plane.
    pub(super) fold: f64,
}

/// One foot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Foot {
    /// How far the ball of the foot is from where it stands at rest.
    pub(super) at: DVec3,
    /// Heel up, about the ball.
    pub(super) heel: f64,
    /// Toes to the left.
    pub(super) yaw: f64,
    /// How far the toes follow the heel instead of staying flat, 0…1.
    pub(super) point: f64,
}

/// The whole creature. Turns are lean forward (x), to the left (y), to the right side (z), in degrees.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pose {
    /// How far the waist is from where it is at rest.
    pub(super) waist: DVec3,
    /// Turn of the waist, and with it of everything.
    pub(super) turn: DVec3,
    /// Turn of the chest against the waist.
    pub(super) spine: DVec3,
    /// Turn of the head against the chest.
    pub(super) head: DVec3,
    /// How far the mouth is open, degrees.
    pub(super) jaw: f64,
    /// How far the tongue is lifted, degrees.
    pub(super) tongue: f64,
    /// Where the eyes look: to the left and up, degrees.
    pub(super) look: DVec2,
    /// How far each eye is closed, 0…1.
    pub(super) lids: [f64; 2],
    /// Ears: back, and outwards.
    pub(super) ears: [DVec2; 2],
    /// Arms.
    pub(super) arms: [Arm; 2],
    /// Wings.
    pub(super) wings: [Wing; 2],
    /// Feet.
    pub(super) feet: [Foot; 2],
    /// The whole tail: to the left as seen from behind, and up.
    pub(super) tail: DVec2,
    /// How full the belly is: 0 is rest, 1 a deep breath.
    pub(super) breath: f64,
}

/// What one frame holds: the place of the waist, the belly's scale, and each joint's turn in the creature's axes
/// against its parent's.
pub(super) struct Frame {
    pub(super) waist: DVec3,
    pub(super) belly: DVec3,
    pub(super) turns: Vec<DQuat>,
}

/// From open to shut, degrees.
const LID_CLOSES: f64 = 116.0;

/// How much later each joint of the tail does what the one before it did, in seconds.
const TAIL_LAG: f64 = 0.055;

/// How much later the ears' tips, the tuft and the wings' tips follow.
const TIP_LAG: f64 = 0.07;

const TAIL: [&str; 6] = ["Tail1", "Tail2", "Tail3", "Tail4", "Tail5", "TailFin"];

/// The joints at a time of a motion; whatever is loose follows a little later.
pub(super) fn frame_at(skeleton: &Skeleton, pose: impl Fn(f64) -> Pose, time: f64) -> Frame {
    let now = pose(time);
    let late = pose(time - TIP_LAG);
    let mut turns = vec![DQuat::IDENTITY; skeleton.joints.len()];
    let mut set = |name: &str, turn: DQuat| turns[skeleton.index(name)] = turn;
    set("Waist", euler_xyz(now.turn));
    set("Spine", euler_xyz(now.spine * 0.5));
    set("Chest", euler_xyz(now.spine * 0.5));
    set("Neck", euler_xyz(now.head * 0.4));
    set("Head", euler_xyz(now.head * 0.6));
    set("Jaw", euler_xyz(DVec3::X * now.jaw));
    set("Tongue", euler_xyz(DVec3::X * -now.tongue));
    // The tuft stays behind when the head moves.
    let drag = (late.head - now.head) + (late.spine - now.spine) * 0.5 + (late.turn - now.turn);
    set("Crest", euler_xyz(drag.clamp(DVec3::splat(-25.0), DVec3::splat(25.0)) * 0.8));
    for (index, name) in TAIL.into_iter().enumerate() {
        let then = pose(time - TAIL_LAG * index as f64).tail;
        let share = [0.18, 0.2, 0.22, 0.24, 0.26, 0.3][index];
        set(name, euler_xyz(DVec3::new(then.y, then.x, 0.0) * share));
    }
    for side in Side::BOTH {
        face(skeleton, side, &now, &late, &mut turns);
        arm(skeleton, side, &now.arms[side as usize], &mut turns);
        let wings = (now.wings[side as usize], late.wings[side as usize]);
        wing(skeleton, side, wings, &mut turns);
        leg(skeleton, side, &now, &mut turns);
    }
    Frame {
        waist: skeleton.place("Waist") + now.waist,
        belly: DVec3::ONE + DVec3::new(0.05, 0.045, 0.035) * now.breath,
        turns,
    }
}

fn x(degrees: f64) -> DQuat {
    DQuat::from_rotation_x(degrees.to_radians())
}

fn face(skeleton: &Skeleton, side: Side, now: &Pose, late: &Pose, turns: &mut [DQuat]) {
    let s = side.sign();
    let look = euler_xyz(DVec3::new(-now.look.y, now.look.x, 0.0));
    turns[skeleton.sided(side, "Eye")] = look;
    turns[skeleton.sided(side, "Lid")] = x(LID_CLOSES * now.lids[side as usize]);
    let ear = |ear: DVec2, share: f64| euler_xyz(DVec3::new(-ear.x * share, 0.0, -ear.y * share * s));
    turns[skeleton.sided(side, "Ear1")] = ear(now.ears[side as usize], 0.6);
    turns[skeleton.sided(side, "Ear2")] = ear(late.ears[side as usize], 0.5);
}

fn arm(skeleton: &Skeleton, side: Side, arm: &Arm, turns: &mut [DQuat]) {
    let s = side.sign();
    let y = |degrees: f64| DQuat::from_rotation_y(degrees.to_radians() * s);
    let z = |degrees: f64| DQuat::from_rotation_z(degrees.to_radians() * s);
    let joint = skeleton.sided(side, "Arm");
    let length = skeleton.joints[skeleton.sided(side, "ForeArm")].place - skeleton.joints[joint].place;
    let twist = DQuat::from_axis_angle(length.normalize(), (-arm.twist * s).to_radians());
    turns[joint] = y(-arm.across) * z(arm.raise) * twist;
    turns[skeleton.sided(side, "ForeArm")] = y(-arm.elbow);
    turns[skeleton.sided(side, "Hand")] = x(arm.wrist);
}

fn wing(skeleton: &Skeleton, side: Side, (now, late): (Wing, Wing), turns: &mut [DQuat]) {
    let s = side.sign();
    let y = |degrees: f64| DQuat::from_rotation_y(degrees.to_radians() * s);
    let z = |degrees: f64| DQuat::from_rotation_z(degrees.to_radians() * s);
    let drag = now.lift - late.lift;
    turns[skeleton.sided(side, "Wing1")] = y(now.sweep) * z(now.lift);
    turns[skeleton.sided(side, "Wing2")] = z(-0.5 * now.fold - 0.35 * drag);
    turns[skeleton.sided(side, "Wing3")] = z(-now.fold - 0.35 * drag);
}

/// Places of hip, knee, ankle and ball at rest.
fn leg_places(skeleton: &Skeleton, side: Side) -> [DVec3; 4] {
    ["Thigh", "Leg", "Foot", "Toe"].map(|n| skeleton.joints[skeleton.sided(side, n)].place)
}

/// Where the hip joint is, and where the ankle must be.
fn leg_ends(skeleton: &Skeleton, side: Side, pose: &Pose) -> (DVec3, DVec3) {
    let [hip, _, ankle, ball] = leg_places(skeleton, side);
    let waist = skeleton.place("Waist");
    let foot = &pose.feet[side as usize];
    let from = waist + pose.waist + euler_xyz(pose.turn) * (hip - waist);
    let turn = euler_xyz(DVec3::new(foot.heel, foot.yaw, 0.0));
    (from, ball + foot.at + turn * (ankle - ball))
}

/// How far the ankle is from the hip joint, relative to the outstretched leg.
#[cfg(test)]
pub(super) fn reach(skeleton: &Skeleton, side: Side, pose: &Pose) -> f64 {
    let [hip, knee, ankle, _] = leg_places(skeleton, side);
    let (from, to) = leg_ends(skeleton, side, pose);
    from.distance(to) / (hip.distance(knee) + knee.distance(ankle))
}

/// Solves the leg so that the ball of the foot is where it is asked to be.
fn leg(skeleton: &Skeleton, side: Side, pose: &Pose, turns: &mut [DQuat]) {
    let [hip, knee, ankle, _] = leg_places(skeleton, side);
    let (thigh, shin) = (hip.distance(knee), knee.distance(ankle));
    let (from, to) = leg_ends(skeleton, side, pose);
    let foot = &pose.feet[side as usize];
    let hinge = |down: DVec3, knee: DVec3| knee.cross(down).normalize();
    let down = (to - from).normalize();
    let down_then = (ankle - hip).normalize();
    // The knee points where foot and body do, as it does at rest.
    let yaw = DQuat::from_rotation_y(foot.yaw.to_radians());
    let out = (knee - hip).reject_from_normalized(down_then);
    let points = yaw * out + euler_xyz(pose.turn) * out;
    let (now, then) = (hinge(down, points), hinge(down_then, knee - hip));
    let reach = from.distance(to).min((thigh + shin) * 0.9999);
    let along = (thigh * thigh - shin * shin + reach * reach) / (2.0 * reach);
    let out = (thigh * thigh - along * along).max(0.0).sqrt();
    let bent = from + down * along + down.cross(now) * out;
    let aim = |to: DVec3, rest: DVec3| frame(to, now) * frame(rest, then).inverse();
    let flat = euler_xyz(DVec3::new(foot.heel * foot.point, foot.yaw, 0.0));
    let chain = [
        ("Thigh", aim(bent - from, knee - hip)),
        ("Leg", aim(from + down * reach - bent, ankle - knee)),
        ("Foot", euler_xyz(DVec3::new(foot.heel, foot.yaw, 0.0))),
        ("Toe", flat),
    ];
    let mut above = euler_xyz(pose.turn);
    for (name, model) in chain {
        turns[skeleton.sided(side, name)] = above.inverse() * model;
        above = model;
    }
}
