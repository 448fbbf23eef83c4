//! How much memory compiling takes at most, and reading bundles whose numbers are wrong.
//!
//! `SINEW_BOMBS=full` compiles clips as long as any that are compiled at all, in the memory that there is by default.

#![allow(clippy::print_stdout, reason = "the table is for whoever runs the tests")]

mod common;

use common::{Size, full, sign, write};
use sinew::glam::{Quat, Vec3};
use sinew::{
    Character, CharacterData, Clip, ClipLibrary, Interpolation, Joint, JointTracks, Skeleton, Space, Track,
    Transform,
};
use sinew_build::compress::{CompressOptions, Compressed, compress};
use sinew_compress::MOST_MEMORY;
use sinew_import::{Options, SourceInfo, import_bytes};
use sinew_testkit::memory::{self, Peak};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static COUNTING: memory::Counting = memory::Counting;

/// The peak of memory is that of the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Most that compiling may hold, the character included.
const MOST: u64 = 600 << 20;

/// What is not counted: tables of few bytes, the names of joints.
const SLACK: u64 = 4 << 20;

/// Keys at uneven times, between which no rate has its frames: all rates are tried.
fn jagged(skeleton: &Skeleton, seconds: f32) -> Clip {
    let count = (seconds / 0.37) as usize + 2;
    let uneven = |i: usize| (i as f32 + 0.4 * (i as f32 * 0.618).fract()) * seconds / count as f32;
    let times: Vec<f32> = (0..count).map(uneven).collect();
    let linear = Interpolation::Linear;
    let tracks = (0..skeleton.len()).map(|joint| {
        let turn = |i: usize| if (i + joint).is_multiple_of(2) { 0.2 } else { -0.2f32 };
        let rotation = |i: usize| Quat::from_xyzw(turn(i), 0.0, 0.0, (1.0 - turn(i) * turn(i)).sqrt());
        JointTracks {
            translation: Some(
                Track::new(times.clone(), (0..count).map(|i| Vec3::splat(turn(i) * 0.1)).collect(), linear)
                    .unwrap(),
            ),
            rotation: Some(Track::new(times.clone(), (0..count).map(rotation).collect(), linear).unwrap()),
            scale: Some(
                Track::new(times.clone(), (0..count).map(|i| Vec3::splat(1.0 + turn(i))).collect(), linear)
                    .unwrap(),
            ),
            ..JointTracks::new(joint as u16)
        }
    });
    Clip::new("jagged", seconds, tracks.collect(), vec![]).unwrap()
}

/// Rotations that swing, which frames hold well.
fn swinging(skeleton: &Skeleton, seconds: f32) -> Clip {
    let times: Vec<f32> = (0..=(seconds * 30.0) as usize).map(|frame| frame as f32 / 30.0).collect();
    let tracks = (0..skeleton.len()).map(|joint| {
        let turn = |time: f32| 0.3 * (time * 9.0 + joint as f32).sin();
        let rotation =
            |&time: &f32| Quat::from_xyzw(turn(time), 0.0, 0.0, (1.0 - turn(time) * turn(time)).sqrt());
        let values = times.iter().map(rotation).collect();
        let rotation = Track::new(times.clone(), values, Interpolation::Linear).unwrap();
        JointTracks { rotation: Some(rotation), ..JointTracks::new(joint as u16) }
    });
    Clip::new("swinging", seconds, tracks.collect(), vec![]).unwrap()
}

/// Chains of ten joints, and so many clips.
fn character(joints: usize, clips: usize, clip: impl Fn(&Skeleton) -> Clip) -> Character {
    let joint = |i: usize| Joint {
        name: format!("j{i}"),
        parent: (!i.is_multiple_of(10)).then(|| i as u16 - 1),
        rest: Transform { translation: Vec3::Y * 0.1, ..Transform::IDENTITY },
    };
    let skeleton = Skeleton::new((0..joints).map(joint).collect(), vec![]).unwrap();
    let mut library = ClipLibrary::default();
    for number in 0..clips {
        library.add(clip(&skeleton).with_name(format!("clip {number}")));
    }
    Character::new(CharacterData {
        name: "chains".into(),
        skeleton,
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: library,
        space: Space::CANONICAL,
    })
    .unwrap()
}

fn compressed(character: &Character, memory: u64, threads: usize) -> Compressed {
    let options = CompressOptions { memory, ..CompressOptions::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| compress(character, &SourceInfo::default(), options)).unwrap()
}

