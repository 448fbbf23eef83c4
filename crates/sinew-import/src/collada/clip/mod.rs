//! Animations of a document, first as they are and then bound to a character.

mod bind;
mod evaluator;
mod straight;
mod units;

use super::archive;
use super::curve::{Controls, Curve, Interpolation, Keys, Tangents};
use super::merge;
use super::motion::MatrixCurve;
use super::raw::{Animation, AnimationClip, Channel, Document, Sampler, Table};
use super::text;
use super::xml::Xml;
use crate::{Budget, Cause, Limits, findings, limits};
use rayon::prelude::*;
use sinew::Finding;
use sinew_findings::plural;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    curve: AnyCurve,
}

/// A curve, and if it has sixteen numbers the matrices that they are.
#[derive(Clone, Debug)]
struct AnyCurve {
    curve: Arc<Curve>,
    matrices: Option<Arc<MatrixCurve>>,
}

/// A part of the timeline, in which some channels play.
#[derive(Clone, Debug)]
struct RawRange {
    name: String,
    /// Seconds; `None` for the first key.
    start: Option<f64>,
    /// Seconds; `None` for the last key.
    end: Option<f64>,
    channels: Vec<usize>,
}

impl RawClip {
    /// Reads a document for its animations alone. `.zae` archives are opened.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, Cause> {
        Self::parse_within(bytes, &Budget::new(limits))
    }

    pub(crate) fn parse_within(bytes: &[u8], budget: &Budget<'_>) -> Result<Self, Cause> {
        let scratch = budget.scratch();
        let opened = archive::open(bytes, &scratch)?;
        let decoded = text::decode(opened.document(), &scratch)?;
        let xml = Xml::parse(&decoded.text, &scratch)?;
        let Some(root) = xml.root() else { return Ok(Self::default()) };
        Self::read(&Document::read(root)?, budget)
    }

    /// Whether there are no animations.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// What the channels move, as they call it.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().map(|c| c.target.as_str())
    }

    pub(super) fn read(document: &Document<'_>, budget: &Budget<'_>) -> Result<Self, Cause> {
        let mut outline = Outline::default();
        for animation in &document.animations {
            outline.collect(animation);
        }
        // Reading numbers is most of the work, and each curve has its own.
        let keys = AtomicU64::new(0);
        let curves: Vec<(Option<AnyCurve>, Vec<Finding>)> = outline
            .samplers()
            .into_par_iter()
            .map(|sampler| Reader { document, budget, keys: &keys, findings: Vec::new() }.read(sampler))
            .collect::<Result<_, _>>()?;
        outline.assemble(curves, &document.clips, budget)
    }
}

/// The channels of a document, before their curves are read.
#[derive(Default)]
struct Outline<'r, 'd> {
    /// All samplers: a channel may use one of another animation.
    samplers: HashMap<&'d str, &'r Sampler<'d>>,
    channels: Vec<&'r Channel<'d>>,
    /// Channels in each animation, those of inner ones included.
    members: HashMap<&'d str, Vec<Range<usize>>>,
}

/// Bytes that a channel takes, its target apart.
const CHANNEL_BYTES: u64 = 256;

impl<'r, 'd> Outline<'r, 'd> {
    fn collect(&mut self, animation: &'r Animation<'d>) {
        for sampler in &animation.samplers {
            if let Some(id) = sampler.id {
                self.samplers.entry(id).or_insert(sampler);
            }
        }
        let first = self.channels.len();
        self.channels.extend(&animation.channels);
        for child in &animation.children {
            self.collect(child);
        }
        if let Some(id) = animation.id {
            self.members.entry(id).or_default().push(first..self.channels.len());
        }
    }

    /// The samplers that channels use, each once.
    fn samplers(&self) -> Vec<&'r Sampler<'d>> {
        let mut seen = HashSet::new();
        let used = self.channels.iter().filter(|c| seen.insert(c.sampler));
        used.filter_map(|c| self.samplers.get(c.sampler).copied()).collect()
    }

