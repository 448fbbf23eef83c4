//! Samples of a motion, each taken once.
//!
//! Frames of most rates, and half of the times at which a clip is measured, fall on the same even steps of time, but for the last bits of how that time is computed.

use crate::grid::Grid;
use crate::motion::{Local, Motion};
use crate::room::Room;
use sinew::glam::DQuat;
use sinew::{Clip, Skeleton};

/// Steps a second: the usual rates divide it.
const RATE: f64 = 120.0;

/// A motion with rotations of unit length that remembers what it was at even steps of time.
pub(crate) struct Remembered<'m> {
    motion: &'m mut dyn Motion,
    grid: Grid,
    /// Where each step is among those that are known; empty where they would take too much memory.
    places: Vec<Option<u32>>,
    /// How many are known.
    known: u32,
    /// Of the steps that are known, one after the other.
    joints: Vec<Local>,
    scalars: Vec<f64>,
}

impl<'m> Remembered<'m> {
    /// Of a clip, within a small part of some memory. Also returns what is left of it.
    pub(crate) fn new(
        motion: &'m mut dyn Motion,
        skeleton: &Skeleton,
        clip: &Clip,
        memory: u64,
    ) -> (Self, Room) {
        let grid = Grid::new(f64::from(clip.duration()), RATE, false);
        let (room, stored) = Room::new(memory).without_samples(skeleton, grid.count());
        let count = if stored { grid.count() } else { 0 };
        // Not grown, which would hold them twice.
        let joints = Vec::with_capacity(count * skeleton.len());
        let scalars = Vec::with_capacity(count * skeleton.scalar_names().len());
        (Self { motion, grid, places: vec![None; count], known: 0, joints, scalars }, room)
    }

    fn find(&mut self, time: f64, joints: &mut [Local], scalars: &mut [f64]) {
        self.motion.sample(time, joints, scalars);
        joints.iter_mut().for_each(|joint| joint.rotation = at_unit_length(joint.rotation));
    }
}

/// A rotation at unit length. Nearly all have it but for rounding, for which a short series of one over the root is right to the last bits.
fn at_unit_length(rotation: DQuat) -> DQuat {
    let off = rotation.length_squared() - 1.0;
    match off.abs() < 1e-5 {
        true => rotation * (1.0 - off * (0.5 - 0.375 * off)),
        false => rotation.normalize(),
    }
}

impl Motion for Remembered<'_> {
    fn sample(&mut self, time: f64, joints: &mut [Local], scalars: &mut [f64]) {
        let Some((step, time)) = self.grid.step_at(time) else { return self.find(time, joints, scalars) };
        match self.places.get(step) {
            None => self.find(time, joints, scalars),
            Some(Some(place)) => {
                let place = *place as usize;
                joints.copy_from_slice(&self.joints[place * joints.len()..][..joints.len()]);
                scalars.copy_from_slice(&self.scalars[place * scalars.len()..][..scalars.len()]);
            }
            Some(None) => {
                self.find(time, joints, scalars);
                self.joints.extend_from_slice(joints);
                self.scalars.extend_from_slice(scalars);
                self.places[step] = Some(self.known);
                self.known += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MOST_MEMORY;
    use sinew::glam::DVec3;
    use sinew::{Joint, Transform};

    /// A joint that moves with time, and when it was asked for.
    struct Asked(Vec<f64>);

    impl Motion for Asked {
        fn sample(&mut self, time: f64, joints: &mut [Local], _: &mut [f64]) {
            self.0.push(time);
            joints[0] = Local {
                translation: DVec3::splat(time),
                rotation: DQuat::from_xyzw(0.0, 2.0, 0.0, 0.0),
                ..Local::IDENTITY
            };
        }
    }

    /// What a motion is at some times, and at which of them it was sampled.
    fn sampled(times: &[f64], duration: f32, memory: u64) -> (Vec<Local>, Vec<f64>) {
        let joint = Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY };
        let skeleton = Skeleton::new(vec![joint], vec![]).unwrap();
        let clip = Clip::new("clip", duration, vec![], vec![]).unwrap();
        let mut asked = Asked(Vec::new());
        let (mut motion, _) = Remembered::new(&mut asked, &skeleton, &clip, memory);
        let mut local = [Local::IDENTITY];
        let mut sample = |&time: &f64| {
            motion.sample(time, &mut local, &mut []);
            local[0]
        };
        let found = times.iter().map(&mut sample).collect();
        (found, asked.0)
    }

    #[test]
    fn rotations_get_unit_length() {
        let rotation = DQuat::from_xyzw(0.1, -0.7, 0.5, 0.5).normalize();
        for length in [1.0, 1.0 + 1e-7, 1.0 - 4.9e-6, 1.0 + 1e-3, 2.0] {
            let found = at_unit_length(rotation * length);
            assert!(found.abs_diff_eq(rotation, 1e-15), "{length}: {found} instead of {rotation}");
        }
    }

    #[test]
    fn a_step_is_sampled_once_however_its_time_was_computed() {
        // 31 frames at 30 Hz, in single precision.
        let duration = 31f32 / 30.0;
        let frames = |rate: f64| {
            let whole = (f64::from(duration) * rate).round();
            (0..=whole as usize).map(move |frame| frame as f64 / whole * f64::from(duration))
        };
        let mut times: Vec<f64> = frames(120.0).collect();
        let steps = times.len();
        times.extend(frames(30.0).chain(frames(60.0)).map(f64::next_up));
        times.extend([0.001, 0.001]);
        let (found, asked) = sampled(&times, duration, MOST_MEMORY);
        assert_eq!(asked.len(), steps + 2);
        assert!(times.iter().zip(&found).all(|(time, local)| (local.translation.x - time).abs() < 1e-12));
        assert!(found.iter().all(|local| local.rotation.is_normalized()));
        // The same where there is no memory for it.
        let (without, asked) = sampled(&times, duration, 0);
        assert_eq!((without, asked.len()), (found, times.len()));
    }
}
