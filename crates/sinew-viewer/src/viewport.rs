//! Draws the character, overlays and ground that the [`App`] describes. Works with and without a window.

use crate::app::{App, Document, Overlay, Partner, Show};
use sinew::glam::{Affine3, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Finding, Mat3x4};
use sinew_render::wgpu::TextureView;
use sinew_render::{
    Batch, Camera, Color, Depth, Gpu, Look, Names, OffscreenTarget, Picture, RenderError, Renderer, Scene,
    Settings, Skinning,
};
use std::sync::Arc;

/// The renderer and the character on the device.
#[derive(Debug)]
pub struct Viewport {
    renderer: Renderer,
    overlay: sinew_render::Overlay,
    drawn: Option<Drawn>,
    /// The source of retargeted clips.
    beside: Option<Drawn>,
    /// A character that could not be uploaded, and the error, so that it is not tried again for every picture.
    refused: Option<(Arc<Character>, RenderError)>,
    /// Findings of the character that was uploaded last, until they are taken.
    findings: Vec<Finding>,
}

/// The character on the device.
#[derive(Debug)]
struct Drawn {
    character: Arc<Character>,
    batch: Batch,
    /// Meshes in the pose that is shown, for the overlay of normals.
    shapes: Vec<SkinnedVertices>,
}

const CHOSEN: Color = Color([255, 84, 112, 255]);
const TARGET: Color = Color([64, 200, 255, 255]);
const CHOSEN_EDGE: Color = Color([20, 10, 14, 220]);
const LABEL: Color = Color([255, 250, 235, 255]);

impl Viewport {
    /// A viewport without a character.
    pub fn new(gpu: &Gpu, settings: Settings) -> Result<Self, RenderError> {
        Ok(Self {
            renderer: Renderer::new(gpu, settings)?,
            overlay: sinew_render::Overlay::new(),
            drawn: None,
            beside: None,
            refused: None,
            findings: Vec::new(),
        })
    }

    /// Draws what the app shows into a texture of a size in pixels. `scale` is the number of device pixels per logical pixel.
    pub fn draw(
        &mut self,
        app: &App,
        view: &TextureView,
        size: (u32, u32),
        scale: f32,
    ) -> Result<(), RenderError> {
        self.with_scene(app, scale, |renderer, scene| renderer.draw(view, size, scene))
    }

    /// Renders what the app shows into a picture. The viewport must have been made with [`Settings::default`].
    pub fn shoot(
        &mut self,
        app: &App,
        target: &mut OffscreenTarget,
        scale: f32,
    ) -> Result<Picture, RenderError> {
        self.with_scene(app, scale, |renderer, scene| renderer.shoot(target, scene))
    }

    /// The renderer.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// Findings of the renderer about the character: returned once after each upload.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    fn with_scene<T>(
        &mut self,
        app: &App,
        scale: f32,
        act: impl FnOnce(&mut Renderer, &mut Scene<'_, '_>) -> Result<T, RenderError>,
    ) -> Result<T, RenderError> {
        self.upload(app)?;
        self.upload_beside(app)?;
        let camera = app.orbit().camera();
        let look = look(app, &camera);
        self.overlay.clear();
        let mut batches: Vec<&mut Batch> = Vec::new();
        if let (Some(drawn), Some(document), Some(show)) = (&mut self.drawn, app.document(), app.show()) {
            drawn.pose(app, show)?;
            drawn.draw_overlays(app, document, show, &mut self.overlay)?;
            draw_targets(show, document, &mut self.overlay);
            if app.partner().is_some() {
                let upright = document.figure.upright;
                let joints = show.model_matrices().iter().map(|model| model.translation());
                let joints = joints.map(|joint| upright.transform_point3(joint));
                title(document.character.name(), joints, &mut self.overlay);
            }
            batches.push(&mut drawn.batch);
        }
        if let (Some(drawn), Some(partner)) = (&mut self.beside, app.partner()) {
            drawn.pose_beside(app, partner, &mut self.overlay)?;
            batches.push(&mut drawn.batch);
        }
        let mut scene =
            Scene::new(&camera, &look, &mut batches).with_overlay(&mut self.overlay).with_scale(scale);
        act(&mut self.renderer, &mut scene)
    }

    /// Uploads the app's character, unless it is on the device already.
    fn upload(&mut self, app: &App) -> Result<(), RenderError> {
        let Some(document) = app.document() else {
            self.drawn = None;
            return Ok(());
        };
        let wanted = &document.character;
        if self.drawn.as_ref().is_some_and(|drawn| Arc::ptr_eq(&drawn.character, wanted)) {
            return Ok(());
        }
        if let Some((_, error)) = self.refused.as_ref().filter(|(refused, _)| Arc::ptr_eq(refused, wanted)) {
            return Err(error.clone());
        }
        // The old one is dropped afterwards, so that textures which both use stay on the device, and also after an error.
        let loaded = Drawn::new(&mut self.renderer, wanted);
        self.drawn = None;
        match loaded {
            Ok(drawn) => {
                self.findings = drawn.batch.model().findings().to_vec();
                (self.drawn, self.refused) = (Some(drawn), None);
                Ok(())
            }
            Err(error) => {
                self.refused = Some((Arc::clone(wanted), error.clone()));
                Err(error)
            }
        }
    }
}

