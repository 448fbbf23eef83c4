//! Hips that are lowered where a leg would not reach.

use super::places::{Leg, Places};
use sinew::glam::Vec3;

/// How much of its length a leg may use.
const REACH: f32 = 0.995;
/// Hips are lowered by this part of a leg at the most.
const MOST: f32 = 0.2;
/// Samples over which the hips go down and up.
const WINDOW: usize = 20;

/// What the hips are moved by at each sample.
pub(super) fn hips(places: &Places, feet: &[Vec<Vec3>; 2], floor: f32, looping: bool) -> Vec<Vec3> {
    let samples = feet[0].len();
    let missing = |at: usize| {
        let legs = places.legs.iter().zip(feet);
        legs.map(|(leg, shifts)| lack(leg, at, shifts[at], floor, places.up)).fold(0.0, f32::max)
    };
    let missing: Vec<f32> = (0..samples).map(missing).collect();
    let round = |at: i64| -> usize {
        let last = samples as i64 - 1;
        (if looping && last > 0 { at.rem_euclid(last) } else { at.clamp(0, last) }) as usize
    };
    let around = |at: usize| (-(WINDOW as i64)..=WINDOW as i64).map(move |by| round(at as i64 + by));
    let most: Vec<f32> =
        (0..samples).map(|at| around(at).map(|near| missing[near]).fold(0.0, f32::max)).collect();
    // The mean of values that are each at least what is missing here is so too..
    let mean = |values: &[f32]| -> Vec<f32> {
        let part = 1.0 / (2 * WINDOW + 1) as f32;
        (0..samples).map(|at| around(at).map(|near| values[near]).sum::<f32>() * part).collect()
    };
    mean(&most).into_iter().map(|down| places.up * (floor - down)).collect()
}

/// How much lower the hips must be for a leg to reach.
fn lack(leg: &Leg, at: usize, shift: Vec3, floor: f32, up: Vec3) -> f32 {
    let (hip, ankle) = (leg.upper[at], leg.ankle(at));
    let reach = REACH * leg.length;
    let way = ankle + shift - (hip + up * floor);
    if way.length() <= reach {
        return 0.0;
    }
    let along = up.dot(way);
    let across = way.length_squared() - along * along;
    let down = (reach * reach - across).max(0.0).sqrt();
    (-along - down).clamp(0.0, MOST * leg.length)
}
