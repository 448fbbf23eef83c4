//! Takes as clips.

use super::animation::Take;
use super::morph;
use super::plain::PlainNodes;
use super::rig::{EVALUATE_STEPS, Parts, Rig};
use crate::decompose::Trs;
use crate::resample::{self, Curve, JointCurves, Knot, Request, Side};
use crate::{Budget, Cause, Resample, findings};
use sinew::{Clip, Finding, ScalarTrack, Track};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Names that exporters give to every take.
const GENERIC: [&str; 2] = ["mixamo.com", "Take 001"];

pub(super) fn clips(
    rig: &Rig,
    takes: &[Take],
    diagonal: f64,
    stem: &str,
    mode: Resample,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Clip>, Cause> {
    let reaches = reaches(rig, takes, budget)?;
    let parents = rig.parents();
    let rest: Vec<Trs> = rig.joints.iter().map(|joint| joint.rest).collect();
    let mut clips: Vec<Clip> = Vec::with_capacity(takes.len());
    for take in takes {
        let name = name(rig, take, takes.len(), stem, findings);
        let context =
            Context { rig, take, parents: &parents, rest: &rest, reaches: &reaches, diagonal, mode, budget };
        clips.push(context.clip(&name, findings)?);
    }
    Ok(clips)
}

/// How far each scalar moves a vertex, if any take moves one.
fn reaches(rig: &Rig, takes: &[Take], budget: &Budget<'_>) -> Result<Vec<f64>, Cause> {
    if takes.iter().all(|take| take.channels.is_empty()) {
        return Ok(Vec::new());
    }
    rig.scalars.iter().map(|scalar| morph::reach(&rig.scene, scalar, budget)).collect()
}

fn name(rig: &Rig, take: &Take, takes: usize, stem: &str, findings: &mut Vec<Finding>) -> String {
    let name = rig.scene.anim_stacks.get(take.stack).map_or("", |stack| &*stack.element.name);
    let generic = |part: &str| GENERIC.iter().any(|g| g.eq_ignore_ascii_case(part.trim()));
    // Some exporters put armature and layer around the name of the take.
    let says_nothing = name.is_empty() || name.split('|').any(generic);
    if takes == 1 && says_nothing && !stem.is_empty() {
        let message = format!("take `{name}` became clip `{stem}`");
        findings.push(Finding::new(&findings::CLIP_RENAMED, format!("take `{name}`"), message));
        return stem.to_owned();
    }
    name.to_owned()
}

/// The nearest whole number; of two the even one.
fn rounded(value: f64) -> f64 {
    // Numbers of this size are whole, and a sum is rounded to one. `round` is a call on most machines.
    const WHOLE: f64 = (1u64 << 52) as f64;
    let sum = value.abs() + WHOLE;
    if value.abs() < WHOLE { (sum - WHOLE).copysign(value) } else { value }
}

/// How near to a tick a time is meant to be on it, in ticks.
const ON_TICK: f64 = 1e-3;

struct Context<'a> {
    rig: &'a Rig,
    take: &'a Take,
    parents: &'a [u16],
    rest: &'a [Trs],
    /// How far each scalar moves a vertex.
    reaches: &'a [f64],
    diagonal: f64,
    mode: Resample,
    budget: &'a Budget<'a>,
}

