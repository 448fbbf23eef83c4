//! Animations of a document, first as they are and then bound to a character.

mod bind;
mod evaluator;
mod units;

use super::archive;
use super::curve::{Curve, Interpolation, Keys, Tangents};
use super::raw::{Animation, Document, Sampler, Table};
use super::text;
use super::xml::Xml;
use crate::{Cause, Limits, findings, limits};
use sinew::Finding;
use std::collections::HashMap;
use std::sync::Arc;

pub use bind::Bound;

/// The animations of a document before it is known what they move.
///
/// A clip file need not have a scene. What its channels mean (which components they replace, in which unit and branch their
/// angles are) then follows from the character that it is [bound](RawClip::bind) to.
#[derive(Clone, Debug, Default)]
pub struct RawClip {
    channels: Vec<RawChannel>,
    ranges: Vec<RawRange>,
    findings: Vec<Finding>,
}

#[derive(Clone, Debug)]
struct RawChannel {
    target: String,
    curve: Arc<Curve>,
}

/// A part of the timeline, in which some channels play.
#[derive(Clone, Debug)]
struct RawRange {
    name: String,
    start: f64,
    end: Option<f64>,
    channels: Vec<usize>,
}

impl RawClip {
    /// Reads a document for its animations alone. `.zae` archives are opened.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, Cause> {
        let opened = archive::open(bytes, limits)?;
        let decoded = text::decode(opened.document());
        let xml = Xml::parse(&decoded.text, limits)?;
        let Some(root) = xml.root() else { return Ok(Self::default()) };
        Self::read(&Document::read(root)?, limits)
    }

    /// Whether there are no animations.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    pub(super) fn read(document: &Document<'_>, limits: &Limits) -> Result<Self, Cause> {
        let mut reader = Reader {
            document,
            limits,
            samplers: HashMap::new(),
            curves: HashMap::new(),
            members: HashMap::new(),
            keys: 0,
            clip: Self::default(),
        };
        for animation in &document.animations {
            reader.collect_samplers(animation);
        }
        let mut open = Vec::new();
        for animation in &document.animations {
            reader.read_animation(animation, &mut open)?;
        }
        reader.read_ranges();
        Ok(reader.clip)
    }
}

struct Reader<'r, 'd> {
    document: &'r Document<'d>,
    limits: &'r Limits,
    /// All samplers: a channel may use one of another animation.
    samplers: HashMap<&'d str, &'r Sampler<'d>>,
    /// Curves by sampler, as one may drive many channels.
    curves: HashMap<&'d str, Option<Arc<Curve>>>,
    /// Channels in each animation, those of inner ones included.
    members: HashMap<&'d str, Vec<usize>>,
    keys: u64,
    clip: RawClip,
}

impl<'r, 'd> Reader<'r, 'd> {
    fn collect_samplers(&mut self, animation: &'r Animation<'d>) {
        for sampler in &animation.samplers {
            if let Some(id) = sampler.id {
                self.samplers.entry(id).or_insert(sampler);
            }
        }
        for child in &animation.children {
            self.collect_samplers(child);
        }
    }

    fn read_animation(&mut self, animation: &'r Animation<'d>, open: &mut Vec<&'d str>) -> Result<(), Cause> {
        open.extend(animation.id);
        for channel in &animation.channels {
            let curve = match self.curves.get(channel.sampler) {
                Some(known) => known.clone(),
                None => self.read_sampler(channel.sampler)?,
            };
            let Some(curve) = curve else {
                let message = "its sampler has no usable keys".to_owned();
                self.report(&findings::CHANNEL_EMPTY, channel.target, message);
                continue;
            };
            let index = self.clip.channels.len();
            for id in &*open {
                self.members.entry(id).or_default().push(index);
            }
            self.clip.channels.push(RawChannel { target: channel.target.to_owned(), curve });
        }
        for child in &animation.children {
            self.read_animation(child, open)?;
        }
        if animation.id.is_some() {
            open.pop();
        }
        Ok(())
    }

