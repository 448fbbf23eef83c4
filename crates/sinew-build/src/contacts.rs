//! Foot contacts of a character's clips, as a file that can be edited: `hero.contacts.toml`.
//!
//! [`ContactFile::detect`] finds them ([`sinew_contacts`]), [`ContactFile::text`] writes them, [`ContactFile::parse`] reads them again, and
//! [`ContactFile::apply`] puts them on the clips as markers and events. Page: `docs/contacts.md`.

use crate::toml_text::{key, string};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use sinew::{Character, Clip, ClipDataError, ClipError, Event, Fire, JobError, Marker};
use sinew_contacts::{Contacts, Criteria, detect, feet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The contacts of all clips of a character.
#[derive(Clone, Debug, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ContactFile {
    /// Clips by name.
    pub clips: BTreeMap<String, ClipContacts>,
}

/// `[clips.NAME]`
#[derive(Clone, Debug, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ClipContacts {
    /// How the figure moves over the ground, in the unit of the character a second: of a clip made in place, as its feet move backward while they stand.
    pub ground_velocity: [f32; 3],
    /// Markers, by which clips are synchronised.
    pub markers: Vec<MarkerEntry>,
    /// Events, of which the game hears.
    pub events: Vec<EventEntry>,
}

/// A marker: `{ time = 0.4, name = "left-foot down" }`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MarkerEntry {
    /// Seconds from the start of the clip.
    pub time: f32,
    /// Its name.
    pub name: String,
}

/// An event: `{ time = 0.4, name = "left-foot down", payload = "gravel", fire = "leader" }`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EventEntry {
    /// Seconds from the start of the clip.
    pub time: f32,
    /// Its name.
    pub name: String,
    /// What else the game wants to know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub payload: String,
    /// When it is fired while several clips play: `always`, `leader` or `unless-fading`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fire: Option<FireSetting>,
}

/// When an event is fired while several clips play: see [`Fire`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FireSetting {
    /// Whenever its clip passes it.
    Always,
    /// Only by the clip that leads its sync group.
    Leader,
    /// Unless its clip is fading out.
    UnlessFading,
}

impl EventEntry {
    /// Keys that most events do not have.
    fn more(&self) -> String {
        let payload = (!self.payload.is_empty()).then(|| format!(", payload = {}", string(&self.payload)));
        let fire = self.fire.map(|fire| format!(", fire = {}", string(fire.name())));
        payload.into_iter().chain(fire).collect()
    }
}

impl From<&EventEntry> for Event {
    fn from(entry: &EventEntry) -> Self {
        Self {
            payload: entry.payload.clone(),
            fire: entry.fire.map(Fire::from),
            ..Self::new(entry.time, entry.name.as_str())
        }
    }
}

impl FireSetting {
    fn name(self) -> &'static str {
        Fire::from(self).name()
    }
}

impl From<FireSetting> for Fire {
    fn from(setting: FireSetting) -> Self {
        match setting {
            FireSetting::Always => Self::Always,
            FireSetting::Leader => Self::Leader,
            FireSetting::UnlessFading => Self::UnlessFading,
        }
    }
}

/// Why contacts cannot be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContactsError {
    /// A clip cannot be loaded.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A clip does not fit the character.
    #[error(transparent)]
    Job(#[from] JobError),
}

/// Where the contacts of a character are, unless its project says otherwise: `hero.contacts.toml` beside `hero.fbx`.
pub fn file_beside(character: &Path) -> PathBuf {
    character.with_extension("contacts.toml")
}

impl ContactFile {
    /// Finds the contacts of all clips. A character without feet has none.
    pub fn detect(character: &Character) -> Result<Self, ContactsError> {
        let clips = character.clips();
        let mut file = Self::default();
        for (index, name) in clips.names().enumerate() {
            if let Some(contacts) = find(character, &*clips.get(index)?)? {
                file.clips.insert(name.to_owned(), ClipContacts::of(&contacts));
            }
        }
        Ok(file)
    }

