//! When feet stand.

use crate::Foot;
use crate::samples::{Point, Samples};
use crate::spans::{Judged, Span, spans};
use sinew::glam::Vec3;
use sinew::{Character, Clip, Event, JobError, Marker};

/// By what a foot stands. Lengths are parts of the figure's height, speeds such parts in a second: 0.01 is 1.8 cm of a figure of 1.8 m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criteria {
    /// Samples a second.
    pub rate: f32,
    /// Height of a joint, above the lowest that it gets in the clip, below which it may come to stand; and above which it no longer stands.
    pub low: [f32; 2],
    /// Speed over the ground below which a joint may come to stand; and above which it no longer stands.
    pub slow: [f32; 2],
    /// How far the lowest place of a joint may be from its height at rest: a figure that flies or swims does not stand.
    pub level: f32,
    /// Interruptions up to so many seconds are noise.
    pub gap: f32,
    /// A foot stands for so many seconds at least.
    pub shortest: f32,
    /// A clip is a loop if its feet end so near to where they began, and travels if its root goes farther.
    pub closed: f32,
}

impl Default for Criteria {
    fn default() -> Self {
        Self {
            rate: 120.0,
            low: [0.02, 0.028],
            slow: [0.25, 0.4],
            level: 0.15,
            gap: 0.04,
            shortest: 0.06,
            closed: 0.03,
        }
    }
}

/// When one foot stands.
#[derive(Clone, Debug, PartialEq)]
pub struct FootContacts {
    /// As in [`Foot::name`].
    pub name: String,
    /// In order of time.
    pub stands: Vec<Stand>,
    /// How far the ankle is lifted in the clip, from its lowest to its highest, in the unit of the character.
    pub lift: f32,
}

/// One time that a foot stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Seconds at which it comes down.
    pub start: f32,
    /// Seconds at which it is lifted: beyond the duration of the clip where it goes on across the seam of a loop.
    pub end: f32,
    /// How far the standing joint moves over the ground meanwhile, in the unit of the character.
    pub slide: f32,
}

/// The foot contacts of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    /// Each foot.
    pub feet: Vec<FootContacts>,
    /// How the figure moves over the ground, in the unit of the character a second: by the travel of its root, or for a clip made in place as fast as its
    /// standing feet move backward. Zero where it stays.
    pub ground_velocity: Vec3,
    /// Whether that comes from the feet, the clip being made in place.
    pub in_place: bool,
    /// Whether the clip ends as it begins.
    pub looping: bool,
    /// Height of the figure at rest, which [`Criteria`] are relative to.
    pub height: f32,
    duration: f32,
}

impl Contacts {
    /// How fast the figure moves over the ground.
    pub fn ground_speed(&self) -> f32 {
        self.ground_velocity.length()
    }

    /// `left-foot down` and `left-foot up` at the times when feet come down and are lifted.
    pub fn markers(&self) -> Vec<Marker> {
        let mut markers: Vec<Marker> = self.turns().map(|(time, name)| Marker::new(time, name)).collect();
        markers.sort_by(|a, b| a.time.total_cmp(&b.time));
        markers
    }

    /// An event `left-foot down` for each footstep.
    pub fn footsteps(&self) -> Vec<Event> {
        let steps = self.turns().filter(|(_, name)| name.ends_with(" down"));
        let mut steps: Vec<Event> = steps.map(|(time, name)| Event::new(time, name)).collect();
        steps.sort_by(|a, b| a.time.total_cmp(&b.time));
        steps
    }

