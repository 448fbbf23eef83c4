//! Detects surfaces that lie on others, such as eyes on a face or a badge on a coat.
//!
//! Coplanar surfaces would cause z-fighting. They are detected by their geometry in the rest pose, since neither names nor the order in a file are
//! reliable, and are drawn with a depth offset towards the camera.

use sinew::Aabb;
use sinew::glam::Vec3;
use std::collections::HashMap;

/// A surface of one material, in the rest pose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patch {
    /// Its triangles.
    pub(crate) triangles: Vec<[Vec3; 3]>,
    /// Whether it is alpha-tested or blended, as decals often are.
    pub(crate) cut_out: bool,
}

/// Largest distance between a surface and the one it lies on, relative to the diagonal of the model.
const NEAR: f32 = 1.5e-3;
/// Depth offset of each layer, relative to the diagonal of the model. Larger than `NEAR`, since a surface may lie below the other by that much.
pub(crate) const LIFT: f32 = 1.2 * NEAR;
/// Part of a surface that must be near the other.
const MOST: f32 = 0.6;
/// Largest area of a surface relative to the one it lies on.
const SMALLER: f32 = 0.5;
/// The same for a cut-out surface that comes later in the file.
const ALIKE: f32 = 1.5;
/// Highest layer: white of the eye, iris, highlight and one more.
const HIGHEST: u32 = 4;
/// Sample points on a surface.
const POINTS: usize = 96;

/// The layer of each patch: 0 lies on no other, 1 on a patch of layer 0, and so on.
pub(crate) fn layers(patches: &[Patch]) -> Vec<u32> {
    let all = patches.iter().flat_map(|p| p.triangles.iter().flatten());
    let diagonal = all.fold(Aabb::EMPTY, |bounds, &p| bounds.with(p)).diagonal();
    let mut layers = vec![0; patches.len()];
    if patches.len() < 2 || diagonal <= 0.0 {
        return layers;
    }
    let grid = Grid::new(patches, diagonal);
    let areas: Vec<f32> = patches.iter().map(Patch::area).collect();
    let mut below: Vec<Vec<usize>> = Vec::with_capacity(patches.len());
    for (upper, patch) in patches.iter().enumerate() {
        let hits = grid.hits(patch, upper, patches.len());
        let lies_on = |&lower: &usize| {
            let small = areas[upper] <= SMALLER * areas[lower];
            let laid = patch.cut_out && upper > lower && areas[upper] <= ALIKE * areas[lower];
            hits[lower] >= MOST && (small || laid)
        };
        below.push((0..patches.len()).filter(lies_on).collect());
    }
    for _ in 0..HIGHEST {
        for upper in 0..patches.len() {
            let highest = below[upper].iter().map(|&lower| layers[lower] + 1).max().unwrap_or(0);
            layers[upper] = highest.min(HIGHEST);
        }
    }
    layers
}

impl Patch {
    fn area(&self) -> f32 {
        self.triangles.iter().map(|[a, b, c]| (*b - *a).cross(*c - *a).length() * 0.5).sum()
    }

    /// Centroids and edge midpoints of some of its triangles.
    fn points(&self) -> impl Iterator<Item = Vec3> + '_ {
        let step = (self.triangles.len() * 2 / POINTS).max(1);
        let of = |t: &[Vec3; 3]| [(t[0] + t[1] + t[2]) / 3.0, (t[0] + t[1]) * 0.5];
        self.triangles.iter().step_by(step).flat_map(of)
    }
}

/// Triangles by the grid cells that they overlap.
struct Grid {
    cell: f32,
    near: f32,
    cells: HashMap<[i32; 3], Vec<(usize, [Vec3; 3])>>,
    /// Triangles that overlap too many cells, such as long ribbons or degenerate ones across the whole model.
    long: Vec<(usize, [Vec3; 3])>,
}

/// Largest number of cells of a triangle.
const MOST_CELLS: i64 = 512;

impl Grid {
    fn new(patches: &[Patch], diagonal: f32) -> Self {
        let (cell, near) = (diagonal / 48.0, diagonal * NEAR);
        let mut grid = Self { cell, near, cells: HashMap::new(), long: Vec::new() };
        for (number, patch) in patches.iter().enumerate() {
            for triangle in &patch.triangles {
                let bounds = Aabb::of(triangle).grown(grid.near);
                let (low, high) = (grid.cell_of(bounds.min), grid.cell_of(bounds.max));
                let side = |axis: usize| i64::from(high[axis]) - i64::from(low[axis]) + 1;
                if side(0).saturating_mul(side(1)).saturating_mul(side(2)) > MOST_CELLS {
                    grid.long.push((number, *triangle));
                    continue;
                }
                for x in low[0]..=high[0] {
                    for y in low[1]..=high[1] {
                        for z in low[2]..=high[2] {
                            grid.cells.entry([x, y, z]).or_default().push((number, *triangle));
                        }
                    }
                }
            }
        }
        grid
    }

    fn cell_of(&self, point: Vec3) -> [i32; 3] {
        (point / self.cell).floor().to_array().map(|x| x as i32)
    }

    /// For each patch, the part of `patch`'s points that are near it.
    fn hits(&self, patch: &Patch, itself: usize, count: usize) -> Vec<f32> {
        let mut hits = vec![0u32; count];
        let mut points = 0u32;
        for point in patch.points() {
            points += 1;
            let mut seen = vec![false; count];
            let near_by = self.cells.get(&self.cell_of(point)).into_iter().flatten();
            for (number, triangle) in near_by.chain(&self.long) {
                let other = *number != itself && !seen[*number];
                if other && nearest(point, triangle).distance(point) <= self.near {
                    seen[*number] = true;
                    hits[*number] += 1;
                }
            }
        }
        hits.iter().map(|&n| n as f32 / points.max(1) as f32).collect()
    }
}