    /// Reads a file; the error says where it is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The file, with comments.
    pub fn text(&self, character: &str) -> String {
        let mut text = format!(
            "# Foot contacts of {character}. `sinew build` puts them on its clips: markers synchronise clips, events are heard by the game.\n\
             # A clip that is not here has its contacts found when it is built; one with empty lists has none.\n"
        );
        for (name, clip) in &self.clips {
            text += &format!("\n[clips.{}]\n", key(name));
            let velocity = clip.ground_velocity.map(decimal).join(", ");
            text += &format!("ground_velocity = [{velocity}]    # in the unit of the character a second\n");
            let markers = clip.markers.iter().map(|marker| entry(marker.time, &marker.name, ""));
            text += &list("markers", markers);
            let events = clip.events.iter().map(|event| entry(event.time, &event.name, &event.more()));
            text += &list("events", events);
        }
        text
    }

    /// A clip with the contacts that the file gives it, else with those that are found. What the clip has already stays.
    ///
    /// Fails if a time lies outside the clip; a clip that does not fit the character has no contacts.
    pub fn apply(&self, character: &Character, name: &str, clip: &Clip) -> Result<Clip, ClipDataError> {
        let own = self.clips.get(name);
        let found = || find(character, clip).ok().flatten().map(|contacts| ClipContacts::of(&contacts));
        match own.cloned().or_else(found) {
            Some(contacts) => contacts.put(clip, clip.travel(character, None).whole()),
            None => Ok(clip.clone()),
        }
    }

    /// Clips of the file that a character does not have.
    pub fn unknown<'a>(&'a self, character: &'a Character) -> impl Iterator<Item = &'a str> {
        self.clips.keys().map(String::as_str).filter(|name| character.clips().find(name).is_none())
    }
}

fn find(character: &Character, clip: &Clip) -> Result<Option<Contacts>, JobError> {
    let feet = feet(character.skeleton());
    // What moves no foot says nothing about when they stand.
    let above = |joint: u16| std::iter::successors(Some(joint), |&j| character.skeleton().parent(j));
    let moves = |joint: u16| above(joint).any(|j| clip.moved(j).rotation || clip.moved(j).translation);
    if !feet.iter().any(|foot| moves(foot.ankle)) {
        return Ok(None);
    }
    detect(character, clip, &feet, &Criteria::default()).map(Some)
}

impl ClipContacts {
    fn of(contacts: &Contacts) -> Self {
        let marker = |marker: Marker| MarkerEntry { time: rounded(marker.time), name: marker.name };
        let event = |event: Event| EventEntry {
            time: rounded(event.time),
            name: event.name,
            payload: event.payload,
            fire: None,
        };
        Self {
            ground_velocity: contacts.ground_velocity.to_array().map(rounded),
            markers: contacts.markers().into_iter().map(marker).collect(),
            events: contacts.footsteps().into_iter().map(event).collect(),
        }
    }

    /// How fast the figure moves over the ground.
    pub fn ground_speed(&self) -> f32 {
        Vec3::from_array(self.ground_velocity).length()
    }

    /// A clip whose root travels so far already moves over the ground by that, and does not need to be told.
    fn velocity(&self, clip: &Clip, travel: Vec3) -> Vec3 {
        let velocity = Vec3::from_array(self.ground_velocity);
        let travels = travel.length() > 0.5 * velocity.length() * clip.duration();
        if travels || clip.ground_velocity() != Vec3::ZERO { clip.ground_velocity() } else { velocity }
    }

    fn put(&self, clip: &Clip, travel: Vec3) -> Result<Clip, ClipDataError> {
        let (mut markers, mut events) = (clip.markers().to_vec(), clip.events().to_vec());
        let known = |name: &str| clip.markers().iter().any(|marker| marker.name == name);
        let new = self.markers.iter().filter(|marker| !known(&marker.name));
        markers.extend(new.map(|marker| Marker::new(within(marker.time, clip), marker.name.as_str())));
        let known = |name: &str| clip.events().iter().any(|event| event.name == name);
        let new = self.events.iter().filter(|event| !known(&event.name));
        events.extend(new.map(|event| Event { time: within(event.time, clip), ..event.into() }));
        let put = clip.clone().with_markers(markers)?.with_events(events)?;
        put.with_ground_velocity(self.velocity(clip, travel))
    }
}

