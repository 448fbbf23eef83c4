//! Poses that follow from the files, for row vectors, skinned vertices included, against the run time.

use crate::common::{self, Size};
use crate::xnb::{Model, Resource, Skinning, VertexBuffer};
use crate::{corpus, figures, model, written};
use sinew::glam::Vec3;
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Influences, Pose, Sampling, job};
use sinew_build::monogame::{MonoGameOptions, Rate, SkinningVersion};
use std::collections::HashMap;

/// How far poses may be apart, as a fraction of the character's size.
const BAR: f32 = 1e-4;

/// Skinned vertices of all meshes of the run time, at a time of a clip.
fn run_time(character: &Character, clip: usize, time: f64) -> Vec<Vec<Vec3>> {
    let skeleton = character.skeleton();
    let clip = character.clips().get(clip).unwrap();
    let mut pose: Pose = skeleton.rest().clone();
    job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
    let mut models = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut models).unwrap();
    // Morph targets are no part of the files.
    let scalars = vec![0.0; pose.scalars().len()];
    let skinned = character.meshes().iter().map(|mesh| {
        let mut matrices = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
        mesh.skin_matrices(&models, &mut matrices).unwrap();
        let mut vertices = SkinnedVertices::for_mesh(mesh);
        vertices.skin(mesh, &matrices, &scalars).unwrap();
        vertices.positions.clone()
    });
    skinned.collect()
}

fn position(bytes: &VertexBuffer, vertex: usize) -> Vec3 {
    Vec3::from_array(bytes.at(vertex, bytes.offset(2, 0).expect("a position")).singles())
}

/// A vertex of the file carried by row-vector matrices.
fn carried(point: Vec3, matrix: &[f32; 16], weight: f32) -> Vec3 {
    let v = [point.x, point.y, point.z, 1.0];
    let at = |column: usize| (0..4).map(|row| v[row] * matrix[row * 4 + column]).sum::<f32>();
    Vec3::new(at(0), at(1), at(2)) * weight
}

/// Vertices of a mesh of the file at a pose: skinned as `SkinnedEffect` does, or moved with their bone.
fn vertices(model: &Model, tag: &Skinning, worlds: &[[f32; 16]], mesh: usize) -> Vec<Vec3> {
    let mut out = Vec::new();
    for (number, part) in model.meshes[mesh].parts.iter().enumerate() {
        let Resource::Vertices(buffer) = &model.resources[part.vertices] else { panic!("no vertices") };
        let table = tag.tables.iter().find(|(m, p, _)| (*m, *p) == (mesh, number)).map(|(_, _, bones)| bones);
        for vertex in part.vertex_offset..part.vertex_offset + part.vertex_count {
            let point = position(buffer, vertex);
            let Some(blend) = buffer.offset(5, 6) else {
                out.push(carried(point, &worlds[model.meshes[mesh].bone], 1.0));
                continue;
            };
            let bones: [u8; 4] = buffer.at(vertex, blend).take(4).try_into().unwrap();
            let weights: [f32; 4] = buffer.at(vertex, buffer.offset(3, 7).expect("weights")).singles();
            let skinned = bones.iter().zip(weights).map(|(&bone, weight)| {
                assert!(bone < 72, "SkinnedEffect has 72 bones");
                let bone = table.map_or(usize::from(bone), |table| table[usize::from(bone)]);
                let skin = crate::xnb::times(&tag.inverse_binds[bone], &worlds[bone]);
                carried(point, &skin, weight)
            });
            out.push(skinned.sum());
        }
    }
    out
}

/// A character and its model, and which vertices of the one those of the other were made from.
struct Pair<'a> {
    character: &'a Character,
    model: &'a Model,
    /// Of each mesh of the model: the mesh, and of each of its vertices those of the source that lie in the same place.
    vertices: Vec<(usize, Vec<Vec<usize>>)>,
}

impl<'a> Pair<'a> {
    fn new(character: &'a Character, model: &'a Model) -> Self {
        let shown = character.meshes().iter().enumerate().filter(|(_, mesh)| !mesh.indices.is_empty());
        let vertices: Vec<_> = shown
            .enumerate()
            .map(|(index, (mesh, source))| {
                let bits = |point: &Vec3| point.to_array().map(f32::to_bits);
                let mut places: HashMap<[u32; 3], Vec<usize>> = HashMap::new();
                for (vertex, point) in source.positions.iter().enumerate() {
                    places.entry(bits(point)).or_default().push(vertex);
                }
                (
                    mesh,
                    bind_positions(model, index).iter().map(|point| places[&bits(point)].clone()).collect(),
                )
            })
            .collect();
        assert_eq!(vertices.len(), model.meshes.len());
        Self { character, model, vertices }
    }

