//! `sinew contacts`: when feet stand on the ground.

use crate::args::ContactsArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::load::Inputs;
use crate::print::{DIM, NAME, Out, pad, widest};
use serde_json::json;
use sinew_build::contacts::{ClipContacts, ContactFile};
use sinew_findings::plural;
use std::path::Path;

/// Runs the command.
pub fn run(args: &ContactsArgs, out: &mut Out) -> Result {
    if let Some(output) = &args.output {
        may_write(output, args.force)?;
    }
    let inputs = Inputs::new(&args.common.import);
    let loaded = inputs.character(&args.sources, &args.common.import)?;
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::Input(format!("{}: {error}", args.sources.character.display()))
    };
    let found = ContactFile::detect(&loaded.character).map_err(|error| wrong(&error))?;
    if let Some(output) = &args.output {
        inputs.write(output, found.text(loaded.character.name()).as_bytes())?;
    }
    if args.common.json {
        let output = args.output.as_ref().map(|output| output.display().to_string());
        out.json(&json!({ "schema": "sinew.contacts/1", "output": output, "clips": found.clips }))?;
        return Ok(Outcome::Fine);
    }
    if found.clips.is_empty() {
        out.note("no clip moves a joint that is called a foot");
    }
    // In the file's own space the unit may be anything.
    let unit = if loaded.character.space().canonical { "m/s" } else { "units/s" };
    let width = widest(found.clips.keys().map(String::as_str));
    for (name, clip) in &found.clips {
        out.line(format!("{NAME}{name}{NAME:#}{}  {}", pad(name, width), summary(clip, unit)))?;
    }
    if let Some(output) = &args.output {
        out.line(format!("{NAME}{}{NAME:#}  written", output.display()))?;
    }
    Ok(Outcome::Fine)
}

/// An edited file is not overwritten by accident.
fn may_write(output: &Path, force: bool) -> Result<()> {
    if force || !output.exists() {
        return Ok(());
    }
    let text =
        format!("{}: is there already and may have been edited; --force overwrites it", output.display());
    Err(Failure::Input(text))
}

fn summary(clip: &ClipContacts, unit: &str) -> String {
    let steps = plural(clip.events.len(), "footstep", "footsteps");
    let times: Vec<String> =
        clip.markers.iter().map(|marker| format!("{} {:.3}", marker.name, marker.time)).collect();
    let speed = clip.ground_speed();
    let speed = if speed > 0.0 { format!(", {speed:.2} {unit} over the ground") } else { String::new() };
    let times = if times.is_empty() { String::new() } else { format!("  {DIM}{}{DIM:#}", times.join(", ")) };
    format!("{steps}{speed}{times}")
}