impl Viewport {
    /// Uploads the source of retargeted clips, unless it is on the device already.
    fn upload_beside(&mut self, app: &App) -> Result<(), RenderError> {
        let Some(wanted) = app.partner().map(|partner| &partner.beside().character) else {
            self.beside = None;
            return Ok(());
        };
        if !self.beside.as_ref().is_some_and(|drawn| Arc::ptr_eq(&drawn.character, wanted)) {
            self.beside = Some(Drawn::new(&mut self.renderer, wanted)?);
        }
        Ok(())
    }
}

impl Drawn {
    fn new(renderer: &mut Renderer, character: &Arc<Character>) -> Result<Self, RenderError> {
        let model = renderer.load(character)?;
        let batch = renderer.batch(&model, 1, Skinning::Auto)?;
        let shapes =
            (0..character.meshes().len()).map(|mesh| SkinnedVertices::for_mesh(model.mesh(mesh))).collect();
        Ok(Self { character: Arc::clone(character), batch, shapes })
    }

    fn pose(&mut self, app: &App, show: &Show) -> Result<(), RenderError> {
        self.batch.set(0, show.instance())?;
        self.batch.show_ghost(app.has(Overlay::Ghost).then_some(0))?;
        self.batch.show_weights(app.selected().filter(|_| app.has(Overlay::Weights)))
    }

    /// The source of retargeted clips, at its place; as a skeleton if it has no meshes, as motion capture has none.
    fn pose_beside(
        &mut self,
        app: &App,
        partner: &Partner,
        overlay: &mut sinew_render::Overlay,
    ) -> Result<(), RenderError> {
        let (player, place) = (partner.player(), partner.beside().place);
        self.batch.set(0, player.instance())?;
        self.batch.place(0, place)?;
        let place = place * self.batch.model().upright();
        let skeleton = self.character.skeleton();
        if app.has(Overlay::Skeleton) || app.has(Overlay::Names) || self.character.meshes().is_empty() {
            overlay.skeleton(skeleton, player.model_matrices(), &place, None, Names::None);
        }
        let joints = player.model_matrices().iter().map(|model| place.transform_point3(model.translation()));
        title(self.character.name(), joints, overlay);
        Ok(())
    }

    fn draw_overlays(
        &mut self,
        app: &App,
        document: &Document,
        show: &Show,
        overlay: &mut sinew_render::Overlay,
    ) -> Result<(), RenderError> {
        let upright = self.batch.model().upright();
        if app.has(Overlay::Normals) {
            self.skin(show)?;
            let length = document.figure.size * 0.012;
            self.shapes.iter().for_each(|shape| overlay.normals(shape, &upright, length));
        }
        if app.has(Overlay::Bounds) {
            overlay.bounds(&self.batch.bounds(0));
        }
        if app.has(Overlay::Trail) {
            let root = show.clip().and_then(|clip| clip.travel(&self.character, None).joint()).unwrap_or(0);
            let now = show.model_matrices().get(usize::from(root));
            overlay.trail(app.trail(), now.map(|model| document.figure.on_ground(model.translation())));
        }
        if app.has(Overlay::Sockets) {
            let length = document.figure.size * sinew_render::PROP;
            overlay.sockets(&app.sockets(), show.model_matrices(), &upright, length);
        }
        let names = match app.selected() {
            _ if app.has(Overlay::Names) => Names::All,
            Some(joint) => Names::Only(joint),
            None => Names::None,
        };
        if app.has(Overlay::Skeleton) || app.has(Overlay::Names) {
            let skeleton = self.character.skeleton();
            overlay.skeleton(skeleton, show.model_matrices(), &upright, app.selected(), names);
        } else if let Some(joint) = app.selected() {
            highlight(joint, document, show.model_matrices(), &upright, overlay);
        }
        Ok(())
    }

