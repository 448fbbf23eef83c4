//! Meshes: corners as vertices, faces as triangles.

#![allow(clippy::indexing_slicing, reason = "chunks have the length asked for")]

use super::convert::{affine, vec2, vec3};
use super::morph::{self, Shaping};
use super::rig::Rig;
use super::skin;
use crate::weights::Weights;
use crate::{Budget, Cause, Options, findings};
use glam::{DAffine3, DMat3, DVec3, Vec2, Vec3, Vec4};
use sinew::{Finding, Mesh, MorphDelta, NO_JOINT, Part};
use sinew_findings::plural;
use std::collections::HashMap;
use ufbx::Node;

/// A mesh on a node.
pub(super) struct Instance {
    node: usize,
}

impl Instance {
    fn node<'a>(&self, scene: &'a ufbx::Scene) -> Option<&'a Node> {
        scene.nodes.get(self.node).map(|node| &**node)
    }

    pub(super) fn mesh<'a>(&self, scene: &'a ufbx::Scene) -> Option<&'a ufbx::Mesh> {
        self.node(scene)?.mesh.as_deref()
    }
}

/// Whether a node shows a mesh that has vertices.
pub(super) fn is_shown(node: &Node) -> bool {
    node.mesh.as_ref().is_some_and(|mesh| mesh.num_vertices > 0)
}

/// All meshes, each as often as a node shows it.
pub(super) fn instances(scene: &ufbx::Scene) -> Vec<Instance> {
    let shown = scene.nodes.into_iter().enumerate().filter(|(_, node)| is_shown(node));
    shown.map(|(node, _)| Instance { node }).collect()
}

/// Reports meshes that no node shows and geometry that is not a mesh.
pub(super) fn report_unused(scene: &ufbx::Scene, findings: &mut Vec<Finding>) {
    for mesh in scene.meshes.into_iter().filter(|mesh| mesh.element.instances.is_empty()) {
        let place = format!("mesh `{}`", mesh.element.name);
        findings.push(Finding::new(&findings::MESH_UNUSED, place, "no node shows it"));
    }
    let counts = [
        ("NURBS curve was", "NURBS curves were", scene.nurbs_curves.len()),
        ("NURBS surface was", "NURBS surfaces were", scene.nurbs_surfaces.len()),
        ("line curve was", "line curves were", scene.line_curves.len()),
        ("procedural geometry was", "procedural geometries were", scene.procedural_geometries.len()),
        ("geometry cache was", "geometry caches were", scene.cache_deformers.len()),
    ];
    for (one, many, count) in counts.into_iter().filter(|(.., count)| *count > 0) {
        let message = format!("{} left out", plural(count, one, many));
        findings.push(Finding::new(&findings::GEOMETRY_UNSUPPORTED, "the file", message).count(count));
    }
}

/// From a mesh's own space to the one its vertices are handed over in.
struct Placement {
    matrix: DAffine3,
    normals: DMat3,
    /// In model space, or in the space of the joint that carries the mesh.
    model: bool,
    flip: bool,
}

