//! Clips placed on a line or in a plane, mixed by where a parameter lies between them: walk to run by speed, four directions of a strafe.

mod sync;
mod triangulate;

pub use sync::SyncMode;
pub(crate) use sync::follow;

use crate::{Character, Clip, JobError, Travel};
use glam::{DVec2, Vec2, Vec3};
use std::sync::Arc;
use sync::Warp;
use triangulate::{Triangles, triangulate};

/// Why a blend space was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BlendSpaceError {
    /// It has no clips.
    #[error("a blend space needs at least one clip")]
    Empty,
    /// A place is not a finite number.
    #[error("clip `{clip}` of the blend space has no finite place")]
    Place {
        /// Name of the clip.
        clip: String,
    },
    /// Markers of two clips do not follow each other in the same order.
    #[error(
        "clips `{clip}` and `{first}` cannot be synchronised by markers: both need the same ones in the same order, at least one; those called `… up` may come at other places ({own} and {wanted})"
    )]
    Markers {
        /// Name of the clip.
        clip: String,
        /// The clip that it is compared with.
        first: String,
        /// Markers that it has, in order.
        own: String,
        /// Markers that the first has.
        wanted: String,
    },
    /// A clip was made for another skeleton.
    #[error("clip `{clip}` of the blend space does not fit the character: {error}")]
    DoesNotFit {
        /// Name of the clip.
        clip: String,
        /// What does not fit.
        error: JobError,
    },
    /// More clips than can be counted.
    #[error("a blend space of {count} clips is too large: {} are the most", u16::MAX)]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// A clip at its place.
#[derive(Clone, Debug)]
struct Point {
    at: DVec2,
    clip: Arc<Clip>,
    warp: Warp,
    travel: Travel,
}

/// How the places are joined.
#[derive(Clone, Debug)]
enum Shape {
    /// All on one line, in order.
    Line(Vec<u16>),
    Plane(Triangles),
}

/// Members of a blend at one place, at most three, and their weights, which sum to one. Unused ones weigh nothing.
pub type Members = [(u16, f32); 3];

/// Clips placed on a line or in a plane, to be mixed by where a parameter lies. Made once and shared by all instances.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{BlendSpace, Mixer, PlayOptions, SyncMode};
/// use std::sync::Arc;
///
/// let clip = |name| character.clips().by_name(name);
/// let gait = BlendSpace::line(&character, [(1.4, clip("walk")?), (4.0, clip("run")?)], SyncMode::Markers)?;
///
/// let mut mixer = Mixer::new(character.clone(), 4);
/// let voice = mixer.play_space(Arc::new(gait), PlayOptions::default())?;
/// mixer.set_parameter(voice, [2.2, 0.0]);    // a jog
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct BlendSpace {
    points: Vec<Point>,
    shape: Shape,
    sync: SyncMode,
}

impl BlendSpace {
    /// Clips on a line. Beyond its ends the last clip plays alone. Of two at one place the first counts.
    ///
    /// Fails if there are none, a place is not finite, a clip does not fit the character, or clips that are to be synchronised by markers have different ones.
    pub fn line(
        character: &Character,
        points: impl IntoIterator<Item = (f32, Arc<Clip>)>,
        sync: SyncMode,
    ) -> Result<Self, BlendSpaceError> {
        Self::plane(character, points.into_iter().map(|(at, clip)| ([at, 0.0], clip)), sync)
    }

    /// Clips in a plane, joined to triangles (Delaunay's). Outside, the nearest place on the edge counts. Of two at one place the first counts;
    /// places on one line are a line.
    ///
    /// Fails as [`BlendSpace::line`] does.
    pub fn plane(
        character: &Character,
        points: impl IntoIterator<Item = ([f32; 2], Arc<Clip>)>,
        sync: SyncMode,
    ) -> Result<Self, BlendSpaceError> {
        let points: Vec<([f32; 2], Arc<Clip>)> = points.into_iter().collect();
        let Some((_, first)) = points.first().cloned() else { return Err(BlendSpaceError::Empty) };
        if points.len() > usize::from(u16::MAX) {
            return Err(BlendSpaceError::TooMany { count: points.len() });
        }
        let point = |(at, clip): ([f32; 2], Arc<Clip>)| {
            let at = Vec2::from(at);
            if !at.is_finite() {
                return Err(BlendSpaceError::Place { clip: clip.name().to_owned() });
            }
            let rest = character.skeleton().rest();
            clip.prepare();
            clip.fits(rest.len(), rest.scalars().len())
                .map_err(|error| BlendSpaceError::DoesNotFit { clip: clip.name().to_owned(), error })?;
            let warp = Warp::new(&first, &clip, sync)?;
            Ok(Point { at: at.as_dvec2(), warp, travel: clip.travel(character, None), clip })
        };
        let points = points.into_iter().map(point).collect::<Result<Vec<_>, _>>()?;
        let places: Vec<DVec2> = points.iter().map(|point| point.at).collect();
        let shape = match triangulate(&places) {
            Ok(triangles) => Shape::Plane(triangles),
            Err(line) => Shape::Line(line),
        };
        Ok(Self { points, shape, sync })
    }

