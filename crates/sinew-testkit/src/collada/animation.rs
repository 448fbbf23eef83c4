//! Samplers and channels.

use super::text::Xml;
use super::{Angles, Channels, Keys, Options};
use crate::scene::{Curve, Interpolation, Property, Scene, Take, Transform};
use glam::{DMat4, DQuat};

/// How far, in radians, a rotation may stray from the curves between two matrix keys. What is read back then agrees
/// with the component channels at any time, not only at keys.
const STRAY: f64 = 1e-5;

/// Shortest time between two matrix keys.
const SHORTEST: f64 = 1.0 / 960.0;

pub(super) fn write(xml: &mut Xml, scene: &Scene, take: &Take, options: &Options) {
    assert!(take.shape_tracks.is_empty(), "this dialect has no blend shapes");
    xml.element("library_animations", |xml| {
        for node in 0..scene.nodes.len() {
            if !take.tracks.iter().any(|t| t.node == node) {
                continue;
            }
            assert_plain(&scene.nodes[node].transform, &scene.nodes[node].name);
            let id = options.ids.of(&scene.nodes[node].name);
            match options.channels {
                Channels::Components => components(xml, take, node, &id, options),
                Channels::Matrices => matrices(xml, scene, take, node, &id, options),
            }
        }
    });
}

/// Channels replace what a matrix decomposes into: that is the node's own components only where it has no others.
fn assert_plain(transform: &Transform, name: &str) {
    let plain = Transform {
        translation: transform.translation,
        rotation: transform.rotation,
        scaling: transform.scaling,
        ..Transform::default()
    };
    assert!(*transform == plain, "`{name}` has pivots and is animated");
}

fn components(xml: &mut Xml, take: &Take, node: usize, id: &str, options: &Options) {
    for track in take.tracks.iter().filter(|t| t.node == node) {
        let (word, factor) = match (track.property, options.angles) {
            (Property::Translation, _) => ("translation", 1.0),
            (Property::Scaling, _) => ("scale", 1.0),
            (Property::Rotation, Angles::Degrees) => ("rotation", 1.0),
            (Property::Rotation, Angles::Radians) => ("rotation", 1f64.to_radians()),
        };
        for (axis, curve) in ["X", "Y", "Z"].into_iter().zip(&track.curves) {
            let Some(curve) = curve else {
                continue;
            };
            let name = format!("{id}_{word}_{axis}");
            let values: Vec<f64> = curve.keys.iter().map(|k| k.value * factor).collect();
            let keys = curve.keys.iter().map(|k| (k.time, k.interpolation));
            animation(xml, &name, &format!("{id}/{word}.{axis}"), keys, options, |xml, out| {
                xml.floats(out, &[axis], &values);
            });
        }
    }
}

fn matrices(xml: &mut Xml, scene: &Scene, take: &Take, node: usize, id: &str, options: &Options) {
    let keys = matrix_keys(scene, take, node);
    let values: Vec<DMat4> = keys.iter().map(|k| k.1).collect();
    let times = keys.iter().map(|k| (k.0, Interpolation::Linear));
    let name = format!("{id}_transform");
    animation(xml, &name, &format!("{id}/transform"), times, options, |xml, out| {
        xml.matrices(out, &values);
    });
}

/// One `<animation>`: when, what, how it goes on, and where it goes.
fn animation(
    xml: &mut Xml,
    name: &str,
    target: &str,
    keys: impl Iterator<Item = (f64, Interpolation)>,
    options: &Options,
    values: impl FnOnce(&mut Xml, &str),
) {
    let (times, interpolations): (Vec<f64>, Vec<Interpolation>) = keys.unzip();
    let words: Vec<&str> = interpolations
        .iter()
        .map(|i| match (i, options.keys) {
            (Interpolation::Constant, _) => "STEP",
            (Interpolation::Linear, Keys::Linear) => "LINEAR",
            (Interpolation::Linear, Keys::Hermite) => "HERMITE",
            _ => panic!("`{target}`: this dialect has no cubic keys"),
        })
        .collect();
    xml.element(&format!(r#"animation id="{name}" name="{name}""#), |xml| {
        xml.floats(&format!("{name}_input"), &["TIME"], &times);
        values(xml, &format!("{name}_output"));
        xml.words(&format!("{name}_interpolation"), "INTERPOLATION", &words);
        xml.element(&format!(r#"sampler id="{name}_sampler""#), |xml| {
            for semantic in ["INPUT", "OUTPUT", "INTERPOLATION"] {
                let source = semantic.to_ascii_lowercase();
                xml.empty(&format!(r##"input semantic="{semantic}" source="#{name}_{source}""##));
            }
        });
        xml.empty(&format!(r##"channel source="#{name}_sampler" target="{target}""##));
    });
}

/// The node's matrix wherever one of its curves has a key, and between them until the tolerance holds.
fn matrix_keys(scene: &Scene, take: &Take, node: usize) -> Vec<(f64, DMat4)> {
    let tracks = take.tracks.iter().filter(|t| t.node == node);
    let curves: Vec<&Curve> = tracks.flat_map(|t| t.curves.iter().flatten()).collect();
    let keys = curves.iter().flat_map(|c| &c.keys);
    let mut times: Vec<f64> = keys.map(|k| k.time).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let at = |time: f64| scene.transform_at(node, Some(take), time);
    let mut all: Vec<(f64, DMat4)> = Vec::new();
    for pair in times.windows(2) {
        let parts = parts(pair[0], pair[1], |t| at(t).local_rotation());
        for part in 0..parts {
            let time = pair[0] + (pair[1] - pair[0]) * part as f64 / parts as f64;
            all.push((time, at(time).local()));
        }
    }
    all.extend(times.last().map(|&t| (t, at(t).local())));
    all
}

/// Number of parts to divide an interval into so that interpolated rotations follow the curves.
fn parts(begin: f64, end: f64, rotation: impl Fn(f64) -> DQuat) -> usize {
    let mut parts = 1;
    while (end - begin) / (parts as f64) > SHORTEST {
        let at = |x: f64| begin + (end - begin) * x / parts as f64;
        let strays = (0..parts).any(|part| {
            let (a, b) = (rotation(at(part as f64)), rotation(at(part as f64 + 1.0)));
            [0.25, 0.5, 0.75].into_iter().any(|x| {
                let off = a.slerp(b, x).inverse() * rotation(at(part as f64 + x));
                2.0 * off.xyz().length() > STRAY
            })
        });
        if !strays {
            break;
        }
        parts *= 2;
    }
    parts
}
