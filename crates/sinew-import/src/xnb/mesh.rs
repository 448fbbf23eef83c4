//! Vertex and index buffers as meshes.

use super::rig::Rig;
use super::surface::Surfaces;
use crate::weights::Weights;
use crate::{Budget, Cause, findings};
use glam::{Affine3, Vec2, Vec3, Vec4};
use sinew::{Finding, Mesh, NO_JOINT, Skin};
use sinew_findings::plural;
use sinew_xnb::skinning::{BoneTable, SkinningData};
use sinew_xnb::{ElementUsage, Model, Part, Tag, VertexBuffer, VertexElement};

/// Influences of a vertex in one element.
const INFLUENCES: usize = 4;

/// All meshes of a model.
pub(super) fn meshes(
    model: &Model,
    rig: &Rig,
    surfaces: &Surfaces,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Mesh>, Cause> {
    let mut out = Vec::new();
    let mut unbound = 0;
    for (index, source) in model.meshes.iter().enumerate() {
        // Parts with equal vertices are one mesh.
        let same = |a: &(usize, &Part), b: &(usize, &Part)| {
            let declaration = |part: &Part| model.vertices(part).map(|buffer| &buffer.declaration);
            declaration(a.1) == declaration(b.1)
        };
        let parts: Vec<(usize, &Part)> = source.parts.iter().enumerate().collect();
        for parts in parts.chunk_by(same) {
            let mut builder = Builder::new(model, rig, index);
            for &(number, part) in parts {
                builder.add(number, part, surfaces, budget)?;
            }
            unbound += usize::from(builder.is_unbound());
            let mesh = builder.finish(findings);
            budget.mesh(&mesh)?;
            out.push(mesh);
        }
    }
    if unbound > 0 {
        let message =
            "vertices refer to bones, and the file does not say which; meshes are shown as they were bound";
        findings.push(Finding::new(&findings::XNB_UNBOUND, "meshes", message).count(unbound));
    }
    Ok(out)
}

struct Builder<'a> {
    model: &'a Model,
    rig: &'a Rig,
    index: usize,
    mesh: Mesh,
    weights: Option<Weights>,
    /// Bones of the skinning data that the mesh uses, in the order of the skin's joints.
    bones: Vec<usize>,
    blended: bool,
}

