//! A window that shows a scene, with winit and wgpu.

use super::keys::{Key, Keys, Script};
use super::{Arguments, Game, RATE, Result};
use sinew_render::wgpu::{self, CurrentSurfaceTexture};
use sinew_render::{Gpu, Renderer, Samples, Settings};
use std::sync::Arc;
use std::time::Instant;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{KeyCode, PhysicalKey};
use winit::window::{Window, WindowId};

/// Letter and digit keys that scenes use.
const KEYS: [(KeyCode, char); 9] = [
    (KeyCode::KeyW, 'w'),
    (KeyCode::KeyA, 'a'),
    (KeyCode::KeyS, 's'),
    (KeyCode::KeyD, 'd'),
    (KeyCode::KeyR, 'r'),
    (KeyCode::Digit1, '1'),
    (KeyCode::Digit2, '2'),
    (KeyCode::Digit3, '3'),
    (KeyCode::Digit4, '4'),
];

/// Opens a window and runs until it is closed.
pub(super) fn run<G: Game>(arguments: &Arguments) -> Result {
    let hint = "no display to open a window on: use --shot PICTURE.png --at SECONDS to draw without a window";
    let events = EventLoop::new().map_err(|_| hint)?;
    events.set_control_flow(ControlFlow::Poll);
    let mut app: App<'_, G> = App {
        open: None,
        arguments,
        keys: Keys::default(),
        script: Some(Script::new(G::SCRIPT, G::SCRIPT_LENGTH)),
        failure: None,
    };
    events.run_app(&mut app)?;
    app.failure.map_or(Ok(()), Err)
}

struct App<'a, G> {
    open: Option<Open<G>>,
    arguments: &'a Arguments,
    keys: Keys,
    /// Runs until somebody presses a key.
    script: Option<Script>,
    failure: Option<Box<dyn std::error::Error>>,
}

struct Open<G> {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    renderer: Renderer,
    game: G,
    began: Instant,
    /// Seconds that the scene has run.
    played: f64,
}

impl<G: Game> Open<G> {
    fn new(events: &ActiveEventLoop, arguments: &Arguments) -> Result<Self> {
        let size = arguments.size;
        let attributes = Window::default_attributes().with_title(G::TITLE);
        let attributes = attributes.with_inner_size(PhysicalSize::new(size.0, size.1));
        let window = Arc::new(events.create_window(attributes)?);
        let descriptor = wgpu::InstanceDescriptor::new_with_display_handle_from_env(Box::new(
            events.owned_display_handle(),
        ));
        let instance = wgpu::Instance::new(descriptor);
        let surface = instance.create_surface(Arc::clone(&window))?;
        let (gpu, adapter) = Gpu::open_for(&instance, &surface)?;
        let mut config = surface
            .get_default_config(&adapter, size.0, size.1)
            .ok_or("the adapter cannot draw to the window")?;
        // An sRGB format, if the window has one.
        let formats = surface.get_capabilities(&adapter).formats;
        config.format = formats.iter().copied().find(|f| f.is_srgb()).unwrap_or(config.format);
        surface.configure(gpu.device(), &config);
        let mut renderer = Renderer::new(&gpu, Settings::new(config.format, Samples::Auto))?;
        let game = super::load(&mut renderer, arguments)?;
        Ok(Self { window, surface, config, renderer, game, began: Instant::now(), played: 0.0 })
    }

    fn resize(&mut self, size: PhysicalSize<u32>) {
        (self.config.width, self.config.height) = (size.width.max(1), size.height.max(1));
        self.surface.configure(self.renderer.gpu().device(), &self.config);
    }

    /// Runs up to now, in fixed steps.
    fn update(&mut self, keys: &mut Keys, script: &mut Option<Script>) -> Result {
        let now = self.began.elapsed().as_secs_f64();
        // After a pause (window moved, laptop suspended) the lost time is skipped.
        self.played = self.played.max(now - 0.25);
        while self.played < now {
            let step = 1.0 / RATE;
            match script {
                Some(script) => self.game.update(script.step(step), step)?,
                None => self.game.update(keys, step)?,
            }
            keys.seen();
            self.played += step;
        }
        Ok(())
    }

    fn draw(&mut self) -> Result {
        let texture = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(texture) | CurrentSurfaceTexture::Suboptimal(texture) => texture,
            CurrentSurfaceTexture::Timeout | CurrentSurfaceTexture::Occluded => {
                // The window is not visible: do not spin.
                std::thread::sleep(std::time::Duration::from_millis(50));
                return Ok(());
            }
            CurrentSurfaceTexture::Outdated | CurrentSurfaceTexture::Lost => {
                self.surface.configure(self.renderer.gpu().device(), &self.config);
                return Ok(());
            }
            CurrentSurfaceTexture::Validation => return Ok(self.renderer.gpu().check()?),
        };
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let size = (self.config.width, self.config.height);
        let renderer = &mut self.renderer;
        self.game.draw(size.0 as f32 / size.1 as f32, &mut |scene| Ok(renderer.draw(&view, size, scene)?))?;
        self.window.pre_present_notify();
        renderer.gpu().queue().present(texture);
        Ok(())
    }
}

impl<G: Game> App<'_, G> {
    fn frame(&mut self, events: &ActiveEventLoop) -> Result {
        let Some(open) = &mut self.open else { return Ok(()) };
        open.update(&mut self.keys, &mut self.script)?;
        open.draw()?;
        open.window.request_redraw();
        if self.arguments.at.is_some_and(|end| open.began.elapsed().as_secs_f64() >= end) {
            events.exit();
        }
        Ok(())
    }

    fn key(&mut self, event: &KeyEvent, events: &ActiveEventLoop) {
        // Physical keys: with logical ones, `1` could be pressed without Shift and released with it, as `!`.
        let PhysicalKey::Code(code) = event.physical_key else { return };
        let key = match code {
            KeyCode::Escape => return events.exit(),
            KeyCode::ShiftLeft | KeyCode::ShiftRight => Key::Shift,
            KeyCode::Space => Key::Space,
            code => match KEYS.iter().find(|(known, _)| *known == code) {
                Some((_, letter)) => Key::Char(*letter),
                None => return,
            },
        };
        self.script = None;
        self.keys.set(key, event.state == ElementState::Pressed);
    }

    /// Keeps the error and exits.
    fn fail(&mut self, error: Box<dyn std::error::Error>, events: &ActiveEventLoop) {
        self.failure = Some(error);
        events.exit();
    }
}

impl<G: Game> ApplicationHandler for App<'_, G> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.open.is_none() {
            match Open::new(events, self.arguments) {
                Ok(open) => {
                    open.window.request_redraw();
                    self.open = Some(open);
                }
                Err(error) => self.fail(error, events),
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::Resized(size) => {
                if let Some(open) = &mut self.open {
                    open.resize(size);
                }
            }
            WindowEvent::KeyboardInput { event, .. } => self.key(&event, events),
            WindowEvent::RedrawRequested => {
                if let Err(error) = self.frame(events) {
                    self.fail(error, events);
                }
            }
            _ => {}
        }
    }
}
