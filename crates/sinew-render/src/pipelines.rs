//! Render pipelines and bind group layouts.

use crate::Gpu;
use sinew::Material;
use sinew::glam::Vec3;
use std::collections::HashMap;
use wgpu::{BindGroupLayout, BufferBindingType, ShaderStages, VertexAttribute, VertexFormat, VertexStepMode};

/// Format of the depth attachment. Depth is reversed: 1 is near, 0 is at infinity.
pub const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Format of the ground shadow texture.
pub(crate) const SHADE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R8Unorm;

const FRAME: &str = include_str!("shaders/frame.wgsl");
const SKIN: &str = include_str!("shaders/skin.wgsl");
const LIGHT: &str = include_str!("shaders/light.wgsl");
const MESH: &str = include_str!("shaders/mesh.wgsl");
const GROUND: &str = include_str!("shaders/ground.wgsl");
const OVERLAY: &str = include_str!("shaders/overlay.wgsl");
const POSITIONS: &str = include_str!("shaders/positions.wgsl");

/// Skinning in the vertex shader: none, or with four or eight influences per vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Deform {
    Plain,
    Four,
    Eight,
}

/// Handling of alpha. The values are those of `ALPHA` in `mesh.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Alpha {
    Opaque = 0,
    Mask = 1,
    /// The opaque pixels of a blended surface, drawn with depth writes: most pixels of blended materials are opaque.
    Core = 2,
    Blend = 3,
    Ghost = 4,
}

/// What a material has beyond colour: bits of `FEATURES` in `mesh.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Features(u8);

impl Features {
    /// It reflects or emits light, or has one of the maps below.
    const SHINES: u8 = 1;
    pub(crate) const METAL_MAP: u8 = 2;
    pub(crate) const NORMAL_MAP: u8 = 4;
    pub(crate) const OCCLUSION_MAP: u8 = 8;
    pub(crate) const EMISSION_MAP: u8 = 16;
    const TRANSMITS: u8 = 32;

    pub(crate) fn of(material: &Material) -> Self {
        if material.unlit {
            return Self::default();
        }
        let emits = material.emissive != Vec3::ZERO && material.emissive_strength != 0.0;
        let shines = material.metallic > 0.0 || material.roughness < 1.0 || emits;
        let bits = [
            (shines, 0),
            (material.metallic_roughness_texture.is_some(), Self::METAL_MAP),
            (material.normal_texture.is_some(), Self::NORMAL_MAP),
            (material.occlusion_texture.is_some(), Self::OCCLUSION_MAP),
            (material.emissive_texture.is_some() && emits, Self::EMISSION_MAP),
            (material.transmission > 0.0, Self::TRANSMITS),
        ];
        let bits = bits.iter().filter(|(has, _)| *has).map(|(_, bit)| bit | Self::SHINES);
        Self(bits.fold(0, |all, bit| all | bit))
    }

    pub(crate) fn without(self, bit: u8) -> Self {
        Self(self.0 & !bit)
    }

    /// Whether vertices need tangents.
    pub(crate) fn bumpy(self) -> bool {
        self.0 & Self::NORMAL_MAP != 0
    }
}

/// What pipelines of meshes differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    pub(crate) deform: Deform,
    pub(crate) alpha: Alpha,
    pub(crate) features: Features,
    pub(crate) cull: bool,
}

/// Bind group layouts.
#[derive(Debug)]
pub(crate) struct Layouts {
    pub(crate) frame: BindGroupLayout,
    pub(crate) material: BindGroupLayout,
    /// Inputs of GPU skinning.
    pub(crate) skinned: BindGroupLayout,
    /// The same for vertices that the CPU has skinned.
    pub(crate) plain: BindGroupLayout,
    pub(crate) shade: BindGroupLayout,
    pub(crate) glyphs: BindGroupLayout,
    pub(crate) positions: BindGroupLayout,
}

/// Pipelines. Those of meshes are created when they are first needed.
#[derive(Debug)]
pub(crate) struct Pipelines {
    gpu: Gpu,
    format: wgpu::TextureFormat,
    samples: u32,
    pub(crate) layouts: Layouts,
    mesh_shader: wgpu::ShaderModule,
    skinned_layout: Option<wgpu::PipelineLayout>,
    plain_layout: wgpu::PipelineLayout,
    meshes: HashMap<Variant, wgpu::RenderPipeline>,
    shades: HashMap<Deform, wgpu::RenderPipeline>,
    pub(crate) background: wgpu::RenderPipeline,
    pub(crate) ground: wgpu::RenderPipeline,
    pub(crate) blur: [wgpu::RenderPipeline; 2],
    /// Lines with and without depth test.
    pub(crate) lines: [wgpu::RenderPipeline; 2],
    pub(crate) glyphs: wgpu::RenderPipeline,
    positions: Option<wgpu::ComputePipeline>,
}

