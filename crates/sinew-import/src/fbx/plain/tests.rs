//! Plain nodes against ufbx.

use super::*;
use crate::fbx::{animation, load};
use crate::{Limits, Resample};
use proptest::prelude::*;
use sinew_testkit::fixtures::quirks;
use sinew_testkit::scene::{self, Curve, Interpolation, Node, Property, Track, Transform};
use std::path::PathBuf;

/// Values of `ufbx::TransformFlags`: explicit, and one for each part.
const FLAGS: [u32; 4] = [0x4, 0x10, 0x20, 0x40];

/// Nodes of a file that are plain, and others that a take moves.
#[derive(Debug, Default, PartialEq)]
struct Count {
    plain: usize,
    others: usize,
}

/// Compares all plain nodes of a file.
fn compare(name: &str, bytes: &[u8]) -> Count {
    let limits = Limits::default();
    let (budget, mut findings, mut count) = (Budget::new(&limits), Vec::new(), Count::default());
    let Ok(scene) = load::load(bytes, &budget, &mut findings) else { return count };
    for take in animation::takes(&scene, Resample::Keys, &budget, &mut findings).unwrap() {
        let (anim, nodes) = (take.anim(&scene).unwrap(), PlainNodes::new(&scene, &take, &budget).unwrap());
        let times = times(&take);
        for node in take.nodes.keys().map(|&index| &scene.nodes[index]) {
            let Some(plain) = nodes.get(node) else {
                count.others += 1;
                continue;
            };
            count.plain += 1;
            for (&time, parts) in times.iter().zip((1..8).cycle()) {
                let wanted = [0, 1, 2].map(|part| parts & (1 << part) != 0);
                compare_at(plain, anim, node, time, wanted)
                    .unwrap_or_else(|e| panic!("{name}: `{}`: {e}", node.element.name));
            }
        }
    }
    count
}

/// Times of a take at keys, just before them, between them, and outside the take; so many that each combination of parts is met often.
fn times(take: &Take) -> Vec<f64> {
    let knots = take.nodes.values().flat_map(|node| node.parts.iter().flatten().flatten());
    let mut keys: Vec<f64> = knots.map(|knot| knot.time + take.range.begin).collect();
    keys.extend([take.range.begin - 3.0, take.range.end + 3.7]);
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let apart = keys.len().div_ceil(300);
    let around = |key: f64| [key, key.next_down(), key + 1e-3, key + 0.013, key + 0.021];
    let times: Vec<f64> = keys.into_iter().step_by(apart).flat_map(around).collect();
    times.iter().cycle().take(times.len().max(49)).copied().collect()
}

fn compare_at(
    plain: &Plain,
    anim: &Anim,
    node: &ufbx::Node,
    time: f64,
    wanted: [bool; 3],
) -> Result<(), String> {
    let parts = wanted.into_iter().zip(&FLAGS[1..]).filter(|(wanted, _)| *wanted);
    let flags = parts.fold(FLAGS[0], |flags, (_, part)| flags | part);
    let ours = numbers(&plain.at(node, time, wanted));
    let theirs = numbers(&convert::trs(&ufbx::evaluate_transform_flags(anim, node, time, flags)));
    // Roundings alone: of angles of a few turns, whose last bit is 1e-14 of a radian, and of lengths that are rotated about pivots. A small component of a long
    // vector is rounded as the long ones are.
    let same = |part: std::ops::Range<usize>| {
        let (ours, theirs) = (&ours[part.clone()], &theirs[part]);
        let size = ours.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
        ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + size))
    };
    if same(0..3) && same(3..7) && same(7..10) {
        return Ok(());
    }
    Err(format!("{wanted:?} at {time}: {ours:?}, ufbx: {theirs:?}"))
}

fn numbers(trs: &Trs) -> [f64; 10] {
    let ([tx, ty, tz], [x, y, z, w]) = (trs.translation.to_array(), trs.rotation.to_array());
    let [sx, sy, sz] = trs.scale.to_array();
    [tx, ty, tz, x, y, z, w, sx, sy, sz]
}

#[test]
fn quirks_are_evaluated_as_ufbx_does() {
    let files = quirks::all().into_iter().flat_map(|fixture| fixture.files);
    let counts = files.filter(|(name, _)| name.ends_with(".fbx")).map(|(name, bytes)| compare(&name, &bytes));
    let plain: usize = counts.map(|count| count.plain).sum();
    assert!(plain > 100, "{plain}");
}

#[test]
fn the_corpus_is_evaluated_as_ufbx_does() {
    let Some(corpus) = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty()).map(PathBuf::from) else {
        #[allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]
        {
            println!("SINEW-SKIP: the_corpus_is_evaluated_as_ufbx_does: corpus not set");
        }
        return;
    };
    let index = std::fs::read_to_string(corpus.join("index.tsv")).expect("the corpus has an index");
    let mut files: Vec<&str> = index.lines().skip(1).filter_map(|line| line.split('\t').nth(1)).collect();
    files.retain(|file| file.ends_with(".fbx"));
    files.sort_unstable();
    files.dedup();
    let mut all = Count::default();
    for file in files {
        let count = compare(file, &std::fs::read(corpus.join(file)).unwrap());
        all = Count { plain: all.plain + count.plain, others: all.others + count.others };
    }
    assert!(all.plain > 10 * all.others, "{all:?}");
}

