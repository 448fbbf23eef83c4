//! Broken and hostile XNB files and skinning data: errors, never panics, and memory within the bound that `sinew_xnb` promises.

use crate::{ALONE, memory};
use sinew_import::{Options, import_bytes};
use sinew_xnb::skinning::{
    BoneTable, BoneTracks, BoneV2, ClipV1, ClipV2, Event, Fire, KeyV1, Keys, KeysV2, LazyClip, LoopMode,
    Marker, RootMotion, Socket, Track, Travel, Trs, V1, V2,
};
use sinew_xnb::*;
use std::path::Path;
use std::sync::PoisonError;

const IDENTITY: Matrix = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

/// Most that reading may take beyond its bound: the text of an error.
const SLACK: u64 = 4 << 10;

/// A small model with all that a file can hold: two bones, a skinned and a plain part, and a tag.
fn model(tag: Tag) -> Model {
    let bone =
        |name: &str, parent, children| Bone { name: name.into(), transform: IDENTITY, parent, children };
    let declaration = VertexDeclaration::packed(&[
        (ElementFormat::Vector3, ElementUsage::Position),
        (ElementFormat::Byte4, ElementUsage::BlendIndices),
        (ElementFormat::Vector4, ElementUsage::BlendWeight),
    ]);
    let vertices = VertexBuffer { data: vec![0; 3 * declaration.stride as usize], declaration };
    let skinned = SkinnedEffect {
        texture: "art/skin".into(),
        weights_per_vertex: 4,
        diffuse: [1.0; 3],
        emissive: [0.0; 3],
        specular: [0.0; 3],
        specular_power: 16.0,
        alpha: 1.0,
    };
    let plain = BasicEffect {
        texture: String::new(),
        diffuse: [1.0; 3],
        emissive: [0.0; 3],
        specular: [0.0; 3],
        specular_power: 16.0,
        alpha: 1.0,
        vertex_color: false,
    };
    let part = |effect| Part {
        vertex_offset: 0,
        vertex_count: 3,
        first_index: 0,
        triangles: 1,
        vertices: Some(0),
        indices: Some(1),
        effect: Some(effect),
    };
    let mesh = Mesh { name: "body".into(), bone: 0, sphere: [0.0; 4], parts: vec![part(2), part(3)] };
    Model {
        bones: vec![bone("hip", None, vec![1]), bone("knee", Some(0), vec![])],
        meshes: vec![mesh],
        root: 0,
        tag,
        shared: vec![
            Shared::Vertices(vertices),
            Shared::Indices(IndexBuffer { short: true, indices: vec![0, 1, 2] }),
            Shared::Effect(Effect::Skinned(skinned)),
            Shared::Effect(Effect::Basic(plain)),
        ],
    }
}

fn v1() -> SkinningData {
    let key = |bone, time| KeyV1 { bone, time, local: IDENTITY };
    let keys = vec![key(0, 0), key(1, 0), key(0, 5)];
    SkinningData::V1(V1 {
        binds: vec![IDENTITY; 2],
        inverse_binds: vec![IDENTITY; 2],
        parents: vec![None, Some(0)],
        clips: vec![ClipV1 { name: "walk".into(), duration: 5, keys }],
    })
}

fn v2() -> SkinningData {
    let rest = Trs { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };
    let track = |values: &[f32]| Some(Track { table: 0, step: false, values: values.into() });
    let tracks =
        BoneTracks { bone: 1, translation: track(&[0.0; 6]), rotation: track(&[0.5; 8]), scale: None };
    let clip = ClipV2 {
        name: "walk".into(),
        tag: "Walk".into(),
        duration: 1.0,
        loop_mode: LoopMode::Loop,
        root_motion: RootMotion::Extract,
        keys: Keys::Plain(KeysV2 { tables: vec![vec![0.0, 1.0]], bones: vec![tracks] }),
        travel: Some(Travel { times: vec![0.0, 1.0], displacements: vec![[0.0; 3], [0.0, 0.0, 2.0]] }),
        events: vec![Event {
            time: 0.5,
            name: "step".into(),
            payload: "mud".into(),
            fire: Some(Fire::Leader),
        }],
        markers: vec![Marker { time: 0.5, name: "left".into() }],
    };
    let bone = |name: &str, parent| BoneV2 { name: name.into(), parent, rest };
    SkinningData::V2(V2 {
        bones: vec![bone("hip", None), bone("knee", Some(0))],
        inverse_binds: vec![IDENTITY; 2],
        tables: vec![BoneTable { mesh: 0, part: 0, bones: vec![0, 1] }],
        clips: vec![clip],
        lazy: vec![LazyClip {
            name: "run".into(),
            tag: "".into(),
            duration: 1.0,
            asset: "hero/clips/run".into(),
        }],
        sockets: vec![Socket { name: "hand".into(), bone: 1, offset: rest }],
        skipped: vec![],
    })
}

