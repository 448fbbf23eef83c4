//! Geometries that stand in the scene, as meshes.

mod corners;
mod morph;

pub(crate) use corners::Triangles;
pub(crate) use morph::{MorphPlan, MorphPlans};

use super::raw::{Controller, Deformer, Document, Geometry, Instance, InstanceKind, Morph, Skin as RawSkin};
use super::scene::Scene;
use super::skin::Skin;
use crate::space::Conversion;
use crate::weights::Weights;
use crate::{Budget, Cause, Options, findings};
use corners::Attribute;
use glam::{DAffine3, DMat3, DVec3, Mat3, Vec2, Vec3, Vec4};
use sinew::{Finding, Mesh, Part};

/// A geometry that stands on a node, with what deforms it.
pub(crate) struct Shown<'r, 'd> {
    /// Index of the node.
    pub(crate) node: usize,
    /// How it stands there.
    pub(crate) instance: &'r Instance<'d>,
    /// What it is.
    pub(crate) geometry: &'r Geometry<'d>,
    /// The joints that carry it.
    pub(crate) skin: Option<Skin>,
    /// The shapes that it takes on.
    pub(crate) morph: Option<(&'r Controller<'d>, &'r Morph<'d>)>,
}

/// How many controllers may lie over one another.
const MOST_CONTROLLERS: usize = 8;

/// All that stands in the scene, in order of the nodes.
pub(crate) fn shown<'r, 'd>(
    document: &'r Document<'d>,
    scene: &Scene<'r, 'd>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Shown<'r, 'd>>, Cause> {
    let mut out = Vec::new();
    for (node, data) in scene.nodes.iter().enumerate() {
        for instance in &data.raw.instances {
            if instance.kind == InstanceKind::Node {
                continue;
            }
            let Some(chain) = chain(document, instance) else {
                let message = format!("the document has no geometry behind `#{}`", instance.url);
                findings.push(Finding::new(&findings::REFERENCE_MISSING, data.name.clone(), message));
                continue;
            };
            let skin = match chain.skin {
                Some(raw) => Some(Skin::read(raw, &instance.skeletons, document, scene, findings)?),
                None => None,
            };
            out.push(Shown { node, instance, geometry: chain.geometry, skin, morph: chain.morph });
        }
    }
    Ok(out)
}

/// The joints of skins whose geometry the document lacks: such a file still has a skeleton.
pub(crate) fn bare_skin_joints(document: &Document<'_>, scene: &Scene<'_, '_>) -> Vec<usize> {
    let mut joints = Vec::new();
    for instance in scene.nodes.iter().flat_map(|n| &n.raw.instances) {
        if let Some(Deformer::Skin(raw)) =
            document.controllers.get(instance.url).and_then(|c| c.deformer.as_ref())
            && document.geometries.get(raw.source).is_none()
            && document.controllers.get(raw.source).is_none()
        {
            let mut ignored = Vec::new();
            if let Ok(skin) = Skin::read(raw, &instance.skeletons, document, scene, &mut ignored) {
                joints.extend(skin.nodes);
            }
        }
    }
    joints
}

struct Chain<'r, 'd> {
    geometry: &'r Geometry<'d>,
    skin: Option<&'r RawSkin<'d>>,
    morph: Option<(&'r Controller<'d>, &'r Morph<'d>)>,
}

/// From an instance through its controllers to the geometry.
fn chain<'r, 'd>(document: &'r Document<'d>, instance: &Instance<'d>) -> Option<Chain<'r, 'd>> {
    let (mut skin, mut morph) = (None, None);
    let mut url = instance.url;
    for _ in 0..MOST_CONTROLLERS {
        if let Some(geometry) = document.geometries.get(url) {
            return Some(Chain { geometry, skin, morph });
        }
        let controller = document.controllers.get(url)?;
        url = match controller.deformer.as_ref()? {
            Deformer::Skin(raw) => {
                skin = skin.or(Some(raw));
                raw.source
            }
            Deformer::Morph(raw) => {
                morph = morph.or(Some((controller, raw)));
                raw.source
            }
        };
    }
    None
}

/// What a mesh needs to know about the rest of the character.
pub(crate) struct Surroundings<'s> {
    /// The document.
    pub(crate) document: &'s Document<'s>,
    /// Joint of each node, below its helper if it has one.
    pub(crate) joint_of: &'s dyn Fn(usize) -> Option<u16>,
    /// Rest of each node in model space, in the document's axes.
    pub(crate) world: &'s [DAffine3],
    /// Change of axes and unit.
    pub(crate) conversion: &'s Conversion,
    /// Handling modes.
    pub(crate) options: &'s Options,
    /// What the mesh is counted in.
    pub(crate) budget: &'s Budget<'s>,
    /// Index of a material by its symbol.
    pub(crate) material: &'s dyn Fn(&str) -> Option<usize>,
    /// All morphs.
    pub(crate) plans: &'s MorphPlans<'s>,
}

