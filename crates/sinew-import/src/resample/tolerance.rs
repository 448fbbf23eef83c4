//! Divides the tolerance among the joints of a chain and over time.
//!
//! The error of a point is at most the sum of the errors of all joints above it. The number of keys of a joint grows with the
//! square root of `need / share` (need: its error without further keys), so the total is least for shares in proportion to the cube root of the need.
//!
//! Errors of many joints rarely add up in one direction, so long chains get more than the sum allows (`ALIGNED`);
//! the result is measured, and shares are reduced where it exceeds the tolerance.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays made here, of lengths known here")]

use super::fit::Gains;
use super::sampled::Sampled;
use super::{Evaluate, Request, Side};
use crate::decompose::Trs;
use crate::{Budget, Cause};
use glam::{DAffine3, DVec3};
use sinew::NO_JOINT;

/// Times of a clip at which distances between joints are measured.
const POSES: usize = 8;
/// Points on the axes of a joint that its error is measured at, relative to the diagonal.
pub(super) const PROBE: f64 = 0.05;

/// The points of a joint that its error is measured at, in its own space.
pub(super) fn probes(diagonal: f64) -> [DVec3; 4] {
    [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * (PROBE * diagonal))
}

/// Number of times at which distances are measured; one for very large skeletons.
pub(super) fn poses(request: &Request<'_>) -> usize {
    if request.parents.len() > 2000 { 1 } else { POSES }
}

/// How far points below a joint move per unit of error of each of its parts, and the largest distance of a joint
/// from the origin.
pub(super) fn gains(request: &Request<'_>, evaluate: &impl Evaluate) -> (Vec<Gains>, f64) {
    let mut extent = 0.0f64;
    let mut gains = vec![Gains([0.0; 3]); request.parents.len()];
    let poses = poses(request);
    for pose in 0..=poses {
        let mut locals = request.rest.to_vec();
        if let Some(moment) = pose.checked_sub(1) {
            let time = f64::from(request.duration) * (moment as f64 + 0.5) / poses as f64;
            for curves in request.joints {
                if let Some(local) = locals.get_mut(usize::from(curves.joint)) {
                    *local = evaluate(usize::from(curves.joint), time, Side::After);
                }
            }
        }
        extent = extent.max(reach(request, &locals, &mut gains));
    }
    (request.joints.iter().filter_map(|c| gains.get(usize::from(c.joint)).copied()).collect(), extent)
}

fn reach(request: &Request<'_>, locals: &[Trs], gains: &mut [Gains]) -> f64 {
    let matrices: Vec<DAffine3> = locals.iter().copied().map(Trs::to_affine).collect();
    // Size of each joint's parent in model space.
    let mut sizes = vec![1.0f64; locals.len()];
    let mut models = matrices.clone();
    for joint in 0..locals.len() {
        if let Some(&above) =
            request.parents.get(joint).and_then(|&p| models.get(usize::from(p)).filter(|_| p != NO_JOINT))
        {
            let linear = above.matrix3;
            sizes[joint] = linear.x_axis.length().max(linear.y_axis.length()).max(linear.z_axis.length());
            models[joint] = above * matrices[joint];
        }
    }
    for joint in 0..locals.len() {
        for probe in probes(request.diagonal) {
            let (mut point, mut at) = (probe, joint);
            loop {
                let size = sizes[at];
                let [t, r, s] = &mut gains[at].0;
                *t = t.max(size);
                *r = r.max(size * (locals[at].scale * point).length());
                *s = s.max(size * point.length());
                point = matrices[at].transform_point3(point);
                match request.parents.get(at) {
                    Some(&parent) if usize::from(parent) < at => at = usize::from(parent),
                    _ => break,
                }
            }
        }
    }
    models.iter().map(|model| model.translation.length()).fold(0.0, f64::max)
}

/// Bins per second at the most, and in all.
const BINS_PER_SECOND: f64 = 30.0;
const BINS: usize = 4096;
/// Numbers held for all joints and bins together.
const CELLS: usize = 4 << 20;
/// Assumed error of a chain, relative to the root of the sum of squares that independent errors would give. An empirical factor: a smaller
/// one places fewer keys and needs more rounds of [`Shares::tighten`], which measurement decides in any case.
const ALIGNED: f64 = 1.35;
/// In a bin whose shares rest on [`ALIGNED`] one sample must stay below this fraction of the tolerance, since the worst time of the bin was
/// probably not sampled. Shares that add up plainly hold at every time and need no margin.
const MARGIN: f64 = 0.7;
/// Least need of a joint, relative to the tolerance, so that every share is positive.
const FLOOR: f64 = 1e-6;

/// Shares of the tolerance for each part of each joint that moves, in bins of time.
pub(super) struct Shares {
    shares: Vec<[f64; 3]>,
    /// Whether the shares of a bin may add up to more than the tolerance.
    relaxed: Vec<bool>,
    joints: usize,
    bins: usize,
    length: f64,
}

/// Sums along a chain: of the cube roots of needs, and of their squares.
#[derive(Clone, Copy, Default)]
struct Sums {
    plain: f64,
    squares: f64,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self { plain: self.plain + other.plain, squares: self.squares + other.squares }
    }
}

/// Sums of all joints in one bin: their own, of those above with their own, and of the neediest chain below.
#[derive(Default)]
struct Chains {
    own: Vec<Sums>,
    above: Vec<Sums>,
    below: Vec<Sums>,
}

