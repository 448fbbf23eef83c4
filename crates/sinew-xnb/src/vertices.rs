//! Vertex and index buffers.

use crate::cursor::{Cursor, Item};
use crate::error::{XnbError, invalid};
use crate::output::Output;

/// How the numbers of a vertex element are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of XNA")]
pub enum ElementFormat {
    Single,
    Vector2,
    Vector3,
    Vector4,
    Color,
    Byte4,
    Short2,
    Short4,
    NormalizedShort2,
    NormalizedShort4,
    HalfVector2,
    HalfVector4,
}

impl ElementFormat {
    const ALL: [Self; 12] = [
        Self::Single,
        Self::Vector2,
        Self::Vector3,
        Self::Vector4,
        Self::Color,
        Self::Byte4,
        Self::Short2,
        Self::Short4,
        Self::NormalizedShort2,
        Self::NormalizedShort4,
        Self::HalfVector2,
        Self::HalfVector4,
    ];

    /// Bytes that it takes.
    pub fn size(self) -> usize {
        match self {
            Self::Single | Self::Color | Self::Byte4 => 4,
            Self::Short2 | Self::NormalizedShort2 | Self::HalfVector2 => 4,
            Self::Vector2 | Self::Short4 | Self::NormalizedShort4 | Self::HalfVector4 => 8,
            Self::Vector3 => 12,
            Self::Vector4 => 16,
        }
    }
}

/// What a vertex element is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of XNA")]
pub enum ElementUsage {
    Position,
    Color,
    TextureCoordinate,
    Normal,
    Binormal,
    Tangent,
    BlendIndices,
    BlendWeight,
    Depth,
    Fog,
    PointSize,
    Sample,
    TessellateFactor,
}

impl ElementUsage {
    const ALL: [Self; 13] = [
        Self::Position,
        Self::Color,
        Self::TextureCoordinate,
        Self::Normal,
        Self::Binormal,
        Self::Tangent,
        Self::BlendIndices,
        Self::BlendWeight,
        Self::Depth,
        Self::Fog,
        Self::PointSize,
        Self::Sample,
        Self::TessellateFactor,
    ];
}

/// One element of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexElement {
    /// Bytes from the start of the vertex.
    pub offset: u32,
    /// How its numbers are stored.
    pub format: ElementFormat,
    /// What it is for.
    pub usage: ElementUsage,
    /// Which of several with one use.
    pub index: u32,
}

/// How a vertex is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexDeclaration {
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// Its elements.
    pub elements: Vec<VertexElement>,
}

impl VertexDeclaration {
    /// Elements without gaps between them.
    pub fn packed(elements: &[(ElementFormat, ElementUsage)]) -> Self {
        let mut stride = 0;
        let elements = elements.iter().map(|&(format, usage)| {
            let offset = stride;
            stride += format.size() as u32;
            VertexElement { offset, format, usage, index: 0 }
        });
        let elements = elements.collect();
        Self { stride, elements }
    }

    /// The first element with a use.
    pub fn find(&self, usage: ElementUsage, index: u32) -> Option<&VertexElement> {
        self.elements.iter().find(|element| element.usage == usage && element.index == index)
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        let stride = cursor.u32("the size of a vertex")?;
        let count = cursor.u32("the number of vertex elements")? as usize;
        let elements = cursor.items(count, &Item { what: "vertex elements", least: 16 }, |cursor| {
            let offset = cursor.u32("the offset of a vertex element")?;
            let format = cursor.u32("the format of a vertex element")?;
            let usage = cursor.u32("the use of a vertex element")?;
            let index = cursor.u32("the index of a vertex element")?;
            let format = ElementFormat::ALL
                .get(format as usize)
                .copied()
                .ok_or_else(|| cursor.wrong(format!("there is no vertex element format {format}")))?;
            let usage = ElementUsage::ALL
                .get(usage as usize)
                .copied()
                .ok_or_else(|| cursor.wrong(format!("there is no use {usage} of a vertex element")))?;
            if u64::from(offset) + format.size() as u64 > u64::from(stride) {
                return Err(cursor.wrong("a vertex element lies outside of its vertex"));
            }
            Ok(VertexElement { offset, format, usage, index })
        })?;
        Ok(Self { stride, elements })
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        output.u32(self.stride);
        output.count("vertex elements", self.elements.len())?;
        for element in &self.elements {
            output.u32(element.offset);
            output.u32(element.format as u32);
            output.u32(element.usage as u32);
            output.u32(element.index);
        }
        Ok(())
    }
}

/// Vertices, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexBuffer {
    /// How they are laid out.
    pub declaration: VertexDeclaration,
    /// The bytes, as many as vertices times the stride.
    pub data: Vec<u8>,
}

