//! What is drawn: vertices, the skin that carries them, and the shapes they morph into.

use crate::math::{all_finite, in_blocks};
use crate::{Buffer, Mat3x4, Text};
use glam::{Vec2, Vec3, Vec4};

/// Which joints deform a mesh, and where each stood when the mesh was bound. Vertices index [`Skin::joints`], not the skeleton's joints.
///
/// Two meshes of one character may be bound to one joint at different places, so each mesh has a skin of its own.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Skin {
    /// Indices of the skeleton's joints.
    pub joints: Buffer<u16>,
    /// From model space to the joint's space at bind, for each of them.
    pub inverse_binds: Buffer<Mat3x4>,
}

/// Joints and weights of every vertex, a fixed number (4 or 8) each, the strongest first, unused ones of weight zero.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Influences {
    /// Influences per vertex: 4 or 8.
    pub per_vertex: usize,
    /// Indices into [`Skin::joints`], `per_vertex` for each vertex.
    pub skin_joints: Buffer<u16>,
    /// Weights that sum to one, or are all zero for a vertex that stays put.
    pub weights: Buffer<f32>,
    /// How much of each vertex is blended by dual quaternions instead of linearly, 0…1: as many as vertices, or none if all is linear.
    pub dual_quaternion: Buffer<f32>,
}

impl Influences {
    /// Indices into [`Skin::joints`] and weights of one vertex.
    #[inline]
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        let range = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        self.skin_joints[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }
}

/// How far one vertex moves at full weight of a morph target.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct MorphDelta {
    /// Index of the vertex.
    pub vertex: u32,
    /// Change of position.
    pub position: Vec3,
    /// Change of normal.
    pub normal: Vec3,
    /// Change of tangent direction.
    pub tangent: Vec3,
}

/// A shape that the mesh can take on, as the vertices that move.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphTarget {
    /// Name in the source file.
    pub name: Text,
    /// Scalar of the pose that holds its weight.
    pub scalar: u16,
    /// The vertices that move, each at most once.
    pub deltas: Buffer<MorphDelta>,
}

/// A run of triangles with one material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Index of the material, if any.
    pub material: Option<usize>,
    /// First index.
    pub first: u32,
    /// Number of indices.
    pub count: u32,
}

/// Vertices and triangles.
///
/// With a [`Skin`], positions are in model space as they were at bind. Without one, they are in the space of `joint`, which
/// carries the mesh rigidly.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Name in the source file.
    pub name: Text,
    /// The node that the mesh stands on, [`crate::NO_JOINT`] for none.
    pub joint: u16,
    /// The joints that carry it, if it is skinned.
    pub skin: Option<Skin>,
    /// Positions.
    pub positions: Buffer<Vec3>,
    /// Unit normals: as many as positions, or none.
    pub normals: Buffer<Vec3>,
    /// Unit tangents with the sign of the bitangent in `w`: as many as positions, or none.
    pub tangents: Buffer<Vec4>,
    /// Texture coordinates, origin top-left: as many as positions, or none.
    pub uvs: Buffer<Vec2>,
    /// A second set of texture coordinates: as many as positions, or none.
    pub second_uvs: Buffer<Vec2>,
    /// Linear RGBA: as many as positions, or none.
    pub colors: Buffer<Vec4>,
    /// Joints and weights, if it is skinned.
    pub influences: Influences,
    /// Morph targets.
    pub morphs: Vec<MorphTarget>,
    /// Triangles, three vertices each, counter-clockwise from the front: with a skin as the rest pose shows them, without one in the space of the
    /// joint.
    pub indices: Buffer<u32>,
    /// Runs of triangles by material.
    pub parts: Vec<Part>,
}

