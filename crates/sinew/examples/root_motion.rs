//! Let a clip's travel move the character through the world.
//!
//! `cargo run -p sinew --example root_motion -- target/demo/build/hero.sinew walk`

#![allow(clippy::print_stdout, reason = "an example prints")]

use sinew::glam::{Affine3, Quat, Vec3};
use sinew::{Bundle, PlayOptions, Player, RootMotion};
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: root_motion FILE.sinew [CLIP]")?;
    let clip = std::env::args().nth(2).unwrap_or_else(|| "walk".to_owned());
    let mut player = Player::new(Arc::new(Bundle::read(&std::fs::read(path)?)?.character));

    // Extract: the pose stays on the spot, and each update says how far the character went.
    player
        .play_with(&clip, PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::default() })?;
    let facing = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    let mut place = Vec3::ZERO;
    for frame in 1..=300 {
        player.update(1.0 / 60.0);
        place += facing * player.root_delta().translation;
        if frame % 60 == 0 {
            println!("after {} s it stands at {:.2} {:.2} {:.2}", frame / 60, place.x, place.y, place.z);
        }
    }
    // The game decides where the character is drawn.
    let _world = Affine3::from_rotation_translation(facing, place);
    Ok(())
}
