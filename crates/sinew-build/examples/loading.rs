//! How long bundles take to load, against the floor: reading the file and computing one checksum of it.
//!
//! `cargo run --release -p sinew-build --example loading -- hero.sinew…`

use sinew::Bundle;
use sinew::bundle_file::checksum;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// The shortest of so many turns counts: all else is the machine's other work.
const TURNS: usize = 200;

#[allow(clippy::print_stdout, reason = "an example that reports")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:>10} {:>10} {:>10} {:>6}  file", "bytes", "floor µs", "load µs", "ratio");
    for path in std::env::args_os().skip(1) {
        let path = Path::new(&path);
        let bytes = std::fs::read(path)?;
        Bundle::read(bytes.as_slice())?;
        let (mut floor, mut load) = (Duration::MAX, Duration::MAX);
        // In turns, so that what else the machine does hits both.
        for _ in 0..TURNS {
            let start = Instant::now();
            let file = std::fs::read(path)?;
            black_box(checksum(&file));
            floor = floor.min(start.elapsed());
            drop(file);
            let start = Instant::now();
            let loaded = Bundle::read(std::fs::read(path)?)?;
            load = load.min(start.elapsed());
            drop(loaded);
        }
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let ratio = load.as_secs_f64() / floor.as_secs_f64();
        println!(
            "{:>10} {:>10.1} {:>10.1} {ratio:>6.2}  {}",
            bytes.len(),
            micros(floor),
            micros(load),
            path.display()
        );
    }
    Ok(())
}
