//! `sinew retarget`: clips of other humanoids on a character.

use crate::args::RetargetArgs;
use crate::convert::Order;
use crate::exit::{Failure, Result};
use crate::load::Inputs;
use crate::print::Out;
use crate::progress;
use sinew_import::{Locks, MapFile, RetargetOptions, Sources, read_from, retarget_files};
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &RetargetArgs, out: &mut Out) -> Result {
    let order = Order {
        character: &args.target,
        output: &args.output,
        compress: None,
        json: args.common.json,
        schema: "sinew.retarget/1",
        // Sources alone do not say how they were carried over.
        certified: false,
    };
    let format = order.target()?;
    let options = &args.common.import;
    let inputs = Inputs::new(options);
    let files = inputs.files();
    let map =
        args.map.as_ref().map(|path| MapFile::read(&files, path, options)).transpose()?.unwrap_or_default();
    let target = read_from(&files, &args.target, options)?;
    let paths = sources(&args.sources)?;
    let bar = progress::bar(out);
    bar.set_length(paths.len() as u64);
    let locks = Locks { feet: args.lock_feet, hands: args.keep_hands };
    let target_roles = target.source.known_roles();
    let how = RetargetOptions { map, target_roles, locks, threads: args.jobs };
    let made = retarget_files(&files, &target.character, &paths, &how, options, || bar.inc(1))?;
    bar.finish_and_clear();
    let name = |path: &Path| path.display().to_string();
    if let Some((path, _)) = paths.iter().zip(&made).find(|(_, made)| made.character.clips().is_empty()) {
        return Err(Failure::Input(format!("{}: there is no clip in it to be retargeted", name(path))));
    }
    let made = paths.iter().map(|path| name(path)).zip(made);
    let loaded = Sources::new((name(&args.target), target), made, options).merge();
    let loaded = loaded.map_err(|error| Failure::Input(error.to_string()))?;
    order.write(format, &loaded, &inputs, out)
}

/// The files, and those of a format that is read in each folder that is named; a folder with a manifest is a source itself.
fn sources(named: &[PathBuf]) -> std::result::Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for path in named {
        if !crate::folder::is_tree(path) {
            paths.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path)
            .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
        let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        inside.retain(|path| path.is_file() && sinew_import::Format::detect(&[], path).is_some());
        inside.sort();
        if inside.is_empty() {
            return Err(Failure::Input(format!("{}: holds no file with clips", path.display())));
        }
        paths.extend(inside);
    }
    Ok(paths)
}