fn file(asset: &Asset) -> Vec<u8> {
    let reader = "Sinew.SkinningDataReader, Sinew.MonoGame";
    let options =
        WriteOptions { platform: Platform::WINDOWS, profile: Profile::HiDef, skinning_reader: reader };
    write(asset, &options).unwrap()
}

/// Files of every kind, with their names.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let texture = Texture2d {
        format: SurfaceFormat::Color,
        width: 2,
        height: 1,
        levels: vec![vec![255; 8], vec![255; 4]],
    };
    vec![
        ("model", file(&Asset::Model(model(Tag::None)))),
        ("model with v1", file(&Asset::Model(model(Tag::Skinning(v1()))))),
        ("model with v2", file(&Asset::Model(model(Tag::Skinning(v2()))))),
        ("clips of v1", file(&Asset::Skinning(v1()))),
        ("clips of v2", file(&Asset::Skinning(v2()))),
        ("texture", file(&Asset::Texture(texture))),
    ]
}

/// The same file, cut or changed, with the size that its header says made right.
fn sized(mut bytes: Vec<u8>) -> Vec<u8> {
    let size = (bytes.len() as u32).to_le_bytes();
    if let Some(field) = bytes.get_mut(6..10) {
        field.copy_from_slice(&size);
    }
    bytes
}

/// Reads within the bound, and imports: whatever comes of it, it does not panic.
fn survives(what: &str, bytes: &[u8]) -> bool {
    let peak = memory::Peak::of_rust();
    let read = read(bytes, 1 << 20);
    let counted = peak.bytes();
    let bound = MEMORY_FACTOR * bytes.len() as u64 + SLACK;
    assert!(counted <= bound, "{what}: {counted} bytes for {}", bytes.len());
    let ok = read.is_ok();
    drop(read);
    let _ = import_bytes(bytes, Path::new("no-such-folder/a.xnb"), &Options::default());
    ok
}

#[test]
fn files_cut_anywhere_are_errors() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, bytes) in files() {
        assert!(survives(name, &bytes), "{name}");
        for end in 0..bytes.len() {
            assert!(!survives(name, &bytes[..end]), "{name}, {end} bytes");
            assert!(
                !survives(name, &sized(bytes[..end].to_vec())),
                "{name}, {end} bytes that its header knows of"
            );
        }
    }
}

#[test]
fn any_byte_and_any_count_may_be_wrong() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, bytes) in files() {
        let mut refused = 0;
        for at in 10..bytes.len() {
            for value in [0x00, 0x01, 0x7f, 0x80, 0xff] {
                let mut broken = bytes.clone();
                broken[at] = value;
                refused += usize::from(!survives(name, &broken));
            }
            // Four billion, and the largest count that C# has, wherever a count may stand.
            for count in [u32::MAX, i32::MAX as u32] {
                let mut broken = bytes.clone();
                let end = (at + 4).min(broken.len());
                broken[at..end].copy_from_slice(&count.to_le_bytes()[..end - at]);
                refused += usize::from(!survives(name, &broken));
            }
        }
        assert!(refused > bytes.len() / 10, "{name}: {refused}");
    }
}

