//! Polygons into triangles.

#![allow(clippy::indexing_slicing, reason = "indices run over the polygon's own corners, numbered here")]

use glam::{DVec2, DVec3};

/// Beyond this many corners a polygon that is not convex is cut as if it were: looking for ears takes the square of it.
pub(crate) const MOST_CORNERS: usize = 512;

/// Triangles of a polygon, as numbers of its corners. Convex ones become fans; others are cut ear by ear.
pub(crate) fn triangulate(corners: &[DVec3], out: &mut Vec<[usize; 3]>) {
    let count = corners.len();
    if count < 3 {
        return;
    }
    if count == 3 {
        out.push([0, 1, 2]);
        return;
    }
    let Some(flat) = flatten(corners, normal(corners)) else { return fan(count, out) };
    if count > MOST_CORNERS || is_convex(&flat) {
        return fan(count, out);
    }
    cut_ears(&flat, (0..count).collect(), out);
}

/// Triangles of a polygon with holes: each hole is joined to the outline by a bridge, and the whole is cut ear by ear. Corners are
/// numbered through, those of the outline first.
pub(crate) fn triangulate_with_holes(outline: &[DVec3], holes: &[Vec<DVec3>], out: &mut Vec<[usize; 3]>) {
    let corners: Vec<DVec3> = outline.iter().chain(holes.iter().flatten()).copied().collect();
    let flat = flatten(&corners, normal(outline));
    let Some(flat) = flat.filter(|_| corners.len() <= MOST_CORNERS && outline.len() >= 3) else {
        return triangulate(outline, out);
    };
    let mut ring: Vec<usize> = (0..outline.len()).collect();
    let mut first = outline.len();
    let mut rings: Vec<Vec<usize>> = Vec::new();
    for hole in holes {
        let mut corners: Vec<usize> = (first..first + hole.len()).collect();
        first += hole.len();
        // A hole runs against the outline.
        if area(&flat, &corners) > 0.0 {
            corners.reverse();
        }
        if corners.len() >= 3 {
            rings.push(corners);
        }
    }
    // From the right, so that a bridge never crosses a hole that is not joined yet.
    let rightmost = |ring: &[usize]| ring.iter().map(|&i| flat[i].x).fold(f64::MIN, f64::max);
    rings.sort_by(|a, b| rightmost(b).total_cmp(&rightmost(a)));
    for hole in rings {
        bridge(&flat, &mut ring, &hole);
    }
    cut_ears(&flat, ring, out);
}

fn fan(count: usize, out: &mut Vec<[usize; 3]>) {
    out.extend((1..count - 1).map(|i| [0, i, i + 1]));
}

/// Newell's normal: right also for polygons that are bent a little or not convex.
fn normal(corners: &[DVec3]) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for (a, b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        sum += DVec3::new((a.y - b.y) * (a.z + b.z), (a.z - b.z) * (a.x + b.x), (a.x - b.x) * (a.y + b.y));
    }
    sum
}

/// Corners in the plane across a normal, running counter-clockwise; `None` if there is no such plane.
fn flatten(corners: &[DVec3], normal: DVec3) -> Option<Vec<DVec2>> {
    let normal = normal.try_normalize()?;
    let (x, y) = normal.any_orthonormal_pair();
    Some(corners.iter().map(|c| DVec2::new(c.dot(x), c.dot(y))).collect())
}

fn cross(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - b)
}

fn is_convex(flat: &[DVec2]) -> bool {
    let count = flat.len();
    (0..count).all(|i| cross(flat[i], flat[(i + 1) % count], flat[(i + 2) % count]) >= 0.0)
}

fn area(flat: &[DVec2], ring: &[usize]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(&a, &b)| flat[a].perp_dot(flat[b])).sum()
}

/// Joins a hole to a ring: from its rightmost corner to the nearest corner that can be seen from there.
fn bridge(flat: &[DVec2], ring: &mut Vec<usize>, hole: &[usize]) {
    let start = (0..hole.len()).max_by(|&a, &b| flat[hole[a]].x.total_cmp(&flat[hole[b]].x)).unwrap_or(0);
    let from = flat[hole[start]];
    let mut order: Vec<usize> = (0..ring.len()).collect();
    let distance = |&i: &usize| flat[ring[i]].distance_squared(from);
    order.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let seen = |&i: &usize| {
        let to = flat[ring[i]];
        let edges =
            ring.iter().zip(ring.iter().cycle().skip(1)).chain(hole.iter().zip(hole.iter().cycle().skip(1)));
        edges.into_iter().all(|(&a, &b)| !crosses(from, to, flat[a], flat[b]))
    };
    let at = order.iter().copied().find(seen).or(order.first().copied()).unwrap_or(0);
    let around = hole.iter().cycle().skip(start).take(hole.len() + 1).copied();
    let back = ring[at];
    let inserted: Vec<usize> = around.chain(std::iter::once(back)).collect();
    ring.splice(at + 1..at + 1, inserted);
}

