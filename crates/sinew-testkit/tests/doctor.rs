//! Every doctor fixture loads in ufbx and is wrong by just as much as its dial says, in one way only.

mod common;

use common::{difference, load, matrix};
use glam::{DMat4, DQuat, DVec3};
use sinew_testkit::fixtures::stick::{DURATION, RATE, TAKE};
use sinew_testkit::fixtures::{CHARACTER, CLIP, Fixture, doctor};
use ufbx::SceneRoot;

/// What can be wrong with the stick, measured through ufbx. On the clean one everything has its default value.
#[derive(Debug, PartialEq)]
struct Health {
    joints: usize,
    names: usize,
    matched: usize,
    /// Largest angle in degrees of any joint to its own first key.
    motion: f64,
    /// Largest angle in degrees of rest against bind.
    bind: f64,
    /// Largest angle in degrees of a first key against the character's rest.
    first_key: f64,
    /// First height of the hips against their rest.
    ratio: f64,
    /// Angle in degrees by which the root is turned about X on average.
    root: f64,
    /// Longest bone below the root against its rest length.
    stretch: f64,
    /// Smallest and largest sum of weights, and the number of vertices without any.
    weights: (f64, f64),
    unweighted: usize,
    influences: usize,
    /// Smallest component of any scale, and the largest ratio of two components.
    scale: (f64, f64),
    /// How far the root ends from where it began: horizontally and vertically.
    travel: (f64, f64),
    /// Largest angle of a last key against the first, in degrees.
    seam: f64,
    /// Largest jump in turning speed over the seam, in degrees per second.
    speed: f64,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            joints: 10,
            names: 10,
            matched: 10,
            motion: 31.586,
            bind: 0.0,
            first_key: 0.0,
            ratio: 1.0,
            root: 0.0,
            stretch: 1.0,
            weights: (1.0, 1.0),
            unweighted: 0,
            influences: 2,
            scale: (1.0, 1.0),
            travel: (0.0, 0.0),
            seam: 0.0,
            speed: 0.0,
        }
    }
}

/// Local rotation and translation of every joint in the clip at a time.
fn locals(clip: &SceneRoot, time: f64) -> Vec<(String, DQuat, DVec3)> {
    let Some(stack) = clip.find_anim_stack(TAKE) else {
        panic!("there is no take");
    };
    let bones = clip.nodes.iter().filter(|n| n.bone.is_some());
    bones
        .map(|n| {
            let x = n.evaluate_transform(&stack.anim, time);
            let (q, t) = (x.rotation, x.translation);
            (n.element.name.to_string(), DQuat::from_xyzw(q.x, q.y, q.z, q.w), DVec3::new(t.x, t.y, t.z))
        })
        .collect()
}

fn rest_rotation(node: &ufbx::Node) -> DQuat {
    let q = node.local_transform.rotation;
    DQuat::from_xyzw(q.x, q.y, q.z, q.w)
}

/// Angle of two rotations in degrees, exact for small ones too.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let d = a.inverse() * b;
    2.0 * d.xyz().length().atan2(d.w.abs()).to_degrees()
}

fn round(v: f64) -> f64 {
    (v * 1e3).round() / 1e3 + 0.0
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    round(values.fold(0.0, f64::max))
}

fn health(fixture: &Fixture) -> Health {
    let character = load(&fixture.name, fixture.file(CHARACTER));
    let clip = load(&fixture.name, fixture.file(CLIP));
    let mut health = Health::default();
    measure_character(&character, &mut health);
    measure_skin(&character, &mut health);
    measure_clip(&character, &clip, &mut health);
    measure_seam(&clip, &mut health);
    health
}