    /// Moments at which a foot comes down or is lifted. What stands from the first moment on did not come down.
    fn turns(&self) -> impl Iterator<Item = (f32, String)> {
        let within = move |time: f32| {
            let wrapped = if self.looping && time >= self.duration { time - self.duration } else { time };
            (0.0..=self.duration).contains(&wrapped).then_some(wrapped)
        };
        let inside = move |time: f32| self.looping || (time > 0.0 && time < self.duration);
        self.feet.iter().flat_map(move |foot| {
            let parts = foot
                .stands
                .iter()
                .filter(move |stand| stand.end - stand.start < self.duration || !self.looping);
            parts.flat_map(move |stand| {
                [(stand.start, "down"), (stand.end, "up")].into_iter().filter_map(move |(time, what)| {
                    Some((within(time).filter(|_| inside(time))?, format!("{} {what}", foot.name)))
                })
            })
        })
    }

    /// The stand that slides farthest, with its foot.
    pub fn worst_slide(&self) -> Option<(&FootContacts, &Stand)> {
        let all = self.feet.iter().flat_map(|foot| foot.stands.iter().map(move |stand| (foot, stand)));
        all.max_by(|a, b| a.1.slide.total_cmp(&b.1.slide))
    }
}

/// Finds the contacts of feet in a clip. Without feet there are none.
///
/// Fails if the clip does not fit the character, or a joint of a foot is not there.
pub fn detect(
    character: &Character,
    clip: &Clip,
    feet: &[Foot],
    criteria: &Criteria,
) -> Result<Contacts, JobError> {
    let samples = Samples::of(character, clip, feet, criteria.rate, criteria.closed)?;
    let ground = Ground::of(&samples, criteria);
    let names = feet.iter().map(|foot| foot.name.clone());
    let own = (0..feet.len()).map(|foot| (ground.stands(foot), samples.lift(foot)));
    Ok(Contacts {
        feet: names.zip(own).map(|(name, (stands, lift))| FootContacts { name, stands, lift }).collect(),
        ground_velocity: ground.figure_velocity(),
        in_place: !ground.travels,
        looping: samples.looping,
        height: samples.height,
        duration: clip.duration(),
    })
}

/// A clip over the ground, which stays where it is or moves below it.
struct Ground<'a> {
    samples: &'a Samples,
    criteria: &'a Criteria,
    travels: bool,
    /// Velocity of the ground in model space.
    velocity: Vec3,
    /// What each point is judged by.
    motions: Vec<Motion>,
    /// How each sample of each point is judged, the ground moving at that velocity.
    judged: Vec<Vec<Judged>>,
}

/// A point over the ground, sample by sample.
struct Motion {
    /// How high it is above its lowest, as a part of the figure's height; infinite for a point that is never near the ground.
    heights: Vec<f32>,
    /// In model space, over the ground plane.
    velocities: Vec<Vec3>,
}

impl Motion {
    fn of(point: &Point, samples: &Samples, criteria: &Criteria) -> Self {
        let heights = || point.places.iter().map(|place| place.dot(samples.up));
        let lowest = heights().fold(f32::INFINITY, f32::min);
        let is_near = (lowest - point.rest).abs() <= criteria.level * samples.height;
        let above = |height: f32| if is_near { (height - lowest) / samples.height } else { f32::INFINITY };
        Self {
            heights: heights().map(above).collect(),
            velocities: (0..samples.count).map(|sample| samples.velocity(point, sample)).collect(),
        }
    }
}

impl<'a> Ground<'a> {
    fn of(samples: &'a Samples, criteria: &'a Criteria) -> Self {
        let motions = samples.points.iter().map(|point| Motion::of(point, samples, criteria)).collect();
        let travels = samples.travel.length() > criteria.closed * samples.height;
        let velocity = Vec3::ZERO;
        let mut ground = Self { samples, criteria, travels, velocity, motions, judged: Vec::new() };
        if travels {
            ground.judge_all();
            return ground;
        }
        ground.velocity = ground.commonest_velocity();
        ground.judge_all();
        // Once more from the middle of each contact, where landing and leaving do not count.
        for _ in 0..2 {
            ground.move_at(ground.standing_velocity());
        }
        if !ground.has_steps() {
            ground.move_at(Vec3::ZERO);
        }
        ground
    }

