//! Sections about what happens during clips, and where things are attached: the counterparts of the readers in `sinew`.

use super::WriteError;
use super::parts::from_one;
use super::section::{SectionWriter, count};
use bytemuck::Zeroable;
use sinew::bundle_file::*;
use sinew::{Character, Clip, MeasuredTravel, NO_JOINT, Socket};
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

/// `None` if no clip travels.
pub(super) fn travels(
    character: &Character,
    clips: &[Arc<Clip>],
) -> Result<Option<SectionWriter>, WriteError> {
    let up = character.space().up.into();
    let travels = clips.iter().map(|clip| MeasuredTravel::of(clip, character.skeleton(), up));
    let records: Vec<_> = travels.map(travel).collect();
    if records.iter().all(|record| record.joint == NO_JOINT) {
        return Ok(None);
    }
    let mut section = SectionWriter::new(TRVL, 0)?;
    section.record(&TravelHeader { clips: count("clips", clips.len())?, reserved: [0; 3] });
    section.array(&records);
    Ok(Some(section))
}

fn travel(travel: Option<MeasuredTravel>) -> TravelRecord {
    match travel {
        None => TravelRecord { joint: NO_JOINT, ..TravelRecord::zeroed() },
        Some(travel) => TravelRecord {
            joint: travel.joint,
            reserved: [0; 3],
            times: travel.times,
            displacement: travel.displacement.to_array(),
            yaw: travel.yaw,
        },
    }
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
