//! `sinew pose`: positions of joints and vertices, as text or JSON.

use crate::args::PoseArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::load::{self, Inputs};
use crate::print::{DIM, HEAD, NAME, Out, pad, widest};
use serde::Serialize;
use sinew::Mat3x4;
use sinew::glam::{Mat4, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Clip, Mesh, Pose, Sampling, Transform};
use sinew_import::SourceInfo;
use std::sync::Arc;

/// Runs the command.
pub fn run(args: &PoseArgs, out: &mut Out) -> Result {
    let loaded = Inputs::new(&args.common.import).character(&args.sources, &args.common.import)?;
    let character = &loaded.character;
    let clip = load::choose_clip(character, load::own_clips(&loaded), args.clip.as_deref())?;
    if let Some(clip) = clip.and_then(|index| character.clips().get(index).ok()) {
        load::tell_times(&clip, &args.time, out);
    }
    if clip.is_none() && !args.time.is_empty() {
        out.note("there is no clip to sample, so only the rest pose is shown");
    }
    let document = Document::new(character, &loaded.source, clip, &args.time, args.vertices)?;
    if args.common.json {
        out.json(&document)?;
    } else {
        print(&document, out)?;
    }
    Ok(Outcome::Fine)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    space: Space,
    joints: Vec<Joint<'a>>,
    clips: Vec<ClipEntry>,
    rest: Rest<'a>,
    clip: Option<usize>,
    samples: Vec<Sample<'a>>,
}

#[derive(Serialize)]
struct Space {
    mode: &'static str,
    up: &'static str,
    unit_meters: f32,
}

#[derive(Serialize)]
struct Joint<'a> {
    name: &'a str,
    /// −1 for a root.
    parent: i32,
    source: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    helper: bool,
}

#[derive(Serialize)]
struct ClipEntry {
    name: String,
    duration: f32,
    source_start: f64,
}

#[derive(Serialize)]
struct Rest<'a> {
    model: Vec<[f32; 16]>,
    meshes: Vec<RestMesh<'a>>,
}

#[derive(Serialize)]
struct RestMesh<'a> {
    name: &'a str,
    /// Joint that carries the mesh, −1 for none.
    node: i32,
    ids: Vec<u32>,
    positions: Vec<[f32; 3]>,
}

#[derive(Serialize)]
struct Sample<'a> {
    time: f64,
    local: Vec<Local>,
    model: Vec<[f32; 16]>,
    meshes: Vec<SampleMesh<'a>>,
}

/// A local transform.
#[derive(Serialize)]
pub struct Local {
    t: [f32; 3],
    r: [f32; 4],
    s: [f32; 3],
}

#[derive(Serialize)]
struct SampleMesh<'a> {
    name: &'a str,
    positions: Vec<[f32; 3]>,
}

impl<'a> Document<'a> {
    fn new(
        character: &'a Character,
        source: &SourceInfo,
        clip: Option<usize>,
        times: &[f64],
        vertices: usize,
    ) -> Result<Self> {
        let skeleton = character.skeleton();
        let clips = load_clips(character)?;
        let mut poser = Poser::new(character, source, vertices);
        let rest = poser.rest();
        let samples = match clip.and_then(|index| clips.get(index)) {
            Some(clip) => times.iter().map(|&time| poser.sample(clip, time)).collect(),
            None => Vec::new(),
        };
        let joints = (0u16..).zip(skeleton.names().iter()).map(|(joint, name)| Joint {
            name,
            parent: skeleton.parent(joint).map_or(-1, i32::from),
            source: source.joint(joint).node,
            helper: source.joint(joint).helper,
        });
        let space = character.space();
        Ok(Self {
            schema: "sinew.pose/1",
            space: Space {
                mode: if space.canonical { "canonical" } else { "keep" },
                up: space.up.name(),
                unit_meters: space.unit_meters,
            },
            joints: joints.collect(),
            clips: clips.iter().zip(0..).map(|(clip, index)| entry(clip, source.clip(index).start)).collect(),
            rest,
            clip,
            samples,
        })
    }
}

fn load_clips(character: &Character) -> Result<Vec<Arc<Clip>>> {
    let clips = character.clips();
    (0..clips.len()).map(|i| clips.get(i).map_err(|e| Failure::Input(e.to_string()))).collect()
}

fn entry(clip: &Clip, source_start: f64) -> ClipEntry {
    ClipEntry { name: clip.name().to_owned(), duration: clip.duration(), source_start }
}

/// The vertices of a mesh that are printed: numbers in the source, and an imported vertex for each.
struct Pick {
    ids: Vec<u32>,
    vertices: Vec<usize>,
}

impl Pick {
    /// At most `wanted` source vertices, evenly strided over their numbers, which `source` gives.
    fn new(count: usize, source: impl Fn(u32) -> u32, wanted: usize) -> Self {
        let mut first = std::collections::BTreeMap::new();
        for vertex in (0..count).rev() {
            first.insert(source(vertex as u32), vertex);
        }
        let all: Vec<(u32, usize)> = first.into_iter().collect();
        let count = wanted.min(all.len());
        let (ids, vertices) = (0..count).map(|i| all[i * all.len() / count]).unzip();
        Self { ids, vertices }
    }

    fn of(&self, positions: &[Vec3]) -> Vec<[f32; 3]> {
        self.vertices.iter().map(|&vertex| positions[vertex].to_array()).collect()
    }
}

/// Evaluates poses in reused buffers.
struct Poser<'a> {
    character: &'a Character,
    picks: Vec<Pick>,
    pose: Pose,
    model: Vec<Mat3x4>,
}

