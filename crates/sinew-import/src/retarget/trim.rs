//! Leaving out a first frame that is the rest: motion capture is often given a T-pose in front, which belongs to no motion.

#![allow(clippy::indexing_slicing, reason = "windows of two, and times that were counted")]

use sinew::glam::Quat;
use sinew::{Clip, Event, JointTracks, Key, Keys, Marker, Sampling, ScalarTrack, Skeleton, Track};

/// How near to the rest the joints of such a frame are, in the mean, in degrees. Of a file whose rest has straight legs, the frame may have them spread.
const AT_REST: f32 = 6.0;
/// How far the joints are from it one frame later, in the mean, in degrees.
const FAR: f32 = 2.0;
/// How much faster than the motion itself the first step is: than the median of the steps behind it, in speed.
const JUMP: f32 = 5.0;
/// Frames behind the first that tell how fast the motion is.
const FRAMES: usize = 9;
/// Frames that are farther apart are keys of an animator, between which anything may happen, in seconds.
const FRAME: f64 = 0.05;

/// How long the added frame lasts, if there is one: frames lie close, as those of motion capture; the first is the rest or nearly so, and the next is far from it and begins a motion that is much
/// slower than the step between the two.
pub(super) fn added_frame(clip: &Clip, keys: &Keys, skeleton: &Skeleton, joints: &[u16]) -> Option<f32> {
    let times = first_times(clip);
    if times.len() <= FRAMES || times[1] - times[0] > FRAME {
        return None;
    }
    let turn = |joint: u16, time: f64| {
        let rest = skeleton.rest().get(joint.into());
        keys.joint(joint).map_or(rest, |tracks| tracks.over(rest, time, Sampling::Interpolate)).rotation
    };
    let moving =
        joints.iter().copied().filter(|&joint| keys.joint(joint).is_some_and(|t| t.rotation.is_some()));
    let moving: Vec<u16> = moving.collect();
    let between = |pair: &[f64]| -> f32 {
        moving.iter().map(|&joint| degrees(turn(joint, pair[0]), turn(joint, pair[1]))).sum()
    };
    let from_rest =
        |joint: &u16| degrees(skeleton.rest().get(usize::from(*joint)).rotation, turn(*joint, times[0]));
    let at_rest = moving.iter().map(from_rest).sum::<f32>() < AT_REST * moving.len() as f32;
    let mut speeds = times.windows(2).map(|pair| between(pair) / (pair[1] - pair[0]) as f32);
    let jump = speeds.next()?;
    let mut behind: Vec<f32> = speeds.collect();
    behind.sort_by(f32::total_cmp);
    let is_far = between(&times[..2]) > FAR * moving.len() as f32;
    let far = is_far && jump > JUMP * behind[behind.len() / 2];
    (!moving.is_empty() && at_rest && far).then_some(times[1] as f32)
}

/// The first times of a clip, as many as are looked at.
fn first_times(clip: &Clip) -> Vec<f64> {
    let mut times: Vec<f64> = clip.times().collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times.truncate(FRAMES + 1);
    times
}

fn degrees(a: Quat, b: Quat) -> f32 {
    (2.0 * libm::acosf(a.dot(b).abs().min(1.0))).to_degrees()
}

/// The clip from a time on.
pub(super) fn behind(clip: &Clip, keys: &Keys, start: f32) -> Option<Clip> {
    let joints = keys.joints().iter().map(|tracks| JointTracks {
        joint: tracks.joint,
        translation: tracks.translation.as_ref().and_then(|track| cut(track, start)),
        rotation: tracks.rotation.as_ref().and_then(|track| cut(track, start)),
        scale: tracks.scale.as_ref().and_then(|track| cut(track, start)),
    });
    let scalars = keys.scalars().iter();
    let scalars = scalars
        .filter_map(|track| Some(ScalarTrack { scalar: track.scalar, track: cut(&track.track, start)? }));
    let cut = Clip::new(clip.name(), clip.duration() - start, joints.collect(), scalars.collect()).ok()?;
    let events = clip.events().iter().filter(|event| event.time >= start);
    let events = events.map(|event| Event { time: event.time - start, ..event.clone() }).collect();
    let markers = clip.markers().iter().filter(|marker| marker.time >= start);
    let markers = markers.map(|marker| Marker { time: marker.time - start, ..marker.clone() }).collect();
    cut.with_events(events)
        .ok()?
        .with_markers(markers)
        .ok()?
        .with_ground_velocity(clip.ground_velocity())
        .ok()
}

fn cut<T: Key>(track: &Track<T>, start: f32) -> Option<Track<T>> {
    let (mut times, mut values) = (vec![0.0], vec![track.sample(start.into(), Sampling::Interpolate)]);
    for (&time, &value) in track.times().iter().zip(track.values()).filter(|(time, _)| **time > start) {
        times.push(time - start);
        values.push(value);
    }
    Track::new(times, values, track.interpolation()).ok()
}
