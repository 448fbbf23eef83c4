//! Draws scenes: into a given texture, into a running render pass, or into pictures.

mod attachments;
mod frame;
mod offscreen;
mod paint;
mod shade;

pub use offscreen::OffscreenTarget;

use crate::font::Atlas;
use crate::model::PartOnGpu;
use crate::pipelines::{Alpha, Deform, Features, Pipelines, Variant};
use crate::texture::TextureCache;
use crate::{Batch, Camera, Gpu, Look, Model, Overlay, RenderError, Skinning};
use attachments::Attachments;
use frame::FrameUniform;
use shade::Shade;
use sinew::Character;
use sinew::skinning::SkinnedVertices;
use wgpu::BufferUsages;

/// Multisampling: samples per pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Samples {
    /// Four on a graphics card, one on a software driver, where each sample costs as much as the first.
    #[default]
    Auto,
    /// One.
    One,
    /// Four.
    Four,
}

/// Settings of a [`Renderer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Format of the texture. Colours are the same with and without an sRGB format.
    pub format: wgpu::TextureFormat,
    /// Samples per pixel.
    pub samples: Samples,
}

impl Default for Settings {
    /// What [`Renderer::shoot`] needs, with [`Samples::Auto`].
    fn default() -> Self {
        Self::new(wgpu::TextureFormat::Rgba8UnormSrgb, Samples::Auto)
    }
}

impl Settings {
    /// For textures of a format.
    pub fn new(format: wgpu::TextureFormat, samples: Samples) -> Self {
        Self { format, samples }
    }

    /// The same with other samples per pixel.
    pub fn with_samples(mut self, samples: Samples) -> Self {
        self.samples = samples;
        self
    }
}

/// What is drawn into one picture.
#[derive(Debug)]
#[non_exhaustive]
pub struct Scene<'a, 'b> {
    /// Camera.
    pub camera: &'a Camera,
    /// Background, light, ground.
    pub look: &'a Look,
    /// Characters.
    pub batches: &'a mut [&'b mut Batch],
    /// Lines and text on top, if any.
    pub overlay: Option<&'a mut Overlay>,
    /// Device pixels per pixel of overlay lines and text: 1, or more on a high-density display.
    pub scale: f32,
}

impl<'a, 'b> Scene<'a, 'b> {
    /// Characters without overlay, at scale 1.
    pub fn new(camera: &'a Camera, look: &'a Look, batches: &'a mut [&'b mut Batch]) -> Self {
        Self { camera, look, batches, overlay: None, scale: 1.0 }
    }

    /// The same with lines and text on top.
    pub fn with_overlay(mut self, overlay: &'a mut Overlay) -> Self {
        self.overlay = Some(overlay);
        self
    }

    /// The same with overlay lines and text scaled.
    pub fn with_scale(mut self, scale: f32) -> Self {
        self.scale = scale;
        self
    }
}

/// Draws characters. Drawing the same scene again creates no device resources; see [`Gpu::created`].
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    settings: Settings,
    samples: u32,
    pipelines: Pipelines,
    textures: TextureCache,
    frame_buffer: wgpu::Buffer,
    frame_group: wgpu::BindGroup,
    shade: Shade,
    lines: [Marks; 2],
    glyphs: Marks,
    letters: Atlas,
    glyph_group: wgpu::BindGroup,
    attachments: Option<Attachments>,
    /// Whether the prepared scene has a ground.
    has_ground: bool,
}

/// Lines or glyphs on the device: a buffer that grows, and their number.
#[derive(Debug)]
struct Marks {
    buffer: wgpu::Buffer,
    count: u32,
}

