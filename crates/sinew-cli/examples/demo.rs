//! The two steps of `cargo xtask demo`: `write FOLDER` generates a Mixamo-like character and its animation files; `play FOLDER` loads what
//! `sinew build` made of them, as a game would, and plays a clip.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use sinew::skinning::SkinnedVertices;
use sinew::{Bundle, Player};
use sinew_testkit::{creature, humanoid};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder] => write(Path::new(folder)),
        ["play", folder] => play(Path::new(folder)),
        _ => Err("usage: demo write|play FOLDER".into()),
    };
    match result {
        Ok(lines) => {
            println!("{}", lines.join("\n"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

type Lines = Result<Vec<String>, Box<dyn Error>>;

fn write(folder: &Path) -> Lines {
    humanoid::write_to(folder)?;
    let style = creature::Style::default();
    creature::write_to(&folder.join("creature"), &style)?;
    let creature = creature::files(&style);
    let size = |files: &[(String, Vec<u8>)]| files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() / 1000;
    let files = humanoid::files();
    let mut lines: Vec<String> = files
        .iter()
        .map(|file| format!("wrote {}, {} kB", file.0, size(std::slice::from_ref(file))))
        .collect();
    lines.push(format!("wrote creature/, {} files, {} kB", creature.len(), size(&creature)));
    Ok(lines)
}

fn play(folder: &Path) -> Lines {
    let bytes = std::fs::read(folder.join("build/hero.sinew"))?;
    let start = Instant::now();
    let character = Arc::new(Bundle::read(&bytes)?.character);
    let mut lines = vec![format!(
        "loaded {} in {:.1} ms: {} joints, {} vertices, clips {}",
        character.name(),
        start.elapsed().as_secs_f64() * 1e3,
        character.skeleton().len(),
        character.meshes().iter().map(|mesh| mesh.vertex_count()).sum::<usize>(),
        character.clips().names().collect::<Vec<_>>().join(", ")
    )];

    let mut player = Player::new(character.clone());
    let mut vertices: Vec<_> = character.meshes().iter().map(SkinnedVertices::for_mesh).collect();
    player.play("walk")?;
    lines
        .push("playing walk for two seconds; its project says that travel is handed to the game:".to_owned());
    let mut place = sinew::glam::Vec3::ZERO;
    let hand = character.skeleton().find("mixamorig:RightHand").ok_or("the hero has no right hand")?;
    for frame in 0..=120 {
        if frame > 0 {
            player.update(1.0 / 60.0);
        }
        place += player.root_delta().translation;
        for (i, (mesh, out)) in character.meshes().iter().zip(&mut vertices).enumerate() {
            out.skin(mesh, player.skin_matrices(i), player.pose().scalars())?;
        }
        if frame % 30 == 0 {
            let at = player.model_matrices()[usize::from(hand)].translation();
            let top = vertices.iter().map(|v| v.bounds().max.y).fold(0.0f32, f32::max);
            lines.push(format!(
                "  {:.1} s  character at {:5.2} m, right hand {:+.2} {:+.2} {:+.2}, {top:.2} m tall",
                f64::from(frame) / 60.0,
                place.z,
                at.x,
                at.y,
                at.z
            ));
        }
    }
    Ok(lines)
}
