//! Workloads, each with what it computed.

use crate::clock::Rounds;
use crate::synthetic::{self, Dice, Extras};
use crate::{humanoid, ik, machine};
use sinew::glam::{Quat, Vec3};
use sinew::skinning::{SkinOutput, SkinnedVertices, skin};
use sinew::{
    BoneMap, Character, Clip, ClipId, Crowd, Ease, Kernels, Lanes, Mat3x4, PlayOptions, Pose, Sampling,
    Scratch, Skeleton, Skin, Transform, blend, job,
};
use sinew_retarget::{LiveRetarget, Retarget, Shift};
use std::hint::black_box;
use std::sync::Arc;

/// Something that is done again and again.
pub struct Workload {
    /// Its name, without spaces.
    pub name: &'static str,
    /// What it is, in tables.
    pub title: &'static str,
    /// How many vertices or such one call handles, where the time of one is of interest.
    pub items: usize,
    /// Bytes that a call writes.
    pub bytes: usize,
    run: Box<dyn FnMut(bool) -> Vec<u32>>,
    expected: Option<Vec<u32>>,
}

/// A result differs from the reference.
#[derive(Debug)]
pub struct Wrong {
    /// The workload's name.
    pub name: &'static str,
    /// With which kernels.
    pub kernels: Kernels,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: the result with {:?} differs from the reference", self.name, self.kernels)
    }
}

impl Workload {
    /// Work on some state; `bits` is what the first call has written.
    pub(crate) fn new<T: Clone + 'static>(
        name: &'static str,
        title: &'static str,
        mut state: T,
        bytes: usize,
        mut work: impl FnMut(&mut T) + 'static,
        bits: impl Fn(&T) -> Vec<u32> + 'static,
    ) -> Self {
        let first = state.clone();
        let run = move |look: bool| {
            if look {
                state = first.clone();
            }
            work(black_box(&mut state));
            if look { bits(&state) } else { Vec::new() }
        };
        Self { name, title, items: 1, bytes, run: Box::new(run), expected: None }
    }

    /// The same with a result that was computed in another way.
    pub(crate) fn expecting(mut self, bits: Vec<u32>) -> Self {
        self.expected = Some(bits);
        self
    }

    pub(crate) fn per(mut self, items: usize) -> Self {
        self.items = items;
        self
    }

    /// Does it once.
    pub fn run(&mut self) {
        (self.run)(false);
    }

    /// Checks that the kernels of this machine give the bits of the reference: plain arithmetic, and where there is one the second way of computing.
    ///
    /// # Errors
    /// If they do not.
    pub fn verify(&mut self) -> Result<(), Wrong> {
        Kernels::Scalar.choose();
        let scalar = (self.run)(true);
        Kernels::Detect.choose();
        let detected = (self.run)(true);
        let expected = self.expected.as_ref().unwrap_or(&scalar);
        for (bits, kernels) in [(&scalar, Kernels::Scalar), (&detected, Kernels::Detect)] {
            if bits != expected || bits.is_empty() {
                return Err(Wrong { name: self.name, kernels });
            }
        }
        Ok(())
    }

    /// Nanoseconds of one call with some kernels.
    pub fn time(&mut self, kernels: Kernels, rounds: Rounds) -> f64 {
        kernels.choose();
        let time = rounds.time(|| self.run());
        Kernels::default().choose();
        time
    }
}

