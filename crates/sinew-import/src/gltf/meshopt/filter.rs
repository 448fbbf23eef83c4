//! What elements are turned into after they are decoded.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays of fixed length")]

use crate::gltf::json::CompressionFilter;

pub(super) fn apply(filter: CompressionFilter, stride: usize, bytes: &mut [u8]) {
    match (filter, stride) {
        (CompressionFilter::Octahedral, 4) => {
            each_8(bytes, |v| octahedral(v.map(|b| b.cast_signed().into()), 127.0))
        }
        (CompressionFilter::Octahedral, _) => {
            each_16(bytes, |v| octahedral(v.map(|w| w.cast_signed().into()), 32767.0));
        }
        (CompressionFilter::Quaternion, _) => {
            each_16(bytes, |v| quaternion(v.map(|w| w.cast_signed().into())))
        }
        (CompressionFilter::Exponential, _) => {
            bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|v| *v = exponential(*v));
        }
        (CompressionFilter::Color, 4) => each_8(bytes, |[y, co, cg, a]| {
            color([y.into(), co.cast_signed().into(), cg.cast_signed().into(), a.into()], 255.0)
        }),
        (CompressionFilter::Color, _) => each_16(bytes, |[y, co, cg, a]| {
            color([y.into(), co.cast_signed().into(), cg.cast_signed().into(), a.into()], 65535.0)
        }),
        (CompressionFilter::None, _) => {}
    }
}

/// Changes elements of four bytes. Results are whole and in range, signed or not: the lowest bits are kept.
fn each_8(bytes: &mut [u8], change: impl Fn([u8; 4]) -> [f32; 4]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        *element = change(*element).map(|v| v.round() as i32 as u8);
    }
}

/// Changes elements of four numbers of two bytes.
fn each_16(bytes: &mut [u8], change: impl Fn([u16; 4]) -> [f32; 4]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let pairs = element.as_chunks_mut::<2>().0;
        let values = std::array::from_fn(|i| pairs.get(i).copied().map_or(0, u16::from_le_bytes));
        let changed = change(values).map(|v| (v.round() as i32 as u16).to_le_bytes());
        pairs.iter_mut().zip(changed).for_each(|(pair, value)| *pair = value);
    }
}

/// A direction out of its place on an octahedron; the fourth number is kept.
fn octahedral([x, y, one, rest]: [i32; 4], most: f32) -> [f32; 4] {
    let (x, y) = (x as f32 / one as f32, y as f32 / one as f32);
    let z = 1.0 - x.abs() - y.abs();
    let fold = z.min(0.0);
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let scale = most / (x * x + y * y + z * z).sqrt();
    [x * scale, y * scale, z * scale, rest as f32]
}

/// A rotation out of its three smaller components; which is the largest stands in the lowest bits of the fourth.
fn quaternion(input: [i32; 4]) -> [f32; 4] {
    let scale = std::f32::consts::FRAC_1_SQRT_2 / (input[3] | 3) as f32;
    let [x, y, z] = [input[0], input[1], input[2]].map(|v| v as f32 * scale);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let largest = (input[3] & 3) as usize;
    let mut out = [0.0; 4];
    for (offset, value) in [w, x, y, z].into_iter().enumerate() {
        out[(largest + offset) % 4] = value * 32767.0;
    }
    out
}

/// A floating-point number out of eight bits of exponent and twenty-four of mantissa.
fn exponential(bytes: [u8; 4]) -> [u8; 4] {
    let value = i32::from_le_bytes(bytes);
    let (exponent, mantissa) = (value >> 24, value << 8 >> 8);
    // Exact: a power of two in double precision, and 24 bits.
    let power = f64::from_bits(((exponent + 1023) as u64) << 52);
    ((f64::from(mantissa) * power) as f32).to_le_bytes()
}

/// Red, green, blue and alpha out of brightness, two differences, and alpha below a bit that says how many bits are used.
fn color([y, co, cg, alpha]: [i32; 4], most: f32) -> [f32; 4] {
    let bits = alpha.checked_ilog2().map_or(0, |bit| bit + 1);
    let all = (1 << bits) - 1;
    let low = alpha & (all >> 1);
    let scale = most / all as f32;
    [y + co - cg, y + cg, y - co - cg, low << 1 | low & 1].map(|v| (v as f32 * scale).clamp(0.0, most))
}
