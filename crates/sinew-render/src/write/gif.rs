//! GIF with one palette for all frames, so that static regions do not flicker.

use super::{Frames, changed, checked, cut, is_of_size};
use crate::{Picture, RenderError};
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

/// Encodes frames one at a time, with a palette computed from `sample`.
pub(super) fn encode<W: Write>(
    out: W,
    (count, fps): (usize, f64),
    sample: &[Picture],
    frames: Frames<'_, '_>,
) -> Result<(), RenderError> {
    let (width, height) = checked(sample, u32::from(u16::MAX))?;
    let mut palette = Palette::of(sample);
    let encoder = Encoder::new(out, width as u16, height as u16, &palette.colors()).map_err(refused)?;
    // In a partial frame a transparent pixel would show the frame before, so transparent animations use full frames with disposal.
    let transparent = sample.iter().any(|f| f.pixels().chunks_exact(4).any(|p| p[3] < 128));
    let mut writer = FrameWriter { encoder, width: width as usize, transparent, before: None };
    writer.encoder.set_repeat(Repeat::Infinite).map_err(refused)?;
    for number in 0..count {
        let picture = frames(number)?;
        is_of_size(&picture, number, (width, height))?;
        writer.push(palette.indices(&picture), delay(number, fps))?;
    }
    writer.encoder.into_inner().map(|_| ()).map_err(refused)
}

fn refused(error: EncodingError) -> RenderError {
    RenderError::Encode { format: "GIF", details: error.to_string() }
}

/// The encoder and the last frame.
struct FrameWriter<W: Write> {
    encoder: Encoder<W>,
    width: usize,
    transparent: bool,
    before: Option<Vec<u8>>,
}

impl<W: Write> FrameWriter<W> {
    fn push(&mut self, now: Vec<u8>, delay: u16) -> Result<(), RenderError> {
        let earlier = self.before.as_deref().filter(|_| !self.transparent);
        let rect = match earlier {
            Some(earlier) => changed(earlier, &now, self.width),
            None => (0, 0, self.width, now.len() / self.width),
        };
        let mut news = cut(&now, self.width, rect);
        if let Some(earlier) = earlier {
            // Unchanged pixels become transparent: long runs of one index compress best.
            let same = news
                .iter_mut()
                .zip(cut(earlier, self.width, rect))
                .filter(|(now, earlier)| **now == *earlier);
            same.for_each(|(now, _)| *now = TRANSPARENT);
        }
        let frame = Frame {
            left: rect.0 as u16,
            top: rect.1 as u16,
            width: rect.2 as u16,
            height: rect.3 as u16,
            delay,
            dispose: if self.transparent { DisposalMethod::Background } else { DisposalMethod::Keep },
            transparent: (self.transparent || earlier.is_some()).then_some(TRANSPARENT),
            buffer: Cow::Owned(news),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(refused)?;
        self.before = Some(now);
        Ok(())
    }
}

/// Delay of a frame in hundredths of a second, rounded so that errors do not accumulate. At least 2: many players treat smaller values as 10.
fn delay(frame: usize, fps: f64) -> u16 {
    let fps = if fps.is_finite() { fps.clamp(0.01, 50.0) } else { 25.0 };
    let at = |frame: usize| (frame as f64 * 100.0 / fps).round();
    (at(frame + 1) - at(frame)).clamp(2.0, 65_535.0) as u16
}

/// Palette index of transparent pixels.
const TRANSPARENT: u8 = 255;
/// Colours in the palette.
const COLORS: usize = 255;
/// Pixels that the palette is computed from. More take longer without a visible difference.
const LEARNED: usize = 400_000;
/// NeuQuant's sampling factor: 10, as common encoders use.
const SPEED: i32 = 10;

struct Palette {
    learned: NeuQuant,
    known: HashMap<[u8; 3], u8>,
}

impl Palette {
    fn of(frames: &[Picture]) -> Self {
        let count: usize = frames.iter().map(|frame| frame.pixels().len() / 4).sum();
        // An odd step does not stay in the same columns of the picture.
        let step = (count / LEARNED).max(1) | 1;
        let opaque = frames.iter().flat_map(|f| f.pixels().chunks_exact(4)).filter(|p| p[3] >= 128);
        let mut sample: Vec<u8> = opaque.step_by(step).flat_map(|p| [p[0], p[1], p[2], 255]).collect();
        // NeuQuant needs a minimum number of pixels.
        while sample.len() < 4 * 1024 {
            let more = if sample.is_empty() { vec![0, 0, 0, 255] } else { sample.clone() };
            sample.extend(more);
        }
        Self { learned: NeuQuant::new(SPEED, COLORS, &sample), known: HashMap::new() }
    }

    fn colors(&self) -> Vec<u8> {
        let mut colors = self.learned.color_map_rgb();
        colors.resize(256 * 3, 0);
        colors
    }

    fn indices(&mut self, picture: &Picture) -> Vec<u8> {
        let index = |pixel: &[u8]| {
            if pixel[3] < 128 {
                return TRANSPARENT;
            }
            let color = [pixel[0], pixel[1], pixel[2]];
            let learned = &self.learned;
            *self.known.entry(color).or_insert_with(|| {
                learned.index_of(&[color[0], color[1], color[2], 255]).min(COLORS - 1) as u8
            })
        };
        picture.pixels().chunks_exact(4).map(index).collect()
    }
}
