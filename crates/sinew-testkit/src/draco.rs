//! Small Draco meshes: a writer of sequential streams, in the forms that tests need.

/// Type of components, as a stream numbers it: unsigned, 8 bits.
pub const U8: u8 = 2;
/// Type of components: unsigned, 16 bits.
pub const U16: u8 = 4;
/// Type of components: floating point, 32 bits.
pub const F32: u8 = 9;
/// Type of components: floating point, 64 bits.
pub const F64: u8 = 10;

/// Kind of an attribute, as a stream numbers it: positions.
pub const POSITION: u8 = 0;
/// Kind of an attribute: colours.
pub const COLOR: u8 = 2;
/// Kind of an attribute: anything that has no kind of its own, as joints and weights.
pub const GENERIC: u8 = 4;

/// How the values of an attribute are written.
pub enum Coding {
    /// As they are.
    Raw(Vec<u8>),
    /// Whole numbers in two bytes each, not predicted.
    Integers(Vec<i32>),
    /// The same, for numbers between the lowest value and the range above it.
    Quantized {
        /// The whole numbers.
        values: Vec<i32>,
        /// The lowest value of each component.
        low: Vec<f32>,
        /// Distance of the highest value from the lowest.
        range: f32,
        /// Bits of the whole numbers.
        bits: u8,
    },
    /// Zero for any number of points, which takes no bytes.
    Zeros,
}

/// An attribute, with a value for each point.
pub struct Attribute {
    /// What it is, as [`POSITION`].
    pub kind: u8,
    /// Type of its components, as [`F32`].
    pub data_type: u8,
    /// Components of a value.
    pub components: u8,
    /// Id within the stream.
    pub unique_id: u64,
    /// Its values, and how they are written.
    pub coding: Coding,
}

/// A mesh.
pub struct Stream {
    /// What follows the header, if anything.
    pub metadata: Option<Vec<u8>>,
    /// Number of points.
    pub points: u64,
    /// Three points a triangle, all below 128.
    pub indices: Vec<u8>,
    /// What each point has.
    pub attributes: Vec<Attribute>,
}

impl Stream {
    /// The bytes of the stream.
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

/// Adds a number of which each byte holds seven bits, the lowest first.
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