/// A pose of a humanoid of 65 joints, carried over to another; `shifted`: with feet and hands moved by inverse kinematics. None if the two were no humanoids.
pub fn retarget(shifted: bool) -> Option<Workload> {
    let (source, target) = (humanoid::character(1.0)?, humanoid::character(1.3)?);
    let (retarget, _) = Retarget::new(&source, &target, &BoneMap::default()).ok()?;
    let mut live = LiveRetarget::new(retarget);
    let mut from = source.skeleton().rest().clone();
    for joint in 0..from.len() {
        let turn = Quat::from_rotation_x(0.005 * joint as f32);
        from.set(joint, Transform { rotation: turn, ..from.get(joint) });
    }
    let up = Vec3::new(0.0, 0.02, 0.0);
    let shift = Shift { hips: -up, feet: [Some(up); 2], hands: Some(up), ..Shift::default() };
    let to = target.skeleton().rest().clone();
    let bytes = size_of_val(to.blocks());
    let title = if shifted { "retarget a pose, feet and hands moved" } else { "retarget a pose" };
    let work = move |to: &mut Pose| {
        let done = if shifted { live.apply_shifted(&from, &shift, to) } else { live.apply(&from, to) };
        debug_assert!(done.is_ok());
    };
    Some(Workload::new(
        if shifted { "retarget-shifted" } else { "retarget" },
        title,
        to,
        bytes,
        work,
        pose_bits,
    ))
}

fn pose_bits(pose: &Pose) -> Vec<u32> {
    let numbers: &[f32] = bytemuck::cast_slice(pose.blocks());
    numbers.iter().map(|x| x.to_bits()).collect()
}

