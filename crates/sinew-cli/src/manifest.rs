//! `sinew manifest`: writes or repairs the manifest of a folder.

use crate::args::ManifestArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::folder;
use crate::print::{self, DIM, HEAD, NAME, Out};
use serde_json::{Value, json};
use sinew_findings::plural;
use sinew_import::manifest::{ManifestOptions, Written, write_tree};
use sinew_import::{Cause, ImportError, TagTable};

/// Runs the command.
pub fn run(args: &ManifestArgs, out: &mut Out) -> Result {
    let mut options = ManifestOptions::default();
    options.import = args.common.import.clone();
    options.tags = args.tags.as_deref().map(|name| match name {
        "creature" => TagTable::creature(),
        _ => TagTable::overworld(),
    });
    options.dry_run = args.dry_run;
    let mut all = write_tree(&args.folder, &options).map_err(failure)?;
    let written = match all.len() {
        0 => return Err(ImportError::new(&args.folder, Cause::NoModel).into()),
        1 => all.remove(0).map_err(failure)?,
        _ => return tree(all, args, out),
    };
    if args.common.json {
        out.json(&document(&written, args.dry_run))?;
    } else {
        print(&written, args.dry_run, out)?;
    }
    Ok(Outcome::Fine)
}

/// Reports the manifests of a tree.
fn tree(all: Vec<std::result::Result<Written, ImportError>>, args: &ManifestArgs, out: &mut Out) -> Result {
    let (done, failed): (Vec<_>, Vec<_>) = all.into_iter().partition(std::result::Result::is_ok);
    let done: Vec<Written> = done.into_iter().flatten().collect();
    let failed: Vec<ImportError> = failed.into_iter().filter_map(std::result::Result::err).collect();
    if args.common.json {
        let manifests: Vec<_> = done.iter().map(|written| document(written, args.dry_run)).collect();
        let failed: Vec<_> = failed.iter().map(ToString::to_string).collect();
        out.json(&json!({ "schema": "sinew.manifest-tree/1", "manifests": manifests, "failed": failed }))?;
    } else {
        done.iter().try_for_each(|written| print(written, args.dry_run, out))?;
        let count = plural(done.len(), "manifest", "manifests");
        out.line(format!("{HEAD}{count}{HEAD:#}, {} failed", failed.len()))?;
    }
    if failed.is_empty() {
        return Ok(Outcome::Fine);
    }
    out.flush()?;
    Err(Failure::Input(folder::failures(&failed)))
}

fn failure(error: ImportError) -> Failure {
    match error.cause {
        Cause::Write(cause) => {
            Failure::Output(std::io::Error::new(cause.kind(), format!("{}: {cause}", error.file.display())))
        }
        _ => error.into(),
    }
}

fn document(written: &Written, dry_run: bool) -> Value {
    json!({
        "schema": "sinew.manifest/1",
        "path": written.path.display().to_string(),
        "created": written.created,
        "dry_run": dry_run,
        "changes": written.changes,
        "findings": written.findings.iter().map(print::finding_json).collect::<Vec<_>>(),
    })
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