/// The mesh, and the control point of each of its vertices.
pub(super) fn build(
    rig: &Rig,
    instance: &Instance,
    options: &Options,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Option<(Mesh, Vec<u32>)>, Cause> {
    let (Some(node), Some(mesh)) = (instance.node(&rig.scene), instance.mesh(&rig.scene)) else {
        return Ok(None);
    };
    let scratch = budget.scratch();
    let vertices = mesh.num_indices.max(mesh.num_triangles.saturating_mul(3)) + mesh.num_vertices;
    scratch.memory((vertices as u64).saturating_mul(VERTEX_BYTES))?;
    let world = usable(affine(&node.geometry_to_world));
    let binding = skin::binding(rig, mesh, node, &world, &scratch, findings)?;
    let matrix = if binding.is_some() { world } else { usable(affine(&node.geometry_to_node)) };
    // A skin is seen where its joints take it at rest, which may mirror it whatever its node does; another mesh in the space of its joint.
    let seen = skin::at_rest(mesh).filter(|_| binding.is_some()).unwrap_or(matrix);
    let placement = Placement {
        matrix,
        // Normals stay on their side of the surface, also where it is mirrored: triangles are turned round then.
        normals: matrix.matrix3.inverse().transpose(),
        model: binding.is_some(),
        flip: (seen.matrix3.determinant() < 0.0) != rig.conversion.flips_winding(),
    };
    let mut builder = Builder::new(rig, mesh, &placement);
    let parts = builder.faces(node);
    builder.loose();
    builder.report(&rig.name(instance.node), findings);
    let Builder { positions, normals, tangents, uvs, colors, points, indices, .. } = builder;
    let mut out = Mesh {
        joint: rig.joint(node).unwrap_or(NO_JOINT),
        positions: positions.into(),
        normals: normals.into(),
        tangents: tangents.into(),
        uvs: uvs.into(),
        colors: colors.into(),
        indices: indices.into(),
        parts,
        ..Mesh::new(rig.name(instance.node))
    };
    match binding {
        Some(binding) => {
            let mut weights = Weights::new(options.influences.count(), out.positions.len());
            let mut first = vec![None; mesh.num_vertices];
            for (vertex, &point) in points.iter().enumerate() {
                match first.get_mut(point as usize) {
                    Some(Some(earlier)) => weights.repeat(*earlier),
                    Some(none) => {
                        *none = Some(vertex);
                        binding.push(point, &mut weights);
                    }
                    None => weights.push([]),
                }
            }
            out.influences = weights.finish(&format!("mesh `{}`", out.name), findings);
            out.influences.dual_quaternion = binding.dual_quaternion(&points).into();
            out.skin = Some(binding.skin);
        }
        // A rigid mesh follows the matrix of its node, which a helper may hold.
        None => out.joint = rig.matrix_joint(node).unwrap_or(NO_JOINT),
    }
    drop(scratch);
    morphs(rig, mesh, &placement, &points, budget, &mut out)?;
    Ok(Some((out, points)))
}

/// Bytes that a corner takes while its mesh is made, as a vertex of its own with eight influences.
const VERTEX_BYTES: u64 = 192;

/// A matrix that vertices can be put through and back: identity if it is singular or not finite.
fn usable(matrix: DAffine3) -> DAffine3 {
    if matrix.inverse().is_finite() && matrix.is_finite() { matrix } else { DAffine3::IDENTITY }
}

fn morphs(
    rig: &Rig,
    mesh: &ufbx::Mesh,
    placement: &Placement,
    points: &[u32],
    budget: &Budget<'_>,
    out: &mut Mesh,
) -> Result<(), Cause> {
    if mesh.blend_deformers.is_empty() {
        return Ok(());
    }
    // Targets are counted as they are made; the mesh that holds them is counted as a whole behind them.
    let scratch = budget.scratch();
    scratch.list::<Vec<u32>>(mesh.num_vertices.saturating_mul(2))?;
    let mut of_point: Vec<Vec<u32>> = vec![Vec::new(); mesh.num_vertices];
    for (vertex, &point) in (0u32..).zip(points) {
        if let Some(list) = of_point.get_mut(point as usize) {
            list.push(vertex);
        }
    }
    let columns = |matrix: &DMat3, change: &dyn Fn(DVec3) -> DVec3| {
        DMat3::from_cols(change(matrix.x_axis), change(matrix.y_axis), change(matrix.z_axis))
    };
    let (position, direction): (&dyn Fn(DVec3) -> DVec3, &dyn Fn(DVec3) -> DVec3) = if placement.model {
        (&|v| rig.conversion.point(v), &|v| rig.conversion.direction(v))
    } else {
        (&|v| rig.conversion.local_point(v), &|v| rig.conversion.local_direction(v))
    };
    let shaping = Shaping {
        linear: columns(&placement.matrix.matrix3, position),
        normals: columns(&placement.normals, direction),
        vertices: &of_point,
    };
    for channel in mesh.blend_deformers.into_iter().flat_map(|blend| &blend.channels) {
        let scalars = morph::of_channel(&rig.scalars, channel.element.typed_id as usize);
        for index in scalars {
            let (Some(info), Ok(scalar)) = (rig.scalars.get(index), u16::try_from(index)) else { break };
            if let Some(key) = channel.keyframes.get(info.keyframe) {
                let target = shaping.target(&key.shape, &info.name, scalar, &scratch)?;
                scratch.list::<MorphDelta>(target.deltas.len())?;
                scratch.memory(info.name.len() as u64)?;
                out.morphs.push(target);
            }
        }
    }
    Ok(())
}

/// Attributes of one corner of a face, apart from its position.
#[derive(Clone, Copy, PartialEq)]
struct Corner {
    normal: Vec3,
    tangent: Vec4,
    uv: Vec2,
    color: Vec4,
}

impl Corner {
    /// The same for corners that are equal.
    fn key(&self) -> [u32; 13] {
        let Self { normal: n, tangent: t, uv, color: c } = self;
        // Minus zero equals zero.
        [n.x, n.y, n.z, t.x, t.y, t.z, t.w, uv.x, uv.y, c.x, c.y, c.z, c.w].map(|v| (v + 0.0).to_bits())
    }
}

const NONE: u32 = u32::MAX;
/// Few vertices share a control point; a file in which many do must not make the search slow.
const MOST_IN_CHAIN: usize = 32;

struct Builder<'a> {
    rig: &'a Rig,
    mesh: &'a ufbx::Mesh,
    placement: &'a Placement,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    tangents: Vec<Vec4>,
    uvs: Vec<Vec2>,
    colors: Vec<Vec4>,
    /// Control point of each vertex.
    points: Vec<u32>,
    indices: Vec<u32>,
    /// First vertex of each control point, and the next one of the same point for each vertex.
    first: Vec<u32>,
    next: Vec<u32>,
    corners: Vec<Corner>,
    /// Vertices of control points that have more than fit into a chain.
    crowded: HashMap<(u32, [u32; 13]), u32>,
    loose: usize,
    degenerate: usize,
    not_finite: usize,
}

