//! Pictures of one character: stills, animations, contact sheets.

mod overlays;

pub use overlays::{Overlays, OverlaysError};

use crate::sheet::{SheetRow, sheet};
use crate::write::{AnimationFormat, each, write_animation};
use crate::{
    Batch, Camera, Color, Framing, Gpu, Look, Model, OffscreenTarget, Overlay, Picture, RenderError,
    Renderer, Samples, Scene, Settings, Skinning, View,
};
use sinew::glam::Vec3;
use sinew::skinning::SkinnedVertices;
use sinew::{Aabb, Character, Clip, Mat3x4, PlayOptions, Player, RootMotion};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// Options of a [`Studio`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StudioOptions {
    /// Width and height of a picture; on a sheet, of each of its pictures.
    pub size: (u32, u32),
    /// Viewing direction.
    pub view: View,
    /// Background colour; a grey gradient if not given.
    pub background: Option<Color>,
    /// Whether ground grid and shadow are drawn.
    pub ground: bool,
    /// Handling of root motion.
    pub root_motion: RootMotion,
    /// Overlays.
    pub overlays: Overlays,
    /// Samples per pixel.
    pub samples: Samples,
    /// Where vertices are skinned.
    pub skinning: Skinning,
    /// Bytes of frames that an animation may keep in memory. A longer one is rendered while it is written.
    pub memory: usize,
}

impl Default for StudioOptions {
    fn default() -> Self {
        Self {
            size: (640, 480),
            view: View::default(),
            background: None,
            ground: true,
            root_motion: RootMotion::Keep,
            overlays: Overlays::default(),
            // Smooth edges even on a software driver: pictures are kept.
            samples: Samples::Four,
            skinning: Skinning::Auto,
            memory: 256 << 20,
        }
    }
}

/// Renders pictures of one character. The camera stands still during a clip and shows all of it.
#[derive(Debug)]
pub struct Studio {
    renderer: Renderer,
    batch: Batch,
    target: OffscreenTarget,
    overlay: Overlay,
    player: Player,
    shapes: Vec<SkinnedVertices>,
    options: StudioOptions,
    /// Camera and look of the last picture.
    last: Option<(Camera, Look)>,
}

/// Progress callback: pictures done, and pictures in total.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// Number of frames from which the palette of a long GIF is computed.
const SAMPLE: usize = 32;

/// Poses of a clip that are measured to find how far it reaches.
const FRAMING_SAMPLES: usize = 48;

impl Studio {
    /// Uploads the character.
    pub fn new(gpu: &Gpu, character: &Arc<Character>, options: StudioOptions) -> Result<Self, RenderError> {
        let settings = Settings { samples: options.samples, ..Settings::default() };
        let mut renderer = Renderer::new(gpu, settings)?;
        let model = renderer.load(character)?;
        let mut batch = renderer.batch(&model, 1, options.skinning)?;
        batch.show_weights(options.overlays.weights)?;
        batch.show_ghost(options.overlays.ghost.then_some(0))?;
        let target = renderer.offscreen_target(options.size.0, options.size.1)?;
        let shapes =
            (0..character.meshes().len()).map(|i| SkinnedVertices::for_mesh(model.mesh(i))).collect();
        let player = Player::new(Arc::clone(character));
        Ok(Self { renderer, batch, target, overlay: Overlay::new(), player, shapes, options, last: None })
    }

    /// The model, with the renderer's findings.
    pub fn model(&self) -> &Model {
        self.batch.model()
    }

    /// Camera and look of the last picture, with which another renderer draws the same view; see [`Look::environment`].
    pub fn last_view(&self) -> Option<(Camera, Look)> {
        self.last
    }

    /// Position of each joint in the last picture, in pixels from the upper left; `None` behind the camera, or before the first picture.
    pub fn joints(&self) -> Vec<Option<(f32, f32)>> {
        let upright = self.model().upright();
        let place = |joint: &Mat3x4| {
            self.last?.0.project(upright.transform_point3(joint.translation()), self.options.size)
        };
        self.player.model_matrices().iter().map(place).collect()
    }

