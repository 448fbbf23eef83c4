//! Motions of a fight.

use super::ease::{blink, keys};
use crate::creature::pose::{Arm, Pose};
use crate::humanoid::Side;
use crate::math::{TURN, cos, sin, smoothstep};
use crate::spline::keyed;
use glam::{DVec2, DVec3};

/// Bounces on the spot, twice a round, and blinks; `phase` 0…1.
pub(super) fn idle(phase: f64) -> Pose {
    let mut pose = Pose::standing();
    let turn = phase * TURN;
    let bounce = 0.5 - 0.5 * cos(2.0 * turn);
    let sway = sin(turn);
    pose.waist += DVec3::new(0.7 * sway, -1.1 * bounce, 0.0);
    pose.turn = DVec3::new(1.5 * bounce, 0.0, -1.6 * sway);
    pose.spine += DVec3::new(2.0 * bounce, 3.0 * sway, 2.2 * sway);
    pose.head += DVec3::new(-4.0 * bounce, -2.0 * sway, 2.0 * sin(turn - 0.8));
    pose.breath = 0.5 - 0.5 * cos(2.0 * turn - 0.9);
    pose.tail += DVec2::new(34.0 * sin(turn - 0.4), 7.0 * bounce);
    for side in Side::BOTH {
        let arm = &mut pose.arms[side as usize];
        arm.raise += 7.0 * sin(2.0 * turn + 0.9);
        arm.elbow += 7.0 * bounce;
        let wing = &mut pose.wings[side as usize];
        wing.lift += 7.0 * sin(2.0 * turn + 0.4);
        wing.sweep += 4.0 * cos(2.0 * turn);
        pose.ears[side as usize] = DVec2::new(5.0 * sin(2.0 * turn + 0.6), 3.0 * bounce);
        pose.lids[side as usize] = 0.06 + 0.94 * blink(phase, 0.68).min(1.0);
    }
    pose
}

/// Crouches, darts forward, snaps.
pub(super) fn bite(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let k = keys([0.0, 0.3, 0.44, 0.54, 0.74, 1.2], time);
    pose.waist += DVec3::new(0.0, k([0.0, -2.6, -0.8, -1.6, -1.6, 0.0]), k([0.0, -4.0, 3.2, 4.6, 3.6, 0.0]));
    pose.turn.x = k([0.0, -9.0, 20.0, 25.0, 16.0, 0.0]);
    pose.spine += DVec3::X * k([0.0, -8.0, 12.0, 16.0, 8.0, 0.0]);
    pose.head += DVec3::X * k([0.0, 12.0, -32.0, -22.0, -10.0, 0.0]);
    pose.jaw = k([0.0, 6.0, 40.0, 0.0, 0.0, 0.0]).max(0.0);
    pose.tail += DVec2::new(0.0, k([0.0, 3.0, 44.0, 34.0, 10.0, 0.0]));
    let shut = k([0.0, 0.35, 0.1, 0.45, 0.2, 0.0]);
    let wings = k([0.0, -8.0, 30.0, 22.0, 10.0, 0.0]);
    for side in Side::BOTH {
        pose.lids[side as usize] = shut.max(0.0);
        pose.ears[side as usize] = DVec2::new(k([0.0, 10.0, 34.0, 30.0, 10.0, 0.0]), 0.0);
        pose.wings[side as usize].lift += wings;
        pose.wings[side as usize].fold -= 0.6 * wings;
        pose.arms[side as usize].across += k([0.0, -20.0, -46.0, -40.0, -20.0, 0.0]);
        pose.feet[side as usize].heel = k([0.0, 0.0, 16.0, 20.0, 12.0, 0.0]).max(0.0);
    }
    pose
}

