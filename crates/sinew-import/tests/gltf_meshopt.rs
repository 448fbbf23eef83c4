//! Meshopt-compressed files equal their plain siblings; damaged streams are refused.

mod common;

use common::corpus;
use common::doc::{Doc, ids};
use sinew::{Character, Mesh};
use sinew_import::{Imported, Limits, Options, import, import_bytes};
use std::fmt::Write as _;
use std::path::Path;

/// The file with compressed views, and the same with the plain bytes that it keeps for others.
#[test]
fn the_cubes_equal_their_fallback() {
    let Some(corpus) = corpus("the_cubes_equal_their_fallback") else { return };
    let folder = corpus.join("khronos/MeshoptCubeTest");
    let plain = folder.join("glTF/MeshoptCubeTest.gltf");
    let text = std::fs::read_to_string(&plain).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    for list in ["bufferViews", "buffers"] {
        for item in document[list].as_array_mut().unwrap() {
            item.as_object_mut().unwrap().remove("extensions");
        }
    }
    let expected = import_bytes(document.to_string().as_bytes(), &plain, &Options::default()).unwrap();
    for file in [plain, folder.join("glTF-Meshopt/MeshoptCubeTest.gltf")] {
        let found = import(&file, &Options::default()).unwrap();
        assert!(!ids(&found).contains(&"gltf.extension"), "{:?}", ids(&found));
        same(&expected, &found, 1e-6);
    }
}

/// Everything agrees: positions within so much of the size, directions and colours within a step of eight bits.
fn same(expected: &Imported, found: &Imported, position: f32) {
    let (a, b): (&Character, &Character) = (&expected.character, &found.character);
    assert_eq!(a.meshes().len(), b.meshes().len());
    for (a_mesh, b_mesh) in a.meshes().iter().zip(b.meshes()) {
        assert_eq!(triangle_list(a_mesh), triangle_list(b_mesh), "{}", a_mesh.name);
        assert_eq!(counts(a_mesh), counts(b_mesh), "{}", a_mesh.name);
        for (p, q) in a_mesh.positions.iter().zip(&b_mesh.positions) {
            assert!(p.distance(*q) <= position * a.size(), "{}: {p} for {q}", a_mesh.name);
        }
        for (p, q) in a_mesh.normals.iter().zip(&b_mesh.normals) {
            assert!(p.abs_diff_eq(*q, 1.5 / 127.0), "{}: normal {q} for {p}", a_mesh.name);
        }
        for (p, q) in a_mesh.colors.iter().zip(&b_mesh.colors) {
            assert!(p.abs_diff_eq(*q, 1.5 / 255.0), "{}: colour {q} for {p}", a_mesh.name);
        }
    }
    assert_eq!(a.clips().len(), b.clips().len());
    let mut locals = [(); 2].map(|()| vec![sinew::Transform::IDENTITY; a.skeleton().len()]);
    for clip in 0..a.clips().len() {
        for step in 0..20 {
            let time = f64::from(step) * 0.1;
            expected.evaluator.locals(clip, time, &mut locals[0]);
            found.evaluator.locals(clip, time, &mut locals[1]);
            for (p, q) in locals[0].iter().zip(&locals[1]) {
                assert!(p.rotation.angle_between(q.rotation) < 1e-3);
                assert!(p.translation.distance(q.translation) <= position * a.size());
            }
        }
    }
}