impl Mesh {
    /// An empty mesh without a joint.
    pub fn new(name: impl Into<Text>) -> Self {
        Self {
            name: name.into(),
            joint: crate::NO_JOINT,
            skin: None,
            positions: Buffer::new(),
            normals: Buffer::new(),
            tangents: Buffer::new(),
            uvs: Buffer::new(),
            second_uvs: Buffer::new(),
            colors: Buffer::new(),
            influences: Influences::default(),
            morphs: Vec::new(),
            indices: Buffer::new(),
            parts: Vec::new(),
        }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Number of matrices that [`Mesh::skin_matrices`] writes: one per joint of the skin, one for a rigid mesh.
    pub fn skin_matrix_count(&self) -> usize {
        self.skin.as_ref().map_or(1, |skin| skin.joints.len())
    }

    /// The matrices that carry this mesh's vertices into model space: skin matrices, or the one of the joint that it hangs on.
    ///
    /// Fails if `out` is shorter than [`Mesh::skin_matrix_count`] or `model` lacks a joint.
    pub fn skin_matrices(&self, model: &[Mat3x4], out: &mut [Mat3x4]) -> Result<(), crate::JobError> {
        if let Some(skin) = &self.skin {
            return crate::job::skin_matrices(skin, model, out);
        }
        crate::job::at_least("out", 1, out.len())?;
        out[0] = if self.joint == crate::NO_JOINT {
            Mat3x4::IDENTITY
        } else {
            crate::job::at_least("model", usize::from(self.joint) + 1, model.len())?;
            model[usize::from(self.joint)]
        };
        Ok(())
    }

    /// Says what is wrong with the mesh, given how many joints, scalars and materials its character has.
    pub fn validate(&self, joints: usize, scalars: usize, materials: usize) -> Result<(), MeshError> {
        let n = self.positions.len();
        self.check_lengths(n)?;
        self.check_numbers()?;
        self.check_triangles(n, materials)?;
        self.check_skin(joints)?;
        for morph in &self.morphs {
            if usize::from(morph.scalar) >= scalars {
                return Err(MeshError::Index {
                    what: "morph.scalar",
                    index: morph.scalar.into(),
                    count: scalars,
                });
            }
            if let Some(delta) = morph.deltas.iter().find(|d| d.vertex as usize >= n) {
                return Err(MeshError::Index {
                    what: "morph.vertex",
                    index: delta.vertex as usize,
                    count: n,
                });
            }
        }
        Ok(())
    }

    fn check_lengths(&self, n: usize) -> Result<(), MeshError> {
        for (what, got) in [
            ("normals", self.normals.len()),
            ("tangents", self.tangents.len()),
            ("uvs", self.uvs.len()),
            ("second_uvs", self.second_uvs.len()),
            ("colors", self.colors.len()),
        ] {
            if got != 0 && got != n {
                return Err(MeshError::Length { what, expected: n, got });
            }
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), MeshError> {
        let finite = all_finite(&self.positions)
            && all_finite(&self.normals)
            && all_finite(&self.tangents)
            && all_finite(&self.uvs)
            && all_finite(&self.second_uvs)
            && all_finite(&self.colors)
            && self
                .morphs
                .iter()
                .flat_map(|m| &m.deltas)
                .all(|d| d.position.is_finite() && d.normal.is_finite() && d.tangent.is_finite());
        if finite { Ok(()) } else { Err(MeshError::NotFinite) }
    }

    fn check_triangles(&self, n: usize, materials: usize) -> Result<(), MeshError> {
        if !self.indices.len().is_multiple_of(3) {
            return Err(MeshError::Length {
                what: "indices",
                expected: self.indices.len().next_multiple_of(3),
                got: self.indices.len(),
            });
        }
        if !in_blocks(&self.indices, |&index| (index as usize) < n) {
            let index = self.indices.iter().max().map_or(0, |&index| index as usize);
            return Err(MeshError::Index { what: "indices", index, count: n });
        }
        for part in &self.parts {
            if let Some(material) = part.material.filter(|&m| m >= materials) {
                return Err(MeshError::Index { what: "part.material", index: material, count: materials });
            }
            let end = part.first as usize + part.count as usize;
            if end > self.indices.len() || !part.count.is_multiple_of(3) || !part.first.is_multiple_of(3) {
                return Err(MeshError::Index { what: "part", index: end, count: self.indices.len() });
            }
        }
        Ok(())
    }

    fn check_skin(&self, joints: usize) -> Result<(), MeshError> {
        if self.joint != crate::NO_JOINT && usize::from(self.joint) >= joints {
            return Err(MeshError::Index { what: "joint", index: self.joint.into(), count: joints });
        }
        let Some(skin) = &self.skin else { return Ok(()) };
        let n = skin.joints.len();
        if let Some(&joint) = skin.joints.iter().find(|&&j| usize::from(j) >= joints) {
            return Err(MeshError::Index { what: "skin.joints", index: joint.into(), count: joints });
        }
        if skin.inverse_binds.len() != n {
            return Err(MeshError::Length {
                what: "skin.inverse_binds",
                expected: n,
                got: skin.inverse_binds.len(),
            });
        }
        if !skin.inverse_binds.iter().all(Mat3x4::is_finite) {
            return Err(MeshError::NotFinite);
        }
        let expected = self.positions.len() * self.influences.per_vertex;
        if !matches!(self.influences.per_vertex, 4 | 8) {
            return Err(MeshError::Length {
                what: "influences.per_vertex",
                expected: 4,
                got: self.influences.per_vertex,
            });
        }
        for (what, got) in [
            ("influences.skin_joints", self.influences.skin_joints.len()),
            ("influences.weights", self.influences.weights.len()),
        ] {
            if got != expected {
                return Err(MeshError::Length { what, expected, got });
            }
        }
        let shares = &self.influences.dual_quaternion;
        if !shares.is_empty() && shares.len() != self.positions.len() {
            let (what, expected) = ("influences.dual_quaternion", self.positions.len());
            return Err(MeshError::Length { what, expected, got: shares.len() });
        }
        if let Some(vertex) = shares.iter().position(|share| !(0.0..=1.0).contains(share)) {
            return Err(MeshError::Weight { vertex, sum: shares[vertex] });
        }
        self.check_weights(n)
    }

    fn check_weights(&self, joints: usize) -> Result<(), MeshError> {
        let wrong = match self.influences.per_vertex {
            8 => self.influences.first_wrong::<8>(joints),
            _ => self.influences.first_wrong::<4>(joints),
        };
        let Some(vertex) = wrong else { return Ok(()) };
        let stray = self.influences.of(vertex).find(|&(joint, w)| w != 0.0 && usize::from(joint) >= joints);
        if let Some((joint, _)) = stray {
            return Err(MeshError::Index {
                what: "influences.skin_joints",
                index: joint.into(),
                count: joints,
            });
        }
        let outside = self.influences.of(vertex).map(|(_, w)| w).find(|w| !(0.0..=1.001).contains(w));
        let sum = outside.unwrap_or_else(|| self.influences.of(vertex).map(|(_, w)| w).sum());
        Err(MeshError::Weight { vertex, sum })
    }
}

impl Influences {
    /// Whether all is in range, also joints without weight. By arrays, in blocks: loading a bundle waits for this.
    fn is_plainly_right<const N: usize>(&self, joints: usize) -> bool {
        in_blocks(&self.skin_joints, |&joint| usize::from(joint) < joints)
            && in_blocks(&self.weights, |weight| (0.0..=1.001).contains(weight))
            && in_blocks(self.weights.as_chunks::<N>().0, |weights| {
                let sum: f32 = weights.iter().sum();
                (sum == 0.0) | ((sum - 1.0).abs() <= 1e-3)
            })
    }

    /// The first vertex with an index or a weight out of range.
    fn first_wrong<const N: usize>(&self, joints: usize) -> Option<usize> {
        if self.is_plainly_right::<N>(joints) {
            return None;
        }
        let mut pairs = self.skin_joints.as_chunks::<N>().0.iter().zip(self.weights.as_chunks::<N>().0);
        pairs.position(|(of, weights)| {
            let (mut sum, mut wrong) = (0.0f32, false);
            for (&joint, &weight) in of.iter().zip(weights) {
                wrong |= (weight != 0.0) & (usize::from(joint) >= joints);
                // Written so that NaN is refused, too.
                wrong |= !(0.0..=1.001).contains(&weight);
                sum += weight;
            }
            wrong | ((sum != 0.0) & ((sum - 1.0).abs() > 1e-3))
        })
    }
}

/// Why a mesh was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// An array that must be as long as another is not.
    #[error("{what} has {got} elements where {expected} are meant")]
    Length {
        /// Which array.
        what: &'static str,
        /// Length it must have.
        expected: usize,
        /// Length it has.
        got: usize,
    },
    /// An index out of range.
    #[error("{what} is {index}, but there are only {count}")]
    Index {
        /// Which index.
        what: &'static str,
        /// Its value.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A number that is not finite.
    #[error("a vertex, morph or inverse bind is not a finite number")]
    NotFinite,
    /// Weights that do not sum to one or are negative.
    #[error("the weights of vertex {vertex} are negative or sum to {sum} instead of 1")]
    Weight {
        /// Index of the vertex.
        vertex: usize,
        /// The sum, or the weight that is wrong.
        sum: f32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> Mesh {
        Mesh {
            joint: 0,
            positions: [Vec3::ZERO, Vec3::X, Vec3::Y].into(),
            indices: [0, 1, 2].into(),
            parts: vec![Part { material: None, first: 0, count: 3 }],
            skin: Some(Skin { joints: [0].into(), inverse_binds: [Mat3x4::IDENTITY].into() }),
            influences: Influences {
                per_vertex: 4,
                skin_joints: [0; 12].into(),
                weights: [1.0, 0.0, 0.0, 0.0].repeat(3).into(),
                ..Influences::default()
            },
            ..Mesh::new("triangle")
        }
    }

    #[test]
    fn every_fault_is_found() {
        assert_eq!(triangle().validate(1, 0, 0), Ok(()));
        let faults: [fn(&mut Mesh); 12] = [
            |m| m.normals.push(Vec3::X),
            |m| m.positions[1].x = f32::NAN,
            |m| m.indices[0] = 3,
            |m| m.indices.push(0),
            |m| m.parts[0].material = Some(0),
            |m| m.parts[0].count = 6,
            |m| m.joint = 1,
            |m| m.influences.skin_joints[0] = 1,
            |m| m.influences.weights[0] = 0.5,
            |m| m.influences.weights[5] = f32::NAN,
            |m| m.influences.weights[4..6].copy_from_slice(&[1.5, -0.5]),
            |m| m.morphs.push(MorphTarget { name: Text::default(), scalar: 0, deltas: Buffer::new() }),
        ];
        for (i, fault) in faults.iter().enumerate() {
            let mut mesh = triangle();
            fault(&mut mesh);
            assert!(mesh.validate(1, 0, 0).is_err(), "fault {i}");
        }
    }

    #[test]
    fn a_rigid_mesh_follows_its_joint() {
        let mesh = Mesh { skin: None, ..triangle() };
        let model = [Mat3x4::from_translation(Vec3::Z)];
        let mut out = [Mat3x4::IDENTITY];
        mesh.skin_matrices(&model, &mut out).unwrap();
        assert_eq!(out, model);
        assert!(mesh.skin_matrices(&[], &mut out).is_err());
    }
}