    /// Gives the ground another velocity.
    fn move_at(&mut self, velocity: Vec3) {
        let before = std::mem::replace(&mut self.velocity, velocity);
        if velocity != before {
            self.judge_all();
        }
    }

    fn judge_all(&mut self) {
        let all = |motion| (0..self.samples.count).map(|sample| self.judge(motion, sample)).collect();
        self.judged = self.motions.iter().map(all).collect();
    }

    /// Whether a joint stands, but not all the time: else nothing tells a moving ground from a moving foot.
    fn has_steps(&self) -> bool {
        let within =
            |&(start, end): &Span| end - start < self.samples.count && (self.samples.looping || start > 0);
        self.judged.iter().any(|judged| self.spans_of(judged).iter().any(within))
    }

    /// How the figure moves over the ground.
    fn figure_velocity(&self) -> Vec3 {
        if self.travels {
            return self.samples.travel * (1.0 / (self.samples.step * self.samples.count as f32));
        }
        -self.velocity
    }

    fn judge(&self, motion: &Motion, sample: usize) -> Judged {
        let [low, slow] = [self.criteria.low, self.criteria.slow];
        let is_low = low.map(|low| motion.heights[sample] <= low);
        if is_low == [false; 2] {
            return Judged::No;
        }
        let speed = (motion.velocities[sample] - self.velocity).length() / self.samples.height;
        if is_low[0] && speed <= slow[0] {
            Judged::Yes
        } else if is_low[1] && speed <= slow[1] {
            Judged::Still
        } else {
            Judged::No
        }
    }

    /// The velocity that most joints near the ground have, unless as many are at rest.
    fn commonest_velocity(&self) -> Vec3 {
        let motions = self.motions.iter();
        let all = motions.flat_map(|motion| motion.heights.iter().zip(&motion.velocities));
        let low = all.filter(|(height, _)| **height <= self.criteria.low[0]);
        let low: Vec<Vec3> = low.map(|(_, velocity)| *velocity).collect();
        let near = self.criteria.slow[0] * self.samples.height;
        let columns = Columns::of(&low);
        let resting = columns.near(Vec3::ZERO, near);
        // Feet that rest are the rule; a ground that moves needs more for it.
        let is_at_rest = |moving: usize| resting * 4 >= moving * 3;
        if is_at_rest(low.len()) {
            return Vec3::ZERO;
        }
        // A few candidates are enough, and keep long clips quick.
        let stride = low.len().div_ceil(512).max(1);
        let candidates = low.iter().step_by(stride).copied();
        let Some((best, moving)) = columns.commonest(candidates, near) else { return Vec3::ZERO };
        if is_at_rest(moving) {
            return Vec3::ZERO;
        }
        let around = low.iter().filter(|other| other.distance(best) <= near);
        around.sum::<Vec3>() * (1.0 / moving as f32)
    }

    /// The mean velocity of standing joints, in the middle halves of their contacts; zero stays zero.
    fn standing_velocity(&self) -> Vec3 {
        if self.velocity == Vec3::ZERO {
            return Vec3::ZERO;
        }
        let (mut way, mut steps) = (Vec3::ZERO, 0);
        for (point, judged) in self.samples.points.iter().zip(&self.judged) {
            for (start, end) in self.spans_of(judged) {
                let quarter = (end - start) / 4;
                let (from, to) = (start + quarter, end - 1 - quarter);
                way += self.samples.level(self.samples.place(point, to) - self.samples.place(point, from));
                steps += to - from;
            }
        }
        if steps == 0 { self.velocity } else { way * (1.0 / (steps as f32 * self.samples.step)) }
    }

    fn spans_of(&self, judged: &[Judged]) -> Vec<Span> {
        let samples = |seconds: f32| (seconds / self.samples.step.max(f32::MIN_POSITIVE)).round() as usize;
        spans(
            judged,
            self.samples.looping,
            samples(self.criteria.gap),
            samples(self.criteria.shortest).max(2),
        )
    }

