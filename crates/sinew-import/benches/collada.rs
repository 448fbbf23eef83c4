//! How fast COLLADA is read: a whole import against a bare pass over the same bytes, and how the time grows with the file.
//!
//! Run with `SINEW_CORPUS` set: `cargo bench -p sinew-import --bench collada`.

#![allow(clippy::print_stdout, reason = "a note for whoever runs it")]

use divan::Bencher;
use quick_xml::events::Event;
use sinew_import::{Limits, Options, import_bytes};
use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};

fn main() {
    if stormtrooper().is_none() {
        println!("SINEW-SKIP: benches/collada: corpus not set");
    }
    divan::main();
}

fn stormtrooper() -> Option<Vec<u8>> {
    let corpus = PathBuf::from(std::env::var_os("SINEW_CORPUS")?);
    std::fs::read(corpus.join("three/collada/stormtrooper/stormtrooper.dae")).ok()
}

/// What any reader of the format must do: all XML events, and every number parsed, here with the standard library's parser.
fn bare_pass(bytes: &[u8]) -> f32 {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    let mut reader = quick_xml::Reader::from_str(text);
    let mut sum = 0.0;
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Text(text) => {
                sum += text.split_ascii_whitespace().map_while(|w| w.parse::<f32>().ok()).sum::<f32>();
            }
            Event::Eof => return sum,
            _ => {}
        }
    }
}

#[divan::bench]
fn stormtrooper_bare_pass(bencher: Bencher<'_, '_>) {
    if let Some(bytes) = stormtrooper() {
        bencher.bench(|| bare_pass(black_box(&bytes)));
    }
}

#[divan::bench]
fn stormtrooper_import(bencher: Bencher<'_, '_>) {
    if let Some(bytes) = stormtrooper() {
        let options = Options::default();
        bencher.bench(|| import_bytes(black_box(&bytes), Path::new("stormtrooper.dae"), &options));
    }
}

/// A grid of so many megabytes of text.
fn generated(megabytes: usize) -> Vec<u8> {
    // A quad takes about 58 bytes: a position, four corners and their number.
    let side = ((megabytes << 20) as f64 / 58.0).sqrt() as usize;
    let mut positions = String::new();
    let mut corners = String::new();
    for y in 0..side {
        for x in 0..side {
            write!(
                positions,
                "{:.6} {:.6} {:.6} ",
                x as f64 * 0.01,
                y as f64 * 0.01,
                (x * y % 97) as f64 * 1e-3
            )
            .expect("a string takes everything");
            if x + 1 < side && y + 1 < side {
                let at = y * side + x;
                write!(corners, "{} {} {} {} ", at, at + 1, at + side + 1, at + side)
                    .expect("a string takes everything");
            }
        }
    }
    let quads = (side - 1) * (side - 1);
    let vertices = side * side;
    format!(
        "<COLLADA version='1.4.1'><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' \
         count='{}'>{positions}</float_array><technique_common><accessor source='#pa' count='{vertices}' stride='3'/>\
         </technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices><polylist \
         count='{quads}'><input semantic='VERTEX' source='#v' offset='0'/><vcount>{}</vcount><p>{corners}</p></polylist>\
         </mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node><instance_geometry \
         url='#g'/></node></visual_scene></library_visual_scenes></COLLADA>",
        vertices * 3,
        "4 ".repeat(quads)
    )
    .into_bytes()
}

#[divan::bench(args = [1, 5, 10, 25, 50], sample_count = 5, sample_size = 1)]
fn generated_megabytes(bencher: Bencher<'_, '_>, megabytes: usize) {
    let bytes = generated(megabytes);
    let options = Options::default().with(|options| options.limits = Limits::UNLIMITED);
    bencher
        .counter(divan::counter::BytesCount::new(bytes.len()))
        .bench(|| import_bytes(black_box(&bytes), Path::new("grid.dae"), &options).map(|i| i.findings.len()));
}
