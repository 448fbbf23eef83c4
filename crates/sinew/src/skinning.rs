//! Skinning on the CPU: morph, then blend of matrices, linear or by dual quaternions.
//!
//! [`skin`] goes from vertex to vertex: it is the reference, and right for a mesh that is deformed once. A [`SkinPlan`] is made once per mesh and
//! deforms it many times faster, to the same bits. [`SkinnedVertices`] holds a plan and the buffers that it writes.

#[cfg(test)]
mod equality;
mod moves;
mod order;
mod plan;
pub(crate) mod reference;
#[cfg(test)]
mod tests;
pub(crate) mod turn;

pub use order::{reorder_vertices, sort_vertices, vertex_order};
pub use plan::SkinPlan;

use crate::job::{at_least, exactly};
use crate::{Aabb, JobError, Mat3x4, Mesh, MorphDelta};
use glam::{Vec3, Vec4};
use reference::Deform;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The most influences of one vertex.
pub(crate) const MOST_INFLUENCES: usize = 8;

/// Buffers for a deformed mesh, made once and written every frame.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{Player, skinning::SkinnedVertices};
///
/// let player = Player::new(character.clone());
/// let mesh = &character.meshes()[0];
/// let mut vertices = SkinnedVertices::for_mesh(mesh);    // once
/// vertices.skin(mesh, player.skin_matrices(0), player.pose().scalars())?;    // every frame
/// let mut another = vertices.clone();    // for the next instance: shares the plan
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct SkinnedVertices {
    /// Positions in model space.
    pub positions: Vec<Vec3>,
    /// Unit normals, if the mesh has any.
    pub normals: Vec<Vec3>,
    /// Unit tangents and the sign of the bitangent, if the mesh has any.
    pub tangents: Vec<Vec4>,
    /// How the mesh is deformed quickly; without one it is done vertex by vertex, to the same bits.
    pub plan: Option<Arc<SkinPlan>>,
}

impl SkinnedVertices {
    /// Buffers of the right length for a mesh, and its plan. For a mesh that is deformed only once or twice a plan does not pay: see [`skin`].
    pub fn for_mesh(mesh: &Mesh) -> Self {
        // A mesh that no plan can be made of is refused by name when it is to be deformed.
        Self { plan: SkinPlan::new(mesh).ok().map(Arc::new), ..Self::without_plan(mesh) }
    }

    /// Buffers of the right length for a mesh that has a plan already.
    pub fn with_plan(mesh: &Mesh, plan: Arc<SkinPlan>) -> Self {
        Self { plan: Some(plan), ..Self::without_plan(mesh) }
    }

    fn without_plan(mesh: &Mesh) -> Self {
        Self {
            positions: mesh.positions.to_vec(),
            normals: mesh.normals.to_vec(),
            tangents: mesh.tangents.to_vec(),
            plan: None,
        }
    }

    /// Deforms the mesh into these buffers; see [`skin`]. It must be the mesh that the plan was made of.
    pub fn skin(&mut self, mesh: &Mesh, matrices: &[Mat3x4], scalars: &[f32]) -> Result<(), JobError> {
        let out = SkinOutput {
            positions: &mut self.positions,
            normals: &mut self.normals,
            tangents: &mut self.tangents,
        };
        match &self.plan {
            Some(plan) => plan.skin(mesh, matrices, scalars, out),
            None => skin(mesh, matrices, scalars, out),
        }
    }

    /// Box of the deformed vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::of(&self.positions)
    }
}

/// By the vertices alone, however they were computed.
impl PartialEq for SkinnedVertices {
    fn eq(&self, other: &Self) -> bool {
        self.positions == other.positions && self.normals == other.normals && self.tangents == other.tangents
    }
}

/// Where [`skin`] and [`SkinPlan::skin`] write. An empty slice for normals or tangents leaves them out.
#[derive(Debug)]
pub struct SkinOutput<'a> {
    /// As many as the mesh has vertices.
    pub positions: &'a mut [Vec3],
    /// As many as the mesh has normals, or none.
    pub normals: &'a mut [Vec3],
    /// As many as the mesh has tangents, or none.
    pub tangents: &'a mut [Vec4],
}

