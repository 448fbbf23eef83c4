//! Compiling the clips of a character to frames: see [`sinew_compress`].

use crate::bundle::{CertifyError, Evidence, SourceClip, Truth};
use rayon::prelude::*;
use sinew::{Character, Clip, ClipInfo, ClipLibrary, Finding};
use sinew_compress::{
    Figure, KeyMotion, Local, MOST_MEMORY, Motion, Profile, ReorderError, Tried, compile_within, joint_bits,
    joint_order, reordered,
};
use sinew_findings::catalogue::build::CLIP_KEPT;
use sinew_import::bundle::Origin;
use sinew_import::{Evaluate, SourceInfo};

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
    /// What came nearest, if its keys were kept because no frames keep the limits of the profile.
    pub unfit: Option<Tried>,
    /// Every layout that was tried, but for those that could not become smaller, with lengths as above.
    pub tried: Vec<Tried>,
}

/// How clips are compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressOptions {
    /// How far they may be off.
    pub profile: Profile,
    /// Joints whose errors are measured on other shells than 3 cm around them, by patterns of their names in which `*` stands for anything: radii in
    /// metres for a figure of 1.8 m. The first pattern that fits counts.
    pub shells: Vec<(String, f64)>,
    /// Bytes of memory that compiling may hold at a time, for all threads together, beside the character itself. A clip that needs more keeps its keys.
    pub memory: u64,
}

impl Default for CompressOptions {
    fn default() -> Self {
        Profile::default().into()
    }
}

impl From<Profile> for CompressOptions {
    fn from(profile: Profile) -> Self {
        Self { profile, shells: Vec::new(), memory: MOST_MEMORY }
    }
}

impl CompressOptions {
    fn figure(&self, character: &Character) -> Figure {
        let shell = |joint: &str| self.shells.iter().find(|(pattern, _)| fits(pattern, joint));
        Figure::of(character, |joint| shell(joint).map(|(_, radius)| *radius))
    }
}

/// Whether a name is as a pattern says: `*` stands for any letters, and case does not count.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let Some((inner, last)) = rest.rsplit_once('*') else { return name.ends_with(rest) };
    for part in inner.split('*') {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(last)
}

/// Compiles all clips of a character to frames within the limits of a profile, measured against its keys. Joints are put in the order in which like
/// needs share octets; the order of the source is kept beside it. A clip whose keys are smaller, or that no layout of frames fits, keeps its keys.
///
/// # Errors
/// If a clip cannot be loaded.
pub fn compress(
    character: &Character,
    source: &SourceInfo,
    options: impl Into<CompressOptions>,
) -> Result<Compressed, ReorderError> {
    all(character, source, &options.into(), &|_| None)
}

/// Like [`compress`], measured against the evaluators of the files that the clips come from, where `origins` names them.
///
/// # Errors
/// If a clip cannot be loaded, or the files are not those of the character.
pub fn compress_from(
    character: &Character,
    source: &SourceInfo,
    options: &CompressOptions,
    origins: &[Option<Origin>],
    evidence: &[Evidence<'_>],
) -> Result<Compressed, CompressError> {
    let truth = Truth::new(character, source, evidence)?;
    let clips = (0..character.clips().len()).map(|clip| {
        let origin = origins.get(clip).copied().flatten();
        origin.map(|origin| truth.clip(clip, origin)).transpose()
    });
    let clips = clips.collect::<Result<Vec<_>, _>>()?;
    Ok(all(character, source, options, &|clip| clips.get(clip).cloned().flatten())?)
}

/// Why clips cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompressError {
    /// Joints cannot be put in another order.
    #[error(transparent)]
    Reorder(#[from] ReorderError),
    /// There is nothing to measure against.
    #[error(transparent)]
    Certify(#[from] CertifyError),
}

/// A clip of a source, as a character with other places for its joints sees it.
struct SourceMotion<'a> {
    clip: SourceClip<'a>,
    evaluate: Evaluate<'a>,
    /// By joint, its place in the source.
    places: Vec<u16>,
}

impl Motion for SourceMotion<'_> {
    fn sample(&mut self, time: f64, joints: &mut [Local], scalars: &mut [f64]) {
        let (locals, values) = self.clip.locals_by(time, &*self.evaluate);
        for (joint, &place) in joints.iter_mut().zip(&self.places) {
            let Some(local) = locals.get(usize::from(place)) else { continue };
            *joint = Local {
                translation: local.translation.as_dvec3(),
                rotation: local.rotation.as_dquat(),
                scale: local.scale.as_dvec3(),
            };
        }
        scalars.iter_mut().zip(values).for_each(|(scalar, &value)| *scalar = value.into());
    }
}

