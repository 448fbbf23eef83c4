//! `sinew inspect`: what is in a file.

pub mod compiled;

use crate::args::InspectArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::folder;
use crate::print::{self, DIM, GOOD, HEAD, NAME, Out, bytes, column};
use serde_json::{Value, json};
use sinew::{Aabb, Character, Finding, Image, Mesh, Severity, Skeleton, Socket, TaggedClips, Transform};
use sinew_findings::plural;
use sinew_import::manifest::Opened;
use sinew_import::{ImportError, Imported, Options, SourceInfo};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs the command. If one file cannot be read, the others are still shown.
pub fn run(args: &InspectArgs, out: &mut Out) -> Result {
    let options = &args.common.import;
    let mut seen = Seen::default();
    for (i, path) in args.files.iter().enumerate() {
        if i > 0 && !args.common.json {
            out.line("")?;
        }
        if folder::is_tree(path) {
            inspect_tree(path, options, args.common.json, &mut seen, out)?;
            continue;
        }
        match sinew_import::read(path, options) {
            Ok(imported) => inspect_one(path, &imported, args.common.json, &mut seen, out)?,
            Err(error) => seen.unreadable.push(error),
        }
    }
    if args.common.json {
        out.json(&json!({ "schema": "sinew.inspect/1", "files": seen.documents }))?;
    }
    if !seen.unreadable.is_empty() {
        out.flush()?;
        return Err(Failure::Input(folder::failures(&seen.unreadable)));
    }
    Ok(if seen.errors { Outcome::Findings } else { Outcome::Fine })
}

/// Results of a run so far.
#[derive(Default)]
struct Seen {
    documents: Vec<Value>,
    unreadable: Vec<ImportError>,
    errors: bool,
}

fn inspect_one(path: &Path, imported: &Imported, json: bool, seen: &mut Seen, out: &mut Out) -> Result<()> {
    seen.errors |= imported.findings.iter().any(|f| f.severity() == Severity::Error);
    if json {
        let mut document = document(path, imported);
        document["compiled"] = compiled::document(path).into();
        seen.documents.push(document);
        return Ok(());
    }
    print(path, imported, out)
}

/// A line for each character of a folder. Clips of manifests are counted, not read.
fn inspect_tree(path: &Path, options: &Options, json: bool, seen: &mut Seen, out: &mut Out) -> Result<()> {
    let listed = |opened: Opened| {
        Row::new(opened.manifest.folder(), &opened.character, &opened.tags, &opened.findings)
    };
    let alone = |path: &Path, imported: Imported| {
        let tags = TaggedClips::new(imported.character.clips());
        Row::new(path, &imported.character, &tags, &imported.findings)
    };
    let mut tree = folder::each(path, options, out, listed, alone)?;
    seen.unreadable.append(&mut tree.failed);
    seen.errors |= tree.done.iter().any(|row| row.errors > 0);
    if json {
        seen.documents.extend(tree.done.iter().map(Row::json));
        return Ok(());
    }
    let width = print::widest(tree.done.iter().map(|row| row.folder.as_str()));
    for row in &tree.done {
        let pad = print::pad(&row.folder, width);
        out.line(format!(
            "{NAME}{}{NAME:#}{pad}  {}  {}  {}  {}",
            row.folder,
            column(row.joints, 3, "joint", "joints"),
            column(row.meshes, 2, "mesh", "meshes"),
            column(row.clips, 3, "clip", "clips"),
            row.tags.join(" ")
        ))?;
    }
    tree.print(out)?;
    let unreadable = seen.unreadable.len();
    Ok(out.line(format!(
        "{HEAD}{}{HEAD:#}, {unreadable} could not be read",
        plural(tree.done.len(), "character", "characters")
    ))?)
}

/// One character of a tree.
struct Row {
    folder: String,
    name: String,
    joints: usize,
    meshes: usize,
    clips: usize,
    tags: Vec<String>,
    findings: usize,
    errors: usize,
}

impl Row {
    fn new(path: &Path, character: &Character, tags: &TaggedClips, findings: &[Finding]) -> Self {
        Self {
            folder: path.display().to_string(),
            name: character.name().to_owned(),
            joints: character.skeleton().len(),
            meshes: character.meshes().len(),
            clips: character.clips().len(),
            tags: tags_by_clip(tags).into_values().collect(),
            findings: findings.len(),
            errors: findings.iter().filter(|f| f.severity() == Severity::Error).count(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "folder": self.folder, "name": self.name, "joints": self.joints, "meshes": self.meshes,
            "clips": self.clips, "tags": self.tags, "findings": self.findings,
        })
    }
}

