//! Vertex weights: the strongest few, summing to one.

use crate::findings;
use sinew::{Finding, Influences};
use sinew_findings::plural;

/// Collects the influences of one vertex after the other, and what is lost by keeping only the strongest.
#[derive(Debug)]
pub struct Weights {
    per_vertex: usize,
    skin_joints: Vec<u16>,
    weights: Vec<f32>,
    vertex: Vec<(u16, f64)>,
    reduced: usize,
    largest_loss: f64,
    most: usize,
    invalid: usize,
    /// Vertices whose weights do not sum to one, and the sum that is farthest from it.
    uneven: usize,
    farthest_sum: f64,
}

impl Weights {
    /// A collection that keeps `per_vertex` (4 or 8) influences of each of about `vertices` vertices.
    pub fn new(per_vertex: usize, vertices: usize) -> Self {
        let slots = vertices.saturating_mul(per_vertex);
        Self {
            per_vertex,
            skin_joints: Vec::with_capacity(slots),
            weights: Vec::with_capacity(slots),
            vertex: Vec::new(),
            reduced: 0,
            largest_loss: 0.0,
            most: 0,
            invalid: 0,
            uneven: 0,
            farthest_sum: 1.0,
        }
    }

    /// Adds the next vertex. Influences of one joint are added up; a vertex without any stays put.
    pub fn push(&mut self, influences: impl IntoIterator<Item = (u16, f64)>) {
        self.vertex.clear();
        for (joint, weight) in influences {
            if !weight.is_finite() || weight < 0.0 {
                self.invalid += 1;
                continue;
            }
            match self.vertex.iter_mut().find(|(s, _)| *s == joint) {
                Some((_, sum)) => *sum += weight,
                None if weight > 0.0 => self.vertex.push((joint, weight)),
                None => {}
            }
        }
        // Of equal weights the lower joint comes first, so that the result does not depend on the source's order.
        self.vertex.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let per_vertex = self.per_vertex;
        let total: f64 = self.vertex.iter().map(|(_, w)| w).sum();
        let kept: f64 = self.vertex.iter().take(per_vertex).map(|(_, w)| w).sum();
        if total > 0.0 && sum_is_off(total) {
            self.uneven += 1;
            if (total - 1.0).abs() > (self.farthest_sum - 1.0).abs() {
                self.farthest_sum = total;
            }
        }
        if self.vertex.len() > per_vertex && total > 0.0 {
            self.reduced += 1;
            self.largest_loss = self.largest_loss.max(1.0 - kept / total);
            self.most = self.most.max(self.vertex.len());
        }
        for index in 0..per_vertex {
            let (joint, weight) = self.vertex.get(index).copied().unwrap_or((0, 0.0));
            let share = if kept > 0.0 { weight / kept } else { 0.0 };
            self.skin_joints.push(joint);
            self.weights.push(share as f32);
        }
    }

    /// Repeats the influences of an earlier vertex for the next one, as corners of one control point do.
    pub fn repeat(&mut self, vertex: usize) {
        let per_vertex = self.per_vertex;
        let range = vertex.saturating_mul(per_vertex)..vertex.saturating_add(1).saturating_mul(per_vertex);
        if range.end <= self.skin_joints.len() {
            self.skin_joints.extend_from_within(range.clone());
            self.weights.extend_from_within(range);
        } else {
            self.push([]);
        }
    }

    /// The influences, and what was lost, reported at `place`.
    pub fn finish(self, place: &str, findings: &mut Vec<Finding>) -> Influences {
        if self.reduced > 0 {
            let message = format!(
                "{} up to {} influences; the strongest {} kept, at most {:.1} % of a vertex's weight was lost",
                plural(self.reduced, "vertex has", "vertices have"),
                self.most,
                plural(self.per_vertex, "was", "were"),
                self.largest_loss * 100.0
            );
            let finding = Finding::new(&findings::INFLUENCES_DROPPED, place, message);
            findings.push(finding.count(self.reduced).measured(self.largest_loss * 100.0));
        }
        if self.uneven > 0 {
            let message = format!(
                "the weights of {} do not sum to one, but up to {:.3}; they were scaled",
                plural(self.uneven, "vertex", "vertices"),
                self.farthest_sum
            );
            let finding = Finding::new(&findings::WEIGHT_SUM, place, message);
            findings.push(finding.count(self.uneven).measured((self.farthest_sum - 1.0).abs() * 100.0));
        }
        if self.invalid > 0 {
            let message = format!(
                "{} left out",
                plural(
                    self.invalid,
                    "weight is negative or not a number and was",
                    "weights are negative or not a number and were"
                )
            );
            findings.push(Finding::new(&findings::WEIGHT_INVALID, place, message).count(self.invalid));
        }
        Influences {
            per_vertex: self.per_vertex,
            skin_joints: self.skin_joints.into(),
            weights: self.weights.into(),
            dual_quaternion: Default::default(),
        }
    }
}

fn sum_is_off(sum: f64) -> bool {
    findings::WEIGHT_SUM.threshold.is_some_and(|threshold| (sum - 1.0).abs() * 100.0 >= threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_are_kept_and_sum_to_one() {
        let mut weights = Weights::new(4, 2);
        weights.push([(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.25), (4, 0.15)]);
        weights.push([]);
        weights.push([(7, 0.5), (7, 0.5), (8, f64::NAN), (9, -1.0)]);
        weights.repeat(0);
        let mut findings = Vec::new();
        let got = weights.finish("mesh", &mut findings);
        assert_eq!(got.skin_joints[..4], [2, 3, 1, 4]);
        assert!((got.weights[..4].iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(got.weights[4..8], [0.0; 4]);
        assert_eq!((got.skin_joints[8], got.weights[8]), (7, 1.0));
        assert_eq!(got.skin_joints[12..], got.skin_joints[..4]);
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[0].id(), "skin.influences-dropped");
        assert!((findings[0].measured.unwrap() - 10.0).abs() < 1e-9);
        assert_eq!((findings[1].id(), findings[1].count), ("skin.weight-invalid", 2));
    }

    #[test]
    fn sums_that_are_off_are_reported() {
        let mut weights = Weights::new(4, 3);
        weights.push([(0, 0.5), (1, 0.505)]);
        weights.push([]);
        let mut findings = Vec::new();
        weights.finish("mesh", &mut findings);
        assert!(findings.is_empty(), "half a per cent is rounding");
        let mut weights = Weights::new(4, 3);
        weights.push([(0, 0.5), (1, 0.3)]);
        weights.push([(0, 1.1)]);
        weights.push([(0, 1.0)]);
        let got = weights.finish("mesh", &mut findings);
        assert_eq!((findings[0].id(), findings[0].count), ("skin.weights-not-one", 2));
        assert!((findings[0].measured.unwrap() - 20.0).abs() < 1e-9);
        assert_eq!(got.weights[..4], [0.625, 0.375, 0.0, 0.0]);
    }
}
