//! What the renderer is told to draw, from what the [`App`] knows. Works with a window and without.

use crate::app::{App, Document, Overlay, Show};
use sinew::Character;
use sinew::glam::{Affine3, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew_render::wgpu::TextureView;
use sinew_render::{
    Batch, Camera, Color, Depth, Gpu, Look, Names, Picture, RenderError, Renderer, Scene, Settings, Skinning,
    Target,
};
use std::sync::Arc;

/// The renderer and what is on the device.
#[derive(Debug)]
pub struct Stage {
    renderer: Renderer,
    overlay: sinew_render::Overlay,
    cast: Option<Cast>,
}

/// The character on the device.
#[derive(Debug)]
struct Cast {
    character: Arc<Character>,
    batch: Batch,
    shapes: Vec<SkinnedVertices>,
}

const CHOSEN: Color = Color([255, 84, 112, 255]);
const CHOSEN_EDGE: Color = Color([20, 10, 14, 220]);
const LABEL: Color = Color([255, 250, 235, 255]);

impl Stage {
    /// An empty stage.
    pub fn new(gpu: &Gpu, settings: Settings) -> Result<Self, RenderError> {
        Ok(Self {
            renderer: Renderer::new(gpu, settings)?,
            overlay: sinew_render::Overlay::new(),
            cast: None,
        })
    }

    /// Draws what the app shows into a texture of a size in pixels; `scale` is how many of them make one of a usual display.
    pub fn draw(
        &mut self,
        app: &App,
        view: &TextureView,
        size: (u32, u32),
        scale: f32,
    ) -> Result<(), RenderError> {
        self.with_scene(app, scale, |renderer, scene| renderer.draw(view, size, scene))
    }

    /// Takes a picture of what the app shows. The stage must have been made with [`Settings::default`].
    pub fn shoot(&mut self, app: &App, target: &mut Target, scale: f32) -> Result<Picture, RenderError> {
        self.with_scene(app, scale, |renderer, scene| renderer.shoot(target, scene))
    }

    /// The renderer.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    fn with_scene<T>(
        &mut self,
        app: &App,
        scale: f32,
        act: impl FnOnce(&mut Renderer, &mut Scene<'_, '_>) -> Result<T, RenderError>,
    ) -> Result<T, RenderError> {
        self.enter(app)?;
        let camera = app.orbit().camera();
        let look = look(app, &camera);
        self.overlay.clear();
        let mut batches: Vec<&mut Batch> = Vec::new();
        if let (Some(cast), Some(document), Some(show)) = (&mut self.cast, app.document(), app.show()) {
            cast.pose(app, show)?;
            cast.draw_overlays(app, document, show, &mut self.overlay)?;
            batches.push(&mut cast.batch);
        }
        let mut scene = Scene {
            camera: &camera,
            look: &look,
            batches: &mut batches,
            overlay: Some(&mut self.overlay),
            scale,
        };
        act(&mut self.renderer, &mut scene)
    }

    /// Brings the app's character onto the device, if another is there.
    fn enter(&mut self, app: &App) -> Result<(), RenderError> {
        let wanted = app.document().map(|document| &document.character);
        let there = self.cast.as_ref().map(|cast| &cast.character);
        let same = match (wanted, there) {
            (Some(wanted), Some(there)) => Arc::ptr_eq(wanted, there),
            (None, None) => true,
            _ => false,
        };
        if same {
            return Ok(());
        }
        // The old one goes first, so that there is never need for twice the memory.
        self.cast = None;
        if let Some(character) = wanted {
            let model = self.renderer.load(character)?;
            // A software driver runs its shaders on the processor, slower than the processor skins by itself.
            let on_cpu = self.renderer.gpu().is_software();
            let skinning = if on_cpu { Skinning::Cpu } else { Skinning::Auto };
            let batch = self.renderer.batch(&model, 1, skinning)?;
            let shapes = character.meshes().iter().map(SkinnedVertices::for_mesh).collect();
            self.cast = Some(Cast { character: Arc::clone(character), batch, shapes });
        }
        Ok(())
    }
}

impl Cast {
    fn pose(&mut self, app: &App, show: &Show) -> Result<(), RenderError> {
        self.batch.set(0, show.model_matrices(), show.pose().scalars())?;
        self.batch.show_ghost(app.has(Overlay::Ghost).then_some(0))?;
        self.batch.show_weights(app.selected().filter(|_| app.has(Overlay::Weights)))
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
            overlay.trail(app.trail(), now.map(|model| document.figure.on_ground(model.translation)));
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
        for (mesh, shape) in self.character.meshes().iter().zip(&mut self.shapes) {
            let mut matrices = vec![Affine3::IDENTITY; mesh.slot_count()];
            mesh.skin_matrices(show.model_matrices(), &mut matrices)?;
            shape.skin(mesh, &matrices, show.pose().scalars())?;
        }
        Ok(())
    }
}

/// Shows one joint, and the bones that hang on it.
fn highlight(
    joint: u16,
    document: &Document,
    model: &[Affine3],
    upright: &Affine3,
    overlay: &mut sinew_render::Overlay,
) {
    let skeleton = document.character.skeleton();
    let at = |joint: u16| model.get(usize::from(joint)).map(|m| upright.transform_point3(m.translation));
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
    let look = Look { top, bottom, ..Look::default() }.lit_for(camera);
    match app.document() {
        Some(document) => {
            let figure = &document.figure;
            let middle = if figure.rest.is_empty() { Vec3::ZERO } else { figure.rest.center() };
            look.with_ground(figure.ground, middle + app.orbit().followed, figure.size)
        }
        None => look,
    }
}