    fn skin(&mut self, show: &Show) -> Result<(), RenderError> {
        for (number, shape) in self.shapes.iter_mut().enumerate() {
            // The mesh of the model has normals even if the file has none.
            let mesh = self.batch.model().mesh(number);
            shape.skin(mesh, show.instance().skin_matrices(number), show.pose().scalars())?;
        }
        Ok(())
    }
}

/// Writes a name over the highest joint of a figure.
fn title(name: &str, joints: impl Iterator<Item = Vec3>, overlay: &mut sinew_render::Overlay) {
    if let Some(top) = joints.max_by(|a, b| a.y.total_cmp(&b.y)) {
        overlay.label(top, name, 2, LABEL);
    }
}

/// Handles of the targets of IK, each with a line to what follows it.
fn draw_targets(show: &Show, document: &Document, overlay: &mut sinew_render::Overlay) {
    let upright = document.figure.upright;
    for (number, row) in show.targets().iter().enumerate() {
        let Some(at) = show.target_at(number).map(|at| upright.transform_point3(at)) else { continue };
        let joint = row.handle.joint().and_then(|joint| show.model_matrices().get(usize::from(joint)));
        if let Some(joint) = joint {
            let from = upright.transform_point3(joint.translation());
            overlay.line(from, at, (1.0, 1.0), TARGET, Depth::OnTop);
        }
        for (radius, color) in [(8.5, CHOSEN_EDGE), (7.0, TARGET), (3.4, CHOSEN_EDGE)] {
            overlay.dot(at, radius, color, Depth::OnTop);
        }
        overlay.label(at, &row.handle.name, 1, LABEL);
    }
}

/// Highlights one joint and the bones to its children.
fn highlight(
    joint: u16,
    document: &Document,
    model: &[Mat3x4],
    upright: &Affine3,
    overlay: &mut sinew_render::Overlay,
) {
    let skeleton = document.character.skeleton();
    let at = |joint: u16| model.get(usize::from(joint)).map(|m| upright.transform_point3(m.translation()));
    let Some(point) = at(joint) else { return };
    let below =
        (0u16..).zip(skeleton.parents()).filter(|(_, parent)| **parent == joint).map(|(child, _)| child);
    let ends: Vec<Vec3> = below.filter_map(at).collect();
    for (radii, color) in [((4.2, 2.4), CHOSEN_EDGE), ((3.0, 1.2), CHOSEN)] {
        ends.iter().for_each(|&end| overlay.line(point, end, radii, color, Depth::OnTop));
    }
    overlay.dot(point, 6.4, CHOSEN_EDGE, Depth::OnTop);
    overlay.dot(point, 5.0, CHOSEN, Depth::OnTop);
    overlay.label(point, document.tree.name(joint), 1, LABEL);
}

