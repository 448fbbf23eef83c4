//! Primitives as meshes: those of one mesh that have the same vertices become parts of one.

mod skin;
mod triangles;

use super::accessor::Values;
use super::container::File;
use super::json::{self, Attributes, Primitive, TextureTransform};
use super::rig::Rig;
use crate::{Cause, Options, findings, limits};
use glam::{Affine3, Vec2, Vec3, Vec4};
use sinew::{Finding, Mesh, MorphDelta, MorphTarget, Part};

/// All meshes that nodes show.
pub(super) fn meshes(
    file: &File,
    rig: &Rig,
    options: &Options,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Mesh>, Cause> {
    let model = rig.model();
    let mut out = Vec::new();
    let mut vertices = 0u64;
    for (&node, model) in rig.nodes.iter().zip(&model) {
        let Some(source) = file.document.nodes.get(node) else { continue };
        let Some(mesh) = source.mesh.and_then(|mesh| file.document.meshes.get(mesh)) else { continue };
        // A viewer turns the front of a mirrored mesh round; here triangles face the way they end up.
        let shown = Shown { file, rig, node, source, mirrored: model.matrix3.determinant() < 0.0, options };
        for group in groups(file, mesh) {
            let built = shown.build(mesh, &group, findings)?;
            vertices = vertices
                .saturating_add(built.as_ref().map_or(0, |m| m.positions.len() + m.indices.len()) as u64);
            limits::check("vertices", vertices, options.limits.vertices)?;
            out.extend(built);
        }
    }
    let unused = (0..file.document.meshes.len()).filter(|mesh| {
        !rig.nodes.iter().any(|&n| file.document.nodes.get(n).is_some_and(|n| n.mesh == Some(*mesh)))
    });
    for mesh in unused {
        let name = file.document.meshes.get(mesh).map_or("", |m| m.name.as_str());
        let message = "no node of the scene shows it".to_owned();
        findings.push(Finding::new(&findings::MESH_UNUSED, format!("meshes[{mesh}] `{name}`"), message));
    }
    Ok(out)
}

/// Primitives with the same vertices, and which texture coordinates their materials show.
struct Group<'a> {
    primitives: Vec<&'a Primitive>,
    uv: Uv,
}

#[derive(Clone, Copy, PartialEq, Default)]
struct Uv {
    set: usize,
    transform: Option<TextureTransform>,
}

fn groups<'a>(file: &File, mesh: &'a json::Mesh) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for primitive in &mesh.primitives {
        let uv = uv(file, primitive);
        let same = |group: &&mut Group<'a>| {
            let first = group.primitives.first();
            group.uv == uv
                && first
                    .is_some_and(|f| f.attributes == primitive.attributes && f.targets == primitive.targets)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.primitives.push(primitive),
            None => groups.push(Group { primitives: vec![primitive], uv }),
        }
    }
    groups
}

fn uv(file: &File, primitive: &Primitive) -> Uv {
    let material = primitive.material.and_then(|m| file.document.materials.get(m));
    let Some(info) = material.and_then(|m| m.pbr_metallic_roughness.base_color_texture.as_ref()) else {
        return Uv::default();
    };
    let transform = info.extensions.transform;
    Uv { set: transform.and_then(|t| t.tex_coord).unwrap_or(info.tex_coord), transform }
}

/// A mesh on a node.
struct Shown<'a> {
    file: &'a File,
    rig: &'a Rig,
    node: usize,
    source: &'a json::Node,
    mirrored: bool,
    options: &'a Options,
}

