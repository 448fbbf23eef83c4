//! Makes a manifest agree with its folder.

use super::super::files::{self, reference};
use super::super::json::find_key;
use super::super::open::{Opened, open_model};
use super::super::{ClipEntry, Family, Manifest, ModelEntry, numbered};
use super::edit::{Edit, list_mut};
use super::survey::Survey;
use super::{ManifestOptions, open_options};
use crate::ImportError;
use crate::tags::{TagSource, TagTable};
use serde_json::{Map, Value};
use sinew::Finding;
use sinew_files::{Access, slashes};
use sinew_findings::catalogue::import::{MANIFEST_CLIP_UNREADABLE, MANIFEST_FILE_MISSING};
use std::path::{Path, PathBuf};

/// `semanticSource` of a tag that a person set.
const MANUAL: &str = "manual";
const BY_SOURCE_NAME: &str = "source-name";
const BY_SLOT: &str = "slot-map-v1";

/// A manifest under repair.
pub(super) struct Repair<'r> {
    path: &'r Path,
    root: Map<String, Value>,
    family: Family,
    survey: &'r Survey,
    options: &'r ManifestOptions,
    edit: Edit,
    findings: Vec<Finding>,
}

pub(super) struct Repaired {
    pub(super) root: Value,
    pub(super) changes: Vec<String>,
    pub(super) findings: Vec<Finding>,
}

impl<'r> Repair<'r> {
    pub(super) fn new(
        path: &'r Path,
        root: Value,
        survey: &'r Survey,
        options: &'r ManifestOptions,
    ) -> Result<Self, ImportError> {
        let (manifest, _) = Manifest::from_json(path, &root)?;
        let family = manifest.family;
        // `from_json` rejects anything but an object.
        let Value::Object(root) = root else { return Err(empty(path)) };
        let edit = Edit { changes: Vec::new(), pascal: family == Family::Legacy };
        Ok(Self { path, root, family, survey, options, edit, findings: Vec::new() })
    }

    pub(super) fn run(mut self) -> Result<Repaired, ImportError> {
        self.mend_models()?;
        self.mend_textures();
        self.mend_clips()?;
        self.add_clips()?;
        self.add_own_clips()?;
        self.give_tags()?;
        self.count_frames()?;
        // What was written must be readable.
        self.manifest()?;
        Ok(Repaired { root: Value::Object(self.root), changes: self.edit.changes, findings: self.findings })
    }

    /// What the manifest says by now.
    fn manifest(&self) -> Result<Manifest, ImportError> {
        let (manifest, _) = Manifest::from_json(self.path, &Value::Object(self.root.clone()))?;
        Ok(manifest)
    }

    fn find(&self, reference: &str) -> Option<PathBuf> {
        let access = Access::of_asset(self.path, &[], self.options.import.outside_textures);
        files::find(&self.survey.files, &access, reference)
    }

    fn reference(&self, path: &Path) -> Value {
        Value::String(reference(&self.survey.folder, path))
    }

    fn missing(&mut self, what: &str, file: &str) {
        let place = format!("{}: {what}", self.path.display());
        let message = format!("there is no file `{file}` in the manifest's folder");
        self.findings.push(Finding::new(&MANIFEST_FILE_MISSING, place, message));
    }

    /// Where a model is not what the manifest says, the first model in the folder that is not listed takes its place.
    fn mend_models(&mut self) -> Result<(), ImportError> {
        let manifest = self.manifest()?;
        let clips = manifest.models.iter().flat_map(|model| &model.clips);
        let listed = manifest.models.iter().filter_map(|model| self.find(&model.file));
        let listed: Vec<_> = listed.chain(clips.filter_map(|clip| self.find_clip(clip))).collect();
        let mut spare = self.survey.models.iter().filter(|path| !listed.contains(path));
        for (index, model) in manifest.models.iter().enumerate() {
            match self.find(&model.file).or_else(|| spare.next().cloned()) {
                Some(path) => self.set_model_file(index, &model.file, self.reference(&path)),
                None => self.missing(&format!("models[{index}]"), &model.file),
            }
        }
        Ok(())
    }

    fn set_model_file(&mut self, index: usize, old: &str, file: Value) {
        if self.root_names_model(old) {
            self.edit.set(&mut self.root, "modelFile", file.clone(), "");
        }
        let models = list_mut(&mut self.root, "models");
        if let Some(Value::Object(model)) = models.and_then(|models| models.get_mut(index)) {
            let has = |key| find_key(model, key).is_some();
            let key = if has("file") && !has("modelFile") { "file" } else { "modelFile" };
            self.edit.set(model, key, file, &format!("models[{index}]"));
        }
    }

