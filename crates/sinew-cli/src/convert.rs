//! `sinew convert`: a character and its animations in one file.

use crate::args::ConvertArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::print::{self, NAME, Out, bytes, plural};
use crate::{load, verify};
use serde_json::json;
use sinew_build::bundle::{self, certify, write_file};
use sinew_build::project::Target;
use sinew_build::textures::Textures;
use sinew_import::bundle::Origin;
use std::path::Path;

/// Runs the command.
pub fn run(args: &ConvertArgs, out: &mut Out) -> Result {
    let target = Target::of(&args.output).ok_or_else(|| {
        let known = Target::ALL.map(|target| format!(".{}", target.extension())).join(" or ");
        Failure::Input(format!("{}: the file to write ends in {known}", args.output.display()))
    })?;
    let loaded = load::character(&args.sources, &args.import)?;
    let paths: Vec<&Path> = std::iter::once(&args.sources.character)
        .chain(&args.sources.animations)
        .map(|path| path.as_path())
        .collect();
    let files = verify::digests(&paths, &args.import)?;
    let mut evidence = verify::evidence(&files, loaded.sources.imported());
    for (evidence, map) in evidence.iter_mut().zip(&loaded.maps) {
        evidence.map = map.as_ref();
    }
    let origins: Vec<Option<Origin>> =
        loaded.origins.iter().map(|origin| Some(bundle::origin(origin))).collect();
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::Input(format!("{}: {error}", args.sources.character.display()))
    };
    let certificate = certify(&loaded.character, &origins, &evidence).map_err(|error| wrong(&error))?;
    let written = target.write(&loaded.character, &loaded.source, Some(&certificate), &Textures::Embed);
    let (content, lost) = written.map_err(|error| wrong(&error))?;
    write_file(&args.output, &content)
        .map_err(|error| std::io::Error::new(error.kind(), format!("{}: {error}", args.output.display())))?;
    let findings: Vec<_> = loaded.findings.iter().chain(&lost).collect();
    if args.json {
        out.json(&json!({
            "schema": "sinew.convert/1",
            "output": args.output.display().to_string(),
            "bytes": content.len(),
            "clips": loaded.character.clips().names().collect::<Vec<_>>(),
            "findings": findings.iter().map(|finding| print::finding_json(finding)).collect::<Vec<_>>(),
        }))?;
    } else {
        let clips = loaded.character.clips().len();
        let text = format!("{}, {}", bytes(content.len()), plural(clips, "clip", "clips"));
        out.line(format!("{NAME}{}{NAME:#}  {text}", args.output.display()))?;
        let told = |severity| out_tells(severity, out.is_verbose());
        let told: Vec<_> = findings.iter().filter(|finding| told(finding.severity())).collect();
        for finding in told {
            print::finding(out, finding)?;
        }
    }
    Ok(if findings.iter().any(|finding| finding.severity() == sinew::Severity::Error) {
        Outcome::Findings
    } else {
        Outcome::Fine
    })
}

fn out_tells(severity: sinew::Severity, verbose: bool) -> bool {
    verbose || severity == sinew::Severity::Error
}
