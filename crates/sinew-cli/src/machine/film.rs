//! What a state machine did, as an animation.

use super::Frame;
use crate::args::PlayArgs;
use crate::exit::{Failure, Result};
use crate::print::Out;
use crate::progress;
use crate::render::tell;
use sinew::machine::Animator;
use sinew::{Clip, Interpolation, JointTracks, ScalarTrack, Skeleton, Track, Transform};
use sinew_render::{AnimationFormat, Gpu, Studio, StudioOptions};
use std::path::Path;
use std::sync::Arc;

/// Draws it.
pub fn film(
    path: &Path,
    format: AnimationFormat,
    animator: &Animator,
    frames: &[Frame],
    args: &PlayArgs,
    out: &Out,
) -> Result<()> {
    let fps = args.fps.unwrap_or(25.0);
    if format == AnimationFormat::Gif && fps > 50.0 {
        return Err(Failure::Input("a GIF shows at most 50 frames a second".to_owned()));
    }
    let character = animator.instance().character();
    // Keys rise: an update without time shows nothing of its own.
    let shown: Vec<&Frame> = frames
        .iter()
        .enumerate()
        .filter(|(i, f)| *i == 0 || f.time > frames[i - 1].time)
        .map(|(_, f)| f)
        .collect();
    let clip = recorded(character.skeleton(), &shown).map_err(|error| Failure::Input(error.to_string()))?;
    let mut options = StudioOptions::default();
    options.size = args.size.unwrap_or(options.size);
    let mut studio = Studio::new(&Gpu::open()?, character, options)?;
    let bar = progress::bar(out);
    studio.write_animation(&Arc::new(clip), fps, (path, format), &mut |done, all| tell(&bar, done, all))?;
    bar.finish_and_clear();
    Ok(())
}

/// The poses as keys of a clip, with the way of the character in its roots.
fn recorded(skeleton: &Skeleton, frames: &[&Frame]) -> std::result::Result<Clip, Box<dyn std::error::Error>> {
    let Some(first) = frames.first() else { return Err("the script has no updates".into()) };
    let times: Vec<f32> = frames.iter().map(|frame| (frame.time - first.time) as f32).collect();
    let ways: Vec<Transform> = frames
        .iter()
        .scan(Transform::IDENTITY, |way, frame| {
            *way = moved(way, &frame.root);
            Some(*way)
        })
        .collect();
    let joint = |joint: u16| {
        let is_root = skeleton.parent(joint).is_none();
        let local = |(frame, way): (&&Frame, &Transform)| {
            let own = frame.local[usize::from(joint)];
            if is_root { Transform { scale: own.scale, ..moved(way, &own) } } else { own }
        };
        let all: Vec<Transform> = frames.iter().zip(&ways).map(local).collect();
        let linear = Interpolation::Linear;
        Ok::<_, Box<dyn std::error::Error>>(JointTracks {
            translation: Some(Track::new(
                times.clone(),
                all.iter().map(|t| t.translation).collect(),
                linear,
            )?),
            rotation: Some(Track::new(times.clone(), all.iter().map(|t| t.rotation).collect(), linear)?),
            scale: Some(Track::new(times.clone(), all.iter().map(|t| t.scale).collect(), linear)?),
            ..JointTracks::new(joint)
        })
    };
    let joints = (0..skeleton.len() as u16).map(joint).collect::<std::result::Result<Vec<_>, _>>()?;
    let scalar = |scalar: usize| {
        let values = frames.iter().map(|frame| frame.scalars[scalar]).collect();
        let track = Track::new(times.clone(), values, Interpolation::Linear)?;
        Ok::<_, Box<dyn std::error::Error>>(ScalarTrack { scalar: scalar as u16, track })
    };
    let scalars = (0..first.scalars.len()).map(scalar).collect::<std::result::Result<Vec<_>, _>>()?;
    let duration = times.last().copied().unwrap_or(0.0);
    Ok(Clip::new("machine", duration, joints, scalars)?)
}

/// A way, and then another that begins where it ends.
fn moved(way: &Transform, then: &Transform) -> Transform {
    Transform {
        translation: way.translation + way.rotation * then.translation,
        rotation: way.rotation * then.rotation,
        ..*way
    }
}
