//! The texture that the view is drawn on, anew only when the picture is another.

use crate::app::{App, Mood};
use crate::blit::{Blit, Copy};
use crate::report::Report;
use crate::stage::Stage;
use crate::ui::View;
use crate::{ViewerError, system};
use eframe::egui::Shape;
use eframe::egui_wgpu::RenderState;
use sinew::Finding;
use sinew_render::wgpu::{self, TextureFormat};
use sinew_render::{Gpu, RenderError, Samples, Settings};

/// The renderer, on the device that egui draws with.
pub(crate) struct Canvas {
    stage: Stage,
    state: RenderState,
    formats: Formats,
    blit: Blit,
    screen: Option<Screen>,
}

/// One texture, seen in two ways.
#[derive(Clone, Copy)]
struct Formats {
    /// Encodes light if the driver can, so that what is half transparent is mixed as light.
    drawn: TextureFormat,
    /// Leaves its numbers as they are: those that the window takes.
    shown: TextureFormat,
}

struct Screen {
    view: wgpu::TextureView,
    copy: Copy,
    size: (u32, u32),
    /// The version of the app that is on it.
    version: Option<u64>,
}

impl Canvas {
    /// Shares egui's device.
    pub(crate) fn new(state: Option<RenderState>) -> Result<Self, ViewerError> {
        let state = state.ok_or_else(system::no_driver)?;
        let gpu = Gpu::of_device(&state.adapter, state.device.clone(), state.queue.clone());
        let formats = Formats::of(&state);
        let stage = Stage::new(&gpu, Settings { format: formats.drawn, samples: Samples::Auto })?;
        Ok(Self { blit: Blit::new(&state), stage, state, formats, screen: None })
    }

    /// Name of the driver.
    pub(crate) fn driver(&self) -> String {
        self.stage.renderer().gpu().name()
    }

    /// Whether the window takes light, and encodes it by itself.
    pub(crate) fn takes_light(&self) -> bool {
        self.state.target_format.is_srgb()
    }

    /// The view's picture, drawn anew if it is another. Only what ends everything is an error; the rest the app tells of.
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
            // What stands still would not be told that the device is gone.
            return self.check(app);
        }
        screen.version = Some(app.version());
        match self.stage.draw(app, &screen.view, screen.size, scale) {
            Ok(()) => report.drawn(app, &view),
            Err(lost @ RenderError::DeviceLost { .. }) => return Err(lost),
            Err(error) => app.notify(Mood::Problem, error.to_string()),
        }
        Ok(())
    }

    /// What could not be shown of the character, once after it was first drawn.
    pub(crate) fn take_findings(&mut self) -> Vec<Finding> {
        self.stage.take_findings()
    }

    /// Whether the device is still there.
    fn check(&self, app: &mut App) -> Result<(), RenderError> {
        match self.stage.renderer().gpu().check() {
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
