//! Damaged streams end in an error, without a panic and without memory beyond the limit.

mod common;

use common::{corpus, draco};
use proptest::prelude::*;
use sinew_draco::{DecodeError, Limits, Mesh, decode};
use sinew_testkit::draco::{Attribute, Coding, GENERIC, Stream, U8, quad, varint};
use sinew_testkit::memory::{Counting, Peak};
use std::sync::{LazyLock, Mutex};

#[global_allocator]
static COUNTING: Counting = Counting;

/// Memory is counted for the whole process, so one test decodes at a time.
static ALONE: Mutex<()> = Mutex::new(());

const LIMITS: Limits = Limits { points: 100_000, faces: 100_000, bytes: 8 << 20 };

/// Tables of the symbol decoder, whose size does not depend on the mesh, and what the process does beside.
const TABLES: u64 = 24 << 20;

/// Does something with streams of at most `length` bytes, and checks that it never holds more memory than allowed.
fn within<T>(limits: &Limits, length: usize, act: impl FnOnce() -> T) -> T {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let peak = Peak::start();
    let result = act();
    let most = limits.bytes + TABLES + 16 * length as u64;
    assert!(peak.bytes() <= most, "{} bytes held, {most} allowed", peak.bytes());
    result
}

/// Decodes, and checks what holds for every stream.
fn checked(bytes: &[u8], limits: &Limits) -> Result<Mesh, DecodeError> {
    let result = decode(bytes, limits);
    assert_ne!(result, Err(DecodeError::Panicked));
    if let Ok(mesh) = &result {
        assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.points));
        for attribute in &mesh.attributes {
            let size = attribute.component.size() * usize::from(attribute.components);
            assert_eq!(attribute.bytes.len(), mesh.points * size);
        }
    }
    result
}

/// Our own stream, and those of the corpus where there is one.
static STREAMS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut streams = vec![quad().write()];
    if let Some(corpus) = corpus("hostile") {
        let names = ["RiggedFigure/glTF-Draco/RiggedFigure.gltf", "CesiumMan/glTF-Draco/CesiumMan.gltf"];
        streams.extend(names.map(|name| draco(&corpus.join("khronos").join(name)).1));
    }
    streams
});

#[test]
fn truncations() {
    for stream in STREAMS.iter() {
        assert!(checked(stream, &LIMITS).is_ok());
        // The large one takes long.
        let step = if stream.len() < 10_000 { 1 } else { 97 };
        within(&LIMITS, stream.len(), || {
            for length in (0..stream.len()).step_by(step) {
                // What is cut at the end may be padding.
                let result = checked(&stream[..length], &LIMITS);
                assert!(result.is_err() || stream.len() - length < 8, "{length} of {} bytes", stream.len());
            }
        });
    }
}

#[test]
fn every_value_of_every_byte() {
    let mut stream = STREAMS[0].clone();
    within(&LIMITS, stream.len(), || {
        for at in 0..stream.len() {
            let before = stream[at];
            for value in 0..=255 {
                stream[at] = value;
                let _ = checked(&stream, &LIMITS);
            }
            stream[at] = before;
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..Default::default() })]

    #[test]
    fn changed_bytes(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..8),
    ) {
        let mut stream = STREAMS[which.index(STREAMS.len())].clone();
        for (at, value, near_start) in changes {
            // Counts lie near the start.
            let range = if near_start { stream.len().min(100) } else { stream.len() };
            stream[at.index(range)] = value;
        }
        let _ = within(&LIMITS, stream.len(), || checked(&stream, &LIMITS));
    }
}

#[test]
fn bombs() {
    let bomb = |points, components, count: u64| {
        let attribute = |unique_id| Attribute {
            kind: GENERIC,
            data_type: U8,
            components,
            unique_id,
            coding: Coding::Zeros,
        };
        let attributes = (0..count).map(attribute).collect();
        let stream = Stream { metadata: None, points, indices: vec![0, 1, 2], attributes };
        let bytes = stream.write();
        within(&Limits::default(), bytes.len(), || checked(&bytes, &Limits::default()))
    };
    let limit = |result| match result {
        Err(DecodeError::Limit { what, .. }) => what,
        other => panic!("{:?}", other.map(|mesh: Mesh| mesh.points)),
    };
    assert_eq!(limit(bomb(u64::from(u32::MAX), 1, 1)), "points");
    assert_eq!(limit(bomb(20_000_000, 20, 1)), "bytes");
    assert_eq!(limit(bomb(1_000_000, 1, 200)), "bytes");
    // As much as just fits.
    assert!(bomb(13_000_000, 4, 1).is_ok());
    // Edgebreaker connectivity for 255 attributes of their own.
    let mut faces = b"DRACO\x02\x02\x01\x01\x00\x00\x00".to_vec();
    varint(&mut faces, 10_000_000);
    varint(&mut faces, 19_000_000);
    faces.extend([255; 40]);
    assert_eq!(limit(checked(&faces, &Limits::default())), "bytes");
}