impl Pipelines {
    pub(crate) fn new(gpu: &Gpu, format: wgpu::TextureFormat, samples: u32) -> Self {
        let layouts = Layouts::new(gpu);
        let mesh_shader = gpu.shader("mesh", &[FRAME, SKIN, LIGHT, MESH]);
        let ground_shader = gpu.shader("ground", &[FRAME, GROUND]);
        let overlay_shader = gpu.shader("overlay", &[FRAME, OVERLAY]);
        let layout = |label: &str, groups: &[&BindGroupLayout]| {
            gpu.pipeline_layout(label, &groups.iter().map(|group| Some(*group)).collect::<Vec<_>>())
        };
        let skinned =
            gpu.can_skin().then(|| layout("skinned", &[&layouts.frame, &layouts.material, &layouts.skinned]));
        let ground_layout = layout("ground", &[&layouts.frame, &layouts.shade]);
        let overlay_layout = layout("overlay", &[&layouts.frame, &layouts.glyphs]);
        let on = Output { format, samples, depth: true };
        let shade = Output { format: SHADE_FORMAT, samples: 1, depth: false };
        let ground = |fragment: &'static str, vertex: &'static str, output, blend| {
            let strip = wgpu::PrimitiveTopology::TriangleStrip;
            Recipe::new(&ground_layout, &ground_shader, vertex, fragment, output)
                .blend(blend)
                .topology(if vertex == "ground" { strip } else { wgpu::PrimitiveTopology::TriangleList })
        };
        let overlay = |vertex: &'static str, fragment: &'static str| {
            Recipe::new(&overlay_layout, &overlay_shader, vertex, fragment, on)
                .blend(OVER)
                .topology(wgpu::PrimitiveTopology::TriangleStrip)
        };
        Self {
            background: ground("background", "cover", on, None).untested().make(gpu, &[]),
            ground: ground("ground_color", "ground", on, OVER).make(gpu, &[]),
            blur: ["blur_across", "blur_down"].map(|f| ground(f, "cover", shade, None).make(gpu, &[])),
            lines: [
                overlay("stroke", "stroke_color").make(gpu, &[LINE]),
                overlay("stroke", "stroke_color").untested().make(gpu, &[LINE]),
            ],
            glyphs: overlay("glyph", "glyph_color").untested().make(gpu, &[LINE]),
            plain_layout: layout("plain", &[&layouts.frame, &layouts.material, &layouts.plain]),
            skinned_layout: skinned,
            gpu: gpu.clone(),
            format,
            samples,
            layouts,
            mesh_shader,
            meshes: HashMap::new(),
            shades: HashMap::new(),
            positions: None,
        }
    }

    /// Creates the pipelines of a mesh, unless they exist.
    pub(crate) fn prepare(&mut self, variant: Variant) {
        if !self.meshes.contains_key(&variant) {
            let made = self.make_mesh(variant);
            self.meshes.insert(variant, made);
        }
        if !self.shades.contains_key(&variant.deform) {
            let made = self.make_shade(variant.deform);
            self.shades.insert(variant.deform, made);
        }
    }

    pub(crate) fn mesh(&self, variant: Variant) -> Option<&wgpu::RenderPipeline> {
        self.meshes.get(&variant)
    }

    pub(crate) fn shade(&self, deform: Deform) -> Option<&wgpu::RenderPipeline> {
        self.shades.get(&deform)
    }

