//! Streams of the corpus, and a writer of small sequential ones in the forms that the tests need.

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

/// Types of components, as a stream numbers them.
pub const U8: u8 = 2;
pub const U16: u8 = 4;
pub const F32: u8 = 9;
pub const F64: u8 = 10;

/// Kinds of attributes, as a stream numbers them.
pub const POSITION: u8 = 0;
pub const COLOR: u8 = 2;
pub const GENERIC: u8 = 4;

/// How the values of an attribute are written.
pub enum Coding {
    /// As they are.
    Raw(Vec<u8>),
    /// Whole numbers in two bytes each, not predicted.
    Integers(Vec<i32>),
    /// The same, and the lowest value, the range and the bits of the numbers that they stand for.
    Quantized { values: Vec<i32>, low: Vec<f32>, range: f32, bits: u8 },
    /// Zero for any number of points, which takes no bytes.
    Zeros,
}

pub struct Attribute {
    pub kind: u8,
    pub data_type: u8,
    pub components: u8,
    pub unique_id: u64,
    pub coding: Coding,
}

pub struct Stream {
    /// What follows the header, if anything.
    pub metadata: Option<Vec<u8>>,
    pub points: u64,
    /// Below 256 points they take a byte each.
    pub indices: Vec<u8>,
    pub attributes: Vec<Attribute>,
}

impl Stream {
    pub fn write(&self) -> Vec<u8> {
        let flags: u16 = if self.metadata.is_some() { 0x8000 } else { 0 };
        let mut out = b"DRACO\x02\x02\x01\x00".to_vec();
        out.extend(flags.to_le_bytes());
        out.extend(self.metadata.iter().flatten());
        varint(&mut out, self.indices.len() as u64 / 3);
        varint(&mut out, self.points);
        // Indices as they are, in as many bytes as the number of points needs.
        out.push(1);
        let width = match self.points {
            0..0x100 | 0x1_0000..0x20_0000 => 1,
            0x100..0x1_0000 => 2,
            _ => 4,
        };
        for &index in &self.indices {
            out.extend(&u32::from(index).to_le_bytes()[..width]);
        }
        self.write_attributes(&mut out);
        out
    }

    /// All attributes in one group: their heads, their values, and what turns integers into values.
    fn write_attributes(&self, out: &mut Vec<u8>) {
        out.push(1);
        varint(out, self.attributes.len() as u64);
        for attribute in &self.attributes {
            out.extend([attribute.kind, attribute.data_type, attribute.components, 0]);
            varint(out, attribute.unique_id);
        }
        out.extend(self.attributes.iter().map(|attribute| match attribute.coding {
            Coding::Raw(_) => 0,
            Coding::Integers(_) | Coding::Zeros => 1,
            Coding::Quantized { .. } => 2,
        }));
        for attribute in &self.attributes {
            match &attribute.coding {
                Coding::Raw(bytes) => out.extend(bytes),
                Coding::Integers(values) | Coding::Quantized { values, .. } => {
                    // Not predicted, not compressed, two bytes each.
                    out.extend([0xfe, 0, 2]);
                    for value in values {
                        let zigzag = (value << 1) ^ (value >> 31);
                        out.extend(&zigzag.to_le_bytes()[..2]);
                    }
                }
                // Not predicted, compressed as symbols of one bit, of which one exists with all the probability, and a state in one byte.
                Coding::Zeros => out.extend([0xfe, 1, 1, 1, 1, 0x01, 0x40, 1, 0]),
            }
        }
        for attribute in &self.attributes {
            if let Coding::Quantized { low, range, bits, .. } = &attribute.coding {
                out.extend(low.iter().chain([range]).flat_map(|number| number.to_le_bytes()));
                out.push(*bits);
            }
        }
    }
}

pub fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Four points and two triangles, with positions, joints, colours and weights in all codings.
pub fn quad() -> Stream {
    let weights = [1.0f32, 0.5, 0.25, 0.0].iter().flat_map(|weight| weight.to_le_bytes()).collect();
    let positions = vec![0, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 51];
    let position = Coding::Quantized { values: positions, low: vec![-1.0, 0.0, 2.0], range: 10.0, bits: 8 };
    let attribute = |kind, data_type, components, unique_id, coding| Attribute {
        kind,
        data_type,
        components,
        unique_id,
        coding,
    };
    Stream {
        metadata: None,
        points: 4,
        indices: vec![0, 1, 2, 0, 2, 3],
        attributes: vec![
            attribute(POSITION, F32, 3, 0, position),
            attribute(GENERIC, U16, 2, 7, Coding::Integers(vec![0, 300, 1, 301, 2, 302, 3, 303])),
            attribute(COLOR, U8, 4, 300, Coding::Zeros),
            attribute(GENERIC, F32, 1, 9, Coding::Raw(weights)),
        ],
    }
}
