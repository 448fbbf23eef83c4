//! The texture that the view is drawn on, anew only when the picture is another.

use crate::app::{App, Mood};
use crate::report::Report;
use crate::stage::Stage;
use crate::ui::View;
use crate::{ViewerError, system};
use eframe::egui::TextureId;
use eframe::egui_wgpu::RenderState;
use sinew_render::wgpu;
use sinew_render::{Gpu, RenderError, Samples, Settings};

/// What egui takes a texture in: colours as they are encoded for a display.
const SHOWN: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// What it is drawn in where the driver lets one texture be seen both ways, so that what is half transparent is mixed as light.
const DRAWN: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// The renderer, on the device that egui draws with.
pub(crate) struct Canvas {
    stage: Stage,
    state: RenderState,
    format: wgpu::TextureFormat,
    screen: Option<Screen>,
    /// What egui calls the texture, whatever its size.
    id: Option<TextureId>,
}

struct Screen {
    view: wgpu::TextureView,
    id: TextureId,
    size: (u32, u32),
    /// The version of the app that is on it.
    version: Option<u64>,
}

impl Canvas {
    /// Shares egui's device.
    pub(crate) fn new(state: Option<RenderState>) -> Result<Self, ViewerError> {
        let state = state.ok_or_else(system::no_driver)?;
        let gpu = Gpu::of_device(&state.adapter, state.device.clone(), state.queue.clone());
        let able = state.adapter.get_downlevel_capabilities().flags;
        let format = if able.contains(wgpu::DownlevelFlags::VIEW_FORMATS) { DRAWN } else { SHOWN };
        let stage = Stage::new(&gpu, Settings { format, samples: Samples::Auto })?;
        Ok(Self { stage, state, format, screen: None, id: None })
    }

    /// Name of the driver.
    pub(crate) fn driver(&self) -> String {
        self.stage.renderer().gpu().name()
    }

    /// The view's picture, drawn anew if it is another. Only what ends everything is an error; the rest the app tells of.
    pub(crate) fn draw(
        &mut self,
        app: &mut App,
        view: View,
        scale: f32,
        report: &mut Report,
    ) -> Result<TextureId, RenderError> {
        let size = view.pixels;
        let mut screen = match self.screen.take().filter(|screen| screen.size == size) {
            Some(screen) => screen,
            None => self.resize(size),
        };
        let id = screen.id;
        let drawn = self.draw_on(&mut screen, app, view, scale, report);
        self.screen = Some(screen);
        drawn.map(|()| id)
    }

    fn draw_on(
        &mut self,
        screen: &mut Screen,
        app: &mut App,
        view: View,
        scale: f32,
        report: &mut Report,
    ) -> Result<(), RenderError> {
        if screen.version == Some(app.version()) {
            return Ok(());
        }
        screen.version = Some(app.version());
        match self.stage.draw(app, &screen.view, screen.size, scale) {
            Ok(()) => report.drawn(app, &view),
            Err(lost @ RenderError::DeviceLost { .. }) => return Err(lost),
            Err(error) => app.notify(Mood::Problem, error.to_string()),
        }
        Ok(())
    }

    fn resize(&mut self, size: (u32, u32)) -> Screen {
        let texture = self.state.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("view"),
            size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: SHOWN,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: if self.format == SHOWN { &[] } else { &[DRAWN] },
        });
        let seen_as = |format| {
            texture.create_view(&wgpu::TextureViewDescriptor { format: Some(format), ..Default::default() })
        };
        let (view, shown) = (seen_as(self.format), seen_as(SHOWN));
        let (device, filter) = (&self.state.device, wgpu::FilterMode::Linear);
        let mut renderer = self.state.renderer.write();
        let id = match self.id {
            Some(id) => {
                renderer.update_egui_texture_from_wgpu_texture(device, &shown, filter, id);
                id
            }
            None => renderer.register_native_texture(device, &shown, filter),
        };
        drop(renderer);
        self.id = Some(id);
        Screen { view, id, size, version: None }
    }
}