    /// The compute pipeline that writes skinned positions for reading back.
    pub(crate) fn positions(&mut self) -> &wgpu::ComputePipeline {
        let (gpu, layouts) = (&self.gpu, &self.layouts);
        self.positions.get_or_insert_with(|| {
            let shader = gpu.shader("positions", &[SKIN, POSITIONS]);
            let groups = [Some(&layouts.positions), None, Some(&layouts.skinned)];
            let layout = gpu.pipeline_layout("positions", &groups);
            gpu.compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("positions"),
                layout: Some(&layout),
                module: &shader,
                entry_point: Some("positions"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })
    }

    fn recipe<'a>(&'a self, deform: Deform, entries: [&'a str; 3], output: Output) -> Recipe<'a> {
        let (layout, vertex) = match (deform, &self.skinned_layout) {
            (Deform::Four, Some(layout)) => (layout, entries[1]),
            (Deform::Eight, Some(layout)) => (layout, entries[2]),
            _ => (&self.plain_layout, entries[0]),
        };
        Recipe::new(layout, &self.mesh_shader, vertex, "", output)
    }

    fn make_mesh(&self, variant: Variant) -> wgpu::RenderPipeline {
        let output = Output { format: self.format, samples: self.samples, depth: true };
        let translucent = matches!(variant.alpha, Alpha::Blend | Alpha::Ghost);
        let constants =
            [("ALPHA", f64::from(variant.alpha as u8)), ("FEATURES", f64::from(variant.features.0))];
        let bumpy = variant.features.bumpy();
        let entries = if bumpy {
            ["plain_tangent", "four_tangent", "eight_tangent"]
        } else {
            ["plain", "four", "eight"]
        };
        let mut recipe = self.recipe(variant.deform, entries, output);
        recipe.fragment = "material_color";
        recipe.constants = &constants;
        recipe.cull = variant.cull;
        recipe.writes_depth = !translucent;
        recipe.blend(if translucent { OVER } else { None }).make(&self.gpu, &streams(variant.deform, bumpy))
    }

    fn make_shade(&self, deform: Deform) -> wgpu::RenderPipeline {
        let output = Output { format: SHADE_FORMAT, samples: 1, depth: false };
        let mut recipe = self.recipe(deform, ["plain_shade", "four_shade", "eight_shade"], output);
        recipe.fragment = "shadow";
        recipe.blend(DARKEST).make(&self.gpu, &streams(deform, false))
    }
}

impl Layouts {
    fn new(gpu: &Gpu) -> Self {
        let both = ShaderStages::VERTEX_FRAGMENT;
        let (vertex, fragment, compute) =
            (ShaderStages::VERTEX, ShaderStages::FRAGMENT, ShaderStages::COMPUTE);
        let uniform = BufferBindingType::Uniform;
        let read = BufferBindingType::Storage { read_only: true };
        let skinned = if gpu.can_skin() {
            let stages = vertex | compute;
            let storage = (1..5).map(|i| buffer(i, stages, read));
            [buffer(0, both | compute, uniform)].into_iter().chain(storage).collect()
        } else {
            vec![buffer(0, both, uniform)]
        };
        let textures = (0..5).flat_map(|i| [picture(2 * i + 1, true), sampler(2 * i + 2, fragment)]);
        let material: Vec<_> = [buffer(0, both, uniform)].into_iter().chain(textures).collect();
        let positions = if gpu.can_skin() {
            let write = BufferBindingType::Storage { read_only: false };
            vec![
                buffer(0, compute, read),
                buffer(1, compute, read),
                buffer(2, compute, write),
                buffer(3, compute, uniform),
            ]
        } else {
            vec![]
        };
        Self {
            frame: gpu.bind_group_layout("frame", &[buffer(0, both, uniform)]),
            material: gpu.bind_group_layout("material", &material),
            skinned: gpu.bind_group_layout("skinned", &skinned),
            plain: gpu.bind_group_layout("plain", &[buffer(0, both, uniform)]),
            shade: gpu.bind_group_layout("shade", &[picture(0, true), sampler(1, fragment)]),
            glyphs: gpu.bind_group_layout("glyphs", &[picture(0, false)]),
            positions: gpu.bind_group_layout("positions", &positions),
        }
    }
}

fn buffer(binding: u32, visibility: ShaderStages, ty: BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn picture(binding: u32, filterable: bool) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    wgpu::BindGroupLayoutEntry { binding, visibility: ShaderStages::FRAGMENT, ty, count: None }
}

fn sampler(binding: u32, visibility: ShaderStages) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

/// Attachments of a pass.
#[derive(Clone, Copy)]
struct Output {
    format: wgpu::TextureFormat,
    samples: u32,
    depth: bool,
}

/// Premultiplied alpha blending.
const OVER: Option<wgpu::BlendState> = Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
/// The maximum: overlapping shadows do not add up.
const DARKEST: Option<wgpu::BlendState> = {
    let greater = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Max,
    };
    Some(wgpu::BlendState { color: greater, alpha: greater })
};

/// The parts of a pipeline descriptor in which pipelines differ.
struct Recipe<'a> {
    layout: &'a wgpu::PipelineLayout,
    shader: &'a wgpu::ShaderModule,
    vertex: &'a str,
    fragment: &'a str,
    constants: &'a [(&'a str, f64)],
    output: Output,
    blend: Option<wgpu::BlendState>,
    topology: wgpu::PrimitiveTopology,
    cull: bool,
    tests_depth: bool,
    writes_depth: bool,
}

