//! Marks on the timeline: events, markers, and when each foot stands.

use sinew::{Character, Clip};
use sinew_contacts::{Contacts, Criteria, detect, feet};

/// A named time of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Seconds from the start.
    pub time: f64,
    /// What is shown when the pointer is on it.
    pub text: String,
}

/// When one foot stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// The foot.
    pub name: String,
    /// From when to when, in seconds, within the clip.
    pub spans: Vec<(f64, f64)>,
}

/// What was found out about the feet in a clip.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Feet {
    /// When each stands.
    pub lanes: Vec<Lane>,
    /// How fast the figure moves over the ground, in its unit a second.
    pub ground_speed: f32,
}

/// All marks of a clip.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Marks {
    /// What a game hears of.
    pub events: Vec<Mark>,
    /// Markers other than those of the feet.
    pub markers: Vec<Mark>,
    /// When each foot stands: by the clip's markers, else as it was found out.
    pub lanes: Vec<Lane>,
}

impl Feet {
    /// Finds out about the feet in a clip; nothing where the character has no feet, or the clip does not fit it.
    pub fn find(character: &Character, clip: &Clip) -> Option<Self> {
        let feet = feet(character.skeleton());
        let contacts = detect(character, clip, &feet, &Criteria::default()).ok()?;
        (!feet.is_empty()).then(|| Self::new(&contacts, clip.duration()))
    }

    /// As they were detected in a clip of a duration.
    pub fn new(contacts: &Contacts, duration: f32) -> Self {
        let duration = f64::from(duration);
        let lanes = contacts.feet.iter().filter(|foot| !foot.stands.is_empty()).map(|foot| Lane {
            name: foot.name.clone(),
            spans: foot
                .stands
                .iter()
                .flat_map(|stand| wrapped(stand.start.into(), stand.end.into(), duration))
                .collect(),
        });
        Self { lanes: lanes.collect(), ground_speed: contacts.ground_speed() }
    }
}

/// A span that may go on across the seam of a loop, as spans within the clip.
fn wrapped(start: f64, end: f64, duration: f64) -> impl Iterator<Item = (f64, f64)> {
    let head = (start, end.min(duration));
    let tail = (0.0, (end - duration).min(start));
    [head, tail].into_iter().filter(|(from, to)| to > from)
}

impl Marks {
    /// Those of a clip. `feet` are those that were detected; the clip's own markers have the first word.
    pub fn of(clip: &Clip, feet: Option<&Feet>) -> Self {
        let events = clip.events().iter().map(|event| {
            let payload =
                if event.payload.is_empty() { String::new() } else { format!(" {}", event.payload) };
            let fire = event.fire.map(|fire| format!(", fires {}", fire.name())).unwrap_or_default();
            Mark {
                time: event.time.into(),
                text: format!("{}{payload} at {:.2} s{fire}", event.name, event.time),
            }
        });
        let steps = |name: &str| step(name).is_some();
        let other = clip.markers().iter().filter(|marker| !steps(&marker.name));
        let markers = other.map(|marker| Mark {
            time: marker.time.into(),
            text: format!("marker {} at {:.2} s", marker.name, marker.time),
        });
        let own = lanes_of(clip);
        let lanes = if own.is_empty() { feet.map_or_else(Vec::new, |feet| feet.lanes.clone()) } else { own };
        Self { events: events.collect(), markers: markers.collect(), lanes }
    }
}

/// The foot of a marker such as `left-foot down`, and whether it comes down.
fn step(marker: &str) -> Option<(&str, bool)> {
    let down = marker.strip_suffix(" down").map(|foot| (foot, true));
    down.or_else(|| marker.strip_suffix(" up").map(|foot| (foot, false)))
}

