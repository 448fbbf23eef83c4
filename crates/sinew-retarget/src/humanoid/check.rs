//! Whether what was found stands like a humanoid at rest.

use super::{Humanoid, NotHumanoid};
use crate::body::Body;
use crate::tree::Tree;

/// A trunk further from the line of the legs than this lies across them, in degrees.
const MOST_BENT: f32 = 60.0;

pub(super) fn check(tree: &Tree<'_>, found: &Humanoid) -> Result<(), NotHumanoid> {
    let Some(body) = Body::of(tree, found) else { return Ok(()) };
    let degrees = libm::acosf(body.trunk.dot(body.legs).clamp(-1.0, 1.0)).to_degrees();
    if degrees > MOST_BENT {
        return Err(NotHumanoid::FourLegs { degrees });
    }
    let arms = body.arms_left.dot(body.legs_left) > 0.0;
    let feet = body.forward.is_none_or(|forward| body.trunk.cross(forward).dot(body.legs_left) > 0.0);
    if arms && feet { Ok(()) } else { Err(NotHumanoid::Sides) }
}