impl Shown<'_> {
    fn build(
        &self,
        mesh: &json::Mesh,
        group: &Group<'_>,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<Mesh>, Cause> {
        let name = if mesh.name.is_empty() { self.rig.name(self.node) } else { &mesh.name };
        let place = format!("nodes[{}] `{name}`", self.node);
        let Some(attributes) = group.primitives.first().map(|p| &p.attributes) else { return Ok(None) };
        let Some(position) = attributes.position else {
            let message = "a primitive has no positions".to_owned();
            findings.push(Finding::new(&findings::GEOMETRY_UNSUPPORTED, place, message));
            return Ok(None);
        };
        let mut reader = Reader { shown: self, count: 0, invalid: 0 };
        let positions = reader.positions(position)?;
        let mut out = Mesh {
            joint: self.rig.joint(self.node),
            normals: reader.attribute(attributes.normal, Vec3::from_array)?,
            tangents: reader.attribute(attributes.tangent, Vec4::from_array)?,
            uvs: reader.uvs(attributes, &group.uv)?,
            colors: reader.colors(attributes.color_0)?,
            morphs: reader.morphs(group, mesh)?,
            positions,
            ..Mesh::new(name)
        };
        if reader.invalid > 0 {
            let message = format!("{} numbers are not finite and were set to zero", reader.invalid);
            findings.push(Finding::new(&findings::MESH_NOT_FINITE, &place, message).count(reader.invalid));
        }
        if let Some(skin) = self.source.skin {
            skin::skin(self, skin, attributes, &mut out, &place, findings)?;
        }
        for primitive in &group.primitives {
            self.part(primitive, &mut out, &place, findings)?;
        }
        Ok((!out.indices.is_empty()).then_some(out))
    }

    /// The triangles of a primitive as a part.
    fn part(
        &self,
        primitive: &Primitive,
        out: &mut Mesh,
        place: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Cause> {
        let limit = ("vertices", self.options.limits.vertices);
        let corners = match primitive.indices {
            Some(accessor) => self.file.indices(accessor, limit)?,
            None => (0..u32::try_from(out.positions.len()).unwrap_or(u32::MAX)).collect(),
        };
        if let Some(index) = corners.iter().find(|&&i| i as usize >= out.positions.len()) {
            let what = format!("an index is {index}, but there are only {} vertices", out.positions.len());
            return Err(Cause::malformed(what, place));
        }
        let Some(mut triangles) = triangles::triangles(&corners, primitive.mode.unwrap_or(4)) else {
            let message = "points and lines are not drawn".to_owned();
            findings.push(Finding::new(&findings::GEOMETRY_UNSUPPORTED, place, message));
            return Ok(());
        };
        let mode = primitive.mode.unwrap_or(4);
        if mode == 4 && !corners.len().is_multiple_of(3) {
            let message = format!("{} corners behind the last triangle make none", corners.len() % 3);
            findings.push(Finding::new(&findings::MESH_DEGENERATE, place, message));
        }
        if self.mirrored {
            triangles.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let material = primitive.material;
        if material.is_some_and(|m| m >= self.file.document.materials.len()) {
            return Err(Cause::malformed("its material does not exist", place));
        }
        let too_many = |_| Cause::malformed("it has too many indices", place);
        let first = u32::try_from(out.indices.len()).map_err(too_many)?;
        let count = u32::try_from(triangles.len()).map_err(too_many)?;
        if count > 0 {
            out.parts.push(Part { material, first, count });
            out.indices.append(&mut triangles);
        }
        Ok(())
    }
}

/// Reads the attributes of one group, all of one length.
struct Reader<'a> {
    shown: &'a Shown<'a>,
    count: usize,
    /// Numbers that are none.
    invalid: usize,
}