    /// Whether the file of a model stands at the top of the manifest, or belongs there.
    fn root_names_model(&self, file: &str) -> bool {
        match find_key(&self.root, "modelFile").and_then(|key| self.root.get(key)) {
            Some(Value::String(named)) => named.eq_ignore_ascii_case(file),
            _ => matches!(self.family, Family::Flat | Family::Legacy),
        }
    }

    fn mend_textures(&mut self) {
        let mut textures = list_mut(&mut self.root, "textures").cloned().unwrap_or_default();
        if textures.is_empty() {
            return self.add_textures();
        }
        for (index, texture) in textures.iter_mut().enumerate() {
            self.mend_texture(texture, &format!("textures[{index}]"));
        }
        if let Some(list) = list_mut(&mut self.root, "textures") {
            *list = textures;
        }
    }

    fn add_textures(&mut self) {
        for path in &self.survey.textures {
            let file = self.reference(path);
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let texture = match self.family {
                Family::Legacy => self.edit.object([("name", name.into()), ("file", file)]),
                _ => file,
            };
            self.edit.push(&mut self.root, "textures", texture, "");
        }
    }

    fn mend_texture(&mut self, texture: &mut Value, place: &str) {
        let named = match &*texture {
            Value::Object(object) => find_key(object, "file").and_then(|key| object.get(key)),
            text => Some(text),
        };
        let Some(file) = named.and_then(Value::as_str).map(str::to_owned) else { return };
        match self.find(&file).map(|path| self.reference(&path)) {
            None => self.missing(place, &file),
            Some(found) => match texture {
                Value::Object(object) => self.edit.set(object, "file", found, place),
                text => self.edit.replace(text, found, place),
            },
        }
    }

    /// The object of a model in the list of models.
    fn listed_model(&mut self, model: usize) -> Option<&mut Map<String, Value>> {
        list_mut(&mut self.root, "models")?.get_mut(model)?.as_object_mut()
    }

    /// Adds a clip to a model: inside it where the manifest nests them, else beside it.
    fn push_clip(&mut self, model: usize, clip: Value) {
        let nested = self.family == Family::Nested;
        let inside = self.listed_model(model).is_some_and(|m| nested || find_key(m, "clips").is_some());
        let place = if inside { format!("models[{model}].") } else { String::new() };
        let mut edit = std::mem::take(&mut self.edit);
        let owner = if inside { self.listed_model(model) } else { Some(&mut self.root) };
        if let Some(owner) = owner {
            edit.push(owner, "clips", clip, &place);
        }
        self.edit = edit;
    }

    /// Changes one clip. The first clips of a model are those inside it, then come those beside it.
    fn clip(
        &mut self,
        model: usize,
        clip: usize,
        change: impl FnOnce(&mut Edit, &mut Map<String, Value>, &str),
    ) {
        let mut edit = std::mem::take(&mut self.edit);
        let inside =
            self.listed_model(model).and_then(|m| list_mut(m, "clips")).map_or(0, |clips| clips.len());
        let (owner, clip, place) = match clip.checked_sub(inside) {
            None => (self.listed_model(model), clip, format!("models[{model}].clips[{clip}]")),
            Some(beside) => (Some(&mut self.root), beside, format!("clips[{beside}]")),
        };
        let clips = owner.and_then(|owner| list_mut(owner, "clips"));
        if let Some(Value::Object(object)) = clips.and_then(|clips| clips.get_mut(clip)) {
            change(&mut edit, object, &place);
        }
        self.edit = edit;
    }

    /// Lists the clips of the folder that are not listed.
    fn add_clips(&mut self) -> Result<(), ImportError> {
        let manifest = self.manifest()?;
        let clips = || manifest.models.iter().flat_map(|model| &model.clips);
        let listed: Vec<_> = clips().filter_map(|clip| self.find_clip(clip)).collect();
        let after_last =
            |m: &ModelEntry| m.clips.iter().map(|c| c.index.saturating_add(1)).max().unwrap_or(0);
        let mut models: Vec<(&ModelEntry, u32)> =
            manifest.models.iter().map(|m| (m, after_last(m))).collect();
        for path in self.survey.clips.iter().filter(|path| !listed.contains(path)) {
            let folder = path.parent().and_then(|p| p.file_name()).unwrap_or_default().to_string_lossy();
            let repeated = self.survey.model_of(path);
            let is_of = |m: &ModelEntry| match repeated {
                Some(repeated) => self.find(&m.file).as_ref() == Some(repeated),
                None => m.name.eq_ignore_ascii_case(&folder),
            };
            let model = models.iter().position(|(m, _)| is_of(m)).unwrap_or(0);
            let Some((entry, next)) = models.get_mut(model) else { continue };
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let number = stem.strip_prefix("clip_").and_then(|n| n.parse::<u32>().ok());
            let taken = |n: &u32| entry.clips.iter().any(|c| c.index == *n);
            let index = number.filter(|n| !taken(n)).unwrap_or(*next);
            *next = (*next).max(index.saturating_add(1));
            let mut fields = vec![("index", Value::from(index)), ("id", Value::from(stem.clone()))];
            if number.is_none() {
                fields.push(("sourceName", Value::from(stem)));
            }
            fields.push(("file", self.reference(path)));
            let object = self.edit.object(fields);
            self.push_clip(model, object);
        }
        Ok(())
    }

