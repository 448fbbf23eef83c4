//! Skeleton, bounds, normals and trails as lines and dots.

use super::{Depth, Overlay};
use crate::Color;
use sinew::glam::{Affine3, Vec3};
use sinew::names::bare;
use sinew::skinning::SkinnedVertices;
use sinew::{Aabb, Mat3x4, Skeleton, Socket};

/// Colours that are visible on light and dark backgrounds.
mod colors {
    use crate::Color;
    pub(super) const BONE: Color = Color([255, 178, 44, 235]);
    pub(super) const BONE_EDGE: Color = Color([40, 28, 8, 200]);
    pub(super) const JOINT: Color = Color([255, 244, 214, 255]);
    pub(super) const CHOSEN: Color = Color([255, 64, 88, 255]);
    pub(super) const NAME: Color = Color([255, 250, 235, 255]);
    pub(super) const NORMAL: Color = Color([40, 120, 255, 220]);
    pub(super) const BOX: Color = Color([24, 150, 110, 230]);
    pub(super) const TRAIL: Color = Color([226, 62, 87, 255]);
    pub(super) const PROP: Color = Color([196, 206, 224, 255]);
    pub(super) const PROP_EDGE: Color = Color([30, 36, 48, 220]);
    pub(super) const AXES: [Color; 3] =
        [Color([236, 72, 72, 255]), Color([88, 196, 92, 255]), Color([74, 134, 255, 255])];
}

/// Which joints of a skeleton are labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Names {
    /// None.
    #[default]
    None,
    /// All whose labels do not overlap.
    All,
    /// One.
    Only(u16),
}

impl Overlay {
    /// A skeleton in a pose: bones from parents to children, joints as dots. `place` is the world transform of the instance, including
    /// [`crate::Model::upright`].
    pub fn skeleton(
        &mut self,
        skeleton: &Skeleton,
        model: &[Mat3x4],
        place: &Affine3,
        chosen: Option<u16>,
        names: Names,
    ) {
        let at = |joint: u16| model.get(usize::from(joint)).map(|m| place.transform_point3(m.translation()));
        // A root without children is the node of a mesh, not a bone.
        let is_lone = |joint: u16| {
            skeleton.len() > 1 && skeleton.parent(joint).is_none() && !skeleton.parents().contains(&joint)
        };
        let is_shown = |joint: u16| !is_helper(skeleton, joint) && (chosen == Some(joint) || !is_lone(joint));
        let joints = || (0u16..).take(skeleton.len()).filter(|&joint| is_shown(joint));
        for pass in 0..2 {
            for joint in joints() {
                let Some((from, to)) = skeleton.parent(joint).and_then(|p| Some((at(p)?, at(joint)?))) else {
                    continue;
                };
                // The dark outline of all bones first, so that it does not cut through bones that cross.
                let (color, radii) =
                    if pass == 0 { (colors::BONE_EDGE, (3.4, 1.9)) } else { (colors::BONE, (2.4, 0.9)) };
                self.line(from, to, radii, color, Depth::OnTop);
            }
        }
        for joint in joints() {
            let Some(point) = at(joint) else { continue };
            let is_chosen = chosen == Some(joint);
            let (radius, color) = if is_chosen { (4.5, colors::CHOSEN) } else { (1.9, colors::JOINT) };
            self.dot(point, radius + 1.0, colors::BONE_EDGE, Depth::OnTop);
            self.dot(point, radius, color, Depth::OnTop);
        }
        // The chosen joint first: of overlapping labels the first is drawn.
        let named = chosen.into_iter().chain(joints().filter(|joint| Some(*joint) != chosen));
        for joint in named {
            let wanted = match names {
                Names::None => false,
                Names::All => true,
                Names::Only(only) => only == joint,
            };
            if let Some(point) = at(joint).filter(|_| wanted) {
                self.label(point, short_name(skeleton.name(joint)), 1, colors::NAME);
            }
        }
    }

    /// A box.
    pub fn bounds(&mut self, bounds: &Aabb) {
        if bounds.is_empty() {
            return;
        }
        let corner = |i: usize| {
            let pick = |bit: usize, low: f32, high: f32| if i >> bit & 1 == 0 { low } else { high };
            let (a, b) = (bounds.min, bounds.max);
            Vec3::new(pick(0, a.x, b.x), pick(1, a.y, b.y), pick(2, a.z, b.z))
        };
        for from in 0..8 {
            for to in [1, 2, 4].map(|bit| from | bit).into_iter().filter(|&to| to != from) {
                self.line(corner(from), corner(to), (0.8, 0.8), colors::BOX, Depth::Hidden);
            }
        }
    }

    /// Normals of skinned vertices, as lines of the given length. Of very dense meshes only some vertices are drawn.
    pub fn normals(&mut self, vertices: &SkinnedVertices, place: &Affine3, length: f32) {
        // With more lines none could be told from the others.
        let step = (vertices.positions.len() / 20_000).max(1);
        for (position, normal) in vertices.positions.iter().zip(&vertices.normals).step_by(step) {
            let from = place.transform_point3(*position);
            let way = place.transform_vector3(*normal).normalize_or_zero() * length;
            self.line(from, from + way, (0.6, 0.4), colors::NORMAL, Depth::Hidden);
        }
    }

