//! Plans against the reference, bit by bit, and both against double precision.

use super::*;
use crate::kernel::Width;
use crate::{Influences, Kernels, MorphDelta, MorphTarget, Skin};
use glam::{DMat3, DVec3};
use proptest::prelude::*;

const JOINTS: usize = 10;

/// Numbers that rounding treats in different ways, zeros and extremes among them.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        12 => -2.0f32..2.0,
        1 => -1e25f32..1e25,
        1 => -1e-25f32..1e-25,
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, f32::MIN_POSITIVE, 1e-40, f32::MAX, f32::MIN]),
    ]
}

#[derive(Clone, Debug)]
struct Recipe {
    /// Skin joints that vertices hang on.
    sets: Vec<Vec<u16>>,
    /// The set of each vertex.
    of: Vec<usize>,
    /// A vertex in so many is blended by dual quaternions, moved by a morph target.
    turned: usize,
    morphed: usize,
    rigid: bool,
    /// Whether weights sum to one.
    whole: bool,
    normals: bool,
    tangents: bool,
    sorted: bool,
}

impl Recipe {
    /// The mesh, with `next` for every number. Vertices of one set have their influences in different orders.
    fn mesh(&self, mut next: impl FnMut() -> f32) -> Mesh {
        let n = self.of.len();
        let mut vectors = |present: bool| -> Vec<Vec4> {
            let n = if present { n } else { 0 };
            (0..n).map(|_| Vec4::new(next(), next(), next(), next())).collect()
        };
        let [positions, normals, tangents, deltas] =
            [true, self.normals, self.tangents, true].map(&mut vectors);
        let (mut skin_joints, mut weights) = (Vec::new(), Vec::new());
        for (vertex, &set) in self.of.iter().enumerate() {
            let mut joints: Vec<u16> = self.sets.get(set).cloned().unwrap_or_default();
            let len = joints.len();
            joints.rotate_left(vertex.checked_rem(len).unwrap_or(0));
            joints.resize(MOST_INFLUENCES, 1);
            // Unused influences lie among the others.
            let mut weight = |i: usize| match () {
                () if i >= len => 0.0,
                // Halves of halves, so that the sum is exact.
                () if self.whole => 0.5f32.powi((i + 1).min(len - 1) as i32),
                () => next(),
            };
            let mut of_vertex: Vec<_> = joints.iter().enumerate().map(|(i, &j)| (j, weight(i))).collect();
            of_vertex.rotate_right(vertex % MOST_INFLUENCES);
            skin_joints.extend(of_vertex.iter().map(|(joint, _)| *joint));
            weights.extend(of_vertex.iter().map(|(_, weight)| *weight));
        }
        let share = |vertex: usize| if (vertex + 1).is_multiple_of(self.turned) { 0.75 } else { 0.0 };
        let moved = (0..n).filter(|vertex| (vertex + 1).is_multiple_of(self.morphed));
        let delta = |vertex: usize| MorphDelta {
            vertex: vertex as u32,
            position: deltas[vertex].truncate(),
            normal: -deltas[vertex].truncate(),
            tangent: deltas[vertex].truncate() * 0.5,
        };
        let skin = Skin {
            joints: (0..JOINTS as u16).collect(),
            inverse_binds: vec![Mat3x4::IDENTITY; JOINTS].into(),
        };
        let mut mesh = Mesh {
            positions: positions.iter().map(|v| v.truncate()).collect(),
            normals: normals.iter().map(|v| v.truncate()).collect(),
            tangents: tangents.into(),
            skin: (!self.rigid).then_some(skin),
            influences: Influences {
                per_vertex: MOST_INFLUENCES,
                skin_joints: skin_joints.into(),
                weights: weights.into(),
                dual_quaternion: (0..n).map(share).collect(),
            },
            morphs: vec![MorphTarget { name: "moved".into(), scalar: 0, deltas: moved.map(delta).collect() }],
            indices: (0..n as u32).collect(),
            ..Mesh::new("mesh")
        };
        if self.sorted {
            sort_vertices(&mut mesh);
        }
        mesh
    }
}

