//! The same bits everywhere: recorded sums of poses, palettes and vertices of synthetic characters, with plain arithmetic and with the machine's
//! instructions. Nothing of other crates is needed, so that it runs quickly on another architecture too: see docs/reliability.md.

use sinew::skinning::SkinnedVertices;
use sinew::{Character, CharacterData, ClipLibrary, Kernels, Mesh, Space};
use sinew_bench::bits;
use sinew_bench::synthetic::{self, Extras};
use sinew_compress::Profile;
use std::fmt::Write;
use std::sync::Arc;

const RECORDED: &str = include_str!("bits.txt");

/// A character with keys, and the same with compiled clips.
fn characters() -> Vec<(String, Arc<Character>)> {
    let mut all = Vec::new();
    for joints in [1, 7, 24, 70] {
        for profile in Profile::ALL {
            let (character, _) = synthetic::character(joints, 0.7, 30.0, profile);
            all.push((format!("{joints} joints, {}", profile.name()), Arc::new(character)));
        }
        let skeleton = synthetic::skeleton(joints);
        let mut clips = ClipLibrary::default();
        clips.add(synthetic::clip(&skeleton, 0.7, 30.0));
        let data = CharacterData {
            name: String::from("keys"),
            skeleton,
            meshes: vec![],
            materials: vec![],
            textures: vec![],
            clips,
            space: Space::CANONICAL,
        };
        all.push((format!("{joints} joints, keys"), Arc::new(Character::new(data).unwrap())));
    }
    all
}

fn meshes() -> Vec<(String, Mesh)> {
    let plain = Extras::default();
    let kinds = [
        plain,
        Extras { tangents: true, ..plain },
        Extras { morphs: true, ..plain },
        Extras { scattered: true, ..plain },
    ];
    let mesh = |vertices, kind: Extras| {
        let Extras { tangents, morphs, scattered } = kind;
        let joints = if scattered { ", joints of its own each" } else { "" };
        let name = format!("{vertices} vertices, tangents {tangents}, morphs {morphs}{joints}");
        (name, synthetic::mesh(vertices, kind))
    };
    kinds.into_iter().flat_map(|kind| [13, 1000, 20_000].map(|vertices| mesh(vertices, kind))).collect()
}

fn sums() -> String {
    let mut text = String::new();
    for (name, character) in characters() {
        let clip = character.clips().get(0).unwrap();
        let _ = writeln!(text, "{:016x} {name}", bits::of_clip(&character, &clip).unwrap());
    }
    for (name, mesh) in meshes() {
        let mut vertices = SkinnedVertices::for_mesh(&mesh);
        vertices.skin(&mesh, &synthetic::matrices(), &[0.5, 0.25, 0.125]).unwrap();
        let numbers: [&[f32]; 3] = [
            bytemuck::cast_slice(&vertices.positions),
            bytemuck::cast_slice(&vertices.normals),
            bytemuck::cast_slice(&vertices.tangents),
        ];
        let _ = writeln!(text, "{:016x} {name}", bits::of_numbers(&numbers.concat()));
    }
    text
}

#[test]
fn bits_are_those_that_were_recorded() {
    for kernels in [Kernels::Scalar, Kernels::Detect] {
        kernels.choose();
        let sums = sums();
        Kernels::default().choose();
        if std::env::var_os("SINEW_BLESS").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bits.txt"), &sums).unwrap();
        } else {
            assert_eq!(sums, RECORDED, "{kernels:?}");
        }
    }
}
