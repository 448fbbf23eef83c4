//! `sinew map`: which joint of a humanoid has which role.

use crate::args::MapArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::load::Inputs;
use crate::print::{self, DIM, NAME, Out};
use serde_json::json;
use sinew::{BoneMap, Skeleton};
use sinew_examine::graph;
use sinew_findings::plural;
use sinew_import::{MapFile, read_from};
use sinew_retarget::{Humanoid, Known, Role, to_toml};

/// Runs the command.
pub fn run(args: &MapArgs, out: &mut Out) -> Result {
    let options = &args.common.import;
    let inputs = Inputs::new(options);
    let files = inputs.files();
    let read = read_from(&files, &args.character, options)?;
    let skeleton = read.character.skeleton();
    let map = match &args.map {
        Some(path) => MapFile::read(&files, path, options)?.map,
        None => BoneMap::default(),
    };
    // A VRM says itself which joint has which role.
    let known = Known { map, roles: read.source.known_roles() };
    let (roles, map) = (Humanoid::knowing(skeleton, &known), &known.map);
    let roles = roles.map_err(|error| Failure::Input(format!("{}: {error}", args.character.display())))?;
    if let Some(path) = &args.output {
        let is_picture = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
        let text = if is_picture { graph::roles(&roles, skeleton) } else { to_toml(&roles, skeleton) };
        inputs.write(path, text.as_bytes())?;
    }
    if args.common.json {
        tell_json(&roles, skeleton, out)?
    } else {
        tell(&roles, skeleton, out)?;
        for (joint, to) in map.joints.iter().filter(|(_, to)| !to.is_empty() && Role::parse(to).is_none()) {
            out.line(format!("no role: `{joint}` = `{to}` (in `sinew retarget`, a joint of the target)"))?;
        }
    }
    Ok(Outcome::Fine)
}

fn tell(roles: &Humanoid, skeleton: &Skeleton, out: &mut Out) -> std::io::Result<()> {
    let width = print::widest(roles.roles().map(|(_, found)| skeleton.name(found.joint)));
    for (role, found) in roles.roles() {
        let name = skeleton.name(found.joint);
        let how = format!("{DIM}{}, {:.0} %{DIM:#}", found.method.name(), found.confidence * 100.0);
        out.line(format!("{:<24} {NAME}{name}{NAME:#}{}  {how}", role.to_string(), print::pad(name, width)))?;
    }
    for refused in roles.refused() {
        out.line(format!("refused: {refused}"))?;
    }
    let joints = plural(skeleton.len(), "joint", "joints");
    out.line(format!("{} of {joints}", plural(roles.roles().len(), "role", "roles")))
}

fn tell_json(roles: &Humanoid, skeleton: &Skeleton, out: &mut Out) -> std::io::Result<()> {
    let found = roles.roles().map(|(role, found)| {
        json!({
            "role": role.to_string(),
            "joint": skeleton.name(found.joint),
            "index": found.joint,
            "method": found.method.name(),
            "confidence": found.confidence,
        })
    });
    let refused = roles.refused().iter().map(|refused| {
        json!({ "role": refused.role.to_string(), "candidates": refused.candidates, "reason": refused.reason })
    });
    out.json(&json!({
        "schema": "sinew.map/1",
        "joints": skeleton.len(),
        "roles": found.collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
    }))
}
