//! `sinew render`: a character as a picture, an animation or a sheet.

use crate::args::RenderArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::load::{self, Inputs};
use crate::print::{DIM, NAME, Out, bytes};
use crate::progress;
use indicatif::ProgressBar;
use serde::Serialize;
use sinew::names::did_you_mean;
use sinew::{Character, Clip, RootMotion, Skeleton};
use sinew_findings::plural;
use sinew_render::{AnimationFormat, Gpu, Names, Overlays, OverlaysError, Studio, StudioOptions, write_png};
use std::sync::Arc;

/// Runs the command.
pub fn run(args: &RenderArgs, out: &mut Out) -> Result {
    let product = Product::of(args)?;
    let inputs = Inputs::new(&args.common.import);
    let (character, own) = load::lazily(&inputs, &args.sources, &args.common.import)?;
    inputs.keep(&args.output)?;
    let character = Arc::new(character);
    if character.meshes().is_empty() && character.skeleton().is_empty() {
        return Err(Failure::Input(format!(
            "{}: there is neither a mesh nor a joint in it to draw",
            args.sources.character.display()
        )));
    }
    let mut options = options(args, product, character.skeleton())?;
    if character.meshes().is_empty() && options.overlays.skeleton.is_none() {
        out.note("there is no mesh in it, so its skeleton is drawn");
        options.overlays.skeleton = Some(Names::None);
    }
    let size = options.size;
    let (clips, missing) = clips(args, product, &character, own)?;
    for problem in &missing {
        out.error(problem);
    }
    match (product, &clips[..]) {
        (Product::Still { time }, []) if time != 0.0 => {
            out.note("there is no clip to show a time of, so this is the rest pose");
        }
        (Product::Still { time }, [clip]) => load::tell_times(clip, &[time], out),
        _ => {}
    }
    let mut studio = Studio::new(&Gpu::open()?, &character, options)?;
    for finding in studio.model().findings() {
        out.note(&format!("{}: {}", finding.place, finding.message));
    }
    // Again: clips of a manifest were read meanwhile, and pictures by the model.
    inputs.keep(&args.output)?;
    let mut document = take(args, product, &mut studio, &clips, out)?;
    document.size = size;
    if let Product::Still { .. } = product {
        document.joints = joints(character.skeleton(), &studio);
    }
    if args.common.json {
        out.json(&document)?;
    } else {
        print(&document, out)?;
    }
    Ok(if missing.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

/// The kind of output.
#[derive(Clone, Copy)]
enum Product {
    Still { time: f64 },
    Animation { fps: f64, format: AnimationFormat },
    Sheet { columns: usize },
}

impl Product {
    /// From the output's extension and the options. Options that do not apply to it are refused.
    fn of(args: &RenderArgs) -> Result<Self> {
        let name = args.output.display();
        let extension = args.output.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let format = match extension.as_deref() {
            Some("png") => None,
            Some("gif") => Some(AnimationFormat::Gif),
            Some("apng") => Some(AnimationFormat::Apng),
            _ => {
                return Err(Failure::Input(format!(
                    "{name}: write .png for a picture or a sheet, .gif or .apng for an animation"
                )));
            }
        };
        let refuse = |text: &str| Err(Failure::Input(format!("{name}: {text}")));
        let folder = args.output.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            // Checked before drawing, which may take minutes.
            return Err(Failure::Picture(format!(
                "{name}: there is no folder {}: make it first",
                folder.display()
            )));
        }
        match format {
            Some(_) if args.sheet => refuse("a sheet is one picture: write it as .png"),
            Some(AnimationFormat::Gif) if args.fps.is_some_and(|fps| fps > 50.0) => {
                refuse("a GIF shows at most 50 frames a second: leave --fps at that, or write .apng")
            }
            Some(_) if args.time.is_some() => refuse("an animation shows all times: --time is for .png"),
            Some(format) => Ok(Self::Animation { fps: args.fps.unwrap_or(25.0), format }),
            None if args.fps.is_some() => refuse("--fps is for animations: write .gif or .apng"),
            None if args.sheet && args.background.is_some_and(|color| color.0[3] < 255) => {
                refuse("a sheet has a page behind its pictures: choose an opaque background")
            }
            None if args.sheet && args.time.is_some() => {
                refuse("a sheet shows each clip from end to end: leave --time or --sheet out")
            }
            None if args.sheet => Ok(Self::Sheet { columns: args.frames.unwrap_or(8).into() }),
            None => Ok(Self::Still { time: args.time.unwrap_or(0.0) }),
        }
    }
}

fn options(args: &RenderArgs, product: Product, skeleton: &Skeleton) -> Result<StudioOptions> {
    let usual = if let Product::Sheet { .. } = product { (160, 160) } else { (640, 480) };
    let mut options = StudioOptions::default();
    options.size = args.size.unwrap_or(usual);
    options.view = args.camera;
    options.background = args.background;
    options.ground = !args.no_ground;
    options.root_motion = if args.in_place { RootMotion::InPlace } else { RootMotion::Keep };
    options.overlays = overlays(&args.overlay, skeleton)?;
    Ok(options)
}

const OVERLAYS: [&str; 8] =
    ["skeleton", "names", "weights:JOINT", "normals", "bounds", "ghost", "trail", "sockets"];

fn overlays(text: &str, skeleton: &Skeleton) -> Result<Overlays> {
    Overlays::parse(text, skeleton).map_err(|error| {
        Failure::Input(match error {
            OverlaysError::Unknown { given } => {
                format!("`{given}` is not an overlay; {}", did_you_mean(&given, OVERLAYS))
            }
            OverlaysError::Joint(unknown) => unknown.to_string(),
            other => other.to_string(),
        })
    })
}

/// The clips that are shown (on a sheet all, else the one asked for or the first), and errors of clips that a sheet has to leave out.
fn clips(
    args: &RenderArgs,
    product: Product,
    character: &Character,
    own: usize,
) -> Result<(Vec<Arc<Clip>>, Vec<String>)> {
    let get = |index| character.clips().get(index).map_err(|error| error.to_string());
    let chosen = load::choose_clip(character, own, args.clip.as_deref())?;
    match (product, chosen) {
        (Product::Sheet { .. }, Some(_)) if args.clip.is_none() => {
            let (found, missing): (Vec<_>, Vec<_>) =
                (0..character.clips().len()).map(get).partition(std::result::Result::is_ok);
            Ok((
                found.into_iter().flatten().collect(),
                missing.into_iter().filter_map(|clip| clip.err()).collect(),
            ))
        }
        (_, Some(index)) => Ok((vec![get(index).map_err(Failure::Input)?], vec![])),
        (Product::Still { .. }, None) => Ok((vec![], vec![])),
        (_, None) => Err(Failure::Input(format!(
            "`{}` has no clip to show; name the files of its animations after it, or write a .png of its rest pose",
            character.name()
        ))),
    }
}

/// Draws and writes it.
fn take(
    args: &RenderArgs,
    product: Product,
    studio: &mut Studio,
    clips: &[Arc<Clip>],
    out: &Out,
) -> Result<Document> {
    let bar = progress::bar(out);
    let mut told = |done: usize, all: usize| tell(&bar, done, all);
    let path = &args.output;
    let first = clips.first();
    let mut document = Document {
        schema: "sinew.render/1",
        path: path.display().to_string(),
        clips: clips.iter().map(|clip| clip.name().to_owned()).collect(),
        frames: 1,
        ..Document::default()
    };
    match product {
        Product::Still { time } => {
            write_png(path, &studio.still(first, time)?)?;
            document.time = first.map(|clip| time.clamp(0.0, clip.duration().into()));
        }
        Product::Animation { fps, format } => {
            // An animation without a clip was refused before.
            if let Some(clip) = first {
                document.frames = studio.write_animation(clip, fps, (path, format), &mut told)?;
            }
            document.fps = Some(fps);
        }
        Product::Sheet { columns } => {
            write_png(path, &studio.sheet(clips, columns, &mut told)?)?;
            document.frames = columns * clips.len();
        }
    }
    bar.finish_and_clear();
    document.bytes = std::fs::metadata(path).map_or(0, |about| about.len());
    Ok(document)
}

/// Shows how far the drawing is.
pub fn tell(bar: &ProgressBar, done: usize, all: usize) {
    bar.set_length(all as u64);
    bar.set_position(done as u64);
}

/// What was written, for JSON.
#[derive(Default, Serialize)]
struct Document {
    schema: &'static str,
    path: String,
    bytes: u64,
    /// Width and height; of each picture on a sheet.
    size: (u32, u32),
    clips: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    frames: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    fps: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joints: Vec<Joint>,
}

/// Position of a joint in a picture, in pixels from the upper left corner; `None` if it is behind the camera.
#[derive(Serialize)]
struct Joint {
    name: String,
    at: Option<(f32, f32)>,
}

fn joints(skeleton: &Skeleton, studio: &Studio) -> Vec<Joint> {
    let names = skeleton.names().iter().map(str::to_owned);
    names.zip(studio.joints()).map(|(name, at)| Joint { name, at }).collect()
}

fn print(document: &Document, out: &mut Out) -> Result<()> {
    let clips = match &document.clips[..] {
        [] => "rest pose".to_owned(),
        [clip] => clip.clone(),
        clips => plural(clips.len(), "clip", "clips"),
    };
    let what = match (document.time, document.fps) {
        (Some(time), _) => format!("{clips} at {} s", (time * 1e3).round() / 1e3),
        (_, Some(fps)) => format!("{clips}, {} at {fps}/s", plural(document.frames, "frame", "frames")),
        _ if document.frames > 1 => format!("{clips}, {} pictures", document.frames),
        _ => clips,
    };
    let (width, height) = document.size;
    let size = bytes(usize::try_from(document.bytes).unwrap_or(usize::MAX));
    out.line(format!("{NAME}{}{NAME:#}  {what}, {width}×{height}{DIM}, {size}{DIM:#}", document.path))?;
    Ok(())
}
