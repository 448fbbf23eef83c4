//! The `manifest.json` that says which clips lie beside a model, in the four layouts that exporters write.

mod json;

use json::Json;

/// A shape of manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// `models: [{modelFile, clips: […]}]`; every other clip has its numbers as floats and goes without an id.
    #[default]
    Nested,
    /// `modelFile` and `clips` at the top.
    Flat,
    /// As flat, with much more about everything, and `models: [{file, …}]` in place of `modelFile`.
    Exporter,
    /// PascalCase keys, textures as objects, a number for the model, a name of its own for the file.
    Legacy,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 4] = [Family::Nested, Family::Flat, Family::Exporter, Family::Legacy];

    /// What the manifest of this model is called.
    pub fn file_name(self, model: &str) -> String {
        match self {
            Family::Legacy => format!("manifest.{model}.json"),
            _ => "manifest.json".into(),
        }
    }
}

/// A picture beside the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Name.
    pub name: String,
    /// File, relative to the manifest.
    pub file: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Whether it has alpha.
    pub alpha: bool,
}

/// A clip beside the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Slot.
    pub index: usize,
    /// What the source called it.
    pub source_name: String,
    /// Tag, and where it comes from: `source-name`, `slot-map-v1` or `manual`.
    pub semantic: Option<(String, String)>,
    /// File, relative to the manifest.
    pub file: String,
    /// Number of frames.
    pub frames: usize,
    /// Frames a second.
    pub fps: u32,
    /// Joints that move.
    pub tracks: usize,
}

/// What a manifest says.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Name of the model.
    pub name: String,
    /// The model's file, relative to the manifest.
    pub model_file: String,
    /// Pictures.
    pub pictures: Vec<Picture>,
    /// Number of meshes.
    pub meshes: usize,
    /// Number of joints.
    pub joints: usize,
    /// Clips.
    pub clips: Vec<Clip>,
}

impl Manifest {
    /// The text of the manifest.
    pub fn write(&self, family: Family) -> String {
        let object = match family {
            Family::Nested => self.nested(),
            Family::Flat => self.flat(),
            Family::Exporter => self.exporter(),
            Family::Legacy => self.legacy(),
        };
        Json::Object(object).print()
    }

    fn nested(&self) -> Vec<(&'static str, Json)> {
        let model = vec![
            ("name", Json::text(stem(&self.model_file))),
            ("modelFile", Json::text(&self.model_file)),
            ("clips", list(&self.clips, Clip::nested)),
        ];
        vec![
            ("version", Json::Whole(1)),
            ("mode", Json::text("split-model-anims")),
            ("textures", list(&self.pictures, |p| Json::text(&p.file))),
            ("models", Json::List(vec![Json::Object(model)])),
        ]
    }

    fn flat(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("version", Json::Whole(1)),
            ("format", Json::text("dae")),
            ("modelFile", Json::text(&self.model_file)),
            ("animationMode", Json::text(self.mode())),
            ("textures", list(&self.pictures, |p| Json::text(&p.file))),
            ("clips", list(&self.clips, |c| Json::Object(c.flat()))),
        ]
    }

    fn exporter(&self) -> Vec<(&'static str, Json)> {
        let model = vec![
            ("file", Json::text(&self.model_file)),
            ("name", Json::text(stem(&self.model_file))),
            ("meshCount", whole(self.meshes)),
            ("boneCount", whole(self.joints)),
        ];
        vec![
            ("name", Json::text(&self.name)),
            ("dir", Json::text(format!("C:\\exports\\{}", self.name))),
            ("assetsPath", Json::text(format!("Characters/{}", self.name))),
            ("format", Json::text("dae")),
            ("modelFormat", Json::text("dae")),
            ("id", Json::text(&self.name)),
            ("mtlFile", Json::Null),
            ("version", Json::Whole(1)),
            ("animationMode", Json::text(self.mode())),
            ("models", Json::List(vec![Json::Object(model)])),
            ("textures", list(&self.pictures, |p| Json::text(&p.file))),
            ("textureDetails", list(&self.pictures, Picture::details)),
            ("clips", list(&self.clips, |c| c.exporter(self.joints))),
        ]
    }

    fn legacy(&self) -> Vec<(&'static str, Json)> {
        let digits: String = self.name.chars().filter(char::is_ascii_digit).collect();
        let picture =
            |p: &Picture| Json::Object(vec![("Name", Json::text(&p.name)), ("File", Json::text(&p.file))]);
        vec![
            ("Version", Json::Whole(1)),
            ("Mode", Json::text("split-model-anims")),
            ("ModelId", Json::Whole(digits.parse().unwrap_or(0))),
            ("Textures", list(&self.pictures, picture)),
            ("ModelFile", Json::text(&self.model_file)),
            ("Clips", list(&self.clips, Clip::legacy)),
        ]
    }

    fn mode(&self) -> &'static str {
        if self.clips.is_empty() { "static" } else { "split" }
    }
}

