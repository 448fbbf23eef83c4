//! Colours of pictures as light.

use sinew_image::decode_srgb;

/// Tables between bytes of sRGB and linear values.
pub(crate) struct Srgb {
    linear: [f32; 256],
    /// The linear value between a byte and the next.
    steps: [f32; 255],
}

impl Srgb {
    pub(crate) fn new() -> Self {
        Self {
            linear: std::array::from_fn(|byte| decode_srgb(byte as f32 / 255.0)),
            steps: std::array::from_fn(|byte| decode_srgb((byte as f32 + 0.5) / 255.0)),
        }
    }

    /// The linear value of a byte.
    pub(crate) fn decode(&self, byte: u8) -> f32 {
        self.linear.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// The byte nearest to a linear value.
    pub(crate) fn encode(&self, value: f32) -> u8 {
        self.steps.partition_point(|step| *step <= value) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_the_middle_is_dark() {
        let srgb = Srgb::new();
        assert!((0..=255).all(|byte| srgb.encode(srgb.decode(byte)) == byte));
        assert!((srgb.decode(128) - 0.21586).abs() < 1e-5);
        assert_eq!((srgb.encode(-1.0), srgb.encode(9.0)), (0, 255));
    }
}
