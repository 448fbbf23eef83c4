//! Streams of the corpus.

#![allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]
#![allow(dead_code, reason = "each test binary uses its own part")]

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of real files, or `None` with a visible note if this machine has none.
pub fn corpus(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty());
    if folder.is_none() {
        println!("SINEW-SKIP: {test}: corpus not set");
    }
    folder.map(PathBuf::from)
}

pub fn index(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

/// Bytes of a buffer view.
pub fn view<'a>(document: &Value, buffer: &'a [u8], at: usize) -> &'a [u8] {
    let view = &document["bufferViews"][at];
    &buffer[view["byteOffset"].as_u64().unwrap_or(0) as usize..][..index(&view["byteLength"])]
}

/// A document, and the Draco stream of its first primitive.
pub fn draco(path: &Path) -> (Value, Vec<u8>) {
    let document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let name = document["buffers"][0]["uri"].as_str().unwrap();
    let buffer = std::fs::read(path.with_file_name(name)).unwrap();
    let extensions = &document["meshes"][0]["primitives"][0]["extensions"];
    let at = index(&extensions["KHR_draco_mesh_compression"]["bufferView"]);
    let stream = view(&document, &buffer, at).to_vec();
    (document, stream)
}