/// The point of a triangle nearest to `p`.
fn nearest(p: Vec3, [a, b, c]: &[Vec3; 3]) -> Vec3 {
    let (ab, ac) = (*b - *a, *c - *a);
    let normal = ab.cross(ac);
    let square = normal.length_squared();
    if square > 0.0 {
        // Barycentric coordinates of the projection onto the plane.
        let ap = p - *a;
        let v = ap.cross(ac).dot(normal) / square;
        let w = ab.cross(ap).dot(normal) / square;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return *a + ab * v + ac * w;
        }
    }
    let on_edge = |from: Vec3, to: Vec3| {
        let way = to - from;
        let t = (p - from).dot(way) / way.length_squared().max(f32::MIN_POSITIVE);
        from + way * t.clamp(0.0, 1.0)
    };
    let edges = [on_edge(*a, *b), on_edge(*b, *c), on_edge(*c, *a)];
    edges.into_iter().fold(
        edges[0],
        |best, q| {
            if q.distance_squared(p) < best.distance_squared(p) { q } else { best }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quad(center: Vec3, half: f32) -> Vec<[Vec3; 3]> {
        let at = |x: f32, y: f32| center + Vec3::new(x, y, 0.0) * half;
        let (a, b, c, d) = (at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0));
        vec![[a, b, c], [a, c, d]]
    }

    fn patch(center: Vec3, half: f32, cut_out: bool) -> Patch {
        Patch { triangles: quad(center, half), cut_out }
    }

    #[test]
    fn a_face_has_eyes_on_it_and_an_iris_on_them() {
        let face = patch(Vec3::ZERO, 1.0, false);
        let eye = patch(Vec3::new(0.3, 0.3, 0.001), 0.2, false);
        let iris = patch(Vec3::new(0.3, 0.3, 0.001), 0.1, true);
        let hat = patch(Vec3::new(0.0, 0.9, 0.3), 0.2, false);
        assert_eq!(layers(&[face.clone(), eye.clone(), iris.clone(), hat.clone()]), [0, 1, 2, 0]);
        assert_eq!(layers(&[iris, hat, eye, face]), [2, 0, 1, 0], "in any order");
    }

    #[test]
    fn what_is_of_one_size_lies_on_another_only_if_cut_out_and_later() {
        let (white, iris) = (patch(Vec3::ZERO, 0.2, false), patch(Vec3::new(0.0, 0.0, 0.0005), 0.2, true));
        let body = patch(Vec3::new(0.0, 0.0, -1.0), 2.0, false);
        assert_eq!(layers(&[body.clone(), white.clone(), iris.clone()]), [0, 0, 1]);
        assert_eq!(layers(&[body.clone(), iris, white.clone()]), [0, 0, 0]);
        let lining = patch(Vec3::new(0.0, 0.0, 0.0005), 0.2, false);
        assert_eq!(layers(&[body, white, lining]), [0, 0, 0], "two sides of one cloth");
    }

    #[test]
    fn what_only_touches_does_not_lie_on_it() {
        let wall = patch(Vec3::ZERO, 1.0, false);
        let turned = |v: Vec3| Vec3::new(v.z, v.y, v.x);
        let shelf = patch(Vec3::new(0.2, 0.0, 0.0), 0.2, false).triangles;
        let shelf = Patch { triangles: shelf.iter().map(|t| t.map(turned)).collect(), cut_out: false };
        assert_eq!(layers(&[wall, shelf]), [0, 0]);
        assert_eq!(layers(&[]), [0; 0]);
        assert_eq!(layers(&[Patch::default(), Patch::default()]), [0, 0]);
    }

    #[test]
    fn long_triangles_are_few_cells_and_still_found() {
        let shaft =
            |i: usize| [Vec3::ZERO, Vec3::new(1.0, 1.0, 1.0 + i as f32 * 1e-4), Vec3::new(1.0, 0.9, 0.8)];
        let shafts = Patch { triangles: (0..500).map(shaft).collect(), cut_out: false };
        let grid = Grid::new(std::slice::from_ref(&shafts), 2.0);
        assert_eq!((grid.long.len(), grid.cells.len()), (500, 0));
        let [a, b, c] = shaft(0);
        let middle = (a + b + c) / 3.0;
        let badge =
            Patch { triangles: vec![[middle, middle.lerp(b, 0.1), middle.lerp(c, 0.1)]], cut_out: false };
        assert_eq!(layers(&[shafts, badge]), [0, 1]);
    }

    #[test]
    fn nearest_points() {
        let t = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(nearest(Vec3::new(0.25, 0.25, 3.0), &t), Vec3::new(0.25, 0.25, 0.0));
        assert_eq!(nearest(Vec3::new(-1.0, -1.0, 0.0), &t), Vec3::ZERO);
        assert_eq!(nearest(Vec3::new(2.0, 2.0, 1.0), &t), Vec3::new(0.5, 0.5, 0.0));
        assert_eq!(
            nearest(Vec3::new(0.5, 1.0, 0.0), &[Vec3::ZERO, Vec3::ZERO, Vec3::X]),
            Vec3::new(0.5, 0.0, 0.0)
        );
    }
}