    /// A placeholder prop of a length at each socket: a blade along the socket's Y, a guard along its X, and its three axes.
    ///
    /// `place` is the world transform of the instance, as for [`Overlay::skeleton`].
    pub fn sockets(&mut self, sockets: &[Socket], model: &[Mat3x4], place: &Affine3, length: f32) {
        for socket in sockets {
            let Some(joint) = model.get(usize::from(socket.joint)) else { continue };
            let at = *place * joint.to_affine() * socket.offset.to_affine();
            let origin = at.translation;
            let axis = |way: Vec3| at.transform_vector3(way).normalize_or_zero() * length;
            let (side, along, ahead) = (axis(Vec3::X), axis(Vec3::Y), axis(Vec3::Z));
            let guard = origin + along * 0.2;
            let parts = [
                (origin - along * 0.1, guard, (2.6, 2.6)),
                (guard - side * 0.16, guard + side * 0.16, (2.2, 2.2)),
                (guard, origin + along, (3.4, 0.8)),
            ];
            for (from, to, (wide, narrow)) in parts {
                self.line(from, to, (wide + 1.2, narrow + 1.2), colors::PROP_EDGE, Depth::Hidden);
                self.line(from, to, (wide, narrow), colors::PROP, Depth::Hidden);
            }
            for (way, color) in [side, along, ahead].into_iter().zip(colors::AXES) {
                self.line(origin, origin + way * 0.25, (1.4, 1.4), color, Depth::OnTop);
            }
            self.label(origin, &socket.name, 1, colors::NAME);
        }
    }

    /// The path of a root: a line through points at equal time steps. Dots are close together where it is slow.
    pub fn trail(&mut self, points: &[Vec3], now: Option<Vec3>) {
        for (i, pair) in points.windows(2).enumerate() {
            self.line(pair[0], pair[1], (1.4, 1.4), colors::TRAIL, Depth::Hidden);
            if i % 5 == 0 {
                self.dot(pair[0], 2.6, colors::TRAIL, Depth::Hidden);
            }
        }
        if let Some(&end) = points.last() {
            self.dot(end, 2.6, colors::TRAIL, Depth::Hidden);
        }
        if let Some(now) = now {
            self.dot(now, 5.0, Color([255; 4]), Depth::OnTop);
            self.dot(now, 3.6, colors::TRAIL, Depth::OnTop);
        }
    }
}

/// Whether a joint only holds the scale of the joint above it: importers call it `NAME$scale` below `NAME`. It is neither shown nor picked.
pub fn is_helper(skeleton: &Skeleton, joint: u16) -> bool {
    let parent = skeleton.parent(joint).map(|parent| skeleton.name(parent));
    parent.is_some() && skeleton.name(joint).strip_suffix("$scale") == parent
}

/// A joint's name without namespace and prefix (`mixamorig:`).
pub fn short_name(name: &str) -> &str {
    Some(bare(name)).filter(|bare| !bare.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Transform};

    #[test]
    fn a_box_has_twelve_edges_and_none_is_empty() {
        let mut overlay = Overlay::new();
        overlay.bounds(&Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, 2.0, 3.0) });
        let lines = overlay.lines()[0];
        assert_eq!(lines.len(), 12);
        overlay.clear();
        overlay.bounds(&Aabb::EMPTY);
        assert!(overlay.lines()[0].is_empty());
    }

    #[test]
    fn helpers_are_not_shown_and_every_bone_is() {
        let rest = Transform::from_translation(Vec3::Y);
        let mut joints: Vec<_> =
            (0..4u16).map(|i| Joint::new(format!("j{i}"), i.checked_sub(1), rest)).collect();
        joints[3].name = "j2$scale".into();
        let skeleton = Skeleton::new(joints, vec![]).unwrap();
        let model: Vec<_> = (0..4).map(|i| Mat3x4::from_translation(Vec3::Y * i as f32)).collect();
        let mut overlay = Overlay::new();
        overlay.skeleton(&skeleton, &model, &Affine3::IDENTITY, Some(1), Names::All);
        // Two bones and three joints, each with its outline.
        assert_eq!(overlay.lines()[1].len(), 2 * 2 + 3 * 2);
        overlay.clear();
        overlay.skeleton(&skeleton, &model[..1], &Affine3::IDENTITY, None, Names::None);
        assert_eq!(overlay.lines()[1].len(), 2, "joints without a matrix are left out");
    }

    #[test]
    fn a_prop_stands_where_its_socket_is() {
        let socket =
            |joint| Socket { name: "hand".into(), joint, offset: Transform::from_translation(Vec3::X) };
        let mut overlay = Overlay::new();
        let model = [Mat3x4::from_translation(Vec3::Y)];
        let place = Affine3::from_translation(Vec3::Z);
        overlay.sockets(&[socket(0), socket(7)], &model, &place, 2.0);
        assert_eq!(
            overlay.labels[..overlay.used_labels].iter().map(|l| l.at).collect::<Vec<_>>(),
            [Vec3::ONE]
        );
        let tip = overlay.lines()[0].iter().map(|mark| mark.to[1]).fold(f32::MIN, f32::max);
        assert_eq!(tip, 3.0, "the blade goes along Y, whatever the scale of the joint");
    }

    #[test]
    fn names_lose_their_common_beginning() {
        assert_eq!(short_name("mixamorig:Hips"), "Hips");
        assert_eq!(short_name("Armature|Bone"), "Bone");
        assert_eq!(short_name("odd:"), "odd:");
    }
}
