//! Deform a mesh on the CPU.
//!
//! `cargo run -p sinew --example cpu_skinning -- target/demo/build/hero.sinew walk`

#![allow(clippy::print_stdout, reason = "an example prints")]

use sinew::skinning::SkinnedVertices;
use sinew::{Bundle, Player};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: cpu_skinning FILE.sinew [CLIP]")?;
    let clip = std::env::args().nth(2).unwrap_or_else(|| "walk".to_owned());
    let character = Arc::new(Bundle::read(&std::fs::read(path)?)?.character);
    let mut player = Player::new(character.clone());
    player.play(&clip)?;

    // Buffers are made once and written every frame.
    let mut buffers: Vec<_> = character.meshes().iter().map(SkinnedVertices::for_mesh).collect();
    for _ in 0..5 {
        player.update(0.1);
        for (index, (mesh, vertices)) in character.meshes().iter().zip(&mut buffers).enumerate() {
            vertices.skin(mesh, player.skin_matrices(index), player.pose().scalars())?;
            let bounds = vertices.bounds();
            println!("{:.1} s: {} is {:.2} high", player.time(), mesh.name, bounds.max.y - bounds.min.y);
        }
    }
    Ok(())
}