/// Deforms a mesh, vertex by vertex: morph targets by the pose's scalars, then the weighted skin matrices.
///
/// `matrices` are those of [`Mesh::skin_matrices`]. A vertex without weights stays where it was bound. Normals stay at right angles to
/// the surface under any scale; normals and tangents come out with length one.
///
/// Fails if a buffer does not fit the mesh, the mesh does not fit itself, or matrices or scalars are missing.
pub fn skin(
    mesh: &Mesh,
    matrices: &[Mat3x4],
    scalars: &[f32],
    mut out: SkinOutput<'_>,
) -> Result<(), JobError> {
    check(mesh, matrices, scalars, &out)?;
    out.positions.copy_from_slice(&mesh.positions);
    if !out.normals.is_empty() {
        out.normals.copy_from_slice(&mesh.normals);
    }
    if !out.tangents.is_empty() {
        out.tangents.copy_from_slice(&mesh.tangents);
    }
    morph(mesh, scalars, &mut out);
    for vertex in 0..mesh.vertex_count() {
        let Some(deform) = Deform::of(mesh, matrices, vertex) else { continue };
        out.positions[vertex] = deform.position(out.positions[vertex]);
        if let Some(normal) = out.normals.get_mut(vertex) {
            *normal = deform.normal(*normal);
        }
        if let Some(tangent) = out.tangents.get_mut(vertex) {
            *tangent = deform.tangent(*tangent);
        }
    }
    Ok(())
}

/// The box around some vertices of a deformed mesh. Places that are no numbers are left out: with them the box would depend on the order of the vertices.
pub(crate) fn bounds(
    mesh: &Mesh,
    matrices: &[Mat3x4],
    scalars: &[f32],
    vertices: Range<usize>,
) -> Result<Aabb, JobError> {
    check_input(mesh, matrices, scalars)?;
    let mut positions = Cow::Borrowed(&*mesh.positions);
    if mesh.morphs.iter().any(|morph| scalars[usize::from(morph.scalar)] != 0.0) {
        let (positions, normals, tangents) = (positions.to_mut(), &mut [], &mut []);
        morph(mesh, scalars, &mut SkinOutput { positions, normals, tangents });
    }
    let deformed = |vertex: usize| {
        let position = positions[vertex];
        Deform::of(mesh, matrices, vertex).map_or(position, |deform| deform.position(position))
    };
    let end = vertices.end.min(positions.len());
    let places = (vertices.start..end).map(deformed).filter(|place| !place.is_nan());
    Ok(places.fold(Aabb::EMPTY, Aabb::with))
}

fn check(mesh: &Mesh, matrices: &[Mat3x4], scalars: &[f32], out: &SkinOutput<'_>) -> Result<(), JobError> {
    exactly("out.positions", mesh.positions.len(), out.positions.len())?;
    if !out.normals.is_empty() {
        exactly("out.normals", mesh.normals.len(), out.normals.len())?;
    }
    if !out.tangents.is_empty() {
        exactly("out.tangents", mesh.tangents.len(), out.tangents.len())?;
    }
    check_input(mesh, matrices, scalars)
}

fn check_input(mesh: &Mesh, matrices: &[Mat3x4], scalars: &[f32]) -> Result<(), JobError> {
    at_least("matrices", mesh.skin_matrix_count(), matrices.len())?;
    if mesh.skin.is_some() {
        check_influences(mesh)?;
    }
    let highest = mesh.morphs.iter().map(|m| usize::from(m.scalar) + 1).max().unwrap_or(0);
    at_least("scalars", highest, scalars.len())
}

fn check_influences(mesh: &Mesh) -> Result<(), JobError> {
    let of = &mesh.influences;
    if of.per_vertex > MOST_INFLUENCES {
        exactly("mesh.influences.per_vertex", MOST_INFLUENCES, of.per_vertex)?;
    }
    let expected = mesh.positions.len() * of.per_vertex;
    exactly("mesh.influences.skin_joints", expected, of.skin_joints.len())?;
    exactly("mesh.influences.weights", expected, of.weights.len())
}

fn morph(mesh: &Mesh, scalars: &[f32], out: &mut SkinOutput<'_>) {
    for target in &mesh.morphs {
        for delta in &target.deltas {
            move_vertex(delta, scalars[usize::from(target.scalar)], out);
        }
    }
}

/// Moves one vertex by a morph target; one without weight changes nothing, to the last bit.
fn move_vertex(delta: &MorphDelta, weight: f32, out: &mut SkinOutput<'_>) {
    if weight == 0.0 {
        return;
    }
    let vertex = delta.vertex as usize;
    out.positions[vertex] += delta.position * weight;
    if let Some(normal) = out.normals.get_mut(vertex) {
        *normal += delta.normal * weight;
    }
    if let Some(tangent) = out.tangents.get_mut(vertex) {
        *tangent += (delta.tangent * weight).extend(0.0);
    }
}
