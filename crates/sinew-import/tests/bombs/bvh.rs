//! Bombs of BVH, and how much memory a long recording takes.

use super::{Bomb, Limit, Read};
use sinew_import::{Options, import_bytes};
use sinew_testkit::bvh::Figure;
use sinew_testkit::memory;
use std::path::Path;

pub(super) const BOMBS: &[Bomb] = &[
    Bomb { name: "bvh depth", file: "a.bvh", make: depth, full: 100, expected: Limit("depth") },
    Bomb { name: "bvh joints", file: "a.bvh", make: joints, full: 100, expected: Limit("joints") },
    Bomb { name: "bvh claimed frames", file: "a.bvh", make: claimed, full: 1, expected: Read },
    Bomb { name: "bvh empty lines", file: "a.bvh", make: empty_lines, full: 100, expected: Read },
    Bomb { name: "bvh short numbers", file: "a.bvh", make: short_numbers, full: 60, expected: Read },
];

const END: &str = "End Site\n{\nOFFSET 0 0 0\n}\n";

fn depth(scale: usize) -> Vec<u8> {
    format!("HIERARCHY\nROOT a\n{{\n{}", "JOINT b\n{\n".repeat(1000 * scale)).into_bytes()
}

fn joints(scale: usize) -> Vec<u8> {
    format!("HIERARCHY\nROOT a\n{{\n{}}}\n", END.repeat(20_000 * scale)).into_bytes()
}

fn claimed(_: usize) -> Vec<u8> {
    Figure::dancer(1).text().replace("Frames: 1", "Frames: 1e18").into_bytes()
}

/// Many channels and many lines, but few numbers.
fn empty_lines(scale: usize) -> Vec<u8> {
    let channels = "JOINT b\n{\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\n".repeat(1000);
    let lines = "\n".repeat(100_000 * scale);
    format!("HIERARCHY\nROOT a\n{{\n{channels}}}\nMOTION\nFrames: 0\nFrame Time: 1\n{lines}").into_bytes()
}

/// Numbers as short as they can be, of which keys are made that take many times as much.
fn short_numbers(scale: usize) -> Vec<u8> {
    let head = "HIERARCHY\nROOT a\n{\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\nMOTION\nFrames: 0\nFrame Time: .01\n";
    format!("{head}{}", "0 0 0\n1 2 3\n".repeat(50_000 * scale)).into_bytes()
}

/// A minute of a recording, or an hour, is read in three times the memory that the file takes, the file included.
pub(super) fn recording(minutes: usize) {
    let bytes = Figure::dancer(minutes * 60 * 30).text().into_bytes();
    let options = Options::default().with(|options| options.limits.memory = 3 * bytes.len() as u64);
    let peak = memory::Peak::of_rust();
    let imported = import_bytes(&bytes, Path::new("a.bvh"), &options).unwrap();
    let peak = peak.bytes() + bytes.len() as u64;
    let ratio = peak as f64 / bytes.len() as f64;
    println!(
        "{minutes} min at 30 frames a second: file {} MiB, peak {} MiB, {ratio:.2} times",
        bytes.len() >> 20,
        peak >> 20
    );
    let clip = imported.character.clips().get(0).unwrap();
    assert_eq!(clip.keys().unwrap().joint(0).unwrap().times().count(), 2 * minutes * 60 * 30);
    assert!(ratio <= 3.0, "{ratio}");
}