fn vector(most: f64) -> impl Strategy<Value = glam::DVec3> {
    let number = move || prop_oneof![2 => -most..most, 1 => Just(0.0)];
    prop_oneof![
        2 => [number(), number(), number()].prop_map(glam::DVec3::from_array),
        1 => Just(glam::DVec3::ZERO)
    ]
}

fn any_transform() -> impl Strategy<Value = Transform> {
    use scene::RotationOrder::{Xyz, Xzy, Yxz, Yzx, Zxy, Zyx};
    let order = prop::sample::select(vec![Xyz, Xzy, Yzx, Yxz, Zxy, Zyx]);
    let (angles, pivots) = ([vector(190.0), vector(190.0), vector(190.0)], [(); 4].map(|()| vector(20.0)));
    (vector(50.0), vector(3.0), angles, pivots, order).prop_map(
        |(translation, scaling, angles, pivots, order)| Transform {
            translation,
            scaling,
            rotation: angles[0],
            pre_rotation: angles[1],
            post_rotation: angles[2],
            rotation_pivot: pivots[0],
            rotation_offset: pivots[1],
            scaling_pivot: pivots[2],
            scaling_offset: pivots[3],
            rotation_order: order,
            ..Transform::default()
        },
    )
}

fn any_track(property: Property) -> impl Strategy<Value = Track> {
    let value = || prop_oneof![-200.0..200.0f64, Just(0.0)];
    let interpolation = prop_oneof![
        Just(Interpolation::Constant),
        Just(Interpolation::Linear),
        Just(Interpolation::Auto),
        (value(), value()).prop_map(|(right, next_left)| Interpolation::User { right, next_left }),
    ];
    let key = (0.01..0.4f64, value(), interpolation);
    // Some have one value, or one interpolation, at all keys.
    let level = prop_oneof![3 => Just(None), 1 => value().prop_map(Some)];
    let curve = (prop::collection::vec(key, 1..6), level, any::<bool>());
    let curve = curve.prop_map(|(keys, level, alike)| {
        let (mut time, first) = (0.0, keys[0].2);
        let keys = keys.into_iter().map(|(step, value, own)| {
            time += step;
            let interpolation = if alike { first } else { own };
            scene::Key { time, value: level.unwrap_or(value), interpolation }
        });
        Curve { keys: keys.collect() }
    });
    prop::array::uniform3(prop::option::of(curve)).prop_map(move |curves| Track { node: 0, property, curves })
}

#[test]
fn what_never_moves_is_fixed() {
    let mut scene = scene::Scene::default();
    scene.add(Node::limb("joint", None, Transform::default()));
    let curve = |interpolation, values: [f64; 3]| {
        Curve::with(interpolation, [0.0, 0.3, 0.9].into_iter().zip(values).collect::<Vec<_>>())
    };
    let track = |property, curves| Track { node: 0, property, curves };
    let level = |value| Some(curve(Interpolation::Auto, [value; 3]));
    let waving = Interpolation::User { right: 9.0, next_left: 9.0 };
    let mut take = scene::Take::new("take", 0.0, 1.5);
    take.tracks = vec![
        track(Property::Translation, [level(3.0), level(-4.5), None]),
        track(Property::Rotation, [level(30.0), Some(curve(waving, [5.0; 3])), None]),
        track(Property::Scaling, [level(1.0), Some(curve(Interpolation::Linear, [1.0, 1.0, 2.0])), None]),
    ];
    scene.takes.push(take);
    let bytes = sinew_testkit::fbx::write(&scene);
    assert_eq!(compare("joint", bytes.as_bytes()), Count { plain: 1, others: 0 });
    let (limits, mut findings) = (Limits::default(), Vec::new());
    let budget = Budget::new(&limits);
    let scene = load::load(bytes.as_bytes(), &budget, &mut findings).unwrap();
    let takes = animation::takes(&scene, Resample::Keys, &budget, &mut findings).unwrap();
    let nodes = PlainNodes::new(&scene, &takes[0], &budget).unwrap();
    let plain = scene.nodes.iter().find_map(|node| nodes.get(node)).unwrap();
    assert!(matches!(plain.translation, Channel::Fixed(DVec3 { x: 3.0, y: -4.5, .. })));
    assert!(matches!((&plain.rotation, &plain.scale), (Channel::Moving(_), Channel::Moving(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any pivots, offsets, rotations and curves.
    #[test]
    fn any_node_is_evaluated_as_ufbx_does(
        transform in any_transform(),
        translation in prop::option::of(any_track(Property::Translation)),
        rotation in any_track(Property::Rotation),
        scaling in prop::option::of(any_track(Property::Scaling)),
    ) {
        let mut scene = scene::Scene::default();
        scene.add(Node::limb("joint", None, transform));
        let mut take = scene::Take::new("take", 0.0, 1.5);
        take.tracks.extend([translation, Some(rotation), scaling].into_iter().flatten());
        prop_assume!(take.tracks.iter().any(|track| track.curves.iter().any(Option::is_some)));
        scene.takes.push(take);
        let count = compare("joint", sinew_testkit::fbx::write(&scene).as_bytes());
        prop_assert_eq!(count, Count { plain: 1, others: 0 });
    }
}
