//! Compiled clips of a bundle, which importers show as keys: rate, layout and bits.

use crate::exit::Result;
use crate::print::{self, HEAD, NAME, Out, bytes, column};
use serde_json::{Value, json};
use sinew::bundle_file::MAGIC;
use sinew::{Bundle, Character, Clip, Frames};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A line for each compiled clip; where all is to be told, one for each joint too.
pub fn print(path: &Path, out: &mut Out) -> Result<()> {
    let Some(character) = read(path) else { return Ok(()) };
    let clips = clips(&character);
    if clips.is_empty() {
        return Ok(());
    }
    out.line(format!("\n{HEAD}Compiled clips{HEAD:#}"))?;
    let width = print::widest(clips.iter().map(|clip| clip.name()));
    for clip in &clips {
        let Some(frames) = clip.frames() else { continue };
        out.line(format!(
            "  {NAME}{}{NAME:#}{}  {:.0} frames/s, {}  {} of {} bytes  {}",
            clip.name(),
            print::pad(clip.name(), width),
            frames.rate(),
            way(frames),
            column(frames.count(), 6, "frame", "frames"),
            frames.stride(),
            bytes(clip.bytes()),
        ))?;
        for (name, bits) in joints(&character, frames).filter(|_| out.is_verbose()).collect::<Vec<_>>() {
            out.line(format!("      {bits:>3} bits  {name}"))?;
        }
    }
    Ok(())
}

/// The same for programs.
pub fn document(path: &Path) -> Vec<Value> {
    let Some(character) = read(path) else { return Vec::new() };
    let entry = |clip: &Arc<Clip>| {
        let frames = clip.frames()?;
        let joints = joints(&character, frames).map(|(name, bits)| json!({ "name": name, "bits": bits }));
        Some(json!({
            "name": clip.name(), "bytes": clip.bytes(), "rate": frames.rate(), "layout": way(frames),
            "frames": frames.count(), "bytes_of_frame": frames.stride(), "joints": joints.collect::<Vec<_>>(),
        }))
    };
    clips(&character).iter().filter_map(entry).collect()
}

/// The bundle as a game reads it. What is no bundle has no compiled clips; what is wrong with one, the importer has said.
fn read(path: &Path) -> Option<Character> {
    Some(Bundle::read(&bundle(path)?).ok()?.character)
}

/// The bytes of a bundle.
pub fn bundle(path: &Path) -> Option<Vec<u8>> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes).ok()?;
    if bytes != MAGIC {
        return None;
    }
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn clips(character: &Character) -> Vec<Arc<Clip>> {
    character.clips().ready().filter(|clip| clip.frames().is_some()).collect()
}

/// Joints that take bits, with how many.
fn joints<'a>(character: &'a Character, frames: &'a Frames) -> impl Iterator<Item = (&'a str, usize)> + 'a {
    let names = (0u16..).zip(character.skeleton().names().iter());
    names.map(|(joint, name)| (name, frames.joint_bits(joint))).filter(|(_, bits)| *bits > 0)
}

fn way(frames: &Frames) -> &'static str {
    if frames.is_cubic() { "cubic" } else { "arc" }
}
