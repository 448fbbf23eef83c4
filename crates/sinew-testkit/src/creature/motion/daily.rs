//! Motions outside a fight.

use super::Motion;
use super::ease::{between, blink, keys};
use crate::creature::pose::Pose;
use crate::humanoid::Side;
use crate::math::{TURN, cos, sin, smoothstep};
use crate::spline::keyed;
use glam::{DVec2, DVec3};

/// Sits on its haunches, nods off and breathes; `phase` 0…1.
pub(super) fn sleep(phase: f64) -> Pose {
    let mut pose = Pose::standing();
    let turn = phase * TURN;
    let breath = 0.5 - 0.5 * cos(turn);
    pose.waist = DVec3::new(0.0, -6.6 + 0.35 * breath, -3.0);
    pose.turn.x = 6.0;
    pose.spine = DVec3::new(12.0 - 4.0 * breath, 4.0, 3.0);
    pose.head = DVec3::new(20.0 - 6.0 * breath, 6.0, 8.0 + 1.5 * sin(turn));
    pose.breath = 2.4 * breath;
    pose.jaw = 5.0 * breath;
    pose.tail = DVec2::new(92.0 + 4.0 * sin(turn - 0.6), -2.0);
    for side in Side::BOTH {
        pose.lids[side as usize] = 1.0;
        pose.ears[side as usize] = DVec2::new(26.0 - 3.0 * breath, 24.0 + 3.0 * breath);
        let arm = &mut pose.arms[side as usize];
        arm.raise = -26.0 + 2.0 * breath;
        arm.across = 40.0;
        arm.elbow = 30.0;
        let wing = &mut pose.wings[side as usize];
        wing.lift = -22.0 + 4.0 * breath;
        wing.sweep = 34.0;
        wing.fold = 34.0;
        let foot = &mut pose.feet[side as usize];
        foot.at = DVec3::new(1.8 * side.sign(), 0.0, 1.2);
        foot.yaw = 16.0 * side.sign();
    }
    pose
}

/// Take-off, speed at take-off and gravity of the jump.
const TAKE_OFF: f64 = 0.42;
const LEAP: f64 = 118.0;
const GRAVITY: f64 = 420.0;
const LANDING: f64 = TAKE_OFF + 2.0 * LEAP / GRAVITY;

/// Crouches, leaps with its wings out, lands soft.
pub(super) fn jump(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let end = Motion::Jump.duration();
    let flight = (time - TAKE_OFF).clamp(0.0, LANDING - TAKE_OFF);
    let rise = LEAP * flight - 0.5 * GRAVITY * flight * flight;
    let airborne = time > TAKE_OFF && time < LANDING;
    let dip = [(0.0, 0.0), (0.26, -4.6), (TAKE_OFF, 1.4), (LANDING, 1.0), (LANDING + 0.16, -4.4), (end, 0.0)];
    let dip = keyed(&dip, time);
    let crouch = (-dip / 4.6).max(0.0);
    let air = between(time, TAKE_OFF - 0.05, LANDING + 0.08, 0.16);
    pose.waist += DVec3::new(0.0, if airborne { 1.2 + rise } else { dip }, -1.6 * crouch);
    pose.turn.x = 14.0 * crouch - 6.0 * air;
    pose.spine += DVec3::X * (10.0 * crouch - 6.0 * air);
    pose.head += DVec3::X * (-14.0 * crouch + 4.0 * air);
    pose.jaw = 16.0 * air;
    pose.tail +=
        DVec2::new(0.0, 16.0 * crouch - 34.0 * air + 30.0 * between(time, LANDING - 0.2, end - 0.25, 0.2));
    for side in Side::BOTH {
        let foot = &mut pose.feet[side as usize];
        foot.at.y = if airborne { (rise - 1.0).max(0.0) } else { 0.0 };
        foot.at.z = -1.2 * air;
        foot.heel = if airborne {
            34.0 * between(time, TAKE_OFF - 0.1, LANDING, 0.1)
        } else {
            34.0 * smoothstep(TAKE_OFF - 0.1, TAKE_OFF, time) * smoothstep(LANDING, TAKE_OFF, time)
        };
        foot.point = if airborne { 0.7 } else { 0.0 };
        let arm = &mut pose.arms[side as usize];
        arm.raise += -14.0 * crouch + 66.0 * air;
        arm.across += -30.0 * crouch;
        let wing = &mut pose.wings[side as usize];
        wing.lift += -18.0 * crouch + 26.0 * air;
        wing.sweep -= 22.0 * air;
        wing.fold -= 28.0 * air;
        pose.ears[side as usize] = DVec2::new(
            18.0 * crouch - 8.0 * air + 26.0 * between(time, TAKE_OFF, TAKE_OFF + 0.3, 0.12),
            10.0 * air,
        );
        pose.lids[side as usize] = 0.3 * crouch;
    }
    pose
}

