//! Geometries and their primitives.

use crate::collada::xml::Element;

/// A `<geometry>`.
#[derive(Debug)]
pub struct Geometry<'d> {
    /// The element itself.
    pub element: Element<'d>,
    /// Unique in the document.
    pub id: Option<&'d str>,
    /// Display name.
    pub name: Option<&'d str>,
    /// Inputs that every corner shares with its vertex: the `POSITION` above all.
    pub vertices: Vec<Input<'d>>,
    /// Runs of faces, each with one material.
    pub primitives: Vec<Primitive<'d>>,
    /// Elements that are not read: other geometry than meshes (`spline`, `brep`) or faces (`lines`).
    pub unread: Vec<&'d str>,
}

/// What a vertex or corner takes from a source.
#[derive(Clone, Copy, Debug)]
pub struct Input<'d> {
    /// `POSITION`, `NORMAL`, `TEXCOORD`, `JOINT`, …
    pub semantic: &'d str,
    /// Id of the source.
    pub source: &'d str,
    /// Which of a corner's indices it uses.
    pub offset: usize,
    /// Tells inputs of one semantic apart.
    pub set: usize,
}

impl<'d> Input<'d> {
    /// The inputs of an element.
    pub(super) fn all(element: Element<'d>) -> Vec<Self> {
        let read = |input: Element<'d>| {
            Some(Self {
                semantic: input.attribute("semantic")?,
                source: input.reference("source")?,
                offset: input.number("offset").unwrap_or(0),
                set: input.number("set").unwrap_or(0),
            })
        };
        element.all("input").filter_map(read).collect()
    }
}

/// How indices make faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimitiveKind {
    /// Three corners each.
    Triangles,
    /// As many corners each as `<vcount>` says.
    Polylist,
    /// One polygon per list, perhaps with holes.
    Polygons,
    /// One strip per list.
    Tristrips,
    /// One fan per list.
    Trifans,
}

/// A run of faces with one material.
#[derive(Debug)]
pub struct Primitive<'d> {
    /// The element itself.
    pub element: Element<'d>,
    /// How indices make faces.
    pub kind: PrimitiveKind,
    /// What the instance's bindings call its material.
    pub material: Option<&'d str>,
    /// What its corners take from where.
    pub inputs: Vec<Input<'d>>,
    /// `<vcount>`, for a polylist.
    pub counts: Option<Element<'d>>,
    /// Lists of indices.
    pub lists: Vec<Polygon<'d>>,
}

/// A list of indices, and lists that cut holes into it.
#[derive(Debug)]
pub struct Polygon<'d> {
    /// The list, a `<p>`.
    pub outline: Element<'d>,
    /// Its holes, each an `<h>`.
    pub holes: Vec<Element<'d>>,
}

impl<'d> Geometry<'d> {
    pub(super) fn read(element: Element<'d>) -> Self {
        let mut geometry = Self {
            element,
            id: element.attribute("id"),
            name: element.attribute("name"),
            vertices: Vec::new(),
            primitives: Vec::new(),
            unread: Vec::new(),
        };
        for shape in element.children() {
            match shape.name() {
                "mesh" | "convex_mesh" => geometry.read_mesh(shape),
                "spline" | "brep" => geometry.unread.push(shape.name()),
                _ => {}
            }
        }
        geometry
    }

    fn read_mesh(&mut self, mesh: Element<'d>) {
        for child in mesh.children() {
            match child.name() {
                "vertices" => self.vertices = Input::all(child),
                "lines" | "linestrips" => self.unread.push(child.name()),
                _ => self.primitives.extend(Primitive::read(child)),
            }
        }
    }
}

impl<'d> Primitive<'d> {
    fn read(element: Element<'d>) -> Option<Self> {
        let kind = match element.name() {
            "triangles" => PrimitiveKind::Triangles,
            "polylist" => PrimitiveKind::Polylist,
            "polygons" => PrimitiveKind::Polygons,
            "tristrips" => PrimitiveKind::Tristrips,
            "trifans" => PrimitiveKind::Trifans,
            _ => return None,
        };
        let list = |child: Element<'d>| match child.name() {
            "p" => Some(Polygon { outline: child, holes: Vec::new() }),
            "ph" => Some(Polygon { outline: child.child("p")?, holes: child.all("h").collect() }),
            _ => None,
        };
        Some(Self {
            element,
            kind,
            material: element.attribute("material"),
            inputs: Input::all(element),
            counts: element.child("vcount"),
            lists: element.children().filter_map(list).collect(),
        })
    }
}