    /// Lists the clips of a model's own file where the manifest has no others.
    fn add_own_clips(&mut self) -> Result<(), ImportError> {
        let manifest = self.manifest()?;
        for (m, model) in manifest.models.iter().enumerate().filter(|(_, model)| model.clips.is_empty()) {
            let Some(file) = self.find(&model.file).map(|path| self.reference(&path)) else { continue };
            let opened = open_model(manifest.clone(), m, &open_options(self.options, &self.survey.files))?;
            let names: Vec<String> = opened.character.clips().names().map(str::to_owned).collect();
            // The first of several may span the whole timeline.
            let whole =
                names.len() > 1 && names.first().is_some_and(|name| name.eq_ignore_ascii_case("default"));
            for (index, name) in names.into_iter().skip(usize::from(whole)).enumerate() {
                let fields =
                    [("index", index.into()), ("id", name.clone().into()), ("sourceName", name.into())];
                let fields = fields.into_iter().chain([("file", file.clone())]);
                let object = self.edit.object(fields);
                self.push_clip(m, object);
            }
        }
        Ok(())
    }

    fn find_clip(&self, clip: &ClipEntry) -> Option<PathBuf> {
        clip.files().iter().find_map(|file| self.find(file))
    }

    /// Index, id and file of every clip. A file that is not where it should be is looked for by its name.
    fn mend_clips(&mut self) -> Result<(), ImportError> {
        for (m, model) in self.manifest()?.models.iter().enumerate() {
            for (c, clip) in model.clips.iter().enumerate() {
                let found = self.find_clip(clip).or_else(|| self.find_by_name(clip));
                let file = found.as_ref().map(|path| self.reference(path));
                if file.is_none() {
                    let files = clip.files().join("` or `");
                    self.missing(&format!("clip `{}`", clip.name), &files);
                }
                self.clip(m, c, |edit, object, place| {
                    edit.set(object, "index", clip.index.into(), place);
                    if !["id", "name"].iter().any(|key| find_key(object, key).is_some()) {
                        edit.set(object, "id", numbered(clip.index).into(), place);
                    }
                    if let Some(file) = file {
                        edit.set(object, "file", file, place);
                    }
                });
            }
        }
        Ok(())
    }

    fn find_by_name(&self, clip: &ClipEntry) -> Option<PathBuf> {
        let file = slashes(clip.file.as_ref()?);
        let name = file.rsplit('/').next()?;
        let same = |path: &&PathBuf| path.file_name().is_some_and(|n| n.eq_ignore_ascii_case(name));
        let mut found = self.survey.clips.iter().filter(same);
        // A name that two files have is ambiguous: neither is used.
        found.next().filter(|_| found.next().is_none()).cloned()
    }

    /// Tags: those set by hand stay; others are found anew, and a tag goes to the first clip that has none by hand.
    fn give_tags(&mut self) -> Result<(), ImportError> {
        let manifest = self.manifest()?;
        let table = self.options.tags.clone().unwrap_or_else(|| likeliest_table(&manifest));
        for (m, model) in manifest.models.iter().enumerate() {
            let mut taken: Vec<String> = model
                .clips
                .iter()
                .filter(|clip| by_hand(clip))
                .filter_map(|clip| clip.semantic_name.clone())
                .collect();
            for (c, clip) in model.clips.iter().enumerate().filter(|(_, clip)| !by_hand(clip)) {
                let info = clip.info();
                let old = || Some((clip.semantic_name.as_deref()?, clip.semantic_source.as_deref()?));
                let found = table.infer(&info).map(|(tag, source)| (tag, source_name(source))).or_else(old);
                let found = found.filter(|(tag, _)| !taken.iter().any(|t| t.eq_ignore_ascii_case(tag)));
                taken.extend(found.map(|(tag, _)| tag.to_owned()));
                self.clip(m, c, |edit, object, place| {
                    edit.set(object, "semanticName", found.map_or(Value::Null, |(tag, _)| tag.into()), place);
                    edit.set(object, "semanticSource", found.map_or(Value::Null, |(_, by)| by.into()), place);
                });
            }
        }
        Ok(())
    }

