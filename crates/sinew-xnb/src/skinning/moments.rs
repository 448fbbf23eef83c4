//! Named times of a clip: events, of which a game hears, and markers, by which clips are synchronised.

use crate::cursor::{Cursor, Item};
use crate::error::XnbError;
use crate::output::Output;

/// A named time of a clip that a game hears of.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Event {
    /// Seconds from the start.
    pub time: f32,
    /// What a game listens for.
    pub name: Box<str>,
    /// What else it wants to know; empty for nothing.
    pub payload: Box<str>,
    /// When it is fired while several clips play, if that is said.
    pub fire: Option<Fire>,
}

/// When an event is fired while several clips play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fire {
    /// Whenever its clip passes it.
    Always,
    /// Only by the clip that leads those that are kept in step.
    Leader,
    /// Unless its clip is fading out.
    UnlessFading,
}

/// In the order of their numbers in the file, from one; zero says nothing.
const FIRES: [Fire; 3] = [Fire::Always, Fire::Leader, Fire::UnlessFading];

/// A named time by which clips are synchronised.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Seconds from the start.
    pub time: f32,
    /// Clips are matched by equal names.
    pub name: Box<str>,
}

/// Says what is wrong with named times, if anything: outside of the clip, or not in order.
pub(super) fn check<'a>(
    what: &str,
    moments: impl Iterator<Item = (f32, &'a str)> + Clone,
    duration: f32,
) -> Result<(), String> {
    if let Some((time, name)) = moments.clone().find(|(time, _)| !(0.0..=duration).contains(time)) {
        return Err(format!("{what} `{name}` at {time} s lies outside"));
    }
    let rising = moments.map(|(time, _)| time).is_sorted();
    if rising { Ok(()) } else { Err(format!("a {what} is not in order of time")) }
}

/// Writes named times.
pub(super) fn write<'a>(
    what: &'static str,
    moments: impl ExactSizeIterator<Item = (f32, &'a str)>,
    chunk: &mut Output,
) -> Result<(), XnbError> {
    chunk.packed_count(what, moments.len())?;
    for (time, name) in moments {
        chunk.f32(time);
        chunk.string(name)?;
    }
    Ok(())
}

/// Reads named times.
pub(super) fn read<T>(
    chunk: &mut Cursor<'_>,
    what: &'static str,
    made: impl Fn(f32, Box<str>) -> T,
) -> Result<Vec<T>, XnbError> {
    let count = chunk.packed(what)? as usize;
    chunk.items(count, &Item { what, least: 5 }, |chunk| {
        Ok(made(chunk.f32(what)?, chunk.string(what)?.into()))
    })
}

/// Writes what events say beside time and name.
pub(super) fn write_more(events: &[Event], chunk: &mut Output) -> Result<(), XnbError> {
    chunk.packed_count("events", events.len())?;
    for event in events {
        let number = FIRES.iter().position(|fire| Some(*fire) == event.fire);
        chunk.u8(number.map_or(0, |number| number as u8 + 1));
        chunk.string(&event.payload)?;
    }
    Ok(())
}

/// Reads what events say beside time and name: their fire modes and payloads. The events come before.
pub(super) fn read_more(chunk: &mut Cursor<'_>, events: &mut [Event]) -> Result<(), XnbError> {
    if chunk.packed("the number of fire modes")? as usize != events.len() {
        return Err(chunk.wrong("there are fire modes for another number of events"));
    }
    for event in events {
        event.fire = match chunk.u8("a fire mode")? {
            0 => None,
            number => match FIRES.get(usize::from(number) - 1) {
                Some(fire) => Some(*fire),
                None => return Err(chunk.wrong(format!("there is no fire mode {number}"))),
            },
        };
        event.payload = chunk.string("the payload of an event")?.into();
    }
    Ok(())
}