impl Picture {
    fn details(&self) -> Json {
        let (width, height) = self.size;
        let (format, bytes) = if self.alpha { ("RGBA8", 4) } else { ("RGB8", 3) };
        Json::Object(vec![
            ("name", Json::text(&self.name)),
            ("file", Json::text(&self.file)),
            ("width", Json::Whole(width.into())),
            ("height", Json::Whole(height.into())),
            ("format", Json::text(format)),
            ("size", Json::Whole(i64::from(width) * i64::from(height) * bytes)),
        ])
    }
}

impl Clip {
    fn id(&self) -> Json {
        Json::text(format!("clip_{:03}", self.index))
    }

    fn semantics(&self) -> [(&'static str, Json); 2] {
        let word = |word: Option<&String>| word.map_or(Json::Null, Json::text);
        let semantic = self.semantic.as_ref();
        [("semanticName", word(semantic.map(|s| &s.0))), ("semanticSource", word(semantic.map(|s| &s.1)))]
    }

    fn nested(&self) -> Json {
        let odd = self.index % 2 == 1;
        let number = |value: usize| {
            if odd { Json::Real(value as f64) } else { whole(value) }
        };
        let mut members = vec![("index", whole(self.index))];
        if !odd {
            members.push(("id", self.id()));
        }
        members.push(("name", Json::text(format!("anim_{}", self.index))));
        members.push(("sourceName", Json::text(&self.source_name)));
        members.extend(self.semantics());
        members.push(("file", Json::text(&self.file)));
        members.push(("frameCount", number(self.frames)));
        members.push(("fps", number(self.fps as usize)));
        Json::Object(members)
    }

    fn flat(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("index", whole(self.index)),
            ("id", self.id()),
            ("sourceName", Json::text(&self.source_name)),
            ("file", Json::text(&self.file)),
            ("frameCount", whole(self.frames)),
            ("fps", Json::Whole(self.fps.into())),
        ]
    }

    fn exporter(&self, joints: usize) -> Json {
        let mut members = self.flat();
        let rest = members.split_off(3);
        members.extend(self.semantics());
        members.extend(rest);
        let duration = self.frames as f64 / f64::from(self.fps);
        members.push(("boneCount", whole(joints)));
        members.push(("duration", Json::Real((duration * 1e4).round() / 1e4)));
        members.push(("trackCount", whole(self.tracks)));
        Json::Object(members)
    }

    fn legacy(&self) -> Json {
        Json::Object(vec![
            ("Index", whole(self.index)),
            ("Id", self.id()),
            ("SourceName", Json::text(&self.source_name)),
            ("File", Json::text(&self.file)),
            ("FrameCount", whole(self.frames)),
            ("Fps", Json::Whole(self.fps.into())),
        ])
    }
}

fn whole(value: usize) -> Json {
    Json::Whole(value as i64)
}

fn list<T>(items: &[T], item: impl FnMut(&T) -> Json) -> Json {
    Json::List(items.iter().map(item).collect())
}

/// A file's name without its ending.
fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let clip = |index: usize| Clip {
            index,
            source_name: "walk \"01\"".into(),
            semantic: Some(("Walk".into(), "manual".into())),
            file: format!("animations/clip_{index:03}.dae"),
            frames: 42,
            fps: 30,
            tracks: 3,
        };
        Manifest {
            name: "c0025_00".into(),
            model_file: "model.dae".into(),
            pictures: vec![Picture {
                name: "body".into(),
                file: "textures/body.png".into(),
                size: (8, 8),
                alpha: true,
            }],
            meshes: 1,
            joints: 4,
            clips: vec![clip(0), clip(1)],
        }
    }

    #[test]
    fn each_family_has_its_own_shape() {
        let text = |family| manifest().write(family);
        let nested = text(Family::Nested);
        assert!(nested.contains("\"models\": [\n    {\n      \"name\": \"model\""));
        assert!(nested.contains("\"frameCount\": 42,"));
        assert!(nested.contains("\"frameCount\": 42.0,"));
        assert!(text(Family::Flat).contains("\n  \"modelFile\": \"model.dae\""));
        let exporter = text(Family::Exporter);
        assert!(!exporter.contains("modelFile"));
        assert!(exporter.contains("\"dir\": \"C:\\\\exports\\\\c0025_00\""));
        assert!(exporter.contains("\"duration\": 1.4,"));
        let legacy = text(Family::Legacy);
        assert!(legacy.contains("\"ModelId\": 2500,"));
        assert!(!legacy.contains("\"version\""));
    }

    #[test]
    fn quotes_are_escaped_and_empty_lists_stay_short() {
        assert!(manifest().write(Family::Flat).contains(r#""walk \"01\"""#));
        let bare = Manifest { clips: vec![], ..manifest() };
        assert!(bare.write(Family::Legacy).contains("\"Clips\": []"));
        assert!(bare.write(Family::Flat).contains("\"static\""));
    }
}
