use super::super::skeleton::Side;
use super::*;
use glam::DMat4;

/// How a clip plays on the skeleton.
struct Played {
    skeleton: Skeleton,
    scene: Scene,
}

impl Played {
    fn new(motion: Motion) -> Self {
        let skeleton = Skeleton::humanoid();
        let scene = motion.scene(&skeleton);
        Self { skeleton, scene }
    }

    fn models(&self, time: f64) -> Vec<DMat4> {
        self.scene.models(Some(&self.scene.takes[0]), time)
    }

    /// Place of a joint at a time, which may lie in the next round.
    fn place(&self, motion: Motion, joint: &str, time: f64) -> DVec3 {
        let round = (time / motion.duration() + 1e-9).floor();
        let models = self.models(time - round * motion.duration());
        let place = models[self.skeleton.index(joint)].w_axis.truncate();
        place + DVec3::Z * round * motion.travel()
    }
}

#[test]
fn feet_do_not_slide() {
    for motion in Motion::ALL {
        let played = Played::new(motion);
        for contact in motion.contacts() {
            let (begin, end) = contact.span;
            let first = played.place(motion, &contact.joint, begin);
            // Four times between two keys: interpolated angles must not slide either.
            let steps = ((end - begin) * RATE * 4.0).ceil() as usize;
            for step in 0..=steps {
                let time = begin + (end - begin) * step as f64 / steps as f64;
                let slide = played.place(motion, &contact.joint, time).distance(first);
                assert!(slide < 1.0, "{}: {} slides {slide} cm at {time}", motion.name(), contact.joint);
            }
        }
    }
}

#[test]
fn clips_close_but_for_their_travel() {
    for motion in Motion::ALL.into_iter().filter(|motion| motion.looped()) {
        let played = Played::new(motion);
        let (start, end) = (played.models(0.0), played.models(motion.duration()));
        let travel = DMat4::from_translation(DVec3::Z * motion.travel());
        for (a, b) in start.iter().zip(&end) {
            assert!((travel * *a).abs_diff_eq(*b, 1e-6), "{}", motion.name());
        }
    }
}

#[test]
fn the_landing_is_the_end_of_the_jump() {
    let (jump, land) = (Played::new(Motion::Jump), Played::new(Motion::Land));
    let start = Motion::Jump.duration() - Motion::Land.duration();
    for step in 0..=10 {
        let time = Motion::Land.duration() * f64::from(step) / 10.0;
        for (a, b) in jump.models(start + time).iter().zip(&land.models(time)) {
            assert!(a.abs_diff_eq(*b, 1e-6), "{time}");
        }
    }
}

#[test]
fn legs_reach_the_feet() {
    let skeleton = Skeleton::humanoid();
    for motion in Motion::ALL {
        for frame in 0..motion.frames() {
            let body = motion.body(&skeleton, frame);
            for side in Side::BOTH {
                let reach = body.reach(&skeleton, side);
                assert!(
                    (0.3..0.9999).contains(&reach),
                    "{} frame {frame}: the {} leg would be at {reach}",
                    motion.name(),
                    side.word()
                );
            }
        }
    }
}

#[test]
fn nothing_sinks_into_the_ground() {
    for motion in Motion::ALL {
        let played = Played::new(motion);
        for frame in 0..=motion.frames() {
            let models = played.models(frame as f64 / RATE);
            for (joint, model) in played.skeleton.joints.iter().zip(&models) {
                let height = model.w_axis.y;
                assert!(height > 0.5, "{} {}: {height}", motion.name(), joint.name);
            }
        }
    }
}

#[test]
fn joints_turn_evenly_between_keys() {
    for motion in Motion::ALL {
        let played = Played::new(motion);
        for frame in 0..motion.frames() {
            let at = |x: f64| played.models((frame as f64 + x) / RATE);
            let (a, middle, b) = (at(0.0), at(0.5), at(1.0));
            for (joint, index) in played.skeleton.joints.iter().zip(0..) {
                let turn = |m: &[DMat4]| DQuat::from_mat4(&m[index]).normalize();
                let halfway = turn(&a).slerp(turn(&b), 0.5);
                let off = halfway.angle_between(turn(&middle)).to_degrees();
                let (name, joint) = (motion.name(), &joint.name);
                assert!(off < 3.0, "{name} frame {frame}: {joint} is off by {off}°");
            }
        }
    }
}

#[test]
fn the_run_flies_and_the_walk_does_not() {
    let airborne = |motion: Motion| {
        let played = Played::new(motion);
        let low = |side: Side, time: f64| {
            let toe = format!("{}ToeBase", side.word());
            played.place(motion, &toe, time).y < 3.5
        };
        let mut frames = (0..motion.frames()).map(|f| f as f64 / RATE);
        frames.any(|t| !low(Side::Left, t) && !low(Side::Right, t))
    };
    assert!(airborne(Motion::Run));
    assert!(!airborne(Motion::Walk));
}