impl<'a> Poser<'a> {
    fn new(character: &'a Character, source: &SourceInfo, vertices: usize) -> Self {
        let skeleton = character.skeleton();
        let pick = |(index, mesh): (usize, &Mesh)| {
            Pick::new(mesh.vertex_count(), |vertex| source.vertex(index, vertex), vertices)
        };
        Self {
            character,
            picks: character.meshes().iter().enumerate().map(pick).collect(),
            pose: skeleton.rest().clone(),
            model: vec![Mat3x4::IDENTITY; skeleton.len()],
        }
    }

    fn rest(&mut self) -> Rest<'a> {
        self.pose.copy_from(self.character.skeleton().rest());
        let model = self.model();
        let meshes = self.character.meshes().iter().zip(self.deformed()).zip(&self.picks);
        let meshes = meshes.map(|((mesh, positions), pick)| RestMesh {
            name: &mesh.name,
            node: if mesh.joint == sinew::NO_JOINT { -1 } else { i32::from(mesh.joint) },
            ids: pick.ids.clone(),
            positions,
        });
        Rest { model, meshes: meshes.collect() }
    }

    fn sample(&mut self, clip: &Clip, time: f64) -> Sample<'a> {
        let time = time.clamp(0.0, f64::from(clip.duration()));
        let skeleton = self.character.skeleton();
        // `Character::new` has checked that the clips fit the skeleton.
        let fits = sinew::job::sample(skeleton, clip, time, Sampling::Interpolate, &mut self.pose);
        debug_assert_eq!(fits, Ok(()));
        let model = self.model();
        let meshes = self.character.meshes().iter().zip(self.deformed());
        Sample {
            time,
            local: self.pose.iter().map(Local::from).collect(),
            model,
            meshes: meshes.map(|(mesh, positions)| SampleMesh { name: &mesh.name, positions }).collect(),
        }
    }

    fn model(&mut self) -> Vec<[f32; 16]> {
        let hierarchy = self.character.skeleton().hierarchy();
        let fits =
            sinew::job::local_to_model(hierarchy, self.pose.blocks(), &Mat3x4::IDENTITY, &mut self.model);
        debug_assert_eq!(fits, Ok(()));
        self.model.iter().map(|&m| Mat4::from(m).to_cols_array()).collect()
    }

    fn deformed(&self) -> Vec<Vec<[f32; 3]>> {
        let deform = |(mesh, pick): (&Mesh, &Pick)| {
            if pick.ids.is_empty() {
                return Vec::new();
            }
            let mut matrices = vec![Mat3x4::IDENTITY; mesh.skin_matrix_count()];
            let mut vertices = SkinnedVertices::for_mesh(mesh);
            let fits = mesh
                .skin_matrices(&self.model, &mut matrices)
                .and_then(|()| vertices.skin(mesh, &matrices, self.pose.scalars()));
            debug_assert_eq!(fits, Ok(()));
            pick.of(&vertices.positions)
        };
        self.character.meshes().iter().zip(&self.picks).map(deform).collect()
    }
}

impl From<Transform> for Local {
    fn from(transform: Transform) -> Self {
        Self {
            t: transform.translation.to_array(),
            r: transform.rotation.to_array(),
            s: transform.scale.to_array(),
        }
    }
}

fn print(document: &Document<'_>, out: &mut Out) -> Result<()> {
    let space = &document.space;
    out.line(format!(
        "{DIM}space {}, up {}, one unit is {} m; positions in model space{DIM:#}",
        space.mode, space.up, space.unit_meters
    ))?;
    out.line(format!("{HEAD}rest{HEAD:#}"))?;
    print_joints(document, &document.rest.model, out)?;
    for mesh in &document.rest.meshes {
        print_vertices(mesh.name, &mesh.ids, &mesh.positions, out)?;
    }
    for sample in &document.samples {
        let name = document.clip.and_then(|i| document.clips.get(i)).map_or("", |clip| clip.name.as_str());
        out.line(format!("{HEAD}{name}{HEAD:#} at {} s", sample.time))?;
        print_joints(document, &sample.model, out)?;
        for (mesh, rest) in sample.meshes.iter().zip(&document.rest.meshes) {
            print_vertices(mesh.name, &rest.ids, &mesh.positions, out)?;
        }
    }
    Ok(())
}

fn print_joints(document: &Document<'_>, model: &[[f32; 16]], out: &mut Out) -> Result<()> {
    let width = widest(document.joints.iter().map(|joint| joint.name));
    for (joint, m) in document.joints.iter().zip(model) {
        let pad = pad(joint.name, width);
        out.line(format!("  {NAME}{}{NAME:#}{pad}  {}", joint.name, point([m[12], m[13], m[14]])))?;
    }
    Ok(())
}

fn print_vertices(name: &str, ids: &[u32], positions: &[[f32; 3]], out: &mut Out) -> Result<()> {
    if !ids.is_empty() {
        out.line(format!("  vertices of {NAME}{name}{NAME:#}"))?;
    }
    for (id, position) in ids.iter().zip(positions) {
        out.line(format!("    {id:>7}  {}", point(*position)))?;
    }
    Ok(())
}

fn point(p: [f32; 3]) -> String {
    format!("{:>10.4} {:>10.4} {:>10.4}", p[0], p[1], p[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_evenly_strided_over_the_source() {
        // Two imported vertices for each vertex of the source.
        let sources = [5, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 5];
        let pick = |wanted| Pick::new(sources.len(), |vertex| sources[vertex as usize], wanted);
        assert_eq!(pick(3).ids, [0, 2, 4]);
        assert_eq!(pick(3).vertices, [5, 3, 1]);
        assert_eq!(pick(usize::MAX).ids, [0, 1, 2, 3, 4, 5]);
        assert!(pick(0).ids.is_empty());
    }
}
