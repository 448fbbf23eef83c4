//! Poses have the same bits with every accepted version of glam.
//!
//! The workspace runs this file with the highest version, `tests/glam-lowest` with the lowest, and both check one recorded hash. Vectors and
//! matrices are made with the caller's own `glam`, as a game does: the file compiles only where that is the glam of `sinew`.

use glam::{Affine3, Quat, Vec2, Vec3, Vec4};
use sinew::CharacterData;
use sinew::blend::blend_poses;
use sinew::bounds::clip_bounds;
use sinew::skinning::SkinnedVertices;
use sinew::{
    Character, Clip, ClipLibrary, Influences, Interpolation, Joint, JointTracks, Key, Mesh, MorphDelta,
    MorphTarget, PlayOptions, Player, Pose, RootMotion, Sampling, Scalar, ScalarTrack, Skeleton, Skin, Space,
    Track, Transform, job,
};
use std::sync::Arc;

/// The hash of all results. Another value means that poses, matrices or vertices have changed.
const RECORDED: u64 = 0xc388_193e_134a_dd9c;

/// More than the eight joints of a block.
const JOINTS: u16 = 11;

/// FNV-1a over the bits of numbers.
struct Hash(u64);

impl Hash {
    fn add(&mut self, numbers: impl IntoIterator<Item = f32>) {
        for byte in numbers.into_iter().flat_map(|number| number.to_bits().to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn matrices(&mut self, matrices: &[sinew::Mat3x4]) {
        matrices.iter().for_each(|matrix| self.add(matrix.to_affine().to_cols_array()));
    }

    fn pose(&mut self, pose: &Pose) {
        for joint in pose.iter() {
            self.add(joint.translation.to_array());
            self.add(joint.rotation.to_array());
            self.add(joint.scale.to_array());
        }
        self.add(pose.scalars().iter().copied());
    }

    fn vertices(&mut self, vertices: &SkinnedVertices) {
        vertices.positions.iter().for_each(|v| self.add(v.to_array()));
        vertices.normals.iter().for_each(|v| self.add(v.to_array()));
        vertices.tangents.iter().for_each(|v| self.add(v.to_array()));
    }
}

fn track<T: Key>(keys: [T; 3]) -> Option<Track<T>> {
    Some(Track::new(vec![0.0, 0.3, 1.0], keys.into(), Interpolation::Linear).unwrap())
}

/// A clip that turns and scales every joint and moves the root. `sign` tells two of them apart.
fn take(name: &str, sign: f32) -> Clip {
    let tracks = (0..JOINTS).map(|joint| {
        let small = f32::from(joint) * 0.07;
        let turned = Quat::from_xyzw(0.36 * sign, 0.48, 0.0, 0.8);
        JointTracks {
            translation: track([Vec3::Y, Vec3::new(small, 1.1, 0.4 * sign), Vec3::new(0.3, 1.0, 2.0)])
                .filter(|_| joint == 0),
            rotation: track([Quat::IDENTITY, turned, Quat::from_xyzw(0.0, 0.0, 0.6, -0.8 * sign)]),
            scale: track([Vec3::ONE, Vec3::new(1.2, 0.9 + small, 1.0), Vec3::splat(0.7)]),
            ..JointTracks::new(joint)
        }
    });
    let smile = ScalarTrack { scalar: 0, track: track([0.0, 0.9, 0.4]).unwrap() };
    Clip::new(name, 1.0, tracks.collect(), vec![smile]).unwrap()
}

/// A chain of joints with a strip of vertices around it.
fn character() -> Arc<Character> {
    let rest =
        Transform { rotation: Quat::from_xyzw(0.0, 0.28, 0.0, 0.96), ..Transform::from_translation(Vec3::Y) };
    let joints = (0..JOINTS).map(|i| Joint::new(format!("j{i}"), i.checked_sub(1), rest)).collect();
    let bind = |joint: u16| sinew::Mat3x4::from_translation(Vec3::new(0.1, -f32::from(joint), 0.2));
    let vertices = || (0..JOINTS * 2).map(f32::from);
    let delta = MorphDelta { vertex: 3, position: Vec3::X, normal: Vec3::splat(0.1), tangent: Vec3::Z };
    let mesh = Mesh {
        positions: vertices().map(|v| Vec3::new(v % 2.0, v * 0.5, 0.1 * v)).collect(),
        normals: vertices().map(|v| Vec3::new(0.6, 0.0, if v % 2.0 == 0.0 { 0.8 } else { -0.8 })).collect(),
        tangents: vertices().map(|_| Vec4::new(0.0, 1.0, 0.0, -1.0)).collect(),
        uvs: vertices().map(Vec2::splat).collect(),
        skin: Some(Skin { joints: (0..JOINTS).collect(), inverse_binds: (0..JOINTS).map(bind).collect() }),
        influences: Influences {
            per_vertex: 4,
            skin_joints: (0..JOINTS * 2).flat_map(|v| [v / 2, (v / 2 + 1) % JOINTS, 0, 0]).collect(),
            weights: vertices().flat_map(|_| [0.7, 0.3, 0.0, 0.0]).collect(),
            ..Influences::default()
        },
        morphs: vec![MorphTarget { name: "smile".into(), scalar: 0, deltas: vec![delta].into() }],
        ..Mesh::new("body")
    };
    let data = CharacterData {
        name: "hero".into(),
        skeleton: Skeleton::new(joints, vec![Scalar { name: "smile".into(), rest: 0.1 }]).unwrap(),
        meshes: vec![mesh],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new([take("walk", 1.0), take("run", -1.0)]),
        space: Space::CANONICAL,
    };
    Arc::new(Character::new(data).unwrap())
}

/// A root transform that turns, scales and moves.
fn root() -> Affine3 {
    Affine3::from_scale_rotation_translation(
        Vec3::new(1.5, 0.5, 1.0),
        Quat::from_xyzw(0.6, 0.0, 0.0, 0.8),
        Vec3::new(3.0, -2.0, 0.25),
    )
}

/// The stages one by one: sample, blend, local to model, skin matrices, vertices.
fn stages(character: &Character, hash: &mut Hash) {
    let (skeleton, mesh) = (character.skeleton(), &character.meshes()[0]);
    let [walk, run] = ["walk", "run"].map(|name| character.clips().by_name(name).unwrap());
    let rest = || skeleton.rest().clone();
    let (mut from, mut to, mut mixed) = (rest(), rest(), rest());
    let mut model = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    let mut skin = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
    let mut vertices = SkinnedVertices::for_mesh(mesh);
    for step in 0..20u8 {
        let part = f32::from(step) / 19.0;
        job::sample(skeleton, &walk, f64::from(part), Sampling::Interpolate, &mut from).unwrap();
        job::sample(skeleton, &run, f64::from(1.0 - part), Sampling::Interpolate, &mut to).unwrap();
        blend_poses(&from, &to, part, &mut mixed).unwrap();
        job::local_to_model(skeleton.hierarchy(), mixed.blocks(), &root().into(), &mut model).unwrap();
        mesh.skin_matrices(&model, &mut skin).unwrap();
        vertices.skin(mesh, &skin, mixed.scalars()).unwrap();
        [&from, &to, &mixed].into_iter().for_each(|pose| hash.pose(pose));
        [&model, &skin].into_iter().for_each(|matrices| hash.matrices(matrices));
        hash.vertices(&vertices);
    }
    let bounds = clip_bounds(skeleton, character.meshes(), &walk).unwrap();
    [bounds.min, bounds.max].into_iter().for_each(|corner| hash.add(corner.to_array()));
}

/// The same by a player, with root motion.
fn player(character: Arc<Character>, hash: &mut Hash) {
    let mut player = Player::new(character);
    player.set_root(root());
    let options = PlayOptions { root_motion: Some(RootMotion::Extract), ..Default::default() };
    player.play_with("run", options).unwrap();
    for _ in 0..20 {
        player.update(0.13);
        hash.pose(player.pose());
        hash.add(player.root_delta().translation.to_array());
        hash.matrices(player.model_matrices());
        hash.matrices(player.skin_matrices(0));
    }
}

#[test]
fn poses_have_the_recorded_bits() {
    for kernels in [sinew::Kernels::Scalar, sinew::Kernels::Detect] {
        kernels.choose();
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        let character = character();
        stages(&character, &mut hash);
        player(character, &mut hash);
        assert_eq!(hash.0, RECORDED, "{kernels:?}: {:#x}", hash.0);
    }
}
