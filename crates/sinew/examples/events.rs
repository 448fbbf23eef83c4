//! Events of a clip, each fired once per crossing however time is cut into updates.
//!
//! `cargo run -p sinew --example events`

#![allow(clippy::print_stdout, reason = "an example prints")]

use sinew::{Clip, Event, LoopMode, Playback};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // Projects give events to clips in sinew.toml; here they are written in code.
    let step = Event::new;
    let walk = Clip::new("walk", 1.0, vec![], vec![])?
        .with_events(vec![step(0.1, "left foot"), step(0.6, "right foot")])?;

    // The clock alone is enough to know what was crossed; `Player::events` does the same for what it plays.
    let mut clock = Playback::new(f64::from(walk.duration()), LoopMode::Loop, 1.0);
    for milliseconds in [50, 100, 400, 16, 16, 2000] {
        clock.advance(f64::from(milliseconds) / 1000.0);
        let crossed: Vec<_> = clock.crossed(&walk).map(|event| event.name.as_str()).collect();
        println!("after {milliseconds:4} ms, at {:.3} s: {}", clock.time(), crossed.join(", "));
    }
    Ok(())
}
