//! Motions that stay on the spot: idle, jump, bash and wave. Feet on the ground are planted, and the legs solved.

use super::pose::{Arm, Body};
use crate::humanoid::skeleton::{Side, Skeleton};
use crate::math::{TURN, cos, euler_xyz, sin};
use crate::spline::keyed;
use glam::DVec3;

/// Breathing, with the weight shifting from leg to leg; `phase` 0…1.
pub(super) fn idle(skeleton: &Skeleton, phase: f64) -> Body {
    let mut body = Body::standing(skeleton);
    let turn = phase * TURN;
    let breath = 0.5 - 0.5 * cos(turn);
    let sway = sin(turn);
    body.hips += DVec3::new(1.3 * sway, -0.3 * breath, 0.0);
    body.pelvis = DVec3::new(0.0, 1.5 * sway, -0.9 * sway);
    body.spine = DVec3::new(1.5 - 2.4 * breath, -1.2 * sway, 1.4 * sway);
    body.head = DVec3::new(-1.0 + 1.6 * breath, 2.5 * sin(turn - 0.15 * TURN), -0.5 * sway);
    for arm in &mut body.arms {
        arm.shrug += 1.8 * breath;
        arm.down -= 1.2 * breath;
        arm.swing += 1.5 * sin(turn - 0.1 * TURN);
        arm.elbow += 2.5 * breath;
    }
    body
}

/// Down, up, through the air, down again; `time` in seconds of [`JUMP`].
pub(super) fn jump(skeleton: &Skeleton, time: f64) -> Body {
    let mut body = Body::standing(skeleton);
    let ground = body.hips.y;
    let flight = (time - TAKE_OFF).clamp(0.0, FLIGHT);
    let rise =
        if flight > 0.0 && flight < FLIGHT { LEAP * flight - 0.5 * GRAVITY * flight * flight } else { 0.0 };
    let dip = keyed(
        &[(0.0, 0.0), (0.34, -25.0), (TAKE_OFF, 2.0), (LANDING, 0.0), (LANDING + 0.16, -22.0), (JUMP, 0.0)],
        time,
    );
    let airborne = flight > 0.0 && flight < FLIGHT;
    body.hips.y = ground + if airborne { 2.0 - 2.0 * flight / FLIGHT + rise } else { dip };
    let crouch = (-dip.min(0.0)) / 25.0;
    body.hips.z -= 9.0 * if airborne { 0.0 } else { crouch };
    body.pelvis.x = if airborne { 0.0 } else { 24.0 * crouch };
    body.spine.x = 4.0 + if airborne { 0.0 } else { 14.0 * crouch };
    body.head.x = if airborne { -6.0 } else { -24.0 * crouch };
    jump_feet(&mut body, skeleton, time, rise);
    let swing = [(0.0, 3.0), (0.34, -48.0), (0.62, 128.0), (0.9, 96.0), (1.3, -8.0), (JUMP, 3.0)];
    let down = [(0.0, 67.0), (0.34, 66.0), (0.62, 72.0), (0.9, 52.0), (1.3, 64.0), (JUMP, 67.0)];
    for arm in &mut body.arms {
        arm.swing = keyed(&swing, time);
        arm.down = keyed(&down, time);
        arm.elbow = keyed(&[(0.0, 14.0), (0.4, 30.0), (0.8, 26.0), (1.3, 34.0), (JUMP, 14.0)], time);
    }
    body
}

/// Length of the jump in seconds, and when it leaves and reaches the ground.
pub(super) const JUMP: f64 = 50.0 / super::RATE;
const TAKE_OFF: f64 = 0.52;
const GRAVITY: f64 = 981.0;
const LEAP: f64 = 245.0;
const FLIGHT: f64 = 2.0 * LEAP / GRAVITY;
pub(super) const LANDING: f64 = TAKE_OFF + FLIGHT;
/// The first whole frame on the ground again.
pub(super) const LANDED: usize = (LANDING * super::RATE) as usize + 1;

