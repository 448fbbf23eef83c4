//! The document as it is written: libraries of sources, nodes, geometries, controllers, animations and effects, with ids instead
//! of what they refer to. Nothing is interpreted here, and numbers are read from the text when they are asked for.

mod animation;
mod controller;
mod effect;
mod geometry;
mod node;
mod source;

pub use animation::{Animation, AnimationClip, Channel, Sampler};
pub use controller::{Controller, Deformer, Morph, MorphMethod, Skin};
pub use effect::{Colour, Effect, Image, ImageData, Material, Opaque, Shading};
pub use geometry::{Geometry, Input, Primitive, PrimitiveKind};
pub use node::{Instance, InstanceKind, MaterialBinding, Node, Scene, StackItem, TransformKind};
pub use source::{Source, Table, integers};

use super::xml::{Element, local_id};
use crate::Cause;
use sinew::Axis;
use std::collections::HashMap;

/// Things of one kind, in document order, some of them with an id.
#[derive(Debug)]
pub struct Library<'d, T> {
    /// The things.
    pub items: Vec<T>,
    by_id: HashMap<&'d str, usize>,
}

impl<T> Default for Library<'_, T> {
    fn default() -> Self {
        Self { items: Vec::new(), by_id: HashMap::new() }
    }
}

impl<'d, T> Library<'d, T> {
    fn push(&mut self, id: Option<&'d str>, item: T) {
        if let Some(id) = id {
            // Of two things with one id the first counts.
            self.by_id.entry(id).or_insert(self.items.len());
        }
        self.items.push(item);
    }

    /// The thing with an id; a leading `#` is ignored.
    pub fn get(&self, id: &str) -> Option<&T> {
        self.index(id).and_then(|index| self.items.get(index))
    }

    /// Number of the thing with an id.
    pub fn index(&self, id: &str) -> Option<usize> {
        self.by_id.get(local_id(id)).copied()
    }
}

/// A whole document.
#[derive(Debug, Default)]
pub struct Document<'d> {
    /// Which way is up; `None` where the document does not say.
    pub up: Option<Axis>,
    /// Length of one unit in metres; `None` where the document does not say.
    pub unit_meters: Option<f64>,
    /// Arrays with an accessor, wherever they stand.
    pub sources: Library<'d, Source<'d>>,
    /// Arrays by id, for the accessors that read another source's.
    pub arrays: HashMap<&'d str, Element<'d>>,
    /// `library_geometries`.
    pub geometries: Library<'d, Geometry<'d>>,
    /// `library_controllers`.
    pub controllers: Library<'d, Controller<'d>>,
    /// `library_animations`: the outermost ones.
    pub animations: Vec<Animation<'d>>,
    /// `library_animation_clips`.
    pub clips: Vec<AnimationClip<'d>>,
    /// `library_images`.
    pub images: Library<'d, Image<'d>>,
    /// `library_materials`.
    pub materials: Library<'d, Material<'d>>,
    /// `library_effects`.
    pub effects: Library<'d, Effect<'d>>,
    /// `library_nodes`, the outermost ones.
    pub nodes: Vec<Node<'d>>,
    /// `library_visual_scenes`.
    pub scenes: Library<'d, Scene<'d>>,
    /// The scene that is to be shown.
    pub scene: Option<&'d str>,
    /// How many cameras there are.
    pub cameras: usize,
    /// How many lights there are.
    pub lights: usize,
}

/// Bytes that an element takes in the lists here, which grow by doubling, and what a node takes besides.
const ELEMENT_BYTES: u64 = 256;
const NODE_BYTES: u64 = 512;

/// Counts what a document will take.
fn count(root: Element<'_>) -> Result<(), Cause> {
    let bytes = |element: Element<'_>| ELEMENT_BYTES + if element.name() == "node" { NODE_BYTES } else { 0 };
    root.budget().memory(root.descendants().map(bytes).sum())
}

impl<'d> Document<'d> {
    /// Reads the outermost element of a document.
    pub fn read(root: Element<'d>) -> Result<Self, Cause> {
        if root.name() != "COLLADA" {
            return Err(root.error(format!("the outermost element is `<{}>`, not `<COLLADA>`", root.name())));
        }
        count(root)?;
        let mut document = Self::default();
        for source in root.descendants().filter(|e| e.name() == "source" && e.attribute("id").is_some()) {
            let source = Source::read(source);
            if let Some((id, array)) = source.array.and_then(|a| Some((a.attribute("id")?, a))) {
                document.arrays.entry(id).or_insert(array);
            }
            document.sources.push(source.element.attribute("id"), source);
        }
        for element in root.children() {
            document.read_section(element)?;
        }
        Ok(document)
    }

    fn read_section(&mut self, section: Element<'d>) -> Result<(), Cause> {
        match section.name() {
            "asset" => self.read_asset(section),
            "library_geometries" => {
                for geometry in section.all("geometry") {
                    self.geometries.push(geometry.attribute("id"), Geometry::read(geometry));
                }
            }
            "library_controllers" => {
                for controller in section.all("controller") {
                    self.controllers.push(controller.attribute("id"), Controller::read(controller));
                }
            }
            "library_animations" => self.animations.extend(section.all("animation").map(Animation::read)),
            "library_animation_clips" => {
                self.clips.extend(section.all("animation_clip").map(AnimationClip::read));
            }
            "library_images" => {
                for image in section.all("image") {
                    self.images.push(image.attribute("id"), Image::read(image));
                }
            }
            "library_materials" => {
                for material in section.all("material") {
                    self.materials.push(material.attribute("id"), Material::read(material));
                }
            }
            "library_effects" => {
                for effect in section.all("effect") {
                    self.effects.push(effect.attribute("id"), Effect::read(effect));
                }
            }
            "library_nodes" => {
                for node in section.all("node") {
                    self.nodes.push(Node::read(node)?);
                }
            }
            "library_visual_scenes" => {
                for scene in section.all("visual_scene") {
                    self.scenes.push(scene.attribute("id"), Scene::read(scene)?);
                }
            }
            "scene" => {
                self.scene = section.child("instance_visual_scene").and_then(|e| e.reference("url"));
            }
            "library_cameras" => self.cameras += section.all("camera").count(),
            "library_lights" => self.lights += section.all("light").count(),
            _ => {}
        }
        Ok(())
    }

    fn read_asset(&mut self, asset: Element<'d>) {
        self.up = asset.child("up_axis").and_then(|up| match up.text().trim() {
            "X_UP" => Some(Axis::PlusX),
            "Y_UP" => Some(Axis::PlusY),
            "Z_UP" => Some(Axis::PlusZ),
            _ => None,
        });
        let meter = asset.child("unit").and_then(|unit| unit.attribute("meter"));
        self.unit_meters = meter.and_then(|meter| meter.trim().parse().ok());
    }

    /// The scene that is shown: the one that the document names, else its first.
    pub fn shown_scene(&self) -> Option<&Scene<'d>> {
        self.scene.and_then(|id| self.scenes.get(id)).or(self.scenes.items.first())
    }
}