    fn assemble(
        &self,
        curves: Vec<(Option<AnyCurve>, Vec<Finding>)>,
        clips: &[AnimationClip<'d>],
        budget: &Budget<'_>,
    ) -> Result<RawClip, Cause> {
        let mut clip = RawClip::default();
        let mut by_sampler = HashMap::new();
        for (sampler, (curve, findings)) in self.samplers().into_iter().zip(curves) {
            findings.into_iter().for_each(|finding| merge(&mut clip.findings, finding));
            by_sampler.insert(sampler.id, curve);
        }
        // New index of each channel; none for one without keys.
        let mut places = Vec::with_capacity(self.channels.len());
        for channel in &self.channels {
            budget.memory(CHANNEL_BYTES + 2 * channel.target.len() as u64)?;
            let curve = by_sampler.get(&Some(channel.sampler)).cloned().flatten();
            places.push(curve.map(|curve| {
                clip.channels.push(RawChannel { target: channel.target.to_owned(), curve });
                clip.channels.len() - 1
            }));
            if places.last() == Some(&None) {
                let finding =
                    Finding::new(&findings::CHANNEL_EMPTY, channel.target, "its sampler has no usable keys");
                clip.findings.push(finding);
            }
        }
        let all = (0..clip.channels.len()).collect();
        clip.ranges.push(RawRange { name: "default".to_owned(), start: None, end: None, channels: all });
        for (index, raw) in clips.iter().enumerate() {
            self.add_range(index, raw, &places, &mut clip, budget)?;
        }
        Ok(clip)
    }

    fn add_range(
        &self,
        index: usize,
        raw: &AnimationClip<'d>,
        places: &[Option<usize>],
        clip: &mut RawClip,
        budget: &Budget<'_>,
    ) -> Result<(), Cause> {
        let members = raw.animations.iter().filter_map(|id| self.members.get(id)).flatten();
        let mut channels: Vec<usize> = Vec::new();
        for place in members.flat_map(|range| places.get(range.clone()).unwrap_or_default()) {
            // Most clips play the same channels as others.
            budget.steps(1)?;
            if let Some(place) = place {
                budget.push(&mut channels, *place)?;
            }
        }
        channels.sort_unstable();
        channels.dedup();
        let name = raw.name.map_or_else(|| format!("clip_{index}"), str::to_owned);
        if channels.is_empty() {
            let message = "the clip plays no animation of the document";
            clip.findings.push(Finding::new(&findings::TAKE_EMPTY, name, message));
            return Ok(());
        }
        let start = Some(raw.start).filter(|s| s.is_finite());
        clip.ranges.push(RawRange { name, start, end: raw.end.filter(|e| e.is_finite()), channels });
        Ok(())
    }
}

/// Bytes of a key besides its numbers: time, kind, and the matrix that it is taken apart into.
const KEY_BYTES: u64 = 100;

/// Reads one curve.
struct Reader<'r, 'd> {
    document: &'r Document<'d>,
    budget: &'r Budget<'r>,
    /// Keys of all curves so far.
    keys: &'r AtomicU64,
    findings: Vec<Finding>,
}

impl<'d> Reader<'_, 'd> {
    fn read(mut self, sampler: &Sampler<'d>) -> Result<(Option<AnyCurve>, Vec<Finding>), Cause> {
        let curve = self.read_curve(sampler)?.map(|curve| match curve.width() {
            16 => {
                let matrices = MatrixCurve::new(curve);
                AnyCurve { curve: matrices.curve().clone(), matrices: Some(Arc::new(matrices)) }
            }
            _ => AnyCurve { curve: Arc::new(curve), matrices: None },
        });
        Ok((curve, self.findings))
    }