#[test]
fn compiling_holds_no_more_than_it_may() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_full = std::env::var("SINEW_BOMBS").is_ok_and(|wanted| wanted == "full");
    // Joints times seconds: nearly as many as are compiled at all.
    let (work, memory) = if is_full { (99_000.0, MOST_MEMORY) } else { (3_000.0, 12 << 20) };
    println!(
        "{:>7} {:>6} {:>9} {:>10} {:>9}  clips with frames",
        "joints", "clips", "seconds", "keys MiB", "peak MiB"
    );
    for (joints, clips) in [(1, 1), (66, 1), (1_190, 1), (66, 12), (if is_full { 16_000 } else { 2_000 }, 1)]
    {
        let seconds = work / joints as f32;
        let whole = Peak::of_rust();
        let character = character(joints, clips, |skeleton| jagged(skeleton, seconds));
        let keys: usize = character.clips().ready().map(|clip| clip.bytes()).sum();
        let peak = Peak::of_rust();
        let made = compressed(&character, memory, 4);
        let (peak, whole) = (peak.bytes(), whole.bytes());
        let framed = made.clips.iter().filter(|clip| clip.frames.is_some()).count();
        println!("{joints:>7} {clips:>6} {seconds:>9.1} {:>10} {:>9}  {framed}", keys >> 20, peak >> 20);
        // Joints in another order are a copy, and so are keys that are kept.
        assert!(peak <= memory + 2 * keys as u64 + SLACK, "{joints} joints: {peak} bytes");
        assert!(whole <= MOST, "{joints} joints: {whole} bytes");
        assert_eq!(made.findings.len(), clips - framed, "what keeps its keys is told");
        assert!(made.findings.iter().all(|finding| finding.message.contains("too long for frames")));
    }
}

/// Clips that frames hold well, each twice as long as the one before, until they are too long: no layout is given up early, so all of what is counted is held.
#[test]
fn frames_take_no_more_than_they_may() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_full = std::env::var("SINEW_BOMBS").is_ok_and(|wanted| wanted == "full");
    let (joints, memory) = if is_full { (66, MOST_MEMORY) } else { (20, 6 << 20) };
    let mut held = 0;
    for seconds in std::iter::successors(Some(8.0f32), |seconds| Some(seconds * 2.0)) {
        let character = character(joints, 1, |skeleton| swinging(skeleton, seconds));
        let keys: usize = character.clips().ready().map(|clip| clip.bytes()).sum();
        let peak = Peak::of_rust();
        let made = compressed(&character, memory, 2);
        let peak = peak.bytes();
        println!("{joints:>7} {seconds:>9.1} s {:>10} {:>9}", keys >> 20, peak >> 20);
        assert!(peak <= memory + 2 * keys as u64 + SLACK, "{seconds} s: {peak} bytes");
        if made.clips[0].frames.is_none() {
            assert!(made.findings[0].message.contains("too long for frames"), "{:?}", made.findings);
            break;
        }
        held = peak;
    }
    // Otherwise more is counted than is held, and clips keep their keys without need.
    assert!(held > memory / 8, "{held} bytes of {memory}");
}

/// A clip that does not go into its share of the memory is compiled by itself, to the same bytes.
#[test]
fn threads_share_the_memory_and_change_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let character = character(20, 5, |skeleton| swinging(skeleton, 6.0));
    let [alone, shared, plenty] =
        [(2, 1), (2, 4), (256, 4)].map(|(mib, threads)| compressed(&character, mib << 20, threads));
    assert!(alone.clips.iter().all(|clip| clip.frames.is_some()), "{:?}", alone.findings);
    assert_eq!(alone.clips, shared.clips);
    assert_eq!(alone.clips, plenty.clips);
}

/// Numbers of four billion, wherever a number may be, with checksums that are right.
#[test]
fn a_bundle_takes_no_memory_for_what_it_only_claims() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let original = write(&full(Size { joints: 3, meshes: 2, vertices: 4, clips: 2, keys: 4 }));
    let options = Options::default();
    let mut most = 0;
    for at in (64..original.len() - 3).step_by(4) {
        for claimed in [u32::MAX, i32::MAX as u32, 0x00ff_ffff] {
            let mut bytes = original.clone();
            bytes[at..at + 4].copy_from_slice(&claimed.to_le_bytes());
            sign(&mut bytes);
            let peak = Peak::of_rust();
            let _ = import_bytes(&bytes, Path::new("a.sinew"), &options);
            most = most.max(peak.bytes());
        }
    }
    println!("{} bytes, peak {most} bytes", original.len());
    assert!(most <= 16 * original.len() as u64 + (64 << 10), "{most} bytes of {}", original.len());
}