/// Planted, then over the balls of the feet, then up with the hips and a little tucked, then flat again.
fn jump_feet(body: &mut Body, skeleton: &Skeleton, time: f64, rise: f64) {
    let pitch = keyed(
        &[(0.0, 0.0), (0.4, 0.0), (TAKE_OFF, 48.0), (TAKE_OFF + 0.16, 44.0), (LANDING, 0.0), (JUMP, 0.0)],
        time,
    )
    .max(0.0);
    let to_ball = skeleton.place("LeftToeBase") - skeleton.place("LeftFoot");
    let to_ball = DVec3::new(0.0, to_ball.y, to_ball.z);
    let tuck = rise * 0.42;
    for foot in &mut body.feet {
        let yaw = euler_xyz(DVec3::Y * foot.yaw);
        let ball = foot.ankle + yaw * to_ball;
        foot.pitch = pitch;
        foot.toes = if time <= TAKE_OFF { pitch } else { pitch * 0.3 };
        foot.ankle = ball - euler_xyz(DVec3::new(pitch, foot.yaw, 0.0)) * to_ball;
        foot.ankle.y += rise + tuck;
        foot.ankle.z -= tuck * 0.5;
    }
}

/// A swing of the right fist from above, with the whole body behind it; `time` in seconds of [`BASH`].
pub(super) fn bash(skeleton: &Skeleton, time: f64) -> Body {
    let mut body = Body::standing(skeleton);
    let key = |values: [f64; 5]| {
        let times = [0.0, 0.33, 0.5, 0.68, BASH];
        let points: Vec<(f64, f64)> = times.into_iter().zip(values).collect();
        keyed(&points, time)
    };
    for side in Side::BOTH {
        let foot = &mut body.feet[side as usize];
        foot.ankle.z += 11.0 * side.sign();
        foot.ankle.x += 3.0 * side.sign();
        foot.yaw = if side == Side::Left { 4.0 } else { -30.0 };
    }
    body.hips += DVec3::new(0.0, key([-3.0, -3.5, -8.0, -8.5, -3.0]), key([0.0, -7.0, 7.0, 8.0, 0.0]));
    body.pelvis = DVec3::new(key([2.0, -3.0, 9.0, 10.0, 2.0]), key([-8.0, -24.0, 16.0, 20.0, -8.0]), 0.0);
    body.spine = DVec3::new(key([4.0, -9.0, 24.0, 28.0, 4.0]), key([-6.0, -28.0, 22.0, 30.0, -6.0]), 0.0);
    body.head = DVec3::new(key([-3.0, 6.0, -16.0, -18.0, -3.0]), key([12.0, 44.0, -28.0, -36.0, 12.0]), 0.0);
    body.arms[Side::Right as usize] = Arm {
        shrug: key([0.0, 12.0, 2.0, 0.0, 0.0]),
        down: key([50.0, -58.0, 6.0, 40.0, 50.0]),
        across: key([34.0, -18.0, 66.0, 84.0, 34.0]),
        twist: key([-20.0, -74.0, -40.0, -14.0, -20.0]),
        elbow: key([78.0, 92.0, 22.0, 26.0, 78.0]),
        wrist: 2.0,
        curl: 72.0,
        ..Arm::default()
    };
    body.arms[Side::Left as usize] = Arm {
        down: key([50.0, 34.0, 58.0, 60.0, 50.0]),
        across: key([40.0, 58.0, 10.0, 4.0, 40.0]),
        twist: -16.0,
        elbow: key([84.0, 70.0, 96.0, 100.0, 84.0]),
        curl: 68.0,
        ..Arm::default()
    };
    body
}

/// Length of the bash in seconds.
pub(super) const BASH: f64 = 36.0 / super::RATE;

/// The right hand goes up, waves three times and goes down again; `time` in seconds of [`WAVE`].
pub(super) fn wave(skeleton: &Skeleton, time: f64) -> Body {
    let mut body = Body::standing(skeleton);
    let up = keyed(&[(0.0, 0.0), (0.5, 1.0), (WAVE - 0.55, 1.0), (WAVE, 0.0)], time);
    let swing = up * sin((time - 0.5) / (WAVE - 1.05) * 3.0 * TURN);
    let mix = |from: f64, to: f64| from + (to - from) * up;
    let rest = Arm::hanging();
    body.hips.x += 1.5 * up;
    body.spine = DVec3::new(0.0, 0.0, 3.0 * up);
    body.head = DVec3::new(-2.0 * up, -6.0 * up, -5.0 * up + 1.5 * swing);
    body.arms[Side::Right as usize] = Arm {
        shrug: mix(rest.shrug, 6.0),
        down: mix(rest.down, -8.0),
        swing: mix(rest.swing, 0.0),
        across: 16.0 * up,
        twist: mix(0.0, -88.0),
        elbow: mix(rest.elbow, 82.0) - 22.0 * swing,
        wrist: mix(rest.wrist, -6.0),
        curl: mix(rest.curl, 4.0),
    };
    body
}

/// Length of the wave in seconds.
pub(super) const WAVE: f64 = 75.0 / super::RATE;