    /// The clips, in the order in which they were given.
    pub fn clips(&self) -> impl ExactSizeIterator<Item = &Arc<Clip>> {
        self.points.iter().map(|point| &point.clip)
    }

    /// How they are kept in step.
    pub fn sync(&self) -> SyncMode {
        self.sync
    }

    /// Which clips count at a place, and how much. A place that is not finite counts as zero.
    pub fn members(&self, at: impl Into<Vec2>) -> Members {
        let at: Vec2 = at.into();
        let at = if at.is_finite() { at.as_dvec2() } else { DVec2::ZERO };
        match &self.shape {
            Shape::Line(order) => self.nearest(order.windows(2).map(|pair| [pair[0], pair[1]]), order[0], at),
            Shape::Plane(triangles) => {
                let inside = triangles.inner.iter().find_map(|corners| self.within(*corners, at));
                inside
                    .unwrap_or_else(|| self.nearest(triangles.edge.iter().copied(), triangles.edge[0][0], at))
            }
        }
    }

    /// How fast the figure moves over the ground at a place, on the average of a turn, in model space and units a second: by the travel of its clips, or for
    /// those made in place by their [velocity over the ground](Clip::ground_velocity). Move it so, and its feet do not slide; within a turn,
    /// [`Mixer::root_delta`](crate::Mixer::root_delta) tells more exactly.
    pub fn ground_velocity(&self, at: impl Into<Vec2>) -> Vec3 {
        let members = self.members(at);
        let counting = || members.iter().filter(|(_, weight)| *weight > 0.0);
        match self.sync {
            SyncMode::None => counting().map(|&(member, weight)| self.velocity(member) * weight).sum(),
            SyncMode::Phase | SyncMode::Markers => {
                let way: Vec3 = counting().map(|&(member, weight)| self.travel(member).way() * weight).sum();
                let period = self.period(&members) as f32;
                if period > 0.0 { way * (1.0 / period) } else { Vec3::ZERO }
            }
        }
    }

    fn velocity(&self, member: u16) -> Vec3 {
        let duration = self.clip(member).duration();
        if duration > 0.0 { self.travel(member).way() * (1.0 / duration) } else { Vec3::ZERO }
    }

    /// Weights of the corners of a triangle, if a place lies within.
    fn within(&self, corners: [u16; 3], at: DVec2) -> Option<Members> {
        let [a, b, c] = corners.map(|corner| self.points[usize::from(corner)].at);
        let area = (b - a).perp_dot(c - a);
        let weights =
            [(c - b).perp_dot(at - b), (a - c).perp_dot(at - c), (b - a).perp_dot(at - a)].map(|w| w / area);
        // A place on an edge may lie outside of both triangles by rounding.
        let inside = weights.iter().all(|weight| *weight >= -1e-9);
        inside.then(|| {
            let weights = weights.map(|weight| weight.max(0.0));
            let total: f64 = weights.iter().sum();
            [0, 1, 2].map(|i| (corners[i], (weights[i] / total) as f32))
        })
    }

    /// The nearest place on one of the stretches between two points; the one point, if there are none.
    fn nearest(&self, stretches: impl Iterator<Item = [u16; 2]>, only: u16, at: DVec2) -> Members {
        let mut best = (f64::INFINITY, [(only, 1.0), (only, 0.0), (only, 0.0)]);
        for [from, to] in stretches {
            let (a, b) = (self.points[usize::from(from)].at, self.points[usize::from(to)].at);
            let part = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            let distance = (a + (b - a) * part - at).length_squared();
            if distance < best.0 {
                let part = part as f32;
                best = (distance, [(from, 1.0 - part), (to, part), (from, 0.0)]);
            }
        }
        best.1
    }

    pub(crate) fn clip(&self, member: u16) -> &Arc<Clip> {
        &self.points[usize::from(member)].clip
    }

    pub(crate) fn travel(&self, member: u16) -> &Travel {
        &self.points[usize::from(member)].travel
    }

    /// Unrolled seconds of a member at a position of the space's clock.
    pub(crate) fn time_of(&self, member: u16, position: f64) -> f64 {
        let point = &self.points[usize::from(member)];
        match self.sync {
            SyncMode::None => position,
            SyncMode::Phase | SyncMode::Markers => {
                point.warp.time(position) * f64::from(point.clip.duration())
            }
        }
    }

    /// Seconds that one turn of the space's clock takes, at these weights.
    pub(crate) fn period(&self, members: &Members) -> f64 {
        match self.sync {
            SyncMode::None => 1.0,
            SyncMode::Phase | SyncMode::Markers => {
                let lasting = |&(member, weight): &(u16, f32)| {
                    f64::from(self.clip(member).duration()) * f64::from(weight)
                };
                members.iter().map(lasting).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests;