/// Winds up to the right and swipes with the right hand.
pub(super) fn claw(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let k = keys([0.0, 0.36, 0.5, 0.62, 0.86, 1.3333], time);
    pose.waist += DVec3::new(
        k([0.0, -2.4, 1.0, 2.0, 1.2, 0.0]),
        k([0.0, -1.6, -1.0, -2.0, -1.4, 0.0]),
        k([0.0, -1.6, 1.8, 2.6, 1.6, 0.0]),
    );
    pose.turn.y = k([0.0, -26.0, 14.0, 24.0, 16.0, 0.0]);
    pose.turn.x = k([0.0, -3.0, 8.0, 12.0, 6.0, 0.0]);
    pose.spine += DVec3::new(0.0, k([0.0, -26.0, 20.0, 32.0, 18.0, 0.0]), k([0.0, -6.0, 4.0, 8.0, 4.0, 0.0]));
    pose.head += DVec3::Y * k([0.0, 36.0, -24.0, -38.0, -22.0, 0.0]);
    pose.jaw = k([0.0, 6.0, 24.0, 16.0, 4.0, 0.0]).max(0.0);
    pose.tail += DVec2::new(k([0.0, 50.0, -20.0, -64.0, -34.0, 0.0]), k([0.0, 8.0, 14.0, 4.0, 0.0, 0.0]));
    pose.arms[Side::Right as usize] = Arm {
        raise: k([-14.0, 74.0, 40.0, 2.0, -10.0, -14.0]),
        across: k([16.0, -40.0, 44.0, 66.0, 48.0, 16.0]),
        twist: k([0.0, 30.0, 10.0, -10.0, -6.0, 0.0]),
        elbow: k([18.0, 40.0, 4.0, 14.0, 20.0, 18.0]),
        wrist: k([8.0, -34.0, 24.0, 40.0, 20.0, 8.0]),
    };
    pose.arms[Side::Left as usize].across += k([0.0, 20.0, -26.0, -34.0, -16.0, 0.0]);
    for side in Side::BOTH {
        pose.lids[side as usize] = k([0.0, 0.22, 0.3, 0.34, 0.18, 0.0]).max(0.0);
        pose.ears[side as usize].x = k([0.0, 14.0, 26.0, 22.0, 8.0, 0.0]);
        pose.wings[side as usize].lift += k([0.0, 16.0, 22.0, 6.0, 2.0, 0.0]);
    }
    pose
}

/// Turns its back and lets the tail fly round.
pub(super) fn tail_whip(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let k = keys([0.0, 0.34, 0.56, 0.7, 0.96, 1.4667], time);
    // Feet stay where they are, so the body twists as far as short legs let it.
    pose.turn.y = k([0.0, -34.0, 28.0, 40.0, 22.0, 0.0]);
    pose.turn.x = k([0.0, 4.0, 12.0, 14.0, 6.0, 0.0]);
    pose.waist +=
        DVec3::new(k([0.0, 1.6, -1.0, -1.8, -0.8, 0.0]), k([0.0, -2.2, -1.4, -2.0, -1.4, 0.0]), 0.0);
    pose.spine += DVec3::Y * k([0.0, -20.0, 8.0, 20.0, 10.0, 0.0]);
    pose.head += DVec3::Y * k([0.0, 46.0, -22.0, -48.0, -26.0, 0.0]);
    pose.look.x = k([0.0, 12.0, -6.0, -12.0, -6.0, 0.0]);
    pose.tail += DVec2::new(k([0.0, -92.0, 40.0, 128.0, 58.0, 0.0]), k([0.0, 24.0, 34.0, 20.0, 0.0, 0.0]));
    pose.jaw = k([0.0, 0.0, 14.0, 18.0, 4.0, 0.0]).max(0.0);
    for side in Side::BOTH {
        pose.lids[side as usize] = k([0.0, 0.15, 0.3, 0.3, 0.1, 0.0]).max(0.0);
        pose.arms[side as usize].raise += k([0.0, 14.0, 34.0, 38.0, 14.0, 0.0]);
        pose.wings[side as usize].lift += k([0.0, -6.0, 20.0, 24.0, 8.0, 0.0]);
        pose.ears[side as usize].x = k([0.0, 4.0, 24.0, 20.0, 6.0, 0.0]);
    }
    pose
}

