//! CPU skinning of 10,000 and 100,000 vertices: four influences, positions and normals.
//!
//! `cargo bench -p sinew --bench skinning`, with `--features rayon` on several threads. Results are verified before they are measured.

use divan::Bencher;
use divan::counter::ItemsCount;
use sinew::glam::{Affine3, Quat, Vec3};
use sinew::skinning::{SkinOutput, SkinnedVertices, skin, sort_vertices};
use sinew::{Influences, Kernels, Mat3x4, Mesh, Skin};

const VERTICES: [usize; 2] = [10_000, 100_000];
const JOINTS: usize = 67;
/// As real meshes have for so many vertices.
const SETS: usize = 128;

fn main() {
    divan::main();
}

/// Whole numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn number(&mut self) -> f32 {
        self.roll(1 << 20) as f32 / (1 << 19) as f32 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
}

/// Vertices on `influences` joints each, in rows of the same ones if `sorted`.
fn mesh(vertices: usize, influences: usize, sorted: bool) -> Mesh {
    let mut dice = Dice(1);
    let sets: Vec<Vec<u16>> = (0..SETS)
        .map(|_| {
            let first = dice.roll(JOINTS - influences);
            (first..first + influences).map(|joint| joint as u16).collect()
        })
        .collect();
    let (mut skin_joints, mut weights) = (Vec::new(), Vec::new());
    for _ in 0..vertices {
        let mut of = sets[dice.roll(SETS)].clone();
        let raw: Vec<f32> = of.iter().map(|_| dice.number().abs() + 0.01).collect();
        let sum: f32 = raw.iter().sum();
        of.resize(4, 0);
        skin_joints.extend(of);
        weights.extend((0..4).map(|i| raw.get(i).map_or(0.0, |weight| weight / sum)));
    }
    let mut mesh = Mesh {
        positions: (0..vertices).map(|_| dice.vector()).collect(),
        normals: (0..vertices).map(|_| dice.vector().normalize()).collect(),
        skin: Some(Skin {
            joints: (0..JOINTS as u16).collect(),
            inverse_binds: vec![Mat3x4::IDENTITY; JOINTS].into(),
        }),
        influences: Influences {
            per_vertex: 4,
            skin_joints: skin_joints.into(),
            weights: weights.into(),
            ..Influences::default()
        },
        ..Mesh::new("bench")
    };
    if sorted {
        sort_vertices(&mut mesh);
    }
    mesh
}

fn matrices() -> Vec<Mat3x4> {
    let mut dice = Dice(2);
    let mut one = || {
        let turn = Quat::from_scaled_axis(dice.vector());
        Affine3::from_rotation_translation(turn, dice.vector()).into()
    };
    (0..JOINTS).map(|_| one()).collect()
}

/// Measures a plan with some kernels, after a look at what it gives.
fn plan(bencher: Bencher<'_, '_>, mesh: Mesh, kernels: Kernels) {
    let matrices = matrices();
    let mut expected = SkinnedVertices { plan: None, ..SkinnedVertices::for_mesh(&mesh) };
    expected.skin(&mesh, &matrices, &[]).expect("the buffers fit");
    let mut out = SkinnedVertices::for_mesh(&mesh);
    kernels.choose();
    out.skin(&mesh, &matrices, &[]).expect("the buffers fit");
    let far = |(a, b): (&Vec3, &Vec3)| a.distance(*b) > if kernels == Kernels::Fast { 1e-5 } else { 0.0 };
    assert!(!expected.positions.iter().zip(&out.positions).any(far), "positions differ");
    assert!(!expected.normals.iter().zip(&out.normals).any(far), "normals differ");
    bencher
        .counter(ItemsCount::new(mesh.vertex_count()))
        .bench_local(|| out.skin(&mesh, divan::black_box(&matrices), &[]));
    Kernels::default().choose();
}

#[divan::bench(args = VERTICES)]
fn a_reference(bencher: Bencher<'_, '_>, vertices: usize) {
    let (mesh, matrices) = (mesh(vertices, 4, true), matrices());
    let mut out = SkinnedVertices::for_mesh(&mesh);
    bencher.counter(ItemsCount::new(vertices)).bench_local(|| {
        let SkinnedVertices { positions, normals, .. } = &mut out;
        let out = SkinOutput { positions, normals, tangents: &mut [] };
        skin(&mesh, divan::black_box(&matrices), &[], out)
    });
}

#[divan::bench(args = VERTICES)]
fn b_plan_scalar(bencher: Bencher<'_, '_>, vertices: usize) {
    plan(bencher, mesh(vertices, 4, true), Kernels::Scalar);
}

#[divan::bench(args = VERTICES)]
fn c_plan(bencher: Bencher<'_, '_>, vertices: usize) {
    plan(bencher, mesh(vertices, 4, true), Kernels::Detect);
}

#[divan::bench(args = VERTICES)]
fn d_plan_fast(bencher: Bencher<'_, '_>, vertices: usize) {
    plan(bencher, mesh(vertices, 4, true), Kernels::Fast);
}

#[divan::bench(args = VERTICES)]
fn e_plan_two_influences(bencher: Bencher<'_, '_>, vertices: usize) {
    plan(bencher, mesh(vertices, 2, true), Kernels::Detect);
}

#[divan::bench(args = VERTICES)]
fn f_plan_of_an_unsorted_mesh(bencher: Bencher<'_, '_>, vertices: usize) {
    plan(bencher, mesh(vertices, 4, false), Kernels::Detect);
}

#[divan::bench(args = VERTICES)]
fn g_copy(bencher: Bencher<'_, '_>, vertices: usize) {
    let mesh = mesh(vertices, 4, true);
    let mut out = SkinnedVertices::for_mesh(&mesh);
    bencher.counter(ItemsCount::new(vertices)).bench_local(|| {
        divan::black_box(&mut out.positions).copy_from_slice(divan::black_box(&mesh.positions));
        divan::black_box(&mut out.normals).copy_from_slice(divan::black_box(&mesh.normals));
    });
}

#[divan::bench(args = VERTICES)]
fn h_making_a_plan(bencher: Bencher<'_, '_>, vertices: usize) {
    let mesh = mesh(vertices, 4, true);
    bencher.counter(ItemsCount::new(vertices)).bench_local(|| sinew::skinning::SkinPlan::new(&mesh));
}
