//! Lines, dots and text over a picture: skeleton, normals, boxes, trails.

mod shapes;

pub use shapes::{Names, is_helper, short_name};

use crate::font::{self, INSET, Style, readable};
use crate::{Camera, Color};
use sinew::glam::Vec3;

/// A line, dot or glyph, as the shader reads it.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Mark {
    /// Line: one end, and its radius in pixels. Glyph: position of the text, and the glyph index.
    from: [f32; 4],
    /// Line: the other end and its radius. Glyph: offset in font pixels, and the font size.
    to: [f32; 4],
    color: [f32; 4],
}

/// Whether lines and dots are hidden by surfaces in front of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Depth {
    /// Hidden by surfaces in front.
    Hidden,
    /// Drawn on top of everything.
    OnTop,
}

#[derive(Clone, Debug)]
struct Label {
    at: Vec3,
    text: String,
    color: [f32; 4],
    size: f32,
}

/// Lines, dots and labels over a picture. Clear and refill it for every picture; its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    lines: [Vec<Mark>; 2],
    labels: Vec<Label>,
    used_labels: usize,
    glyphs: Vec<Mark>,
}

impl Overlay {
    /// An empty overlay.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.lines.iter_mut().for_each(Vec::clear);
        self.used_labels = 0;
    }

    /// A line, with a radius in pixels at each end.
    pub fn line(&mut self, from: Vec3, to: Vec3, radii: (f32, f32), color: Color, depth: Depth) {
        let mark = Mark {
            from: from.extend(radii.0).to_array(),
            to: to.extend(radii.1).to_array(),
            color: color.linear().to_array(),
        };
        self.lines[depth as usize].push(mark);
    }

    /// A dot, with its radius in pixels.
    pub fn dot(&mut self, at: Vec3, radius: f32, color: Color, depth: Depth) {
        self.line(at, at, (radius, radius), color, depth);
    }

    /// A label beside a point of the world. Of overlapping labels only the first is drawn.
    pub fn label(&mut self, at: Vec3, text: &str, size: u32, color: Color) {
        let color = color.linear().to_array();
        let size = size.max(1) as f32;
        let text = &*readable(text);
        match self.labels.get_mut(self.used_labels) {
            Some(label) => {
                (label.at, label.color, label.size) = (at, color, size);
                label.text.clear();
                label.text.push_str(text);
            }
            None => self.labels.push(Label { at, text: text.to_owned(), color, size }),
        }
        self.used_labels += 1;
    }

    /// Lines of [`Depth::Hidden`] and of [`Depth::OnTop`].
    pub(crate) fn lines(&self) -> [&[Mark]; 2] {
        [&self.lines[0], &self.lines[1]]
    }

    /// The glyphs of all labels that do not overlap an earlier one, for a camera, a picture size and a scale. `number` tells where a letter is
    /// in the atlas.
    pub(crate) fn glyphs(
        &mut self,
        camera: &Camera,
        size: (u32, u32),
        scale: f32,
        number: &mut dyn FnMut(char, Style) -> u32,
    ) -> &[Mark] {
        self.glyphs.clear();
        let mut taken: Vec<[f32; 4]> = Vec::new();
        for label in &self.labels[..self.used_labels] {
            let Some((x, y)) = camera.project(label.at, size) else { continue };
            let pixel = (label.size * scale).round().max(1.0);
            let width = font::text_width(&label.text, 1) as f32 * pixel;
            let (left, top) = (x + GAP.0 * pixel, y + GAP.1 * pixel);
            let bounds = [left, top, left + width, top + font::LINE_HEIGHT as f32 * pixel];
            let over =
                |b: &[f32; 4]| bounds[0] < b[2] && b[0] < bounds[2] && bounds[1] < b[3] && b[1] < bounds[3];
            if taken.iter().any(over) {
                continue;
            }
            taken.push(bounds);
            let style = font::style(&label.text);
            for (left, letter) in font::placed(&label.text) {
                let inset = (INSET.0 as f32, INSET.1 as f32);
                let shift = GAP.0 + left as f32 - inset.0;
                self.glyphs.push(Mark {
                    from: label.at.extend(number(letter, style) as f32).to_array(),
                    to: [shift, GAP.1 - inset.1, label.size, 0.0],
                    color: label.color,
                });
            }
        }
        &self.glyphs
    }
}

/// From the point to its label, in font pixels.
const GAP: (f32, f32) = (5.0, -4.0);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;
    use sinew::Aabb;

    #[test]
    fn labels_that_would_overlap_are_left_out() {
        let camera = Camera::framing(View::Front, &Aabb { min: Vec3::NEG_ONE, max: Vec3::ONE }, 1.0);
        let mut overlay = Overlay::new();
        let color = Color([255; 4]);
        overlay.label(Vec3::ZERO, "hips", 1, color);
        overlay.label(Vec3::new(0.01, 0.0, 0.0), "spine", 1, color);
        overlay.label(Vec3::new(0.0, 0.8, 0.0), "head", 1, color);
        overlay.label(camera.eye() + camera.back(), "behind", 1, color);
        assert_eq!(overlay.glyphs(&camera, (200, 200), 1.0, &mut |_, _| 0).len(), "hipshead".len());
        overlay.clear();
        overlay.label(Vec3::ZERO, "a", 1, color);
        assert_eq!(
            overlay.glyphs(&camera, (200, 200), 1.0, &mut |_, _| 0).len(),
            1,
            "cleared labels are not drawn"
        );
    }
}
