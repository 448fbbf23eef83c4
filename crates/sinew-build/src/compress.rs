//! Compiling the clips of a character to frames: see [`sinew_compress`].

use rayon::prelude::*;
use sinew::{Character, Clip, ClipInfo, ClipLibrary, Finding};
use sinew_compress::{
    Figure, KeyMotion, Profile, ReorderError, Tried, compile, joint_bits, joint_order, reordered,
};
use sinew_findings::catalogue::build::CLIP_KEPT;
use sinew_import::SourceInfo;
use std::sync::Arc;

/// A character whose clips are compiled, with its joints in the order that suits them.
#[derive(Clone, Debug)]
pub struct Compressed {
    /// The character.
    pub character: Character,
    /// Where its parts come from, with the order of the joints in the source.
    pub source: SourceInfo,
    /// What became of each clip.
    pub clips: Vec<ClipSize>,
    /// Clips that could not be compiled.
    pub findings: Vec<Finding>,
}

/// What became of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipSize {
    /// Its name.
    pub name: String,
    /// Bytes of its keys.
    pub before: usize,
    /// Bytes now.
    pub after: usize,
    /// Rate and error of its frames, in metres for a figure of 1.8 m; `None` if its keys were kept.
    pub frames: Option<Tried>,
    /// Whether its keys were kept because no frames keep the limits of the profile.
    pub unfit: bool,
}

/// Compiles all clips of a character to frames within the limits of a profile. Joints are put in the order in which like needs share octets; the
/// order of the source is kept beside it. A clip whose keys are smaller, or that no layout of frames fits, keeps its keys.
///
/// # Errors
/// If a clip cannot be loaded.
pub fn compress(
    character: &Character,
    source: &SourceInfo,
    profile: Profile,
) -> Result<Compressed, ReorderError> {
    let skeleton = character.skeleton();
    let figure = Figure::of(character, |_| None);
    let clips = (0..character.clips().len()).map(|index| character.clips().get(index));
    let clips: Vec<Arc<Clip>> = clips.collect::<Result<_, _>>()?;
    let needs: Vec<Vec<f64>> = clips
        .par_iter()
        .map(|clip| joint_bits(skeleton, clip, &figure, profile, &mut KeyMotion::new(skeleton, clip)))
        .collect();
    let mut bits = vec![0f64; skeleton.len()];
    for need in needs {
        bits.iter_mut().zip(need).for_each(|(bits, need)| *bits = bits.max(need));
    }
    let order = joint_order(skeleton.parents(), &bits);
    let ordered = reordered(character, &order)?;
    let figure = Figure::of(&ordered, |_| None);
    let compiled: Vec<(Clip, ClipSize)> = (0..clips.len())
        .into_par_iter()
        .map(|index| one(&ordered, index, &figure, profile))
        .collect::<Result<_, _>>()?;
    let mut library = ClipLibrary::default();
    let (mut sizes, mut findings) = (Vec::new(), Vec::new());
    for ((clip, size), info) in compiled.into_iter().zip(ordered.clips().infos()) {
        if size.unfit {
            let message = format!("no frames keep the profile `{}`; its keys were kept", profile.name());
            findings.push(Finding::new(&CLIP_KEPT, size.name.clone(), message));
        }
        library.add_with(ClipInfo { name: clip.name().into(), ..info.clone() }, clip);
        sizes.push(size);
    }
    let mut source = source.clone();
    source.joints = order.iter().map(|&joint| source.joint(joint)).collect();
    source.order = order.iter().map(|&joint| source.source_index(joint)).collect();
    Ok(Compressed { character: ordered.with_clips(library)?, source, clips: sizes, findings })
}

fn one(
    character: &Character,
    index: usize,
    figure: &Figure,
    profile: Profile,
) -> Result<(Clip, ClipSize), ReorderError> {
    let skeleton = character.skeleton();
    let clip = character.clips().get(index)?;
    let compiled = compile(skeleton, &clip, figure, profile, &mut KeyMotion::new(skeleton, &clip));
    let (before, unfit) = (clip.bytes(), compiled.is_none());
    let fitting = compiled.filter(|compiled| compiled.section.len() < before);
    let (clip, after, frames) = match fitting {
        Some(compiled) => {
            let frames = compiled.clip.with_events(clip.events().to_vec())?;
            let frames = frames.with_markers(clip.markers().to_vec())?;
            (frames, compiled.section.len(), Some(in_metres(compiled.chosen, figure)))
        }
        None => (Clip::clone(&clip), before, None),
    };
    let size = ClipSize { name: clip.name().to_owned(), before, after, frames, unfit };
    Ok((clip, size))
}

fn in_metres(mut tried: Tried, figure: &Figure) -> Tried {
    tried.error.max /= figure.scale;
    tried.error.p99 /= figure.scale;
    tried
}