/// When feet stand by the markers of a clip. A foot that is lifted first stands from the start, one that comes down last stands to the end.
fn lanes_of(clip: &Clip) -> Vec<Lane> {
    let mut lanes: Vec<(Lane, Option<f64>)> = Vec::new();
    for marker in clip.markers() {
        let Some((foot, down)) = step(&marker.name) else { continue };
        let time = f64::from(marker.time);
        let place = lanes.iter().position(|(lane, _)| lane.name == foot).unwrap_or_else(|| {
            let lane = Lane { name: foot.to_owned(), spans: Vec::new() };
            lanes.push((lane, (!down).then_some(0.0)));
            lanes.len() - 1
        });
        let (lane, since) = &mut lanes[place];
        match (down, since.take()) {
            (true, before) => *since = before.or(Some(time)),
            (false, Some(start)) => lane.spans.push((start, time)),
            (false, None) => {}
        }
    }
    let end = f64::from(clip.duration());
    let closed = lanes.into_iter().map(|(mut lane, since)| {
        lane.spans.extend(since.map(|start| (start, end)));
        lane
    });
    closed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{character, hero, number};
    use sinew::{Event, Fire, Marker};

    fn clip(markers: &[(f32, &str)]) -> Clip {
        let markers = markers.iter().map(|&(time, name)| Marker::new(time, name)).collect();
        Clip::new("walk", 2.0, vec![], vec![]).unwrap().with_markers(markers).unwrap()
    }

    fn feet() -> Feet {
        Feet { lanes: vec![Lane { name: "found".into(), spans: vec![(0.0, 1.0)] }], ground_speed: 1.0 }
    }

    #[test]
    fn markers_of_feet_are_stands_also_across_the_seam() {
        let clip = clip(&[
            (0.5, "left up"),
            (1.5, "left down"),
            (0.25, "right down"),
            (1.25, "right up"),
            (1.0, "apex"),
        ]);
        let marks = Marks::of(&clip, Some(&feet()));
        let lane = |name: &str| marks.lanes.iter().find(|lane| lane.name == name).map(|lane| &lane.spans[..]);
        assert_eq!(lane("left"), Some(&[(0.0, 0.5), (1.5, 2.0)][..]));
        assert_eq!(lane("right"), Some(&[(0.25, 1.25)][..]));
        assert_eq!(lane("found"), None, "the clip's own markers have the first word");
        assert_eq!(marks.markers, [Mark { time: 1.0, text: "marker apex at 1.00 s".into() }]);
    }

    #[test]
    fn a_marker_that_comes_twice_ends_nothing() {
        let twice = clip(&[(0.5, "left down"), (1.0, "left down"), (1.5, "left up"), (1.75, "left up")]);
        assert_eq!(Marks::of(&twice, None).lanes[0].spans, [(0.5, 1.5)]);
    }

    #[test]
    fn without_markers_feet_are_as_they_were_found() {
        let marks = Marks::of(&clip(&[]), Some(&feet()));
        assert_eq!(marks.lanes, feet().lanes);
        assert_eq!(Marks::of(&clip(&[]), None), Marks::default());
    }

    #[test]
    fn a_stand_across_the_seam_is_shown_at_both_ends() {
        assert_eq!(wrapped(1.5, 2.5, 2.0).collect::<Vec<_>>(), [(1.5, 2.0), (0.0, 0.5)]);
        assert_eq!(wrapped(0.5, 1.0, 2.0).collect::<Vec<_>>(), [(0.5, 1.0)]);
        assert_eq!(wrapped(0.5, 9.0, 2.0).collect::<Vec<_>>(), [(0.5, 2.0), (0.0, 0.5)], "all of it");
    }

    #[test]
    fn feet_are_found_in_a_walk_and_not_where_there_are_none() {
        let hero = hero();
        let walk = hero.clips().get(number(&hero, "walk")).unwrap();
        let feet = Feet::find(&hero, &walk).unwrap();
        assert_eq!(feet.lanes.len(), 2);
        assert!((0.5..3.0).contains(&feet.ground_speed), "{}", feet.ground_speed);
        let stick = character();
        assert_eq!(Feet::find(&stick, &stick.clips().get(0).unwrap()), None);
    }

    #[test]
    fn events_tell_what_a_game_hears() {
        let cry = Event { payload: "cry.ogg".into(), fire: Some(Fire::Leader), ..Event::new(0.5, "sound") };
        let clip = clip(&[]).with_events(vec![cry]).unwrap();
        let text = &Marks::of(&clip, None).events[0].text;
        assert_eq!(text, "sound cry.ogg at 0.50 s, fires leader");
    }
}