/// The clip of a source that a clip of the character comes from.
type Sources<'a> = dyn Fn(usize) -> Option<SourceClip<'a>> + Sync + 'a;

/// What a clip is measured against: its source, or its keys. `order` is that of the joints.
fn motion<'a>(
    character: &'a Character,
    clip: &'a Clip,
    source: Option<SourceClip<'a>>,
    places: &[u16],
) -> Box<dyn Motion + 'a> {
    match source {
        Some(clip) => Box::new(SourceMotion { evaluate: clip.often(), clip, places: places.to_vec() }),
        None => Box::new(KeyMotion::new(character.skeleton(), clip)),
    }
}

fn all<'a>(
    character: &Character,
    source: &SourceInfo,
    options: &CompressOptions,
    sources: &Sources<'a>,
) -> Result<Compressed, ReorderError> {
    let order = order(character, source, options, sources)?;
    let ordered = in_order(character, &order)?;
    let places: Vec<u16> = order.iter().map(|&joint| source.source_index(joint)).collect();
    let figure = options.figure(&ordered);
    let compiled = each_within(ordered.clips().len(), options.memory, |index, memory| {
        let clip = ordered.clips().get(index)?;
        let mut motion = motion(&ordered, &clip, sources(index), &places);
        one(&ordered, &clip, &figure, options.profile, &mut *motion, memory)
    })?;
    let mut library = ClipLibrary::default();
    let (mut sizes, mut findings) = (Vec::new(), Vec::new());
    for ((clip, size), info) in compiled.into_iter().zip(ordered.clips().infos()) {
        findings.extend(size.unfit.map(|nearest| kept(&size, options.profile, &nearest)));
        library.add_with(ClipInfo { name: clip.name().into(), ..info.clone() }, clip);
        sizes.push(size);
    }
    let mut source = source.clone();
    source.joints = order.iter().map(|&joint| source.joint(joint)).collect();
    source.vrm = source.vrm.map(|vrm| vrm.reordered(&order).into());
    source.order = places;
    Ok(Compressed { character: ordered.with_clips(library)?, source, clips: sizes, findings })
}

/// A character with its joints in an order, and keys for clips; itself if that is how it is, since a copy may be large.
fn in_order(character: &Character, order: &[u16]) -> Result<Character, ReorderError> {
    let clips = character.clips();
    let has_keys = |index: usize| clips.get(index).is_ok_and(|clip| clip.frames().is_none());
    let is_same = order.iter().copied().eq(0..character.skeleton().len() as u16);
    if is_same && (0..clips.len()).all(has_keys) {
        return Ok(character.clone());
    }
    reordered(character, order)
}

/// The order of joints that suits all clips together.
fn order<'a>(
    character: &Character,
    source: &SourceInfo,
    options: &CompressOptions,
    sources: &Sources<'a>,
) -> Result<Vec<u16>, ReorderError> {
    let (skeleton, figure) = (character.skeleton(), options.figure(character));
    let places: Vec<u16> = (0..skeleton.len() as u16).map(|joint| source.source_index(joint)).collect();
    let needs = each_within(character.clips().len(), options.memory, |index, memory| {
        let clip = character.clips().get(index)?;
        let mut motion = motion(character, &clip, sources(index), &places);
        let bits = joint_bits(skeleton, &clip, &figure, options.profile, &mut *motion, memory.bytes);
        // One that needs more than there is keeps its keys, in any order.
        Ok(bits.or_else(|| memory.is_all.then(|| vec![0.0; skeleton.len()])))
    })?;
    let mut bits = vec![0f64; skeleton.len()];
    for need in needs {
        bits.iter_mut().zip(need).for_each(|(bits, need)| *bits = bits.max(need));
    }
    Ok(joint_order(skeleton.parents(), &bits))
}