    fn read_curve(&mut self, sampler: &Sampler<'d>) -> Result<Option<Curve>, Cause> {
        let (Some(input), Some(output)) = (self.table(sampler, "INPUT")?, self.table(sampler, "OUTPUT")?)
        else {
            return Ok(None);
        };
        let count = input.len().min(output.len());
        let keys = self.keys.fetch_add(count as u64, Ordering::Relaxed).saturating_add(count as u64);
        limits::check("keys", keys, self.budget.limits().keys)?;
        let width = output.stride();
        let numbers = (count as u64).saturating_mul(width as u64);
        self.budget.memory(numbers.saturating_mul(size_of::<f64>() as u64))?;
        self.budget.memory((count as u64).saturating_mul(KEY_BYTES))?;
        let place = sampler.id.unwrap_or("sampler");
        let segments = self.interpolations(sampler, count, place);
        let scratch = self.budget.scratch();
        if segments.iter().any(|s| s.is_cubic()) {
            scratch.memory(numbers.saturating_mul(size_of::<Controls>() as u64))?;
            self.budget.memory(numbers.saturating_mul(size_of::<Controls>() as u64))?;
        }
        let tangents = self.tangents(sampler, &input, width, count, &segments)?;
        if tangents.is_none() && segments.iter().any(|s| s.needs_tangents()) {
            let message = "cubic curves without tangents are read as lines".to_owned();
            self.report(&findings::NO_TANGENTS, place, message);
        }
        let mut times = input.into_values();
        times.truncate(count);
        let mut values = output.into_values();
        values.truncate(count * width);
        let curve = Curve::new(Keys { times, values, width, segments, tangents });
        Ok(curve.or_else(|keys| Curve::new(self.mended(&keys, place))).ok())
    }

    fn table(&self, sampler: &Sampler<'d>, semantic: &str) -> Result<Option<Table>, Cause> {
        let source = sampler.source(semantic).and_then(|id| self.document.sources.get(id));
        source.map(|s| s.table(self.document)).transpose()
    }

    fn interpolations(&mut self, sampler: &Sampler<'d>, count: usize, place: &str) -> Vec<Interpolation> {
        let source = sampler.source("INTERPOLATION").and_then(|id| self.document.sources.get(id));
        let mut unknown = None;
        let mut kinds: Vec<Interpolation> = Vec::with_capacity(count);
        for word in source.into_iter().flat_map(|s| s.words(self.document)).take(count) {
            kinds.push(Interpolation::named(word).unwrap_or_else(|| {
                unknown.get_or_insert(word);
                Interpolation::Linear
            }));
        }
        kinds.resize(count, Interpolation::Linear);
        if let Some(word) = unknown {
            let message = format!("`{word}` is not a known interpolation and is read as LINEAR");
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

    /// Keys in order of time, without those that are not finite.
    fn mended(&mut self, keys: &Keys, place: &str) -> Keys {
        let width = keys.width;
        let time = |i: usize| keys.times.get(i).copied().unwrap_or(f64::NAN);
        let finite = |i: usize| {
            let values = keys.values.get(i * width..(i + 1) * width).unwrap_or_default();
            time(i).is_finite() && values.iter().all(|v| v.is_finite())
        };
        let mut order: Vec<usize> = (0..keys.times.len()).filter(|&i| finite(i)).collect();
        let dropped = keys.times.len() - order.len();
        if dropped > 0 {
            let message = format!(
                "{} left out",
                plural(dropped, "key is not a finite number and was", "keys are not finite numbers and were")
            );
            self.report(&findings::CURVE_VALUE, place, message);
        }
        if !order.is_sorted_by(|&a, &b| time(a) <= time(b)) {
            let message = "keys are not in order of time and were sorted".to_owned();
            self.report(&findings::KEYS_UNSORTED, place, message);
            order.sort_by(|&a, &b| time(a).total_cmp(&time(b)));
        }
        pick(keys, &order)
    }

    fn report(&mut self, kind: &'static sinew::Kind, place: &str, message: String) {
        self.findings.push(Finding::new(kind, place, message));
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
