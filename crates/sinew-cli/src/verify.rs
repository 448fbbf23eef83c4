//! `sinew verify`: checks a compiled character and its certificate.

use crate::args::VerifyArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::load::Inputs;
use crate::print::{DIM, GOOD, HEAD, NAME, Out, bytes};
use serde_json::{Value, json};
use sinew::BundleError;
use sinew_build::bundle::{Evidence, Verified, VerifyError, verify};
use sinew_files::{Files, hex};
use sinew_findings::plural;
use sinew_import::bundle::{Certificate, Measure};
use sinew_import::{ImportError, read_from};

/// Runs the command.
pub fn run(args: &VerifyArgs, out: &mut Out) -> Result {
    let files = Inputs::new(&args.common.import).files();
    let content = files.read(&args.bundle, args.common.import.limits.bytes);
    let content = content.map_err(|error| ImportError::new(&args.bundle, error.into()))?;
    let imported = args.sources.iter().map(|path| read_from(&files, path, &args.common.import));
    let imported = imported.collect::<std::result::Result<Vec<_>, _>>()?;
    let evidence: Vec<_> = imported.iter().map(Evidence::of).collect();
    match verify(&content, &evidence) {
        Ok(verified) => {
            if args.common.json {
                out.json(&document(&verified, content.len()))?;
            } else {
                print(&verified, content.len(), args, out)?;
            }
            Ok(Outcome::Fine)
        }
        // The bundle is readable, but worse than certified: exit code 1, not 2.
        Err(error @ VerifyError::Worse { .. }) => {
            out.error(&format!("{}: {error}", args.bundle.display()));
            Ok(Outcome::Findings)
        }
        Err(VerifyError::Bundle(error)) => Err(Failure::Input(damaged(args, &error))),
        Err(error) => Err(Failure::Input(format!("{}: {error}", args.bundle.display()))),
    }
}

fn damaged(args: &VerifyArgs, error: &BundleError) -> String {
    format!("{}: {error}", args.bundle.display())
}

fn print(verified: &Verified, size: usize, args: &VerifyArgs, out: &mut Out) -> Result<()> {
    let character = &verified.bundle.character;
    out.line(format!(
        "{NAME}{}{NAME:#}  {GOOD}whole{GOOD:#}: {}, {}, {}",
        args.bundle.display(),
        bytes(size),
        plural(character.skeleton().len(), "joint", "joints"),
        plural(character.clips().len(), "clip", "clips")
    ))?;
    let Some(stated) = &verified.bundle.certificate else {
        return Ok(out.line("it has no certificate")?);
    };
    out.line(format!("{HEAD}Certificate{HEAD:#} by {}", stated.tool))?;
    for input in &stated.inputs {
        let hash = hex(&input.sha256[..8]);
        out.line(format!("  made from {NAME}{}{NAME:#} {DIM}{hash}…{DIM:#}", input.name))?;
    }
    let unit = f64::from(character.space().unit_meters) * 1e3;
    out.line(format!("  states   {}", measure(&stated.whole, unit)))?;
    if let Some(measured) = &verified.measured {
        out.line(format!("  measured {}", measure(&measured.whole, unit)))?;
    }
    Ok(())
}

fn measure(measure: &Measure, unit: f64) -> String {
    format!(
        "joints within {:.4} mm (99 of 100 within {:.4}), vertices within {:.4} mm, at {}",
        measure.joint_max * unit,
        measure.joint_p99 * unit,
        measure.vertex_max * unit,
        plural(measure.samples as usize, "time", "times")
    )
}

fn document(verified: &Verified, size: usize) -> Value {
    let character = &verified.bundle.character;
    json!({
        "schema": "sinew.verify/1",
        "bytes": size,
        "joints": character.skeleton().len(),
        "clips": character.clips().names().collect::<Vec<_>>(),
        "unit_meters": character.space().unit_meters,
        "stated": verified.bundle.certificate.as_ref().map(certificate),
        "measured": verified.measured.as_ref().map(certificate),
    })
}

fn certificate(certificate: &Certificate) -> Value {
    let measure = |m: &Measure| {
        json!({
            "samples": m.samples, "joint_max": m.joint_max, "joint_p99": m.joint_p99,
            "worst_joint": m.worst_joint, "worst_time": m.worst_time, "vertex_max": m.vertex_max,
        })
    };
    let inputs =
        certificate.inputs.iter().map(|input| json!({ "name": input.name, "sha256": hex(&input.sha256) }));
    json!({
        "tool": certificate.tool,
        "inputs": inputs.collect::<Vec<_>>(),
        "diagonal": certificate.diagonal,
        "reach": certificate.reach,
        "whole": measure(&certificate.whole),
        "clips": certificate.clips.iter().map(measure).collect::<Vec<_>>(),
    })
}