/// Tenths of a millisecond: finer than a contact can be known.
fn rounded(value: f32) -> f32 {
    ((f64::from(value) * 1e4).round() / 1e4) as f32
}

/// A time that rounding put past the end.
fn within(time: f32, clip: &Clip) -> f32 {
    if time > clip.duration() && time - clip.duration() <= 1e-4 { clip.duration() } else { time }
}

fn entry(time: f32, name: &str, more: &str) -> String {
    format!("{{ time = {}, name = {}{more} }}", decimal(time), string(name))
}

fn list(key: &str, entries: impl Iterator<Item = String>) -> String {
    let lines: String = entries.map(|entry| format!("    {entry},\n")).collect();
    if lines.is_empty() { format!("{key} = []\n") } else { format!("{key} = [\n{lines}]\n") }
}

fn decimal(value: f32) -> String {
    let text = format!("{value}");
    if text.contains('.') { text } else { text + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> ContactFile {
        let marker = MarkerEntry { time: 0.25, name: "left-foot \"down\"".into() };
        let event =
            EventEntry { time: 1.0, name: "left-foot down".into(), payload: String::new(), fire: None };
        let fading =
            EventEntry { payload: "gravel".into(), fire: Some(FireSetting::UnlessFading), ..event.clone() };
        let walk = ClipContacts {
            ground_velocity: [0.0, 0.0, 1.5],
            markers: vec![marker],
            events: vec![event, fading],
        };
        let clips = [("walk".to_owned(), walk), ("my idle".to_owned(), ClipContacts::default())];
        ContactFile { clips: clips.into_iter().collect() }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = file().text("hero");
        assert_eq!(ContactFile::parse(&text).unwrap(), file(), "{text}");
    }

    #[test]
    fn a_wrong_file_says_where() {
        let error = ContactFile::parse("[clips.walk]\nmarkrs = []\n").unwrap_err();
        assert!(error.contains("line 2") && error.contains("markrs"), "{error}");
        let error = ContactFile::parse("[clips.walk]\nevents = [{ time = 0.0, name = 'a', fire = 'now' }]")
            .unwrap_err();
        assert!(error.contains("unless-fading"), "{error}");
    }

    #[test]
    fn a_clip_keeps_what_it_has() {
        let text = "[clips.c]\nmarkers = [{ time = 0.5, name = 'm' }]\nevents = [{ time = 0.25, name = 'step' }, { time = 1.0, name = 'end', payload = 'x', fire = 'leader' }]";
        let contacts = ContactFile::parse(text).unwrap().clips["c"].clone();
        let clip =
            Clip::new("c", 1.0, vec![], vec![]).unwrap().with_events(vec![Event::new(0.75, "step")]).unwrap();
        let put = contacts.put(&clip, Vec3::ZERO).unwrap();
        let events: Vec<(f32, &str)> = put.events().iter().map(|e| (e.time, e.name.as_str())).collect();
        assert_eq!(events, [(0.75, "step"), (1.0, "end")]);
        assert_eq!((put.events()[1].payload.as_str(), put.events()[1].fire), ("x", Some(Fire::Leader)));
        assert_eq!(put.markers()[0].name, "m");
        assert_eq!(put.ground_velocity(), Vec3::ZERO);
        let going = ClipContacts { ground_velocity: [0.0, 0.0, 1.5], ..contacts };
        assert_eq!(
            going.put(&clip, Vec3::Z * 0.1).unwrap().ground_velocity(),
            Vec3::Z * 1.5,
            "made in place"
        );
        assert_eq!(going.put(&clip, Vec3::Z * 1.4).unwrap().ground_velocity(), Vec3::ZERO, "it travels");
        let late = ContactFile::parse("[clips.c]\nmarkers = [{ time = 2.0, name = 'm' }]").unwrap();
        assert!(
            late.clips["c"].put(&clip, Vec3::ZERO).unwrap_err().to_string().contains("marker `m` at 2 s")
        );
    }
}
