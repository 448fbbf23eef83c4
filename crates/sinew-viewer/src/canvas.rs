//! The texture of the 3D view. It is redrawn only if the picture has changed.

use crate::app::{App, Mood};
use crate::blit::{Blit, Copy};
use crate::report::Report;
use crate::ui::View;
use crate::viewport::Viewport;
use crate::{ViewerError, system};
use eframe::egui::Shape;
use eframe::egui_wgpu::RenderState;
use sinew::Finding;
use sinew_render::wgpu::{self, TextureFormat};
use sinew_render::{Gpu, RenderError, Samples, Settings};

/// The renderer, on egui's device.
pub(crate) struct Canvas {
    viewport: Viewport,
    state: RenderState,
    formats: Formats,
    blit: Blit,
    screen: Option<Screen>,
}

/// Formats of the two views of the texture.
#[derive(Clone, Copy)]
struct Formats {
    /// For rendering: sRGB if the driver supports it, so that blending is linear.
    drawn: TextureFormat,
    /// For copying into the window without conversion.
    shown: TextureFormat,
}

struct Screen {
    view: wgpu::TextureView,
    copy: Copy,
    size: (u32, u32),
    /// The version of the app that was drawn.
    version: Option<u64>,
}

impl Canvas {
    /// On egui's device.
    pub(crate) fn new(state: Option<RenderState>) -> Result<Self, ViewerError> {
        let state = state.ok_or_else(system::no_driver)?;
        let gpu = Gpu::of_device(&state.adapter, state.device.clone(), state.queue.clone());
        let formats = Formats::of(&state);
        let viewport = Viewport::new(&gpu, Settings::new(formats.drawn, Samples::Auto))?;
        Ok(Self { blit: Blit::new(&state), viewport, state, formats, screen: None })
    }

    /// Name of the driver.
    pub(crate) fn driver(&self) -> String {
        self.viewport.renderer().gpu().name()
    }

    /// Whether the window has an sRGB format.
    pub(crate) fn is_srgb(&self) -> bool {
        self.state.target_format.is_srgb()
    }

    /// The picture of the view, redrawn if it has changed. Only a lost device is an error; others become messages of the app.
    pub(crate) fn draw(
        &mut self,
        app: &mut App,
        view: View,
        scale: f32,
        report: &mut Report,
    ) -> Result<Shape, RenderError> {
        let size = view.pixels;
        let mut screen = match self.screen.take().filter(|screen| screen.size == size) {
            Some(screen) => screen,
            None => self.resize(size),
        };
        let shape = screen.copy.shape(view.rect);
        let drawn = self.draw_on(&mut screen, app, view, scale, report);
        self.screen = Some(screen);
        drawn.map(|()| shape)
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
            // Nothing is drawn, so check for a lost device here.
            return self.check(app);
        }
        screen.version = Some(app.version());
        match self.viewport.draw(app, &screen.view, screen.size, scale) {
            Ok(()) => report.drawn(app, &view),
            Err(lost @ RenderError::DeviceLost { .. }) => return Err(lost),
            Err(error) => app.notify(Mood::Problem, error.to_string()),
        }
        Ok(())
    }

    /// Findings of the renderer, once after the character was first drawn.
    pub(crate) fn take_findings(&mut self) -> Vec<Finding> {
        self.viewport.take_findings()
    }

    /// Fails if the device is lost.
    fn check(&self, app: &mut App) -> Result<(), RenderError> {
        match self.viewport.renderer().gpu().check() {
            Err(error) if !matches!(error, RenderError::DeviceLost { .. }) => {
                app.notify(Mood::Problem, error.to_string());
                Ok(())
            }
            checked => checked,
        }
    }

    fn resize(&self, size: (u32, u32)) -> Screen {
        let Formats { drawn, shown } = self.formats;
        let texture = self.state.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("view"),
            size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: shown,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: if drawn == shown { &[] } else { &[TextureFormat::Rgba8UnormSrgb] },
        });
        let seen_as = |format| {
            texture.create_view(&wgpu::TextureViewDescriptor { format: Some(format), ..Default::default() })
        };
        Screen { view: seen_as(drawn), copy: self.blit.of(&seen_as(shown)), size, version: None }
    }
}

impl Formats {
    fn of(state: &RenderState) -> Self {
        let (plain, encoding) = (TextureFormat::Rgba8Unorm, TextureFormat::Rgba8UnormSrgb);
        let both =
            state.adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::VIEW_FORMATS);
        let shown = if state.target_format.is_srgb() { encoding } else { plain };
        Self { drawn: if both { encoding } else { shown }, shown }
    }
}
