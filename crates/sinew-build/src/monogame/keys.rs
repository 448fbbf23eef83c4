//! Clips as keys of bones: the one place that looks into the tracks of a clip.

use super::bones::{Bones, matrix};
use super::options::Rate;
use glam::{Quat, Vec3};
use sinew::{Character, Clip, Interpolation, Key, Keys, RootMotion, Sampling, Skeleton, Travel, job};
use sinew_xnb::skinning::{BoneTracks, KeyV1, KeysV2, TICKS_PER_SECOND, Track};
use std::collections::{BTreeSet, HashMap};

/// Times of keys at so many a second, the last one at the end.
fn even_times(duration: f32, rate: u8) -> Vec<f32> {
    let rate = f32::from(rate);
    let mut times: Vec<f32> =
        (0u32..).map(|frame| frame as f32 / rate).take_while(|&time| time < duration).collect();
    times.push(duration);
    times
}

/// Keys as tracks, with the times that they share.
#[derive(Default)]
struct Tables {
    tables: Vec<Vec<f32>>,
    known: HashMap<Vec<u32>, u32>,
}

impl Tables {
    fn number(&mut self, times: &[f32]) -> u32 {
        let bits: Vec<u32> = times.iter().map(|time| time.to_bits()).collect();
        *self.known.entry(bits).or_insert_with(|| {
            self.tables.push(times.to_vec());
            self.tables.len() as u32 - 1
        })
    }

    fn track<T: Key + PartialEq, const N: usize>(
        &mut self,
        track: &sinew::Track<T>,
        even: Option<&[f32]>,
        numbers: fn(T) -> [f32; N],
    ) -> Track {
        let step = track.interpolation() == Interpolation::Step;
        let sampled = even.map(|times| {
            let values = times.iter().map(|&time| track.sample(time.into(), Sampling::Interpolate));
            (times, values.collect::<Vec<T>>())
        });
        let (times, values) = match &sampled {
            Some((times, values)) => (*times, &**values),
            None => (track.times(), track.values()),
        };
        // A value that never changes is one key.
        let same = values.windows(2).all(|pair| pair[0] == pair[1]);
        let count = if same { 1 } else { times.len() };
        let values: Vec<f32> = values[..count].iter().flat_map(|&value| numbers(value)).collect();
        Track { table: self.number(&times[..count]), step, values: values.into() }
    }
}

/// The keys of a clip by bones, as in the source or at a rate.
pub(super) fn tracks(clip: &Clip, skeleton: &Skeleton, bones: &Bones, rate: Rate) -> KeysV2 {
    let even = match rate {
        Rate::Source => None,
        Rate::PerSecond(rate) => Some(even_times(clip.duration(), rate)),
    };
    let even = even.as_deref();
    let mut tables = Tables::default();
    let mut out: Vec<BoneTracks> = Vec::new();
    for joint in clip.to_keys(skeleton).joints().iter().filter(|joint| !joint.is_empty()) {
        let Some(bone) = bones.of_joint(joint.joint) else { continue };
        out.push(BoneTracks {
            bone: bone as u16,
            translation: joint.translation.as_ref().map(|t| tables.track(t, even, |v: Vec3| v.to_array())),
            rotation: joint.rotation.as_ref().map(|t| tables.track(t, even, |q: Quat| q.to_array())),
            scale: joint.scale.as_ref().map(|t| tables.track(t, even, |v: Vec3| v.to_array())),
        });
    }
    out.sort_by_key(|tracks| tracks.bone);
    KeysV2 { tables: tables.tables, bones: out }
}

/// Times at which a clip's travel begins and ends.
pub(super) fn travel_times(clip: &Clip, travel: &Travel) -> Option<[f32; 2]> {
    clip.travel_times(travel.joint()?)
}

/// Number of scalars that a clip moves.
pub(super) fn moved_scalars(clip: &Clip) -> usize {
    clip.moved_scalars().count()
}