/// Peers to the left, to the right and up.
pub(super) fn look_around(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let end = Motion::LookAround.duration();
    let k = keys([0.0, 0.45, 1.0, 1.45, 2.1, 2.45, 2.85, end], time);
    let yaw = k([0.0, 46.0, 48.0, -46.0, -50.0, -8.0, 0.0, 0.0]);
    // Eyes arrive before the head does.
    let eyes = keyed(
        &[(0.0, 0.0), (0.2, 20.0), (0.5, 8.0), (1.05, -22.0), (1.5, -8.0), (2.2, 4.0), (end, 0.0)],
        time,
    );
    pose.look = DVec2::new(eyes, k([0.0, 0.0, 4.0, 0.0, 2.0, 12.0, 10.0, 0.0]));
    pose.head += DVec3::new(
        k([0.0, 2.0, -6.0, 4.0, -4.0, -24.0, -26.0, 0.0]),
        0.62 * yaw,
        k([0.0, 6.0, -10.0, -6.0, 10.0, 0.0, 4.0, 0.0]),
    );
    pose.spine += DVec3::new(k([0.0, 2.0, -2.0, 2.0, -2.0, -8.0, -8.0, 0.0]), 0.26 * yaw, 0.0);
    pose.turn.y = 0.12 * yaw;
    pose.waist += DVec3::new(-0.02 * yaw, k([0.0, -0.6, 0.4, -0.8, 0.4, 0.6, 0.6, 0.0]), 0.0);
    pose.breath = 0.5 - 0.5 * cos(time * 3.4);
    pose.tail += DVec2::new(-0.5 * yaw + 10.0 * sin(time * 4.0) * between(time, 0.0, end - 0.2, 0.5), 0.0);
    for side in Side::BOTH {
        let s = side.sign();
        let perk = between(time, 0.5, 1.2, 0.12) - between(time, 1.5, 2.2, 0.12);
        pose.ears[side as usize] = DVec2::new(-9.0 * perk * s, 8.0 * perk * s);
        let shut = [0.22, 1.22, 2.3].map(|at| blink(time, at));
        pose.lids[side as usize] = shut[0].max(shut[1]).max(shut[2]);
        pose.wings[side as usize].lift += 3.0 * sin(time * 3.4);
    }
    pose
}

/// One turn on its heels in two hops.
pub(super) fn spin(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let end = Motion::Spin.duration();
    let (begin, stop) = (0.3, 1.15);
    let round = 360.0 * smoothstep(begin, stop, time);
    let air = between(time, begin, stop, 0.2);
    let hop = 5.6 * (1.0 - cos((time - begin).clamp(0.0, stop - begin) / (stop - begin) * TURN)) / 2.0;
    let wind = keyed(&[(0.0, 0.0), (0.26, -1.0), (0.5, 0.3), (1.15, 0.2), (end, 0.0)], time);
    let squash = between(time, 0.05, 0.4, 0.15) + between(time, 1.05, end, 0.2);
    pose.turn.y = round + 16.0 * wind;
    pose.waist += DVec3::Y * (hop - 2.8 * squash);
    pose.turn.x = 5.0 * squash;
    pose.spine += DVec3::Y * (18.0 * wind);
    pose.head += DVec3::Y * (14.0 * wind);
    pose.jaw = 18.0 * air;
    pose.tail += DVec2::new(-50.0 * air - 20.0 * wind, 22.0 * air);
    let place = DVec3::new(8.5, 1.7, 5.0);
    for side in Side::BOTH {
        // In the air the feet go round with the body; on the ground they stay.
        let rest = side.mirror(place);
        let turned = glam::DQuat::from_rotation_y(round.to_radians()) * rest;
        let foot = &mut pose.feet[side as usize];
        foot.at = turned - rest + DVec3::Y * (0.92 * hop);
        foot.yaw = round;
        foot.heel = 26.0 * air;
        foot.point = 0.7 * air;
        pose.arms[side as usize].raise += 46.0 * air;
        pose.arms[side as usize].across -= 20.0 * air;
        let wing = &mut pose.wings[side as usize];
        wing.lift += 20.0 * air;
        wing.sweep -= 16.0 * air;
        wing.fold -= 24.0 * air;
        pose.ears[side as usize] = DVec2::new(6.0 * air, 26.0 * air);
        pose.lids[side as usize] = (0.5 * air).max(blink(time, 1.3));
    }
    pose
}

