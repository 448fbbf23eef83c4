//! Limits that hold over a whole import, whatever they are set to, and messages that state the real numbers.

mod common;

use common::dae::SAMPLE;
use sinew_import::{ImportError, Imported, Limits, Options, import_bytes};
use sinew_testkit::fixtures::{CLIP, quirks};
use std::path::Path;

/// The default limits but for one.
fn limit(name: &str, value: u64) -> Limits {
    let mut limits = Limits::default();
    limits.set(name, value).unwrap();
    limits
}

fn read(bytes: &[u8], file: &str, limits: Limits) -> Result<Imported, ImportError> {
    import_bytes(bytes, Path::new(file), &Options::default().with(|options| options.limits = limits))
}

/// What was found and what is allowed, as the message says.
fn numbers(error: &ImportError, name: &str) -> (u64, u64) {
    let text = error.to_string();
    let rest = text.split(&format!("exceeds the limit `{name}`: ")).nth(1);
    let mut words = rest.unwrap_or_else(|| panic!("{text}")).split_whitespace();
    let found = words.next().unwrap().parse().unwrap_or_else(|_| panic!("{text}"));
    assert_eq!(words.next(), Some("where"));
    (found, words.next().unwrap().parse().unwrap())
}

const CURVED: &str = r#"{"asset":{"version":"2.0"},"nodes":[{}],"animations":[
    {"samplers":[{"input":0,"output":1}],"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}]},
    {"samplers":[{"input":0,"output":1}],"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}]}],
    "accessors":[{"componentType":5126,"type":"SCALAR","count":40},{"componentType":5126,"type":"VEC3","count":40}]}"#;

#[test]
fn too_many_keys_are_told_by_their_number() {
    let clip = quirks::tangents();
    let files: [(&[u8], &str); 3] =
        [(CURVED.as_bytes(), "a.gltf"), (SAMPLE.as_bytes(), "a.dae"), (clip.file(CLIP), "a.fbx")];
    for (bytes, file) in files {
        read(bytes, file, Limits::default()).unwrap();
        for keys in [2, 5] {
            let error = read(bytes, file, limit("keys", keys)).unwrap_err();
            let (found, limit) = numbers(&error, "keys");
            assert!(found > limit && limit == keys, "{error}");
        }
    }
}

#[test]
fn keys_of_all_clips_are_counted_together() {
    let read = |keys| read(CURVED.as_bytes(), "a.gltf", limit("keys", keys));
    assert!(read(80).is_ok());
    assert_eq!(numbers(&read(79).unwrap_err(), "keys"), (80, 79));
}

#[test]
fn memory_is_counted_over_the_whole_import() {
    let needed = |bytes: &[u8], file: &str| {
        let enough = |memory| read(bytes, file, limit("memory", memory)).is_ok();
        (0..40).map(|power| 1u64 << power).find(|&memory| enough(memory)).unwrap()
    };
    for (bytes, file) in [(CURVED.as_bytes(), "a.gltf"), (SAMPLE.as_bytes(), "a.dae")] {
        let memory = needed(bytes, file);
        assert!((1 << 10..1 << 20).contains(&memory), "{file}: {memory}");
        let error = read(bytes, file, limit("memory", 1 << 10)).unwrap_err();
        assert!(numbers(&error, "memory").0 > 1 << 10);
    }
}

#[test]
fn transforms_of_a_node_have_a_limit_that_can_be_raised() {
    let stack = "<scale>1 1 1</scale>".repeat(1025);
    let text = format!(
        "<COLLADA><library_visual_scenes><visual_scene id='s'><node id='a'>{stack}</node></visual_scene></library_visual_scenes></COLLADA>"
    );
    let error = read(text.as_bytes(), "a.dae", Limits::default()).unwrap_err();
    assert_eq!(numbers(&error, "transforms"), (1025, 1024));
    assert!(error.to_string().contains("raise the limit"), "{error}");
    read(text.as_bytes(), "a.dae", limit("transforms", 1025)).unwrap();
}

/// Runs on a stack as small as that of any thread of a pool.
fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap()
}

fn nested(depth: usize) -> String {
    let (open, close) = ("<node>".repeat(depth), "</node>".repeat(depth));
    format!(
        "<COLLADA><library_animations>{}{}</library_animations><library_visual_scenes><visual_scene id='s'>{open}{close}</visual_scene></library_visual_scenes></COLLADA>",
        "<animation>".repeat(depth),
        "</animation>".repeat(depth),
    )
}

#[test]
fn recursion_is_bounded_whatever_the_depth_may_be() {
    let read =
        |text: String| on_a_small_stack(move || read(text.as_bytes(), "a.dae", Limits::UNLIMITED).map(drop));
    read(nested(1000)).unwrap();
    let error = read(nested(100_000)).unwrap_err();
    assert!(error.to_string().contains("`depth`"), "{error}");
    let itself = "<COLLADA><library_visual_scenes><visual_scene id='s'><node id='a'><instance_node url='#a'/></node></visual_scene></library_visual_scenes></COLLADA>";
    let error = read(itself.to_owned()).unwrap_err();
    assert!(error.to_string().contains("`depth`: 1025 where 1024"), "{error}");
    let deep = |depth: usize| {
        format!(r#"{{"asset":{{"version":"2.0"}},"extras":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
    };
    let text = deep(1_000_000);
    let _ = on_a_small_stack(move || self::read(text.as_bytes(), "a.gltf", Limits::UNLIMITED).map(drop));
}

/// A chain of nodes may be as deep as the limit says where nothing walks it by recursion.
#[test]
fn a_deep_chain_of_gltf_is_no_recursion() {
    let count = 10_000;
    let nodes: Vec<String> = (0..count)
        .map(|i| if i + 1 == count { "{}".to_owned() } else { format!(r#"{{"children":[{}]}}"#, i + 1) })
        .collect();
    let text = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{}]}}"#, nodes.join(","));
    let error = read(text.as_bytes(), "a.gltf", Limits::default()).unwrap_err();
    assert_eq!(numbers(&error, "depth"), (513, 512));
    on_a_small_stack(move || read(text.as_bytes(), "a.gltf", Limits::UNLIMITED).map(drop)).unwrap();
}

#[test]
fn words_inside_a_file_do_not_tell_its_format() {
    let words = "; FBX 7.4.0 project file FBXHeaderExtension <COLLADA Kaydara FBX Binary";
    let text = format!(r#"{{"asset":{{"version":"2.0","copyright":"{words}"}},"nodes":[{{"name":"a"}}]}}  "#);
    let mut json = text.clone().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend((json.len() as u32 + 20).to_le_bytes());
    glb.extend((json.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(&json);
    let words = words.replace('<', "&lt;");
    let collada = SAMPLE.replacen("<COLLADA", &format!("<!-- {words} --><COLLADA"), 1);
    for (bytes, file) in [(&glb[..], "a"), (text.as_bytes(), "a.gltf"), (collada.as_bytes(), "a")] {
        if let Err(error) = read(bytes, file, Limits::default()) {
            panic!("{error}");
        }
    }
}