/// Sways, sinks on its tail and falls asleep on its side; it does not get up.
pub(super) fn faint(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let k = keys([0.0, 0.24, 0.6, 0.95, 1.25, 1.45, 2.0], time);
    pose.waist += DVec3::new(
        k([0.0, 0.8, -1.6, -4.0, -9.0, -10.2, -10.0]),
        k([0.0, 0.6, -1.5, -2.0, -3.4, -5.6, -5.4]),
        k([0.0, -1.0, 1.6, 0.0, 0.0, 0.0, 0.0]),
    );
    pose.turn = DVec3::new(
        k([0.0, -10.0, 10.0, 6.0, 2.0, 0.0, 0.0]),
        k([0.0, 8.0, -10.0, -8.0, -4.0, -4.0, -4.0]),
        k([0.0, -4.0, 8.0, 30.0, 70.0, 82.0, 79.0]),
    );
    pose.spine +=
        DVec3::new(k([0.0, -8.0, 8.0, 10.0, 8.0, 6.0, 6.0]), 0.0, k([0.0, 4.0, -6.0, 6.0, 8.0, 4.0, 6.0]));
    pose.head += DVec3::new(
        k([0.0, -20.0, 14.0, 22.0, 12.0, 6.0, 9.0]),
        k([0.0, 14.0, -18.0, -8.0, 0.0, 0.0, 0.0]),
        k([0.0, -8.0, 12.0, 10.0, 4.0, -10.0, -2.0]),
    );
    pose.jaw = k([0.0, 20.0, 10.0, 12.0, 16.0, 22.0, 14.0]).max(0.0);
    pose.tail +=
        DVec2::new(k([0.0, 20.0, -34.0, -10.0, 14.0, 20.0, 26.0]), k([0.0, 10.0, 4.0, 20.0, 10.0, 0.0, 0.0]));
    let shut = k([0.0, 0.9, 0.45, 0.62, 0.94, 1.0, 1.0]).clamp(0.0, 1.0);
    for side in Side::BOTH {
        pose.lids[side as usize] = shut;
        pose.ears[side as usize] = DVec2::new(
            k([0.0, 30.0, 26.0, 30.0, 36.0, 30.0, 34.0]),
            k([0.0, 0.0, 20.0, 26.0, 20.0, 30.0, 28.0]),
        );
        pose.arms[side as usize].raise += k([0.0, 26.0, 0.0, 4.0, 22.0, 8.0, 2.0]);
        pose.wings[side as usize].lift += k([0.0, 24.0, -8.0, -14.0, 0.0, -18.0, -16.0]);
        let lift = k([0.0, 0.0, 0.0, 0.3, 1.0, 1.0, 1.0]);
        let foot = &mut pose.feet[side as usize];
        // The legs go with the body: one stays below, the other ends above it.
        let upper = if side == Side::Left { 1.0 } else { 0.0 };
        foot.at = DVec3::new(-1.0 - 2.5 * upper, 4.2 + 9.0 * upper, 3.2 + 2.6 * upper) * lift;
        if side == Side::Right {
            foot.at.x = 2.5 * lift;
            // What lies below keeps close to the body.
            pose.ears[side as usize].y = -34.0 * lift;
            pose.arms[side as usize].raise -= 20.0 * lift;
            pose.wings[side as usize].sweep += 40.0 * lift;
        }
        let foot = &mut pose.feet[side as usize];
        foot.heel = 26.0 * lift;
        foot.point = lift;
    }
    pose
}

/// Thrown back, eyes shut, and up again.
pub(super) fn hit(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let k = keys([0.0, 0.1, 0.3, 0.56, 0.9333], time);
    let shake = sin(time * 42.0) * smoothstep(0.0, 0.08, time) * smoothstep(0.5, 0.2, time);
    pose.waist += DVec3::new(0.35 * shake, k([0.0, 0.4, -2.2, -1.2, 0.0]), k([0.0, -3.6, -4.2, -1.2, 0.0]));
    pose.turn = DVec3::new(k([0.0, -16.0, -10.0, 6.0, 0.0]), k([0.0, 10.0, 8.0, 2.0, 0.0]), 0.0);
    pose.spine += DVec3::new(k([0.0, -16.0, -4.0, 8.0, 0.0]), k([0.0, 14.0, 8.0, 0.0, 0.0]), 2.0 * shake);
    pose.head += DVec3::new(k([0.0, -26.0, 8.0, 10.0, 0.0]), k([0.0, 26.0, 14.0, 0.0, 0.0]), 4.0 * shake);
    pose.jaw = k([0.0, 26.0, 18.0, 4.0, 0.0]).max(0.0);
    pose.tail += DVec2::new(k([0.0, -20.0, 24.0, -8.0, 0.0]), k([0.0, 14.0, 18.0, 8.0, 0.0]));
    for side in Side::BOTH {
        pose.lids[side as usize] = k([0.0, 1.0, 0.95, 0.4, 0.0]).clamp(0.0, 1.0);
        pose.ears[side as usize] =
            DVec2::new(k([0.0, 40.0, 30.0, 10.0, 0.0]), k([0.0, 14.0, 10.0, 4.0, 0.0]));
        let arm = &mut pose.arms[side as usize];
        arm.raise += k([0.0, 50.0, 30.0, 6.0, 0.0]);
        arm.across += k([0.0, 20.0, 34.0, 14.0, 0.0]);
        pose.wings[side as usize].lift += k([0.0, 40.0, 10.0, -4.0, 0.0]);
        pose.wings[side as usize].fold -= k([0.0, 24.0, 8.0, 0.0, 0.0]);
    }
    pose
}

