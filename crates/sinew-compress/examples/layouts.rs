//! Which layouts a clip was tried in: `cargo run --release -p sinew-compress --example layouts FILE [CLIP]`.

use sinew_compress::{Figure, KeyMotion, Profile, compile, joint_bits, joint_order, reordered};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name a file")?;
    let wanted = arguments.next();
    let imported = sinew_import::load(&file, Vec::<String>::new())?;
    let character = imported.character;
    let figure = Figure::of(&character, |_| None);
    println!("scale {:.4}", figure.scale);
    let skeleton = character.skeleton();
    let clips: Vec<_> = character.clips().ready().collect();
    let mut bits = vec![0f64; skeleton.len()];
    for clip in &clips {
        let need =
            joint_bits(skeleton, clip, &figure, Profile::Balanced, &mut KeyMotion::new(skeleton, clip));
        bits.iter_mut().zip(need).for_each(|(bits, need)| *bits = bits.max(need));
    }
    let order = joint_order(skeleton.parents(), &bits);
    let character = reordered(&character, &order)?;
    let skeleton = character.skeleton();
    let clips: Vec<_> = character.clips().ready().collect();
    for clip in clips.iter().filter(|clip| wanted.as_deref().is_none_or(|name| clip.name() == name)) {
        let start = std::time::Instant::now();
        for profile in Profile::ALL {
            let compiled = compile(skeleton, clip, &figure, profile, &mut KeyMotion::new(skeleton, clip));
            match compiled {
                None => println!("{} {}: kept as keys, {} B", clip.name(), profile.name(), clip.bytes()),
                Some(compiled) => {
                    println!(
                        "{} {} ({} B of keys), {:.2} s",
                        clip.name(),
                        profile.name(),
                        clip.bytes(),
                        start.elapsed().as_secs_f64()
                    );
                    for tried in &compiled.tried {
                        let mm = 1e3 / figure.scale;
                        println!(
                            "  {:>7.2} Hz {:6} {:>8} B  p99 {:.4} max {:.4} mm {}",
                            tried.layout.rate,
                            if tried.layout.cubic { "cubic" } else { "arc" },
                            tried.bytes,
                            tried.error.p99 * mm,
                            tried.error.max * mm,
                            if *tried == compiled.chosen { "<-" } else { "" }
                        );
                    }
                }
            }
        }
    }
    Ok(())
}