    fn read_sampler(&mut self, id: &'d str) -> Result<Option<Arc<Curve>>, Cause> {
        let curve = match self.samplers.get(id) {
            Some(&sampler) => self.read_curve(sampler)?.map(Arc::new),
            None => None,
        };
        self.curves.insert(id, curve.clone());
        Ok(curve)
    }

    fn read_curve(&mut self, sampler: &Sampler<'d>) -> Result<Option<Curve>, Cause> {
        let (Some(input), Some(output)) = (self.table(sampler, "INPUT")?, self.table(sampler, "OUTPUT")?)
        else {
            return Ok(None);
        };
        let count = input.len().min(output.len());
        self.keys = self.keys.saturating_add(count as u64);
        limits::check("keys", self.keys, self.limits.keys)?;
        let width = output.stride();
        let place = sampler.id.unwrap_or("sampler");
        let segments = self.interpolations(sampler, count, place);
        let tangents = self.tangents(sampler, &input, width, count, &segments)?;
        if tangents.is_none() && segments.iter().any(|s| s.needs_tangents()) {
            self.report(
                &findings::NO_TANGENTS,
                place,
                "cubic curves without tangents are read as lines".to_owned(),
            );
        }
        let times: Vec<f64> = input.into_values().into_iter().take(count).collect();
        let mut values = output.into_values();
        values.truncate(count * width);
        let keys = self.ordered(Keys { times, values, width, segments, tangents }, place);
        Ok(Curve::new(keys))
    }

    fn table(&self, sampler: &Sampler<'d>, semantic: &str) -> Result<Option<Table>, Cause> {
        let source = sampler.source(semantic).and_then(|id| self.document.sources.get(id));
        source.map(|s| s.table(self.document)).transpose()
    }

    fn interpolations(&mut self, sampler: &Sampler<'d>, count: usize, place: &str) -> Vec<Interpolation> {
        let source = sampler.source("INTERPOLATION").and_then(|id| self.document.sources.get(id));
        let words = source.map(|s| s.words(self.document)).unwrap_or_default();
        let mut unknown = None;
        let mut kinds: Vec<Interpolation> = Vec::with_capacity(count);
        for word in words.iter().take(count) {
            kinds.push(Interpolation::named(word).unwrap_or_else(|| {
                unknown.get_or_insert(*word);
                Interpolation::Linear
            }));
        }
        kinds.resize(count, Interpolation::Linear);
        if let Some(word) = unknown {
            let message = format!("`{word}` is no known interpolation and is read as LINEAR");
            self.report(&findings::UNKNOWN_INTERPOLATION, place, message);
        }
        kinds
    }

    /// Tangents, where segments need them and all keys have them.
    fn tangents(
        &self,
        sampler: &Sampler<'d>,
        input: &Table,
        width: usize,
        count: usize,
        segments: &[Interpolation],
    ) -> Result<Option<Tangents>, Cause> {
        if !segments.iter().any(|s| s.needs_tangents()) {
            return Ok(None);
        }
        let (Some(into), Some(out_of)) =
            (self.table(sampler, "IN_TANGENT")?, self.table(sampler, "OUT_TANGENT")?)
        else {
            return Ok(None);
        };
        let hermite = segments.contains(&Interpolation::Hermite);
        let time = |key: usize| input.row(key).and_then(|row| row.first()).copied().unwrap_or(0.0);
        let interval = |key: usize, step: isize| {
            let other = key.checked_add_signed(step).filter(|&k| k < count).unwrap_or(key);
            time(other) - time(key)
        };
        let read = |table: &Table, step: isize| -> Option<Vec<[f64; 2]>> {
            let mut points = Vec::with_capacity(count * width);
            for key in 0..count {
                let row = table.row(key)?;
                for number in 0..width {
                    // Without times of their own, tangents stand at a third of the interval.
                    let third = interval(key, step) / 3.0;
                    let default = if hermite { third.abs() * 3.0 } else { time(key) + third };
                    let point = match row.len() {
                        n if n == 2 * width => [*row.get(2 * number)?, *row.get(2 * number + 1)?],
                        n if n == width + 1 => [*row.first()?, *row.get(number + 1)?],
                        n if n == width => [default, *row.get(number)?],
                        _ => return None,
                    };
                    points.push(point);
                }
            }
            points.iter().flatten().all(|v| v.is_finite()).then_some(points)
        };
        Ok(read(&into, -1).zip(read(&out_of, 1)).map(|(into, out_of)| Tangents { into, out_of }))
    }

