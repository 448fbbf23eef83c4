//! `sinew convert`: a character and its animations in one file.

use crate::args::{Compression, ConvertArgs};
use crate::exit::{Failure, Outcome, Result};
use crate::load::Inputs;
use crate::print::{self, NAME, Out, bytes};
use serde_json::json;
use sinew::{Character, Finding};
use sinew_build::bundle::{self, Evidence, certify};
use sinew_build::compress::{ClipSize, compress_from};
use sinew_build::project::{Target, TargetOptions};
use sinew_compress::Profile;
use sinew_findings::plural;
use sinew_import::Loaded;
use sinew_import::bundle::Origin;
use std::path::Path;

/// Runs the command.
pub fn run(args: &ConvertArgs, out: &mut Out) -> Result {
    let inputs = Inputs::new(&args.common.import);
    let order = Order {
        character: &args.sources.character,
        output: &args.output,
        compress: args.compress,
        json: args.common.json,
        schema: "sinew.convert/1",
        certified: true,
    };
    let target = order.target()?;
    let loaded = inputs.character(&args.sources, &args.common.import)?;
    order.write(target, &loaded, &inputs, out)
}

/// What is to be written, and where.
pub struct Order<'a> {
    /// The character's file.
    pub character: &'a Path,
    /// The file to write.
    pub output: &'a Path,
    /// How clips of bundles are compiled.
    pub compress: Option<Compression>,
    /// Whether the report is for programs.
    pub json: bool,
    /// The schema of that report.
    pub schema: &'static str,
    /// Whether a certificate is written: one that the sources alone can prove again.
    pub certified: bool,
}

impl Order<'_> {
    /// The format, by the name of the file.
    pub fn target(&self) -> std::result::Result<Target, Failure> {
        Target::of(self.output).ok_or_else(|| {
            let known = Target::ALL.map(|target| format!(".{}", target.extension())).join(" or ");
            Failure::Input(format!("{}: the file to write ends in {known}", self.output.display()))
        })
    }

    /// Writes a character with all its clips, and says what was written.
    pub fn write(&self, target: Target, loaded: &Loaded, inputs: &Inputs, out: &mut Out) -> Result {
        inputs.keep(self.output)?;
        let evidence = Evidence::of_loaded(loaded);
        let origins: Vec<Option<Origin>> =
            loaded.origins.iter().map(|origin| Some(bundle::origin(origin))).collect();
        let wrong =
            |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", self.character.display()));
        if self.compress.is_some() && target != Target::Sinew {
            let text =
                format!("{}: --compress is for .sinew files; others keep their keys", self.output.display());
            return Err(Failure::Input(text));
        }
        let profile = match self.compress {
            _ if target != Target::Sinew => None,
            None => Some(Profile::default()),
            Some(Compression::Off) => None,
            Some(Compression::Profile(profile)) => Some(profile),
        };
        let compressed = profile.map(|profile| {
            compress_from(&loaded.character, &loaded.source, &profile.into(), &origins, &evidence)
        });
        let compressed = compressed.transpose().map_err(|error| wrong(&error))?;
        let (character, source) = match &compressed {
            Some(compressed) => (&compressed.character, &compressed.source),
            None => (&loaded.character, &loaded.source),
        };
        let certificate = self.certified.then(|| certify(character, source, &origins, &evidence));
        let mut certificate = certificate.transpose().map_err(|error| wrong(&error))?;
        certificate.iter_mut().for_each(|certificate| certificate.profile = profile);
        let name = self.output.file_name().unwrap_or_default().to_string_lossy();
        let options = TargetOptions::default();
        let written = target.write(&name, character, source, certificate.as_ref(), &options, &inputs.files());
        let written = written.map_err(|error| wrong(&error))?;
        let folder = self.output.parent().unwrap_or(Path::new(""));
        for path in written.paths(folder) {
            inputs.keep(&path)?;
        }
        written.put(folder).map_err(|(path, error)| {
            std::io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        let of_clips = compressed.iter().flat_map(|compressed| &compressed.findings);
        let findings: Vec<&Finding> =
            loaded.findings.iter().chain(&written.findings).chain(of_clips).collect();
        let sizes = compressed.as_ref().map_or(&[][..], |compressed| &compressed.clips);
        self.tell(&loaded.character, written.size(), sizes, &findings, out)
    }

    fn tell(
        &self,
        character: &Character,
        size: usize,
        sizes: &[ClipSize],
        findings: &[&Finding],
        out: &mut Out,
    ) -> Result {
        if self.json {
            out.json(&json!({
                "schema": self.schema,
                "output": self.output.display().to_string(),
                "bytes": size,
                "clips": character.clips().names().collect::<Vec<_>>(),
                "compressed": sizes.iter().map(print::clip_size_json).collect::<Vec<_>>(),
                "findings": findings.iter().map(|finding| print::finding_json(finding)).collect::<Vec<_>>(),
            }))?;
        } else {
            let text = format!("{}, {}", bytes(size), plural(character.clips().len(), "clip", "clips"));
            out.line(format!("{NAME}{}{NAME:#}  {text}", self.output.display()))?;
            let width = print::widest(sizes.iter().map(|size| size.name.as_str()));
            for size in sizes {
                out.line(format!(
                    "  {}{}  {}",
                    size.name,
                    print::pad(&size.name, width),
                    print::clip_size(size)
                ))?;
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
}