/// Bytes that a vertex takes with all its attributes, influences apart.
const VERTEX_BYTES: usize = 72;

/// Makes a mesh of what stands on a node, and says which position of the document each vertex has.
pub(crate) fn build(
    shown: &Shown<'_, '_>,
    triangles: Triangles<'_>,
    around: &Surroundings<'_>,
    findings: &mut Vec<Finding>,
) -> Result<(Mesh, Vec<u32>), Cause> {
    let name = shown.geometry.name.or(shown.geometry.id).unwrap_or("mesh");
    let per_vertex = around.options.influences.count();
    let positions = triangles.positions.len();
    // Vertices, those that no face uses included, and the first vertex of each position.
    let scratch = around.budget.scratch();
    let bytes = (triangles.vertices.len() + positions) * (VERTEX_BYTES + 6 * per_vertex) + positions * 16;
    scratch.memory((bytes + name.len()) as u64)?;
    let used_positions = triangles.vertices.iter().map(|v| v.position);
    let sources: Vec<u32> = used_positions.chain(triangles.loose()).collect();
    let mut builder = Builder::new(name, shown, triangles, around);
    // Weights and vertices are independent: computed in parallel.
    let mut collected = None;
    rayon::in_place_scope(|scope| {
        if let Some(skin) = &shown.skin {
            scope.spawn(|_| collected = Some(weights(skin, &sources, positions, per_vertex)));
        }
        builder.vertices(&sources);
        builder.normals();
        builder.attributes();
        builder.triangles();
    });
    builder.sources = sources;
    builder.skin()?;
    if let Some(weights) = collected {
        builder.mesh.influences = weights.finish(&builder.mesh.name, findings);
    }
    builder.morphs(&scratch, findings)?;
    builder.report(findings);
    Ok((builder.mesh, builder.sources))
}

/// The influences of all vertices, of which several may come from one position.
fn weights(skin: &Skin, sources: &[u32], positions: usize, per_vertex: usize) -> Weights {
    let mut weights = Weights::new(per_vertex, sources.len());
    let mut first = vec![None; positions];
    for (vertex, &source) in sources.iter().enumerate() {
        match first.get_mut(source as usize) {
            Some(Some(earlier)) => weights.repeat(*earlier),
            Some(slot) => {
                *slot = Some(vertex);
                weights.push(skin.influences(source as usize).iter().copied());
            }
            None => weights.push([]),
        }
    }
    weights
}

struct Builder<'b, 'r, 'd> {
    mesh: Mesh,
    /// Position in the document of each vertex.
    sources: Vec<u32>,
    shown: &'b Shown<'r, 'd>,
    triangles: Triangles<'b>,
    around: &'b Surroundings<'b>,
    /// From the document's vertices to the character's: bind shape, axes and unit in one.
    point: DAffine3,
    /// The same for normals and tangents, up to length.
    normal: Mat3,
    tangent: Mat3,
    /// Numbers that are not finite.
    not_finite: usize,
}

