//! Draws characters with wgpu: into a window's texture, or off-screen into pictures and animations.
//!
//! ```no_run
//! use sinew_render::{Camera, Gpu, Look, Renderer, Scene, Settings, Skinning, View, write_png};
//!
//! # fn draw(player: &sinew::Player) -> Result<(), sinew_render::RenderError> {
//! let gpu = Gpu::open()?;
//! let mut renderer = Renderer::new(&gpu, Settings::default())?;
//! let model = renderer.load(player.character())?;
//! let mut batch = renderer.batch(&model, 1, Skinning::Auto)?;
//! let mut target = renderer.offscreen_target(640, 480)?;
//!
//! batch.set(0, player.instance())?;
//! let camera = Camera::framing(View::ThreeQuarter, &batch.bounds(0), target.aspect());
//! let look = Look::default().lit_for(&camera);
//! let mut batches = [&mut batch];
//! let picture = renderer.shoot(&mut target, &mut Scene::new(&camera, &look, &mut batches))?;
//! write_png("hero.png".as_ref(), &picture)
//! # }
//! ```
//!
//! A [`Model`] is a character on the device, immutable and shared. A [`Batch`] holds the poses of its instances. [`Studio`] does all of it for one
//! character: stills, animations, contact sheets.
//!
//! Pictures have +Y up, whatever the up axis of the character's space is. Colours are computed in linear space and encoded as sRGB at the end.

mod batch;
mod camera;
mod environment;
mod error;
mod font;
mod gpu;
mod layers;
mod look;
mod model;
mod overlay;
mod pipelines;
mod renderer;
mod sheet;
mod studio;
mod texture;
mod write;

pub use batch::{Batch, Skinning};
pub use camera::{Camera, FOV, Framing, View, ViewError};
pub use environment::Environment;
pub use error::RenderError;
pub use font::escape_picture;
pub use gpu::{Gpu, hush_mesa};
pub use look::{Color, ColorError, Ground, Look};
pub use model::{Model, upright};
pub use overlay::{Depth, Names, Overlay, is_helper, short_name};
pub use pipelines::DEPTH_FORMAT;
pub use renderer::{OffscreenTarget, Renderer, Samples, Scene, Settings};
pub use sheet::{StripRow, StripSection, heat_strip};
pub use sinew_image::Picture;
pub use studio::{Overlays, OverlaysError, PROP, Progress, Studio, StudioOptions, ground_height};
pub use write::{AnimationFormat, encode_frames, write_frames, write_png};

pub use wgpu;
