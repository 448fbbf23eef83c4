//! What is odd about two characters of which one is to follow the other.

use crate::fit::Fit;
use crate::{Humanoid, Part, Retarget, Role};
use sinew::names::{Match, match_names};
use sinew::{BoneMap, Character, Finding};
use sinew_findings::catalogue::play::BONE_MAP_UNKNOWN;
use sinew_findings::catalogue::retarget::{HANGING_REST, LEANING_REST, RESIDUAL, ROLE_MISSING, ROLE_REFUSED};

pub(crate) fn of(retarget: &Retarget, fit: &Fit, names: [&str; 2]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (roles, name) in retarget.roles.iter().zip(names) {
        findings.extend(
            roles.refused().iter().map(|refused| Finding::new(&ROLE_REFUSED, name, refused.to_string())),
        );
    }
    let [source, target] = &retarget.roles;
    findings.extend(missing(source, target, names));
    let percent = 100.0 * fit.residual;
    if percent > RESIDUAL.threshold.unwrap_or(f64::INFINITY) {
        let message =
            format!("joints of trunk and legs are {percent:.0} % of the figure from those of `{}`", names[0]);
        findings.push(Finding::new(&RESIDUAL, names[1], message).measured(percent));
    }
    for (hangs, name) in fit.hangs.iter().zip(names) {
        if *hangs {
            findings.push(Finding::new(
                &HANGING_REST,
                name,
                "the rest is taken as if it stood on the ground",
            ));
        }
    }
    for (lean, name) in fit.leans.iter().zip(names) {
        if *lean > LEANING_REST.threshold.unwrap_or(f64::INFINITY) {
            let message = format!("its trunk leans by {lean:.0}°; it is taken to stand upright");
            findings.push(Finding::new(&LEANING_REST, name, message).measured(*lean));
        }
    }
    findings
}

/// Entries of a bone map that lead from no joint, or to nothing.
pub(crate) fn unknown(map: &BoneMap, source: &Character, target: &Character) -> Vec<Finding> {
    let lacks = |character: &Character, name: &str| {
        match_names([name], character.skeleton().names()) == [Match::None]
    };
    let mut findings = Vec::new();
    for (from, to) in &map.joints {
        if lacks(source, from) {
            let message = format!("`{}` has no joint of the name `{from}`", source.name());
            findings.push(Finding::new(&BONE_MAP_UNKNOWN, from.as_str(), message));
        }
        if !to.is_empty() && Role::parse(to).is_none() && lacks(target, to) {
            let message = format!("`{to}` is neither a role nor a joint of `{}`", target.name());
            findings.push(Finding::new(&BONE_MAP_UNKNOWN, from.as_str(), message));
        }
    }
    findings
}

/// Roles of limbs that one of them has and the other has not. Fingers and eyes are often missing, and are not worth a word.
fn missing(source: &Humanoid, target: &Humanoid, names: [&str; 2]) -> Option<Finding> {
    let counts = |role: &Role| {
        !role.part().is_finger() && !matches!(role.part(), Part::Eye | Part::Jaw | Part::UpperChest)
    };
    let lacks = |has: &Humanoid, other: &Humanoid| -> Vec<String> {
        let missing = Role::all()
            .filter(counts)
            .filter(|&role| has.joint(role).is_some() && other.joint(role).is_none());
        missing.map(|role| role.to_string()).collect()
    };
    let mut texts = Vec::new();
    let [from_source, from_target] = [lacks(target, source), lacks(source, target)];
    for (roles, name) in [(&from_source, names[0]), (&from_target, names[1])] {
        if !roles.is_empty() {
            texts.push(format!("`{name}` has no joint for {}", roles.join(", ")));
        }
    }
    let count = from_source.len() + from_target.len();
    (count > 0).then(|| Finding::new(&ROLE_MISSING, names[1], texts.join("; ")).count(count))
}