/// Bends down, takes a bite, chews it with pleasure.
pub(super) fn eat(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let end = Motion::Eat.duration();
    let k = keys([0.0, 0.5, 0.75, 1.1, 1.4, 2.4, end], time);
    let down = k([0.0, 1.0, 1.05, 0.1, 0.0, 0.0, 0.0]);
    let chewing = between(time, 1.1, 2.5, 0.15);
    let chew = chewing * sin((time - 1.1) * 3.4 * TURN);
    pose.waist += DVec3::new(0.0, -4.8 * down, -1.5 * down) + DVec3::Y * 0.25 * chew;
    pose.turn.x = 28.0 * down;
    pose.spine += DVec3::X * (26.0 * down) - DVec3::X * 5.0 * chewing;
    pose.head += DVec3::new(4.0 * down - 5.0 * chewing + 1.8 * chew, 0.0, 3.0 * sin(time * 5.0) * chewing);
    pose.jaw = (k([0.0, 26.0, 2.0, 4.0, 6.0, 4.0, 0.0]) + 7.0 * chew).max(0.0);
    pose.tongue = 8.0 * chew.max(0.0);
    pose.tail += DVec2::new(30.0 * sin(time * 6.5) * chewing, 24.0 * down + 8.0 * chewing);
    pose.breath = 0.8 * chewing;
    for side in Side::BOTH {
        let arm = &mut pose.arms[side as usize];
        arm.across += 44.0 * down + 34.0 * chewing;
        arm.raise -= 10.0 * down;
        arm.elbow += 30.0 * chewing;
        pose.lids[side as usize] =
            (0.3 * down.clamp(0.0, 1.0) + 0.95 * between(time, 1.5, 2.3, 0.12)).min(1.0);
        pose.ears[side as usize] = DVec2::new(12.0 * down + 4.0 * chew, 12.0 * chewing);
        pose.wings[side as usize].lift += -8.0 * down + 3.0 * chew;
    }
    pose
}

/// Gathers itself and roars at the sky.
pub(super) fn roar(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let end = Motion::Roar.duration();
    let k = keys([0.0, 0.4, 0.66, 0.85, 1.5, end], time);
    let loud = between(time, 0.62, 1.62, 0.14);
    let tremble = loud * sin(time * 60.0);
    pose.waist += DVec3::new(
        0.0,
        k([0.0, -3.6, 1.4, 1.2, 1.0, 0.0]) + 0.12 * tremble,
        k([0.0, -1.0, 0.6, 0.4, 0.4, 0.0]),
    );
    pose.turn.x = k([0.0, 14.0, -8.0, -9.0, -8.0, 0.0]);
    pose.spine += DVec3::X * k([0.0, 16.0, -14.0, -16.0, -14.0, 0.0]);
    pose.head += DVec3::new(k([0.0, 18.0, -22.0, -25.0, -22.0, 0.0]), 2.0 * tremble, 1.6 * tremble);
    pose.jaw = k([0.0, 0.0, 36.0, 44.0, 40.0, 0.0]).max(0.0) + 1.2 * tremble;
    pose.tongue = k([0.0, 0.0, 8.0, 16.0, 14.0, 0.0]);
    pose.breath = k([0.0, 1.6, 2.0, 0.4, -1.0, 0.0]);
    pose.tail += DVec2::new(5.0 * tremble, k([0.0, -14.0, 34.0, 40.0, 36.0, 0.0]));
    for side in Side::BOTH {
        pose.lids[side as usize] = k([0.0, 0.5, 0.62, 0.7, 0.6, 0.0]).clamp(0.0, 1.0);
        pose.ears[side as usize] =
            DVec2::new(k([0.0, 6.0, 36.0, 38.0, 34.0, 0.0]) + 3.0 * tremble, 8.0 * loud);
        let arm = &mut pose.arms[side as usize];
        arm.raise += k([0.0, -8.0, 34.0, 38.0, 36.0, 0.0]);
        arm.across -= k([0.0, -30.0, 22.0, 26.0, 24.0, 0.0]);
        arm.elbow += k([0.0, 20.0, 8.0, 6.0, 6.0, 0.0]);
        let wing = &mut pose.wings[side as usize];
        wing.lift += k([0.0, -12.0, 34.0, 38.0, 34.0, 0.0]) + 2.5 * tremble;
        wing.sweep -= k([0.0, -6.0, 24.0, 26.0, 24.0, 0.0]);
        wing.fold -= k([0.0, -6.0, 32.0, 34.0, 32.0, 0.0]);
    }
    pose
}

