//! What a clip does, in a few numbers: for those who decide how it is to be played.

use super::figure::Figure;
use super::film::{Film, Frame};
use super::motion::{self, Show};
use super::seam;
use crate::criteria::STILL;
use sinew::{Character, Clip, Travel};

/// What a clip does, measured as the checks of [`examine`](super::examine) do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Habit {
    /// Whether it shows the rest and nothing else, or holds still for longer than a pose does.
    pub still: bool,
    /// Whether most joints that turn end as they begin.
    pub closes: bool,
    /// Whether it begins and ends at a standstill, by its own measure: a blow and a jump do, a walk does not.
    pub pauses: bool,
    /// Way of the root along the ground from beginning to end, in millimetres of a figure of 1.8 m.
    pub travel: f64,
    /// The same in metres, at the character's own size.
    pub metres: f64,
}

/// Speed at either end, of the fastest in between, up to which a clip pauses there.
const PAUSE: f32 = 0.15;

/// A character that clips are measured on.
pub struct Gauge<'a> {
    figure: Figure<'a>,
}

impl<'a> Gauge<'a> {
    /// Measures the character.
    pub fn new(character: &'a Character) -> Self {
        Self { figure: Figure::of(character) }
    }

    /// Measures a clip of this character; `None` for one that does not fit it.
    pub fn measure(&self, clip: &Clip) -> Option<Habit> {
        let figure = &self.figure;
        let film = Film::of(figure, clip)?;
        let show = Show { figure, clip, film, body: figure.body_root(clip), tag: None, place: "" };
        let travel = Travel::of(clip, figure.skeleton(), None, figure.up).whole().length();
        Some(Habit {
            still: motion::moves_nothing(&show).is_some() || self.rests(&show.film),
            closes: show.film.frames().len() >= 4 && seam::loops(&show),
            pauses: self.pauses(&show.film),
            travel: figure.millimetres(travel),
            metres: f64::from(travel * figure.character.space().unit_meters),
        })
    }

    fn rests(&self, film: &Film) -> bool {
        let figure = &self.figure;
        let scalars = figure.skeleton().rest().scalars();
        film.frames().iter().all(|frame| {
            let ways = frame.models.iter().zip(figure.rest).flat_map(|(a, b)| {
                figure
                    .points(a)
                    .into_iter()
                    .zip(figure.points(b))
                    .map(|(a, b)| figure.millimetres(a.distance(b)))
            });
            ways.fold(0.0, f64::max) < STILL.value && frame.scalars == scalars
        })
    }

    /// Compares how far all joints go from one frame to the next, together.
    fn pauses(&self, film: &Film) -> bool {
        let way = |pair: &[Frame]| -> f32 {
            let points = |model| self.figure.points(model).into_iter();
            let joints = pair[0].models.iter().zip(&pair[1].models);
            joints.flat_map(|(a, b)| points(a).zip(points(b))).map(|(a, b)| a.distance(b)).sum()
        };
        let speeds: Vec<f32> = film.frames().windows(2).map(way).collect();
        let fastest = speeds.iter().copied().fold(0.0, f32::max);
        let (Some(first), Some(last)) = (speeds.first(), speeds.last()) else { return false };
        fastest > 0.0 && first.max(*last) < PAUSE * fastest
    }
}
