//! Sections `MESH`, `SKIN` and `MRPH`. Indices, weights and numbers are checked by [`crate::Character::new`].

use super::cursor::Cursor;
use super::layout::{
    HAS_COLORS, HAS_NORMALS, HAS_SECOND_UVS, HAS_TANGENTS, HAS_UVS, MeshHeader, MorphHeader, NONE,
    PartRecord, SkinHeader, TargetRecord,
};
use super::{BundleError, Section};
use crate::{Bytes, Influences, Mesh, MorphDelta, MorphTarget, Part, Skin, Text};

pub(super) fn mesh(section: Section<'_>, file: &Bytes) -> Result<Mesh, BundleError> {
    let mut cursor = Cursor::within(section, file);
    let header: MeshHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let known = HAS_NORMALS | HAS_TANGENTS | HAS_UVS | HAS_SECOND_UVS | HAS_COLORS;
    cursor.check(header.attributes & !known == 0, "it has unknown attributes")?;
    let has = |bit| header.attributes & bit != 0;
    let count = header.vertices as usize;
    let mesh = Mesh {
        name: Text::default(),
        joint: header.joint,
        skin: None,
        positions: cursor.buffer(count)?,
        normals: cursor.buffer_if(has(HAS_NORMALS), count)?,
        tangents: cursor.buffer_if(has(HAS_TANGENTS), count)?,
        uvs: cursor.buffer_if(has(HAS_UVS), count)?,
        second_uvs: cursor.buffer_if(has(HAS_SECOND_UVS), count)?,
        colors: cursor.buffer_if(has(HAS_COLORS), count)?,
        influences: Influences::default(),
        morphs: Vec::new(),
        indices: cursor.buffer(header.indices as usize)?,
        parts: Vec::new(),
    };
    let parts = cursor.view::<PartRecord>(header.parts as usize)?;
    let reaches = |part: &PartRecord| u64::from(part.first) + u64::from(part.count);
    cursor.check(
        parts.iter().all(|part| reaches(part) <= u64::from(header.indices)),
        "a part extends beyond the indices",
    )?;
    let parts = parts.iter().map(|part| Part {
        material: Some(part.material).filter(|&m| m != NONE).map(|m| m as usize),
        first: part.first,
        count: part.count,
    });
    let mesh = Mesh { name: cursor.text()?, parts: parts.collect(), ..mesh };
    cursor.finish()?;
    Ok(mesh)
}

pub(super) fn skin(
    section: Section<'_>,
    file: &Bytes,
    vertices: usize,
) -> Result<(Skin, Influences), BundleError> {
    let mut cursor = Cursor::within(section, file);
    let header: SkinHeader = cursor.record()?;
    let shares = header.dual_quaternion as usize;
    cursor
        .check(shares == 0 || shares == vertices, "its number of shares differs from its mesh's vertices")?;
    cursor.check(header.vertices as usize == vertices, "its number of vertices differs from its mesh's")?;
    cursor.check(matches!(header.per_vertex, 4 | 8), "its influences per vertex are neither 4 nor 8")?;
    let (joints, per_vertex) = (header.joints as usize, header.per_vertex as usize);
    let pairs = vertices.checked_mul(per_vertex).ok_or_else(|| cursor.wrong("it has too many influences"))?;
    let skin = Skin { joints: cursor.buffer(joints)?, inverse_binds: cursor.buffer(joints)? };
    let influences = Influences {
        per_vertex,
        skin_joints: cursor.buffer(pairs)?,
        weights: cursor.buffer(pairs)?,
        dual_quaternion: cursor.buffer_if(shares > 0, shares)?,
    };
    cursor.finish()?;
    Ok((skin, influences))
}

pub(super) fn morphs(section: Section<'_>, file: &Bytes) -> Result<Vec<MorphTarget>, BundleError> {
    let mut cursor = Cursor::within(section, file);
    let header: MorphHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let targets = cursor.view::<TargetRecord>(header.targets as usize)?;
    let total: u64 = targets.iter().map(|t| u64::from(t.deltas)).sum();
    cursor.check(total == u64::from(header.deltas), "its targets have other deltas than its header says")?;
    let mut deltas = cursor.pool::<MorphDelta>(header.deltas as usize)?;
    let names = cursor.texts(header.targets as usize)?;
    let morphs = names.texts().zip(&*targets).map(|(name, target)| {
        let scalar =
            u16::try_from(target.scalar).map_err(|_| cursor.wrong("a target's scalar is out of range"))?;
        Ok(MorphTarget { name, scalar, deltas: deltas.take(target.deltas as usize) })
    });
    let morphs = morphs.collect::<Result<_, BundleError>>()?;
    cursor.finish()?;
    Ok(morphs)
}
