//! `sinew graph` and `sinew play`: state machines drawn, and run without a window.

#[cfg(feature = "render")]
mod film;
mod trace;

use crate::args::{GraphArgs, PlayArgs};
use crate::exit::{Failure, Outcome, Result};
use crate::load::Inputs;
use crate::pose::Local;
use crate::print::{self, NAME, Out};
use serde::Serialize;
use serde_json::json;
use sinew::machine::{Animator, Machine, MachinePlan};
use sinew::{Finding, TaggedClips, Transform};
use sinew_examine::graph;
use sinew_findings::plural;
use std::path::Path;
use std::sync::Arc;
use trace::Trace;

/// Runs `sinew graph`.
pub fn draw(args: &GraphArgs, out: &mut Out) -> Result {
    let inputs = Inputs::without_options();
    let machine = read(&inputs, &args.machine)?;
    let picture = match extension(&args.output).as_str() {
        "svg" => graph::svg(&machine),
        "dot" | "gv" => graph::dot(&machine),
        _ => {
            let text = format!("{}: write .svg for a picture, .dot for Graphviz", args.output.display());
            return Err(Failure::Input(text));
        }
    };
    inputs.write(&args.output, picture.as_bytes())?;
    let states: usize = (0..machine.layers()).map(|layer| machine.states(layer).count()).sum();
    let what =
        format!("{}, {}", plural(machine.layers(), "layer", "layers"), plural(states, "state", "states"));
    tell(&args.output, &what, machine.findings(), args.json, out)
}

/// Runs `sinew play`.
pub fn play(args: &PlayArgs, out: &mut Out) -> Result {
    let product = Product::of(&args.output)?;
    let inputs = Inputs::new(&args.common.import);
    let machine = Arc::new(read(&inputs, &args.machine)?);
    let trace = Trace::read(&inputs, &args.script)?;
    let loaded = inputs.character(&args.sources, &args.common.import)?;
    inputs.keep(&args.output)?;
    let character = Arc::new(loaded.character);
    let wrong =
        |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", args.machine.display()));
    let clips = TaggedClips::new(character.clips());
    let plan = if args.gaps {
        MachinePlan::with_gaps(machine.clone(), &character, &clips)
    } else {
        MachinePlan::with_clips(machine.clone(), &character, &clips)
    };
    let plan = Arc::new(plan.map_err(|error| wrong(&error))?);
    let mut animator = Animator::new(character, plan.clone()).map_err(|error| wrong(&error))?;
    let mut frames = Vec::new();
    let mut time = 0.0;
    trace.run(&args.script, &mut animator, |animator, seconds| {
        time += seconds;
        frames.push(Frame::of(animator, time));
    })?;
    let what = plural(frames.len(), "update", "updates");
    match product {
        Product::Poses => inputs.write(&args.output, &poses(&animator, &frames)?)?,
        #[cfg(feature = "render")]
        Product::Animation(format) => film::film(&args.output, format, &animator, &frames, args, out)?,
    }
    let findings: Vec<Finding> = machine.findings().iter().chain(plan.findings()).cloned().collect();
    tell(&args.output, &what, &findings, args.common.json, out)
}

#[derive(Clone, Copy)]
enum Product {
    Poses,
    #[cfg(feature = "render")]
    Animation(sinew_render::AnimationFormat),
}

impl Product {
    fn of(output: &Path) -> Result<Self> {
        let refuse = |text: &str| Err(Failure::Input(format!("{}: {text}", output.display())));
        match extension(output).as_str() {
            "json" => Ok(Self::Poses),
            #[cfg(feature = "render")]
            "gif" => Ok(Self::Animation(sinew_render::AnimationFormat::Gif)),
            #[cfg(feature = "render")]
            "apng" => Ok(Self::Animation(sinew_render::AnimationFormat::Apng)),
            #[cfg(not(feature = "render"))]
            "gif" | "apng" => refuse("this build draws no pictures: write .json"),
            _ => refuse("write .json for poses, .gif or .apng for an animation"),
        }
    }
}

/// What an update led to.
pub struct Frame {
    /// Seconds since the start.
    pub time: f64,
    states: Vec<usize>,
    events: Vec<String>,
    /// How far the update moved the character.
    pub root: Transform,
    pub local: Vec<Transform>,
    pub scalars: Vec<f32>,
}

impl Frame {
    fn of(animator: &Animator, time: f64) -> Self {
        let (pose, run) = (animator.instance().pose(), animator.run());
        Self {
            time,
            states: (0..animator.plan().machine().layers()).filter_map(|layer| run.state(layer)).collect(),
            events: animator.mixer().events().map(|fired| fired.name.to_string()).collect(),
            root: animator.mixer().root_delta(),
            local: (0..pose.len()).map(|joint| pose.get(joint)).collect(),
            scalars: pose.scalars().to_vec(),
        }
    }
}

#[derive(Serialize)]
struct FrameEntry<'a> {
    time: f64,
    /// By layer.
    states: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    events: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    root_delta: Option<Local>,
    local: Vec<Local>,
    #[serde(skip_serializing_if = "<[f32]>::is_empty")]
    scalars: &'a [f32],
}

/// Numbers are written so that they are read back to the last bit.
fn poses(animator: &Animator, frames: &[Frame]) -> Result<Vec<u8>> {
    let machine = animator.plan().machine();
    let names: Vec<Vec<&str>> = (0..machine.layers()).map(|layer| machine.states(layer).collect()).collect();
    let entries: Vec<FrameEntry<'_>> = frames
        .iter()
        .map(|frame| FrameEntry {
            time: frame.time,
            states: names.iter().zip(&frame.states).map(|(names, state)| names[*state]).collect(),
            events: &frame.events,
            root_delta: (frame.root != Transform::IDENTITY).then(|| frame.root.into()),
            local: frame.local.iter().map(|transform| (*transform).into()).collect(),
            scalars: &frame.scalars,
        })
        .collect();
    let layers: Vec<&str> = machine.definition().layers.iter().map(|layer| layer.name.as_str()).collect();
    let document = json!({
        "schema": "sinew.poses/1",
        "joints": animator.instance().character().skeleton().names().iter().collect::<Vec<_>>(),
        "layers": layers,
        "frames": serde_json::to_value(entries).map_err(std::io::Error::from)?,
    });
    Ok(document.to_string().into_bytes())
}

fn read(inputs: &Inputs, path: &Path) -> Result<Machine> {
    let text = inputs.text(path)?;
    Machine::from_toml(&text).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn tell(path: &Path, what: &str, findings: &[Finding], json: bool, out: &mut Out) -> Result {
    if json {
        out.json(&json!({
            "schema": "sinew.machine/1",
            "output": path.display().to_string(),
            "what": what,
            "findings": findings.iter().map(print::finding_json).collect::<Vec<_>>(),
        }))?;
    } else {
        out.line(format!("{NAME}{}{NAME:#}  {what}", path.display()))?;
        for finding in findings {
            print::finding(out, finding)?;
        }
    }
    Ok(Outcome::Fine)
}
