//! `sinew manifest`: writes or repairs the manifest of a folder.

use crate::args::ManifestArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::print::{self, DIM, NAME, Out};
use serde_json::json;
use sinew_findings::plural;
use sinew_import::manifest::{ManifestOptions, Written, write};
use sinew_import::{Cause, TagTable};

/// Runs the command.
pub fn run(args: &ManifestArgs, out: &mut Out) -> Result {
    let mut options = ManifestOptions::default();
    options.import = args.common.import.clone();
    options.tags = args.tags.as_deref().map(|name| match name {
        "creature" => TagTable::creature(),
        _ => TagTable::overworld(),
    });
    options.dry_run = args.dry_run;
    let written = write(&args.folder, &options).map_err(|error| match error.cause {
        Cause::Write(cause) => {
            Failure::Output(std::io::Error::new(cause.kind(), format!("{}: {cause}", error.file.display())))
        }
        _ => error.into(),
    })?;
    if args.common.json {
        out.json(&json!({
            "schema": "sinew.manifest/1",
            "path": written.path.display().to_string(),
            "created": written.created,
            "dry_run": args.dry_run,
            "changes": written.changes,
            "findings": written.findings.iter().map(print::finding_json).collect::<Vec<_>>(),
        }))?;
    } else {
        print(&written, args.dry_run, out)?;
    }
    Ok(Outcome::Fine)
}

fn print(written: &Written, dry_run: bool, out: &mut Out) -> Result<()> {
    let done = match (written.created, written.changes.is_empty(), dry_run) {
        (true, _, false) => "written".to_owned(),
        (true, _, true) => "would be written".to_owned(),
        (false, true, _) => "is right as it is".to_owned(),
        (false, false, false) => plural(written.changes.len(), "change", "changes"),
        (false, false, true) => {
            format!("{} to be made", plural(written.changes.len(), "change", "changes"))
        }
    };
    out.line(format!("{NAME}{}{NAME:#}  {done}", written.path.display()))?;
    for change in &written.changes {
        out.line(format!("  {DIM}{change}{DIM:#}"))?;
    }
    for finding in &written.findings {
        print::finding(out, finding)?;
    }
    Ok(())
}