    /// Keys in order of time, without those that are no numbers.
    fn ordered(&mut self, keys: Keys, place: &str) -> Keys {
        let width = keys.width;
        let finite = |i: usize| {
            let values = keys.values.get(i * width..(i + 1) * width).unwrap_or_default();
            keys.times.get(i).is_some_and(|t| t.is_finite()) && values.iter().all(|v| v.is_finite())
        };
        let mut order: Vec<usize> = (0..keys.times.len()).filter(|&i| finite(i)).collect();
        let dropped = keys.times.len() - order.len();
        if dropped > 0 {
            let message = format!("{dropped} keys are not finite numbers and were left out");
            self.report(&findings::CURVE_VALUE, place, message);
        }
        let time = |i: usize| keys.times.get(i).copied().unwrap_or(0.0);
        if dropped == 0 && order.is_sorted_by(|&a, &b| time(a) <= time(b)) {
            return keys;
        }
        if !order.is_sorted_by(|&a, &b| time(a) <= time(b)) {
            self.report(
                &findings::KEYS_UNSORTED,
                place,
                "keys are not in order of time and were sorted".to_owned(),
            );
            order.sort_by(|&a, &b| time(a).total_cmp(&time(b)));
        }
        pick(&keys, &order)
    }

    fn read_ranges(&mut self) {
        let all = (0..self.clip.channels.len()).collect();
        self.clip.ranges.push(RawRange {
            name: "default".to_owned(),
            start: f64::NAN,
            end: None,
            channels: all,
        });
        for (index, clip) in self.document.clips.iter().enumerate() {
            let mut channels: Vec<usize> = Vec::new();
            for id in &clip.animations {
                channels.extend(self.members.get(id).into_iter().flatten());
            }
            channels.sort_unstable();
            channels.dedup();
            let name = clip.name.map_or_else(|| format!("clip_{index}"), str::to_owned);
            if channels.is_empty() {
                self.report(
                    &findings::TAKE_EMPTY,
                    &name,
                    "the clip plays no animation of the document".to_owned(),
                );
                continue;
            }
            self.clip.ranges.push(RawRange { name, start: clip.start, end: clip.end, channels });
        }
    }

    fn report(&mut self, kind: &'static sinew::Kind, place: &str, message: String) {
        self.clip.findings.push(Finding::new(kind, place, message));
    }
}

/// The keys of some indices.
fn pick(keys: &Keys, order: &[usize]) -> Keys {
    let width = keys.width;
    let wide = |list: &[[f64; 2]]| -> Vec<[f64; 2]> {
        let chunk = |&i: &usize| list.get(i * width..(i + 1) * width).unwrap_or_default();
        order.iter().flat_map(chunk).copied().collect()
    };
    let values = order.iter().flat_map(|&i| keys.values.get(i * width..(i + 1) * width).unwrap_or_default());
    Keys {
        times: order.iter().filter_map(|&i| keys.times.get(i).copied()).collect(),
        values: values.copied().collect(),
        width,
        segments: order.iter().filter_map(|&i| keys.segments.get(i).copied()).collect(),
        tangents: keys.tangents.as_ref().map(|t| Tangents { into: wide(&t.into), out_of: wide(&t.out_of) }),
    }
}

impl RawClip {
    /// What the channels move, as they call it.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().map(|c| c.target.as_str())
    }
}