/// Triangles, each from its lowest corner on: the encoder may turn them.
fn triangle_list(mesh: &Mesh) -> Vec<[u32; 3]> {
    let turned = |&[a, b, c]: &[u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap();
    mesh.indices.as_chunks::<3>().0.iter().map(turned).collect()
}

fn counts(mesh: &Mesh) -> [usize; 4] {
    [mesh.positions.len(), mesh.normals.len(), mesh.colors.len(), mesh.uvs.len()]
}

/// Attribute streams without compression: every delta in full.
fn attributes(bytes: &[u8], stride: usize, version: u8, channel: u8) -> Vec<u8> {
    let mut out = vec![0xA0 | version];
    let mut last = vec![0; stride];
    let most = (8192 / stride / 16 * 16).min(256);
    for block in bytes.chunks(most * stride) {
        let deltas: Vec<Vec<u8>> = block
            .chunks(stride)
            .map(|element| {
                let delta = delta(&last, element, channel);
                last = element.to_vec();
                delta
            })
            .collect();
        if version == 1 {
            // Literal bytes, no groups.
            out.extend(vec![0xFF; stride / 4]);
        }
        for byte in 0..stride {
            let row: Vec<u8> = deltas.iter().map(|delta| delta[byte]).collect();
            if version == 1 {
                out.extend(row);
                continue;
            }
            let groups = row.len().div_ceil(16);
            out.extend(vec![0xFF; groups.div_ceil(4)]);
            let end = out.len() + 16 * groups;
            out.extend(row);
            out.resize(end, 0);
        }
    }
    let modes = if version == 1 { stride / 4 } else { 0 };
    let least: usize = if version == 1 { 24 } else { 32 };
    out.resize(out.len() + least.saturating_sub(stride + modes), 0);
    out.resize(out.len() + stride, 0);
    out.resize(out.len() + modes, channel);
    out
}

fn delta(last: &[u8], element: &[u8], channel: u8) -> Vec<u8> {
    let zigzag = |value: i64, bits: u32| ((value << 1) ^ (value >> (bits - 1))) as u64;
    match channel & 0xF {
        0 => {
            let one = |(a, b): (&u8, &u8)| zigzag(i64::from(b.wrapping_sub(*a).cast_signed()), 8) as u8;
            last.iter().zip(element).map(one).collect()
        }
        1 => {
            let word = |w: &[u8]| u16::from_le_bytes([w[0], w[1]]);
            let one = |(a, b): (&[u8], &[u8])| {
                zigzag(i64::from(word(b).wrapping_sub(word(a)).cast_signed()), 16) as u16
            };
            last.chunks(2).zip(element.chunks(2)).flat_map(|pair| one(pair).to_le_bytes()).collect()
        }
        _ => {
            let word = |w: &[u8]| u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
            let turn = u32::from(channel >> 4);
            let one = |(a, b): (&[u8], &[u8])| (word(a) ^ word(b)).rotate_left(turn).to_le_bytes();
            last.chunks(4).zip(element.chunks(4)).flat_map(one).collect()
        }
    }
}

fn varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Triangles with three explicit corners each.
fn triangles(indices: &[u32]) -> Vec<u8> {
    let mut out = vec![0xE1];
    out.extend(vec![0xFF; indices.len() / 3]);
    let mut last = 0u32;
    for three in indices.chunks(3) {
        out.push(0xFF);
        for &index in three {
            let delta = index.wrapping_sub(last).cast_signed();
            varint(((delta << 1) ^ (delta >> 31)).cast_unsigned(), &mut out);
            last = index;
        }
    }
    out.extend([0; 16]);
    out
}

fn sequence(indices: &[u32]) -> Vec<u8> {
    let mut out = vec![0xD1];
    let mut last = 0u32;
    for &index in indices {
        let delta = index.wrapping_sub(last).cast_signed();
        varint(((delta << 1) ^ (delta >> 31)).cast_unsigned() << 1, &mut out);
        last = index;
    }
    out.extend([0; 4]);
    out
}

/// A wavy grid, so large that its vertices take several blocks.
fn grid() -> (Vec<f32>, Vec<u32>) {
    const SIDE: u32 = 30;
    let point = |i: u32| {
        let (x, y) = ((i % SIDE) as f32, (i / SIDE) as f32);
        [x * 0.1, y * 0.1, (x * 0.7).sin() * (y * 0.3).cos()]
    };
    let square = |i: u32| [i, i + 1, i + SIDE, i + SIDE, i + 1, i + SIDE + 1];
    let inner = (0..SIDE * (SIDE - 1)).filter(|i| i % SIDE + 1 < SIDE);
    ((0..SIDE * SIDE).flat_map(point).collect(), inner.flat_map(square).collect())
}

/// A file with two compressed views, of positions and of indices, and the fields of the extension for each.
fn file(
    extension: &str,
    [attribute, index]: [&[u8]; 2],
    [vertex_fields, index_fields]: [&str; 2],
    counts: [usize; 2],
) -> String {
    let mut doc = Doc::default();
    let mut views = String::new();
    for (data, fields, length) in
        [(attribute, vertex_fields, counts[0] * 12), (index, index_fields, counts[1] * 4)]
    {
        let offset = doc.bytes.len();
        doc.bytes.extend(data);
        let comma = if views.is_empty() { "" } else { "," };
        let _ = write!(
            views,
            r#"{}{{"buffer":1,"byteLength":{length},"extensions":{{"{extension}":{{"buffer":0,"byteOffset":{offset},
               "byteLength":{},{fields}}}}}}}"#,
            comma,
            data.len()
        );
    }
    doc.views.push(views);
    doc.accessor(&format!(r#""bufferView":0,"componentType":5126,"type":"VEC3","count":{}"#, counts[0]));
    doc.accessor(&format!(r#""bufferView":1,"componentType":5125,"type":"SCALAR","count":{}"#, counts[1]));
    let text = doc.text(&format!(
        r#""extensionsUsed":["{extension}"],"extensionsRequired":["{extension}"],"nodes":[{{"mesh":0}}],
           "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}]"#
    ));
    // The buffer that others would read is not there.
    let fallback = format!("}},{{\"byteLength\":{}}}],\"extensionsUsed", counts[0] * 12 + counts[1] * 4);
    text.replacen("}],\"extensionsUsed", &fallback, 1)
}

struct Grid {
    positions: Vec<f32>,
    indices: Vec<u32>,
    bytes: Vec<u8>,
}

impl Grid {
    fn new() -> Self {
        let (positions, indices) = grid();
        let bytes = positions.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self { positions, indices, bytes }
    }

    fn counts(&self) -> [usize; 2] {
        [self.positions.len() / 3, self.indices.len()]
    }

    fn vertex_fields(&self) -> String {
        format!(r#""byteStride":12,"count":{},"mode":"ATTRIBUTES""#, self.counts()[0])
    }

    fn index_fields(&self, mode: &str) -> String {
        format!(r#""byteStride":4,"count":{},"mode":"{mode}""#, self.counts()[1])
    }
}

fn read(text: &str) -> Result<Imported, String> {
    import_bytes(text.as_bytes(), Path::new("grid.gltf"), &Options::default()).map_err(|e| e.to_string())
}

#[test]
fn what_was_encoded_is_decoded() {
    let grid = Grid::new();
    let streams = [(0, 0), (1, 0), (1, 1), (1, 2), (1, 0x52)].map(|(v, c)| attributes(&grid.bytes, 12, v, c));
    let lists = [("TRIANGLES", triangles(&grid.indices)), ("INDICES", sequence(&grid.indices))];
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        for stream in &streams {
            for (mode, list) in &lists {
                let fields = [grid.vertex_fields(), grid.index_fields(mode)];
                let text = file(extension, [stream, list], [&fields[0], &fields[1]], grid.counts());
                let imported = read(&text).unwrap();
                let mesh = &imported.character.meshes()[0];
                let found: Vec<f32> = mesh.positions.iter().flat_map(|p| p.to_array()).collect();
                assert_eq!(found, grid.positions);
                assert_eq!(mesh.indices, grid.indices);
            }
        }
    }
}

/// Streams that are cut off or altered are refused or read, but never more than that.
#[test]
fn damaged_streams_are_refused() {
    let grid = Grid::new();
    let good = [attributes(&grid.bytes, 12, 0, 0), triangles(&grid.indices)];
    let fields = [grid.vertex_fields(), grid.index_fields("TRIANGLES")];
    let with = |streams: [&[u8]; 2], fields: [&str; 2]| {
        read(&file("EXT_meshopt_compression", streams, fields, grid.counts()))
    };
    let refused = |streams: [&[u8]; 2], fields: [&str; 2], part: &str| {
        let error = with(streams, fields).unwrap_err();
        assert!(error.contains(part) && error.contains("meshopt"), "{error}");
    };
    let plain = [fields[0].as_str(), fields[1].as_str()];
    for length in [0, 1, 20, good[0].len() / 2, good[0].len() - 1] {
        let error = with([&good[0][..length], &good[1]], plain).unwrap_err();
        assert!(error.contains("meshopt"), "{length}: {error}");
    }
    for length in [0, 1, 20, good[1].len() / 2, good[1].len() - 1] {
        assert!(with([&good[0], &good[1][..length]], plain).is_err(), "{length}");
    }
    let longer = [good[0].as_slice(), &[0; 7]].concat();
    refused([&longer, &good[1]], plain, "left over");
    refused([&good[1], &good[1]], plain, "version 0 or 1");
    // No vertex was met when the first triangle refers to one.
    let mut early = good[1].clone();
    early[1] = 0x11;
    refused([&good[0], &early], plain, "not met yet");
    for (field, part) in [
        (r#""byteStride":12,"count":901,"mode":"ATTRIBUTES""#, "length of the view"),
        (r#""byteStride":18446744073709551615,"count":18446744073709551615,"mode":"ATTRIBUTES""#, "length"),
        (r#""byteStride":10800,"count":1,"mode":"ATTRIBUTES""#, "stride"),
        (r#""byteStride":2,"count":5400,"mode":"ATTRIBUTES""#, "stride"),
        (r#""byteStride":12,"count":900,"mode":"ATTRIBUTES","filter":"QUATERNION""#, "stride"),
        (r#""byteStride":4,"count":2700,"mode":"INDICES","filter":"OCTAHEDRAL""#, "stride"),
        (r#""byteStride":0,"count":900,"mode":"ATTRIBUTES""#, "length"),
    ] {
        refused([&good[0], &good[1]], [field, &fields[1]], part);
    }
    let mut seed = 7u32;
    for _ in 0..300 {
        let mut streams = good.clone();
        for _ in 0..4 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let stream = &mut streams[(seed >> 30 & 1) as usize];
            let at = (seed >> 8) as usize % stream.len();
            stream[at] = (seed >> 3) as u8;
        }
        let _ = with([&streams[0], &streams[1]], plain);
    }
}

/// A few bytes that stand for very many are counted before they are decoded.
#[test]
fn what_comes_out_is_counted() {
    let grid = Grid::new();
    let good = [attributes(&grid.bytes, 12, 0, 0), triangles(&grid.indices)];
    let fields = [grid.vertex_fields(), grid.index_fields("TRIANGLES")];
    let text = file("EXT_meshopt_compression", [&good[0], &good[1]], [&fields[0], &fields[1]], grid.counts());
    let huge = text.replacen(r#""byteLength":10800"#, r#""byteLength":120000000000000"#, 1);
    let huge = huge.replacen(r#""count":900,"mode""#, r#""count":10000000000000,"mode""#, 1);
    let options = Options::default().with(|options| options.limits = Limits::default());
    let error = import_bytes(huge.as_bytes(), Path::new("grid.gltf"), &options).unwrap_err().to_string();
    assert!(error.contains("`memory`"), "{error}");
}
