//! Smooth bodies from distance fields.
//!
//! A [`Field`] says how far a point is from a surface, negative inside. Balls and cones are joined with soft seams,
//! as clay would be, and [`polygonise`] turns the result into quads.

use super::{Surface, Weights};
use glam::{DVec2, DVec3};

/// How far a point is outside of a surface; negative inside.
pub type Field<'a> = dyn Fn(DVec3) -> f64 + 'a;

/// Distance to a ball stretched along the axes, to first order: near enough for one that is not very flat.
pub fn ball(p: DVec3, centre: [f64; 3], radius: [f64; 3]) -> f64 {
    let (q, radius) = (p - DVec3::from(centre), DVec3::from(radius));
    let k = (q / radius).length();
    let gradient = (q / (radius * radius)).length();
    if gradient < 1e-9 {
        return -radius.min_element();
    }
    k * (k - 1.0) / gradient
}

/// Distance to a limb: round, with a radius at each end.
pub fn cone(p: DVec3, from: [f64; 3], r0: f64, to: [f64; 3], r1: f64) -> f64 {
    let from = DVec3::from(from);
    let along = DVec3::from(to) - from;
    let t = ((p - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(from + along * t) - (r0 + (r1 - r0) * t)
}

/// Union of two distances with a soft seam of width `k`.
pub fn join(a: f64, b: f64, k: f64) -> f64 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k * 0.25
}

/// `a` with `b` taken away, with a soft edge of width `k`.
pub fn carve(a: f64, b: f64, k: f64) -> f64 {
    -join(-a, b, k)
}

/// Direction in which the field grows, of length one.
pub fn gradient(field: &Field, p: DVec3) -> DVec3 {
    const STEP: f64 = 0.05;
    let along = |axis: DVec3| field(p + axis * STEP) - field(p - axis * STEP);
    DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)).normalize_or(DVec3::Y)
}

/// What a point of a polygonised surface gets.
pub struct Paint {
    /// Weights.
    pub weights: Weights,
    /// Texture coordinates.
    pub uv: DVec2,
}

/// A box with a grid in it.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Least corner.
    pub from: DVec3,
    /// Largest corner; the last cell may reach beyond it.
    pub to: DVec3,
    /// Edge of a cell.
    pub cell: f64,
}

impl Grid {
    fn counts(&self) -> [usize; 3] {
        let n = ((self.to - self.from) / self.cell).ceil();
        [n.x as usize + 1, n.y as usize + 1, n.z as usize + 1]
    }

    fn point(&self, i: [usize; 3]) -> DVec3 {
        self.from + DVec3::new(i[0] as f64, i[1] as f64, i[2] as f64) * self.cell
    }
}

/// Adds the zero surface of a field to `surface`: one vertex per cell that it passes through, one quad per grid edge.
/// `material` chooses a material by the middle of that edge, or leaves the quad out.
pub fn polygonise(
    surface: &mut Surface,
    field: &Field,
    grid: Grid,
    paint: impl Fn(DVec3) -> Paint,
    material: impl Fn(DVec3) -> Option<usize>,
) {
    let counts = grid.counts();
    let index = |i: [usize; 3]| (i[2] * counts[1] + i[1]) * counts[0] + i[0];
    let mut values = vec![0.0; counts[0] * counts[1] * counts[2]];
    for_each(counts, |i| values[index(i)] = field(grid.point(i)));
    let value = |i: [usize; 3]| values[index(i)];

    // Places first, faces next, and vertices only for the places that a kept face uses.
    let mut places: Vec<Option<DVec3>> = vec![None; values.len()];
    for_each(counts.map(|c| c - 1), |i| {
        places[index(i)] = cell_place(field, grid, i, &value);
    });
    let mut vertices: Vec<Option<u32>> = vec![None; values.len()];
    for_each(counts.map(|c| c - 1), |i| {
        for axis in 0..3 {
            let Some(cells) = quad_around(i, axis, &value) else {
                continue;
            };
            if cells.iter().any(|&c| places[index(c)].is_none()) {
                continue;
            }
            // Grid lines are straight, so borders between materials are too.
            let mut middle = grid.point(i);
            middle[axis] += grid.cell / 2.0;
            let Some(slot) = material(middle) else {
                continue;
            };
            let face = cells.map(|c| {
                let place = places[index(c)].unwrap_or_default();
                *vertices[index(c)].get_or_insert_with(|| {
                    let paint = paint(place);
                    surface.vertex(place, paint.uv, paint.weights)
                })
            });
            surface.face(&face, slot);
        }
    });
}

fn for_each(counts: [usize; 3], mut f: impl FnMut([usize; 3])) {
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                f([x, y, z]);
            }
        }
    }
}

/// The mean of where the surface crosses a cell's edges, drawn onto the surface.
fn cell_place(
    field: &Field,
    grid: Grid,
    cell: [usize; 3],
    value: &impl Fn([usize; 3]) -> f64,
) -> Option<DVec3> {
    let corner = |c: usize| [cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2)];
    let mut sum = DVec3::ZERO;
    let mut crossings = 0;
    for a in 0..8usize {
        for axis in 0..3 {
            let b = a | 1 << axis;
            if b == a {
                continue;
            }
            let (va, vb) = (value(corner(a)), value(corner(b)));
            if (va < 0.0) != (vb < 0.0) {
                let (pa, pb) = (grid.point(corner(a)), grid.point(corner(b)));
                sum += pa.lerp(pb, va / (va - vb));
                crossings += 1;
            }
        }
    }
    if crossings == 0 {
        return None;
    }
    let mut place = sum / f64::from(crossings);
    for _ in 0..2 {
        let step = field(place).clamp(-grid.cell, grid.cell) * 0.8;
        place -= gradient(field, place) * step;
    }
    Some(place)
}

/// The four cells around the grid edge from `i` along `axis`, counter-clockwise from outside, where the surface
/// crosses that edge.
fn quad_around(i: [usize; 3], axis: usize, value: &impl Fn([usize; 3]) -> f64) -> Option<[[usize; 3]; 4]> {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    if i[u] == 0 || i[v] == 0 {
        return None;
    }
    let mut end = i;
    end[axis] += 1;
    let (a, b) = (value(i), value(end));
    if (a < 0.0) == (b < 0.0) {
        return None;
    }
    let cell = |du: usize, dv: usize| {
        let mut c = i;
        c[u] -= du;
        c[v] -= dv;
        c
    };
    let mut cells = [cell(1, 1), cell(0, 1), cell(0, 0), cell(1, 0)];
    if b < 0.0 {
        cells.reverse();
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_round_closed_and_faces_outwards() {
        let field = |p: DVec3| ball(p, [0.0; 3], [5.0; 3]);
        let mut surface = Surface::default();
        let grid = Grid { from: DVec3::splat(-6.0), to: DVec3::splat(6.0), cell: 1.0 };
        let paint = |_| Paint { weights: vec![], uv: DVec2::ZERO };
        polygonise(&mut surface, &field, grid, paint, |_| Some(0));
        let mesh = surface.into_mesh("ball", vec![]);
        for (p, n) in mesh.vertices.iter().zip(&mesh.normals) {
            assert!((p.length() - 5.0).abs() < 0.02, "{p}");
            assert!(p.normalize().dot(*n) > 0.95, "{p}");
        }
        // Euler's formula for a closed surface of quads: V − 2F + F = 2.
        assert_eq!(mesh.vertices.len(), mesh.faces.len() + 2);
    }
}
