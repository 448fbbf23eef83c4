//! Sections `TRVL`, `GRND` and `SOCK`.

use super::cursor::Cursor;
use super::layout::{GroundRecord, SocketRecord, SocketsHeader, TravelHeader, TravelRecord};
use super::{BundleError, Section};
use crate::root_motion::Stated;
use crate::{NO_JOINT, Socket, Transform};
use glam::{Quat, Vec3};

/// What each of so many clips says of its travel, for a skeleton of so many joints; `None` for one that does not travel.
pub(super) fn travels(
    section: Section<'_>,
    clips: u32,
    joints: usize,
) -> Result<Vec<Option<Stated>>, BundleError> {
    let (cursor, records) = of_clips::<TravelRecord>(section, clips)?;
    let mut travels = Vec::with_capacity(records.len());
    for record in &*records {
        travels.push(travel(&cursor, record, joints)?);
    }
    cursor.finish()?;
    Ok(travels)
}

/// How each of so many clips moves over the ground.
pub(super) fn grounds(section: Section<'_>, clips: u32) -> Result<Vec<GroundRecord>, BundleError> {
    let (cursor, records) = of_clips::<GroundRecord>(section, clips)?;
    let finite = records.iter().all(|record| Vec3::from_array(record.velocity).is_finite());
    cursor.check(finite, "a velocity over the ground is not finite")?;
    cursor.finish()?;
    Ok(records.into_owned())
}

/// A head and a record for each clip.
fn of_clips<'a, T: bytemuck::Pod>(
    section: Section<'a>,
    clips: u32,
) -> Result<(Cursor<'a>, std::borrow::Cow<'a, [T]>), BundleError> {
    let mut cursor = Cursor::new(section);
    let header: TravelHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    cursor.check(header.clips == clips, "its number of clips differs from the bundle's")?;
    let records = cursor.view::<T>(clips as usize)?;
    Ok((cursor, records))
}

fn travel(cursor: &Cursor<'_>, record: &TravelRecord, joints: usize) -> Result<Option<Stated>, BundleError> {
    if record.joint == NO_JOINT {
        let rest = TravelRecord { joint: 0, ..*record };
        let is_zero = bytemuck::bytes_of(&rest).iter().all(|&byte| byte == 0);
        cursor.check(is_zero, "a clip that does not travel says how far")?;
        return Ok(None);
    }
    cursor.zero(record.reserved)?;
    cursor.check(usize::from(record.joint) < joints, "a joint that travels is out of range")?;
    let [first, last] = record.times;
    cursor
        .check(first.is_finite() && last.is_finite() && first <= last, "the travel of a clip has no times")?;
    let whole = Vec3::from_array(record.displacement);
    cursor.check(whole.is_finite() && record.yaw.is_finite(), "the travel of a clip is not finite")?;
    Ok(Some(Stated { joint: record.joint, times: record.times, whole, turn: record.yaw }))
}

/// Sockets; the character checks that their joints exist.
pub(super) fn sockets(section: Section<'_>) -> Result<Vec<Socket>, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: SocketsHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let records = cursor.view::<SocketRecord>(header.sockets as usize)?;
    let names = cursor.texts(records.len())?;
    let mut sockets = Vec::with_capacity(records.len());
    for (record, name) in records.iter().zip(names.iter()) {
        cursor.zero(record.reserved)?;
        let offset = Transform {
            translation: Vec3::from_array(record.translation),
            rotation: Quat::from_array(record.rotation),
            scale: Vec3::from_array(record.scale),
        };
        sockets.push(Socket { name: name.to_owned(), joint: record.joint, offset });
    }
    cursor.finish()?;
    Ok(sockets)
}
