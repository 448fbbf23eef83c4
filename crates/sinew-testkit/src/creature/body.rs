//! The body: one smooth skin with the jaw and the eyelids, and its painted picture.

use super::atlas::{Atlas, SIZE, View};
use super::parts::{self, Region};
use super::skeleton::{EYE, Skeleton};
use super::{face, paint};
use crate::humanoid::Side;
use crate::png;
use crate::scene::Mesh;
use crate::shape::Surface;
use crate::shape::field::{Field, Grid, Paint, polygonise};
use glam::{DVec2, DVec3};

/// Edge of a cell of the skin's net.
const CELL: f64 = 1.35;

/// Rows of pixels at the bottom of the picture, kept for the eyelids.
const RESERVED: f64 = 16.0;

/// Radius of the eyelids: a little more than the eyeball's.
pub(super) const LID: f64 = face::EYEBALL + 0.32;

/// The mesh `Body` and its picture.
pub(super) fn make(skeleton: &Skeleton) -> (Mesh, Vec<u8>) {
    let mut skin = Surface::default();
    for (field, jaw) in [(&parts::body as &Field, false), (&parts::jaw, true)] {
        let paint = |p: DVec3| Paint { weights: parts::weights(skeleton, p, jaw), uv: DVec2::ZERO };
        let region = |p: DVec3| if jaw { Region::Jaw } else { parts::region_at(p) };
        polygonise(&mut skin, field, grid(jaw), paint, |p| {
            // What lies deep inside the other is never seen, however wide the mouth opens.
            let hidden = jaw && parts::body(p) < -2.6 && p.z < 3.0;
            (!hidden).then(|| region(p) as usize)
        });
    }
    let (mut surface, atlas) = unfold(&skin);
    lids(&mut surface, skeleton);
    let picture = bake(&skin, &atlas);
    (surface.into_mesh("Body", vec![0]), picture)
}

/// The middle plane runs through the middle of cells, so that no face crosses it.
fn grid(jaw: bool) -> Grid {
    let half = |cells: f64| (cells + 0.5) * CELL;
    if jaw {
        return Grid {
            from: DVec3::new(-half(7.0), 43.0, -2.0),
            to: DVec3::new(half(7.0), 55.0, 19.0),
            cell: CELL,
        };
    }
    Grid { from: DVec3::new(-half(18.0), -1.0, -46.0), to: DVec3::new(half(18.0), 83.0, 21.0), cell: CELL }
}

/// Gives every face its place in the picture; where neighbours lie in different places, their vertices part.
fn unfold(skin: &Surface) -> (Surface, Atlas) {
    let views: Vec<View> = (0..skin.faces.len()).map(|f| view(skin, f)).collect();
    let corners = || {
        let faces = skin.faces.iter().zip(&views);
        faces.flat_map(|(face, view)| face.iter().map(move |c| (*view, *c)))
    };
    let left = |vertex: u32| {
        let p = skin.vertices[vertex as usize];
        DVec3::new(p.x.abs(), p.y, p.z)
    };
    let points: Vec<(View, DVec3)> = corners().map(|(v, c)| (v, left(c))).collect();
    let atlas = Atlas::pack(&points, RESERVED);
    let mut keys: Vec<(u32, View)> = corners().map(|(v, c)| (c, v)).collect();
    keys.sort();
    keys.dedup();
    let mut surface = Surface::default();
    for &(vertex, view) in &keys {
        let place = skin.vertices[vertex as usize];
        let uv = atlas.uv(view, left(vertex));
        surface.vertex(place, uv, skin.weights[vertex as usize].clone());
    }
    for (face, view) in skin.faces.iter().zip(&views) {
        let corner = |c: &u32| keys.partition_point(|k| *k < (*c, *view)) as u32;
        let corners: Vec<u32> = face.iter().map(corner).collect();
        surface.face(&corners, 0);
    }
    (surface, atlas)
}

/// From where a face is seen best, as if it were on the left half.
fn view(skin: &Surface, face: usize) -> View {
    let corners = &skin.faces[face];
    let place = |i: usize| skin.vertices[corners[i % corners.len()] as usize];
    let mut normal: DVec3 = (0..corners.len()).map(|i| place(i).cross(place(i + 1))).sum();
    let middle: DVec3 = (0..corners.len()).map(place).sum();
    if middle.x < 0.0 {
        normal.x = -normal.x;
    }
    View::of(Region::ALL[skin.face_materials[face]], normal)
}

/// Half shells over the eyeballs, open at rest.
fn lids(surface: &mut Surface, skeleton: &Skeleton) {
    let reserved = RESERVED / f64::from(SIZE);
    for side in Side::BOTH {
        let weights = vec![(skeleton.sided(side, "Lid"), 1.0)];
        // From the rim, which is painted dark, to the pole.
        let uv = |turn: f64, down: f64| DVec2::new(0.1 + 0.3 * turn, reserved * (0.9 - 0.75 * down));
        let pole = face::gaze(side) * DVec3::new(0.0, 0.55, -0.835);
        face::cap(surface, side.mirror(EYE), LID, pole, 90.0, (24, 7), &weights, uv);
    }
}

/// Paints every face of the left half where it lies in the picture.
fn bake(skin: &Surface, atlas: &Atlas) -> Vec<u8> {
    let mut triangles: Vec<(View, [DVec3; 3])> = Vec::new();
    for (index, face) in skin.faces.iter().enumerate() {
        let corners: Vec<DVec3> = face.iter().map(|c| skin.vertices[*c as usize]).collect();
        if corners.iter().any(|c| c.x < -1e-6) {
            continue;
        }
        let view = view(skin, index);
        let fan = (1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]);
        triangles.extend(fan.map(|t| (view, t)));
    }
    let seen = atlas.seen(&triangles);
    png::encode(SIZE, SIZE, |x, y| {
        let row = SIZE - 1 - y;
        if f64::from(row) < RESERVED {
            return paint::lid((f64::from(row) + 0.5) / RESERVED);
        }
        match seen[(row * SIZE + x) as usize] {
            Some((view, place)) => paint::skin(view.region, place),
            None => paint::skin(Region::Torso, DVec3::new(0.0, 30.0, -9.0)),
        }
    })
}