impl Reader<'_> {
    fn values(&mut self, accessor: usize) -> Result<Values, Cause> {
        let limit = ("vertices", self.shown.options.limits.vertices);
        let mut values = self.shown.file.numbers(accessor, limit)?;
        for number in values.numbers.iter_mut().filter(|n| !n.is_finite()) {
            *number = 0.0;
            self.invalid += 1;
        }
        Ok(values)
    }

    fn positions(&mut self, accessor: usize) -> Result<Vec<Vec3>, Cause> {
        let values = self.values(accessor)?;
        self.count = values.count();
        let elements = values.elements::<3>().ok_or_else(|| wrong(accessor, "holds no positions"))?;
        Ok(elements.iter().copied().map(Vec3::from_array).collect())
    }

    fn attribute<const N: usize, T>(
        &mut self,
        accessor: Option<usize>,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, Cause> {
        let Some(accessor) = accessor else { return Ok(Vec::new()) };
        let values = self.values(accessor)?;
        let elements =
            values.elements::<N>().ok_or_else(|| wrong(accessor, "is of another type than its attribute"))?;
        if elements.len() != self.count {
            let what = format!("has {} elements for {} vertices", elements.len(), self.count);
            return Err(wrong(accessor, &what));
        }
        Ok(elements.iter().copied().map(make).collect())
    }

    /// Colours may come without alpha.
    fn colors(&mut self, accessor: Option<usize>) -> Result<Vec<Vec4>, Cause> {
        let three = accessor
            .and_then(|a| self.shown.file.document.accessors.get(a))
            .is_some_and(|a| a.kind == "VEC3");
        if three {
            return self.attribute(accessor, |c: [f32; 3]| Vec3::from_array(c).extend(1.0));
        }
        self.attribute(accessor, Vec4::from_array)
    }

    /// Coordinates of the set that the material shows, moved as it says.
    fn uvs(&mut self, attributes: &Attributes, uv: &Uv) -> Result<Vec<Vec2>, Cause> {
        let mut uvs = self.attribute(attributes.texcoord(uv.set), Vec2::from_array)?;
        if let Some(transform) = uv.transform {
            let (offset, scale) = (transform.offset.unwrap_or([0.0; 2]), transform.scale.unwrap_or([1.0; 2]));
            let (sin, cos) =
                (f64::from(transform.rotation).sin() as f32, f64::from(transform.rotation).cos() as f32);
            for uv in &mut uvs {
                let scaled = *uv * Vec2::from_array(scale);
                // Counter-clockwise as one sees it: V points down.
                let turned = Vec2::new(cos * scaled.x + sin * scaled.y, cos * scaled.y - sin * scaled.x);
                *uv = turned + Vec2::from_array(offset);
            }
        }
        Ok(uvs)
    }

    fn morphs(&mut self, group: &Group<'_>, mesh: &json::Mesh) -> Result<Vec<MorphTarget>, Cause> {
        let targets = group.primitives.first().map(|p| p.targets.as_slice()).unwrap_or_default();
        let Some(first) = self.shown.rig.first_scalar.get(self.shown.node).copied().flatten() else {
            return Ok(Vec::new());
        };
        let mut morphs = Vec::with_capacity(targets.len());
        for (index, target) in targets.iter().enumerate() {
            let positions = self.attribute(target.position, Vec3::from_array)?;
            let normals = self.attribute(target.normal, Vec3::from_array)?;
            let tangents = self.attribute(target.tangent, Vec3::from_array)?;
            let at = |list: &[Vec3], vertex: usize| list.get(vertex).copied().unwrap_or(Vec3::ZERO);
            let deltas = (0..self.count).map(|vertex| MorphDelta {
                vertex: vertex as u32,
                position: at(&positions, vertex),
                normal: at(&normals, vertex),
                tangent: at(&tangents, vertex),
            });
            let moves = |d: &MorphDelta| [d.position, d.normal, d.tangent] != [Vec3::ZERO; 3];
            let scalar = u16::try_from(index).ok().and_then(|index| first.checked_add(index));
            let scalar =
                scalar.ok_or_else(|| Cause::malformed("there are too many morph targets", &mesh.name))?;
            let name = self.shown.rig.scalars.get(usize::from(scalar)).map(|s| s.name.clone());
            let name = name.unwrap_or_default();
            morphs.push(MorphTarget { name, scalar, deltas: deltas.filter(moves).collect() });
        }
        Ok(morphs)
    }
}

fn wrong(accessor: usize, what: &str) -> Cause {
    Cause::malformed(what, format!("accessors[{accessor}]"))
}

/// An inverse bind out of sixteen numbers, column by column.
fn affine(m: &[f32; 16]) -> Affine3 {
    Affine3::from_mat4(glam::Mat4::from_cols_array(m))
}
