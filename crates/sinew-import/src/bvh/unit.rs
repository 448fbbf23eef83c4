//! How long a unit is. The format does not say, and programs differ.

use super::hierarchy::Hierarchy;
use crate::{Given, Options, SpaceMode, findings};
use sinew::Finding;

/// Units in use, in metres.
const UNITS: [(f64, &str); 5] = [
    (1.0, "a metre"),
    (0.01, "a centimetre"),
    (0.0254, "an inch"),
    (0.0254 / 0.45, "1/0.45 inch, as in conversions of the CMU recordings"),
    (0.001, "a millimetre"),
];

/// Length of the longest chain of joints of a grown human in metres, from the hips to a finger or toe.
const LONGEST_CHAIN: f64 = 1.2;

/// Metres to a unit: as given, else the unit with which the figure is nearest to a human's size.
pub(super) fn meters(hierarchy: &Hierarchy, options: &Options, findings: &mut Vec<Finding>) -> f64 {
    if let Given::Value(meters) = options.bvh_unit {
        return meters;
    }
    let chain = longest_chain(hierarchy);
    if options.space == SpaceMode::Keep || chain <= 0.0 || !chain.is_finite() {
        return 1.0;
    }
    let (mut best, mut name, mut least) = (1.0, "", f64::INFINITY);
    for (meters, text) in UNITS {
        let off = libm::log(chain * meters / LONGEST_CHAIN).abs();
        if off < least {
            (best, name, least) = (meters, text, off);
        }
    }
    let message = format!(
        "a unit is taken for {name}, with which the longest chain of joints is {:.2} m",
        chain * best
    );
    findings.push(Finding::new(&findings::BVH_UNIT, "the file", message));
    best
}

/// Length of the longest way from a root to an end, in the file's unit: unlike the height, it is the same in every pose.
fn longest_chain(hierarchy: &Hierarchy) -> f64 {
    let mut lengths: Vec<f64> = Vec::with_capacity(hierarchy.nodes.len());
    for node in &hierarchy.nodes {
        let above = node.parent.and_then(|parent| lengths.get(usize::from(parent)));
        // A root's offset says where the figure stands.
        lengths.push(above.map_or(0.0, |above| above + node.offset.length()));
    }
    lengths.into_iter().fold(0.0, f64::max)
}
