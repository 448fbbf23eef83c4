//! Play clips by what they are for, and fade from one into the next.
//!
//! `cargo run -p sinew --example crossfade -- target/demo/build/hero.sinew`

#![allow(clippy::print_stdout, reason = "an example prints")]

use sinew::{Bundle, Controller, PlayOptions};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: crossfade FILE.sinew")?;
    let character = Arc::new(Bundle::read(&std::fs::read(path)?)?.character);

    // Tags (Idle, Walk, Run) were given to the clips when the character was compiled.
    let mut hero = Controller::new(character);
    println!("it can {}", hero.tags().collect::<Vec<_>>().join(", "));
    hero.play("Idle")?;
    for frame in 0..60 {
        if frame == 20 {
            hero.play_with("Walk", PlayOptions::looping(0.25))?;
        }
        hero.update(1.0 / 60.0);
        if frame % 5 == 0 {
            let what = hero.active().unwrap_or("rest");
            println!(
                "{:.2} s: {what} has {:3.0} % of the pose",
                f64::from(frame) / 60.0,
                hero.weight() * 100.0
            );
        }
    }

    // An unknown tag changes nothing, and the error says so.
    if let Err(error) = hero.play("Fly") {
        println!("{error}");
    }
    Ok(())
}