/// Background, light and ground.
fn look(app: &App, camera: &Camera) -> Look {
    let (top, bottom) = if app.is_dark() {
        (Color([58, 64, 74, 255]), Color([30, 33, 39, 255]))
    } else {
        (Color([240, 242, 245, 255]), Color([205, 210, 218, 255]))
    };
    let mut look = Look::default().lit_for(camera);
    (look.top, look.bottom) = (top, bottom);
    match app.document() {
        Some(document) => {
            let figure = &document.figure;
            let middle = if figure.rest.is_empty() { Vec3::ZERO } else { figure.rest.center() };
            look.with_ground(figure.ground, middle + app.orbit().followed, figure.size)
        }
        None => look,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::News;
    use crate::app::testing::with_mesh;
    use sinew::{Image, Texture};
    use sinew_image::encode_png;
    use sinew_render::wgpu;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[allow(clippy::print_stdout, reason = "the line that the test runner counts skipped tests by")]
    fn gpu(test: &str) -> Option<Gpu> {
        match Gpu::open() {
            Ok(gpu) => Some(gpu),
            Err(RenderError::NoAdapter { .. }) => {
                println!("SINEW-SKIP: {test}: no graphics adapter (install mesa-vulkan-drivers libvulkan1)");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn wait<T>(future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return value;
            }
        }
    }

    /// A device whose largest buffer is one MiB.
    fn small_gpu() -> Gpu {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = wait(instance.request_adapter(&Default::default())).unwrap();
        let limits = wgpu::Limits {
            max_buffer_size: 1 << 20,
            max_storage_buffer_binding_size: 1 << 20,
            max_uniform_buffer_binding_size: 1 << 14,
            ..adapter.limits()
        };
        let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let (device, queue) = wait(adapter.request_device(&descriptor)).unwrap();
        Gpu::of_device(&adapter, device, queue)
    }

    fn app(character: Arc<Character>) -> App {
        let mut app = App::default();
        app.receive(News::Read(Box::new(Document::new(character, &[]))));
        app
    }

    #[test]
    fn what_the_device_refuses_is_asked_for_once() {
        if gpu("what_the_device_refuses_is_asked_for_once").is_none() {
            return;
        }
        let gpu = small_gpu();
        let mut viewport = Viewport::new(&gpu, Settings::default()).unwrap();
        let large = app(with_mesh(100_000, Texture::default()));
        let error = viewport.upload(&large).unwrap_err();
        assert!(matches!(error, RenderError::TooLarge { .. }), "{error}");
        // The vertices fit, the indices do not.
        let created = gpu.created();
        assert_eq!(viewport.upload(&large), Err(error));
        assert_eq!(gpu.created(), created);
        let small = app(with_mesh(1, Texture::default()));
        assert_eq!(viewport.upload(&small), Ok(()));
        assert!(
            viewport.upload(&large).is_err() && viewport.drawn.is_none(),
            "the one before is not shown in its place"
        );
    }

    #[test]
    fn what_is_read_again_keeps_its_textures() {
        let Some(gpu) = gpu("what_is_read_again_keeps_its_textures") else { return };
        let mut viewport = Viewport::new(&gpu, Settings::default()).unwrap();
        let png = encode_png(&Picture::from_pixels(1, 1, vec![255; 4]).unwrap()).unwrap();
        let texture = Texture { image: Image::Embedded(png.into()), ..Texture::default() };
        let made_by = |viewport: &mut Viewport| {
            let before = gpu.created();
            viewport.upload(&app(with_mesh(1, texture.clone()))).unwrap();
            gpu.created() - before
        };
        made_by(&mut viewport);
        let again = made_by(&mut viewport);
        viewport.drawn = None;
        assert!(again < made_by(&mut viewport));
    }

    #[test]
    fn what_cannot_be_shown_is_told_once() {
        let Some(gpu) = gpu("what_cannot_be_shown_is_told_once") else { return };
        let mut viewport = Viewport::new(&gpu, Settings::default()).unwrap();
        let app = app(with_mesh(1, Texture::default()));
        viewport.upload(&app).unwrap();
        let ids: Vec<_> = viewport.take_findings().iter().map(Finding::id).collect();
        assert_eq!(ids, ["render.texture"]);
        viewport.upload(&app).unwrap();
        assert!(viewport.take_findings().is_empty());
    }

    #[test]
    fn a_mesh_without_normals_shows_those_that_it_is_drawn_with() {
        let Some(gpu) = gpu("a_mesh_without_normals_shows_those_that_it_is_drawn_with") else { return };
        let mut viewport = Viewport::new(&gpu, Settings::default()).unwrap();
        let app = app(with_mesh(1, Texture::default()));
        viewport.upload(&app).unwrap();
        let drawn = viewport.drawn.as_mut().unwrap();
        drawn.skin(app.show().unwrap()).unwrap();
        assert_eq!(drawn.shapes[0].normals, [Vec3::Z; 3]);
    }
}