impl<'a> Builder<'a> {
    fn new(rig: &'a Rig, mesh: &'a ufbx::Mesh, placement: &'a Placement) -> Self {
        Self {
            rig,
            mesh,
            placement,
            positions: Vec::with_capacity(mesh.num_vertices),
            normals: Vec::new(),
            tangents: Vec::new(),
            uvs: Vec::new(),
            colors: Vec::new(),
            points: Vec::with_capacity(mesh.num_vertices),
            indices: Vec::with_capacity(mesh.num_triangles.saturating_mul(3)),
            first: vec![NONE; mesh.num_vertices],
            next: Vec::with_capacity(mesh.num_vertices),
            corners: Vec::with_capacity(mesh.num_vertices),
            crowded: HashMap::new(),
            loose: 0,
            degenerate: 0,
            not_finite: 0,
        }
    }

    /// Adds all faces, grouped by material in the order of the materials.
    fn faces(&mut self, node: &Node) -> Vec<Part> {
        let materials = if node.materials.is_empty() { &self.mesh.materials } else { &node.materials };
        let mut order: Vec<(u32, usize)> = (0..self.mesh.faces.len())
            .map(|face| (self.mesh.face_material.get(face).copied().unwrap_or(0), face))
            .collect();
        order.sort_by_key(|(material, _)| *material);
        let mut triangles = vec![0; self.mesh.max_face_triangles.saturating_mul(3)];
        let mut vertex_of = vec![NONE; self.mesh.num_indices];
        let mut parts: Vec<(u32, Part)> = Vec::new();
        for (material, face) in order {
            let first = self.indices.len() as u32;
            if !self.face(face, &mut triangles, &mut vertex_of) {
                continue;
            }
            let count = self.indices.len() as u32 - first;
            match parts.last_mut().filter(|(last, _)| *last == material) {
                Some((_, part)) => part.count += count,
                None => {
                    let material_id = materials.get(material as usize).map(|m| m.element.typed_id as usize);
                    parts.push((material, Part { material: material_id, first, count }));
                }
            }
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }

    fn face(&mut self, face: usize, triangles: &mut [u32], vertex_of: &mut [u32]) -> bool {
        let Some(&face) = self.mesh.faces.get(face) else { return false };
        let needed = (face.num_indices as usize).saturating_sub(2).saturating_mul(3);
        if face.num_indices < 3 || needed > triangles.len() {
            self.degenerate += 1;
            return false;
        }
        let count = ufbx::triangulate_face(triangles, self.mesh, face) as usize * 3;
        for corners in triangles.get(..count).unwrap_or_default().chunks_exact(3) {
            let mut corners = [corners[0], corners[1], corners[2]];
            if self.placement.flip {
                corners.swap(1, 2);
            }
            for corner in corners {
                let vertex = match vertex_of.get(corner as usize) {
                    Some(&known) if known != NONE => known,
                    _ => self.vertex(corner as usize),
                };
                if let Some(entry) = vertex_of.get_mut(corner as usize) {
                    *entry = vertex;
                }
                self.indices.push(vertex);
            }
        }
        true
    }

    /// The vertex of a corner: one with equal attributes, or a new one.
    fn vertex(&mut self, corner: usize) -> u32 {
        let point = self.mesh.vertex_indices.get(corner).copied().unwrap_or(0);
        let looks = self.corner(corner);
        let mut at = self.first.get(point as usize).copied().unwrap_or(NONE);
        let mut length = 0;
        while let Some(known) = self.corners.get(at as usize) {
            if *known == looks {
                return at;
            }
            at = self.next.get(at as usize).copied().unwrap_or(NONE);
            length += 1;
            if length == MOST_IN_CHAIN {
                return self.crowded_vertex(point, looks);
            }
        }
        self.add(point, looks)
    }

    /// The same for a control point whose chain is as long as it may be.
    fn crowded_vertex(&mut self, point: u32, looks: Corner) -> u32 {
        let key = (point, looks.key());
        if let Some(&known) = self.crowded.get(&key) {
            return known;
        }
        let head = self.first.get(point as usize).copied();
        let vertex = self.add(point, looks);
        // The chain stays as it is.
        if let (Some(first), Some(head)) = (self.first.get_mut(point as usize), head) {
            *first = head;
        }
        self.crowded.insert(key, vertex);
        vertex
    }

    fn add(&mut self, point: u32, looks: Corner) -> u32 {
        let vertex = self.positions.len() as u32;
        let position = self.mesh.vertices.get(point as usize).map_or(DVec3::ZERO, |v| vec3(*v));
        let position = self.placement.matrix.transform_point3(position);
        let position = if self.placement.model {
            self.rig.conversion.point(position)
        } else {
            self.rig.conversion.local_point(position)
        };
        let position = self.finite(position.as_vec3(), Vec3::is_finite, Vec3::ZERO);
        self.positions.push(position);
        self.points.push(point);
        self.corners.push(looks);
        self.next.push(match self.first.get_mut(point as usize) {
            Some(first) => std::mem::replace(first, vertex),
            None => NONE,
        });
        if self.mesh.vertex_normal.exists {
            self.normals.push(looks.normal);
        }
        if self.mesh.vertex_tangent.exists {
            self.tangents.push(looks.tangent);
        }
        if self.mesh.vertex_uv.exists {
            self.uvs.push(looks.uv);
        }
        if self.mesh.vertex_color.exists {
            self.colors.push(looks.color);
        }
        vertex
    }

    fn finite<T>(&mut self, value: T, is_finite: impl Fn(T) -> bool, otherwise: T) -> T
    where
        T: Copy,
    {
        if is_finite(value) {
            return value;
        }
        self.not_finite += 1;
        otherwise
    }

    fn corner(&mut self, corner: usize) -> Corner {
        let mesh = self.mesh;
        let at = |attribute: &ufbx::VertexVec3| {
            let index = *attribute.indices.get(corner)?;
            attribute.values.get(index as usize).map(|v| vec3(*v))
        };
        let normal = at(&mesh.vertex_normal).map(|n| self.direction(self.placement.normals * n));
        let [tangent, bitangent] = [&mesh.vertex_tangent, &mesh.vertex_bitangent]
            .map(|attribute| at(attribute).map(|t| self.direction(self.placement.matrix.matrix3 * t)));
        let across = || normal.unwrap_or(DVec3::Y).cross(tangent.unwrap_or(DVec3::X));
        // V runs the other way from here on, and the bitangent with it.
        let sign = if bitangent.is_some_and(|b| across().dot(b) < 0.0) { 1.0 } else { -1.0 };
        let uv = mesh.vertex_uv.indices.get(corner).and_then(|&i| mesh.vertex_uv.values.get(i as usize));
        let uv = uv.map_or(Vec2::ZERO, |uv| vec2(*uv).as_vec2());
        let color =
            mesh.vertex_color.indices.get(corner).and_then(|&i| mesh.vertex_color.values.get(i as usize));
        let color = color.map_or(Vec4::ONE, |c| Vec4::new(c.x as f32, c.y as f32, c.z as f32, c.w as f32));
        Corner {
            normal: normal.map_or(Vec3::Y, |normal| unit(normal, Vec3::Y)),
            tangent: tangent.map_or(Vec3::X, |tangent| unit(tangent, Vec3::X)).extend(sign),
            uv: self.finite(Vec2::new(uv.x, 1.0 - uv.y), Vec2::is_finite, Vec2::ZERO),
            color: self.finite(color, Vec4::is_finite, Vec4::ONE),
        }
    }

    fn direction(&self, direction: DVec3) -> DVec3 {
        if self.placement.model {
            self.rig.conversion.direction(direction)
        } else {
            self.rig.conversion.local_direction(direction)
        }
    }

    /// Adds the control points that no face uses, so that every one has a vertex.
    fn loose(&mut self) {
        let looks =
            Corner { normal: Vec3::Y, tangent: Vec3::X.extend(1.0), uv: Vec2::ZERO, color: Vec4::ONE };
        for point in 0..self.mesh.num_vertices as u32 {
            if self.first.get(point as usize) == Some(&NONE) {
                self.loose += 1;
                self.add(point, looks);
            }
        }
    }

    fn report(&self, name: &str, findings: &mut Vec<Finding>) {
        let place = || format!("mesh `{name}`");
        if self.loose > 0 {
            let message = format!(
                "of {} {} to no face",
                plural(self.mesh.num_vertices, "vertex", "vertices"),
                plural(self.loose, "belongs", "belong")
            );
            findings.push(Finding::new(&findings::MESH_LOOSE_VERTICES, place(), message).count(self.loose));
        }
        if self.degenerate > 0 {
            let message =
                format!("{} fewer than three corners", plural(self.degenerate, "face has", "faces have"));
            findings.push(Finding::new(&findings::MESH_DEGENERATE, place(), message).count(self.degenerate));
        }
        if self.not_finite > 0 {
            let message =
                plural(self.not_finite, "value is not a finite number", "values are not finite numbers")
                    .to_string();
            findings.push(Finding::new(&findings::MESH_NOT_FINITE, place(), message).count(self.not_finite));
        }
    }
}

fn unit(v: DVec3, otherwise: Vec3) -> Vec3 {
    let v = v.normalize_or_zero().as_vec3();
    if v.is_finite() && v != Vec3::ZERO { v } else { otherwise }
}
