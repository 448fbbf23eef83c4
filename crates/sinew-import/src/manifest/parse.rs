//! From JSON of any family to a [`Manifest`].

use super::json::{self, Fields};
use super::{ClipEntry, Family, Manifest, ModelEntry, numbered};
use crate::{Cause, ImportError};
use serde_json::Value;
use sinew::Finding;
use std::path::Path;

/// The model of a manifest that names none.
pub(super) const DEFAULT_MODEL: &str = "model.dae";

impl Manifest {
    /// Reads a manifest that is in memory already, and what was odd about it. `path` names it.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<(Self, Vec<Finding>), ImportError> {
        let value = json::parse(path, bytes)?;
        Self::from_json(path, &value)
    }

    pub(super) fn from_json(path: &Path, value: &Value) -> Result<(Self, Vec<Finding>), ImportError> {
        let mut findings = Vec::new();
        let manifest = read(path, value, &mut findings).map_err(|cause| ImportError::new(path, cause))?;
        for finding in &mut findings {
            finding.place = format!("{}: {}", path.display(), finding.place);
        }
        Ok((manifest, findings))
    }
}

/// Whether it names a model or clips, as every manifest of characters does.
pub(super) fn lists_characters(value: &Value) -> bool {
    let has = |value: &Value, keys: &[&str]| {
        Fields::new(value, "").is_ok_and(|fields| keys.iter().any(|key| fields.has(key)))
    };
    let models = Fields::new(value, "").ok().and_then(|top| top.list("models").ok()).unwrap_or_default();
    has(value, &["modelFile", "clips", "animationMode"])
        || models.iter().any(|model| has(model, &["modelFile", "file", "clips"]))
}

fn read(path: &Path, value: &Value, findings: &mut Vec<Finding>) -> Result<Manifest, Cause> {
    let top = Fields::new(value, "")?;
    let mut models = Vec::new();
    for (i, model) in top.list("models")?.iter().enumerate() {
        models.push(read_model(&Fields::new(model, format!("models[{i}]"))?, findings)?);
    }
    let file = top.text("modelFile", findings);
    let clips = read_clips(&top, findings)?;
    let same = |model: &ModelEntry| file.as_deref().is_some_and(|file| model.file.eq_ignore_ascii_case(file));
    let listed = models.iter().position(same);
    if models.is_empty() || (file.is_some() && listed.is_none()) {
        let file = file.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
        let name = top.text("name", findings).unwrap_or_else(|| stem(&file));
        models.push(ModelEntry { name, file, clips: Vec::new() });
    }
    if let Some(model) = models.get_mut(listed.unwrap_or(0)) {
        model.clips.extend(clips);
    }
    Ok(Manifest {
        path: path.to_owned(),
        family: family(&top, value)?,
        version: top.whole("version", findings),
        mode: top.text("animationMode", findings).or_else(|| top.text("mode", findings)),
        textures: read_textures(&top, findings)?,
        models,
    })
}

pub(super) fn family(top: &Fields<'_>, value: &Value) -> Result<Family, Cause> {
    let pascal = |key: &String| key.starts_with(|c: char| c.is_ascii_uppercase());
    if value.as_object().is_some_and(|object| object.keys().any(pascal)) {
        return Ok(Family::Legacy);
    }
    let models = top.list("models")?;
    let inside = |model: &Value| Fields::new(model, "").is_ok_and(|m| m.has("clips") || m.has("modelFile"));
    Ok(match models {
        [] => Family::Flat,
        _ if models.iter().any(inside) => Family::Nested,
        _ if top.has("mode") && !top.has("clips") => Family::Nested,
        _ => Family::Exporter,
    })
}

fn read_model(model: &Fields<'_>, findings: &mut Vec<Finding>) -> Result<ModelEntry, Cause> {
    let file = model.text("modelFile", findings).or_else(|| model.text("file", findings));
    let file = file.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
    let name = model.text("name", findings).unwrap_or_else(|| stem(&file));
    Ok(ModelEntry { name, file, clips: read_clips(model, findings)? })
}

fn read_clips(owner: &Fields<'_>, findings: &mut Vec<Finding>) -> Result<Vec<ClipEntry>, Cause> {
    let mut clips = Vec::new();
    for (place, clip) in (0u32..).zip(owner.list("clips")?) {
        let clip = Fields::new(clip, format!("{}[{place}]", owner.place("clips")))?;
        let index = clip.whole("index", findings).unwrap_or(place);
        let name = clip.text("id", findings).or_else(|| clip.text("name", findings));
        clips.push(ClipEntry {
            index,
            name: name.unwrap_or_else(|| numbered(index)),
            source_name: clip.text("sourceName", findings),
            semantic_name: clip.text("semanticName", findings),
            semantic_source: clip.text("semanticSource", findings),
            file: clip.text("file", findings),
            frame_count: clip.number("frameCount", findings),
            fps: clip.number("fps", findings),
        });
    }
    Ok(clips)
}

/// Textures are references, or objects that hold one.
fn read_textures(top: &Fields<'_>, findings: &mut Vec<Finding>) -> Result<Vec<String>, Cause> {
    let mut textures = Vec::new();
    for (i, texture) in top.list("textures")?.iter().enumerate() {
        let file = match texture {
            Value::String(file) => Some(file.clone()),
            other => {
                let texture = Fields::new(other, format!("textures[{i}]"))?;
                texture.text("file", findings).or_else(|| texture.text("name", findings))
            }
        };
        textures.extend(file.filter(|file| !file.trim().is_empty()));
    }
    Ok(textures)
}

fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

#[cfg(test)]
mod tests;
