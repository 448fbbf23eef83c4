//! From bytes to a checked mesh.

use crate::outline::outline;
use crate::{Attribute, Component, DecodeError, Limits, Mesh, Semantic};
use draco_core::{
    AttributeValueIndex, DataType, DecoderBuffer, GeometryAttributeType, MeshDecoder, PointAttribute,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Decodes a mesh.
///
/// # Errors
/// The stream is damaged, is not a mesh, or asks for more than the limits.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Mesh, DecodeError> {
    // Nothing outside sees what a panic leaves half done.
    let core = catch_unwind(AssertUnwindSafe(|| decode_core(bytes, limits)));
    let core = core.map_err(|_| DecodeError::Panicked)??;
    let points = core.num_points();
    limits.check_points(points)?;
    limits.check_values(points, stride(&core))?;
    let mut attributes = Vec::new();
    for id in 0..core.num_attributes() {
        let attribute = core.try_attribute(id).map_err(|error| DecodeError::from_core(&error, limits))?;
        attributes.push(expand(attribute, points)?);
    }
    Ok(Mesh { points, indices: indices(&core)?, attributes })
}

fn decode_core(bytes: &[u8], limits: &Limits) -> Result<draco_core::Mesh, DecodeError> {
    let outline = outline(bytes)?;
    let mut buffer = DecoderBuffer::new(&outline.bytes).with_limits(limits.plan(&outline)?);
    let mut mesh = draco_core::Mesh::new();
    let decoded = MeshDecoder::new().decode(&mut buffer, &mut mesh);
    decoded.map_err(|error| DecodeError::from_core(&error, limits))?;
    Ok(mesh)
}

/// Bytes of a point: one value of every attribute.
fn stride(core: &draco_core::Mesh) -> u64 {
    let attributes = (0..core.num_attributes()).filter_map(|id| core.try_attribute(id).ok());
    let sizes = attributes
        .map(|attribute| u64::from(attribute.num_components()) * attribute.data_type().byte_length() as u64);
    sizes.sum()
}

fn indices(core: &draco_core::Mesh) -> Result<Vec<u32>, DecodeError> {
    let points = core.num_points();
    let indices: Vec<u32> = core.faces().iter().flatten().map(|point| point.0).collect();
    if indices.iter().any(|&index| index as usize >= points) {
        return Err(DecodeError::malformed("a triangle has a point that does not exist"));
    }
    Ok(indices)
}

/// One value for each point, where the stream has one for several.
fn expand(attribute: &PointAttribute, points: usize) -> Result<Attribute, DecodeError> {
    let component = component(attribute.data_type())?;
    let components = attribute.num_components();
    let size = component.size() * usize::from(components);
    let missing = || DecodeError::malformed("a point has no value of an attribute");
    if size == 0 || usize::try_from(attribute.byte_stride()) != Ok(size) {
        return Err(DecodeError::malformed("an attribute has no components, or gaps between its values"));
    }
    let values = attribute.buffer().data();
    let bytes = match attribute.explicit_mapping() {
        None => values.get(..points.saturating_mul(size)).ok_or_else(missing)?.to_vec(),
        Some(mapping) => {
            let mapping = mapping.get(..points).ok_or_else(missing)?;
            mapped(values, mapping, size).ok_or_else(missing)?
        }
    };
    Ok(Attribute {
        unique_id: attribute.unique_id(),
        semantic: semantic(attribute.attribute_type()),
        components,
        component,
        normalized: attribute.normalized(),
        bytes,
    })
}

fn mapped(values: &[u8], mapping: &[AttributeValueIndex], size: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(mapping.len() * size);
    for index in mapping {
        let start = (index.0 as usize).checked_mul(size)?;
        bytes.extend_from_slice(values.get(start..start.checked_add(size)?)?);
    }
    Some(bytes)
}

fn component(kind: DataType) -> Result<Component, DecodeError> {
    Ok(match kind {
        DataType::Int8 => Component::I8,
        DataType::Uint8 | DataType::Bool => Component::U8,
        DataType::Int16 => Component::I16,
        DataType::Uint16 => Component::U16,
        DataType::Int32 => Component::I32,
        DataType::Uint32 => Component::U32,
        DataType::Float32 => Component::F32,
        DataType::Int64 | DataType::Uint64 | DataType::Float64 => {
            return Err(DecodeError::Unsupported("an attribute has components of 64 bits".to_owned()));
        }
        DataType::Invalid => return Err(DecodeError::malformed("an attribute has no type")),
    })
}

fn semantic(kind: GeometryAttributeType) -> Semantic {
    match kind {
        GeometryAttributeType::Position => Semantic::Position,
        GeometryAttributeType::Normal => Semantic::Normal,
        GeometryAttributeType::Color => Semantic::Color,
        GeometryAttributeType::TexCoord => Semantic::TexCoord,
        _ => Semantic::Generic,
    }
}
