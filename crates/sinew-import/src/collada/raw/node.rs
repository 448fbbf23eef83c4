//! Scenes and nodes.

use super::source::floats;
use crate::collada::xml::Element;
use crate::{Cause, limits};
use sinew_findings::plural;

/// A `<visual_scene>`.
#[derive(Debug)]
pub struct Scene<'d> {
    /// Its outermost nodes.
    pub nodes: Vec<Node<'d>>,
}

/// A `<node>`.
#[derive(Debug)]
pub struct Node<'d> {
    /// Unique in the document.
    pub id: Option<&'d str>,
    /// Unique among its siblings.
    pub sid: Option<&'d str>,
    /// Display name.
    pub name: Option<&'d str>,
    /// Whether its type is `JOINT`.
    pub is_joint: bool,
    /// Its transforms, of which the last is applied first.
    pub stack: Vec<StackItem<'d>>,
    /// What stands on it.
    pub instances: Vec<Instance<'d>>,
    /// Nodes below it.
    pub children: Vec<Node<'d>>,
}

/// What a transform element does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformKind {
    /// Sixteen numbers, row by row.
    Matrix,
    /// Three numbers.
    Translate,
    /// An axis and an angle in degrees.
    Rotate,
    /// Three numbers.
    Scale,
    /// An angle in degrees, the axis of rotation, the axis of translation.
    Skew,
    /// Eye, point of interest, up.
    LookAt,
}

impl TransformKind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "matrix" => Self::Matrix,
            "translate" => Self::Translate,
            "rotate" => Self::Rotate,
            "scale" => Self::Scale,
            "skew" => Self::Skew,
            "lookat" => Self::LookAt,
            _ => return None,
        })
    }

    /// How many numbers it takes.
    pub fn numbers(self) -> usize {
        match self {
            Self::Matrix => 16,
            Self::Translate | Self::Scale => 3,
            Self::Rotate => 4,
            Self::Skew => 7,
            Self::LookAt => 9,
        }
    }
}

/// One transform of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct StackItem<'d> {
    /// What it does.
    pub kind: TransformKind,
    /// What channels call it.
    pub sid: Option<&'d str>,
    /// Its numbers, as many as its kind takes; the rest is zero.
    pub values: [f64; 16],
}

/// What an instance refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceKind {
    /// A geometry.
    Geometry,
    /// A skin or morph.
    Controller,
    /// Another node.
    Node,
}

/// Something that stands on a node.
#[derive(Debug)]
pub struct Instance<'d> {
    /// What it is.
    pub kind: InstanceKind,
    /// Its id.
    pub url: &'d str,
    /// Where joints of a skin are looked for first.
    pub skeletons: Vec<&'d str>,
    /// Which materials its primitives have.
    pub materials: Vec<MaterialBinding<'d>>,
}

/// A material of an instance.
#[derive(Debug)]
pub struct MaterialBinding<'d> {
    /// What primitives call it.
    pub symbol: &'d str,
    /// Id of the material.
    pub target: &'d str,
    /// Texture-coordinate sets by the name that the effect has for them.
    pub inputs: Vec<(&'d str, usize)>,
}

impl<'d> Scene<'d> {
    pub(super) fn read(element: Element<'d>) -> Result<Self, Cause> {
        Ok(Self { nodes: element.all("node").map(Node::read).collect::<Result<_, _>>()? })
    }
}

impl<'d> Node<'d> {
    pub(super) fn read(element: Element<'d>) -> Result<Self, Cause> {
        let mut node = Self {
            id: element.attribute("id"),
            sid: element.attribute("sid"),
            name: element.attribute("name").filter(|n| !n.is_empty()),
            is_joint: element.attribute("type") == Some("JOINT"),
            stack: Vec::new(),
            instances: Vec::new(),
            children: Vec::new(),
        };
        let transforms = element.children().filter(|child| TransformKind::named(child.name()).is_some());
        limits::check("transforms", transforms.count() as u64, element.budget().limits().transforms)?;
        for child in element.children() {
            if let Some(kind) = TransformKind::named(child.name()) {
                node.stack.push(StackItem::read(child, kind)?);
            } else if let Some(instance) = Instance::read(child) {
                node.instances.push(instance);
            } else if child.name() == "node" {
                node.children.push(Node::read(child)?);
            }
        }
        Ok(node)
    }
}

impl<'d> StackItem<'d> {
    fn read(element: Element<'d>, kind: TransformKind) -> Result<Self, Cause> {
        let numbers = floats(element)?;
        if numbers.len() != kind.numbers() {
            let takes = plural(kind.numbers(), "number", "numbers");
            let what = format!("`<{}>` takes {takes} and has {}", element.name(), numbers.len());
            return Err(element.error(what));
        }
        if !numbers.iter().all(|v| v.is_finite()) {
            return Err(element.error("a transform has a number that is not finite"));
        }
        let mut values = [0.0; 16];
        for (value, number) in values.iter_mut().zip(numbers) {
            *value = number;
        }
        Ok(Self { kind, sid: element.attribute("sid"), values })
    }
}

impl<'d> Instance<'d> {
    fn read(element: Element<'d>) -> Option<Self> {
        let kind = match element.name() {
            "instance_geometry" => InstanceKind::Geometry,
            "instance_controller" => InstanceKind::Controller,
            "instance_node" => InstanceKind::Node,
            _ => return None,
        };
        let common = element.child("bind_material").and_then(|b| b.child("technique_common"));
        let materials = common.into_iter().flat_map(|c| c.all("instance_material"));
        Some(Self {
            kind,
            url: element.reference("url").unwrap_or_default(),
            skeletons: element.all("skeleton").map(|s| super::local_id(s.text())).collect(),
            materials: materials.filter_map(MaterialBinding::read).collect(),
        })
    }
}

impl<'d> MaterialBinding<'d> {
    fn read(element: Element<'d>) -> Option<Self> {
        let inputs =
            element.all("bind_vertex_input").filter(|b| b.attribute("input_semantic") == Some("TEXCOORD"));
        Some(Self {
            symbol: element.attribute("symbol")?,
            target: element.reference("target")?,
            inputs: inputs
                .filter_map(|b| Some((b.attribute("semantic")?, b.number("input_set").unwrap_or(0))))
                .collect(),
        })
    }
}
