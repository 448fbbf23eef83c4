//! `sinew init`: a project for a folder of downloads.

use crate::args::InitArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::print::{DIM, HEAD, NAME, Out, pad, widest};
use crate::progress;
use serde_json::{Value, json};
use sinew_build::project::FILE;
use sinew_build::project::init::{self, CharacterChoice, ClipChoice, Decision, InitError, LeftOut};
use sinew_findings::plural;

/// Runs the command.
pub fn run(args: &InitArgs, out: &mut Out) -> Result {
    let file = args.folder.join(FILE);
    if !args.dry_run {
        // Checked before reading the files, which may take long.
        init::may_write(&file, args.force).map_err(failure)?;
    }
    let bar = progress::bar(out);
    let decision = init::decide(&args.folder, &args.character, &|done, count| {
        bar.set_length(count as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let decision = decision.map_err(failure)?;
    if !args.dry_run {
        init::write(&file, &decision, args.force).map_err(failure)?;
    }
    if args.json {
        out.json(&document(&decision, &file.display().to_string(), !args.dry_run))?;
    } else {
        print(&decision, out)?;
        if decision.loose_clips > 0 {
            out.note(&format!(
                "{} without a scene left out: `sinew manifest {}` binds them to their models, then run `sinew init` again",
                plural(decision.loose_clips, "COLLADA clip", "COLLADA clips"),
                args.folder.display()
            ));
        }
        let done = if args.dry_run { "would be written" } else { "written" };
        let file = file.display().to_string();
        let file = file.strip_prefix("./").unwrap_or(&file);
        out.line(format!("{NAME}{file}{NAME:#}  {done}; `sinew build` compiles it"))?;
    }
    Ok(Outcome::Fine)
}

fn failure(error: InitError) -> Failure {
    match error {
        InitError::Write { file, error } => {
            Failure::Output(std::io::Error::new(error.kind(), format!("{}: {error}", file.display())))
        }
        InitError::NoCharacter { ref left_out, .. } if !left_out.is_empty() => {
            let lines = left_out.iter().map(|l| format!("\n  {}: {}", l.place, l.why)).collect::<String>();
            Failure::Input(format!("{error}{lines}"))
        }
        other => Failure::Input(other.to_string()),
    }
}

fn print(decision: &Decision, out: &mut Out) -> Result<()> {
    for character in &decision.characters {
        print_character(character, out)?;
    }
    if !decision.left_out.is_empty() {
        out.line(format!("{HEAD}Left out{HEAD:#}"))?;
        for LeftOut { place, why } in &decision.left_out {
            out.line(format!("  {NAME}{place}{NAME:#}  {why}"))?;
        }
        out.line("")?;
    }
    Ok(())
}

fn print_character(character: &CharacterChoice, out: &mut Out) -> Result<()> {
    out.line(format!(
        "{HEAD}{}{HEAD:#}  {NAME}{}{NAME:#}: {}; {}",
        character.name,
        character.file,
        character.why,
        plural(character.clips.len(), "clip", "clips")
    ))?;
    let width = |of: fn(&ClipChoice) -> &str| widest(character.clips.iter().map(of));
    let (name, tag) = (width(|clip| &clip.settings.name), width(tag_of));
    for clip in &character.clips {
        let settings = &clip.settings;
        out.line(format!(
            "  {NAME}{}{NAME:#}{}  {}{}  {:<9}  {:<8}  {DIM}{}; {}; {}{DIM:#}",
            settings.name,
            pad(&settings.name, name),
            tag_of(clip),
            pad(tag_of(clip), tag),
            settings.mode.name(),
            settings.root_motion.name(),
            clip.why_tag,
            clip.why_loop,
            clip.why_root_motion
        ))?;
    }
    Ok(out.line("")?)
}

fn tag_of(clip: &ClipChoice) -> &str {
    if clip.settings.tag.is_empty() { "–" } else { &clip.settings.tag }
}

fn document(decision: &Decision, file: &str, written: bool) -> Value {
    let clip = |clip: &ClipChoice| {
        json!({
            "name": clip.settings.name, "file": clip.settings.file, "take": clip.settings.take,
            "tag": clip.settings.tag, "why_tag": clip.why_tag,
            "loop": clip.settings.mode.name(), "why_loop": clip.why_loop,
            "root_motion": clip.settings.root_motion.name(), "why_root_motion": clip.why_root_motion,
        })
    };
    let character = |character: &CharacterChoice| {
        json!({
            "name": character.name, "file": character.file, "why": character.why,
            "clips": character.clips.iter().map(clip).collect::<Vec<_>>(),
        })
    };
    let left_out =
        decision.left_out.iter().map(|left_out| json!({ "place": left_out.place, "why": left_out.why }));
    json!({
        "schema": "sinew.init/1",
        "file": file,
        "written": written,
        "characters": decision.characters.iter().map(character).collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
        "loose_clips": decision.loose_clips,
    })
}
