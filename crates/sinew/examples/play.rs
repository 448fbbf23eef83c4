//! Load a compiled character and play a clip.
//!
//! `cargo run -p sinew --example play -- target/demo/build/hero.sinew walk` (`cargo xtask demo` makes that file)

#![allow(clippy::print_stdout, reason = "an example prints")]

use sinew::{Bundle, Player};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: play FILE.sinew [CLIP]")?;
    // A character is shared by all its instances and never changes.
    let character = Arc::new(Bundle::read(&std::fs::read(path)?)?.character);
    println!(
        "{} has the clips {}",
        character.name(),
        character.clips().names().collect::<Vec<_>>().join(", ")
    );
    let clip = std::env::args().nth(2).unwrap_or_else(|| "walk".to_owned());
    let hand = character.skeleton().find("RightHand").ok_or("it has no joint RightHand")?;

    // A player is one instance: a clock, a pose and the matrices that follow from it.
    let mut player = Player::new(character);
    player.play(&clip)?;
    for _ in 0..5 {
        player.update(0.1);
        let at = player.model_matrices()[usize::from(hand)].translation();
        println!("{:.1} s: right hand at {:+.2} {:+.2} {:+.2}", player.time(), at.x, at.y, at.z);
    }
    Ok(())
}
