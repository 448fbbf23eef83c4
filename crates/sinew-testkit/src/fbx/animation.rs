//! Animation stacks, one layer each, with curve nodes and curves.

use super::Writer;
use super::text::{Text, escape, number, ticks};
use crate::scene::{Curve, Interpolation, Property, ShapeTrack, Take, Track, Transform};

/// Bits of `KeyAttrFlags`.
mod flags {
    pub(super) const CONSTANT: i64 = 0x2;
    pub(super) const LINEAR: i64 = 0x4;
    pub(super) const CUBIC: i64 = 0x8;
    pub(super) const TANGENT_AUTO: i64 = 0x100;
    pub(super) const TANGENT_USER: i64 = 0x400;
    pub(super) const TANGENT_BROKEN: i64 = 0x800;
    pub(super) const TIME_INDEPENDENT: i64 = 0x2000;
}

/// The default tangent weights of a third, packed as FBX packs them: two decimals of four places in one word.
const WEIGHTS: i64 = 0x0d05_0d05;

impl Writer<'_> {
    pub(super) fn takes(&mut self) {
        let scene = self.scene;
        if let Some(first) = scene.takes.first() {
            self.takes.line(&format!("Current: \"{}\"", escape(&first.name)));
        }
        for take in &scene.takes {
            self.take(take);
        }
    }

    fn take(&mut self, take: &Take) {
        let stack = self.id();
        let name = ("AnimStack", take.name.as_str());
        self.object("AnimationStack", stack, name, "", |t| {
            if let Some((begin, end)) = take.range {
                t.properties(|t| {
                    t.time("LocalStart", begin);
                    t.time("LocalStop", end);
                    t.time("ReferenceStart", begin);
                    t.time("ReferenceStop", end);
                });
            }
        });
        let layer = self.id();
        let name = ("AnimLayer", "BaseLayer");
        self.object("AnimationLayer", layer, name, "", |_| {});
        self.connect(layer, stack);
        for track in &take.tracks {
            self.track(track, layer);
        }
        for track in &take.shape_tracks {
            self.shape_track(track, layer);
        }
        let head = format!("Take: \"{}\"", escape(&take.name));
        self.takes.block(&head, |t| {
            if let Some((begin, end)) = take.range {
                let (begin, end) = (ticks(begin), ticks(end));
                t.line(&format!("LocalTime: {begin},{end}"));
                t.line(&format!("ReferenceTime: {begin},{end}"));
            }
        });
    }

    fn track(&mut self, track: &Track, layer: u64) {
        let rest = &self.scene.nodes[track.node].transform;
        let (name, property, value) = property_of(track.property, rest);
        let id = self.id();
        self.object("AnimationCurveNode", id, ("AnimCurveNode", name), "", |t| {
            t.properties(|t| {
                for (axis, value) in ["d|X", "d|Y", "d|Z"].iter().zip(value) {
                    t.property(axis, "Number", "", &number(value));
                }
            });
        });
        self.connect(id, layer);
        self.connect_property(id, self.node_ids[track.node], property);
        for (axis, curve) in ["d|X", "d|Y", "d|Z"].iter().zip(&track.curves) {
            if let Some(curve) = curve {
                self.curve(curve, id, axis);
            }
        }
    }

    fn shape_track(&mut self, track: &ShapeTrack, layer: u64) {
        let id = self.id();
        let name = ("AnimCurveNode", "DeformPercent");
        self.object("AnimationCurveNode", id, name, "", |t| {
            t.properties(|t| t.property("d|DeformPercent", "Number", "", "0"));
        });
        self.connect(id, layer);
        let channel = self.channel_ids[track.mesh][track.shape];
        self.connect_property(id, channel, "DeformPercent");
        self.curve(&track.curve, id, "d|DeformPercent");
    }

    fn curve(&mut self, curve: &Curve, node: u64, axis: &str) {
        let id = self.id();
        self.object("AnimationCurve", id, ("AnimCurve", ""), "", |t| {
            curve_body(t, curve);
        });
        self.connect_property(id, node, axis);
    }
}

fn property_of(property: Property, rest: &Transform) -> (&'static str, &'static str, [f64; 3]) {
    match property {
        Property::Translation => ("T", "Lcl Translation", rest.translation.to_array()),
        Property::Rotation => ("R", "Lcl Rotation", rest.rotation.to_array()),
        Property::Scaling => ("S", "Lcl Scaling", rest.scaling.to_array()),
    }
}

fn curve_body(t: &mut Text, curve: &Curve) {
    let default = curve.keys.first().map_or(0.0, |k| k.value);
    t.line(&format!("Default: {}", number(default)));
    t.line("KeyVer: 4008");
    t.array("KeyTime", curve.keys.iter(), |k, out| {
        out.push_str(&ticks(k.time).to_string());
    });
    t.array("KeyValueFloat", curve.keys.iter(), |k, out| {
        out.push_str(&number(k.value));
    });
    let runs = attribute_runs(curve);
    t.array("KeyAttrFlags", runs.iter(), |r, out| {
        out.push_str(&r.flags.to_string());
    });
    let data: Vec<i64> = runs.iter().flat_map(|r| r.data).collect();
    t.integers("KeyAttrDataFloat", &data);
    t.array("KeyAttrRefCount", runs.iter(), |r, out| {
        out.push_str(&r.count.to_string());
    });
}

/// A stretch of keys that share flags and tangent data: FBX writes these once with a count.
struct Run {
    flags: i64,
    data: [i64; 4],
    count: usize,
}

fn attribute_runs(curve: &Curve) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for key in &curve.keys {
        let (flags, data) = attributes(key.interpolation);
        match runs.last_mut() {
            Some(run) if run.flags == flags && run.data == data => run.count += 1,
            _ => runs.push(Run { flags, data, count: 1 }),
        }
    }
    runs
}

fn attributes(interpolation: Interpolation) -> (i64, [i64; 4]) {
    // The text form writes the four floats as the integers that have their bits.
    let bits = |v: f64| i64::from((v as f32).to_bits() as i32);
    match interpolation {
        Interpolation::Constant => (flags::CONSTANT, [0, 0, WEIGHTS, 0]),
        Interpolation::Linear => (flags::LINEAR, [0, 0, WEIGHTS, 0]),
        Interpolation::Auto => {
            (flags::CUBIC | flags::TANGENT_AUTO | flags::TIME_INDEPENDENT, [0, 0, WEIGHTS, 0])
        }
        Interpolation::User { right, next_left } => (
            flags::CUBIC | flags::TANGENT_USER | flags::TANGENT_BROKEN,
            [bits(right), bits(next_left), WEIGHTS, 0],
        ),
    }
}