/// Lifts the right hand and waves it.
pub(super) fn wave(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let end = Motion::Wave.duration();
    let up = between(time, 0.05, end - 0.05, 0.42);
    let swing = up * sin((time - 0.45) * 2.4 * TURN) * between(time, 0.35, end - 0.35, 0.15);
    pose.waist += DVec3::new(0.9 * up, 0.4 * sin(time * 2.4 * TURN) * up - 0.5 * up, 0.0);
    pose.turn.z = -2.0 * up;
    pose.spine += DVec3::new(-2.0 * up, 0.0, -5.0 * up + 1.5 * swing);
    pose.head += DVec3::new(-4.0 * up, -6.0 * up, 11.0 * up - 3.0 * swing);
    pose.jaw = 17.0 * between(time, 0.3, end - 0.3, 0.25);
    pose.breath = 0.6 * up;
    pose.tail += DVec2::new(30.0 * sin((time - 0.3) * 2.4 * TURN) * up, 10.0 * up);
    let arm = &mut pose.arms[Side::Right as usize];
    arm.raise += 66.0 * up + 7.0 * swing;
    arm.across -= 40.0 * up;
    arm.twist = 60.0 * up;
    arm.elbow += 4.0 * up + 30.0 * swing;
    arm.wrist -= 20.0 * up;
    pose.arms[Side::Left as usize].raise += 8.0 * up;
    for side in Side::BOTH {
        // Smiling eyes.
        pose.lids[side as usize] = (0.16 * up).max(blink(time, 0.3)).max(blink(time, 1.7));
        pose.ears[side as usize] = DVec2::new(-4.0 * up, 9.0 * up + 5.0 * swing);
        pose.wings[side as usize].lift += 10.0 * up + 7.0 * swing;
        pose.wings[side as usize].fold -= 10.0 * up;
    }
    pose
}

/// Steps from side to side with its hands in the air; `phase` 0…1.
pub(super) fn dance(phase: f64) -> Pose {
    let mut pose = Pose::standing();
    let turn = phase * TURN;
    let sway = sin(turn);
    let bounce = 0.5 - 0.5 * cos(4.0 * turn);
    pose.waist += DVec3::new(2.6 * sway, -2.2 + 1.7 * bounce, 0.0);
    pose.turn = DVec3::new(0.0, 14.0 * sway, -7.0 * sway);
    pose.spine += DVec3::new(-3.0 + 5.0 * bounce, 10.0 * sway, 10.0 * sway);
    pose.head += DVec3::new(5.0 - 8.0 * bounce, -14.0 * sway, 10.0 * sin(turn - 0.5));
    pose.jaw = 9.0 + 7.0 * bounce;
    pose.breath = 0.7 * bounce;
    pose.tail += DVec2::new(-58.0 * sin(turn - 0.3), 8.0 + 8.0 * bounce);
    for side in Side::BOTH {
        let s = side.sign();
        let arm = &mut pose.arms[side as usize];
        arm.raise += 52.0 + 24.0 * s * sway + 8.0 * bounce;
        arm.across -= 26.0;
        arm.elbow += 14.0 * sin(4.0 * turn + 0.6);
        arm.twist = 40.0;
        arm.wrist = -14.0 + 14.0 * sin(4.0 * turn);
        let wing = &mut pose.wings[side as usize];
        wing.lift += 12.0 + 14.0 * sin(4.0 * turn + 0.5);
        wing.sweep -= 8.0;
        wing.fold -= 12.0;
        // The foot that carries nothing taps.
        let free = smoothstep(0.15, 0.75, -s * sway);
        let foot = &mut pose.feet[side as usize];
        foot.at = DVec3::new(1.2 * s, 2.0 * free * bounce, 0.8 * free);
        foot.heel = 20.0 * free * (1.0 - bounce);
        foot.yaw = 10.0 * s;
        pose.ears[side as usize] = DVec2::new(6.0 * sin(4.0 * turn + 1.0), 10.0 + 8.0 * s * sway);
        pose.lids[side as usize] = 0.12 + 0.8 * between(phase, 0.1, 0.4, 0.06);
    }
    pose
}

