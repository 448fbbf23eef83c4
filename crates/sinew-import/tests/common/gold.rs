//! The recorded files, as they are written.

use flate2::read::GzDecoder;
use glam::{DMat4, DVec3};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A corpus file that has gold.
#[derive(Debug)]
pub struct Entry {
    pub id: String,
    /// Relative to the corpus, with forward slashes.
    pub file: String,
    pub path: PathBuf,
}

impl Entry {
    pub fn gold(&self, corpus: &Path) -> Gold {
        let path = self.recorded(corpus, "gold");
        read(&path)
    }

    /// What three.js says about the file, where that was recorded.
    pub fn gold_three(&self, corpus: &Path) -> Option<Gold> {
        let path = self.recorded(corpus, "gold_three");
        path.is_file().then(|| read(&path))
    }

    fn recorded(&self, corpus: &Path, folder: &str) -> PathBuf {
        corpus.join(folder).join(format!("{}.json.gz", self.id))
    }
}

fn read(path: &Path) -> Gold {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let gold: Gold = serde_json::from_reader(std::io::BufReader::new(GzDecoder::new(file)))
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(gold.schema, "skel-gold/1", "{}", path.display());
    gold
}

/// All corpus files with gold whose id begins with `prefix` (`dae_`, `fbx_`, `gltf_`), in the order of the index.
pub fn entries(corpus: &Path, prefix: &str) -> Vec<Entry> {
    let index = std::fs::read_to_string(corpus.join("index.tsv")).expect("the corpus has an index");
    let rows = index.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter(|row| row[0].starts_with(prefix) && row[2] == "yes")
        .map(|row| Entry { id: row[0].to_owned(), file: row[1].to_owned(), path: corpus.join(row[1]) })
        .collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Gold {
    schema: String,
    pub format: String,
    pub nodes: Vec<Node>,
    pub rest: Vec<Matrix>,
    /// Of the box of all rest vertices, also of meshes that are not recorded.
    bbox_diagonal: Option<f64>,
    pub meshes: Vec<Mesh>,
    pub rest_meshes: Vec<Vec<[f64; 3]>>,
    pub clips: Vec<Clip>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    pub name: Option<String>,
    source_name: Option<String>,
    pub parent: i64,
    #[serde(default)]
    pub bone: bool,
    /// What COLLADA gold calls a bone.
    #[serde(default)]
    pub joint: bool,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub gltf_node: Option<u32>,
    #[serde(default)]
    pub dup_of_parent: bool,
}

impl Node {
    pub fn name(&self) -> &str {
        self.source_name.as_deref().or(self.name.as_deref()).unwrap_or("")
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mesh {
    pub node: Option<usize>,
    /// Node of each joint of the skin; none for a rigid mesh.
    pub joints: Option<Vec<usize>>,
    /// Sampled vertices; all of them in order where it is left out.
    pub ids: Option<Vec<u32>>,
}

#[derive(Deserialize)]
pub struct Clip {
    pub name: String,
    pub begin: Option<f64>,
    pub end: Option<f64>,
    pub samples: Vec<Sample>,
}

#[derive(Deserialize)]
pub struct Sample {
    pub t: f64,
    /// `frac`, or `onKey` for a time that is a key in every track.
    pub kind: Option<String>,
    pub world: Vec<Matrix>,
    pub meshes: Vec<Vec<[f64; 3]>>,
}

/// Sixteen numbers, column by column.
#[derive(Deserialize, Clone, Copy)]
pub struct Matrix([f64; 16]);

impl Matrix {
    pub fn get(&self) -> DMat4 {
        DMat4::from_cols_array(&self.0)
    }
}

impl Gold {
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.clips.iter().flat_map(|clip| &clip.samples)
    }

    /// World matrices of a node at rest and in all samples.
    pub fn worlds(&self, node: usize) -> impl Iterator<Item = DMat4> + '_ {
        let samples = self.samples().map(move |sample| sample.world[node].get());
        std::iter::once(self.rest[node].get()).chain(samples)
    }

    /// Whether a node stands for the scene, and so is none of the file's.
    pub fn is_scene(&self, node: usize) -> bool {
        match self.format.as_str() {
            "fbx" => node == 0,
            "gltf" | "glb" => self.nodes[node].gltf_node.is_none() && self.nodes[node].parent < 0,
            _ => false,
        }
    }

    /// The node of the file that a mesh stands on. Of several primitives on one glTF node, gold has a child for each.
    pub fn node_of_mesh(&self, mesh: usize) -> Option<usize> {
        let node = self.meshes[mesh].node?;
        let is_primitive = self.is_gltf() && self.nodes[node].gltf_node.is_none();
        if is_primitive { usize::try_from(self.nodes[node].parent).ok() } else { Some(node) }
    }

    /// Whether a node is one of the file's, and not the scene or a primitive.
    pub fn is_of_file(&self, node: usize) -> bool {
        !self.is_scene(node) && (!self.is_gltf() || self.nodes[node].gltf_node.is_some())
    }

    /// The diagonal as recorded. glTF gold records no meshes that neither a skin nor a morph moves, but knows their box.
    pub fn recorded_diagonal(&self) -> Option<f64> {
        self.bbox_diagonal.filter(|d| self.is_gltf() && *d > 0.0)
    }

    fn is_gltf(&self) -> bool {
        self.format == "gltf" || self.format == "glb"
    }

    /// All rest vertices of all meshes.
    pub fn rest_vertices(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.rest_meshes.iter().flatten().map(|&p| DVec3::from(p))
    }
}