impl Renderer {
    /// Creates pipelines and buffers. Fails if the driver reports an error.
    pub fn new(gpu: &Gpu, settings: Settings) -> Result<Self, RenderError> {
        let samples = match settings.samples {
            Samples::Auto if gpu.is_software() => 1,
            Samples::Auto | Samples::Four => 4,
            Samples::One => 1,
        };
        let pipelines = Pipelines::new(gpu, settings.format, samples);
        let uniform = BufferUsages::UNIFORM;
        let frame_buffer = gpu.buffer("frame", size_of::<FrameUniform>() as u64, uniform)?;
        let frame_group =
            gpu.bind_group("frame", &pipelines.layouts.frame, &[frame_buffer.as_entire_binding()]);
        let letters = Atlas::new(gpu);
        let glyph_group = gpu.bind_group(
            "glyphs",
            &pipelines.layouts.glyphs,
            &[wgpu::BindingResource::TextureView(&letters.view(gpu))],
        );
        let renderer = Self {
            shade: Shade::new(gpu, &pipelines.layouts),
            lines: [Marks::new(gpu, 64)?, Marks::new(gpu, 256)?],
            glyphs: Marks::new(gpu, 256)?,
            letters,
            gpu: gpu.clone(),
            settings,
            samples,
            textures: TextureCache::default(),
            pipelines,
            frame_buffer,
            frame_group,
            glyph_group,
            attachments: None,
            has_ground: false,
        };
        gpu.check()?;
        Ok(renderer)
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Its settings.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Samples per pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Number of distinct textures on the device, of all models together.
    pub fn texture_count(&self) -> usize {
        self.textures.len()
    }

    /// Uploads a character. Textures that several characters use are uploaded once.
    pub fn load(&mut self, character: &Character) -> Result<Model, RenderError> {
        let model = Model::new(&self.gpu, &self.pipelines.layouts, &mut self.textures, character)?;
        self.gpu.check()?;
        Ok(model)
    }

    /// Allocates a batch of instances of a model.
    pub fn batch(
        &mut self,
        model: &Model,
        capacity: usize,
        skinning: Skinning,
    ) -> Result<Batch, RenderError> {
        let batch = Batch::new(&self.gpu, &self.pipelines.layouts, model, capacity, skinning)?;
        self.prepare_pipelines(&batch);
        self.gpu.check()?;
        Ok(batch)
    }

    /// Positions, normals and, if a normal map needs them, tangents of one mesh of one instance, in model space. With GPU skinning they come from the shader function that drawing uses.
    /// Waits for the device: for checks, not for every frame.
    pub fn read_back(
        &mut self,
        batch: &mut Batch,
        mesh: usize,
        instance: usize,
    ) -> Result<SkinnedVertices, RenderError> {
        self.gpu.check()?;
        batch.read_back(&mut self.pipelines, mesh, instance)
    }

    fn prepare_pipelines(&mut self, batch: &Batch) {
        for part in &batch.model().0.parts {
            self.pipelines.prepare(variant(batch, part, part.alpha));
            if part.alpha == Alpha::Blend {
                self.pipelines.prepare(variant(batch, part, Alpha::Core));
            }
            if batch.has_ghost() {
                self.pipelines.prepare(variant(batch, part, Alpha::Ghost));
            }
        }
    }

    /// Uploads a scene for a picture of a size and draws the ground shadow, before [`Renderer::paint`].
    pub fn prepare(&mut self, scene: &mut Scene<'_, '_>, size: (u32, u32)) -> Result<(), RenderError> {
        self.gpu.check()?;
        let aspect = size.0.max(1) as f32 / size.1.max(1) as f32;
        let planes = crate::camera::planes(scene.camera.view_projection(aspect));
        let mut bounds = sinew::Aabb::EMPTY;
        for batch in scene.batches.iter_mut() {
            let seen = batch.prepare(&planes, scene.camera.eye());
            bounds = bounds.union(if batch.casts_shadow() { seen } else { sinew::Aabb::EMPTY });
            self.prepare_pipelines(batch);
        }
        self.has_ground = scene.look.ground.is_some();
        let encodes = self.settings.format.is_srgb();
        let uniform = FrameUniform::new(scene, size, encodes, &bounds);
        self.gpu.write(&self.frame_buffer, 0, &[uniform]);
        self.prepare_overlay(scene, size)?;
        if scene.look.ground.is_some() && scene.look.shadow > 0.0 {
            self.draw_shade(scene);
        }
        self.gpu.check()
    }

    fn prepare_overlay(&mut self, scene: &mut Scene<'_, '_>, size: (u32, u32)) -> Result<(), RenderError> {
        let Some(overlay) = scene.overlay.as_deref_mut() else {
            self.lines.iter_mut().for_each(|lines| lines.count = 0);
            self.glyphs.count = 0;
            return Ok(());
        };
        for (to, from) in self.lines.iter_mut().zip(overlay.lines()) {
            to.write(&self.gpu, from)?;
        }
        let (gpu, letters) = (&self.gpu, &mut self.letters);
        let mut number = |letter, style| letters.number(gpu, letter, style);
        self.glyphs.write(&self.gpu, overlay.glyphs(scene.camera, size, scene.scale, &mut number))
    }

    /// Draws a scene into a texture of a size and submits it.
    pub fn draw(
        &mut self,
        view: &wgpu::TextureView,
        size: (u32, u32),
        scene: &mut Scene<'_, '_>,
    ) -> Result<(), RenderError> {
        self.prepare(scene, size)?;
        let mut encoder =
            self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.encode(&mut encoder, view, size, scene)?;
        self.gpu.queue().submit([encoder.finish()]);
        self.gpu.check()
    }

    fn encode(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
        size: (u32, u32),
        scene: &Scene<'_, '_>,
    ) -> Result<(), RenderError> {
        if self.attachments.as_ref().is_none_or(|a| a.size != size) {
            let attachments = Attachments::new(&self.gpu, self.settings.format, self.samples, size)?;
            self.attachments = Some(attachments);
        }
        let Some(attachments) = &self.attachments else { return Ok(()) };
        let mut pass = attachments.begin(encoder, view);
        let batches: Vec<&Batch> = scene.batches.iter().map(|batch| &**batch).collect();
        self.paint(&mut pass, &batches);
        Ok(())
    }
}

/// The pipeline of a part in a pass. Backs of triangles are culled by the driver only if nothing is mirrored.
fn variant(batch: &Batch, part: &PartOnGpu, alpha: Alpha) -> Variant {
    let ghost = alpha == Alpha::Ghost;
    Variant {
        deform: batch.deform(part.mesh),
        alpha,
        features: if ghost { Features::default() } else { part.features },
        cull: (ghost || !part.two_sided) && !batch.is_mirrored(),
    }
}

impl Marks {
    fn new(gpu: &Gpu, capacity: u64) -> Result<Self, RenderError> {
        let bytes = capacity * size_of::<crate::overlay::Mark>() as u64;
        Ok(Self { buffer: gpu.buffer("marks", bytes, BufferUsages::VERTEX)?, count: 0 })
    }

    /// Uploads marks. Grows the buffer if necessary.
    fn write(&mut self, gpu: &Gpu, marks: &[crate::overlay::Mark]) -> Result<(), RenderError> {
        if size_of_val(marks) as u64 > self.buffer.size() {
            *self = Self::new(gpu, marks.len() as u64 * 2)?;
        }
        gpu.write(&self.buffer, 0, marks);
        self.count = marks.len() as u32;
        Ok(())
    }
}