fn print(file: &Path, imported: &Imported, out: &mut Out) -> Result<()> {
    let character = &imported.character;
    out.line(format!("{HEAD}{}{HEAD:#}", file.display()))?;
    let space = character.space();
    out.line(format!(
        "  {}, {}, {}, {}; up {}, one unit is {} m",
        plural(character.skeleton().len(), "joint", "joints"),
        plural(character.meshes().len(), "mesh", "meshes"),
        plural(character.materials().len(), "material", "materials"),
        plural(character.clips().len(), "clip", "clips"),
        space.up.name(),
        space.unit_meters,
    ))?;
    print_skeleton(character.skeleton(), &imported.source, out)?;
    print_sockets(character, out)?;
    print_meshes(character, out)?;
    print_materials(character, out)?;
    print_clips(character, out)?;
    compiled::print(file, out)?;
    print_findings(imported, out)
}

fn print_skeleton(skeleton: &Skeleton, source: &SourceInfo, out: &mut Out) -> Result<()> {
    if skeleton.is_empty() {
        return Ok(());
    }
    out.line(format!("\n{HEAD}Skeleton{HEAD:#}"))?;
    for line in tree(skeleton, source) {
        out.line(format!("  {line}"))?;
    }
    Ok(())
}

fn print_sockets(character: &Character, out: &mut Out) -> Result<()> {
    if character.sockets().is_empty() {
        return Ok(());
    }
    out.line(format!("\n{HEAD}Sockets{HEAD:#}"))?;
    let width = print::widest(character.sockets().iter().map(|socket| socket.name.as_str()));
    for socket in character.sockets() {
        let pad = print::pad(&socket.name, width);
        let joint = character.skeleton().name(socket.joint);
        out.line(format!("  {NAME}{}{NAME:#}{pad}  on {joint}", socket.name))?;
    }
    Ok(())
}

/// The hierarchy as a tree, a line for each joint.
fn tree(skeleton: &Skeleton, source: &SourceInfo) -> Vec<String> {
    let mut children = vec![Vec::new(); skeleton.len()];
    let mut roots = Vec::new();
    for joint in 0..skeleton.len() as u16 {
        match skeleton.parent(joint) {
            Some(parent) => children[usize::from(parent)].push(joint),
            None => roots.push(joint),
        }
    }
    let mut lines = Vec::with_capacity(skeleton.len());
    // The stack is in reverse order, since its end is taken next. No recursion, since a chain may be as deep as there are joints.
    let mut stack: Vec<(u16, String, &str, bool)> =
        roots.iter().rev().map(|&root| (root, String::new(), "", true)).collect();
    while let Some((joint, indent, branch, last)) = stack.pop() {
        let helper = if source.joint(joint).helper { " (helper)" } else { "" };
        lines.push(format!("{DIM}{indent}{branch}{DIM:#}{}{helper}", skeleton.name(joint)));
        let deeper = match branch {
            "" => indent,
            _ => indent + if last { "   " } else { "│  " },
        };
        let below = &children[usize::from(joint)];
        for (i, &child) in below.iter().enumerate().rev() {
            let last = i + 1 == below.len();
            stack.push((child, deeper.clone(), if last { "└─ " } else { "├─ " }, last));
        }
    }
    lines
}

fn print_meshes(character: &Character, out: &mut Out) -> Result<()> {
    if character.meshes().is_empty() {
        return Ok(());
    }
    out.line(format!("\n{HEAD}Meshes{HEAD:#}"))?;
    let width = print::widest(character.meshes().iter().map(|mesh| mesh.name.as_str()));
    for mesh in character.meshes() {
        let mut facts = vec![
            plural(mesh.vertex_count(), "vertex", "vertices"),
            plural(mesh.indices.len() / 3, "triangle", "triangles"),
            carried(mesh, character.skeleton()),
        ];
        if !mesh.morphs.is_empty() {
            facts.push(plural(mesh.morphs.len(), "morph target", "morph targets"));
        }
        let pad = print::pad(&mesh.name, width);
        out.line(format!("  {NAME}{}{NAME:#}{pad}  {}", mesh.name, facts.join(", ")))?;
    }
    Ok(())
}

