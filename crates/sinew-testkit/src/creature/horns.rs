//! Horns, the spikes along the back, and claws: the mesh `Horn`.

use super::face::onto;
use super::parts;
use super::skeleton::Skeleton;
use crate::humanoid::Side;
use crate::math::frame;
use crate::scene::Mesh;
use crate::shape::field::gradient;
use crate::shape::{Ring, Surface, Weights};
use glam::{DVec2, DVec3};

/// Spikes on the middle line: a point above the skin, and the size.
const SPIKES: [(DVec3, f64); 12] = [
    (DVec3::new(0.0, 70.0, -7.0), 1.0),
    (DVec3::new(0.0, 63.0, -14.0), 1.15),
    (DVec3::new(0.0, 54.5, -14.0), 1.1),
    (DVec3::new(0.0, 45.5, -9.0), 0.9),
    (DVec3::new(0.0, 39.0, -10.0), 1.0),
    (DVec3::new(0.0, 32.5, -11.0), 1.15),
    (DVec3::new(0.0, 26.5, -12.5), 1.2),
    (DVec3::new(0.0, 22.5, -18.0), 1.1),
    (DVec3::new(0.0, 18.5, -24.5), 0.95),
    (DVec3::new(0.0, 17.0, -30.0), 0.8),
    (DVec3::new(0.0, 17.5, -34.5), 0.65),
    (DVec3::new(0.0, 20.5, -37.0), 0.5),
];

/// Claws of the left side: joint, root, tip, radius.
const CLAWS: [(&str, DVec3, DVec3, f64); 6] = [
    ("Toe", DVec3::new(5.6, 1.9, 9.7), DVec3::new(5.2, 0.5, 12.0), 0.95),
    ("Toe", DVec3::new(8.6, 1.9, 10.7), DVec3::new(8.6, 0.5, 13.2), 1.0),
    ("Toe", DVec3::new(11.6, 1.9, 9.3), DVec3::new(12.2, 0.5, 11.5), 0.95),
    ("Hand", DVec3::new(22.9, 28.3, 10.2), DVec3::new(24.6, 27.4, 11.6), 0.7),
    ("Hand", DVec3::new(20.5, 27.9, 12.3), DVec3::new(21.1, 26.9, 14.4), 0.7),
    ("Hand", DVec3::new(17.3, 30.7, 11.6), DVec3::new(16.8, 30.9, 13.5), 0.65),
];

/// The left horn: places and radii from root to tip.
const HORN: [(DVec3, f64); 7] = [
    (DVec3::new(6.0, 66.6, 5.2), 2.5),
    (DVec3::new(6.5, 69.4, 5.0), 2.35),
    (DVec3::new(7.2, 72.0, 4.1), 2.0),
    (DVec3::new(7.8, 74.3, 2.5), 1.6),
    (DVec3::new(8.1, 76.1, 0.4), 1.15),
    (DVec3::new(8.0, 77.2, -1.9), 0.65),
    (DVec3::new(7.7, 77.6, -3.7), 0.0),
];

pub(super) fn make(skeleton: &Skeleton) -> Mesh {
    let mut surface = Surface::default();
    let head: Weights = vec![(skeleton.index("Head"), 1.0)];
    for side in Side::BOTH {
        let path = HORN.map(|(place, radius)| (side.mirror(place), DVec2::splat(radius)));
        bent(&mut surface, &path, 10, &head);
        for (joint, root, tip, radius) in CLAWS {
            let weights = vec![(skeleton.sided(side, joint), 1.0)];
            let (root, tip) = (side.mirror(root), side.mirror(tip));
            let at = |along: f64, width: f64| (root.lerp(tip, along), DVec2::splat(radius * width));
            let path = [at(-0.25, 0.9), at(0.25, 0.95), at(0.7, 0.55), at(1.0, 0.0)];
            bent(&mut surface, &path, 7, &weights);
        }
    }
    for (above, size) in SPIKES {
        spike(&mut surface, skeleton, above, size);
    }
    surface.into_mesh("Horn", vec![0])
}

/// A fin-like cone, thin from side to side, that leans back.
fn spike(surface: &mut Surface, skeleton: &Skeleton, above: DVec3, size: f64) {
    let root = onto(above);
    let up = gradient(&parts::body, root);
    let weights = parts::weights(skeleton, root, false);
    // Back along the skin is where the tail is.
    let back = DVec3::X.cross(up) * if up.y > 0.0 || up.z < 0.0 { -1.0 } else { 1.0 };
    let at = |rise: f64, lean: f64, width: f64| {
        let place = root + (up * rise + back * lean) * size;
        (place, DVec2::new(1.0, 2.1) * width * size)
    };
    let path =
        [at(-1.0, 0.0, 1.0), at(0.6, 0.1, 0.95), at(1.9, 0.6, 0.66), at(2.9, 1.3, 0.32), at(3.5, 2.0, 0.0)];
    bent(surface, &path, 8, &weights);
}

/// A tube along a path; its Z axis stays as near to the path's own bend as it can.
pub(super) fn bent(surface: &mut Surface, path: &[(DVec3, DVec2)], sides: usize, weights: &Weights) {
    let last = path.len() - 1;
    let rings: Vec<Ring> = (0..=last)
        .map(|i| {
            let along = path[(i + 1).min(last)].0 - path[i.saturating_sub(1)].0;
            Ring {
                centre: path[i].0,
                rotation: frame(along, DVec3::X),
                radius: path[i].1,
                weights: weights.clone(),
            }
        })
        .collect();
    surface.tube(&rings, sides, 0);
}