    /// Frames and rate of every clip that can be read, where its keys contradict them.
    fn count_frames(&mut self) -> Result<(), ImportError> {
        let manifest = self.manifest()?;
        for (m, model) in manifest.models.iter().enumerate() {
            match open_model(manifest.clone(), m, &open_options(self.options, &self.survey.files)) {
                Ok(opened) => self.count_frames_of(m, &opened),
                // A model that is not there was reported before.
                Err(error) if self.find(&model.file).is_some() => return Err(error),
                Err(error) => self.unreadable(&format!("models[{m}]"), &error.to_string()),
            }
        }
        Ok(())
    }

    fn count_frames_of(&mut self, m: usize, opened: &Opened) {
        let clips = opened.manifest.models.get(m).map(|model| model.clips.as_slice()).unwrap_or_default();
        for (c, clip) in clips.iter().enumerate() {
            if self.find_clip(clip).is_none() {
                continue;
            }
            match opened.character.clips().get(c) {
                Ok(loaded) => {
                    let seconds = f64::from(loaded.duration());
                    let (count, fps) = frames(clip, seconds);
                    self.clip(m, c, |edit, object, place| {
                        edit.set(object, "frameCount", count, place);
                        edit.set(object, "fps", fps, place);
                        mend_duration(edit, object, seconds, place);
                    });
                }
                Err(error) => self.unreadable(&format!("clip `{}`", clip.name), &error.reason),
            }
        }
    }

    fn unreadable(&mut self, place: &str, reason: &str) {
        let place = format!("{}: {place}", self.path.display());
        self.findings.push(Finding::new(&MANIFEST_CLIP_UNREADABLE, place, reason));
    }
}

fn empty(path: &Path) -> ImportError {
    ImportError::new(path, crate::Cause::malformed("a manifest is an object", ""))
}

/// Whether a tag was set by a person, or may have been: one whose origin is not stated.
fn by_hand(clip: &ClipEntry) -> bool {
    let automatic = |source: &str| [BY_SOURCE_NAME, BY_SLOT].iter().any(|s| s.eq_ignore_ascii_case(source));
    clip.semantic_source.as_deref().is_some_and(|s| s.eq_ignore_ascii_case(MANUAL))
        || (clip.semantic_name.is_some() && !clip.semantic_source.as_deref().is_some_and(automatic))
}

fn source_name(source: TagSource) -> &'static str {
    match source {
        TagSource::Explicit => MANUAL,
        TagSource::SourceName => BY_SOURCE_NAME,
        TagSource::SlotMap => BY_SLOT,
    }
}

/// The built-in table whose slots agree with more of the tags that the manifest has.
fn likeliest_table(manifest: &Manifest) -> TagTable {
    let clips = || manifest.models.iter().flat_map(|model| &model.clips);
    let agreeing = |table: &TagTable| {
        let agrees = |clip: &&ClipEntry| {
            let tags = table.by_slot(clip.index).zip(clip.semantic_name.as_deref());
            tags.is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
        };
        clips().filter(agrees).count()
    };
    let (overworld, creature) = (TagTable::overworld(), TagTable::creature());
    if agreeing(&creature) > agreeing(&overworld) { creature } else { overworld }
}

/// Number and rate of frames for a clip of so many seconds. What is stated stays if it agrees with the keys by either way of counting.
fn frames(clip: &ClipEntry, seconds: f64) -> (Value, Value) {
    let whole = |fps: f64| (seconds * fps - (seconds * fps).round()).abs() < 0.02;
    let stated = clip.fps.filter(|fps| *fps > 0.0);
    let fps = stated.unwrap_or(if whole(30.0) || !whole(60.0) { 30.0 } else { 60.0 });
    let agrees =
        |count: &f64| [count / fps, (count - 1.0) / fps].iter().any(|s| (s - seconds).abs() * fps < 0.25);
    let count = clip.frame_count.filter(agrees).unwrap_or((seconds * fps).round() + 1.0);
    (number(count), number(fps))
}

/// The stated seconds, where there are any and they are wrong by more than exporters round.
fn mend_duration(edit: &mut Edit, object: &mut Map<String, Value>, seconds: f64, place: &str) {
    let stated = find_key(object, "duration").and_then(|key| object.get(key)).and_then(Value::as_f64);
    if stated.is_some_and(|stated| (stated - seconds).abs() > 1e-3) {
        edit.set(object, "duration", number((seconds * 1e4).round() / 1e4), place);
    }
}

/// A number, without a fraction where it has none.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { Value::from(value as i64) } else { Value::from(value) }
}
