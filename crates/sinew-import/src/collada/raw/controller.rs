//! Skins and morphs.

use super::geometry::Input;
use super::source::floats;
use crate::Cause;
use crate::collada::xml::Element;

/// A `<controller>`.
#[derive(Debug)]
pub struct Controller<'d> {
    /// The element itself.
    pub element: Element<'d>,
    /// Unique in the document.
    pub id: Option<&'d str>,
    /// What it does.
    pub deformer: Option<Deformer<'d>>,
}

/// What a controller does to a geometry.
#[derive(Debug)]
pub enum Deformer<'d> {
    /// Joints carry it.
    Skin(Skin<'d>),
    /// It takes on other shapes.
    Morph(Morph<'d>),
}

/// A `<skin>`.
#[derive(Debug)]
pub struct Skin<'d> {
    /// The element itself.
    pub element: Element<'d>,
    /// Id of the geometry, or of the morph, that it carries.
    pub source: &'d str,
    /// `JOINT` and `INV_BIND_MATRIX`.
    pub joints: Vec<Input<'d>>,
    /// `JOINT` and `WEIGHT` of influences.
    pub inputs: Vec<Input<'d>>,
    /// Influences of each vertex.
    pub counts: Option<Element<'d>>,
    /// Their indices.
    pub influences: Option<Element<'d>>,
}

/// How targets of a morph are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MorphMethod {
    /// As shapes between which is blended.
    Normalized,
    /// As offsets that are added.
    Relative,
}

/// A `<morph>`.
#[derive(Debug)]
pub struct Morph<'d> {
    /// Id of the geometry that it changes.
    pub source: &'d str,
    /// How targets are to be read.
    pub method: MorphMethod,
    /// `MORPH_TARGET` and `MORPH_WEIGHT`.
    pub targets: Vec<Input<'d>>,
}

impl<'d> Controller<'d> {
    pub(super) fn read(element: Element<'d>) -> Self {
        let deformer = element.children().find_map(|child| match child.name() {
            "skin" => Some(Deformer::Skin(Skin::read(child))),
            "morph" => Some(Deformer::Morph(Morph::read(child))),
            _ => None,
        });
        Self { element, id: element.attribute("id"), deformer }
    }
}

impl<'d> Skin<'d> {
    fn read(element: Element<'d>) -> Self {
        let weights = element.child("vertex_weights");
        Self {
            element,
            source: element.reference("source").unwrap_or_default(),
            joints: element.child("joints").map(Input::all).unwrap_or_default(),
            inputs: weights.map(Input::all).unwrap_or_default(),
            counts: weights.and_then(|w| w.child("vcount")),
            influences: weights.and_then(|w| w.child("v")),
        }
    }

    /// `bind_shape_matrix`, row by row; identity where there is none.
    pub fn bind_shape(&self) -> Result<[f64; 16], Cause> {
        let identity = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
        let Some(element) = self.element.child("bind_shape_matrix") else { return Ok(identity) };
        let numbers = floats(element)?;
        let matrix = <[f64; 16]>::try_from(numbers.as_slice());
        match matrix {
            Ok(matrix) if matrix.iter().all(|v| v.is_finite()) => Ok(matrix),
            _ if numbers.is_empty() => Ok(identity),
            _ => Err(element.error("a matrix takes 16 finite numbers")),
        }
    }
}

impl<'d> Morph<'d> {
    fn read(element: Element<'d>) -> Self {
        Self {
            source: element.reference("source").unwrap_or_default(),
            method: match element.attribute("method") {
                Some("RELATIVE") => MorphMethod::Relative,
                _ => MorphMethod::Normalized,
            },
            targets: element.child("targets").map(Input::all).unwrap_or_default(),
        }
    }
}