    /// One picture of a clip at a time in seconds, or of the rest pose.
    pub fn still(&mut self, clip: Option<&Arc<Clip>>, time: f64) -> Result<Picture, RenderError> {
        let setup = self.set_up(clip, &[time])?;
        self.shoot(&setup, time)
    }

    /// All frames of a clip at a frame rate. The last instant is left out, since in a loop it is the first again.
    pub fn frames(
        &mut self,
        clip: &Arc<Clip>,
        fps: f64,
        progress: Progress<'_>,
    ) -> Result<Vec<Picture>, RenderError> {
        let times = frame_times(clip.duration(), fps)?;
        let setup = self.set_up(Some(clip), &times)?;
        let mut frames = Vec::with_capacity(times.len());
        for (done, &time) in times.iter().enumerate() {
            progress(done, times.len());
            frames.push(self.shoot(&setup, time)?);
        }
        progress(times.len(), times.len());
        Ok(frames)
    }

    /// Writes a whole clip at a frame rate as an animation. Returns the number of frames.
    pub fn write_animation(
        &mut self,
        clip: &Arc<Clip>,
        fps: f64,
        (path, format): (&Path, AnimationFormat),
        progress: Progress<'_>,
    ) -> Result<usize, RenderError> {
        let times = frame_times(clip.duration(), fps)?;
        let (width, height) = self.target.size();
        let fits = (self.options.memory / (width as usize * height as usize * 4).max(1)).max(1);
        if times.len() <= fits {
            let frames = self.frames(clip, fps, progress)?;
            write_animation(path, format, (times.len(), fps), &frames, &mut each(&frames))?;
            return Ok(times.len());
        }
        let setup = self.set_up(Some(clip), &times)?;
        // The palette of a GIF must be known first: it is computed from a sample of the frames.
        let some = times.iter().step_by(times.len().div_ceil(SAMPLE.min(fits)));
        let sample = some.map(|&time| self.shoot(&setup, time)).collect::<Result<Vec<_>, _>>()?;
        write_animation(path, format, (times.len(), fps), &sample, &mut |number| {
            progress(number, times.len());
            self.shoot(&setup, times[number]).map(Cow::Owned)
        })?;
        progress(times.len(), times.len());
        Ok(times.len())
    }

    /// A contact sheet: a row for each clip, with pictures at equal steps from its first to its last instant, labelled with clip names and times.
    pub fn sheet(
        &mut self,
        clips: &[Arc<Clip>],
        columns: usize,
        progress: Progress<'_>,
    ) -> Result<Picture, RenderError> {
        let title = self.player.character().name().to_owned();
        crate::sheet::check(&title, self.options.size, columns.max(1), clips.len())?;
        let total = clips.len() * columns;
        let mut rows = Vec::with_capacity(clips.len());
        for (number, clip) in clips.iter().enumerate() {
            let times = spread(clip.duration(), columns);
            let setup = self.set_up(Some(clip), &times)?;
            let mut cells = Vec::with_capacity(columns);
            for (column, &time) in times.iter().enumerate() {
                progress(number * columns + column, total);
                cells.push((self.shoot(&setup, time)?, format!("{time:.2} s")));
            }
            rows.push(SheetRow { label: self.label(clip), cells });
        }
        progress(total, total);
        sheet(&title, &rows)
    }

    /// Name of a clip, its tag if it differs from the name, and its duration.
    fn label(&self, clip: &Clip) -> String {
        let (name, clips) = (clip.name(), self.player.character().clips());
        let info = clips.find(name).and_then(|index| clips.info(index));
        let tag = info.and_then(|info| info.tag.as_deref());
        let tag = tag.filter(|tag| !tag.eq_ignore_ascii_case(name));
        let tag = tag.map_or_else(String::new, |tag| format!("  {tag}"));
        format!("{name}{tag}  {:.2} s", clip.duration())
    }

