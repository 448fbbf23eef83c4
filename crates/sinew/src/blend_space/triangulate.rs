//! Delaunay's triangulation of a few points: a sweep from left to right, then edges are flipped until all are good.

use glam::DVec2;

/// Corners turn anticlockwise.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Triangles {
    pub(super) inner: Vec<[u16; 3]>,
    /// Edges with nothing beyond them.
    pub(super) edge: Vec<[u16; 2]>,
}

/// Fails where all points lie on one line, with those at different places in order.
pub(super) fn triangulate(points: &[DVec2]) -> Result<Triangles, Vec<u16>> {
    let at = |point: u16| points[usize::from(point)];
    let mut order: Vec<u16> = (0..points.len() as u16).collect();
    order.sort_by(|&a, &b| at(a).x.total_cmp(&at(b).x).then(at(a).y.total_cmp(&at(b).y)).then(a.cmp(&b)));
    // Of several at one place the first given counts.
    order.dedup_by(|b, a| at(*a) == at(*b));
    let turn = |a: u16, b: u16, c: u16| turn(at(a), at(b), at(c));
    let Some(apex) = (2..order.len()).find(|&i| turn(order[0], order[1], order[i]) != 0.0) else {
        return Err(order);
    };
    let (mut inner, mut hull) = (Vec::new(), Vec::new());
    // A fan from the first point that is off the line of those before it.
    let (line, top) = (&order[..apex], order[apex]);
    let is_left = turn(order[0], order[1], top) > 0.0;
    for pair in line.windows(2) {
        inner.push(if is_left { [pair[0], pair[1], top] } else { [pair[1], pair[0], top] });
    }
    hull.extend(line.iter().copied());
    if !is_left {
        hull.reverse();
    }
    hull.push(top);
    for &point in &order[apex + 1..] {
        add(point, &turn, &mut hull, &mut inner);
    }
    flip(points, &mut inner);
    let edge = (0..hull.len()).map(|i| [hull[i], hull[(i + 1) % hull.len()]]).collect();
    Ok(Triangles { inner, edge })
}

/// Joins a point that lies outside to the edges of the hull that it sees.
fn add(point: u16, turn: &impl Fn(u16, u16, u16) -> f64, hull: &mut Vec<u16>, inner: &mut Vec<[u16; 3]>) {
    let count = hull.len();
    let sees = |i: usize| turn(hull[i % count], hull[(i + 1) % count], point) < 0.0;
    // The edges that it sees follow each other; the first has one before it that it does not see.
    let Some(first) = (0..count).find(|&i| sees(i) && !sees(i + count - 1)) else { return };
    let seen = (0..count).take_while(|&i| sees(first + i)).count();
    for i in first..first + seen {
        inner.push([hull[(i + 1) % count], hull[i % count], point]);
    }
    let from = (first + seen) % count;
    let kept: Vec<u16> = (0..=count - seen).map(|i| hull[(from + i) % count]).collect();
    *hull = kept;
    hull.push(point);
}

/// Flips edges until no triangle has a point of its neighbour within its circle.
fn flip(points: &[DVec2], inner: &mut [[u16; 3]]) {
    // Each flip makes the smallest angle larger; the limit is for rounding alone.
    for _ in 0..points.len() * points.len() + 8 {
        let Some((a, b, quad)) = bad_edge(points, inner) else { return };
        let [left, right, one, other] = quad;
        inner[a] = [left, other, one];
        inner[b] = [other, right, one];
    }
}

/// Two triangles whose common edge should run the other way: their numbers, its ends, and the corners opposite.
fn bad_edge(points: &[DVec2], inner: &[[u16; 3]]) -> Option<(usize, usize, [u16; 4])> {
    let at = |point: u16| points[usize::from(point)];
    for (a, first) in inner.iter().enumerate() {
        for i in 0..3 {
            let (left, right, one) = (first[i], first[(i + 1) % 3], first[(i + 2) % 3]);
            for (b, second) in inner.iter().enumerate().skip(a + 1) {
                let Some(k) = (0..3).find(|&k| second[k] == right && second[(k + 1) % 3] == left) else {
                    continue;
                };
                let other = second[(k + 2) % 3];
                let is_convex =
                    turn(at(left), at(other), at(one)) > 0.0 && turn(at(other), at(right), at(one)) > 0.0;
                if is_convex && in_circle(first.map(at), at(other)) {
                    return Some((a, b, [left, right, one, other]));
                }
            }
        }
    }
    None
}

/// Above zero where the way from `a` over `b` to `c` turns left.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Whether a point lies within the circle through three; four on one circle are not.
fn in_circle(corners: [DVec2; 3], point: DVec2) -> bool {
    let [a, b, c] = corners.map(|corner| corner - point);
    let square = |v: DVec2| v.length_squared();
    let value = square(a) * b.perp_dot(c) - square(b) * a.perp_dot(c) + square(c) * a.perp_dot(b);
    let size = square(a).max(square(b)).max(square(c));
    value > 1e-12 * size * size
}