fn carried(mesh: &Mesh, skeleton: &Skeleton) -> String {
    match &mesh.skin {
        Some(skin) => format!(
            "skinned to {} with up to {}",
            plural(skin.joints.len(), "joint", "joints"),
            plural(most_influences(mesh), "influence", "influences")
        ),
        None if mesh.joint == sinew::NO_JOINT => "on no joint".to_owned(),
        None => format!("rigid on {}", skeleton.name(mesh.joint)),
    }
}

fn most_influences(mesh: &Mesh) -> usize {
    let used = |vertex| mesh.influences.of(vertex).filter(|&(_, weight)| weight > 0.0).count();
    (0..mesh.vertex_count()).map(used).max().unwrap_or(0)
}

fn print_materials(character: &Character, out: &mut Out) -> Result<()> {
    if character.materials().is_empty() {
        return Ok(());
    }
    out.line(format!("\n{HEAD}Materials{HEAD:#}"))?;
    let width = print::widest(character.materials().iter().map(|material| material.name.as_str()));
    for material in character.materials() {
        let texture = match material.base_color_texture.and_then(|t| character.textures().get(t.texture)) {
            None => "no texture".to_owned(),
            Some(texture) => match &texture.image {
                Image::Missing if texture.reference.is_empty() => {
                    format!("texture `{}` without a picture", texture.name)
                }
                Image::Missing => format!("texture `{}` not found", texture.reference),
                Image::File(path) => format!("texture {}", path.display()),
                Image::Embedded(data) => {
                    let name = [&texture.reference, &texture.name].into_iter().find(|n| !n.is_empty());
                    let name = name.map_or(String::new(), |name| format!(" `{name}`"));
                    format!("texture{name} embedded, {}", bytes(data.len()))
                }
            },
        };
        let [r, g, b, a] = material.base_color.to_array();
        let pad = print::pad(&material.name, width);
        out.line(format!(
            "  {NAME}{}{NAME:#}{pad}  colour {r:.2} {g:.2} {b:.2} {a:.2}, {texture}",
            material.name
        ))?;
    }
    Ok(())
}

fn print_clips(character: &Character, out: &mut Out) -> Result<()> {
    let clips = character.clips();
    if clips.is_empty() {
        return Ok(());
    }
    out.line(format!("\n{HEAD}Clips{HEAD:#}"))?;
    let width = print::widest(clips.names());
    let tags = tags_by_clip(&TaggedClips::new(character.clips()));
    let tag_width = print::widest(tags.values().map(String::as_str));
    for (i, name) in clips.names().enumerate() {
        let pad = print::pad(name, width);
        let tag = tags.get(&i).map_or("", String::as_str);
        let tag_pad = print::pad(tag, tag_width);
        let facts = match clips.get(i) {
            Ok(clip) => format!(
                "{:>8.3} s  {}  {}  {:>9}",
                clip.duration(),
                column(clip.moved_joints().count(), 4, "joint", "joints"),
                column(clip.to_keys(character.skeleton()).count(), 7, "key", "keys"),
                bytes(clip.bytes())
            ),
            Err(error) => error.reason.to_string(),
        };
        out.line(format!("  #{i:<3} {NAME}{name}{NAME:#}{pad}  {GOOD}{tag}{GOOD:#}{tag_pad}  {facts}"))?;
    }
    Ok(())
}

/// The tag of each clip, if known.
fn tags_by_clip(tagged: &TaggedClips) -> BTreeMap<usize, String> {
    let mut tags = BTreeMap::new();
    for tag in tagged.tags() {
        if let Some(clip) = tagged.find(tag) {
            // A clip that is used for a missing Idle keeps its own tag.
            tags.entry(clip).or_insert_with(|| tag.to_owned());
        }
    }
    tags
}

fn print_findings(imported: &Imported, out: &mut Out) -> Result<()> {
    let verbose = out.is_verbose();
    let (shown, hidden): (Vec<_>, Vec<_>) =
        imported.findings.iter().partition(|finding| print::is_told(finding, verbose));
    if !shown.is_empty() {
        out.line(format!("\n{HEAD}Findings{HEAD:#}"))?;
    }
    for finding in shown {
        print::finding(out, finding)?;
    }
    Ok(print::hidden_notes(out, hidden.len())?)
}