    /// Plays a clip and finds the camera that shows all of it, at the times of the pictures and in between.
    fn set_up(&mut self, clip: Option<&Arc<Clip>>, times: &[f64]) -> Result<Setup, RenderError> {
        let mut framing = Framing::new(self.options.view, self.target.aspect());
        self.player.stop();
        if self.options.overlays.ghost {
            // The ghost must be in the picture too. It stands at or near the rest pose.
            self.frame_pose(&mut framing)?;
        }
        if let Some(clip) = clip {
            let root_motion = self.options.root_motion;
            let options = PlayOptions { root_motion: Some(root_motion), ..PlayOptions::once(0.0) };
            self.player.play_clip(Arc::clone(clip), options)?;
        }
        let samples = clip.map_or(vec![0.0], |clip| spread(clip.duration(), FRAMING_SAMPLES));
        let mut bounds = Aabb::EMPTY;
        let mut trail = Vec::new();
        for (number, &time) in samples.iter().chain(times).enumerate() {
            self.player.seek(time);
            bounds = bounds.union(self.frame_pose(&mut framing)?);
            if self.options.overlays.trail && number < samples.len() {
                trail.push(self.root_on_ground());
            }
        }
        if self.options.overlays.bounds && !bounds.is_empty() {
            // The corners of the box lie farther out than anything in it.
            framing.add_box(&bounds);
        }
        let camera = framing.camera();
        Ok(Setup { camera, look: self.surroundings(&camera, &bounds), bounds, trail })
    }

    /// Adds the current pose to a framing: every vertex that a triangle uses, or every joint if there are no vertices. Returns the bounding box.
    fn frame_pose(&mut self, framing: &mut Framing) -> Result<Aabb, RenderError> {
        let upright = self.model().upright();
        let mut bounds = Aabb::EMPTY;
        let mut take = |point: Vec3| {
            let point = upright.transform_point3(point);
            framing.add(point);
            bounds = bounds.with(point);
        };
        let mut any = false;
        for (number, shape) in self.shapes.iter_mut().enumerate() {
            let mesh = self.batch.model().mesh(number);
            shape.skin(mesh, self.player.skin_matrices(number), self.player.pose().scalars())?;
            any |= !shape.positions.is_empty();
            mesh.indices.iter().for_each(|&index| take(shape.positions[index as usize]));
        }
        if !any {
            self.player.model_matrices().iter().for_each(|joint| take(joint.translation()));
        }
        Ok(bounds)
    }

    fn surroundings(&self, camera: &Camera, bounds: &Aabb) -> Look {
        let rest = self.model().rest_bounds();
        let size = if rest.is_empty() { bounds.diagonal() } else { rest.diagonal() };
        let mut look = Look::default().lit_for(camera);
        if self.options.ground {
            // The grid extends beyond the whole clip.
            let reach = size.max(bounds.diagonal() * 0.6);
            look = look.with_ground(ground_height(&rest), bounds.center(), size);
            look.ground.iter_mut().for_each(|ground| ground.radius = reach * 3.5);
        }
        match self.options.background {
            Some(color) => look.with_background(color),
            None => look,
        }
    }

    /// Where the joint that travels is now, projected onto the ground.
    fn root_on_ground(&self) -> Vec3 {
        let character = self.player.character();
        let root = self.player.clip().and_then(|clip| clip.travel(character, None).joint()).unwrap_or(0);
        let at = self.player.model_matrices().get(usize::from(root)).map_or(Vec3::ZERO, Mat3x4::translation);
        let at = self.model().upright().transform_point3(at);
        Vec3::new(at.x, ground_height(&self.model().rest_bounds()), at.z)
    }

    fn shoot(&mut self, setup: &Setup, time: f64) -> Result<Picture, RenderError> {
        self.player.seek(time);
        self.last = Some((setup.camera, setup.look));
        self.batch.set(0, self.player.instance())?;
        self.overlay.clear();
        self.draw_overlays(setup)?;
        let mut batches = [&mut self.batch];
        let mut scene = Scene::new(&setup.camera, &setup.look, &mut batches)
            .with_overlay(&mut self.overlay)
            .with_scale((self.options.size.1 as f32 / 600.0).clamp(0.5, 4.0));
        self.renderer.shoot(&mut self.target, &mut scene)
    }