impl VertexBuffer {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.declaration.stride as usize).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of an element of a vertex, unused ones zero; none if the vertex or element is not there.
    pub fn value(&self, vertex: usize, element: &VertexElement) -> Option<[f32; 4]> {
        let stride = self.declaration.stride as usize;
        let start = vertex.checked_mul(stride)?.checked_add(element.offset as usize)?;
        let bytes = self.data.get(start..start.checked_add(element.format.size())?)?;
        let mut out = [0.0; 4];
        fill(element.format, bytes, &mut out);
        Some(out)
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        let declaration = VertexDeclaration::read(cursor)?;
        let count = cursor.u32("the number of vertices")?;
        let size = u64::from(count) * u64::from(declaration.stride);
        if declaration.stride == 0 {
            return Err(cursor.wrong("its vertices have no size"));
        }
        let data = cursor.bytes("vertices", usize::try_from(size).unwrap_or(usize::MAX))?;
        Ok(Self { declaration, data })
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        if self.len() * self.declaration.stride as usize != self.data.len() {
            return Err(invalid("the bytes of a vertex buffer are no whole number of vertices"));
        }
        self.declaration.write(output)?;
        output.count("vertices", self.len())?;
        output.bytes(&self.data);
        Ok(())
    }
}

fn fill(format: ElementFormat, bytes: &[u8], out: &mut [f32; 4]) {
    let floats = bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b));
    let shorts = || bytes.as_chunks().0.iter().map(|b| i16::from_le_bytes(*b));
    let put = |out: &mut [f32; 4], values: &mut dyn Iterator<Item = f32>| {
        out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
    };
    match format {
        ElementFormat::Single | ElementFormat::Vector2 | ElementFormat::Vector3 | ElementFormat::Vector4 => {
            put(out, &mut { floats });
        }
        ElementFormat::Color => put(out, &mut bytes.iter().map(|&b| f32::from(b) / 255.0)),
        ElementFormat::Byte4 => put(out, &mut bytes.iter().map(|&b| f32::from(b))),
        ElementFormat::Short2 | ElementFormat::Short4 => put(out, &mut shorts().map(f32::from)),
        ElementFormat::NormalizedShort2 | ElementFormat::NormalizedShort4 => {
            put(out, &mut shorts().map(|s| (f32::from(s) / 32767.0).max(-1.0)));
        }
        ElementFormat::HalfVector2 | ElementFormat::HalfVector4 => {
            put(out, &mut shorts().map(|s| half(s as u16)));
        }
    }
}

/// A number of 16 bits: sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = ((bits >> 10) & 0x1f, f32::from(bits & 0x3ff));
    // XNA knows neither infinities nor NaN: the largest exponent is one like the others.
    let scale = f32::from_bits((u32::from(exponent.max(1)) + 127 - 15) << 23);
    let whole = if exponent == 0 { 0.0 } else { 1.0 };
    sign * scale * (whole + fraction / 1024.0)
}

/// Triangles, as indices of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexBuffer {
    /// Whether they are stored in 16 bits each.
    pub short: bool,
    /// The indices.
    pub indices: Vec<u32>,
}

impl IndexBuffer {
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        let short = cursor.bool("the size of an index")?;
        let size = cursor.u32("the size of the indices")? as usize;
        let width = if short { 2 } else { 4 };
        if !size.is_multiple_of(width) {
            return Err(cursor.wrong("its indices are cut off"));
        }
        let indices = cursor.items(size / width, &Item { what: "indices", least: width }, |cursor| {
            if short { cursor.u16("an index").map(u32::from) } else { cursor.u32("an index") }
        })?;
        Ok(Self { short, indices })
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        output.u8(self.short.into());
        let width = if self.short { 2 } else { 4 };
        output.count("bytes of indices", self.indices.len() * width)?;
        for &index in &self.indices {
            match u16::try_from(index) {
                Ok(index) if self.short => output.u16(index),
                Err(_) if self.short => {
                    return Err(invalid(format!("index {index} does not fit into 16 bits")));
                }
                _ => output.u32(index),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_format() {
        let value = |format: ElementFormat, data: &[u8]| {
            let declaration = VertexDeclaration::packed(&[(format, ElementUsage::Position)]);
            let element = declaration.elements[0];
            VertexBuffer { declaration, data: data.to_vec() }.value(0, &element).unwrap()
        };
        let floats: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|f| f.to_le_bytes()).collect();
        assert_eq!(value(ElementFormat::Single, &floats[..4]), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(value(ElementFormat::Vector3, &floats[..12]), [1.0, 2.0, 3.0, 0.0]);
        assert_eq!(value(ElementFormat::Vector4, &floats), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(value(ElementFormat::Byte4, &[1, 2, 3, 255]), [1.0, 2.0, 3.0, 255.0]);
        assert_eq!(value(ElementFormat::Color, &[255, 0, 51, 255]), [1.0, 0.0, 0.2, 1.0]);
        assert_eq!(value(ElementFormat::Short2, &[1, 0, 0xff, 0xff]), [1.0, -1.0, 0.0, 0.0]);
        assert_eq!(value(ElementFormat::NormalizedShort2, &[0xff, 0x7f, 0, 0x80]), [1.0, -1.0, 0.0, 0.0]);
        // 1.5, -2, the smallest number above zero, and 65,504 as half floats.
        assert_eq!(
            value(ElementFormat::HalfVector4, &[0x00, 0x3e, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b]),
            [1.5, -2.0, 5.960_464_5e-8, 65504.0]
        );
    }
}