fn socket_json(socket: &Socket) -> Value {
    let Transform { translation, rotation, scale } = socket.offset;
    json!({
        "name": socket.name, "joint": socket.joint, "translation": translation.to_array(),
        "rotation": rotation.to_array(), "scale": scale.to_array(),
    })
}

fn document(file: &Path, imported: &Imported) -> Value {
    let character = &imported.character;
    let skeleton = character.skeleton();
    let joints = skeleton.joints().zip(0..).map(|(joint, index)| {
        let source = imported.source.joint(index);
        json!({
            "name": joint.name, "parent": joint.parent.map_or(-1, i32::from), "source": source.node,
            "helper": source.helper,
        })
    });
    let space = character.space();
    json!({
        "file": file.display().to_string(),
        "name": character.name(),
        "space": {
            "mode": if space.canonical { "canonical" } else { "keep" },
            "up": space.up.name(), "unit_meters": space.unit_meters,
        },
        "joints": joints.collect::<Vec<_>>(),
        "scalars": skeleton.scalar_names().iter().collect::<Vec<_>>(),
        "sockets": character.sockets().iter().map(socket_json).collect::<Vec<_>>(),
        "meshes": character.meshes().iter().map(mesh_json).collect::<Vec<_>>(),
        "materials": materials_json(character),
        "clips": clips_json(imported),
        "findings": imported.findings.iter().map(print::finding_json).collect::<Vec<_>>(),
    })
}

fn mesh_json(mesh: &Mesh) -> Value {
    let bounds = Aabb::of(&mesh.positions);
    json!({
        "name": mesh.name.as_str(),
        "node": if mesh.joint == sinew::NO_JOINT { -1 } else { i32::from(mesh.joint) },
        "vertices": mesh.vertex_count(),
        "triangles": mesh.indices.len() / 3,
        "skin_joints": mesh.skin.as_ref().map(|skin| skin.joints.len()),
        "most_influences": mesh.skin.as_ref().map(|_| most_influences(mesh)),
        "morph_targets": mesh.morphs.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
        "bounds": (!bounds.is_empty()).then(|| [bounds.min.to_array(), bounds.max.to_array()]),
    })
}

fn materials_json(character: &Character) -> Vec<Value> {
    let texture = |index: usize| {
        let texture = character.textures().get(index)?;
        let (state, path, size) = match &texture.image {
            Image::Missing => ("missing", None, None),
            Image::File(path) => ("file", Some(path.display().to_string()), None),
            Image::Embedded(data) => ("embedded", None, Some(data.len())),
        };
        Some(json!({ "reference": texture.reference, "state": state, "path": path, "bytes": size }))
    };
    let materials = character.materials().iter();
    materials
        .map(|material| {
            json!({
                "name": material.name.as_str(), "base_color": material.base_color.to_array(),
                "texture": material.base_color_texture.and_then(|t| texture(t.texture)),
            })
        })
        .collect()
}

fn clips_json(imported: &Imported) -> Vec<Value> {
    let clips = imported.character.clips();
    let tags = tags_by_clip(&TaggedClips::new(imported.character.clips()));
    let entry = |i| match clips.get(i) {
        Ok(clip) => json!({
            "name": clip.name(), "tag": tags.get(&i), "duration": clip.duration(), "source_start": imported.source.clip(i).start,
            "joints": clip.moved_joints().count(), "scalars": clip.moved_scalars().count(),
            "keys": clip.to_keys(imported.character.skeleton()).count(),
            "bytes": clip.bytes(),
        }),
        Err(error) => json!({ "name": &*error.clip, "error": &*error.reason }),
    };
    (0..clips.len()).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Transform};

    #[test]
    fn the_tree_shows_who_hangs_on_whom() {
        let joint = |name: &str, parent| Joint::new(name, parent, Transform::IDENTITY);
        let skeleton = Skeleton::new(
            vec![
                joint("a", None),
                joint("b", Some(0)),
                joint("c", Some(0)),
                joint("d", Some(1)),
                joint("e", None),
            ],
            vec![],
        )
        .unwrap();
        let plain: Vec<String> = tree(&skeleton, &SourceInfo::default())
            .iter()
            .map(|l| anstream::adapter::strip_str(l).to_string())
            .collect();
        assert_eq!(plain, ["a", "├─ b", "│  └─ d", "└─ c", "e"]);
    }
}