/// The keys of a clip as a flat list of matrices, with its travel taken out if that is asked for.
pub(super) fn flat(
    character: &Character,
    clip: &Clip,
    bones: &Bones,
    rate: Rate,
    root_motion: RootMotion,
) -> Result<Vec<KeyV1>, sinew::JobError> {
    let skeleton = character.skeleton();
    let travel = match root_motion {
        RootMotion::Keep => Travel::default(),
        _ => clip.travel(character, None).without_turn(),
    };
    let mut wanted: Vec<(i64, u16)> = Vec::new();
    for (joint, ticks) in key_times(clip, skeleton, rate, &travel) {
        wanted.extend(ticks.into_iter().map(|tick| (tick, joint)));
    }
    wanted.sort_unstable();
    let mut keys = Vec::with_capacity(wanted.len());
    let mut pose = skeleton.rest().clone();
    for keys_at in wanted.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(tick, _)) = keys_at.first() else { continue };
        let time = tick as f64 / TICKS_PER_SECOND as f64;
        job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose)?;
        travel.remove(skeleton, time, &mut pose);
        let at = |joint: u16| {
            let local = matrix(&pose.get(usize::from(joint)).to_affine());
            bones.of_joint(joint).map(|bone| KeyV1 { bone: bone as u32, time: tick, local })
        };
        keys.extend(keys_at.iter().filter_map(|&(_, joint)| at(joint)));
    }
    keys.sort_by_key(|key| (key.time, key.bone));
    Ok(keys)
}

/// A time in ticks.
pub(super) fn ticks(seconds: f32) -> i64 {
    libm::round(f64::from(seconds) * TICKS_PER_SECOND as f64) as i64
}

/// When each joint that a clip moves gets keys.
fn key_times(clip: &Clip, skeleton: &Skeleton, rate: Rate, travel: &Travel) -> Vec<(u16, BTreeSet<i64>)> {
    let end = ticks(clip.duration());
    let roots: Vec<u16> = if travel.whole() == Vec3::ZERO { vec![] } else { skeleton.roots().collect() };
    let mut joints: BTreeSet<u16> = clip.moved_joints().collect();
    let keys = clip.to_keys(skeleton);
    joints.extend(&roots);
    let even: Option<BTreeSet<i64>> = match rate {
        Rate::Source => None,
        Rate::PerSecond(rate) => Some(even_times(clip.duration(), rate).into_iter().map(ticks).collect()),
    };
    let of = |joint: u16| -> BTreeSet<i64> {
        if let Some(even) = &even {
            return even.clone();
        }
        let mut times = source_times(&keys, joint);
        if roots.contains(&joint) {
            times.extend(travel_times(clip, travel).into_iter().flatten().map(ticks));
        }
        // The clip's own bounds, where keys go beyond them.
        let mut inside: BTreeSet<i64> =
            times.iter().copied().filter(|tick| (0..=end).contains(tick)).collect();
        if inside.is_empty() || times.first().is_some_and(|&first| first < 0) {
            inside.insert(0);
        }
        if times.last().is_some_and(|&last| last > end) {
            inside.insert(end);
        }
        inside
    };
    joints.into_iter().map(|joint| (joint, of(joint))).collect()
}

/// Times of a joint's keys. Where a value jumps, a key before it ends what came before.
fn source_times(keys: &Keys, joint: u16) -> BTreeSet<i64> {
    let Some(tracks) = keys.joint(joint) else { return BTreeSet::new() };
    let mut out: BTreeSet<i64> = tracks.times().map(ticks).collect();
    let mut jumps = |times: &[f32], step: bool| {
        let jump = times.windows(2).filter(|pair| step || pair[0] == pair[1]).map(|pair| ticks(pair[1]) - 1);
        out.extend(jump);
    };
    let is_step = |interpolation| interpolation == Interpolation::Step;
    if let Some(track) = &tracks.translation {
        jumps(track.times(), is_step(track.interpolation()));
    }
    if let Some(track) = &tracks.rotation {
        jumps(track.times(), is_step(track.interpolation()));
    }
    if let Some(track) = &tracks.scale {
        jumps(track.times(), is_step(track.interpolation()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_times_end_with_the_clip() {
        assert_eq!(even_times(0.0, 30), [0.0]);
        assert_eq!(even_times(0.05, 30), [0.0, 1.0 / 30.0, 0.05]);
        assert_eq!(even_times(1.0, 30).len(), 31);
    }
}