impl<'a> Recipe<'a> {
    fn new(
        layout: &'a wgpu::PipelineLayout,
        shader: &'a wgpu::ShaderModule,
        vertex: &'a str,
        fragment: &'a str,
        output: Output,
    ) -> Self {
        Self {
            layout,
            shader,
            vertex,
            fragment,
            constants: &[],
            output,
            blend: None,
            topology: wgpu::PrimitiveTopology::TriangleList,
            cull: false,
            tests_depth: true,
            writes_depth: false,
        }
    }

    fn blend(self, blend: Option<wgpu::BlendState>) -> Self {
        Self { blend, ..self }
    }

    fn topology(self, topology: wgpu::PrimitiveTopology) -> Self {
        Self { topology, ..self }
    }

    /// Without depth test.
    fn untested(self) -> Self {
        Self { tests_depth: false, ..self }
    }

    fn make(&self, gpu: &Gpu, buffers: &[Option<wgpu::VertexBufferLayout<'_>>]) -> wgpu::RenderPipeline {
        let compare = if self.tests_depth {
            wgpu::CompareFunction::GreaterEqual
        } else {
            wgpu::CompareFunction::Always
        };
        let depth_stencil = self.output.depth.then(|| wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(self.writes_depth),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        });
        let options = wgpu::PipelineCompilationOptions { constants: self.constants, ..Default::default() };
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.fragment),
            layout: Some(self.layout),
            vertex: wgpu::VertexState {
                module: self.shader,
                entry_point: Some(self.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: self.topology,
                cull_mode: self.cull.then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_stencil,
            multisample: wgpu::MultisampleState { count: self.output.samples, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: self.shader,
                entry_point: Some(self.fragment),
                compilation_options: options,
                targets: &[Some(wgpu::ColorTargetState {
                    format: self.output.format,
                    blend: self.blend,
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

const fn attribute(location: u32, offset: u64, format: VertexFormat) -> VertexAttribute {
    VertexAttribute { format, offset, shader_location: location }
}

const fn stream(
    array_stride: u64,
    step_mode: VertexStepMode,
    attributes: &[VertexAttribute],
) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes })
}

/// Slots of the vertex buffers that not all pipelines have.
pub(crate) const INFLUENCES_SLOT: u32 = 4;
pub(crate) const TANGENTS_SLOT: u32 = 5;

/// Vertex buffers of a mesh, in binding order.
fn streams(deform: Deform, tangents: bool) -> Vec<Option<wgpu::VertexBufferLayout<'static>>> {
    use VertexFormat::{Float32, Float32x3, Float32x4, Uint16x4, Uint32, Unorm16x4};
    use VertexStepMode::{Instance, Vertex};
    const SHAPE: &[VertexAttribute] = &[attribute(0, 0, Float32x3), attribute(1, 12, Float32x3)];
    const SURFACE: &[VertexAttribute] = &[attribute(2, 0, Float32x4), attribute(3, 16, Unorm16x4)];
    const TANGENT: &[VertexAttribute] = &[attribute(14, 0, Float32x4)];
    const PAINT: &[VertexAttribute] = &[attribute(4, 0, Float32)];
    const INSTANCE: &[VertexAttribute] = &[
        attribute(5, 0, Float32x4),
        attribute(6, 16, Float32x4),
        attribute(7, 32, Float32x4),
        attribute(8, 48, Float32x4),
        attribute(9, 64, Uint32),
    ];
    const FOUR: &[VertexAttribute] = &[attribute(10, 0, Uint16x4), attribute(11, 8, Float32x4)];
    const EIGHT: &[VertexAttribute] = &[
        attribute(10, 0, Uint16x4),
        attribute(11, 8, Float32x4),
        attribute(12, 24, Uint16x4),
        attribute(13, 32, Float32x4),
    ];
    let mut streams = vec![
        stream(24, Vertex, SHAPE),
        stream(24, Vertex, SURFACE),
        stream(4, Vertex, PAINT),
        stream(80, Instance, INSTANCE),
    ];
    streams.push(match deform {
        Deform::Plain => None,
        Deform::Four => stream(24, Vertex, FOUR),
        Deform::Eight => stream(48, Vertex, EIGHT),
    });
    streams.push(if tangents { stream(16, Vertex, TANGENT) } else { None });
    streams
}

/// Instance buffer of lines and glyphs: two vectors and a colour.
const LINE: Option<wgpu::VertexBufferLayout<'static>> = stream(
    48,
    VertexStepMode::Instance,
    &[
        attribute(0, 0, VertexFormat::Float32x4),
        attribute(1, 16, VertexFormat::Float32x4),
        attribute(2, 32, VertexFormat::Float32x4),
    ],
);
