//! Damaged documents end in a character or an error, never in a panic or a stall.

mod common;

use common::dae::SAMPLE;
use proptest::prelude::*;
use sinew_import::collada::RawClip;
use sinew_import::{Options, import_bytes};
use std::path::Path;

/// A quick import of whatever it is.
fn try_import(bytes: &[u8]) {
    let mut options = Options::default();
    (options.limits.keys, options.limits.vertices, options.limits.nodes) = (20_000, 20_000, 2_000);
    if let Ok(imported) = import_bytes(bytes, Path::new("damaged.dae"), &options)
        && let Some(nodes) = &imported.clip_nodes
        && let Ok(clip) = RawClip::parse(bytes, &options.limits)
    {
        let _ = clip.bind(nodes, &options);
    }
}

#[derive(Clone, Debug)]
enum Damage {
    Flip(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
    Number(usize, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0..SAMPLE.len();
    let numbers = ["-1", "1e308", "NaN", "1e-320", "4294967296", "0", "999999999", "1.#INF", ""];
    prop_oneof![
        (at.clone(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        (at.clone(), 1usize..60).prop_map(|(at, count)| Damage::Remove(at, count)),
        (at.clone(), 1usize..200).prop_map(|(at, count)| Damage::Repeat(at, count)),
        (at, proptest::sample::select(numbers.to_vec())).prop_map(|(at, word)| Damage::Number(at, word)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let length = bytes.len();
    if length == 0 {
        return;
    }
    match *damage {
        Damage::Flip(at, byte) => bytes[at % length] = byte,
        Damage::Remove(at, count) => {
            let at = at % length;
            bytes.drain(at..(at + count).min(length));
        }
        Damage::Repeat(at, count) => {
            let at = at % length;
            let piece = bytes[at..(at + count).min(length)].to_vec();
            bytes.splice(at..at, piece);
        }
        // Puts a number in place of the next one, which keeps the document well-formed and its meaning odd.
        Damage::Number(at, word) => {
            let at = at % length;
            let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) else { return };
            let digit = |b: &u8| !(b.is_ascii_digit() || matches!(b, b'.' | b'-'));
            let end = bytes[start..].iter().position(digit).map_or(length, |i| start + i);
            bytes.splice(start..end, word.bytes());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn damaged_documents_do_not_panic(damages in proptest::collection::vec(damage(), 1..6)) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        damages.iter().for_each(|d| apply(&mut bytes, d));
        try_import(&bytes);
    }
}

#[test]
fn every_beginning_of_a_document_is_an_error() {
    for end in (0..SAMPLE.len() - 12).step_by(37) {
        let result = import_bytes(&SAMPLE.as_bytes()[..end], Path::new("cut.dae"), &Options::default());
        assert!(result.is_err(), "cut at {end}");
    }
}

#[test]
fn hostile_documents_meet_a_limit() {
    let scene = |nodes: &str| {
        format!(
            "<COLLADA><library_visual_scenes><visual_scene id='s'>{nodes}</visual_scene></library_visual_scenes></COLLADA>"
        )
    };
    let deep = scene(&format!("{}{}", "<node>".repeat(5000), "</node>".repeat(5000)));
    let itself = scene("<node id='a'><instance_node url='#a'/></node>");
    let twice = scene(
        "<node id='a'><instance_node url='#b'/><instance_node url='#b'/></node><node id='b'><instance_node url='#a'/></node>",
    );
    for text in [deep, itself, twice] {
        let error =
            import_bytes(text.as_bytes(), Path::new("x.dae"), &Options::default()).unwrap_err().to_string();
        assert!(error.contains("exceeds the limit"), "{error}");
    }
    let options = Options::default().with(|options| options.limits.keys = 2);
    let error = import_bytes(SAMPLE.as_bytes(), Path::new("x.dae"), &options).unwrap_err().to_string();
    assert!(error.contains("`keys`"), "{error}");
    let options = Options::default().with(|options| options.limits.vertices = 20);
    let error = import_bytes(SAMPLE.as_bytes(), Path::new("x.dae"), &options).unwrap_err().to_string();
    assert!(error.contains("`vertices`"), "{error}");
}
