//! The drawing order: opaque surfaces, ground, translucent surfaces, overlay.

use super::{Renderer, variant};
use crate::Batch;
use crate::model::PartOnGpu;
use crate::pipelines::Alpha;
use std::ops::Range;

impl Renderer {
    /// Draws the scene that [`Renderer::prepare`] has prepared into a running pass; `batches` are those of the scene. The pass must have the
    /// renderer's format and sample count, and a depth attachment of [`crate::DEPTH_FORMAT`] that was cleared to zero.
    pub fn paint(&self, pass: &mut wgpu::RenderPass<'_>, batches: &[&Batch]) {
        pass.set_pipeline(&self.pipelines.background);
        pass.set_bind_group(0, &self.frame_group, &[]);
        pass.set_bind_group(1, self.shade.group(), &[]);
        pass.draw(0..3, 0..1);
        for alpha in [Alpha::Opaque, Alpha::Mask, Alpha::Core] {
            self.paint_parts(pass, batches, alpha);
        }
        if self.has_ground {
            pass.set_pipeline(&self.pipelines.ground);
            pass.set_bind_group(1, self.shade.group(), &[]);
            pass.draw(0..4, 0..1);
        }
        for alpha in [Alpha::Blend, Alpha::Ghost] {
            self.paint_parts(pass, batches, alpha);
        }
        self.paint_overlay(pass);
    }

    fn paint_parts(&self, pass: &mut wgpu::RenderPass<'_>, batches: &[&Batch], alpha: Alpha) {
        for batch in batches {
            let (seen, ghost) = batch.ranges();
            let which = if alpha == Alpha::Ghost { ghost } else { seen };
            if which.is_empty() {
                continue;
            }
            let parts = || batch.model().0.parts.iter().filter(|part| is_drawn(part.alpha, alpha));
            // With several blended parts, all parts of a farther instance are drawn before any of a nearer one.
            if alpha == Alpha::Blend && parts().count() > 1 {
                for instance in which {
                    parts()
                        .for_each(|part| self.paint_part(pass, batch, part, alpha, instance..instance + 1));
                }
            } else {
                parts().for_each(|part| self.paint_part(pass, batch, part, alpha, which.clone()));
            }
        }
    }

    fn paint_part(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        batch: &Batch,
        part: &PartOnGpu,
        alpha: Alpha,
        which: Range<u32>,
    ) {
        if let Some(pipeline) = self.pipelines.mesh(variant(batch, part, alpha)) {
            pass.set_pipeline(pipeline);
            self.draw_part(pass, batch, part, which);
        }
    }

    fn paint_overlay(&self, pass: &mut wgpu::RenderPass<'_>) {
        let lines = self.pipelines.lines.iter().zip(&self.lines);
        for (pipeline, marks) in lines.chain([(&self.pipelines.glyphs, &self.glyphs)]) {
            if marks.count > 0 {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(1, &self.glyph_group, &[]);
                pass.set_vertex_buffer(0, marks.buffer.slice(..));
                pass.draw(0..4, 0..marks.count);
            }
        }
    }
}

/// Whether a part is drawn in a pass: `Core` draws the opaque pixels of blended parts, `Ghost` draws all parts.
fn is_drawn(part: Alpha, pass: Alpha) -> bool {
    match pass {
        Alpha::Ghost => true,
        Alpha::Core => part == Alpha::Blend,
        other => part == other,
    }
}
