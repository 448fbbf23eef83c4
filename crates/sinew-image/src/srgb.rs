//! Between sRGB, as pictures hold colours, and linear light.

use std::sync::LazyLock;

/// From sRGB to linear.
pub fn to_linear(code: u8) -> f32 {
    Srgb::tables().decode(code)
}

/// From linear to sRGB.
pub fn to_srgb(light: f32) -> u8 {
    Srgb::tables().encode(light)
}

/// From sRGB to linear, both from 0 to 1.
pub fn decode_srgb(seen: f32) -> f32 {
    if seen <= 0.04045 { seen / 12.92 } else { libm::powf((seen + 0.055) / 1.055, 2.4) }
}

/// From linear to sRGB, from 0 to 1; more and less are clamped.
pub fn encode_srgb(light: f32) -> f32 {
    match light {
        1.0.. => 1.0,
        _ if light <= 0.003_130_8 => light.max(0.0) * 12.92,
        _ => 1.055 * libm::powf(light, 1.0 / 2.4) - 0.055,
    }
}

/// Tables between bytes of sRGB and linear values.
pub(crate) struct Srgb {
    linear: [f32; 256],
    /// The linear value between a byte and the next.
    steps: [f32; 255],
    /// The byte at the start of each of equal stretches of linear values: near it the search for the byte of a value begins.
    starts: [u8; STRETCHES],
}

/// At most two bytes share a stretch, so that the search is short.
const STRETCHES: usize = 4096;

impl Srgb {
    pub(crate) fn tables() -> &'static Self {
        static TABLES: LazyLock<Srgb> = LazyLock::new(Srgb::new);
        &TABLES
    }

    fn new() -> Self {
        let steps: [f32; 255] = std::array::from_fn(|byte| decode_srgb((byte as f32 + 0.5) / 255.0));
        let start = |stretch: usize| stretch as f32 / STRETCHES as f32;
        Self {
            linear: std::array::from_fn(|byte| decode_srgb(byte as f32 / 255.0)),
            steps,
            starts: std::array::from_fn(|i| steps.partition_point(|step| *step <= start(i)) as u8),
        }
    }

    /// The linear value of a byte.
    pub(crate) fn decode(&self, byte: u8) -> f32 {
        self.linear.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// The byte nearest to a linear value.
    pub(crate) fn encode(&self, value: f32) -> u8 {
        // Multiplying by a power of two is exact. Numbers below zero and NaN become the first stretch, those above one the last.
        let stretch = ((value * STRETCHES as f32) as usize).min(STRETCHES - 1);
        let mut byte = self.starts.get(stretch).copied().unwrap_or_default();
        while self.steps.get(usize::from(byte)).is_some_and(|step| *step <= value) {
            byte += 1;
        }
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_goes_there_and_back() {
        assert!((0..=255u8).all(|code| to_srgb(to_linear(code)) == code));
        assert_eq!(to_srgb(0.5), 188, "half the light is not half the sRGB value");
        assert_eq!([-1.0, 0.0, 1.0, 9.0].map(encode_srgb), [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn bytes_come_back_and_the_middle_is_dark() {
        let srgb = Srgb::new();
        assert!((0..=255).all(|byte| srgb.encode(srgb.decode(byte)) == byte));
        assert!((srgb.decode(128) - 0.21586).abs() < 1e-5);
        assert_eq!((srgb.encode(-1.0), srgb.encode(9.0), srgb.encode(f32::NAN)), (0, 255, 0));
        // Second way: a search over all bytes.
        for i in 0..200_000u32 {
            let value = (i as f32 - 1_000.0) / 98_000.0;
            assert_eq!(
                srgb.encode(value),
                srgb.steps.partition_point(|step| *step <= value) as u8,
                "{value}"
            );
        }
    }
}
