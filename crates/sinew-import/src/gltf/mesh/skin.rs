//! Skins and influences.

use super::{Shown, affine, wrong};
use crate::gltf::json::Attributes;
use crate::weights::Weights;
use crate::{Budget, Cause, findings};
use glam::Affine3;
use sinew::{Finding, Mat3x4, Mesh, NO_JOINT, Skin};
use sinew_findings::plural;

/// Gives a mesh its skin, if its vertices have influences.
pub(super) fn skin(
    shown: &Shown<'_>,
    index: usize,
    attributes: &Attributes,
    mesh: &mut Mesh,
    budget: &Budget<'_>,
    place: &str,
    findings: &mut Vec<Finding>,
) -> Result<(), Cause> {
    let malformed = |what: &str| Cause::malformed(what, format!("skins[{index}]"));
    let source = shown.file.document.skins.get(index).ok_or_else(|| malformed("does not exist"))?;
    // Joint, inverse bind and the numbers of it.
    budget.memory((source.joints.len() as u64).saturating_mul(2 * (2 + 48) + 5))?;
    let all: Vec<u16> = source.joints.iter().map(|&node| shown.rig.joint(node)).collect();
    // Vertices stay where they are that only a node which stands for nothing would carry.
    let is_still: Vec<bool> = source.joints.iter().map(|&node| shown.rig.is_still(node)).collect();
    let joints = kept(&all, &is_still);
    if joints.contains(&NO_JOINT) || all.len() >= usize::from(NO_JOINT) {
        return Err(malformed("has a joint that does not exist, or too many"));
    }
    let inverse_binds = match source.inverse_bind_matrices {
        Some(accessor) => {
            let values = shown.file.numbers(accessor, budget)?;
            let matrices =
                values.elements::<16>().ok_or_else(|| wrong(accessor, "does not hold matrices"))?;
            matrices.iter().take(all.len()).map(affine).collect()
        }
        None => vec![Affine3::IDENTITY; all.len()],
    };
    if inverse_binds.len() != all.len() || !inverse_binds.iter().all(Affine3::is_finite) {
        return Err(malformed("has fewer inverse binds than joints, or some that are not finite"));
    }
    let sets = attributes.influences();
    let sets = sets.map(|(joints, weights)| set(shown, joints, weights, mesh.vertex_count(), budget));
    let sets: Vec<Set> = sets.collect::<Result<_, _>>()?;
    if sets.is_empty() {
        return Ok(());
    }
    // Each influence of a vertex is looked for among those before it.
    let compared = (sets.len() as u64).saturating_mul(sets.len() as u64);
    budget.steps(compared.saturating_mul(mesh.vertex_count() as u64))?;
    let bytes = shown.options.influences.count() * (size_of::<u16>() + size_of::<f32>());
    budget.memory((mesh.vertex_count() as u64).saturating_mul(bytes as u64))?;
    let mut weights = Weights::new(shown.options.influences.count(), mesh.vertex_count());
    let mut stray = 0;
    let mut next = 0..;
    let slots: Vec<Option<u16>> =
        is_still.iter().map(|still| if *still { None } else { next.next() }).collect();
    for vertex in 0..mesh.vertex_count() {
        let pairs = sets.iter().flat_map(|set| {
            let both = set.joints.get(vertex).zip(set.weights.get(vertex));
            both.into_iter().flat_map(|(joints, weights)| joints.iter().zip(weights))
        });
        let used: Vec<(u16, f64)> = pairs
            .filter(|(_, weight)| **weight != 0.0)
            // Whole numbers up to 65,535, so that the cast keeps the value.
            .map(|(&joint, &weight)| (joint as u16, f64::from(weight)))
            .collect();
        stray += used.iter().filter(|(joint, _)| usize::from(*joint) >= all.len()).count();
        let slot = |joint: u16| slots.get(usize::from(joint)).copied().flatten();
        weights.push(used.into_iter().filter_map(|(joint, weight)| Some((slot(joint)?, weight))));
    }
    if stray > 0 {
        let message = format!(
            "{} a joint that the skin does not have",
            plural(stray, "influence names", "influences name")
        );
        findings.push(Finding::new(&findings::SKIN_SLOTS, place, message).count(stray));
    }
    mesh.influences = weights.finish(place, findings);
    let inverse_binds = kept(&inverse_binds, &is_still).into_iter().map(Mat3x4::from).collect();
    mesh.skin = Some(Skin { joints: joints.into(), inverse_binds });
    Ok(())
}

/// What belongs to joints that may move.
fn kept<T: Copy>(list: &[T], is_still: &[bool]) -> Vec<T> {
    list.iter().zip(is_still).filter(|(_, still)| !**still).map(|(item, _)| *item).collect()
}

/// Four joints and four weights of every vertex.
struct Set {
    joints: Vec<[f32; 4]>,
    weights: Vec<[f32; 4]>,
}

fn set(
    shown: &Shown<'_>,
    joints: usize,
    weights: usize,
    vertices: usize,
    budget: &Budget<'_>,
) -> Result<Set, Cause> {
    let read = |accessor: usize| {
        budget.list::<[f32; 4]>(vertices)?;
        let scratch = budget.scratch();
        let values = shown.file.numbers(accessor, &scratch)?;
        let elements = values.elements::<4>().filter(|e| e.len() == vertices);
        let wrong = || wrong(accessor, "does not hold four influences for each vertex");
        elements.map(<[[f32; 4]]>::to_vec).ok_or_else(wrong)
    };
    Ok(Set { joints: read(joints)?, weights: read(weights)? })
}
