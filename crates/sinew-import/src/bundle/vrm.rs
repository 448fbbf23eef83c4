//! Section `VRMD`.

use super::layout::{ExpressionMorph, ExpressionRecord, VrmHeader};
use crate::{Expression, Vrm, VrmVersion};
use serde_json::Value;
use sinew::bundle_file::{Cursor, Section};
use sinew::{BundleError, Character};

pub(super) fn vrm(section: Section<'_>, character: &Character) -> Result<Vrm, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: VrmHeader = cursor.record()?;
    let version = VrmVersion::numbered(header.version);
    let version = version.ok_or_else(|| cursor.wrong("its version is unknown"))?;
    let joints = cursor.array::<u16>(header.roles as usize)?;
    let skeleton = character.skeleton();
    let inside = joints.iter().all(|&joint| usize::from(joint) < skeleton.len());
    cursor.check(inside, "the joint of a role is out of range")?;
    let records = cursor.array::<ExpressionRecord>(header.expressions as usize)?;
    let morphs = cursor.array::<ExpressionMorph>(header.morphs as usize)?;
    let scalars = skeleton.scalar_names().len();
    let scalars = |scalar: u16| usize::from(scalar) < scalars;
    let fit = records.iter().all(|record| scalars(record.scalar) && record.binary <= 1);
    cursor.check(fit, "an expression has a scalar out of range, or is neither binary nor not")?;
    let fit =
        morphs.iter().all(|morph| scalars(morph.scalar) && morph.reserved == 0 && morph.weight.is_finite());
    cursor.check(fit, "a morph weight of an expression is not valid")?;
    let all: u64 = records.iter().map(|record| u64::from(record.morphs)).sum();
    cursor.check(all == u64::from(header.morphs), "its morph weights are not those of its expressions")?;
    let roles = cursor.names(header.roles as usize)?;
    let names = cursor.names(header.expressions as usize)?;
    let texts = cursor.names(3)?;
    let [first_person, look_at, meta] = [0, 1, 2].map(|at| json(texts.get(at)));
    let values = (first_person.zip(look_at).zip(meta)).ok_or_else(|| cursor.wrong("a text is not JSON"))?;
    cursor.finish()?;
    let mut morphs = morphs.into_iter().map(|morph| (morph.scalar, morph.weight));
    let expressions = names.into_iter().zip(records).map(|(name, record)| Expression {
        name,
        scalar: record.scalar,
        morphs: morphs.by_ref().take(record.morphs as usize).collect(),
        is_binary: record.binary == 1,
    });
    let ((first_person, look_at), meta) = values;
    Ok(Vrm {
        version,
        roles: roles.into_iter().zip(joints).collect(),
        expressions: expressions.collect(),
        first_person,
        look_at,
        meta,
    })
}

/// What a text says; an empty one says nothing.
fn json(text: Option<&String>) -> Option<Value> {
    match text?.as_str() {
        "" => Some(Value::Null),
        text => serde_json::from_str(text).ok(),
    }
}
