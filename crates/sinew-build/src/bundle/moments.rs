//! Sections about what happens during clips, and where things are attached: the counterparts of the readers in `sinew`.

use super::WriteError;
use super::parts::from_one;
use super::section::{SectionWriter, count};
use bytemuck::Zeroable;
use sinew::bundle_file::*;
use sinew::{Character, Clip, NO_JOINT, Socket, Travel};
use std::f32::consts::TAU;
use std::sync::Arc;

pub(super) fn events(index: usize, clip: &Clip) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(EVTS, index)?;
    section.record(&EventsHeader { events: count("events", clip.events().len())?, reserved: [0; 3] });
    let record =
        |event: &sinew::Event| EventRecord { time: event.time, fire: from_one(&FIRES, event.fire).into() };
    section.array(&clip.events().iter().map(record).collect::<Vec<_>>());
    section.names(clip.events().iter().map(|event| event.name.as_str()))?;
    section.names(clip.events().iter().map(|event| event.payload.as_str()))?;
    Ok(section)
}

pub(super) fn markers(index: usize, clip: &Clip) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(MRKS, index)?;
    section.record(&MarkersHeader { markers: count("markers", clip.markers().len())?, reserved: [0; 3] });
    section.array(&clip.markers().iter().map(|marker| marker.time).collect::<Vec<_>>());
    section.names(clip.markers().iter().map(|marker| marker.name.as_str()))?;
    Ok(section)
}

/// How clips travel, and how their figures move over the ground; of each only where one does.
pub(super) fn travels(
    character: &Character,
    clips: &[Arc<Clip>],
) -> Result<impl Iterator<Item = SectionWriter>, WriteError> {
    let travels: Vec<Travel> = clips.iter().map(|clip| clip.travel(character, None)).collect();
    let records: Vec<TravelRecord> = travels.iter().map(travel).collect();
    let grounds = clips.iter().zip(&travels).map(|(clip, travel)| GroundRecord {
        velocity: clip.ground_velocity().to_array(),
        turns: whole_turns(travel.turn()),
    });
    let grounds: Vec<GroundRecord> = grounds.collect();
    let travel = of_clips(TRVL, &records, |record| record.joint != NO_JOINT)?;
    let ground = of_clips(GRND, &grounds, |record| record.velocity != [0.0; 3] || record.turns != 0)?;
    Ok(travel.into_iter().chain(ground))
}

/// A section with a record for each clip; `None` if none says anything.
fn of_clips<T: bytemuck::Pod>(
    id: SectionId,
    records: &[T],
    says: impl Fn(&T) -> bool,
) -> Result<Option<SectionWriter>, WriteError> {
    if !records.iter().any(says) {
        return Ok(None);
    }
    let mut section = SectionWriter::new(id, 0)?;
    section.record(&TravelHeader { clips: count("clips", records.len())?, reserved: [0; 3] });
    section.array(records);
    Ok(Some(section))
}

fn travel(travel: &Travel) -> TravelRecord {
    match travel.joint() {
        None => TravelRecord { joint: NO_JOINT, ..TravelRecord::zeroed() },
        Some(joint) => TravelRecord {
            joint,
            reserved: [0; 3],
            times: travel.times().map(|time| time as f32),
            displacement: travel.whole().to_array(),
            yaw: travel.turn() - TAU * whole_turns(travel.turn()) as f32,
        },
    }
}

/// Whole turns, so that what is left is the shorter way.
fn whole_turns(turn: f32) -> i32 {
    (turn / TAU).round() as i32
}

pub(super) fn sockets(sockets: &[Socket]) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(SOCK, 0)?;
    section.record(&SocketsHeader { sockets: count("sockets", sockets.len())?, reserved: [0; 3] });
    let record = |socket: &Socket| SocketRecord {
        joint: socket.joint,
        reserved: [0; 3],
        translation: socket.offset.translation.to_array(),
        rotation: socket.offset.rotation.to_array(),
        scale: socket.offset.scale.to_array(),
    };
    section.array(&sockets.iter().map(record).collect::<Vec<_>>());
    section.names(sockets.iter().map(|socket| socket.name.as_str()))?;
    Ok(section)
}
