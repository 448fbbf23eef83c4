//! Meshes with instances: vertices and triangles once for each instance, all in one mesh.

use super::{Shown, wrong};
use crate::gltf::accessor::Values;
use crate::gltf::json::InstanceAttributes;
use crate::{Budget, Cause, findings};
use glam::{Affine3A, Quat, Vec3, Vec4};
use sinew::{Finding, Mesh, MorphDelta, MorphTarget, Part};

/// Puts the instances of a node in the place of its mesh. A skinned mesh is where its joints are, so it has none.
pub(super) fn spread(
    shown: &Shown<'_>,
    mesh: &mut Mesh,
    budget: &Budget<'_>,
    place: &str,
    findings: &mut Vec<Finding>,
) -> Result<(), Cause> {
    let Some(instancing) = &shown.source.extensions.instancing else { return Ok(()) };
    if mesh.skin.is_some() {
        let message = "a skinned mesh has instances, which were left out".to_owned();
        findings.push(Finding::new(&findings::GEOMETRY_UNSUPPORTED, place, message));
        return Ok(());
    }
    let transforms = transforms(shown, &instancing.attributes, budget)?;
    let count = transforms.len() as u64;
    let deltas: u64 = mesh.morphs.iter().map(|morph| morph.deltas.len() as u64).sum();
    let (vertices, corners) = (mesh.positions.len() as u64, mesh.indices.len() as u64);
    budget.vertices(vertices.saturating_mul(count))?;
    budget.triangles((corners / 3).saturating_mul(count))?;
    budget.morph_deltas(deltas.saturating_mul(count))?;
    budget.meshes(mesh, count)?;
    if u32::try_from(count.saturating_mul(vertices.max(corners))).is_err() {
        return Err(Cause::malformed("its instances have too many vertices", place));
    }
    *mesh = repeated(mesh, &transforms);
    Ok(())
}

fn transforms(
    shown: &Shown<'_>,
    attributes: &InstanceAttributes,
    budget: &Budget<'_>,
) -> Result<Vec<Affine3A>, Cause> {
    let read = |accessor: Option<usize>| {
        let values = |accessor: usize| shown.file.numbers(accessor, budget).map(|v| (accessor, v));
        accessor.map(values).transpose()
    };
    let translations = read(attributes.translation)?;
    let rotations = read(attributes.rotation)?;
    let scales = read(attributes.scale)?;
    let all = || [&translations, &rotations, &scales].into_iter().flatten();
    let count = all().map(|(_, values)| values.count()).next().unwrap_or(0);
    if let Some((accessor, _)) = all().find(|(_, values)| values.count() != count) {
        return Err(wrong(*accessor, "has another number of instances than the others of its node"));
    }
    budget.list::<Affine3A>(count)?;
    let translations = elements::<3>(translations.as_ref())?;
    let rotations = elements::<4>(rotations.as_ref())?;
    let scales = elements::<3>(scales.as_ref())?;
    let vector = |list: &[[f32; 3]], index: usize, otherwise: Vec3| {
        list.get(index).copied().map(Vec3::from_array).filter(|v| v.is_finite()).unwrap_or(otherwise)
    };
    let transform = |index: usize| {
        let rotation = rotations.get(index).map_or(Quat::IDENTITY, |&r| sinew::math::normalize(r));
        Affine3A::from_scale_rotation_translation(
            vector(scales, index, Vec3::ONE),
            if rotation.is_finite() { rotation } else { Quat::IDENTITY },
            vector(translations, index, Vec3::ZERO),
        )
    };
    Ok((0..count).map(transform).collect())
}

fn elements<const N: usize>(values: Option<&(usize, Values)>) -> Result<&[[f32; N]], Cause> {
    let Some((accessor, values)) = values else { return Ok(&[]) };
    values.elements::<N>().ok_or_else(|| wrong(*accessor, "is of another type than its attribute"))
}

/// The mesh once for each transform.
fn repeated(mesh: &Mesh, transforms: &[Affine3A]) -> Mesh {
    let step = mesh.positions.len() as u32;
    let copies = || (0u32..).zip(transforms).map(|(copy, transform)| (copy * step, transform));
    let mut out = Mesh {
        positions: each(transforms, &mesh.positions, |t, p| t.transform_point3(p)).into(),
        normals: each(transforms, &mesh.normals, normal).into(),
        tangents: each(transforms, &mesh.tangents, tangent).into(),
        uvs: mesh.uvs.repeat(transforms.len()).into(),
        second_uvs: mesh.second_uvs.repeat(transforms.len()).into(),
        colors: mesh.colors.repeat(transforms.len()).into(),
        joint: mesh.joint,
        ..Mesh::new(&mesh.name)
    };
    for morph in &mesh.morphs {
        let mut deltas = Vec::with_capacity(morph.deltas.len() * transforms.len());
        for (first, t) in copies() {
            deltas.extend(morph.deltas.iter().map(|delta| MorphDelta {
                vertex: first + delta.vertex,
                position: t.transform_vector3(delta.position),
                normal: t.transform_vector3(delta.normal),
                tangent: t.transform_vector3(delta.tangent),
            }));
        }
        out.morphs.push(MorphTarget {
            name: morph.name.clone(),
            scalar: morph.scalar,
            deltas: deltas.into(),
        });
    }
    let mut indices = Vec::with_capacity(mesh.indices.len() * transforms.len());
    for part in &mesh.parts {
        let first = indices.len() as u32;
        let end = part.first.saturating_add(part.count) as usize;
        let corners = mesh.indices.get(part.first as usize..end).unwrap_or_default();
        for (vertex, transform) in copies() {
            let mirrored = is_mirrored(transform);
            for &[a, b, c] in corners.as_chunks::<3>().0 {
                let [b, c] = if mirrored { [c, b] } else { [b, c] };
                indices.extend([a, b, c].map(|corner| vertex + corner));
            }
        }
        out.parts.push(Part { first, count: indices.len() as u32 - first, ..*part });
    }
    out.indices = indices.into();
    out
}

/// A list once for each transform. Its length is known, so that it takes no more memory than was counted.
fn each<T: Copy>(transforms: &[Affine3A], list: &[T], change: impl Fn(&Affine3A, T) -> T) -> Vec<T> {
    let mut out = Vec::with_capacity(list.len() * transforms.len());
    for transform in transforms {
        out.extend(list.iter().map(|&item| change(transform, item)));
    }
    out
}

fn is_mirrored(transform: &Affine3A) -> bool {
    transform.matrix3.determinant() < 0.0
}

/// Normals go by the cofactors, which a scale of zero does not make infinite; a mirror turns them round.
fn normal(transform: &Affine3A, normal: Vec3) -> Vec3 {
    let [x, y, z] =
        [transform.matrix3.x_axis, transform.matrix3.y_axis, transform.matrix3.z_axis].map(Vec3::from);
    let turned = y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z;
    let turned = if is_mirrored(transform) { -turned } else { turned };
    sinew::math::normalize_or(turned, normal)
}

fn tangent(transform: &Affine3A, tangent: Vec4) -> Vec4 {
    let direction = tangent.truncate();
    let turned = sinew::math::normalize_or(transform.transform_vector3(direction), direction);
    turned.extend(if is_mirrored(transform) { -tangent.w } else { tangent.w })
}
