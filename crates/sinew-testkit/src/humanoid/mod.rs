//! A whole human character with animations.
//!
//! Joints as Mixamo has them (65, 52 of them weighted), centimetres, Y up, facing +Z, bound in the T-pose, 1.8 m tall.
//! Clips come in files of their own, without skin.

mod body;
mod face;
mod hands;
mod motion;
mod outfit;
mod skeleton;
mod weights;

pub use motion::{Contact, Motion, RATE, TAKE};
pub use skeleton::{Joint, PREFIX, Side, Skeleton};

use crate::fbx;
use crate::scene::Scene;

/// The character in its T-pose.
pub fn character() -> Scene {
    body::scene(&Skeleton::humanoid())
}

/// The clip file of a motion: limbs without skin.
pub fn clip(motion: Motion) -> Scene {
    motion.scene(&Skeleton::humanoid())
}

/// Every file of the character: `hero.fbx` and one file per motion, such as `walk.fbx`.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("hero.fbx".to_string(), fbx::write(&character()).into())];
    for motion in Motion::ALL {
        let text = fbx::write(&clip(motion));
        files.push((format!("{}.fbx", motion.name()), text.into()));
    }
    files
}

/// Writes [`files`] into a folder, which is made where it does not exist.
pub fn write_to(folder: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, bytes) in files() {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
