//! Animations, their samplers and channels, and clips of them.

use super::geometry::Input;
use crate::collada::xml::Element;

/// An `<animation>`.
#[derive(Debug)]
pub struct Animation<'d> {
    /// Unique in the document.
    pub id: Option<&'d str>,
    /// Curves.
    pub samplers: Vec<Sampler<'d>>,
    /// What curves move.
    pub channels: Vec<Channel<'d>>,
    /// Animations inside it.
    pub children: Vec<Animation<'d>>,
}

/// A `<sampler>`.
#[derive(Debug)]
pub struct Sampler<'d> {
    /// Unique in the document.
    pub id: Option<&'d str>,
    /// `INPUT`, `OUTPUT`, `INTERPOLATION`, `IN_TANGENT`, `OUT_TANGENT`.
    pub inputs: Vec<Input<'d>>,
}

impl<'d> Sampler<'d> {
    /// Id of the source of one semantic.
    pub fn source(&self, semantic: &str) -> Option<&'d str> {
        self.inputs.iter().find(|i| i.semantic == semantic).map(|i| i.source)
    }
}

/// A `<channel>`.
#[derive(Debug)]
pub struct Channel<'d> {
    /// Id of the sampler.
    pub sampler: &'d str,
    /// What it moves: `node/sid.member`.
    pub target: &'d str,
}

/// An `<animation_clip>`.
#[derive(Debug)]
pub struct AnimationClip<'d> {
    /// What it is called: its name, else its id.
    pub name: Option<&'d str>,
    /// Seconds.
    pub start: f64,
    /// Seconds; `None` for the last key.
    pub end: Option<f64>,
    /// Ids of the animations that it plays.
    pub animations: Vec<&'d str>,
}

impl<'d> Animation<'d> {
    pub(super) fn read(element: Element<'d>) -> Self {
        let sampler = |e: Element<'d>| Sampler { id: e.attribute("id"), inputs: Input::all(e) };
        let channel = |e: Element<'d>| {
            Some(Channel { sampler: e.reference("source")?, target: e.attribute("target")? })
        };
        Self {
            id: element.attribute("id"),
            samplers: element.all("sampler").map(sampler).collect(),
            channels: element.all("channel").filter_map(channel).collect(),
            children: element.all("animation").map(Self::read).collect(),
        }
    }
}

impl<'d> AnimationClip<'d> {
    pub(super) fn read(element: Element<'d>) -> Self {
        let seconds = |key| element.attribute(key).and_then(|v| v.trim().parse::<f64>().ok());
        Self {
            name: element.attribute("name").or(element.attribute("id")),
            start: seconds("start").unwrap_or(0.0),
            end: seconds("end"),
            animations: element.all("instance_animation").filter_map(|i| i.reference("url")).collect(),
        }
    }
}