fn recipe() -> impl Strategy<Value = Recipe> {
    // One joint is frequent in real meshes.
    let set = prop_oneof![
        1 => prop::collection::vec(0..JOINTS as u16, 1),
        3 => prop::collection::vec(0..JOINTS as u16, 1..=MOST_INFLUENCES),
    ];
    (
        prop::collection::vec(set, 1..20),
        prop::collection::vec(0..20usize, 0..120),
        (1..20usize, 1..20usize, 0..10usize),
        any::<[bool; 4]>(),
    )
        .prop_map(|(sets, of, (turned, morphed, rigid), [whole, normals, tangents, sorted])| {
            // Often the same set for many vertices, so that whole blocks and remainders occur.
            let of = of.iter().enumerate().map(|(i, &set)| if i % 40 < 30 { i / 40 } else { set }).collect();
            Recipe { sets, of, turned, morphed, rigid: rigid == 0, whole, normals, tangents, sorted }
        })
}

/// Hands out the numbers over and over.
fn cycle(numbers: &[f32]) -> impl FnMut() -> f32 + '_ {
    let mut numbers = numbers.iter().copied().cycle();
    move || numbers.next().unwrap_or(0.0)
}

fn matrices(mut next: impl FnMut() -> f32) -> Vec<Mat3x4> {
    let mut row = || [0; 4].map(|_| next());
    (0..JOINTS).map(|_| Mat3x4 { rows: [row(), row(), row()] }).collect()
}

/// The bits of a number; one NaN counts as another.
fn bit(x: f32) -> u32 {
    if x.is_nan() { f32::NAN } else { x }.to_bits()
}

fn bits(vertices: &SkinnedVertices) -> Vec<u32> {
    let numbers = [
        bytemuck::cast_slice::<_, f32>(&vertices.positions),
        bytemuck::cast_slice(&vertices.normals),
        bytemuck::cast_slice(&vertices.tangents),
    ];
    numbers.concat().into_iter().map(bit).collect()
}

/// Deformed by the plan with some kernels, into buffers that hold something else.
fn planned(mesh: &Mesh, kernels: Kernels, matrices: &[Mat3x4], weight: f32) -> SkinnedVertices {
    let plan = SkinPlan::new(mesh).unwrap();
    // With as many lanes as the machine has, and with eight.
    let [wide, narrow] = [Width::Widest, Width::Eight].map(|width| {
        let mut out = SkinnedVertices::without_plan(mesh);
        out.positions.fill(Vec3::NAN);
        out.normals.fill(Vec3::NAN);
        out.tangents.fill(Vec4::NAN);
        let SkinnedVertices { positions, normals, tangents, .. } = &mut out;
        let output = SkinOutput { positions, normals, tangents };
        plan.skin_with((kernels, width), mesh, matrices, &[weight], output).unwrap();
        out
    });
    assert_eq!(bits(&wide), bits(&narrow), "{kernels:?}");
    wide
}