impl Context<'_> {
    fn clip(&self, name: &str, findings: &mut Vec<Finding>) -> Result<Clip, Cause> {
        let curves = self.rig.curves(self.take, self.budget)?;
        self.count_layers(&curves)?;
        let invalid = AtomicUsize::new(0);
        let scratch = self.budget.scratch();
        let plain = PlainNodes::new(&self.rig.scene, self.take, &scratch)?;
        let request = Request {
            parents: self.parents,
            rest: self.rest,
            diagonal: self.diagonal,
            duration: self.take.duration(),
            joints: &curves,
            mode: self.mode,
            budget: self.budget,
        };
        let resampled = resample::resample(&request, &self.evaluator(&curves, &plain, &invalid))?;
        let place = format!("clip `{name}`");
        if let Resample::Within(tolerance) = self.mode
            && resampled.error > tolerance
        {
            let times = resampled.error / tolerance;
            let message = format!(
                "it is off by {:.1e} of the diagonal, {times:.1} times the tolerance",
                resampled.error
            );
            findings.push(Finding::new(&findings::TOLERANCE_MISSED, place.clone(), message).measured(times));
        }
        let scalars = self.scalars()?;
        if invalid.load(Ordering::Relaxed) > 0 {
            let message = "some values of its curves are not finite numbers";
            findings.push(Finding::new(&findings::CURVE_VALUE, place, message));
        }
        Ok(Clip::new(name, self.take.duration(), resampled.tracks, scalars)?)
    }

    /// Counts the layers, each of which is looked through whenever a joint is evaluated.
    fn count_layers(&self, curves: &[JointCurves]) -> Result<(), Cause> {
        let layers = self.take.anim(&self.rig.scene).map_or(0, |anim| anim.layers.len()) as u64;
        let knots: usize =
            curves.iter().flat_map(|curves| &curves.parts).map(|part| part.knots().len()).sum();
        self.budget.steps(layers.saturating_mul(knots as u64 * 2 * EVALUATE_STEPS))
    }

    /// Evaluates joints, of each only the parts that move.
    fn evaluator<'a>(
        &'a self,
        curves: &[JointCurves],
        plain: &'a PlainNodes,
        invalid: &'a AtomicUsize,
    ) -> impl Fn(usize, f64, Side) -> Trs + Sync + 'a {
        let mut parts = vec![Parts::ALL; self.rig.joints.len()];
        for curves in curves {
            if let Some(entry) = parts.get_mut(usize::from(curves.joint)) {
                *entry = Parts::new(curves.parts.each_ref().map(|part| *part != Curve::Still));
            }
        }
        move |index, time, side| {
            let Some(joint) = self.rig.joints.get(index) else { return Trs::IDENTITY };
            // References into the scene do not cross threads; the scene does.
            let Some(anim) = self.take.anim(&self.rig.scene) else { return joint.rest };
            let parts = parts.get(index).copied().unwrap_or(Parts::ALL);
            let moment = self.rig.moment(anim, self.source_time(time, side), parts).with(plain);
            let local = self.rig.local(joint, &moment);
            if local.is_finite() {
                return local;
            }
            invalid.fetch_add(1, Ordering::Relaxed);
            joint.rest
        }
    }

    /// Seconds of the source. Keys stand at whole ticks, which adding the start would round away from.
    fn source_time(&self, time: f64, side: Side) -> f64 {
        let at = self.take.range.begin + time;
        let second = self.rig.scene.metadata.ktime_second as f64;
        let ticks = at * second;
        let whole = rounded(ticks);
        let at = if (ticks - whole).abs() < ON_TICK { whole / second } else { at };
        match side {
            Side::Before => at.next_down(),
            Side::After => at,
        }
    }

    fn scalars(&self) -> Result<Vec<ScalarTrack>, Cause> {
        let channels = self.take.channels.iter();
        let moving = channels.map(|(&channel, knots)| (morph::of_channel(&self.rig.scalars, channel), knots));
        let moving: Vec<_> = moving.collect();
        let moved: usize = moving.iter().map(|(scalars, _)| scalars.len()).sum();
        let mut out = Vec::with_capacity(moved);
        for (scalars, knots) in moving {
            // Each evaluation looks at all shapes of the channel.
            let work = (scalars.len() as u64).saturating_mul(scalars.len() as u64);
            self.budget.steps(work.saturating_mul(knots.len() as u64 * EVALUATE_STEPS))?;
            for index in scalars {
                let track = self.scalar(index, knots, moved)?;
                out.extend(
                    u16::try_from(index).ok().zip(track).map(|(scalar, track)| ScalarTrack { scalar, track }),
                );
            }
        }
        Ok(out)
    }

    fn scalar(&self, index: usize, knots: &[Knot], moved: usize) -> Result<Option<Track<f32>>, Cause> {
        let Some(scalar) = self.rig.scalars.get(index) else { return Ok(None) };
        let reach = self.reaches.get(index).copied().unwrap_or(0.0) * self.rig.conversion.unit();
        let tolerance = match self.mode {
            Resample::Within(tolerance) => tolerance * self.diagonal,
            Resample::Keys => 0.0,
        };
        // All scalars may be off at the same time and push a vertex the same way. A weight that moves no vertex needs no precision, but
        // a game may read it.
        let budget = (tolerance / (reach.max(f64::MIN_POSITIVE) * moved as f64)).min(1e-3);
        let evaluate = |time: f64, side: Side| {
            let anim = self.take.anim(&self.rig.scene);
            let value = anim
                .and_then(|anim| morph::weight(&self.rig.scene, scalar, anim, self.source_time(time, side)));
            value.unwrap_or(scalar.rest)
        };
        let curve = Curve::Curved(knots.to_vec());
        resample::scalar(&curve, self.take.duration(), self.mode, budget, self.budget, &evaluate)
    }
}