impl Shares {
    pub(super) fn new(
        request: &Request<'_>,
        sampled: &[Sampled],
        gains: &[Gains],
        tolerance: f64,
        scratch: &Budget<'_>,
    ) -> Result<Self, Cause> {
        let joints = sampled.len();
        let duration = f64::from(request.duration);
        let most = BINS.min(CELLS / joints.max(1)).max(1);
        let bins = ((duration * BINS_PER_SECOND).ceil() as usize).clamp(1, most);
        scratch.list::<[f64; 3]>(joints * bins)?;
        scratch.steps((bins as u64).saturating_mul(request.parents.len() as u64))?;
        let mut out = Self {
            shares: vec![[0.0; 3]; joints * bins],
            relaxed: vec![false; bins],
            joints,
            bins,
            length: duration / bins as f64,
        };
        out.collect_needs(sampled, gains);
        let order: Vec<usize> = request.joints.iter().map(|c| usize::from(c.joint)).collect();
        let mut chains = Chains::default();
        for bin in 0..bins {
            out.divide(bin, request.parents, &order, tolerance, &mut chains);
        }
        Ok(out)
    }

    /// The largest deviation of each part over each bin, as points in model space move.
    fn collect_needs(&mut self, sampled: &[Sampled], gains: &[Gains]) {
        for (index, (sampled, gains)) in sampled.iter().zip(gains).enumerate() {
            for interval in &sampled.intervals {
                let need = [0, 1, 2].map(|part| interval.deviations[part] * gains.0[part]);
                for bin in self.bins(interval.times[0], interval.times[4]) {
                    let cell = &mut self.shares[bin * self.joints + index];
                    for (cell, need) in cell.iter_mut().zip(need) {
                        *cell = cell.max(need);
                    }
                }
            }
        }
    }

    /// Turns the needs of one bin into shares of the tolerance along each chain.
    fn divide(
        &mut self,
        bin: usize,
        parents: &[u16],
        order: &[usize],
        tolerance: f64,
        Chains { own, above, below }: &mut Chains,
    ) {
        let cells = &mut self.shares[bin * self.joints..(bin + 1) * self.joints];
        // Most parts need nothing.
        let floor = FLOOR * tolerance;
        let least = libm::cbrt(floor);
        for part in cells.iter_mut().flatten() {
            *part = if *part > floor { libm::cbrt(*part) } else { least };
        }
        for sums in [&mut *own, &mut *below] {
            sums.clear();
            sums.resize(parents.len(), Sums::default());
        }
        for (cell, &joint) in cells.iter().zip(order) {
            own[joint] = Sums { plain: cell.iter().sum(), squares: cell.iter().map(|x| x * x).sum() };
        }
        above.clone_from(own);
        for joint in (0..parents.len()).filter(|&j| parents[j] != NO_JOINT) {
            above[joint] = own[joint].plus(above[usize::from(parents[joint])]);
        }
        for joint in (0..parents.len()).rev().filter(|&j| parents[j] != NO_JOINT) {
            let (parent, through) = (usize::from(parents[joint]), own[joint].plus(below[joint]));
            if through.plain > below[parent].plain {
                below[parent] = through;
            }
        }
        for (cell, &joint) in cells.iter_mut().zip(order) {
            let chain = above[joint].plus(below[joint]);
            let size = chain.plain.min(ALIGNED * chain.squares.sqrt());
            self.relaxed[bin] |= size < chain.plain;
            for part in cell {
                *part = if size > 0.0 { tolerance * *part / size } else { tolerance };
            }
        }
    }

    /// Bins that a stretch of time lies in.
    pub(super) fn bins(&self, from: f64, to: f64) -> impl Iterator<Item = usize> + use<> {
        let last = self.bins - 1;
        let bin = |time: f64| if self.length > 0.0 { ((time / self.length) as usize).min(last) } else { 0 };
        // A stretch that ends where a bin begins does not lie in it.
        let (first, mut end) = (bin(from), bin(to));
        if end > first && end as f64 * self.length >= to {
            end -= 1;
        }
        first..=end
    }

    /// The smallest shares of one joint between two times.
    pub(super) fn of(&self, index: usize) -> impl Fn(f64, f64) -> [f64; 3] + '_ {
        move |from, to| {
            self.bins(from, to).fold([f64::INFINITY; 3], |least, bin| {
                let cell = &self.shares[bin * self.joints + index];
                [0, 1, 2].map(|part| least[part].min(cell[part]))
            })
        }
    }

    /// Number of bins.
    pub(super) fn len(&self) -> usize {
        self.bins
    }

    /// A pseudo-random time in a bin, independent of where keys are.
    pub(super) fn time(&self, bin: usize) -> f64 {
        (bin as f64 + (bin as f64 * 0.618_033_988_75 + 0.37).fract()) * self.length
    }

    /// Reduces the shares of those bins where the error was too large, and returns these bins in rising order.
    pub(super) fn tighten(&mut self, errors: &[f64], bins: &[usize], tolerance: f64) -> Vec<usize> {
        let mut failed = Vec::new();
        for &bin in bins {
            let allowed = if self.relaxed[bin] { tolerance * MARGIN } else { tolerance };
            if errors[bin] > allowed {
                let factor = (0.7 * allowed / errors[bin]).max(0.05);
                let cells = &mut self.shares[bin * self.joints..(bin + 1) * self.joints];
                cells.iter_mut().flatten().for_each(|part| *part *= factor);
                failed.push(bin);
            }
        }
        failed
    }
}
