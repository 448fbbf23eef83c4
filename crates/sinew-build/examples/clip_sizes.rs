//! What compiled clips take in each profile: the tables of docs/compression.md.
//!
//! `cargo run --release -p sinew-build --example clip_sizes -- [--layouts] FILE|FOLDER…`
//!
//! With `--layouts`, every layout is tried on every clip; else the totals of all clips are printed.

#![allow(clippy::print_stdout)]

mod folder;

use folder::find;
use sinew_build::bundle::{self, Evidence};
use sinew_build::compress::{ClipSize, Compressed, compress_from};
use sinew_compress::{Figure, KeyMotion, Layout, Profile, compile_with, reordered};
use sinew_files::{Cache, Disk, Files};
use sinew_import::{Loaded, Options, load_from};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Frames a second that `--layouts` tries.
const RATES: [f64; 6] = [24.0, 30.0, 60.0, 120.0, 240.0, 480.0];

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let mut files = Vec::new();
    for path in &paths {
        find(Path::new(path), &mut files)?;
    }
    files.sort();
    let is_each = flags.iter().any(|flag| flag == "--layouts");
    if is_each {
        println!("| clip | layout | `strict` | `balanced` | `small` |\n|---|---|---|---|---|");
    }
    let mut totals = [Total::default(); 3];
    for file in &files {
        let from: Arc<dyn Files> = Arc::new(Cache::new(Disk));
        let Ok(loaded) = load_from(&from, file, &[] as &[&Path], &Options::default()) else { continue };
        if is_each {
            layouts(&file.file_name().unwrap_or_default().to_string_lossy(), &loaded)?;
            continue;
        }
        for (profile, total) in Profile::ALL.into_iter().zip(&mut totals) {
            let began = Instant::now();
            let compressed = compiled(&loaded, profile)?;
            total.seconds += began.elapsed().as_secs_f64();
            compressed.clips.iter().for_each(|clip| total.add(clip));
        }
    }
    if !is_each {
        print(&totals);
    }
    Ok(())
}

fn compiled(loaded: &Loaded, profile: Profile) -> Result<Compressed, Box<dyn Error>> {
    let origins: Vec<_> = loaded.origins.iter().map(|origin| Some(bundle::origin(origin))).collect();
    let evidence = Evidence::of_loaded(loaded);
    Ok(compress_from(&loaded.character, &loaded.source, &profile.into(), &origins, &evidence)?)
}

/// Every layout for every clip of a character, measured against its keys.
fn layouts(file: &str, loaded: &Loaded) -> Result<(), Box<dyn Error>> {
    let chosen = Profile::ALL.map(|profile| compiled(loaded, profile));
    let [strict, balanced, small] = chosen;
    let compressed = [strict?, balanced?, small?];
    for index in 0..loaded.character.clips().len() {
        let size = |compressed: &Compressed| compressed.clips[index].clone();
        let sizes = compressed.each_ref().map(size);
        let name = format!("{file} `{}`", sizes[0].name);
        let [a, b, c] = sizes.each_ref().map(|size| format!("{} B", size.before));
        println!("| {name} | keys | {a} | {b} | {c} |");
        for layout in [false, true].into_iter().flat_map(|cubic| RATES.map(|rate| Layout { rate, cubic })) {
            let mut cells = Vec::new();
            for (profile, compressed) in Profile::ALL.into_iter().zip(&compressed) {
                let character = reordered(&loaded.character, &compressed.source.order)?;
                let (skeleton, figure) = (character.skeleton(), Figure::of(&character, |_| None));
                let clip = character.clips().get(index)?;
                let mut motion = KeyMotion::new(skeleton, &clip);
                let compiled = compile_with(skeleton, &clip, &figure, profile, &mut motion, layout);
                cells
                    .push(compiled.map_or("–".to_owned(), |compiled| format!("{} B", compiled.chosen.bytes)));
            }
            println!("| {name} | {layout} | {} |", cells.join(" | "));
        }
        let cells = sizes.map(|size| match size.frames {
            Some(tried) => {
                let [p99, max] = [tried.error.p99, tried.error.max].map(|metres| metres * 1e3);
                format!("{}: **{} B**, {p99:.3} / {max:.3} mm", tried.layout, size.after)
            }
            None => "keys".to_owned(),
        });
        println!("| {name} | chosen | {} |", cells.join(" | "));
    }
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct Total {
    clips: usize,
    before: usize,
    after: usize,
    smaller_as_keys: usize,
    unfit: usize,
    seconds: f64,
}

impl Total {
    fn add(&mut self, clip: &ClipSize) {
        self.clips += 1;
        self.before += clip.before;
        self.after += clip.after;
        self.unfit += usize::from(clip.unfit.is_some());
        self.smaller_as_keys += usize::from(clip.frames.is_none() && clip.unfit.is_none());
    }
}

fn print(totals: &[Total]) {
    println!(
        "| profile | clips | as keys | compiled | ratio | smaller as keys | outside of the profile | search |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (profile, total) in Profile::ALL.into_iter().zip(totals) {
        let Total { clips, before, after, smaller_as_keys, unfit, seconds } = total;
        let ratio = *before as f64 / (*after).max(1) as f64;
        println!(
            "| `{}` | {clips} | {before} B | {after} B | {ratio:.1} | {smaller_as_keys} | {unfit} | {seconds:.1} s |",
            profile.name()
        );
    }
}