    /// A foot stands while one of its joints does.
    fn stands(&self, foot: usize) -> Vec<Stand> {
        let own: Vec<usize> =
            (0..self.samples.points.len()).filter(|&i| self.samples.points[i].foot == foot).collect();
        let best = |sample: usize| {
            let all = own.iter().map(|&index| self.judged[index][sample]);
            all.fold(Judged::No, |best, one| match (best, one) {
                (Judged::Yes, _) | (_, Judged::Yes) => Judged::Yes,
                (Judged::Still, _) | (_, Judged::Still) => Judged::Still,
                _ => Judged::No,
            })
        };
        let judged: Vec<Judged> = (0..self.samples.count).map(best).collect();
        let spans = self.spans_of(&judged);
        spans.into_iter().map(|span| self.stand(&own, span)).collect()
    }

    fn stand(&self, points: &[usize], (start, end): Span) -> Stand {
        let slides = points.iter().filter_map(|&index| self.slide(index, (start, end)));
        let slides: Vec<(usize, f32)> = slides.collect();
        // The joint that stands longest tells how far the foot slides, and of several the one that stands best: an ankle moves as the foot rolls.
        let longest = slides.iter().map(|(samples, _)| *samples).max().unwrap_or(0);
        let lasting = slides.iter().filter(|(samples, _)| samples * 10 >= longest * 9);
        let slide = lasting.map(|(_, slide)| *slide).fold(f32::INFINITY, f32::min);
        Stand {
            start: start as f32 * self.samples.step,
            end: end as f32 * self.samples.step,
            slide: if slide.is_finite() { slide } else { 0.0 },
        }
    }

    /// For how many samples a point stands within a contact of its foot, and how far it gets over the ground meanwhile from where it came to stand.
    fn slide(&self, index: usize, (start, end): Span) -> Option<(usize, f32)> {
        let (point, count) = (&self.samples.points[index], self.samples.count);
        let stands = |sample: &usize| self.judged[index][sample % count] == Judged::Yes;
        let first = (start..end).find(stands)?;
        let last = (start..end).rev().find(stands)?;
        if last - first < (end - start) / 3 {
            return None;
        }
        let on_ground = |sample: usize| {
            let moved = self.velocity * ((sample - first) as f32 * self.samples.step);
            self.samples.level(self.samples.place(point, sample)) - moved
        };
        let from = on_ground(first);
        let slide = (first..=last).map(|sample| on_ground(sample).distance(from)).reduce(f32::max)?;
        Some((last - first, slide))
    }
}

/// Points component by component, in eights, so that many are compared at a time. Where there are fewer, the rest is infinitely far away.
///
/// They lie in the order of the component in which they differ most: only those near to a point in that one need be compared with it.
struct Columns {
    columns: [Vec<[f32; LANES]>; 3],
    /// The component that they are sorted by, and its values.
    by: usize,
    sorted: Vec<f32>,
}

const LANES: usize = 8;

/// So many eights are compared before it is asked whether the others can still make up for those that are not near.
const AT_A_TIME: usize = 4;

impl Columns {
    fn of(points: &[Vec3]) -> Self {
        // What is not finite is near to nothing, and has no place in an order.
        let mut points: Vec<Vec3> = points.iter().copied().filter(|point| point.is_finite()).collect();
        let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let extent = high - low;
        let by = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
        points.sort_by(|a, b| a[by].total_cmp(&b[by]));
        let eight = |points: &[Vec3], c: usize| {
            std::array::from_fn(|lane| points.get(lane).map_or(f32::INFINITY, |point| point[c]))
        };
        let columns = std::array::from_fn(|c| points.chunks(LANES).map(|points| eight(points, c)).collect());
        Self { columns, by, sorted: points.iter().map(|point| point[by]).collect() }
    }

