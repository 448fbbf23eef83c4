//! Copies the picture of the view into the window, pixel by pixel. egui's own image drawing filters and blends every pixel, which is slow on a
//! software driver.

use eframe::egui::{PaintCallbackInfo, Rect, Shape};
use eframe::egui_wgpu::{Callback, CallbackResources, CallbackTrait, RenderState};
use sinew_render::wgpu;

const SHADER: &str = "
struct Cover {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
}

@group(0) @binding(0) var picture: texture_2d<f32>;

// One triangle that covers the viewport.
@vertex
fn cover(@builtin(vertex_index) index: u32) -> Cover {
    let corner = vec2(f32((index << 1u) & 2u), f32(index & 2u));
    let clip = vec4(corner * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
    return Cover(clip, corner * vec2<f32>(textureDimensions(picture)));
}

@fragment
fn copy(in: Cover) -> @location(0) vec4<f32> {
    return textureLoad(picture, vec2<i32>(in.at), 0);
}
";

/// Pipeline that copies pictures.
pub(crate) struct Blit {
    device: wgpu::Device,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
}

impl Blit {
    /// For egui's target format.
    pub(crate) fn new(state: &RenderState) -> Self {
        let device = state.device.clone();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("view"),
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("view"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("cover"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("copy"),
                compilation_options: Default::default(),
                targets: &[Some(state.target_format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        Self { layout: pipeline.get_bind_group_layout(0), device, pipeline }
    }

    /// The copy operation of one picture.
    pub(crate) fn of(&self, picture: &wgpu::TextureView) -> Copy {
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &self.layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(picture),
            }],
        });
        Copy { pipeline: self.pipeline.clone(), group }
    }
}

/// Copies one picture.
#[derive(Clone)]
pub(crate) struct Copy {
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
}

impl Copy {
    /// As a shape for egui.
    pub(crate) fn shape(&self, rect: Rect) -> Shape {
        Callback::new_paint_callback(rect, self.clone()).into()
    }
}

impl CallbackTrait for Copy {
    fn paint(
        &self,
        _info: PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        _resources: &CallbackResources,
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.draw(0..3, 0..1);
    }
}