/// Waddles on the spot: half of each round a foot slides back, the other half it swings forward; `phase` 0…1.
pub(super) fn walk(phase: f64) -> Pose {
    let mut pose = Pose::standing();
    let turn = phase * TURN;
    let sway = cos(turn - 0.25 * TURN);
    pose.waist += DVec3::new(1.5 * sway, -1.4 + 0.7 * cos(2.0 * turn), 0.4);
    pose.turn = DVec3::new(6.0, -9.0 * cos(turn), -5.0 * sway);
    pose.spine += DVec3::new(1.0, 13.0 * cos(turn), 6.0 * sway);
    pose.head += DVec3::new(-5.0 + 2.0 * cos(2.0 * turn - 0.6), -5.0 * cos(turn), 3.0 * sway);
    pose.breath = 0.5 - 0.5 * cos(2.0 * turn);
    pose.tail += DVec2::new(40.0 * cos(turn - 0.5), 6.0);
    for side in Side::BOTH {
        let own = (phase + if side == Side::Left { 0.0 } else { 0.5 }).fract();
        let swing = (own - 0.5).max(0.0) * 2.0;
        let foot = &mut pose.feet[side as usize];
        foot.at.z = if own < 0.5 {
            STRIDE * (0.5 - 2.0 * own)
        } else {
            -0.5 * STRIDE + STRIDE * smoothstep(0.0, 1.0, swing)
        };
        foot.heel = 30.0 * smoothstep(0.38, 0.55, own) * smoothstep(0.98, 0.7, own);
        foot.point = smoothstep(0.5, 0.6, own) * smoothstep(1.0, 0.8, own) * 0.8;
        foot.at.y = 2.6 * sin(swing * TURN / 2.0) + 0.8 * foot.point;
        let arm = &mut pose.arms[side as usize];
        arm.across -= 24.0 * side.sign() * cos(turn);
        arm.raise += 6.0 * sin(2.0 * turn);
        pose.wings[side as usize].lift += 6.0 * sin(2.0 * turn + 0.5);
        pose.ears[side as usize].x = 6.0 * sin(2.0 * turn + 0.4);
        pose.lids[side as usize] = 0.05;
    }
    pose
}

/// How far a foot of the walk slides back.
pub(super) const STRIDE: f64 = 7.0;

/// Hops twice for joy.
pub(super) fn happy(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let end = Motion::Happy.duration();
    let on = between(time, 0.0, end - 0.2, 0.3);
    // Two hops of half a second each, with a dip before, between and after.
    let hop = |begin: f64| {
        let x = ((time - begin) / 0.46).clamp(0.0, 1.0);
        4.0 * x * (1.0 - x)
    };
    let rise = 5.4 * (hop(0.32) + hop(1.0));
    let dip =
        between(time, 0.06, 0.4, 0.14) + between(time, 0.72, 1.06, 0.12) + between(time, 1.4, 1.85, 0.14);
    let air = (rise / 5.4).min(1.0);
    pose.waist += DVec3::Y * (rise - 3.0 * dip);
    pose.turn.x = 6.0 * dip - 3.0 * air;
    pose.spine += DVec3::new(6.0 * dip - 8.0 * air, 0.0, 0.0);
    pose.head += DVec3::new(-6.0 * dip - 4.0 * on, 0.0, 7.0 * sin(time * 4.6) * on);
    pose.jaw = 22.0 * on;
    pose.tail += DVec2::new(44.0 * sin(time * 9.2) * on, 14.0 * dip - 10.0 * air);
    for side in Side::BOTH {
        let foot = &mut pose.feet[side as usize];
        foot.at.y = (rise - 0.4).max(0.0);
        foot.heel = 24.0 * smoothstep(0.05, 0.5, air);
        foot.point = 0.7 * smoothstep(0.05, 0.5, air);
        let arm = &mut pose.arms[side as usize];
        arm.raise += 52.0 * on + 16.0 * air;
        arm.across -= 34.0 * on;
        arm.twist = 40.0 * on;
        arm.elbow += 12.0 * sin(time * 13.8) * on;
        let wing = &mut pose.wings[side as usize];
        wing.lift += 14.0 * on + 22.0 * sin(time * 13.8) * on;
        wing.sweep -= 14.0 * on;
        wing.fold -= 20.0 * on;
        pose.ears[side as usize] = DVec2::new(18.0 * dip - 10.0 * air, 8.0 * on);
        pose.lids[side as usize] = 0.9 * between(time, 0.3, 1.5, 0.1);
    }
    pose
}