/// Files of very many things, each of which takes few bytes there and more in memory.
fn crowded() -> Vec<(&'static str, Vec<u8>)> {
    const MANY: usize = 20_000;
    let with_v1 = |change: fn(&mut V1)| {
        let SkinningData::V1(mut data) = v1() else { unreachable!("it is v1") };
        change(&mut data);
        file(&Asset::Skinning(SkinningData::V1(data)))
    };
    let with_v2 = |change: fn(&mut V2)| {
        let SkinningData::V2(mut data) = v2() else { unreachable!("it is v2") };
        change(&mut data);
        file(&Asset::Skinning(SkinningData::V2(data)))
    };
    let with_model = |change: fn(&mut Model)| {
        let mut model = model(Tag::None);
        change(&mut model);
        file(&Asset::Model(model))
    };
    let mut readers = b"XNBw\x05\0\0\0\0\0\xa0\x9c\x01".to_vec();
    readers.extend([0; 5 * MANY]);
    vec![
        ("readers", sized(readers)),
        ("clips of v1", with_v1(|d| d.clips = vec![ClipV1 { keys: vec![], ..d.clips[0].clone() }; MANY])),
        ("clips of v2", with_v2(|d| d.clips = vec![d.clips[0].clone(); MANY / 10])),
        ("clips in files", with_v2(|d| d.lazy = vec![d.lazy[0].clone(); MANY])),
        ("bone tables", with_v2(|d| d.tables = vec![d.tables[0].clone(); MANY])),
        ("events", with_v2(|d| d.clips[0].events = vec![d.clips[0].events[0].clone(); MANY])),
        ("children", with_model(|m| m.bones[0].children = vec![1; MANY])),
        ("meshes", with_model(|m| m.meshes = vec![Mesh { parts: vec![], ..m.meshes[0].clone() }; MANY])),
        ("parts", with_model(|m| m.meshes[0].parts = vec![m.meshes[0].parts[0]; MANY])),
        ("shared resources", with_model(|m| m.shared.extend(vec![Shared::Null; MANY]))),
    ]
}

#[test]
fn many_small_things_stay_within_the_bound() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, bytes) in crowded() {
        let is_read = survives(name, &bytes);
        println!("{name}: {} bytes, {}", bytes.len(), if is_read { "read" } else { "refused" });
    }
}

/// What a file with a changed model says.
fn refusal(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = file(&Asset::Model(model(Tag::Skinning(v2()))));
    change(&mut bytes);
    read(&sized(bytes), 1 << 20).unwrap_err().to_string()
}

/// Where the bones of the model are linked: parent and children of the first bone, then of the second.
fn links(bytes: &[u8]) -> usize {
    let name = b"\x04knee";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
    at + name.len() + 64
}

#[test]
fn bones_in_a_circle_and_bad_references_are_told() {
    let says = |text: String, part: &str| assert!(text.contains(part), "{text}");
    // Each is the other's parent.
    says(
        refusal(|b| {
            let at = links(b);
            b[at] = 2
        }),
        "its own ancestor",
    );
    // The second bone is its own parent.
    says(
        refusal(|b| {
            let at = links(b) + 6;
            b[at] = 2
        }),
        "its own ancestor",
    );
    says(
        refusal(|b| {
            let at = links(b);
            b[at] = 3
        }),
        "there are 2",
    );
    says(
        refusal(|b| {
            let at = links(b) + 5;
            b[at] = 0
        }),
        "null",
    );
    says(
        refusal(|b| {
            let at = links(b) + 1;
            b[at..at + 4].fill(0xff)
        }),
        "ends too early",
    );
    // The last three bytes of a part are its shared resources.
    let last = |b: &[u8]| b.windows(3).rposition(|ids| ids == [1, 2, 4]).unwrap();
    says(
        refusal(|b| {
            let at = last(b);
            b[at] = 5
        }),
        "there are 4",
    );
}

#[test]
fn compressed_files_are_bounded_by_what_they_become() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // A gigabyte of nothing in four megabytes of LZ4: a literal, and one match of all the rest.
    let size = 1u32 << 30;
    let mut packed = vec![0x1f, 0, 1, 0];
    packed.extend(vec![0xff; size as usize / 255]);
    packed.extend([0, 0x50, 0, 0, 0, 0, 0]);
    let mut file = b"XNBw\x05\x40\0\0\0\0".to_vec();
    file.extend(size.to_le_bytes());
    file.extend(packed);
    let file = sized(file);
    let peak = memory::Peak::of_rust();
    let error = read(&file, 1 << 20).unwrap_err();
    assert!(matches!(error.cause, Cause::TooLarge { .. }), "{error}");
    assert!(peak.bytes() < SLACK);
    let error = import_bytes(&file, Path::new("a.xnb"), &Options::default()).unwrap_err().to_string();
    assert!(error.contains("exceeds the limit `memory`"), "{error}");
    assert!(peak.bytes() < 1 << 20);
}