    /// How many of them are within a distance of another point.
    fn near(&self, to: Vec3, distance: f32) -> usize {
        self.near_unless_fewer(to, distance, 0).unwrap_or(0)
    }

    /// The one of several points that most of them are near to, and how many: of equals the last.
    fn commonest(&self, points: impl Iterator<Item = Vec3>, distance: f32) -> Option<(Vec3, usize)> {
        points.fold(None, |best, point| {
            let least = best.map_or(0, |(_, count)| count);
            let count = self.near_unless_fewer(point, distance, least);
            count.map(|count| (point, count)).or(best)
        })
    }

    /// How many of them are within a distance of another point; none if those are fewer than `least`, which may be seen before all are compared.
    fn near_unless_fewer(&self, to: Vec3, distance: f32, least: usize) -> Option<usize> {
        // A little more than the distance: sums and roots are rounded, and squares of what is very small vanish.
        let reach = distance * 1.001 + 1e-18;
        let start = self.sorted.partition_point(|value| value - to[self.by] < -reach) / LANES;
        let end = self.sorted.partition_point(|value| value - to[self.by] <= reach).div_ceil(LANES);
        let [xs, ys, zs] = self.columns.each_ref().map(|column| column.get(start..end).unwrap_or_default());
        let (mut counts, mut left) = ([0u32; LANES], xs.len() * LANES);
        let counted = |counts: &[u32; LANES]| counts.iter().sum::<u32>() as usize;
        for ((xs, ys), zs) in xs.chunks(AT_A_TIME).zip(ys.chunks(AT_A_TIME)).zip(zs.chunks(AT_A_TIME)) {
            if counted(&counts) + left < least {
                return None;
            }
            left -= xs.len() * LANES;
            for ((x, y), z) in xs.iter().zip(ys).zip(zs) {
                for lane in 0..LANES {
                    let (x, y, z) = (x[lane] - to.x, y[lane] - to.y, z[lane] - to.z);
                    counts[lane] += u32::from((x * x + y * y + z * z).sqrt() <= distance);
                }
            }
        }
        Some(counted(&counts)).filter(|count| *count >= least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_near_as_one_by_one() {
        let place = |i: usize, by: f32| (i as f32 * by).fract() * 4.0 - 2.0;
        let mut points: Vec<Vec3> = (0..301)
            .map(|i| Vec3::new(place(i, 0.618), place(i, 0.414) * 0.5, place(i, 0.732) * 3.0))
            .collect();
        points.extend([Vec3::NAN, Vec3::INFINITY, Vec3::ZERO, Vec3::ZERO]);
        let columns = Columns::of(&points);
        for &to in &points {
            for distance in [0.0, 0.3, 1.0, 20.0] {
                let one_by_one = points.iter().filter(|point| point.distance(to) <= distance).count();
                assert_eq!(columns.near(to, distance), one_by_one, "{to} {distance}");
            }
        }
    }

    #[test]
    fn the_commonest_is_the_last_of_the_best_counted_one_by_one() {
        // Few values: many points are in one place, and several of them are best.
        let points = |values: usize| {
            let place = move |i: usize, by: usize| (i * by % values) as f32 * 0.1;
            (0..400).map(move |i| Vec3::new(place(i, 7), 0.0, place(i, 3))).chain([Vec3::NAN])
        };
        for values in [1, 5, 11, 40, 301] {
            let columns = Columns::of(&points(values).collect::<Vec<_>>());
            for distance in [0.0, 0.1, 0.35, 2.0] {
                let numbered = points(values).map(|point| (point, columns.near(point, distance)));
                let expected = numbered.max_by_key(|(_, count)| *count);
                assert_eq!(columns.commonest(points(values), distance), expected, "{values} {distance}");
            }
        }
        assert_eq!(Columns::of(&[]).commonest(std::iter::empty(), 1.0), None);
    }
}
