//! `sinew convert`: a character and its animations in one file.

use crate::args::{Compression, ConvertArgs};
use crate::exit::{Failure, Outcome, Result};
use crate::load;
use crate::print::{self, NAME, Out, bytes};
use serde_json::json;
use sinew_build::bundle::{self, Evidence, certify};
use sinew_build::compress::compress_from;
use sinew_build::project::{Target, TargetOptions};
use sinew_compress::Profile;
use sinew_findings::plural;
use sinew_import::bundle::Origin;
use std::path::Path;

/// Runs the command.
pub fn run(args: &ConvertArgs, out: &mut Out) -> Result {
    let target = Target::of(&args.output).ok_or_else(|| {
        let known = Target::ALL.map(|target| format!(".{}", target.extension())).join(" or ");
        Failure::Input(format!("{}: the file to write ends in {known}", args.output.display()))
    })?;
    let files = load::files();
    let loaded = load::character_from(&files, &args.sources, &args.common.import)?;
    load::keep_sources(&args.output, &loaded.sources.files())?;
    let evidence = Evidence::of_loaded(&loaded);
    let origins: Vec<Option<Origin>> =
        loaded.origins.iter().map(|origin| Some(bundle::origin(origin))).collect();
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::Input(format!("{}: {error}", args.sources.character.display()))
    };
    let profile = match args.compress {
        _ if target != Target::Sinew => None,
        None => Some(Profile::default()),
        Some(Compression::Off) => None,
        Some(Compression::Profile(profile)) => Some(profile),
    };
    if args.compress.is_some() && target != Target::Sinew {
        let text =
            format!("{}: --compress is for .sinew files; others keep their keys", args.output.display());
        return Err(Failure::Input(text));
    }
    let compressed = profile.map(|profile| {
        compress_from(&loaded.character, &loaded.source, &profile.into(), &origins, &evidence)
    });
    let compressed = compressed.transpose().map_err(|error| wrong(&error))?;
    let (character, source) = match &compressed {
        Some(compressed) => (&compressed.character, &compressed.source),
        None => (&loaded.character, &loaded.source),
    };
    let mut certificate = certify(character, source, &origins, &evidence).map_err(|error| wrong(&error))?;
    certificate.profile = profile;
    let name = args.output.file_name().unwrap_or_default().to_string_lossy();
    let options = TargetOptions::default();
    let written = target.write(&name, character, source, Some(&certificate), &options, &files);
    let written = written.map_err(|error| wrong(&error))?;
    let folder = args.output.parent().unwrap_or(Path::new(""));
    for path in written.paths(folder) {
        load::keep_sources(&path, &loaded.sources.files())?;
    }
    written
        .put(folder)
        .map_err(|(path, error)| std::io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let of_clips = compressed.iter().flat_map(|compressed| &compressed.findings);
    let findings: Vec<_> = loaded.findings.iter().chain(&written.findings).chain(of_clips).collect();
    let sizes = compressed.as_ref().map_or(&[][..], |compressed| &compressed.clips);
    if args.common.json {
        out.json(&json!({
            "schema": "sinew.convert/1",
            "output": args.output.display().to_string(),
            "bytes": written.size(),
            "clips": loaded.character.clips().names().collect::<Vec<_>>(),
            "compressed": sizes.iter().map(print::clip_size_json).collect::<Vec<_>>(),
            "findings": findings.iter().map(|finding| print::finding_json(finding)).collect::<Vec<_>>(),
        }))?;
    } else {
        let clips = loaded.character.clips().len();
        let text = format!("{}, {}", bytes(written.size()), plural(clips, "clip", "clips"));
        out.line(format!("{NAME}{}{NAME:#}  {text}", args.output.display()))?;
        let width = print::widest(sizes.iter().map(|size| size.name.as_str()));
        for size in sizes {
            let pad = print::pad(&size.name, width);
            out.line(format!("  {}{pad}  {}", size.name, print::clip_size(size)))?;
        }
        let verbose = out.is_verbose();
        let (told, hidden): (Vec<_>, Vec<_>) = findings.iter().partition(|f| print::is_told(f, verbose));
        for finding in told {
            print::finding(out, finding)?;
        }
        print::hidden_notes(out, hidden.len())?;
    }
    Ok(if findings.iter().any(|finding| finding.severity() == sinew::Severity::Error) {
        Outcome::Findings
    } else {
        Outcome::Fine
    })
}
