//! Section `VRMD`: what a VRM says beside its model.

use super::WriteError;
use super::section::{SectionWriter, count};
use sinew_import::bundle::layout::{ExpressionMorph, ExpressionRecord, VRMD, VrmHeader};
use sinew_import::{Expression, Vrm};

pub(super) fn section(vrm: &Vrm) -> Result<SectionWriter, WriteError> {
    let mut section = SectionWriter::new(VRMD, 0)?;
    let morphs = || vrm.expressions.iter().flat_map(|expression| &expression.morphs);
    section.record(&VrmHeader {
        version: vrm.version.number(),
        roles: count("roles", vrm.roles.len())?,
        expressions: count("expressions", vrm.expressions.len())?,
        morphs: count("morph weights", morphs().count())?,
    });
    section.array(&vrm.roles.iter().map(|(_, joint)| *joint).collect::<Vec<_>>());
    let record = |expression: &Expression| {
        let morphs = count("morph weights", expression.morphs.len())?;
        Ok(ExpressionRecord { scalar: expression.scalar, binary: expression.is_binary.into(), morphs })
    };
    let records = vrm.expressions.iter().map(record).collect::<Result<Vec<_>, WriteError>>()?;
    section.array(&records);
    let morph = |&(scalar, weight): &(u16, f32)| ExpressionMorph { scalar, reserved: 0, weight };
    section.array(&morphs().map(morph).collect::<Vec<_>>());
    section.names(vrm.roles.iter().map(|(role, _)| role.as_str()))?;
    section.names(vrm.expressions.iter().map(|expression| expression.name.as_str()))?;
    let texts = [&vrm.first_person, &vrm.look_at, &vrm.meta];
    let texts = texts.map(|value| if value.is_null() { String::new() } else { value.to_string() });
    section.names(texts.iter().map(String::as_str))?;
    Ok(section)
}