/// Draws a deep breath and blows it out with the whole body.
pub(super) fn breath(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let k = keys([0.0, 0.45, 0.72, 0.86, 1.3, 1.6, 2.2], time);
    let blow = smoothstep(0.82, 0.92, time) * smoothstep(1.6, 1.4, time);
    let tremble = blow * sin(time * 55.0);
    pose.waist +=
        DVec3::new(0.0, k([0.0, 0.6, 0.9, -2.4, -2.6, -1.2, 0.0]), k([0.0, -2.2, -2.8, 1.8, 2.0, 1.0, 0.0]));
    pose.turn.x = k([0.0, -8.0, -12.0, 10.0, 11.0, 5.0, 0.0]);
    pose.spine += DVec3::X * k([0.0, -14.0, -20.0, 12.0, 13.0, 6.0, 0.0]);
    pose.head += DVec3::new(k([0.0, -12.0, -20.0, -8.0, -10.0, -4.0, 0.0]), 1.5 * tremble, tremble);
    pose.breath = k([0.0, 2.4, 3.2, -0.6, -1.4, -0.4, 0.0]);
    pose.jaw = k([0.0, 4.0, 10.0, 40.0, 38.0, 8.0, 0.0]).max(0.0);
    pose.tongue = k([0.0, 0.0, 6.0, 10.0, 12.0, 0.0, 0.0]);
    pose.tail += DVec2::new(6.0 * tremble, k([0.0, 3.0, 5.0, 40.0, 44.0, 16.0, 0.0]));
    for side in Side::BOTH {
        pose.lids[side as usize] = k([0.0, 0.5, 0.75, 0.15, 0.25, 0.2, 0.0]).clamp(0.0, 1.0);
        pose.ears[side as usize].x = k([0.0, -10.0, -14.0, 38.0, 36.0, 12.0, 0.0]) + 3.0 * tremble;
        let wing = &mut pose.wings[side as usize];
        wing.lift += k([0.0, 22.0, 34.0, 10.0, 12.0, 4.0, 0.0]) + 2.0 * tremble;
        wing.sweep -= k([0.0, 16.0, 26.0, 22.0, 20.0, 6.0, 0.0]);
        wing.fold -= k([0.0, 22.0, 34.0, 34.0, 32.0, 10.0, 0.0]);
        let arm = &mut pose.arms[side as usize];
        arm.raise += k([0.0, 22.0, 32.0, -10.0, -12.0, -4.0, 0.0]);
        arm.across += k([0.0, -30.0, -44.0, -20.0, -22.0, -8.0, 0.0]);
    }
    pose
}

/// Rears up and beats its wings three times.
pub(super) fn gust(time: f64) -> Pose {
    let mut pose = Pose::standing();
    let end = super::Motion::Gust.duration();
    let up = keyed(&[(0.0, 0.0), (0.4, 1.0), (1.6, 1.0), (end, 0.0)], time).clamp(0.0, 1.0);
    let beat = (time - 0.4) / 0.4 * TURN;
    let beating = smoothstep(0.32, 0.46, time) * smoothstep(1.68, 1.54, time);
    let flap = cos(beat) * beating;
    pose.waist += DVec3::new(0.0, 0.9 * up - 1.1 * flap * up, -1.2 * up);
    pose.turn.x = -9.0 * up + 5.0 * sin(beat) * beating;
    pose.spine += DVec3::X * (-8.0 * up + 5.0 * flap);
    pose.head += DVec3::X * (9.0 * up - 6.0 * flap);
    pose.jaw = 12.0 * up;
    pose.tail += DVec2::new(8.0 * sin(beat * 0.5) * beating, 10.0 * up + 12.0 * flap);
    for side in Side::BOTH {
        let wing = &mut pose.wings[side as usize];
        wing.lift += 10.0 * up + 46.0 * flap;
        wing.sweep += -22.0 * up + 20.0 * sin(beat) * beating;
        wing.fold += -26.0 * up + 16.0 * (1.0 - cos(beat + 0.9)) * beating;
        let arm = &mut pose.arms[side as usize];
        arm.raise += 26.0 * up + 8.0 * flap;
        arm.across -= 16.0 * up;
        pose.ears[side as usize].x = 8.0 * up + 12.0 * sin(beat) * beating;
        pose.lids[side as usize] = 0.22 * up;
        pose.feet[side as usize].heel = 10.0 * up;
    }
    pose
}