/// What work on a clip may hold.
#[derive(Clone, Copy, Debug)]
struct Memory {
    bytes: u64,
    /// Whether that is all there is.
    is_all: bool,
}

/// Works on clips in parallel, with an equal share of the memory for each thread; then, one by one and with all of it, on those for which `work` returns nothing. What
/// comes of a clip must not depend on its share, so that it does not depend on the number of threads.
fn each_within<T: Send>(
    count: usize,
    memory: u64,
    work: impl Fn(usize, Memory) -> Result<Option<T>, ReorderError> + Sync,
) -> Result<Vec<T>, ReorderError> {
    let threads = rayon::current_num_threads().min(count).max(1) as u64;
    let share = Memory { bytes: memory / threads, is_all: threads == 1 };
    let shared: Vec<Option<T>> =
        (0..count).into_par_iter().map(|index| work(index, share)).collect::<Result<_, _>>()?;
    let all = Memory { bytes: memory, is_all: true };
    let mut done = Vec::with_capacity(count);
    for (index, found) in shared.into_iter().enumerate() {
        done.extend(match found {
            Some(found) => Some(found),
            None => work(index, all)?,
        });
    }
    Ok(done)
}

fn kept(size: &ClipSize, profile: Profile, nearest: &Tried) -> Finding {
    if nearest.layout.rate == 0.0 {
        let message = "it is too long for frames, and its keys were kept";
        return Finding::new(&CLIP_KEPT, size.name.clone(), message);
    }
    let [p99, max] = [nearest.error.p99, nearest.error.max].map(|metres| metres * 1e3);
    let message = format!(
        "no frames keep the profile `{}`, and its keys were kept: what came nearest, {}, is off by {p99:.3} mm (99 %), {max:.3} mm at most",
        profile.name(),
        nearest.layout
    );
    Finding::new(&CLIP_KEPT, size.name.clone(), message).measured(max)
}

/// Nothing if more memory might lead to another outcome, and there is more.
fn one(
    character: &Character,
    clip: &Clip,
    figure: &Figure,
    profile: Profile,
    motion: &mut dyn Motion,
    memory: Memory,
) -> Result<Option<(Clip, ClipSize)>, ReorderError> {
    let attempt = compile_within(character.skeleton(), clip, figure, profile, motion, memory.bytes);
    if attempt.short && !memory.is_all {
        return Ok(None);
    }
    let mut size = ClipSize {
        name: clip.name().to_owned(),
        before: clip.bytes(),
        after: clip.bytes(),
        frames: None,
        unfit: None,
        tried: Vec::new(),
    };
    match attempt.outcome {
        Err(nearest) => size.unfit = Some(in_metres(nearest, figure)),
        Ok(compiled) => {
            size.tried = compiled.tried.iter().map(|&tried| in_metres(tried, figure)).collect();
            if compiled.section.len() < size.before {
                size.after = compiled.section.len();
                size.frames = Some(in_metres(compiled.chosen, figure));
                return Ok(Some((compiled.clip.with_moments_of(clip)?, size)));
            }
        }
    }
    Ok(Some((clip.clone(), size)))
}

fn in_metres(mut tried: Tried, figure: &Figure) -> Tried {
    tried.error.max /= figure.scale;
    tried.error.p99 /= figure.scale;
    tried
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        for (pattern, name) in [
            ("*hand*", "mixamorig:RightHandThumb1"),
            ("Head", "head"),
            ("*", ""),
            ("a*b*c", "axxbyyc"),
            ("a*", "a"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("hand*", "LeftHand"), ("*foot", "Foot1"), ("a*b*c", "axxc"), ("ab*ba", "aba")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
