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

    fn solid(self, flat: DVec2, depth: f64) -> DVec3 {
        match self.axis {
            0 => DVec3::new(depth, flat.y, flat.x),
            1 => DVec3::new(flat.x, depth, flat.y),
            _ => DVec3::new(flat.x, flat.y, depth),
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

    /// What a pixel shows: the point of the region's surface, found with `distance`, that its view sees there.
    pub(super) fn seen(
        &self,
        pixel: DVec2,
        distance: impl Fn(Region, DVec3) -> f64,
    ) -> Option<(View, DVec3)> {
        let place = self.places.iter().find(|p| {
            let to = p.corner + (p.to - p.from) * self.scale + 2.0 * MARGIN;
            pixel.cmpge(p.corner).all() && pixel.cmplt(to).all()
        })?;
        let view = place.view;
        let flat = place.from + (pixel - place.corner - MARGIN) / self.scale;
        let away = if view.positive { 1.0 } else { -1.0 };
        let mut depth = 100.0 * away;
        let mut nearest = (f64::INFINITY, depth);
        while depth * away > -100.0 {
            let d = distance(view.region, view.solid(flat, depth));
            if d < nearest.0 {
                nearest = (d, depth);
            }
            if d < 0.01 {
                break;
            }
            depth -= away * (0.7 * d).max(0.05);
        }
        Some((view, view.solid(flat, nearest.1)))
    }
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