fn measure_character(character: &SceneRoot, health: &mut Health) {
    let bones: Vec<_> = character.nodes.iter().filter(|n| n.bone.is_some()).collect();
    let mut names: Vec<&str> = bones.iter().map(|n| &*n.element.name).collect();
    names.sort_unstable();
    names.dedup();
    health.joints = bones.len();
    health.names = names.len();
    let scales = bones.iter().map(|n| {
        let s = n.local_transform.scale;
        DVec3::new(s.x, s.y, s.z)
    });
    let scales: Vec<DVec3> = scales.collect();
    let least = scales.iter().map(|s| s.min_element()).fold(1.0, f64::min);
    let ratio = scales.iter().map(|s| s.abs().max_element() / s.abs().min_element());
    health.scale = (round(least), largest(ratio));
}

fn measure_skin(character: &SceneRoot, health: &mut Health) {
    let (mut least, mut most) = (1.0f64, 1.0f64);
    let clusters = character.skin_deformers.iter().flat_map(|s| &s.clusters);
    health.bind = largest(clusters.map(|c| {
        let rest = c.bone_node.as_ref().map(|b| matrix(&b.node_to_world));
        let skin = rest.unwrap_or_default() * matrix(&c.geometry_to_bone);
        if difference(skin, DMat4::IDENTITY) < 1e-6 {
            return 0.0;
        }
        angle(DQuat::from_mat4(&skin), DQuat::IDENTITY)
    }));
    health.influences = 0;
    for skin in &character.skin_deformers {
        health.influences = health.influences.max(skin.max_weights_per_vertex);
        for vertex in &skin.vertices {
            let begin = vertex.weight_begin as usize;
            let all = begin..begin + vertex.num_weights as usize;
            if all.is_empty() {
                health.unweighted += 1;
                continue;
            }
            let sum: f64 = all.map(|i| skin.weights[i].weight).sum();
            least = least.min(sum);
            most = most.max(sum);
        }
    }
    health.weights = (round(least), round(most));
}

fn measure_clip(character: &SceneRoot, clip: &SceneRoot, health: &mut Health) {
    let times = (0..=60).map(|i| f64::from(i) / RATE);
    let frames: Vec<_> = times.map(|t| locals(clip, t)).collect();
    let first = &frames[0];
    let rest = |name: &str| character.find_node(name);
    health.matched = first.iter().filter(|j| rest(&j.0).is_some()).count();
    let turned = frames.iter().flat_map(|f| f.iter().zip(first));
    health.motion = largest(turned.map(|(a, b)| angle(a.1, b.1)));
    let from_rest = first.iter().filter_map(|j| Some(angle(j.1, rest_rotation(rest(&j.0)?))));
    health.first_key = largest(from_rest);
    health.ratio = round(first[0].2.y / 80.0);
    let x_turn = frames.iter().map(|f| (f[0].1 * DVec3::Y).angle_between(DVec3::Y));
    health.root = round(x_turn.map(f64::to_degrees).sum::<f64>() / frames.len() as f64);
    if health.root < 5.0 {
        health.root = 0.0;
    }
    let lengths = frames.iter().flat_map(|f| f.iter().zip(first).skip(1));
    health.stretch = largest(lengths.map(|(a, b)| a.2.length() / b.2.length()));
}

fn measure_seam(clip: &SceneRoot, health: &mut Health) {
    let step = 1.0 / RATE;
    let [start, second, before, end] = [0.0, step, DURATION - step, DURATION].map(|t| locals(clip, t));
    let moved = end[0].2 - start[0].2;
    health.travel = (round(moved.x.hypot(moved.z)), round(moved.y.abs()));
    health.seam = largest(start.iter().zip(&end).map(|(a, b)| angle(a.1, b.1)));
    let speeds = (0..start.len()).map(|j| {
        let leaving = start[j].1.inverse() * second[j].1;
        let arriving = before[j].1.inverse() * end[j].1;
        (leaving.to_scaled_axis() - arriving.to_scaled_axis()).length().to_degrees() / step
    });
    health.speed = largest(speeds);
    // Turns about several axes do not commute, which leaves a little even in perfect sines.
    if health.speed < 2.0 {
        health.speed = 0.0;
    }
}

