//! `contrib/monogame` runs: the C# reads our XNB files, plays them, and its matrices and vertices are those of the run time.

#![allow(clippy::print_stdout, reason = "figures are for whoever runs the tests")]
#![allow(unreachable_pub, reason = "modules of a test have nobody to hide from")]

mod characters;
mod compare;
mod csharp;
#[path = "../common/figures.rs"]
mod figures;
mod hostile;
mod merge;
mod session;
mod v1;

use characters::write;
use compare::{Extent, Pair, TOLERANCE, affine, model};
use csharp::CSharp;
use sinew::{Character, PlayOptions, Player, RootMotion};
use sinew_build::monogame::{MonoGameOptions, SkinningVersion};
use sinew_xnb::skinning::TICKS_PER_SECOND;
use sinew_xnb::{SkinningData, Tag};
use std::sync::Arc;

/// Times of each clip that are compared.
const TIMES: usize = 200;

/// A number as the driver reads it.
pub fn number(value: f64) -> String {
    format!("{value:e}")
}

#[test]
fn v2_plays_as_the_run_time_does() {
    let name = "v2_plays_as_the_run_time_does";
    let (creature, _pictures) = figures::creature();
    for (asset, character) in [("hero", figures::hero()), ("creature", creature)] {
        let content = tempfile::tempdir().unwrap();
        let xnb = write(content.path(), asset, &character, &MonoGameOptions::default());
        let Some(mut csharp) = CSharp::start(name, content.path()) else { return };
        let load = csharp.tell(&["load", asset]).numbers[0];
        let mut pair = Pair::new(&character, &xnb);
        let mut player = Player::new(Arc::new(character.clone()));
        pair.skin(&mut csharp, player.instance(), "at rest");
        pair.vertices(&mut csharp, player.instance(), "at rest");
        for clip in character.clips().names() {
            // Once, so that the end is not the start.
            let keep = PlayOptions { root_motion: Some(RootMotion::Keep), ..PlayOptions::once(0.0) };
            player.play_with(clip, keep).unwrap();
            assert_eq!(csharp.tell(&["play", clip, "root=Keep", "mode=Once"]).text, "");
            let duration = player.playback().duration();
            for i in 0..TIMES {
                // Not on keys, but for the ends.
                let time = duration * i as f64 / (TIMES - 1) as f64;
                player.seek(time);
                csharp.tell(&["seek", &number(time)]);
                let when = format!("{asset}, {clip} at {time} s");
                pair.skin(&mut csharp, player.instance(), &when);
                pair.vertices(&mut csharp, player.instance(), &when);
            }
        }
        println!(
            "{asset}: {} bytes load in {load:.0} ms; {} clips at {TIMES} times: matrices to {:.1e} of D, vertices to {:.1e}, normals to {:.1e}",
            xnb.len(),
            character.clips().len(),
            pair.matrix_error,
            pair.vertex_error,
            pair.normal_error,
        );
    }
}

#[test]
fn v1_plays_its_keys_and_what_lies_between() {
    let name = "v1_plays_its_keys_and_what_lies_between";
    let options = MonoGameOptions::default().with(|options| options.version = SkinningVersion::V1);
    let (creature, _pictures) = figures::creature();
    for (asset, character) in [("hero", figures::hero()), ("creature", creature)] {
        let content = tempfile::tempdir().unwrap();
        let xnb = write(content.path(), asset, &character, &options);
        let Some(mut csharp) = CSharp::start(name, content.path()) else { return };
        let load = csharp.tell(&["load", asset]).numbers[0];
        let Tag::Skinning(SkinningData::V1(data)) = model(&xnb).tag else { panic!("it has v1") };
        let (extent, mut most) = (Extent::of(&character), 0.0f32);
        for clip in &data.clips {
            let mut times: Vec<i64> = clip.keys.iter().map(|key| key.time).collect();
            times.dedup();
            let played = v1::Played::new(&data, clip);
            for step in [false, true] {
                let sampling = if step { "sampling=Step" } else { "sampling=Interpolate" };
                assert_eq!(csharp.tell(&["play", &clip.name, "mode=Once", "reset", sampling]).text, "");
                for (i, &tick) in times.iter().enumerate() {
                    let next = times.get(i + 1).copied().unwrap_or(tick);
                    for tick in [tick as f64, (tick + next) as f64 / 2.0] {
                        // As keys are in memory: a time between two neighbours would be another key.
                        let time = f64::from((tick / TICKS_PER_SECOND as f64) as f32);
                        csharp.tell(&["seek", &number(time)]);
                        let got = csharp.tell(&["skin"]).numbers;
                        let expected = played.skin(time, step);
                        for (bone, (got, expected)) in
                            got.as_chunks::<16>().0.iter().zip(&expected).enumerate()
                        {
                            let error = extent.distance(&affine(got), expected);
                            assert!(
                                error <= TOLERANCE,
                                "{asset}, {} at {time} s, bone {bone}: {error}",
                                clip.name
                            );
                            most = most.max(error);
                        }
                    }
                }
            }
        }
        println!("{asset}: {} bytes of v1 load in {load:.0} ms; matrices to {most:.1e} of D", xnb.len());
    }
}

#[test]
fn more_than_72_joints_are_drawn_in_parts() {
    let ribbon = figures::ribbon(108);
    let content = tempfile::tempdir().unwrap();
    write(content.path(), "ribbon", &ribbon, &MonoGameOptions::default());
    let Some(mut csharp) = CSharp::start("more_than_72_joints_are_drawn_in_parts", content.path()) else {
        return;
    };
    csharp.tell(&["load", "ribbon"]);
    csharp.tell(&["play", "bend"]);
    csharp.tell(&["seek", "0.5"]);
    let drawn = csharp.tell(&["draw"]).numbers;
    assert!(drawn[0] > 1.0 && drawn[1] <= 72.0, "{drawn:?}");
    let mut player = Player::new(Arc::new(ribbon.clone()));
    player.play("bend").unwrap();
    player.seek(0.5);
    let mut expected = sinew::skinning::SkinnedVertices::for_mesh(&ribbon.meshes()[0]);
    expected.skin(&ribbon.meshes()[0], player.skin_matrices(0), &[]).unwrap();
    // Parts repeat vertices: each is one of the source's, and none of the source's is missing.
    let got: Vec<_> =
        csharp.tell(&["vertices"]).numbers.as_chunks::<6>().0.iter().map(|v| [v[0], v[1], v[2]]).collect();
    let limit = TOLERANCE * ribbon.size();
    let near = |a: [f32; 3], b: [f32; 3]| sinew::glam::Vec3::from(a).distance(b.into()) <= limit;
    assert!(got.iter().all(|&a| expected.positions.iter().any(|b| near(a, b.to_array()))));
    assert!(expected.positions.iter().all(|b| got.iter().any(|&a| near(a, b.to_array()))));
}

#[test]
fn a_frame_allocates_nothing() {
    let hero = characters::eventful(&figures::hero());
    let content = tempfile::tempdir().unwrap();
    write(content.path(), "hero", &hero, &MonoGameOptions::default());
    let Some(mut csharp) = CSharp::start("a_frame_allocates_nothing", content.path()) else { return };
    csharp.tell(&["load", "hero"]);
    assert_eq!(csharp.tell(&["allocated", "300"]).numbers, [0.0], "bytes in 300 frames");
}

/// The names of a character's clips.
fn names_of(character: &Character) -> Vec<String> {
    character.clips().names().map(str::to_owned).collect()
}