/// The elements of a vertex that are taken over.
struct Elements<'b> {
    buffer: &'b VertexBuffer,
    position: &'b VertexElement,
    normal: Option<&'b VertexElement>,
    uvs: [Option<&'b VertexElement>; 2],
    color: Option<&'b VertexElement>,
    blend: Option<[&'b VertexElement; 2]>,
}

impl<'b> Elements<'b> {
    fn of(buffer: &'b VertexBuffer) -> Option<Self> {
        let find = |usage, index| buffer.declaration.find(usage, index);
        let [indices, weights] =
            [ElementUsage::BlendIndices, ElementUsage::BlendWeight].map(|usage| find(usage, 0));
        Some(Self {
            buffer,
            position: find(ElementUsage::Position, 0)?,
            normal: find(ElementUsage::Normal, 0),
            uvs: [0, 1].map(|index| find(ElementUsage::TextureCoordinate, index)),
            color: find(ElementUsage::Color, 0),
            blend: indices.zip(weights).map(|(indices, weights)| [indices, weights]),
        })
    }

    fn value(&self, vertex: usize, element: &VertexElement) -> Result<[f32; 4], Cause> {
        self.buffer
            .value(vertex, element)
            .ok_or_else(|| Cause::malformed("a part has more vertices than its buffer", ""))
    }
}

impl<'a> Builder<'a> {
    fn new(model: &'a Model, rig: &'a Rig, index: usize) -> Self {
        let name = model.meshes.get(index).map(|mesh| mesh.name.clone()).unwrap_or_default();
        Self { model, rig, index, mesh: Mesh::new(name), weights: None, bones: vec![], blended: false }
    }

    /// Whether its vertices refer to bones that are not there.
    fn is_unbound(&self) -> bool {
        self.blended && self.weights.is_none()
    }

    fn add(
        &mut self,
        number: usize,
        part: &Part,
        surfaces: &Surfaces,
        budget: &Budget<'_>,
    ) -> Result<(), Cause> {
        let place = || format!("mesh `{}`, part {number}", self.mesh.name);
        let (Some(buffer), Some(indices)) = (self.model.vertices(part), self.model.indices(part)) else {
            return Err(Cause::malformed("a part has no vertices or no indices", place()));
        };
        let elements = Elements::of(buffer)
            .ok_or_else(|| Cause::malformed("its vertices have no positions", place()))?;
        budget.vertices(u64::from(part.vertex_count))?;
        budget.triangles(u64::from(part.triangles))?;
        let (start, count) = (part.first_index as usize, part.triangles as usize * 3);
        let indices = start.checked_add(count).and_then(|end| indices.indices.get(start..end));
        let indices =
            indices.ok_or_else(|| Cause::malformed("a part has more triangles than its indices", place()))?;
        let first = self.mesh.positions.len() as u32;
        if let Some(index) = indices.iter().find(|&&index| index >= part.vertex_count) {
            return Err(Cause::malformed(
                format!(
                    "index {index} is not among {}",
                    plural(part.vertex_count as usize, "vertex", "vertices")
                ),
                place(),
            ));
        }
        let from = part.vertex_offset as usize;
        self.blended |= elements.blend.is_some();
        for vertex in from..from.saturating_add(part.vertex_count as usize) {
            self.vertex(&elements, vertex, number)?;
        }
        let at = self.mesh.indices.len() as u32;
        // Front faces are clockwise there.
        for triangle in indices.as_chunks::<3>().0 {
            let [a, b, c] = *triangle;
            self.mesh.indices.extend([a, c, b].map(|index| index + first));
        }
        let material = part.effect.and_then(|effect| surfaces.of_effect(effect));
        self.mesh.parts.push(sinew::Part { material, first: at, count: count as u32 });
        Ok(())
    }

    fn vertex(&mut self, elements: &Elements<'_>, vertex: usize, part: usize) -> Result<(), Cause> {
        let three = |[x, y, z, _]: [f32; 4]| Vec3::new(x, y, z);
        self.mesh.positions.push(three(elements.value(vertex, elements.position)?));
        if let Some(element) = elements.normal {
            let normal = three(elements.value(vertex, element)?);
            self.mesh.normals.push(sinew::math::normalize_or(normal, Vec3::Y));
        }
        for (element, uvs) in elements.uvs.iter().zip([&mut self.mesh.uvs, &mut self.mesh.second_uvs]) {
            if let Some(element) = element {
                let [u, v, ..] = elements.value(vertex, element)?;
                uvs.push(Vec2::new(u, v));
            }
        }
        if let Some(element) = elements.color {
            let [r, g, b, a] = elements.value(vertex, element)?;
            let [r, g, b] = [r, g, b].map(|code| sinew_image::to_linear((code * 255.0) as u8));
            self.mesh.colors.push(Vec4::new(r, g, b, a));
        }
        if let Some([indices, weights]) = elements.blend.filter(|_| !self.rig.inverse_binds.is_empty()) {
            let (indices, weights) = (elements.value(vertex, indices)?, elements.value(vertex, weights)?);
            self.influences(indices, weights, part)?;
        }
        Ok(())
    }

    fn influences(&mut self, indices: [f32; 4], weights: [f32; 4], part: usize) -> Result<(), Cause> {
        let table = self.table(part);
        let mut list = Vec::with_capacity(INFLUENCES);
        for (index, weight) in indices.into_iter().zip(weights).filter(|(_, weight)| *weight != 0.0) {
            let index = index as usize;
            let bone = match table {
                Some(table) => table.bones.get(index).map(|&bone| usize::from(bone)),
                None => Some(index).filter(|&bone| bone < self.rig.inverse_binds.len()),
            };
            let bone = bone.ok_or_else(|| {
                Cause::malformed(
                    format!("a vertex refers to bone {index}"),
                    format!("mesh `{}`", self.mesh.name),
                )
            })?;
            // A bone that stands for no joint does not move: its vertices stay where they are.
            if self.rig.of_bone(bone).is_none() {
                continue;
            }
            let known = self.bones.iter().position(|&known| known == bone);
            let slot = known.unwrap_or_else(|| {
                self.bones.push(bone);
                self.bones.len() - 1
            });
            list.push((slot as u16, f64::from(weight)));
        }
        self.weights.get_or_insert_with(|| Weights::new(INFLUENCES, 0)).push(list);
        Ok(())
    }

    fn table(&self, part: usize) -> Option<&'a BoneTable> {
        let Tag::Skinning(SkinningData::V2(data)) = &self.model.tag else { return None };
        data.tables.iter().find(|table| table.mesh as usize == self.index && table.part as usize == part)
    }

    fn finish(self, findings: &mut Vec<Finding>) -> Mesh {
        let mut mesh = self.mesh;
        let bone = self.model.meshes.get(self.index).map_or(0, |mesh| mesh.bone);
        mesh.joint = self.rig.of_model_bone(bone);
        if let Some(weights) = self.weights {
            let joints = self.bones.iter().map(|&bone| self.rig.of_bone(bone).unwrap_or(0)).collect();
            let binds = self
                .bones
                .iter()
                .map(|&bone| self.rig.inverse_binds.get(bone).copied().unwrap_or(Affine3::IDENTITY).into());
            mesh.skin = Some(Skin { joints, inverse_binds: binds.collect() });
            mesh.influences = weights.finish(&format!("mesh `{}`", mesh.name), findings);
            mesh.joint = NO_JOINT;
        }
        mesh
    }
}

/// A rectangle with the proportions of a texture, one unit high.
pub(super) fn rectangle(width: u32, height: u32) -> Mesh {
    let half = width as f32 / height.max(1) as f32 / 2.0;
    Mesh {
        positions: [(-half, 0.0), (half, 0.0), (half, 1.0), (-half, 1.0)]
            .map(|(x, y)| Vec3::new(x, y, 0.0))
            .to_vec()
            .into(),
        normals: vec![Vec3::Z; 4].into(),
        uvs: [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)].map(|(u, v)| Vec2::new(u, v)).to_vec().into(),
        indices: vec![0, 1, 2, 0, 2, 3].into(),
        parts: vec![sinew::Part { material: Some(0), first: 0, count: 6 }],
        ..Mesh::new("texture")
    }
}
