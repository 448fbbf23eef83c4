//! The motion of a clip in a few numbers, from which `sinew init` decides how it is to be played.

use super::motion::{self, ExaminedClip};
use super::rest::RestPose;
use super::sampled_clip::{Frame, SampledClip};
use super::seam;
use crate::criteria::STILL;
use sinew::{Character, Clip, Travel};

/// The motion of a clip, measured as the checks of [`examine`](super::examine) do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipMotion {
    /// Whether nothing moves in it although it is longer than a pose, or every frame is the rest pose.
    pub still: bool,
    /// Whether most rotating joints end with the rotation that they start with.
    pub closes: bool,
    /// Whether it is slow at both ends compared with its fastest frame: a punch and a jump are, a walk is not.
    pub pauses: bool,
    /// Distance of the root along the ground from start to end, in millimetres, with the character scaled to 1.8 m.
    pub travel: f64,
    /// The same in metres, at the character's own size.
    pub metres: f64,
}

/// Speed at either end, as a fraction of the fastest, up to which a clip pauses there.
const PAUSE: f32 = 0.15;

/// Measures clips on a character.
pub struct ClipMeasurer<'a> {
    at_rest: RestPose<'a>,
}

impl<'a> ClipMeasurer<'a> {
    /// Measures the character.
    pub fn new(character: &'a Character) -> Self {
        Self { at_rest: RestPose::of(character) }
    }

    /// Measures a clip of this character; `None` for one that does not fit it.
    pub fn measure(&self, clip: &Clip) -> Option<ClipMotion> {
        let at_rest = &self.at_rest;
        let samples = SampledClip::of(at_rest, clip)?;
        let examined =
            ExaminedClip { at_rest, clip, samples, body: at_rest.body_root(clip), tag: None, place: "" };
        let travel = Travel::of(clip, at_rest.skeleton(), None, at_rest.up).whole().length();
        Some(ClipMotion {
            still: motion::moves_nothing(&examined).is_some() || self.rests(&examined.samples),
            closes: examined.samples.frames().len() >= 4 && seam::loops(&examined),
            pauses: self.pauses(&examined.samples),
            travel: at_rest.millimetres(travel),
            metres: f64::from(travel * at_rest.character.space().unit_meters),
        })
    }

    fn rests(&self, samples: &SampledClip) -> bool {
        let at_rest = &self.at_rest;
        let scalars = at_rest.skeleton().rest().scalars();
        samples.frames().iter().all(|frame| {
            let joints = frame.models.iter().zip(at_rest.models).enumerate();
            let ways = joints.map(|(joint, (a, b))| at_rest.millimetres(at_rest.way(joint, a, b)));
            ways.fold(0.0, f64::max) < STILL.value && frame.scalars == scalars
        })
    }

    /// Compares the distance that all joints together move from one frame to the next.
    fn pauses(&self, samples: &SampledClip) -> bool {
        let way = |pair: &[Frame]| -> f32 {
            let points = |model| self.at_rest.points(model).into_iter();
            let joints = pair[0].models.iter().zip(&pair[1].models);
            joints.flat_map(|(a, b)| points(a).zip(points(b))).map(|(a, b)| a.distance(b)).sum()
        };
        let speeds: Vec<f32> = samples.frames().windows(2).map(way).collect();
        let fastest = speeds.iter().copied().fold(0.0, f32::max);
        let (Some(first), Some(last)) = (speeds.first(), speeds.last()) else { return false };
        fastest > 0.0 && first.max(*last) < PAUSE * fastest
    }
}
