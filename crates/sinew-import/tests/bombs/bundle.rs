//! Bombs of bundles: sections with right checksums that promise more than they hold.

use super::{Bomb, Limit, Read, Refused};
use sinew::bundle_file::{
    CLIP, ENCODING_FRAMES, ENCODING_RAW, INFO, MAGIC, MAJOR, MATS, SECTION_ALIGN, SKEL, SectionId, checksum,
};
use sinew::{Joint, Skeleton, Transform};

pub(super) const BOMBS: &[Bomb] = &[
    Bomb {
        name: "bundle empty frames",
        file: "a.sinew",
        make: empty_frames,
        full: 1,
        expected: Limit("keys"),
    },
    Bomb {
        name: "bundle clips of empty frames",
        file: "a.sinew",
        make: clips_of_frames,
        full: 100,
        expected: Limit("keys"),
    },
    Bomb { name: "bundle claimed keys", file: "a.sinew", make: claimed_keys, full: 1, expected: Refused },
    Bomb { name: "bundle claimed parts", file: "a.sinew", make: claimed_parts, full: 1, expected: Refused },
    Bomb { name: "bundle joints", file: "a.sinew", make: joints, full: 1, expected: Limit("joints") },
    Bomb { name: "bundle empty clips", file: "a.sinew", make: empty_clips, full: 100, expected: Read },
    Bomb { name: "bundle empty sections", file: "a.sinew", make: empty_sections, full: 100, expected: Read },
];

/// Arrays one after the other, each padded.
#[derive(Default)]
struct Section(Vec<u8>);

impl Section {
    fn array<const N: usize>(mut self, values: impl IntoIterator<Item = [u8; N]>) -> Self {
        self.0.extend(values.into_iter().flatten());
        self.0.resize(self.0.len().next_multiple_of(16), 0);
        self
    }

    fn numbers(self, values: &[u32]) -> Self {
        self.array(values.iter().map(|value| value.to_le_bytes()))
    }

    /// A list of names, all empty.
    fn names(self, count: usize) -> Self {
        self.array((0..count).map(|_| [0; 4]))
    }
}

/// A bundle of these sections, with lengths and checksums as they should be.
fn bundle(sections: &[(SectionId, u32, Vec<u8>)]) -> Vec<u8> {
    let padded = |length: usize| length.next_multiple_of(SECTION_ALIGN);
    let (mut table, mut body) = (Vec::new(), Vec::new());
    let start = padded(64 + 32 * sections.len());
    for (id, index, content) in sections {
        table.extend(id);
        table.extend(index.to_le_bytes());
        for number in [(start + body.len()) as u64, content.len() as u64, checksum(content)] {
            table.extend(number.to_le_bytes());
        }
        body.extend(content);
        body.resize(padded(body.len()), 0);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(MAJOR.to_le_bytes());
    bytes.extend([0; 2]);
    bytes.extend((sections.len() as u32).to_le_bytes());
    bytes.extend(((start + body.len()) as u64).to_le_bytes());
    bytes.extend(checksum(&table).to_le_bytes());
    bytes.extend([0; 24]);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes.extend(&table);
    bytes.resize(start, 0);
    bytes.extend(&body);
    bytes
}

/// Counts of meshes, materials, textures and clips.
fn info(counts: [u32; 4]) -> (SectionId, u32, Vec<u8>) {
    let [meshes, materials, textures, clips] = counts;
    let head = [meshes, materials, textures, clips, 1, 2, 1f32.to_bits(), 0];
    (INFO, 0, Section::default().numbers(&head).names(1).0)
}

fn materials() -> (SectionId, u32, Vec<u8>) {
    (MATS, 0, Section::default().numbers(&[0; 4]).0)
}

/// Roots without a name, at rest.
fn skeleton(count: usize) -> (SectionId, u32, Vec<u8>) {
    let lanes = |value: f32| [value; 8].map(f32::to_le_bytes);
    // Translation, rotation and scale, a component of eight joints at a time.
    let block = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0].map(lanes);
    let blocks = (0..count.div_ceil(8)).flat_map(|_| block.into_iter().flatten());
    let section = Section::default()
        .numbers(&[count as u32, 0, 0, 0])
        .array((0..count).map(|_| u16::MAX.to_le_bytes()))
        .array(blocks)
        .names(count);
    (SKEL, 0, section.0)
}

fn digest(count: usize) -> u64 {
    let joint = Joint { name: String::new(), parent: None, rest: Transform::IDENTITY };
    Skeleton::new(vec![joint; count], vec![]).unwrap().digest()
}

/// A clip whose frames hold nothing.
fn frames(index: u32, count: u32) -> (SectionId, u32, Vec<u8>) {
    let digest = digest(1);
    let rate = 30f64.to_bits();
    let words = |number: u64| [number as u32, (number >> 32) as u32];
    let head: Vec<u32> = [words(rate), words(digest), [count, 0]].concat();
    // No octets, groups, constants or wide joints; arcs; nobody travels.
    let shape = [0, 0, 0, 0, 0, 0, u16::MAX, 0].map(u16::to_le_bytes).concat();
    let rest = shape.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let head = head.into_iter().map(u32::to_le_bytes).chain(rest).chain([[0; 4]; 2]);
    let section = Section::default()
        .numbers(&[ENCODING_FRAMES, 1f32.to_bits(), 0, 0])
        .names(1)
        .array(head)
        .array([[0u8; 1]])
        .array([[0u8; 16]]);
    (CLIP, index, section.0)
}

fn empty_frames(_: usize) -> Vec<u8> {
    bundle(&[info([0, 0, 0, 1]), skeleton(1), materials(), frames(0, 4_000_000_000)])
}

fn clips_of_frames(scale: usize) -> Vec<u8> {
    let count = 100 * scale as u32;
    let clips = (0..count).map(|index| frames(index, 150_000));
    bundle(&[info([0, 0, 0, count]), skeleton(1), materials()].into_iter().chain(clips).collect::<Vec<_>>())
}

/// A clip of keys that promises four billion of them for each of many joints.
fn claimed_keys(_: usize) -> Vec<u8> {
    let records = (0..8).flat_map(|joint: u32| [joint, u32::MAX, u32::MAX, u32::MAX]);
    let clip = Section::default()
        .numbers(&[ENCODING_RAW, 1f32.to_bits(), 8, 0])
        .names(1)
        .numbers(&records.collect::<Vec<_>>());
    bundle(&[info([0, 0, 0, 1]), skeleton(8), materials(), (CLIP, 0, clip.0)])
}

fn claimed_parts(_: usize) -> Vec<u8> {
    bundle(&[info([u32::MAX; 4]), skeleton(1), materials()])
}

fn joints(_: usize) -> Vec<u8> {
    bundle(&[info([0; 4]), skeleton(60_000), materials()])
}

fn empty_clips(scale: usize) -> Vec<u8> {
    let count = 1000 * scale as u32;
    let clip = Section::default().numbers(&[ENCODING_RAW, 1f32.to_bits(), 0, 0]).names(1).0;
    let clips = (0..count).map(|index| (CLIP, index, clip.clone()));
    bundle(&[info([0, 0, 0, count]), skeleton(1), materials()].into_iter().chain(clips).collect::<Vec<_>>())
}

fn empty_sections(scale: usize) -> Vec<u8> {
    let sections = (0..10_000 * scale as u32).map(|index| (*b"XXXX", index, Vec::new()));
    let sections = [info([0; 4]), skeleton(1), materials()].into_iter().chain(sections);
    bundle(&sections.collect::<Vec<_>>())
}