pub(crate) fn matrix_bits(matrices: &[Mat3x4]) -> Vec<u32> {
    let numbers: &[f32] = bytemuck::cast_slice(matrices);
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn vertex_bits(vertices: &SkinnedVertices) -> Vec<u32> {
    let numbers: [&[f32]; 3] = [
        bytemuck::cast_slice(&vertices.positions),
        bytemuck::cast_slice(&vertices.normals),
        bytemuck::cast_slice(&vertices.tangents),
    ];
    numbers.concat().into_iter().map(f32::to_bits).collect()
}

/// The first clip.
pub(crate) fn first_clip(character: &Character) -> Arc<Clip> {
    character.clips().get(0).unwrap_or_else(|error| unreachable!("{error}"))
}

fn sampled(skeleton: &Skeleton, clip: &Clip, time: f64, pose: &mut Pose) {
    job::sample(skeleton, clip, time, Sampling::Interpolate, pose)
        .unwrap_or_else(|error| unreachable!("{error}"));
}

/// Poses of a clip, at different times.
fn poses(character: &Character, count: usize) -> Vec<Pose> {
    let (skeleton, clip) = (character.skeleton(), first_clip(character));
    let pose = |i: usize| {
        let mut pose = skeleton.rest().clone();
        sampled(skeleton, &clip, 0.11 + 0.17 * i as f64, &mut pose);
        pose
    };
    (0..count).map(pose).collect()
}

/// Sampling its first clip in steps of a sixtieth of a second, or at times that look random.
pub fn sample(character: &Character, random: bool) -> Workload {
    let (name, title) =
        if random { ("sample-seek", "sample, random seek") } else { ("sample", "sample forward") };
    let (character, clip) = (character.clone(), first_clip(character));
    let duration = f64::from(clip.duration());
    let mut dice = Dice(7);
    let times: Vec<f64> =
        (0..1024)
            .map(|i| {
                if random {
                    f64::from(dice.number().abs()) * duration
                } else {
                    f64::from(i) / 60.0 % duration
                }
            })
            .collect();
    let pose = character.skeleton().rest().clone();
    let bytes = size_of_val(pose.blocks());
    let work = move |(pose, at): &mut (Pose, usize)| {
        *at = (*at + 1) % times.len();
        sampled(character.skeleton(), &clip, times[*at], pose);
    };
    Workload::new(name, title, (pose, 0), bytes, work, |(pose, _)| pose_bits(pose))
}

/// Mixing poses of its first clip: two, three, or two with a mask.
pub fn blends(character: &Character) -> Vec<Workload> {
    let poses: Arc<[Pose]> = poses(character, 3).into();
    let out = poses[0].clone();
    let bytes = size_of_val(out.blocks());
    let mask: Vec<Lanes> = (0..out.blocks().len()).map(|i| Lanes::splat((i % 3) as f32 / 2.0)).collect();
    let of = Arc::clone(&poses);
    let two = move |out: &mut Pose| {
        blend::blend(of[0].blocks(), of[1].blocks(), 0.4, out.blocks_mut())
            .unwrap_or_else(|error| unreachable!("{error}"));
    };
    let of = Arc::clone(&poses);
    let masked = move |out: &mut Pose| {
        blend::blend_masked(of[0].blocks(), of[1].blocks(), 0.4, &mask, out.blocks_mut())
            .unwrap_or_else(|error| unreachable!("{error}"));
    };
    let mix = |count: usize| {
        let of = Arc::clone(&poses);
        move |out: &mut Pose| {
            let layers = [(of[0].blocks(), 0.3), (of[1].blocks(), 0.5), (of[2].blocks(), 0.2)];
            blend::mix(&layers[..count], out.blocks_mut()).unwrap_or_else(|error| unreachable!("{error}"));
        }
    };
    vec![
        Workload::new("blend", "blend 2 poses", out.clone(), bytes, two, pose_bits),
        Workload::new("blend-masked", "blend 2 poses by a mask", out.clone(), bytes, masked, pose_bits),
        Workload::new("mix-2", "mix 2 layers", out.clone(), bytes, mix(2), pose_bits),
        Workload::new("mix-3", "mix 3 layers", out, bytes, mix(3), pose_bits),
    ]
}

/// Local to model.
pub fn local_to_model(character: &Character) -> Workload {
    let pose = poses(character, 1).remove(0);
    let skeleton = character.skeleton();
    let out = vec![Mat3x4::IDENTITY; skeleton.len()];
    let bytes = size_of_val(&out[..]);
    // Second way: the product of each joint's matrix with its parent's, by the operator.
    let mut expected: Vec<Mat3x4> = Vec::new();
    for (joint, local) in pose.iter().enumerate() {
        let local: Mat3x4 = local.to_affine().into();
        let parent = skeleton.parent(joint as u16).map_or(Mat3x4::IDENTITY, |p| expected[usize::from(p)]);
        expected.push(parent * local);
    }
    let character = character.clone();
    let work = move |out: &mut Vec<Mat3x4>| {
        let hierarchy = character.skeleton().hierarchy();
        job::local_to_model(hierarchy, pose.blocks(), &Mat3x4::IDENTITY, out)
            .unwrap_or_else(|error| unreachable!("{error}"));
    };
    Workload::new("local-to-model", "local → model", out, bytes, work, |out| matrix_bits(out))
        .expecting(matrix_bits(&expected))
}

/// Skin matrices of all joints of a skeleton.
pub fn skin_matrices(character: &Character) -> Workload {
    let model = character.skeleton().rest_model().to_vec();
    let binds: Vec<Mat3x4> = synthetic::matrices().into_iter().cycle().take(model.len()).collect();
    let expected: Vec<Mat3x4> = model.iter().zip(&binds).map(|(model, bind)| *model * *bind).collect();
    let skin = Skin { joints: (0..model.len() as u16).collect(), inverse_binds: binds.into() };
    let out = vec![Mat3x4::IDENTITY; model.len()];
    let bytes = size_of_val(&out[..]);
    let work = move |out: &mut Vec<Mat3x4>| {
        job::skin_matrices(&skin, &model, out).unwrap_or_else(|error| unreachable!("{error}"));
    };
    Workload::new("skin-matrices", "skin matrices", out, bytes, work, |out| matrix_bits(out))
        .expecting(matrix_bits(&expected))
}

/// Deforming a mesh: compared with the reference that goes from vertex to vertex.
pub fn skinning(vertices: usize, extras: Extras) -> Workload {
    let (name, title) = match extras {
        Extras { scattered: true, .. } => ("skinning-scattered", "skinning, joints that few others have"),
        Extras { tangents: false, morphs: false, .. } => ("skinning", "skinning: position, normal"),
        Extras { tangents: true, .. } => ("skinning-tangents", "skinning: position, normal, tangent"),
        Extras { morphs: true, .. } => ("skinning-morphs", "skinning after three morph targets"),
    };
    let (mesh, matrices) = (synthetic::mesh(vertices, extras), synthetic::matrices());
    const SCALARS: [f32; 3] = [0.5, 0.25, 0.125];
    let mut reference = SkinnedVertices { plan: None, ..SkinnedVertices::for_mesh(&mesh) };
    let SkinnedVertices { positions, normals, tangents, .. } = &mut reference;
    skin(&mesh, &matrices, &SCALARS, SkinOutput { positions, normals, tangents })
        .unwrap_or_else(|error| unreachable!("{error}"));
    let expected = vertex_bits(&reference);
    let out = SkinnedVertices::for_mesh(&mesh);
    let bytes = 4 * expected.len();
    let work = move |out: &mut SkinnedVertices| {
        out.skin(&mesh, &matrices, &SCALARS).unwrap_or_else(|error| unreachable!("{error}"));
    };
    Workload::new(name, title, out, bytes, work, vertex_bits).expecting(expected).per(vertices)
}

/// A frame of a crowd: clocks, sampling, blending of so many voices, local to model; each member at a time of its own. Expected is what the jobs
/// give, called one after the other.
pub fn crowd(character: &Character, members: usize, voices: usize) -> Workload {
    let character = Arc::new(character.clone());
    let duration = f64::from(first_clip(&character).duration());
    let mut crowd = Crowd::new(Arc::clone(&character), members, voices);
    let mut expected = Vec::new();
    let (mut scratch, mut pose) = (Scratch::new(character.skeleton()), character.skeleton().rest().clone());
    let mut model = vec![Mat3x4::IDENTITY; character.skeleton().len()];
    for (number, member) in crowd.members_mut().iter_mut().enumerate() {
        let mixer = member.mixer_mut();
        for voice in 0..voices {
            let added = mixer.add(ClipId::new(0), PlayOptions::default());
            let added = added.unwrap_or_else(|error| unreachable!("{error}"));
            mixer.seek(added, (number as f64 * 0.617 + voice as f64 * 0.29) % duration);
            mixer.set_weight(added, 1.0 / (1 + voice) as f32, 0.0, Ease::default());
        }
        let mut alone = mixer.clone();
        alone.advance(FRAME);
        alone.mix(&mut scratch, &mut pose).unwrap_or_else(|error| unreachable!("{error}"));
        let hierarchy = character.skeleton().hierarchy();
        job::local_to_model(hierarchy, pose.blocks(), &Mat3x4::IDENTITY, &mut model)
            .unwrap_or_else(|error| unreachable!("{error}"));
        expected.extend(matrix_bits(&model));
    }
    let bytes = size_of_val(&model[..]) * members;
    let work = |crowd: &mut Crowd| crowd.update(FRAME).unwrap_or_else(|error| unreachable!("{error}"));
    let bits = move |crowd: &Crowd| {
        let shown = (0..members).filter_map(|number| crowd.shown(number));
        shown.flat_map(|shown| matrix_bits(shown.model_matrices())).collect()
    };
    Workload::new("crowd", "a frame of a crowd", crowd, bytes, work, bits).expecting(expected).per(members)
}

/// Seconds of a frame.
pub(crate) const FRAME: f64 = 1.0 / 60.0;

/// All workloads on one character and meshes of so many vertices.
pub fn all(character: &Character, vertices: usize) -> Vec<Workload> {
    let mut all = vec![sample(character, false), sample(character, true)];
    all.extend(blends(character));
    all.extend([local_to_model(character), skin_matrices(character)]);
    let meshes = [
        Extras::default(),
        Extras { tangents: true, ..Extras::default() },
        Extras { morphs: true, ..Extras::default() },
        Extras { scattered: true, ..Extras::default() },
    ];
    all.extend(meshes.map(|extras| skinning(vertices, extras)));
    all
}

/// What is done above the kernels: inverse kinematics, and a state machine on so many joints.
pub fn above(joints: usize) -> Vec<Workload> {
    let mut all = ik::all().unwrap_or_default();
    all.extend(machine::alone(joints));
    all
}