fn config() -> ProptestConfig {
    // An interpreter is a thousand times as slow, and has no folder to keep failures in.
    let cases = if cfg!(miri) { 6 } else { 512 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn skin_plans_equal_the_reference(
        recipe in recipe(),
        numbers in prop::collection::vec(number(), 1..200),
        weight in prop::sample::select(vec![0.0, 1.0, -0.3]),
    ) {
        let mesh = recipe.mesh(cycle(&numbers));
        let matrices = matrices(cycle(&numbers[numbers.len() / 2..]));
        let mut expected = SkinnedVertices::without_plan(&mesh);
        expected.skin(&mesh, &matrices, &[weight]).unwrap();
        for kernels in [Kernels::Scalar, Kernels::Detect] {
            let out = planned(&mesh, kernels, &matrices, weight);
            prop_assert_eq!(bits(&out), bits(&expected), "{:?}", kernels);
        }
    }

    /// Without room for normals and tangents, matrices are not looked at as closely.
    #[test]
    fn positions_are_the_same_without_normals_and_tangents(
        recipe in recipe(),
        numbers in prop::collection::vec(number(), 1..200),
        weight in prop::sample::select(vec![0.0, 1.0, -0.3]),
    ) {
        let mesh = recipe.mesh(cycle(&numbers));
        let matrices = matrices(cycle(&numbers[numbers.len() / 2..]));
        let mut expected = SkinnedVertices::without_plan(&mesh);
        expected.skin(&mesh, &matrices, &[weight]).unwrap();
        let mut alone = SkinnedVertices { normals: vec![], tangents: vec![], ..SkinnedVertices::for_mesh(&mesh) };
        alone.positions.fill(Vec3::NAN);
        alone.skin(&mesh, &matrices, &[weight]).unwrap();
        let positions = SkinnedVertices { normals: vec![], tangents: vec![], ..expected };
        prop_assert_eq!(bits(&alone), bits(&positions));
    }

    /// Second path: sums, inverse and lengths in double precision. Fused operations are as near.
    #[test]
    fn skinned_vertices_are_near_double_precision(
        mut recipe in recipe(),
        numbers in prop::collection::vec(0.1f32..1.0, 50..200),
        turns in prop::collection::vec(-3.0f32..3.0, 3 * JOINTS),
    ) {
        (recipe.turned, recipe.morphed) = (usize::MAX, usize::MAX);
        let mesh = recipe.mesh(cycle(&numbers));
        let turn = |t: &[f32]| {
            let axis = Vec3::new(1.0, t[0] * 0.2, t[1] * 0.2).normalize();
            let turn = glam::Affine3::from_axis_angle(axis, t[0] * 0.3);
            Mat3x4::from(glam::Affine3::from_translation(Vec3::from_slice(t)) * turn)
        };
        let matrices: Vec<Mat3x4> = turns.chunks(3).map(turn).collect();
        let fast = planned(&mesh, Kernels::Fast, &matrices, 0.0);
        let same = planned(&mesh, Kernels::Detect, &matrices, 0.0);
        for vertex in 0..mesh.vertex_count() {
            let (matrix, translation, total) = in_double(&mesh, &matrices, vertex);
            if total == 0.0 {
                prop_assert_eq!(same.positions[vertex], mesh.positions[vertex]);
                continue;
            }
            let position = matrix * mesh.positions[vertex].as_dvec3() + translation;
            let near = |a: Vec3, b: DVec3, by: f64| a.as_dvec3().distance(b) < by;
            for out in [&same, &fast] {
                prop_assert!(near(out.positions[vertex], position, 1e-6 * (1.0 + 4.0 * total)));
                if recipe.normals {
                    let normal = matrix.inverse().transpose() * mesh.normals[vertex].as_dvec3();
                    prop_assert!(near(out.normals[vertex], normal.normalize(), 1e-5));
                }
                if recipe.tangents {
                    let tangent = mesh.tangents[vertex];
                    let direction = (matrix * tangent.truncate().as_dvec3()).normalize();
                    prop_assert!(near(out.tangents[vertex].truncate(), direction, 1e-5));
                    prop_assert_eq!(out.tangents[vertex].w, tangent.w);
                }
            }
        }
    }

    /// The order is a permutation, keeps what hangs together, and leaves a sorted mesh alone.
    #[test]
    fn skin_order_loses_nothing(recipe in recipe(), numbers in prop::collection::vec(number(), 1..200)) {
        let mesh = Recipe { sorted: false, ..recipe }.mesh(cycle(&numbers));
        let mut sorted = mesh.clone();
        let order = sort_vertices(&mut sorted);
        let mut all = order.clone();
        all.sort();
        prop_assert!(all.into_iter().eq(0..mesh.vertex_count() as u32));
        prop_assert!(vertex_order(&sorted).into_iter().eq(0..mesh.vertex_count() as u32));
        prop_assert!(SkinPlan::new(&sorted).unwrap().is_in_order());
        let matrices = matrices(cycle(&numbers));
        let [mut a, mut b] = [&mesh, &sorted].map(SkinnedVertices::without_plan);
        a.skin(&mesh, &matrices, &[0.5]).unwrap();
        b.skin(&sorted, &matrices, &[0.5]).unwrap();
        for (corner, &index) in sorted.indices.iter().enumerate() {
            let [a, b] = [a.positions[mesh.indices[corner] as usize], b.positions[index as usize]];
            prop_assert_eq!(a.to_array().map(bit), b.to_array().map(bit));
        }
    }
}

/// Sum of a vertex's matrices, and of the sizes of its weights.
fn in_double(mesh: &Mesh, matrices: &[Mat3x4], vertex: usize) -> (DMat3, DVec3, f64) {
    let (mut sum, mut translation, mut total) = (DMat3::ZERO, DVec3::ZERO, 0.0);
    if mesh.skin.is_none() {
        return (matrices[0].matrix3().as_dmat3(), matrices[0].translation().as_dvec3(), 1.0);
    }
    for (joint, weight) in mesh.influences.of(vertex) {
        let matrix = &matrices[usize::from(joint)];
        sum += matrix.matrix3().as_dmat3() * f64::from(weight);
        translation += matrix.translation().as_dvec3() * f64::from(weight);
        total += f64::from(weight.abs());
    }
    (sum, translation, total)
}

/// How the sets of vertices lie in a mesh.
#[derive(Clone, Copy, Debug)]
enum Sets {
    /// All vertices have one.
    One,
    /// A vertex of another set between them breaks the row.
    Broken,
    /// Five in turn: with up to forty vertices none has more than a block.
    Few,
}

impl Sets {
    /// Vertices with so many joints each.
    fn recipe(self, count: usize, size: usize) -> Recipe {
        let set = |first: u16| (first..first + size as u16).map(|joint| joint % JOINTS as u16).collect();
        let (sets, of): (_, fn(usize) -> usize) = match self {
            Self::One => (vec![set(0)], |_| 0),
            Self::Broken => (vec![set(0), vec![9]], |i| usize::from(i % 3 == 1)),
            Self::Few => ((0..5).map(set).collect(), |i| i % 5),
        };
        Recipe {
            sets,
            of: (0..count).map(of).collect(),
            turned: usize::MAX,
            morphed: if count.is_multiple_of(2) { usize::MAX } else { 5 },
            rigid: false,
            whole: count.is_multiple_of(4),
            normals: true,
            tangents: true,
            sorted: false,
        }
    }
}

/// Every remainder with every size of set.
#[test]
fn skin_runs_of_every_length_equal_the_reference() {
    let (lengths, step) = if cfg!(miri) { (7..10, 4) } else { (0..27, 1) };
    let numbers: Vec<f32> = (0..97).map(|i| (i * 37 % 97) as f32 / 50.0 - 0.9).collect();
    for count in lengths {
        for size in (1..=MOST_INFLUENCES).step_by(step) {
            for sets in [Sets::One, Sets::Broken, Sets::Few] {
                let mesh = sets.recipe(count, size).mesh(cycle(&numbers));
                let matrices = matrices(cycle(&numbers[13..]));
                let mut expected = SkinnedVertices::without_plan(&mesh);
                expected.skin(&mesh, &matrices, &[0.5]).unwrap();
                for kernels in [Kernels::Scalar, Kernels::Detect] {
                    let out = planned(&mesh, kernels, &matrices, 0.5);
                    assert_eq!(bits(&out), bits(&expected), "{count} vertices, {size} joints, {sets:?}");
                }
            }
        }
    }
}

/// Several batches of vertices with joints of their own, in a row and through the table.
#[test]
fn many_vertices_of_sets_that_few_have_equal_the_reference() {
    let triples =
        (0..10u16).flat_map(|a| (a + 1..10).flat_map(move |b| (b + 1..10).map(move |c| vec![a, b, c])));
    let sets: Vec<Vec<u16>> = triples.collect();
    let count = if cfg!(miri) { 150 } else { 300 };
    let numbers: Vec<f32> = (0..97).map(|i| (i * 37 % 97) as f32 / 50.0 - 0.9).collect();
    for (morphed, sorted, whole) in [(usize::MAX, true, true), (5, true, false), (5, false, true)] {
        let of = (0..count).map(|i| i % sets.len()).collect();
        let shape = Sets::One.recipe(0, 1);
        let recipe = Recipe { sets: sets.clone(), of, morphed, whole, sorted, ..shape };
        let mesh = recipe.mesh(cycle(&numbers));
        let matrices = matrices(cycle(&numbers[13..]));
        let mut expected = SkinnedVertices::without_plan(&mesh);
        expected.skin(&mesh, &matrices, &[0.5]).unwrap();
        for kernels in [Kernels::Scalar, Kernels::Detect] {
            let out = planned(&mesh, kernels, &matrices, 0.5);
            assert_eq!(bits(&out), bits(&expected), "morphed {morphed}, sorted {sorted}, whole {whole}");
        }
    }
}

#[test]
fn vertices_of_sets_that_few_have_are_deformed_together() {
    let numbers: Vec<f32> = (0..97).map(|i| i as f32).collect();
    let groups = |count: usize| {
        let mesh = Sets::Few.recipe(count, 3).mesh(cycle(&numbers));
        order::Groups::new(&mesh).iter().map(|(_, vertices)| vertices.to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(groups(40), [(0..40).collect::<Vec<u32>>()], "eight vertices a set");
    let [first, .., together] = &*groups(44) else { panic!("four sets of nine vertices, one of eight") };
    assert_eq!((first.len(), together.len()), (9, 8));
}

/// Large enough to be split across threads: the same with any number of them.
#[cfg(all(feature = "rayon", not(miri)))]
#[test]
fn skin_plans_give_the_same_with_any_number_of_threads() {
    // Most vertices have a set that many have, the others one of 3,000 that few have.
    let longer =
        |set: Vec<u16>| (set.last().copied().unwrap_or(0)..10).map(move |joint| [&*set, &[joint]].concat());
    let few = (0..6).fold(vec![Vec::new()], |sets, _| sets.into_iter().flat_map(longer).collect());
    let sets = (0..9).map(|first| vec![first, 9, first / 2]).chain(few).collect();
    let of = (0..40_000).map(|i| if i % 3 == 0 { 9 + i / 3 % 3000 } else { i / 7 % 10 }).collect();
    let (turned, morphed) = (31, 17);
    let (rigid, normals, tangents) = (false, true, true);
    let recipe = Recipe { sets, of, turned, morphed, rigid, whole: false, normals, tangents, sorted: false };
    let numbers: Vec<f32> = (0..997).map(|i| (i * 37 % 997) as f32 / 500.0 - 0.9).collect();
    let mesh = recipe.mesh(cycle(&numbers));
    let groups = order::Groups::new(&mesh);
    let own = groups.iter().filter(|(group, _)| group.joints.is_none()).map(|(_, vertices)| vertices.len());
    assert!(own.max() > Some(8192), "those with joints of their own are not one piece");
    let matrices = matrices(cycle(&numbers[13..]));
    let mut expected = SkinnedVertices::without_plan(&mesh);
    expected.skin(&mesh, &matrices, &[0.5]).unwrap();
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let out = pool.install(|| planned(&mesh, Kernels::Detect, &matrices, 0.5));
        assert!(bits(&out) == bits(&expected), "{threads} threads");
    }
}

#[test]
fn a_skin_plan_refuses_what_does_not_fit() {
    let mesh = |n: usize, normals: usize| Mesh {
        positions: vec![Vec3::ZERO; n].into(),
        normals: vec![Vec3::Y; normals].into(),
        ..Mesh::new("rigid")
    };
    let error = SkinPlan::new(&mesh(2, 1)).unwrap_err().to_string();
    assert_eq!(error, "normals has 1 elements where 2 are meant");
    let plan = Arc::new(SkinPlan::new(&mesh(2, 0)).unwrap());
    for (other, message) in [
        (mesh(3, 0), "mesh.positions has 3 elements where exactly 2 are meant"),
        (mesh(2, 2), "mesh.normals has 2 elements where exactly 0 are meant"),
    ] {
        let mut out = SkinnedVertices::with_plan(&other, plan.clone());
        let error = out.skin(&other, &[Mat3x4::IDENTITY], &[]).unwrap_err().to_string();
        assert_eq!(error, message);
    }
    let skin = Skin { joints: vec![0].into(), inverse_binds: vec![Mat3x4::IDENTITY].into() };
    let influences = Influences { per_vertex: 4, ..Influences::default() };
    let mut skinned = Mesh { skin: Some(skin), influences, ..mesh(1, 0) };
    let error = SkinnedVertices::for_mesh(&skinned).skin(&skinned, &[Mat3x4::IDENTITY], &[]).unwrap_err();
    assert_eq!(error.to_string(), "mesh.influences.skin_joints has 0 elements where exactly 4 are meant");
    skinned.influences.skin_joints = vec![0, 1, 7, 7].into();
    skinned.influences.weights = vec![0.5, 0.5, 0.0, 0.0].into();
    let error = SkinPlan::new(&skinned).unwrap_err().to_string();
    assert_eq!(error, "influences.skin_joints is 1, but there are only 1");
}
