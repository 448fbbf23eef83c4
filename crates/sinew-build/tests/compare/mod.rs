//! Compares a character read back from a `.glb` with the original.

#![allow(unreachable_pub, reason = "a module of tests has nobody to hide from")]

use sinew::skinning::SkinnedVertices;
use sinew::{Character, Clip, Mesh, Part, Sampling, job};
use sinew_import::Imported;
use std::borrow::Cow;

/// Largest distance of a joint or vertex from the original, relative to the diagonal. Imports are within 0.5e-4 of the recorded results, so the
/// round trip is within 1e-4.
pub const BAR: f64 = 5e-5;

/// Describes the differences. Joint i was written as node i, so the source node identifies the joint. `change` is the transform that writing applied to
/// the space.
pub fn compare(before: &Character, after: &Imported, change: &sinew::Mat3x4) -> Result<(), String> {
    let joint_of = |joint: usize| after.source.joints.iter().position(|s| s.node as usize == joint);
    let after = &after.character;
    let joints: Option<Vec<usize>> = (0..before.skeleton().len()).map(joint_of).collect();
    let joints = joints.ok_or("a joint is lost")?;
    if before.clips().len() != after.clips().len() {
        return Err(format!("{} clips became {}", before.clips().len(), after.clips().len()));
    }
    let diagonal = f64::from(before.size()) * f64::from(change.matrix3().x_axis.length());
    let meshes = before.meshes().iter().filter(|m| !m.indices.is_empty()).collect::<Vec<_>>();
    for index in 0..before.clips().len() {
        let (a, b) = (clip(before, index), clip(after, index));
        if (a.duration() - b.duration()).abs() > 1e-6 {
            return Err(format!("clip {index}: {} s became {} s", a.duration(), b.duration()));
        }
        for step in 0..7 {
            let time = f64::from(a.duration()) * (f64::from(step) + 0.37) / 7.0;
            let (a, b) =
                (Look::new(before, &a, time, change), Look::new(after, &b, time, &sinew::Mat3x4::IDENTITY));
            for (joint, &other) in joints.iter().enumerate() {
                let (x, y) = (&a.model[joint], &b.model[other]);
                let error = joint_error(x, y, diagonal) / diagonal;
                if error > BAR {
                    return Err(format!("clip {index} at {time} s: joint {joint} is off by {error:.1e}"));
                }
            }
            for mesh in &meshes {
                let error = vertex_error(&as_written(before, mesh), &a, after, &b) / diagonal;
                if error > BAR {
                    return Err(format!(
                        "clip {index} at {time} s: mesh `{}` is off by {error:.1e}",
                        mesh.name
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Says what else is there than before: joints, meshes, what they hang on, and scalars of theirs.
#[allow(dead_code, reason = "each test binary uses its own part")]
pub fn same_parts(before: &Character, after: &Imported) -> Result<(), String> {
    let joint_of = |joint: u16| after.source.joints.iter().position(|s| s.node == u32::from(joint));
    let after = &after.character;
    let (joints, found) = (before.skeleton().len(), after.skeleton().len());
    if joints != found {
        return Err(format!("{joints} joints became {found}"));
    }
    let meshes = before.meshes().iter().filter(|m| !m.indices.is_empty()).collect::<Vec<_>>();
    let place = |mesh: &Mesh, joint: Option<usize>| (mesh.name.clone(), mesh.vertex_count(), joint);
    let mut expected: Vec<_> =
        meshes.iter().map(|mesh| place(&as_written(before, mesh), joint_of(mesh.joint))).collect();
    let own = |joint: u16| Some(usize::from(joint)).filter(|_| joint != sinew::NO_JOINT);
    let mut found: Vec<_> = after.meshes().iter().map(|mesh| place(mesh, own(mesh.joint))).collect();
    expected.sort();
    found.sort();
    if expected != found {
        return Err(format!("meshes {expected:?} became {found:?}"));
    }
    let scalars = |meshes: &[&Mesh]| {
        meshes
            .iter()
            .flat_map(|m| m.morphs.iter().map(|m| m.scalar))
            .collect::<std::collections::BTreeSet<_>>()
    };
    let (expected, found) = (scalars(&meshes), scalars(&after.meshes().iter().collect::<Vec<_>>()));
    if expected.len() != found.len() || found.len() != after.skeleton().scalar_names().len() {
        return Err(format!("{} morph weights became {}", expected.len(), found.len()));
    }
    Ok(())
}

fn clip(character: &Character, index: usize) -> std::sync::Arc<Clip> {
    character.clips().get(index).expect("it is loaded")
}

struct Look {
    model: Vec<sinew::Mat3x4>,
    scalars: Vec<f32>,
    root: sinew::Mat3x4,
}

impl Look {
    fn new(character: &Character, clip: &Clip, time: f64, root: &sinew::Mat3x4) -> Self {
        let skeleton = character.skeleton();
        let mut pose = skeleton.rest().clone();
        job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose).expect("it fits");
        let mut model = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
        job::local_to_model(skeleton.hierarchy(), pose.blocks(), root, &mut model).expect("it fits");
        Self { model, scalars: pose.scalars().to_vec(), root: *root }
    }

    fn skin(&self, mesh: &Mesh) -> SkinnedVertices {
        let mut matrices = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
        mesh.skin_matrices(&self.model, &mut matrices).expect("it fits");
        let mut out = SkinnedVertices::for_mesh(mesh);
        out.skin(mesh, &matrices, &self.scalars).expect("it fits");
        // What hangs on no joint, and what nothing moves, goes with the space.
        for (vertex, position) in out.positions.iter_mut().enumerate() {
            let still = match &mesh.skin {
                Some(_) => mesh.influences.of(vertex).all(|(_, weight)| weight == 0.0),
                None => mesh.joint == sinew::NO_JOINT,
            };
            if still {
                *position = self.root.transform_point3(*position);
            }
        }
        out
    }
}

fn joint_error(a: &sinew::Mat3x4, b: &sinew::Mat3x4, diagonal: f64) -> f64 {
    let reach = (0.05 * diagonal) as f32;
    let points = [[0.0; 3], [reach, 0.0, 0.0], [0.0, reach, 0.0], [0.0, 0.0, reach]];
    let distance = |p: [f32; 3]| a.transform_point3(p.into()).distance(b.transform_point3(p.into()));
    points.into_iter().map(distance).fold(0.0, f32::max).into()
}

/// The mesh as a GLB holds it: with tangents where a material has a normal map, for which vertices may be doubled.
fn as_written<'m>(character: &Character, mesh: &'m Mesh) -> Cow<'m, Mesh> {
    let normal_map = |part: &Part| character.materials().get(part.material?)?.normal_texture;
    match mesh.parts.iter().filter(|part| part.count > 0).find_map(normal_map) {
        Some(texture) => sinew_tangents::complete(mesh, Some(texture.uv_set)),
        None => Cow::Borrowed(mesh),
    }
}

/// Of meshes with the same name and number of vertices, the nearest.
fn vertex_error(mesh: &Mesh, before: &Look, after: &Character, look: &Look) -> f64 {
    let expected = before.skin(mesh);
    let like_it =
        after.meshes().iter().filter(|m| m.name == mesh.name && m.vertex_count() == mesh.vertex_count());
    let error = |other: &Mesh| {
        let found = look.skin(other);
        let pairs = expected.positions.iter().zip(&found.positions);
        pairs.map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max)
    };
    like_it.map(error).fold(f64::INFINITY, f64::min)
}
