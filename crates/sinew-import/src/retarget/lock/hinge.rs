//! About which axes knees and elbows bend: those about which they do in the clip, in the mean.

use super::Wanted;
use sinew::glam::Vec3;
use sinew::{Clip, JobError, Mat3x4, Sampling, job};
use sinew_retarget::{LiveRetarget, Part, Role, Side};

/// Samples a second. Of long clips fewer are taken.
const RATE: f64 = 30.0;
const MOST: f64 = 1000.0;
/// A limb that is never bent by more than this, as the sine of the angle in the mean, says nothing about its axis.
const BENT: f32 = 0.03;

/// A limb of the target: upper joint, lower joint with its parent, end.
#[derive(Clone, Copy)]
struct Limb {
    upper: usize,
    lower: usize,
    above: usize,
    end: usize,
}

/// The axes of knees and elbows, the left ones first, in the space of their parents; none of a limb that hardly bends.
pub(super) fn hinges(wanted: &Wanted<'_>, clip: &Clip) -> Result<[[Option<Vec3>; 2]; 2], JobError> {
    let (source, target) = (wanted.retarget.source(), wanted.retarget.target());
    let limbs = [[Part::UpperLeg, Part::LowerLeg, Part::Foot], [Part::UpperArm, Part::LowerArm, Part::Hand]];
    let limbs = limbs.map(|parts| Side::BOTH.map(|side| limb(wanted, side, parts)));
    let count = (f64::from(clip.duration()) * RATE).ceil().clamp(1.0, MOST) as usize;
    let mut live = LiveRetarget::new(wanted.retarget.clone());
    let (mut from, mut to) = (source.rest().clone(), target.rest().clone());
    let mut models = vec![Mat3x4::IDENTITY; target.len()];
    let mut sums = [[Vec3::ZERO; 2]; 2];
    for sample in 0..=count {
        let time = f64::from(clip.duration()) * sample as f64 / count as f64;
        job::sample(source, clip, time, Sampling::Interpolate, &mut from)?;
        live.apply(&from, &mut to)?;
        job::local_to_model(target.hierarchy(), to.blocks(), &Mat3x4::IDENTITY, &mut models)?;
        for (sums, limbs) in sums.iter_mut().zip(&limbs) {
            for (sum, limb) in sums.iter_mut().zip(limbs) {
                *sum += limb.map_or(Vec3::ZERO, |limb| limb.bend(&models));
            }
        }
    }
    let known = |sum: Vec3| (sum.length() > BENT * (count + 1) as f32).then_some(sum);
    Ok(sums.map(|sums| sums.map(known)))
}

fn limb(wanted: &Wanted<'_>, side: Side, parts: [Part; 3]) -> Option<Limb> {
    let joint = |part: Part| wanted.retarget.target_roles().joint(Role::new(side, part));
    let [upper, lower, end] = [joint(parts[0])?, joint(parts[1])?, joint(parts[2])?];
    let above = wanted.retarget.target().parent(lower)?;
    Some(Limb { upper: upper.into(), lower: lower.into(), above: above.into(), end: end.into() })
}

impl Limb {
    /// The axis of the bend in the space of the lower joint's parent, as long as the sine of its angle.
    fn bend(&self, models: &[Mat3x4]) -> Vec3 {
        let place = |joint: usize| models[joint].translation();
        let first = (place(self.lower) - place(self.upper)).normalize_or_zero();
        let second = (place(self.end) - place(self.lower)).normalize_or_zero();
        let across = first.cross(second);
        let axis = models[self.above].matrix3().inverse() * across;
        axis.normalize_or_zero() * across.length()
    }
}
