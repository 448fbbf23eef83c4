//! The order of a picture: what is solid, the ground, what can be seen through, and what is drawn on top.

use super::{Renderer, culls};
use crate::Batch;
use crate::pipelines::Alpha;

impl Renderer {
    /// Draws what [`Renderer::prepare`] has prepared in a pass that is under way: the batches of the scene again. The pass must have the
    /// renderer's format and samples, and depth of [`crate::DEPTH_FORMAT`] that was cleared to zero.
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
            for part in &batch.model().0.parts {
                let drawn = match alpha {
                    Alpha::Ghost => true,
                    Alpha::Core => part.alpha == Alpha::Blend,
                    other => part.alpha == other,
                };
                let cull = culls(batch, part.two_sided && alpha != Alpha::Ghost);
                let deform = batch.deform(part.mesh);
                if let Some(pipeline) = self.pipelines.mesh(deform, alpha, cull).filter(|_| drawn) {
                    pass.set_pipeline(pipeline);
                    self.draw_part(pass, batch, part, which.clone());
                }
            }
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