    /// The largest distance of a vertex from the run time's at a time of a clip, and the number of vertices.
    fn distance(&self, number: usize, time: f64) -> (f32, usize) {
        let tag = self.model.tag.as_ref().expect("skinning data");
        let worlds = tag.worlds(&tag.locals(&tag.clips[number], time));
        let expected = run_time(self.character, number, time);
        let (mut largest, mut count) = (0.0f32, 0);
        for (index, (mesh, sources)) in self.vertices.iter().enumerate() {
            for (found, sources) in vertices(self.model, tag, &worlds, index).into_iter().zip(sources) {
                let errors = sources.iter().map(|&vertex| found.distance(expected[*mesh][vertex]));
                largest = largest.max(errors.fold(f32::MAX, f32::min));
                count += 1;
            }
        }
        (largest, count)
    }
}

fn bind_positions(model: &Model, mesh: usize) -> Vec<Vec3> {
    let parts = model.meshes[mesh].parts.iter().flat_map(|part| {
        let Resource::Vertices(buffer) = &model.resources[part.vertices] else { panic!("no vertices") };
        (part.vertex_offset..part.vertex_offset + part.vertex_count)
            .map(move |vertex| position(buffer, vertex))
    });
    parts.collect()
}

/// Compares all clips at so many times, from the first to the last.
pub fn check(name: &str, character: &Character, options: &MonoGameOptions, times: usize) {
    let model = model(&written(character, options));
    let pair = Pair::new(character, &model);
    let (mut largest, mut count) = (0.0f32, 0);
    for (number, clip) in model.tag.as_ref().expect("skinning data").clips.iter().enumerate() {
        for step in 0..times {
            let (error, vertices) = pair.distance(number, clip.duration * step as f64 / (times - 1) as f64);
            (largest, count) = (largest.max(error), count + vertices);
        }
    }
    let error = largest / character.size();
    println!("{name}: {count} vertices in poses, off by {error:.2e} of D");
    assert!(count > 0 && error <= BAR, "{name}: {error}");
}

#[test]
fn hero_moves_as_in_the_run_time() {
    check("hero", &figures::hero(), &MonoGameOptions::default(), 7);
}

#[test]
fn creature_moves_as_in_the_run_time() {
    let (creature, _folder) = figures::creature();
    check("creature", &creature, &MonoGameOptions::default(), 5);
}

#[test]
fn the_first_version_has_the_same_poses_at_its_keys() {
    let hero = figures::hero();
    for rate in [30u8, 60] {
        let options = MonoGameOptions::default().with(|o| {
            (o.version, o.rate) = (SkinningVersion::V1, Rate::PerSecond(rate));
        });
        let model = model(&written(&hero, &options));
        let (pair, limit) = (Pair::new(&hero, &model), BAR * hero.size());
        for (number, clip) in model.tag.as_ref().unwrap().clips.iter().enumerate() {
            let keys = clip.matrices.iter().max_by_key(|keys| keys.len()).unwrap();
            for &(time, _) in keys.iter().step_by(7) {
                let (error, count) = pair.distance(number, time);
                assert!(count > 0 && error <= limit, "{} at {time}: {error}", clip.name);
            }
        }
    }
}

#[test]
fn samba_and_soldier_move_as_in_the_run_time() {
    for (name, file) in [("Samba", "three/fbx/Samba_Dancing.fbx"), ("Soldier", "three/gltf/Soldier.glb")] {
        let Some(path) = corpus("samba_and_soldier_move_as_in_the_run_time", file) else { return };
        let character = sinew_import::import(&path, &Default::default()).unwrap().character;
        check(name, &character, &MonoGameOptions::default(), 5);
    }
}

/// The same character with what XNB cannot hold taken out, so that poses can be compared: dual quaternions and influences beyond four.
fn linear(character: &Character) -> Character {
    let mut meshes = character.meshes().to_vec();
    for mesh in &mut meshes {
        mesh.influences.dual_quaternion = Default::default();
        if mesh.influences.per_vertex == 8 {
            let influences = std::mem::take(&mut mesh.influences);
            let (mut joints, mut weights) = (vec![], vec![]);
            for vertex in 0..mesh.positions.len() {
                let four: Vec<_> = influences.of(vertex).take(4).collect();
                let sum: f32 = four.iter().map(|(_, w)| w).sum();
                joints.extend(four.iter().map(|(j, _)| *j));
                weights.extend(four.iter().map(|(_, w)| if sum > 0.0 { w / sum } else { 0.0 }));
            }
            mesh.influences = Influences {
                per_vertex: 4,
                skin_joints: joints.into(),
                weights: weights.into(),
                dual_quaternion: Default::default(),
            };
        }
    }
    let joints = character.skeleton().joints().collect();
    figures::build(character.name(), joints, meshes, character.clips().clone())
}

const SMALL: Size = Size { joints: 9, meshes: 3, vertices: 40, clips: 2, keys: 6 };

#[test]
fn random_characters_move_as_in_the_run_time() {
    for seed in 0..12 {
        let character = linear(&common::character(seed, SMALL));
        if !character.clips().is_empty() && character.meshes().iter().any(|mesh| !mesh.indices.is_empty()) {
            check(&format!("random {seed}"), &character, &MonoGameOptions::default(), 3);
        }
    }
}
