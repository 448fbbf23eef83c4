//! The window: one device for egui and the renderer, and a worker that loads files.

use crate::app::{App, Mood, News, Request, Worker};
use crate::canvas::Canvas;
use crate::report::Report;
use crate::{Options, ViewerError, system, ui};
use eframe::egui::{self, Context};
use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew};
use sinew_render::wgpu;
use sinew_render::{Picture, RenderError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Frames until egui has laid out the panels.
const SETTLED: u64 = 4;

/// Opens the window and returns when it is closed. `out` receives the lines of [`Options::report`].
pub fn run(options: Options, out: Box<dyn Write + Send>) -> Result<(), ViewerError> {
    system::check()?;
    let failure = Failure::default();
    let keep = failure.clone();
    let title = options.title();
    let viewport = egui::ViewportBuilder::default()
        .with_title(&title)
        .with_app_id("sinew-viewer")
        .with_inner_size([options.size.0 as f32, options.size.1 as f32])
        .with_min_inner_size([480.0, 320.0])
        .with_drag_and_drop(true);
    let native = eframe::NativeOptions {
        viewport,
        renderer: eframe::Renderer::Wgpu,
        wgpu_options: device(),
        // Only the view has gradients, which egui does not dither; and dithering is slow on a software driver.
        dithering: false,
        ..Default::default()
    };
    let create: eframe::AppCreator<'_> =
        Box::new(move |context| Ok(Box::new(Window::new(context, options, out, keep)?)));
    let ran = eframe::run_native(&title, native, create);
    failure.take().map_or(Ok(()), Err)?;
    ran.map_err(|error| system::explain(&error))
}

/// Requests all limits of the adapter: GPU skinning needs more storage buffers than egui's defaults allow.
fn device() -> WgpuConfiguration {
    let setup = WgpuSetupCreateNew {
        device_descriptor: Arc::new(|adapter| wgpu::DeviceDescriptor {
            label: Some("sinew"),
            required_limits: adapter.limits(),
            ..Default::default()
        }),
        ..WgpuSetupCreateNew::without_display_handle()
    };
    WgpuConfiguration { wgpu_setup: WgpuSetup::CreateNew(setup), ..Default::default() }
}

/// The error that closed the window, if any.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<ViewerError>>>);

impl Failure {
    fn set(&self, error: impl Into<ViewerError>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into());
    }

    fn take(&self) -> Option<ViewerError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

struct Window {
    app: App,
    canvas: Canvas,
    requests: Sender<Request>,
    news: Receiver<News>,
    /// The worker has ended, and this was reported.
    deaf: bool,
    last: Instant,
    report: Report,
    screenshot: Option<PathBuf>,
    /// Whether files were given.
    opens: bool,
    failure: Failure,
}

impl Window {
    fn new(
        context: &eframe::CreationContext<'_>,
        options: Options,
        out: Box<dyn Write + Send>,
        failure: Failure,
    ) -> Result<Self, ViewerError> {
        let canvas = Canvas::new(context.wgpu_render_state.clone())?;
        ui::theme::install(&context.egui_ctx);
        ui::fonts::install(&context.egui_ctx);
        let system_is_light = context.egui_ctx.system_theme() == Some(egui::Theme::Light);
        let mut app = App::default();
        app.set_dark(options.theme.is_dark(system_is_light));
        app.begin_with(options.beginning);
        let wake = context.egui_ctx.clone();
        let (requests, news) = Worker::spawn(options.import, move || wake.request_repaint());
        let opens = options.files.is_some();
        if let Some(files) = options.files {
            // Fails only if the worker has ended, which `hear` reports.
            let _ = requests.send(Request::Open(files));
        }
        let report = Report::new(options.report.then_some(out), &canvas.driver());
        let (screenshot, last) = (options.screenshot, Instant::now());
        Ok(Self { app, canvas, requests, news, deaf: false, last, report, screenshot, opens, failure })
    }

    /// Handles all messages of the worker.
    fn hear(&mut self) {
        loop {
            let news = match self.news.try_recv() {
                Ok(news) => news,
                // The worker ends before the window only if it panics.
                Err(TryRecvError::Disconnected) if !std::mem::replace(&mut self.deaf, true) => News::ended(),
                Err(_) => return,
            };
            self.report.heard(&news);
            self.app.receive(news);
        }
    }

    /// Takes a screenshot of the window once everything is loaded and laid out, and closes it.
    fn take_screenshot(&mut self, context: &Context) {
        context.request_repaint();
        let examined = self.app.document().is_some_and(|document| document.findings.is_some());
        // Without a worker nothing more will be loaded.
        let failed = self.deaf || (self.app.document().is_none() && self.app.notice().is_some());
        if !(examined || failed || !self.opens) || self.report.frames_since_news() < SETTLED {
            return;
        }
        let Some(path) = self.screenshot.take() else { return };
        if let Some(notice) = self.app.notice().filter(|notice| notice.mood == Mood::Problem) {
            self.failure.set(ViewerError::Shown { details: notice.text.clone() });
        }
        let read = self.app.document().map_or(&[][..], |document| &document.read);
        let source = sinew_files::overwritten(&path, read.iter().map(PathBuf::as_path));
        if let Some(source) = source {
            let details = format!(
                "{}: would overwrite its own source {}; choose another name",
                path.display(),
                source.display()
            );
            self.failure.set(ViewerError::Shown { details });
            return context.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        let (failure, close) = (self.failure.clone(), context.clone());
        let callback = egui::ScreenshotCallback::new(move |image| {
            if let Err(error) = write(&image, &path) {
                failure.set(error);
            }
            close.send_viewport_cmd(egui::ViewportCommand::Close);
            close.request_repaint();
        });
        context.send_viewport_cmd(egui::ViewportCommand::Screenshot(callback));
    }
}

fn write(image: &egui::ColorImage, path: &Path) -> Result<(), RenderError> {
    let [width, height] = image.size.map(|length| length as u32);
    let pixels = image.pixels.iter().flat_map(|pixel| pixel.to_srgba_unmultiplied()).collect();
    let picture = Picture::from_pixels(width, height, pixels)
        .ok_or(RenderError::Empty { what: "the picture", hint: "make the window larger" })?;
    sinew_render::write_png(path, &picture)
}

impl eframe::App for Window {
    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        let color = visuals.panel_fill;
        if self.canvas.is_srgb() {
            egui::Rgba::from(color).to_array()
        } else {
            color.to_normalized_gamma_f32()
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let context = ui.ctx().clone();
        let now = Instant::now();
        // Time first: actions and messages of this frame must not be advanced by the time before it.
        self.app.tick(now.duration_since(std::mem::replace(&mut self.last, now)).as_secs_f64());
        self.hear();
        for action in ui::key_actions(&context) {
            self.app.apply(action);
        }
        context.set_theme(if self.app.is_dark() { egui::Theme::Dark } else { egui::Theme::Light });
        for action in ui::show_panels(&mut self.app, ui) {
            self.app.apply(action);
        }
        let scale = context.pixels_per_point();
        let (canvas, report, failure) = (&mut self.canvas, &mut self.report, &self.failure);
        ui::show_view(&mut self.app, ui, |app, view| {
            canvas.draw(app, view, scale, report).map_err(|lost| failure.set(lost)).ok().or_else(|| {
                context.send_viewport_cmd(egui::ViewportCommand::Close);
                None
            })
        });
        let findings = self.canvas.take_findings();
        if !findings.is_empty() {
            self.app.remark(&findings);
            // The panel of findings was drawn already.
            context.request_repaint();
        }
        for request in self.app.take_requests() {
            let _ = self.requests.send(request);
        }
        self.report.shown();
        if self.screenshot.is_some() {
            self.take_screenshot(&context);
        }
        if self.app.is_moving() {
            context.request_repaint();
        } else if self.app.notice().is_some() {
            context.request_repaint_after(Duration::from_secs(1));
        }
    }
}