impl<'b, 'r, 'd> Builder<'b, 'r, 'd> {
    fn new(
        name: &str,
        shown: &'b Shown<'r, 'd>,
        triangles: Triangles<'b>,
        around: &'b Surroundings<'b>,
    ) -> Self {
        let conversion = around.conversion;
        let columns = |f: &dyn Fn(DVec3) -> DVec3| DMat3::from_cols(f(DVec3::X), f(DVec3::Y), f(DVec3::Z));
        // With a skin vertices are in model space, without one in the space of the joint that they hang on.
        let (shape, point, direction) = match &shown.skin {
            Some(skin) => {
                (skin.bind_shape, columns(&|v| conversion.point(v)), columns(&|v| conversion.direction(v)))
            }
            None => (
                DAffine3::IDENTITY,
                columns(&|v| conversion.local_point(v)),
                columns(&|v| conversion.local_direction(v)),
            ),
        };
        // Normals stay on their side of the surface, also where the shape is mirrored: triangles are turned round then.
        let normal = match shape.matrix3.determinant().abs() > f64::MIN_POSITIVE {
            true => shape.matrix3.inverse().transpose(),
            false => shape.matrix3,
        };
        Self {
            mesh: Mesh::new(name),
            sources: Vec::new(),
            shown,
            triangles,
            around,
            point: DAffine3::from_mat3(point) * shape,
            normal: (direction * normal).as_mat3(),
            tangent: (direction * shape.matrix3).as_mat3(),
            not_finite: 0,
        }
    }

    fn normal(&self, [x, y, z, _]: [f32; 4]) -> Vec3 {
        (self.normal * Vec3::new(x, y, z)).try_normalize().unwrap_or(Vec3::ZERO)
    }

    fn vertices(&mut self, sources: &[u32]) {
        let mut positions = Vec::with_capacity(sources.len());
        for &source in sources {
            let point = self.point.transform_point3(self.triangles.position(source)).as_vec3();
            self.not_finite += usize::from(!point.is_finite());
            positions.push(if point.is_finite() { point } else { Vec3::ZERO });
        }
        self.mesh.positions = positions.into();
    }

    fn pool_row(&self, vertex: usize, attribute: Attribute) -> Option<[f32; 4]> {
        let index = *self.triangles.vertices.get(vertex)?.attributes.get(attribute.index())?;
        self.triangles.pools.get(attribute.index())?.get(index)
    }

    fn has(&self, attribute: Attribute) -> bool {
        self.triangles.pools.get(attribute.index()).is_some_and(|p| !p.is_empty())
    }

    /// Normals as they are written; where only some vertices have one, the others get that of the faces around them.
    fn normals(&mut self) {
        if !self.has(Attribute::Normal) {
            return;
        }
        let count = self.mesh.positions.len();
        let mut normals: Vec<Vec3> = (0..count)
            .map(|v| self.pool_row(v, Attribute::Normal).map_or(Vec3::ZERO, |row| self.normal(row)))
            .collect();
        if normals.contains(&Vec3::ZERO) {
            let faces = self.face_normals();
            for (normal, face) in normals.iter_mut().zip(faces) {
                if *normal == Vec3::ZERO {
                    *normal = face.try_normalize().unwrap_or(Vec3::Y);
                }
            }
        }
        self.mesh.normals = normals.into();
    }

