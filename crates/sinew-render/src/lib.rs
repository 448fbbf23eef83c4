//! Draws a character in a pose with wgpu: into a window's texture, or off-screen into pictures and animations.
//!
//! ```no_run
//! use sinew_render::{Camera, Gpu, Look, Renderer, Scene, Settings, Skinning, View, write_png};
//!
//! # fn draw(player: &sinew::Player) -> Result<(), sinew_render::RenderError> {
//! let gpu = Gpu::open()?;
//! let mut renderer = Renderer::new(&gpu, Settings::default())?;
//! let model = renderer.load(player.character())?;
//! let mut batch = renderer.batch(&model, 1, Skinning::Auto)?;
//! let mut target = renderer.target(640, 480)?;
//!
//! batch.set_player(0, player)?;
//! let camera = Camera::framing(View::ThreeQuarter, &batch.bounds(0), target.aspect());
//! let look = Look::default().lit_for(&camera);
//! let mut scene =
//!     Scene { camera: &camera, look: &look, batches: &mut [&mut batch], overlay: None, scale: 1.0 };
//! let picture = renderer.shoot(&mut target, &mut scene)?;
//! write_png("hero.png".as_ref(), &picture)
//! # }
//! ```
//!
//! What is shared and what is not follows the rest of the project: a [`Model`] is a character on the device, immutable and shared; a
//! [`Batch`] holds the poses of its instances. [`Studio`] does all of it for one character: stills, animations, contact sheets.
//!
//! Pictures have +Y up, whatever the character's own space says. Colours are computed as light and encoded as sRGB at the end.

mod batch;
mod camera;
mod error;
pub mod font;
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
pub use error::RenderError;
pub use gpu::{Gpu, hush_mesa};
pub use look::{Color, ColorError, Ground, Look};
pub use model::{Model, upright};
pub use overlay::{Depth, Names, Overlay, is_helper, short_name};
pub use pipelines::DEPTH_FORMAT;
pub use renderer::{Renderer, Samples, Scene, Settings, Target};
pub use sheet::{SheetRow, StripRow, StripSection, heat_color, heat_strip, sheet};
pub use sinew_image::{Picture, TextureError, decode as decode_texture};
pub use studio::{Overlays, OverlaysError, Progress, Studio, StudioOptions, ground_height};
pub use write::{AnimationFormat, encode_apng, encode_gif, encode_png, write_apng, write_gif, write_png};

pub use wgpu;
