//! Skins: joints and weights of a mesh.

use super::raw::{Document, Skin as RawSkin, integers};
use super::scene::Scene;
use super::stack::affine;
use crate::{Cause, findings};
use glam::DAffine3;
use sinew::Finding;
use sinew_findings::plural;

/// A skin, as the document has it.
pub(crate) struct Skin {
    /// Nodes of the skin's joints.
    pub(crate) nodes: Vec<usize>,
    /// Inverse bind of each of them; `None` where the document has none.
    pub(crate) inverse_binds: Vec<Option<DAffine3>>,
    /// Baked into the vertices.
    pub(crate) bind_shape: DAffine3,
    /// Index of the skin's joint and weight, vertex after vertex.
    influences: Vec<(u16, f64)>,
    /// Where the influences of each vertex end.
    ends: Vec<u32>,
}

impl Skin {
    /// Influences of one position of the geometry.
    pub(crate) fn influences(&self, position: usize) -> &[(u16, f64)] {
        let end = |i: usize| self.ends.get(i).map(|&e| e as usize);
        let start = position.checked_sub(1).map_or(Some(0), end).unwrap_or(usize::MAX);
        end(position).and_then(|end| self.influences.get(start..end)).unwrap_or_default()
    }

    /// Reads a skin, and finds its joints among the nodes of the scene.
    pub(crate) fn read(
        raw: &RawSkin<'_>,
        skeletons: &[&str],
        document: &Document<'_>,
        scene: &Scene<'_, '_>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Cause> {
        let (slots, nodes, inverse_binds) = read_joints(raw, skeletons, document, scene, findings)?;
        let mut skin = Self {
            nodes,
            inverse_binds,
            bind_shape: affine(&raw.bind_shape()?),
            influences: Vec::new(),
            ends: Vec::new(),
        };
        skin.read_influences(raw, &slots, document, findings)?;
        Ok(skin)
    }

    fn read_influences(
        &mut self,
        raw: &RawSkin<'_>,
        slots: &[Option<u16>],
        document: &Document<'_>,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Cause> {
        let (Some(counts), Some(list)) = (raw.counts, raw.influences) else { return Ok(()) };
        let budget = raw.element.budget();
        let find = |semantic: &str| raw.inputs.iter().find(|i| i.semantic == semantic);
        let (Some(joint), Some(weight)) = (find("JOINT"), find("WEIGHT")) else {
            return Err(raw.element.error("`<vertex_weights>` lacks a JOINT or WEIGHT input"));
        };
        let Some(weights) = document.sources.get(weight.source) else {
            return Err(raw.element.error(format!("there is no source `{}`", weight.source)));
        };
        let weights = weights.table(document)?;
        let stride = raw.inputs.iter().map(|i| i.offset.saturating_add(1)).max().unwrap_or(1);
        let indices = integers(list)?;
        let mut corners = indices.chunks_exact(stride);
        let mut lost = 0;
        for count in integers(counts)? {
            for _ in 0..count.max(0) {
                let Some(corner) = corners.next() else {
                    return Err(list.error("there are fewer influences than `<vcount>` says"));
                };
                let weight_row =
                    corner.get(weight.offset).and_then(|&i| weights.row(usize::try_from(i).ok()?));
                let Some(&value) = weight_row.and_then(|row| row.first()) else {
                    return Err(list.error(format!(
                        "an influence's weight index is out of range of the {}",
                        plural(weights.len(), "weight", "weights")
                    )));
                };
                let number = corner.get(joint.offset).copied().unwrap_or(-1);
                match usize::try_from(number).ok().map(|n| slots.get(n)) {
                    Some(Some(Some(slot))) => budget.push(&mut self.influences, (*slot, value))?,
                    Some(None) => {
                        let what = format!("an influence refers to joint {number} of {}", slots.len());
                        return Err(list.error(what));
                    }
                    // No joint, or one that the scene does not have.
                    None | Some(Some(None)) => lost += usize::from(value > 0.0),
                }
            }
            budget.push(&mut self.ends, u32::try_from(self.influences.len()).unwrap_or(u32::MAX))?;
        }
        if lost > 0 {
            let place = raw.source;
            let message = format!(
                "{} left out, of joints that the scene does not have",
                plural(lost, "influence was", "influences were")
            );
            findings.push(Finding::new(&findings::SKIN_SLOTS, place, message).count(lost));
        }
        Ok(())
    }
}

/// Bytes that a joint of a skin takes, in lists that grow by doubling.
const JOINT_BYTES: u64 = 400;
/// Joints without a node that a finding names.
const MOST_NAMED: usize = 64;

type Joints = (Vec<Option<u16>>, Vec<usize>, Vec<Option<DAffine3>>);

/// For each joint of the document's skin its index in ours, if the scene has it; nodes and inverse binds of ours.
fn read_joints(
    raw: &RawSkin<'_>,
    skeletons: &[&str],
    document: &Document<'_>,
    scene: &Scene<'_, '_>,
    findings: &mut Vec<Finding>,
) -> Result<Joints, Cause> {
    let find = |semantic: &str| {
        let input = raw.joints.iter().find(|i| i.semantic == semantic)?;
        document.sources.get(input.source)
    };
    let Some(names) = find("JOINT") else {
        return Err(raw.element.error("`<joints>` lacks a JOINT input"));
    };
    let binds = find("INV_BIND_MATRIX").map(|s| s.table(document)).transpose()?;
    let (mut slots, mut nodes, mut inverse_binds) = (Vec::new(), Vec::new(), Vec::new());
    let mut missing = Vec::new();
    let mut find_joint = scene.joint_finder(names.has_ids(), skeletons);
    for (index, word) in names.words(document).enumerate() {
        raw.element.budget().memory(JOINT_BYTES)?;
        let Some(node) = find_joint(word) else {
            missing.push(word);
            slots.push(None);
            continue;
        };
        let Ok(slot) = u16::try_from(nodes.len()) else {
            return Err(raw.element.error("the skin has more joints than can be numbered"));
        };
        let row = binds.as_ref().and_then(|b| <&[f64; 16]>::try_from(b.row(index)?).ok());
        slots.push(Some(slot));
        nodes.push(node);
        inverse_binds.push(row.map(affine).filter(DAffine3::is_finite));
    }
    if !missing.is_empty() {
        let mut names = missing.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
        if missing.len() > MOST_NAMED {
            names += &format!(" and {} more", missing.len() - MOST_NAMED);
        }
        let message = format!("the scene has no node for the joints {names}");
        findings.push(Finding::new(&findings::SKIN_SLOTS, raw.source, message).count(missing.len()));
    }
    let without = inverse_binds.iter().filter(|b| b.is_none()).count();
    if without > 0 {
        let message = format!(
            "{} no inverse bind matrix; the rest was taken instead",
            plural(without, "joint has", "joints have")
        );
        findings.push(Finding::new(&findings::SKIN_NO_BIND, raw.source, message).count(without));
    }
    Ok((slots, nodes, inverse_binds))
}
