//! One picture for a whole body: regions are seen from six sides, and each view has its place in the picture.
//!
//! Left and right share their places, as consoles short of memory do it.

use super::parts::Region;
use glam::{DVec2, DVec3};

/// Edge of the square picture in pixels.
pub(super) const SIZE: u32 = 512;

/// Free pixels around each view, so that smoothing never fetches a neighbour's colour.
const MARGIN: f64 = 2.5;

/// A side from which a region is seen: axis 0…2 and whether it is seen from that axis' positive end. X points outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct View {
    pub(super) region: Region,
    axis: usize,
    positive: bool,
}

impl View {
    /// The side that a face of the left half looks to.
    pub(super) fn of(region: Region, normal: DVec3) -> Self {
        let n = normal.abs();
        let axis = if n.x >= n.y && n.x >= n.z {
            0
        } else if n.y >= n.z {
            1
        } else {
            2
        };
        Self { region, axis, positive: normal[axis] > 0.0 }
    }

    /// The two coordinates that the view shows.
    fn flat(self, p: DVec3) -> DVec2 {
        match self.axis {
            0 => DVec2::new(p.z, p.y),
            1 => DVec2::new(p.x, p.z),
            _ => DVec2::new(p.x, p.y),
        }
    }
}

/// A view and where it is: `corner` in pixels, V up.
struct Place {
    view: View,
    from: DVec2,
    to: DVec2,
    corner: DVec2,
}

/// Where everything is in the picture.
pub(super) struct Atlas {
    places: Vec<Place>,
    /// Pixels per centimetre.
    scale: f64,
}

impl Atlas {
    /// Packs the views of all these points of the left half, as large as they will go. The lowest `reserved` rows of
    /// pixels stay free.
    pub(super) fn pack(points: &[(View, DVec3)], reserved: f64) -> Self {
        let mut places: Vec<Place> = Vec::new();
        for &(view, point) in points {
            let flat = view.flat(point);
            match places.iter_mut().find(|p| p.view == view) {
                Some(place) => {
                    place.from = place.from.min(flat);
                    place.to = place.to.max(flat);
                }
                None => places.push(Place { view, from: flat, to: flat, corner: DVec2::ZERO }),
            }
        }
        let height = |p: &Place| p.to.y - p.from.y;
        places.sort_by(|a, b| height(b).total_cmp(&height(a)).then(a.view.cmp(&b.view)));
        let mut scale = 16.0;
        while !shelve(&mut places, scale, reserved) {
            scale *= 0.98;
        }
        Self { places, scale }
    }

    /// Texture coordinates of a point of the left half.
    pub(super) fn uv(&self, view: View, p: DVec3) -> DVec2 {
        let Some(place) = self.places.iter().find(|p| p.view == view) else {
            panic!("{view:?} was not packed");
        };
        let pixel = place.corner + MARGIN + (view.flat(p) - place.from) * self.scale;
        pixel / f64::from(SIZE)
    }

    /// What each pixel shows, row by row from the bottom: the point of the left half that lies there, or for pixels
    /// just outside of all faces the nearest one.
    pub(super) fn seen(&self, triangles: &[(View, [DVec3; 3])]) -> Vec<Option<(View, DVec3)>> {
        let edge = f64::from(SIZE);
        let mut all: Vec<Option<Seen>> = vec![None; (SIZE * SIZE) as usize];
        for &(view, corners) in triangles {
            let flat = corners.map(|c| self.uv(view, c) * edge);
            let low = flat[0].min(flat[1]).min(flat[2]) - MARGIN;
            let high = flat[0].max(flat[1]).max(flat[2]) + MARGIN;
            let (low, high) = (low.floor().max(DVec2::ZERO), high.ceil().min(DVec2::splat(edge)));
            for y in low.y as u32..high.y as u32 {
                for x in low.x as u32..high.x as u32 {
                    let pixel = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                    let (off, place) = nearest(pixel, &flat, &corners);
                    if off > MARGIN {
                        continue;
                    }
                    let best = &mut all[(y * SIZE + x) as usize];
                    if best.is_none_or(|b| off < b.off) {
                        *best = Some(Seen { view, place, off });
                    }
                }
            }
        }
        all.into_iter().map(|s| s.map(|s| (s.view, s.place))).collect()
    }
}

/// What a pixel shows, and how far from the pixel that is.
#[derive(Clone, Copy)]
struct Seen {
    view: View,
    place: DVec3,
    off: f64,
}

/// How far a pixel is from a triangle, and what of the triangle is nearest to it.
fn nearest(pixel: DVec2, flat: &[DVec2; 3], solid: &[DVec3; 3]) -> (f64, DVec3) {
    let cross = |a: DVec2, b: DVec2| a.perp_dot(b);
    let area = cross(flat[1] - flat[0], flat[2] - flat[0]);
    let share = |i: usize| {
        let (b, c) = (flat[(i + 1) % 3], flat[(i + 2) % 3]);
        cross(b - pixel, c - pixel) / area
    };
    let shares = [share(0), share(1), share(2)];
    if shares.iter().all(|s| *s >= 0.0) {
        let place = (0..3).map(|i| solid[i] * shares[i]).sum();
        return (0.0, place);
    }
    let along = |i: usize| {
        let (a, b) = (flat[i], flat[(i + 1) % 3]);
        let t = ((pixel - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        let place = solid[i].lerp(solid[(i + 1) % 3], t);
        (pixel.distance(a.lerp(b, t)), place)
    };
    let edges = [along(0), along(1), along(2)];
    edges.into_iter().fold(edges[0], |best, e| if e.0 < best.0 { e } else { best })
}

/// Puts views side by side on shelves, the tallest first; false where they do not fit.
fn shelve(places: &mut [Place], scale: f64, reserved: f64) -> bool {
    let edge = f64::from(SIZE);
    let mut cursor = DVec2::new(0.0, reserved);
    let mut shelf = 0.0;
    for place in places {
        let size = ((place.to - place.from) * scale + 2.0 * MARGIN).ceil();
        if cursor.x + size.x > edge {
            cursor = DVec2::new(0.0, cursor.y + shelf);
            shelf = 0.0;
        }
        if size.x > edge || cursor.y + size.y > edge {
            return false;
        }
        place.corner = cursor;
        cursor.x += size.x;
        shelf = f64::max(shelf, size.y);
    }
    true
}