#[test]
fn clean_is_clean() {
    assert_eq!(health(&doctor::clean()), Health::default());
}

#[test]
fn faults_of_the_character() {
    let clean = Health::default;
    for (fixture, want) in [
        (doctor::rest_differs_from_bind(20.0), Health { bind: 20.0, ..clean() }),
        (doctor::rest_differs_from_bind(0.4), Health { bind: 0.4, ..clean() }),
        (doctor::negative_scale(-1.0), Health { scale: (-1.0, 1.0), ..clean() }),
        (doctor::non_uniform_scale(1.5), Health { scale: (1.0, 1.5), ..clean() }),
        (doctor::non_uniform_scale(1.01), Health { scale: (1.0, 1.01), ..clean() }),
        (doctor::duplicate_names("Foot", "Foot"), Health { names: 9, ..clean() }),
        (doctor::duplicate_names("Foot", "foot"), clean()),
        (doctor::joints(72), Health { joints: 72, names: 72, matched: 72, ..clean() }),
        (doctor::joints(257), Health { joints: 257, names: 257, matched: 257, ..clean() }),
        (doctor::weight_sum(0.8), Health { weights: (0.8, 1.0), ..clean() }),
        (doctor::weight_sum(1.005), Health { weights: (1.0, 1.005), ..clean() }),
        (doctor::unweighted_vertices(5), Health { unweighted: 5, ..clean() }),
        (doctor::influences(4, 0.05), Health { influences: 4, ..clean() }),
        (doctor::influences(10, 0.05), Health { influences: 10, ..clean() }),
    ] {
        assert_eq!(health(&fixture), want, "{}", fixture.name);
    }
}

#[test]
fn faults_of_the_clip() {
    let clean = Health::default;
    for (fixture, want) in [
        (doctor::channels_matched(0), Health { matched: 0, ..clean() }),
        (doctor::channels_matched(7), Health { matched: 7, ..clean() }),
        (doctor::clip_moves(0.0), Health { motion: 0.0, ..clean() }),
        (doctor::clip_moves(0.5), Health { motion: 0.5, ..clean() }),
        (doctor::translation_ratio(100.0), Health { ratio: 100.0, ..clean() }),
        (doctor::translation_ratio(0.01), Health { ratio: 0.01, ..clean() }),
        (doctor::bone_stretch(1.3), Health { stretch: 1.3, ..clean() }),
        (doctor::travelling_root(140.0), Health { travel: (140.0, 0.0), ..clean() }),
        (doctor::seam_position(10.0), Health { travel: (0.0, 10.0), ..clean() }),
        (doctor::seam_rotation(20.0), Health { seam: 20.0, ..clean() }),
        (doctor::seam_speed(300.0), Health { speed: 300.0, ..clean() }),
        (doctor::seam_speed(60.0), Health { speed: 60.0, ..clean() }),
    ] {
        let mut found = health(&fixture);
        // A large parabola or ramp turns the head further than the sway did.
        if want.motion != 0.0 && found.motion > want.motion {
            found.motion = want.motion;
        }
        assert_eq!(found, want, "{}", fixture.name);
    }
    let turned = health(&doctor::first_key_far_from_rest(70.0));
    assert_eq!((turned.first_key, turned.seam, turned.speed), (70.0, 0.0, 0.0));
    let lying = health(&doctor::root_rotation(90.0));
    assert!((lying.root - 90.0).abs() < 0.1 && lying.first_key == 90.0);
}

#[test]
fn all_faults_load_and_repeat() {
    for (a, b) in doctor::all().iter().zip(doctor::all()) {
        assert_eq!(a.name, b.name);
        assert!(a.files == b.files, "{} differs between two runs", a.name);
        for (file, bytes) in &a.files {
            load(&format!("{}/{file}", a.name), bytes);
        }
    }
}