    fn face_normals(&self) -> Vec<Vec3> {
        let positions = &self.mesh.positions;
        let mut sums = vec![Vec3::ZERO; positions.len()];
        let at = |i: u32| positions.get(i as usize).copied().unwrap_or_default();
        for triangle in self.triangles.indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(at);
            let normal = (b - a).cross(c - a);
            for &index in triangle {
                if let Some(sum) = sums.get_mut(index as usize) {
                    *sum += normal;
                }
            }
        }
        sums
    }

    fn attributes(&mut self) {
        let count = self.mesh.positions.len();
        if self.has(Attribute::Uv) {
            let uv = |v: usize| {
                self.pool_row(v, Attribute::Uv).map_or(Vec2::ZERO, |[u, v, ..]| Vec2::new(u, 1.0 - v))
            };
            self.mesh.uvs = (0..count).map(uv).collect();
        }
        if self.has(Attribute::Colour) {
            let colour = |v: usize| self.pool_row(v, Attribute::Colour).map_or(Vec4::ONE, Vec4::from_array);
            self.mesh.colors = (0..count).map(colour).collect();
        }
        if self.has(Attribute::Tangent) && self.has(Attribute::Normal) {
            self.mesh.tangents = (0..count).map(|v| self.tangent(v)).collect();
        }
    }

    fn tangent(&self, vertex: usize) -> Vec4 {
        let vector = |attribute| {
            let [x, y, z, _] = self.pool_row(vertex, attribute)?;
            (self.tangent * Vec3::new(x, y, z)).try_normalize()
        };
        let normal = self.mesh.normals.get(vertex).copied().unwrap_or(Vec3::Y);
        let tangent = vector(Attribute::Tangent).unwrap_or_else(|| normal.any_orthonormal_vector());
        let side = vector(Attribute::Binormal).map_or(1.0, |b| normal.cross(tangent).dot(b));
        // V runs down here and up in the document.
        tangent.extend(if side < 0.0 { 1.0 } else { -1.0 })
    }

    fn triangles(&mut self) {
        let mut indices = std::mem::take(&mut self.triangles.indices);
        if self.is_mirrored() {
            for triangle in indices.as_chunks_mut::<3>().0 {
                triangle.swap(1, 2);
            }
        }
        self.mesh.indices = indices.into();
        let parts = self.triangles.runs.iter().map(|run| Part {
            material: run.material.as_deref().and_then(self.around.material),
            first: run.first,
            count: run.count,
        });
        self.mesh.parts = parts.collect();
    }

    /// Whether the triangles must run the other way round, so that they are seen from the front: those of a skin where they are bound, others in
    /// the space of their joint.
    fn is_mirrored(&self) -> bool {
        let world = |node: usize| self.around.world.get(node).copied().unwrap_or_default();
        let determinant = match &self.shown.skin {
            Some(skin) => {
                let bind =
                    skin.nodes.iter().zip(&skin.inverse_binds).find_map(|(&n, b)| Some(world(n) * (*b)?));
                (bind.unwrap_or_default() * skin.bind_shape).matrix3.determinant()
            }
            None => 1.0,
        };
        (determinant < 0.0) != self.around.conversion.flips_winding()
    }

    fn skin(&mut self) -> Result<(), Cause> {
        self.mesh.joint = (self.around.joint_of)(self.shown.node).unwrap_or(sinew::NO_JOINT);
        let Some(skin) = &self.shown.skin else { return Ok(()) };
        let mut out = sinew::Skin::default();
        for (&node, bind) in skin.nodes.iter().zip(&skin.inverse_binds) {
            let Some(joint) = (self.around.joint_of)(node) else {
                return Err(self.shown.geometry.element.error("a skin's node has not become a joint"));
            };
            let world = self.around.world.get(node).copied().unwrap_or_default();
            let bind = bind.unwrap_or_else(|| world.inverse());
            let bind = self.around.conversion.inverse_bind(&bind);
            out.joints.push(joint);
            out.inverse_binds.push(bind.as_affine3().into());
        }
        self.mesh.skin = Some(out);
        Ok(())
    }

    fn report(&self, findings: &mut Vec<Finding>) {
        let mut count = |kind: &'static sinew::Kind, number: usize, what: &str| {
            if number > 0 {
                let finding = Finding::new(kind, self.mesh.name.clone(), format!("{number} {what}"));
                findings.push(finding.count(number));
            }
        };
        let loose = self.mesh.positions.len() - self.triangles.vertices.len();
        count(&findings::MESH_LOOSE_VERTICES, loose, "vertices are used by no face");
        count(&findings::MESH_DEGENERATE, self.triangles.degenerate, "faces have fewer than three corners");
        let not_finite = self.not_finite + self.triangles.not_finite;
        count(&findings::MESH_NOT_FINITE, not_finite, "numbers are not finite and were set to zero");
        count(&findings::POLYGON_LARGE, self.triangles.large, "polygons were cut as if they were convex");
        let unread = &self.shown.geometry.unread;
        if !unread.is_empty() {
            let message = format!("`<{}>` is not read", unread.join(">`, `<"));
            findings.push(Finding::new(&findings::GEOMETRY_UNSUPPORTED, self.mesh.name.clone(), message));
        }
    }
}