/// Whether two segments cross in their interiors.
fn crosses(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// Cuts corner after corner off a ring, as long as nothing of the ring lies in what is cut off.
fn cut_ears(flat: &[DVec2], mut ring: Vec<usize>, out: &mut Vec<[usize; 3]>) {
    let mut at = 0;
    let mut tried = 0;
    while ring.len() > 3 {
        let count = ring.len();
        let [a, b, c] = [ring[at % count], ring[(at + 1) % count], ring[(at + 2) % count]];
        // A ring that crosses itself may have no ear: then any corner is cut.
        if is_ear(flat, &ring, [a, b, c]) || tried >= count {
            out.push([a, b, c]);
            ring.remove((at + 1) % count);
            tried = 0;
        } else {
            tried += 1;
            at += 1;
        }
        at %= ring.len();
    }
    if let [a, b, c] = ring[..] {
        out.push([a, b, c]);
    }
}

fn is_ear(flat: &[DVec2], ring: &[usize], [a, b, c]: [usize; 3]) -> bool {
    let (pa, pb, pc) = (flat[a], flat[b], flat[c]);
    if cross(pa, pb, pc) <= 0.0 {
        return false;
    }
    // Corners that a bridge has doubled lie on corners of the ear and do not block it.
    ring.iter()
        .map(|&i| flat[i])
        .filter(|&p| p != pa && p != pb && p != pc)
        .all(|p| !(cross(pa, pb, p) >= 0.0 && cross(pb, pc, p) >= 0.0 && cross(pc, pa, p) >= 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(corners: &[DVec3], triangles: &[[usize; 3]]) -> (f64, f64) {
        let mut signed = 0.0;
        let mut absolute = 0.0;
        let normal = normal(corners).normalize();
        for [a, b, c] in triangles {
            let area = (corners[*b] - corners[*a]).cross(corners[*c] - corners[*a]).dot(normal) / 2.0;
            signed += area;
            absolute += area.abs();
        }
        (signed, absolute)
    }

    fn flat(points: &[[f64; 2]]) -> Vec<DVec3> {
        // Slanted, so that no axis is special.
        points.iter().map(|p| DVec3::new(p[0], p[1], p[0] * 0.5 - p[1] * 0.25)).collect()
    }

    #[test]
    fn concave_polygons_are_not_covered_twice() {
        let shapes: [&[[f64; 2]]; 3] = [
            &[[0., 0.], [4., 0.], [1., 1.], [0., 4.]],
            &[[0., 0.], [6., 0.], [6., 4.], [4., 4.], [4., 2.], [2., 2.], [2., 4.], [0., 4.]],
            &[[0., 0.], [2., 1.], [4., 0.], [3., 2.], [4., 4.], [2., 3.], [0., 4.], [1., 2.]],
        ];
        for shape in shapes {
            for backwards in [false, true] {
                let mut corners = flat(shape);
                if backwards {
                    corners.reverse();
                }
                let mut triangles = Vec::new();
                triangulate(&corners, &mut triangles);
                assert_eq!(triangles.len(), corners.len() - 2);
                let (signed, absolute) = total(&corners, &triangles);
                assert!((signed - absolute).abs() < 1e-9 && signed > 0.0, "{shape:?}");
                assert!((signed - normal(&corners).length() / 2.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn holes_stay_open() {
        let outline = flat(&[[0., 0.], [10., 0.], [10., 10.], [0., 10.]]);
        let holes = vec![
            flat(&[[1., 1.], [1., 3.], [3., 3.], [3., 1.]]),
            flat(&[[6., 6.], [8., 6.], [8., 8.], [6., 8.]]),
        ];
        let mut triangles = Vec::new();
        triangulate_with_holes(&outline, &holes, &mut triangles);
        let corners: Vec<DVec3> = outline.iter().chain(holes.iter().flatten()).copied().collect();
        let scale = normal(&outline).length() / 2.0 / 100.0;
        let (mut signed, mut absolute) = (0.0, 0.0);
        let up = normal(&outline).normalize();
        for [a, b, c] in &triangles {
            let area = (corners[*b] - corners[*a]).cross(corners[*c] - corners[*a]).dot(up) / 2.0;
            signed += area;
            absolute += area.abs();
        }
        assert!(
            (signed / scale - 92.0).abs() < 1e-6 && (absolute - signed).abs() < 1e-9,
            "{}",
            signed / scale
        );
    }

    proptest! {
        #[test]
        fn any_corners_end(points in proptest::collection::vec([-3i8..3, -3..3, -1..2], 0..24), split in 0usize..24) {
            let corners: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
            let mut triangles = Vec::new();
            triangulate(&corners, &mut triangles);
            prop_assert!(triangles.iter().flatten().all(|&i| i < corners.len()));
            let (outline, hole) = corners.split_at(split.min(corners.len()));
            triangles.clear();
            triangulate_with_holes(outline, &[hole.to_vec()], &mut triangles);
            prop_assert!(triangles.iter().flatten().all(|&i| i < corners.len()));
        }
    }

    #[test]
    fn nonsense_is_cut_somehow() {
        let point = DVec3::ONE;
        let mut triangles = Vec::new();
        triangulate(&[point; 5], &mut triangles);
        assert_eq!(triangles.len(), 3);
        triangles.clear();
        triangulate(&[point; 2], &mut triangles);
        assert!(triangles.is_empty());
    }
}
