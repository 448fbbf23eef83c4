//! Geometry compressed with `KHR_draco_mesh_compression`: decoded into buffer views and accessors of its own, which take the place of those that
//! the document declares.

use super::container::File;
use super::json::{Accessor, Attributes, BufferView, Document, Draco};
use crate::{Budget, Cause};
use sinew_draco::{Attribute, DecodeError, Limits, Mesh};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Bytes that a decoded attribute takes in the document beside its values.
const ACCESSOR_BYTES: u64 = 512;

/// Decodes the Draco data of all primitives. Data that several primitives share is decoded once.
pub(super) fn decode(file: &mut File<'_>) -> Result<(), Cause> {
    let mut meshes = std::mem::take(&mut file.document.meshes);
    let mut decoded: HashMap<usize, Mesh> = HashMap::new();
    for primitive in meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        let Some(draco) = primitive.extensions.draco.take() else { continue };
        let mesh = match decoded.entry(draco.buffer_view) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(decode_view(file, draco.buffer_view)?),
        };
        let budget = file.budget;
        let mut adder = Adder { document: &mut file.document, views: &mut file.decoded_views, budget };
        adder.attributes(mesh, &draco, &mut primitive.attributes)?;
        let indices: Vec<u8> = mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        primitive.indices = Some(adder.add(indices, U32, false, mesh.indices.len(), 1)?);
        // The data holds triangles, whatever the strips of the accessors were.
        primitive.mode = None;
    }
    file.document.meshes = meshes;
    Ok(())
}

const U32: u32 = 5125;

fn decode_view(file: &File<'_>, view: usize) -> Result<Mesh, Cause> {
    let (_, bytes) = file.view(view)?;
    let limits = file.budget.limits();
    let limits = Limits { points: limits.vertices, faces: limits.vertices, bytes: file.budget.memory_left() };
    let mesh = sinew_draco::decode(bytes, &limits).map_err(|error| match error {
        DecodeError::Limit { what, most } => {
            let name = if what == "bytes" { "memory" } else { "vertices" };
            Cause::Limit { name, found: None, limit: most }
        }
        other => Cause::malformed(
            format!("its Draco data cannot be read: {other}"),
            format!("bufferViews[{view}]"),
        ),
    })?;
    let values: usize = mesh.attributes.iter().map(|attribute| attribute.bytes.len()).sum();
    file.budget.memory((values + mesh.indices.len() * size_of::<u32>()) as u64)?;
    Ok(mesh)
}

/// Adds decoded values to a document.
struct Adder<'a> {
    document: &'a mut Document,
    views: &'a mut Vec<Option<Vec<u8>>>,
    budget: &'a Budget<'a>,
}

impl Adder<'_> {
    /// Puts decoded attributes in the place of those that the data names.
    fn attributes(&mut self, mesh: &Mesh, draco: &Draco, attributes: &mut Attributes) -> Result<(), Cause> {
        for (accessor, id) in attributes.named_by(&draco.attributes) {
            let attribute = u32::try_from(id).ok().and_then(|id| mesh.attribute(id));
            let missing = || Cause::malformed(format!("its Draco data has no attribute {id}"), "meshes");
            let attribute: &Attribute = attribute.ok_or_else(missing)?;
            let declared = accessor.and_then(|index| self.document.accessors.get(index));
            let normalized = declared.map_or(attribute.normalized, |accessor| accessor.normalized);
            let component = attribute.component.component_type();
            let width = usize::from(attribute.components);
            *accessor = Some(self.add(attribute.bytes.clone(), component, normalized, mesh.points, width)?);
        }
        Ok(())
    }

    /// An accessor of its own for these bytes.
    fn add(
        &mut self,
        bytes: Vec<u8>,
        component_type: u32,
        normalized: bool,
        count: usize,
        width: usize,
    ) -> Result<usize, Cause> {
        self.budget.memory(bytes.len() as u64 + ACCESSOR_BYTES)?;
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"].get(width.wrapping_sub(1));
        let kind = kind
            .ok_or_else(|| Cause::malformed("a Draco attribute has more than four components", "meshes"))?;
        self.views.resize_with(self.document.buffer_views.len(), || None);
        let view = BufferView { byte_length: bytes.len(), ..BufferView::default() };
        self.document.buffer_views.push(view);
        self.views.push(Some(bytes));
        self.document.accessors.push(Accessor {
            buffer_view: Some(self.document.buffer_views.len() - 1),
            byte_offset: 0,
            component_type,
            normalized,
            count,
            kind: (*kind).to_owned(),
            sparse: None,
        });
        Ok(self.document.accessors.len() - 1)
    }
}
