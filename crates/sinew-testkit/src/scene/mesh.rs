use glam::{DMat4, DVec2, DVec3};

/// What happens to texture coordinates outside 0…1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// The picture repeats.
    #[default]
    Repeat,
    /// The picture repeats, every other time mirrored. FBX cannot express it.
    Mirror,
    /// The picture's edge goes on.
    Clamp,
}

/// Picture that a material shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// Name in the file.
    pub name: String,
    /// File reference, relative to the model's folder, as written.
    pub file: String,
    /// The picture's bytes, where the file carries them itself.
    pub content: Option<Vec<u8>>,
    /// Wrapping along U and V; only written to COLLADA.
    pub wrap: [Wrap; 2],
}

/// A surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the file.
    pub name: String,
    /// Diffuse colour, linear, 0…1.
    pub diffuse: DVec3,
    /// Specular colour, 0…1; black is matt.
    pub specular: DVec3,
    /// Specular exponent.
    pub shininess: f64,
    /// Diffuse texture.
    pub texture: Option<Texture>,
    /// Whether the texture's alpha lets through what lies behind; only written to COLLADA.
    pub blended: bool,
}

impl Material {
    /// A matt surface of one colour.
    pub fn matt(name: impl Into<String>, diffuse: DVec3) -> Self {
        Self {
            name: name.into(),
            diffuse,
            specular: DVec3::ZERO,
            shininess: 1.0,
            texture: None,
            blended: false,
        }
    }

    /// The same surface with a highlight.
    pub fn glossy(mut self, specular: f64, shininess: f64) -> Self {
        self.specular = DVec3::splat(specular);
        self.shininess = shininess;
        self
    }
}

/// What one joint does to a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Node index of the joint.
    pub joint: usize,
    /// Vertex and weight.
    pub weights: Vec<(u32, f64)>,
    /// Model matrix of the joint when the mesh was bound (`TransformLink`).
    pub bind: DMat4,
    /// Model matrix of the mesh node when it was bound.
    pub mesh_bind: DMat4,
}

impl Cluster {
    /// Mesh space to joint space (`Transform` in FBX): the inverse bind matrix.
    pub fn inverse_bind(&self) -> DMat4 {
        self.bind.inverse() * self.mesh_bind
    }
}

/// Ties a mesh to joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// One cluster per joint that has weights.
    pub clusters: Vec<Cluster>,
}

impl Skin {
    /// A skin from per-vertex weights `(node index, weight)`; binds are identity until [`crate::scene::Scene::bind_to_rest`].
    /// Clusters are ordered by node index; weights of zero are left out.
    pub fn from_vertices(vertices: &[Vec<(usize, f64)>]) -> Self {
        let mut joints: Vec<usize> = vertices.iter().flatten().map(|w| w.0).collect();
        joints.sort_unstable();
        joints.dedup();
        let mut clusters: Vec<Cluster> = joints
            .iter()
            .map(|&joint| Cluster {
                joint,
                weights: Vec::new(),
                bind: DMat4::IDENTITY,
                mesh_bind: DMat4::IDENTITY,
            })
            .collect();
        for (vertex, weights) in vertices.iter().enumerate() {
            for &(joint, weight) in weights.iter().filter(|w| w.1 != 0.0) {
                if let Ok(slot) = joints.binary_search(&joint) {
                    clusters[slot].weights.push((vertex as u32, weight));
                }
            }
        }
        Self { clusters }
    }

    /// Weights of each vertex as `(cluster, weight)`, strongest first.
    pub fn by_vertex(&self, vertices: usize) -> Vec<Vec<(usize, f64)>> {
        let mut all = vec![Vec::new(); vertices];
        for (slot, cluster) in self.clusters.iter().enumerate() {
            for &(vertex, weight) in &cluster.weights {
                all[vertex as usize].push((slot, weight));
            }
        }
        for weights in &mut all {
            weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        all
    }
}

/// A blend shape: offsets of some vertices, with the weight that it stands at.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Name of the channel.
    pub name: String,
    /// Vertex and how far it moves at full weight.
    pub offsets: Vec<(u32, DVec3)>,
    /// Static weight in per cent.
    pub percent: f64,
}

/// A polygon mesh with per-vertex attributes; a seam repeats its vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Name in the file.
    pub name: String,
    /// Positions.
    pub vertices: Vec<DVec3>,
    /// Normals, one per vertex.
    pub normals: Vec<DVec3>,
    /// Texture coordinates, one per vertex, V up.
    pub uvs: Vec<DVec2>,
    /// Polygons, counter-clockwise from outside.
    pub faces: Vec<Vec<u32>>,
    /// Index into [`Mesh::materials`] of each face; empty means 0.
    pub face_materials: Vec<usize>,
    /// Indices into [`crate::scene::Scene::materials`].
    pub materials: Vec<usize>,
    /// Joints that move it; without a skin it follows its node.
    pub skin: Option<Skin>,
    /// Further skins, which only FBX can hold; weights of all are blended together.
    pub more_skins: Vec<Skin>,
    /// Blend shapes.
    pub shapes: Vec<Shape>,
}

impl Mesh {
    /// All skins.
    pub fn skins(&self) -> impl Iterator<Item = &Skin> {
        self.skin.iter().chain(&self.more_skins)
    }

    /// The clusters of all skins, to be changed.
    pub fn clusters_mut(&mut self) -> impl Iterator<Item = &mut Cluster> {
        self.skin.iter_mut().chain(&mut self.more_skins).flat_map(|skin| &mut skin.clusters)
    }

    pub(super) fn turn_to_z_up(&mut self) {
        let turn = DMat4::from_rotation_x(90f64.to_radians());
        let vectors = self.vertices.iter_mut().chain(&mut self.normals);
        let offsets = self.shapes.iter_mut().flat_map(|s| &mut s.offsets);
        for vector in vectors.chain(offsets.map(|o| &mut o.1)) {
            *vector = turn.transform_vector3(*vector);
        }
        assert!(self.skin.is_some(), "`{}` has no skin", self.name);
        for cluster in self.clusters_mut() {
            cluster.bind = turn * cluster.bind;
            cluster.mesh_bind = turn * cluster.mesh_bind * turn.inverse();
        }
    }

    pub(super) fn scale_lengths(&mut self, factor: f64) {
        for position in &mut self.vertices {
            *position *= factor;
        }
        for offset in self.shapes.iter_mut().flat_map(|s| &mut s.offsets) {
            offset.1 *= factor;
        }
        for cluster in self.clusters_mut() {
            cluster.bind = crate::math::scale_translation(cluster.bind, factor);
            cluster.mesh_bind = crate::math::scale_translation(cluster.mesh_bind, factor);
        }
    }
}