    fn draw_overlays(&mut self, setup: &Setup) -> Result<(), RenderError> {
        let upright = self.model().upright();
        let overlays = self.options.overlays;
        if overlays.normals {
            self.frame_pose(&mut Framing::new(View::Front, 1.0))?;
            let length = self.model().rest_bounds().diagonal() * 0.015;
            self.shapes.iter().for_each(|shape| self.overlay.normals(shape, &upright, length));
        }
        if overlays.bounds {
            self.overlay.bounds(&setup.bounds);
        }
        if overlays.trail {
            self.overlay.trail(&setup.trail, Some(self.root_on_ground()));
        }
        if overlays.sockets {
            let length = self.model().rest_bounds().diagonal() * PROP;
            let sockets = self.player.character().sockets();
            self.overlay.sockets(sockets, self.player.model_matrices(), &upright, length);
        }
        if let Some(names) = overlays.skeleton {
            let skeleton = self.player.character().skeleton();
            let model = self.player.model_matrices();
            self.overlay.skeleton(skeleton, model, &upright, overlays.weights, names);
        }
        Ok(())
    }
}

/// Length of a placeholder prop, in parts of the figure's size.
pub const PROP: f32 = 0.25;

/// What stays the same during a clip.
struct Setup {
    camera: Camera,
    look: Look,
    bounds: Aabb,
    trail: Vec<Vec3>,
}

/// Height of the ground for a character with the given rest bounds (in picture space, +Y up): 0 if its lowest point is near or above 0, else its
/// lowest point.
pub fn ground_height(rest: &Aabb) -> f32 {
    if rest.is_empty() {
        return 0.0;
    }
    let height = (rest.max.y - rest.min.y).max(1e-6);
    if (-0.03 * height..0.3 * height).contains(&rest.min.y) { 0.0 } else { rest.min.y }
}

/// `count` times at equal steps from the first to the last instant.
fn spread(duration: f32, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|i| f64::from(duration) * i as f64 / last).collect()
}

/// Most frames of an animation: over an hour at 25 frames a second.
const MOST_FRAMES: u64 = 100_000;

/// Times of the frames of a loop; one for a clip of length zero.
fn frame_times(duration: f32, fps: f64) -> Result<Vec<f64>, RenderError> {
    let fps = if fps.is_finite() { fps.clamp(0.01, 1000.0) } else { 25.0 };
    let count = (f64::from(duration) * fps).round().max(1.0) as u64;
    if count > MOST_FRAMES {
        return Err(RenderError::TooLarge {
            what: "frames of an animation".to_owned(),
            needed: count,
            limit: MOST_FRAMES,
            hint: "ask for fewer frames a second (--fps), or draw a shorter clip",
        });
    }
    Ok((0..count).map(|i| i as f64 / fps).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_has_as_many_pictures_as_its_length_asks_for() {
        let times = |duration: f32, fps: f64| frame_times(duration, fps).unwrap();
        assert_eq!(times(1.0, 30.0).len(), 30);
        assert_eq!(times(0.5, 25.0).len(), 13);
        assert_eq!(times(0.0, 30.0), [0.0]);
        assert_eq!(times(1.0, f64::NAN).len(), 25);
        assert!(*times(2.0, 10.0).last().unwrap() < 2.0);
    }

    #[test]
    fn too_many_frames_are_refused_by_their_number() {
        assert_eq!(frame_times(4000.0, 25.0).unwrap().len(), 100_000);
        let text = frame_times(4000.0, 25.1).unwrap_err().to_string();
        assert!(text.contains("100400 requested, the limit is 100000") && text.contains("--fps"), "{text}");
        assert!(frame_times(f32::MAX, 1000.0).is_err());
    }

    #[test]
    fn a_sheet_looks_at_both_ends() {
        assert_eq!(spread(2.0, 3), [0.0, 1.0, 2.0]);
        assert_eq!(spread(2.0, 1), [0.0]);
        assert!(spread(2.0, 0).is_empty());
    }

    #[test]
    fn the_ground_is_where_the_feet_are() {
        let height = |low: f32| ground_height(&Aabb::of(&[Vec3::Y * low, Vec3::Y * (low + 2.0)]));
        assert_eq!((height(0.01), height(-0.02), height(0.3)), (0.0, 0.0, 0.0));
        assert_eq!((height(-1.0), height(5.0)), (-1.0, 5.0));
        assert_eq!(ground_height(&Aabb::EMPTY), 0.0);
    }
}
