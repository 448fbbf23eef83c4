//! Checks of the skeleton.

use super::exceeds;
use super::rest::RestPose;
use crate::criteria::HIDDEN;
use glam::Vec3;
use sinew::{Clip, Finding, Kind, Skeleton};
use sinew_findings::catalogue::examine::{
    DUPLICATE_NAMES, JOINTS_OVER_72, JOINTS_OVER_256, NEGATIVE_SCALE, NON_UNIFORM_SCALE,
};
use sinew_findings::plural;
use sinew_import::Source;
use std::collections::BTreeMap;

/// All checks of a skeleton at rest.
pub(super) fn examine(at_rest: &RestPose<'_>, source: &Source<'_>) -> Vec<Finding> {
    let file = source.file;
    let skeleton = at_rest.skeleton();
    let mut found = joint_count(at_rest, file);
    found.extend(duplicate_names(skeleton, source));
    let rest =
        (0u16..).zip(0..skeleton.len()).map(|(joint, index)| (joint, skeleton.rest().get(index).scale));
    found.extend(scales(at_rest, rest, file));
    found
}

/// Scale keys of a clip.
pub(super) fn examine_scales(at_rest: &RestPose<'_>, clip: &Clip, place: &str) -> Vec<Finding> {
    let keys = |tracks: &'_ sinew::JointTracks| {
        let values = tracks.scale.as_ref().map_or(&[][..], |track| track.values());
        values.iter().map(|&scale| (tracks.joint, scale)).collect::<Vec<_>>()
    };
    let skeleton = at_rest.skeleton();
    // A scale that the rest pose has too is reported there.
    let new = |&(joint, scale): &(u16, Vec3)| {
        let rest = skeleton.rest().get(usize::from(joint)).scale;
        evenness(scale) > evenness(rest) * 1.001 || scale.min_element() < 0.0 && rest.min_element() >= 0.0
    };
    scales(at_rest, clip.to_keys(skeleton).joints().iter().flat_map(keys).filter(new), place)
}

fn joint_count(at_rest: &RestPose<'_>, file: &str) -> Vec<Finding> {
    let count = at_rest.carrying().iter().filter(|&&carries| carries).count();
    let over = |kind: &'static Kind| {
        let message = format!("{count} joints have weighted vertices or descendants with weighted vertices");
        exceeds(kind, count as f64).then(|| Finding::new(kind, file, message).measured(count as f64))
    };
    [&JOINTS_OVER_256, &JOINTS_OVER_72].into_iter().filter_map(over).collect()
}

fn duplicate_names(skeleton: &Skeleton, source: &Source<'_>) -> Option<Finding> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, name) in (0..).zip(skeleton.names().iter()).filter(|&(joint, _)| !source.info.joint(joint).helper)
    {
        *counts.entry(name).or_default() += 1;
    }
    counts.retain(|_, &mut count| exceeds(&DUPLICATE_NAMES, count as f64));
    let (name, most) = counts.iter().max_by_key(|&(_, &count)| count)?;
    let others = match counts.len() - 1 {
        0 => String::new(),
        n => format!("; {} more than once", plural(n, "more name occurs", "more names occur")),
    };
    let message = format!("{most} joints are called `{name}`{others}");
    Some(Finding::new(&DUPLICATE_NAMES, source.file, message).count(counts.len()).measured(*most as f64))
}

/// Largest component divided by the smallest; 1 for a joint that is hidden by a scale near zero.
fn evenness(scale: Vec3) -> f64 {
    let scale = scale.abs();
    if f64::from(scale.min_element()) <= HIDDEN.value {
        return 1.0;
    }
    f64::from(scale.max_element() / scale.min_element())
}

/// Checks the scales of joints with weighted vertices and of their ancestors. Without a skin, those of joints with children: the scale of a
/// leaf only shapes a rigid part, which is harmless.
fn scales(at_rest: &RestPose<'_>, scales: impl Iterator<Item = (u16, Vec3)>, place: &str) -> Vec<Finding> {
    let skeleton = at_rest.skeleton();
    let carrying = at_rest.carrying();
    let matters = |joint: u16| match at_rest.is_skinned() {
        true => carrying[usize::from(joint)],
        false => skeleton.parents().contains(&joint),
    };
    let (mut negative, mut uneven): (BTreeMap<u16, f64>, BTreeMap<u16, f64>) = Default::default();
    for (joint, scale) in scales.filter(|&(joint, _)| matters(joint)) {
        let (least, ratio) = (f64::from(scale.min_element()), evenness(scale));
        if least < 0.0 {
            let entry = negative.entry(joint).or_insert(least);
            *entry = entry.min(least);
        }
        if exceeds(&NON_UNIFORM_SCALE, ratio) {
            let entry = uneven.entry(joint).or_insert(ratio);
            *entry = entry.max(ratio);
        }
    }
    let mut found = Vec::new();
    if let Some((&joint, &least)) = negative.iter().min_by(|a, b| a.1.total_cmp(b.1)) {
        let message = format!("`{}` is scaled by {least:.3}{}", skeleton.name(joint), others(negative.len()));
        found.push(Finding::new(&NEGATIVE_SCALE, place, message).count(negative.len()).measured(least));
    }
    if let Some((&joint, &ratio)) = uneven.iter().max_by(|a, b| a.1.total_cmp(b.1)) {
        let message = format!(
            "`{}` is scaled {ratio:.2} times more along one axis than along another{}",
            skeleton.name(joint),
            others(uneven.len())
        );
        found.push(Finding::new(&NON_UNIFORM_SCALE, place, message).count(uneven.len()).measured(ratio));
    }
    found
}

/// Text for the further joints that a finding applies to.
pub(super) fn others(count: usize) -> String {
    match count.saturating_sub(1) {
        0 => String::new(),
        1 => ", and so is one more joint".to_owned(),
        n => format!(", and so are {n} more joints"),
    }
}
