//! Shapes that a mesh takes on.

use super::super::raw::{Controller, Document, Geometry, Morph, MorphMethod};
use super::Builder;
use super::corners::{Attribute, Triangles};
use crate::{Budget, Cause, findings};
use glam::{DVec3, Vec3};
use sinew::{Finding, MorphDelta, MorphTarget};
use sinew_findings::plural;
use std::collections::HashMap;

/// A morph of the document, and the scalars that its weights became.
#[derive(Debug)]
pub(crate) struct MorphPlan {
    /// Ids by which channels know its array of weights.
    pub(crate) weight_ids: Vec<String>,
    /// Ids of its targets.
    pub(crate) targets: Vec<String>,
    /// Weights without animation.
    pub(crate) weights: Vec<f32>,
    /// Scalar of the first target.
    pub(crate) first_scalar: u16,
}

/// All morphs that are shown, each once.
#[derive(Debug, Default)]
pub(crate) struct MorphPlans<'d> {
    /// In the order in which they are met.
    pub(crate) list: Vec<MorphPlan>,
    /// By id of the controller.
    by_controller: HashMap<Option<&'d str>, usize>,
}

impl<'d> MorphPlans<'d> {
    pub(crate) fn get(&self, controller: Option<&str>) -> Option<&MorphPlan> {
        self.by_controller.get(&controller).and_then(|&index| self.list.get(index))
    }

    pub(crate) fn push(&mut self, controller: Option<&'d str>, plan: MorphPlan) {
        self.by_controller.insert(controller, self.list.len());
        self.list.push(plan);
    }
}

/// Bytes that a target takes as scalar, weight and morph, its names apart.
const TARGET_BYTES: u64 = 600;

impl MorphPlan {
    /// Reads targets and weights.
    pub(crate) fn read(
        controller: &Controller<'_>,
        morph: &Morph<'_>,
        document: &Document<'_>,
        first_scalar: u16,
    ) -> Result<Self, Cause> {
        let find = |semantic: &str| morph.targets.iter().find(|i| i.semantic == semantic);
        let targets = find("MORPH_TARGET").and_then(|i| document.sources.get(i.source));
        let weights = find("MORPH_WEIGHT").and_then(|i| document.sources.get(i.source));
        let ids = [
            weights.and_then(|s| s.element.attribute("id")),
            weights.and_then(|s| s.array?.attribute("id")),
            controller.id,
        ];
        // Each weight is known by all ids of its array.
        let ids_bytes: u64 = ids.iter().flatten().map(|id| 2 * id.len() as u64).sum();
        let budget = controller.element.budget();
        for word in targets.into_iter().flat_map(|s| s.words(document)) {
            budget.memory(TARGET_BYTES + ids_bytes + 4 * word.len() as u64)?;
        }
        let targets: Vec<String> =
            targets.map(|s| s.words(document).map(str::to_owned).collect()).unwrap_or_default();
        let mut values: Vec<f32> = match weights {
            Some(source) => source.table(document)?.into_values().into_iter().map(|v| v as f32).collect(),
            None => Vec::new(),
        };
        values.resize(targets.len(), 0.0);
        for value in values.iter_mut().filter(|v| !v.is_finite()) {
            *value = 0.0;
        }
        Ok(Self {
            weight_ids: ids.into_iter().flatten().map(str::to_owned).collect(),
            targets,
            weights: values,
            first_scalar,
        })
    }
}

impl Builder<'_, '_, '_> {
    pub(super) fn morphs(&mut self, budget: &Budget<'_>, findings: &mut Vec<Finding>) -> Result<(), Cause> {
        let document = self.around.document;
        let Some((controller, morph)) = self.shown.morph else { return Ok(()) };
        let Some(plan) = self.around.plans.get(controller.id) else { return Ok(()) };
        for (index, id) in plan.targets.iter().enumerate() {
            let scalar = u16::try_from(index).ok().and_then(|i| plan.first_scalar.checked_add(i));
            let (Some(geometry), Some(scalar)) = (document.geometries.get(id), scalar) else {
                let message = format!("the document has no morph target `{id}`");
                findings.push(Finding::new(&findings::REFERENCE_MISSING, self.mesh.name.clone(), message));
                continue;
            };
            let target = Triangles::read(geometry, document, &|_| None, budget)?;
            if target.positions.len() != self.triangles.positions.len() {
                let message = format!(
                    "morph target `{id}` has {} where the mesh has {}",
                    plural(target.positions.len(), "vertex", "vertices"),
                    self.triangles.positions.len()
                );
                findings.push(Finding::new(&findings::MORPH_MISMATCH, self.mesh.name.clone(), message));
                continue;
            }
            let deltas = self.deltas(&target, morph.method, budget)?;
            let name = target_name(geometry);
            budget.list::<MorphDelta>(deltas.len())?;
            budget.memory(name.len() as u64)?;
            self.mesh.morphs.push(MorphTarget { name: name.into(), scalar, deltas: deltas.into() });
        }
        Ok(())
    }

    fn deltas(
        &self,
        target: &Triangles<'_>,
        method: MorphMethod,
        budget: &Budget<'_>,
    ) -> Result<Vec<MorphDelta>, Cause> {
        let count = self.sources.len();
        budget.morph_deltas(count as u64 + 1)?;
        let scratch = budget.scratch();
        // The list grows by doubling.
        scratch.list::<([MorphDelta; 2], Option<Vec3>)>(count)?;
        let normals = self.target_normals(target);
        let mut deltas = Vec::new();
        for (vertex, &source) in self.sources.iter().enumerate() {
            let base = match method {
                MorphMethod::Normalized => self.triangles.position(source),
                MorphMethod::Relative => DVec3::ZERO,
            };
            let position = self.point.transform_vector3(target.position(source) - base).as_vec3();
            let position = if position.is_finite() { position } else { Vec3::ZERO };
            let own = self.mesh.normals.get(vertex);
            let normal = match (normals.get(vertex), own) {
                (Some(Some(theirs)), Some(own)) if method == MorphMethod::Normalized => *theirs - *own,
                _ => Vec3::ZERO,
            };
            if position != Vec3::ZERO || normal != Vec3::ZERO {
                deltas.push(MorphDelta { vertex: vertex as u32, position, normal, tangent: Vec3::ZERO });
            }
        }
        deltas.shrink_to_fit();
        Ok(deltas)
    }

    /// Normals of the target at our vertices, if its faces have as many corners as ours: then they are the same ones.
    fn target_normals(&self, target: &Triangles<'_>) -> Vec<Option<Vec3>> {
        let same_faces = target.corner_vertices.len() == self.triangles.corner_vertices.len();
        if !same_faces || self.mesh.normals.is_empty() {
            return Vec::new();
        }
        let normal = |corner: u32| {
            let vertex = target.vertices.get(*target.corner_vertices.get(corner as usize)? as usize)?;
            let index = *vertex.attributes.get(Attribute::Normal.index())?;
            Some(self.normal(target.pools.get(Attribute::Normal.index())?.get(index)?))
        };
        self.triangles.vertices.iter().map(|v| normal(v.corner)).collect()
    }
}

fn target_name(geometry: &Geometry<'_>) -> String {
    geometry.name.or(geometry.id).unwrap_or("morph").to_owned()
}
