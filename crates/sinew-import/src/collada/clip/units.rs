//! Degrees or radians, and in which order: decided once for a whole file.

use super::super::motion::{Motion, Part};
use crate::euler::Order;
use crate::{EulerUnit, findings};
use sinew::Finding;
use sinew_findings::plural;
use std::f64::consts::PI;

/// How the angles of a file are to be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Angles {
    /// Radians per unit.
    pub(super) factor: f64,
    pub(super) order: Order,
}

/// A file with an angle beyond two turns in radians is taken to be in degrees.
const MOST_RADIANS: f64 = 4.0 * PI;
/// By how much another order must fit better than the usual one. Clips begin near the rest but not at it, so a slightly
/// better fit means nothing.
const CLEARLY_BETTER: f64 = 0.1;
/// Below this mean angle from the rest an order fits well enough not to look for another.
const FITS: f64 = 1e-3;
/// From this angle on a node's disagreement is reported.
const DISAGREES: f64 = 0.2;

/// Decides by all nodes whose angles have no unit of their own; `None` if there are none.
pub(super) fn decide<'m>(
    motions: impl Iterator<Item = (&'m str, &'m Motion)> + Clone,
    unit: EulerUnit,
    findings: &mut Vec<Finding>,
) -> Angles {
    let nodes: Vec<(&str, &Motion)> = motions.filter(|(_, m)| has_unknown(m)).collect();
    let degrees = PI / 180.0;
    let usual = Angles { factor: degrees, order: Order::ZYX };
    if nodes.is_empty() {
        return usual;
    }
    let sum = |order: Order, factor: f64| -> f64 {
        nodes.iter().map(|(_, m)| m.rest_residual(order, factor)).sum()
    };
    let in_degrees = sum(Order::ZYX, degrees);
    let in_radians = sum(Order::ZYX, 1.0);
    let (factor, residual, why) = match unit {
        EulerUnit::Degrees => (degrees, in_degrees, "as asked for"),
        EulerUnit::Radians => (1.0, in_radians, "as asked for"),
        EulerUnit::Auto if nodes.iter().any(|(_, m)| largest(m) > MOST_RADIANS) => {
            (degrees, in_degrees, "because of angles beyond two turns in radians")
        }
        // A tie means degrees.
        EulerUnit::Auto if in_radians < in_degrees - 1e-9 => (1.0, in_radians, "as nearer to the rest"),
        EulerUnit::Auto => (degrees, in_degrees, "as nearer to the rest"),
    };
    let (order, residual) = choose_order(residual, nodes.len(), |order| sum(order, factor));
    let angles = Angles { factor, order };
    report(&nodes, angles, residual, why, findings);
    angles
}

fn choose_order(usual: f64, nodes: usize, sum: impl Fn(Order) -> f64) -> (Order, f64) {
    let mut best = (Order::ZYX, usual);
    if usual < FITS * nodes as f64 {
        return best;
    }
    for order in Order::ALL {
        let residual = sum(order);
        if residual < best.1 && residual < usual * CLEARLY_BETTER {
            best = (order, residual);
        }
    }
    best
}

fn report(nodes: &[(&str, &Motion)], angles: Angles, residual: f64, why: &str, findings: &mut Vec<Finding>) {
    let is_degrees = angles.factor != 1.0;
    let (unit, other) = if is_degrees { ("degrees", "radians") } else { ("radians", "degrees") };
    let mean = (residual / nodes.len() as f64).to_degrees();
    let message = format!(
        "rotation channels of {} were read as {unit} in the order {}, {why}; at time zero they are {mean:.3} degrees from the rest on average",
        plural(nodes.len(), "node", "nodes"),
        angles.order.name()
    );
    findings
        .push(Finding::new(&findings::EULER_UNIT, "animations", message).count(nodes.len()).measured(mean));
    let other_factor = if is_degrees { 1.0 } else { PI / 180.0 };
    for (name, motion) in nodes {
        let own = motion.rest_residual(angles.order, angles.factor);
        let else_ = motion.rest_residual(angles.order, other_factor);
        if own > DISAGREES && else_ < own * CLEARLY_BETTER {
            let message = format!("read as {other} its rotation would be nearer to the rest than as {unit}");
            let finding = Finding::new(&findings::EULER_DISAGREES, *name, message);
            findings.push(finding.measured(own.to_degrees()));
        }
    }
}

fn has_unknown(motion: &Motion) -> bool {
    motion.components.iter().any(|c| c.unit_unknown && c.part == Part::Rotation)
}

fn largest(motion: &Motion) -> f64 {
    let unknown = motion.components.iter().filter(|c| c.unit_unknown);
    unknown.flat_map(|c| c.curve.values()).fold(0.0, |most, v| most.max(v.abs()))
}
