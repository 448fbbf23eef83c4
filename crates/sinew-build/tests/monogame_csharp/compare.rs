//! Compares what the C# computes with the run time: skin matrices by the names of joints, vertices by the triangles that they are corners of.

use crate::csharp::CSharp;
use sinew::glam::{Affine3, Mat3, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Instance};
use sinew_xnb::{Asset, Model, Xnb};

/// Largest distance, in shares of the character's size, that counts as equal.
pub const TOLERANCE: f32 = 1e-4;

/// An affine matrix from sixteen numbers for row vectors.
pub fn affine(m: &[f32]) -> Affine3 {
    let column = |at: usize| Vec3::new(m[at], m[at + 1], m[at + 2]);
    Affine3 { matrix3: Mat3::from_cols(column(0), column(4), column(8)), translation: column(12) }
}

/// The box around a character, which matrices are compared by.
pub struct Extent {
    corners: [Vec3; 8],
    pub size: f32,
}

impl Extent {
    pub fn of(character: &Character) -> Self {
        let bounds = character.rest_bounds();
        let ends = [bounds.min, bounds.max];
        let corner = |i: usize| Vec3::new(ends[i & 1].x, ends[i >> 1 & 1].y, ends[i >> 2].z);
        Self { corners: std::array::from_fn(corner), size: character.size() }
    }

    /// How far two matrices carry the corners apart, in shares of the character's size.
    pub fn distance(&self, a: &Affine3, b: &Affine3) -> f32 {
        let apart = self.corners.map(|c| a.transform_point3(c).distance(b.transform_point3(c)));
        apart.into_iter().fold(0.0, f32::max) / self.size
    }
}

/// A character, and which of its vertices and joints those of the XNB are.
pub struct Pair<'a> {
    character: &'a Character,
    extent: Extent,
    /// For each mesh of the XNB: the mesh, and for each vertex of its parts, in order, the vertex.
    vertices: Vec<(usize, Vec<usize>)>,
    /// Names of the bones.
    bones: Vec<String>,
    /// The largest errors so far, in shares of the character's size; of normals as they are.
    pub matrix_error: f32,
    pub vertex_error: f32,
    pub normal_error: f32,
}

impl<'a> Pair<'a> {
    /// For the model of an XNB file.
    pub fn new(character: &'a Character, xnb: &[u8]) -> Self {
        let model = model(xnb);
        let meshes = character.meshes().iter().enumerate().filter(|(_, mesh)| !mesh.indices.is_empty());
        let vertices: Vec<_> = meshes
            .zip(&model.meshes)
            .map(|((index, mesh), written)| (index, vertices_of(&mesh.indices, &model, written)))
            .collect();
        assert_eq!(vertices.len(), model.meshes.len());
        let bones = model.bones.iter().map(|bone| bone.name.clone()).collect();
        let extent = Extent::of(character);
        Self { character, extent, vertices, bones, matrix_error: 0.0, vertex_error: 0.0, normal_error: 0.0 }
    }

    /// Compares the skin matrices of the driver with those of an instance.
    pub fn skin(&mut self, csharp: &mut CSharp, instance: &Instance, when: &str) {
        let numbers = csharp.tell(&["skin"]).numbers;
        let got: Vec<Affine3> = numbers.as_chunks::<16>().0.iter().map(|m| affine(m)).collect();
        assert_eq!(got.len(), self.bones.len(), "one for each bone");
        for (index, mesh) in self.character.meshes().iter().enumerate() {
            let Some(skin) = &mesh.skin else { continue };
            for (&joint, expected) in skin.joints.iter().zip(instance.skin_matrices(index)) {
                let name = self.character.skeleton().name(joint);
                let expected = (*expected).into();
                let error = self.of_joint(name).map(|bone| self.extent.distance(&got[bone], &expected));
                let error = error.fold(f32::INFINITY, f32::min);
                assert!(error <= TOLERANCE, "{when}: {name} is off by {error} of the size");
                self.matrix_error = self.matrix_error.max(error);
            }
        }
    }

    /// The bones of a joint: more than one if meshes were bound to it in different places. Unweighted leaves have none.
    fn of_joint<'b>(&'b self, name: &'b str) -> impl Iterator<Item = usize> + 'b {
        let is = move |bone: &str| {
            bone.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("$bind"))
        };
        self.bones.iter().enumerate().filter(move |(_, bone)| is(bone)).map(|(index, _)| index)
    }

    /// Compares vertices that the C# skinned with those of the run time.
    pub fn vertices(&mut self, csharp: &mut CSharp, instance: &Instance, when: &str) {
        let numbers = csharp.tell(&["vertices"]).numbers;
        let mut got = numbers.as_chunks::<6>().0.iter();
        let size = self.extent.size;
        for (mesh, sources) in &self.vertices {
            let source = &self.character.meshes()[*mesh];
            let mut expected = SkinnedVertices::for_mesh(source);
            let scalars = instance.pose().scalars();
            expected
                .skin(source, instance.skin_matrices(*mesh), scalars)
                .expect("the run time skins its own mesh");
            for &vertex in sources {
                let got = got.next().expect("as many vertices");
                let error = expected.positions[vertex].distance(Vec3::from_slice(&got[..3])) / size;
                assert!(
                    error <= TOLERANCE,
                    "{when}: vertex {vertex} of {} is off by {error} of the size",
                    source.name
                );
                self.vertex_error = self.vertex_error.max(error);
                let normal =
                    expected.normals.get(vertex).map_or(0.0, |n| n.distance(Vec3::from_slice(&got[3..])));
                assert!(
                    normal <= 1e-3,
                    "{when}: the normal of vertex {vertex} of {} is off by {normal}",
                    source.name
                );
                self.normal_error = self.normal_error.max(normal);
            }
        }
        assert!(got.next().is_none(), "no more vertices");
    }
}

/// The model in an XNB file.
pub fn model(xnb: &[u8]) -> Model {
    match sinew_xnb::read(xnb, 1 << 30) {
        Ok(Xnb { asset: Asset::Model(model), .. }) => model,
        other => panic!("not a model: {other:?}"),
    }
}

/// The source's number of each written vertex. Triangles are written in the order of the source, with the other winding.
fn vertices_of(indices: &[u32], model: &Model, mesh: &sinew_xnb::Mesh) -> Vec<usize> {
    let mut triangles = indices.as_chunks::<3>().0.iter();
    let mut all = Vec::new();
    for part in &mesh.parts {
        let written = &model.indices(part).expect("parts have indices").indices;
        let mut sources = vec![usize::MAX; part.vertex_count as usize];
        for triangle in
            written[part.first_index as usize..].as_chunks::<3>().0.iter().take(part.triangles as usize)
        {
            let [a, c, b] = *triangles.next().expect("as many triangles");
            for (vertex, source) in triangle.iter().zip([a, b, c]) {
                sources[*vertex as usize] = source as usize;
            }
        }
        assert!(!sources.contains(&usize::MAX), "every vertex is a corner");
        all.extend(sources);
    }
    assert!(triangles.next().is_none(), "every triangle is written");
    all
}
