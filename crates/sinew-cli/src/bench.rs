//! `sinew bench`: what a frame of a character costs on this machine.

use crate::args::BenchArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::load::Inputs;
use crate::print::{DIM, HEAD, Out};
use serde::Serialize;
use sinew_bench::clock::Rounds;
use sinew_bench::cost::{Cost, measure};
use std::sync::Arc;

/// Runs the command.
pub fn run(args: &BenchArgs, out: &mut Out) -> Result {
    let loaded = Inputs::new(&args.common.import).character(&args.sources, &args.common.import)?;
    let character = Arc::new(loaded.character);
    let cost = measure(&character, Rounds::default()).map_err(|e| Failure::Input(e.to_string()))?;
    let clips = character.clips();
    let compiled =
        (0..clips.len()).filter(|&i| clips.get(i).is_ok_and(|clip| clip.frames().is_some())).count();
    let document = Document {
        schema: "sinew.bench/1",
        joints: character.skeleton().len(),
        vertices: character.meshes().iter().map(sinew::Mesh::vertex_count).sum(),
        clips: clips.len(),
        compiled_clips: compiled,
        instances: args.instances,
        parts: parts(&cost),
        frame_us: cost.pose() * f64::from(args.instances) / 1e3,
        frame_with_skinning_us: cost.whole() * f64::from(args.instances) / 1e3,
    };
    if args.common.json {
        out.json(&document)?;
    } else {
        print(&document, out)?;
    }
    Ok(Outcome::Fine)
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    joints: usize,
    vertices: usize,
    clips: usize,
    compiled_clips: usize,
    instances: u32,
    parts: [Part; 4],
    /// Without skinning, which most games leave to the GPU.
    frame_us: f64,
    frame_with_skinning_us: f64,
}

#[derive(Serialize)]
struct Part {
    name: &'static str,
    ns: f64,
    /// Of a frame with skinning.
    share: f64,
}

fn parts(cost: &Cost) -> [Part; 4] {
    let whole = cost.whole().max(f64::MIN_POSITIVE);
    let part = |(name, ns)| Part { name, ns, share: ns / whole };
    [
        ("sample", cost.sample),
        ("hierarchy", cost.hierarchy),
        ("skin matrices", cost.skin_matrices),
        ("skinning", cost.skinning),
    ]
    .map(part)
}

fn print(document: &Document, out: &mut Out) -> Result<()> {
    let Document { joints, vertices, clips, compiled_clips, instances, .. } = document;
    out.line(format!(
        "{HEAD}{joints} joints, {vertices} vertices, {clips} clips{HEAD:#} {DIM}({compiled_clips} compiled); one thread{DIM:#}"
    ))?;
    for Part { name, ns, share } in &document.parts {
        out.line(format!("  {name:<14} {:>10.2} µs  {:>3.0} %", ns / 1e3, share * 100.0))?;
    }
    out.line(format!("A frame of {instances}: {}", duration(document.frame_us)))?;
    out.line(format!("  with skinning on the CPU: {}", duration(document.frame_with_skinning_us)))?;
    if compiled_clips < clips {
        out.note("clips that are not compiled are sampled more slowly; `sinew build` compiles them");
    }
    Ok(())
}

/// Microseconds, in a unit that suits them.
fn duration(us: f64) -> String {
    if us >= 1e3 { format!("{:.2} ms", us / 1e3) } else { format!("{us:.1} µs") }
}
