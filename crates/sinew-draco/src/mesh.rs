//! What a stream decodes to.

/// Triangles over points, and the values at the points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Number of points; every attribute has one value for each.
    pub points: usize,
    /// Three points a triangle, all below [`Mesh::points`].
    pub indices: Vec<u32>,
    /// The attributes, in the order of the stream.
    pub attributes: Vec<Attribute>,
}

impl Mesh {
    /// The attribute of this id, as the `attributes` of `KHR_draco_mesh_compression` name them.
    #[must_use]
    pub fn attribute(&self, unique_id: u32) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.unique_id == unique_id)
    }
}

/// One value per point, laid out as a glTF accessor without stride.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Id within the stream.
    pub unique_id: u32,
    /// What the stream says that the values are. In glTF the name of the accessor decides instead: joints and weights are
    /// [`Semantic::Generic`] here.
    pub semantic: Semantic,
    /// Components of one value.
    pub components: u8,
    /// Type of one component.
    pub component: Component,
    /// Whether integers stand for fractions. In glTF the accessor decides instead.
    pub normalized: bool,
    /// The components of all points in little-endian order, tightly packed.
    pub bytes: Vec<u8>,
}

impl Attribute {
    /// The components of all points as numbers. Every type is exact in `f64`; integers are not scaled.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let component = self.component;
        self.bytes.chunks_exact(component.size()).map(move |bytes| component.number(bytes))
    }
}

/// What the values of an attribute are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Semantic {
    /// Positions.
    Position,
    /// Normals.
    Normal,
    /// Colours.
    Color,
    /// Texture coordinates.
    TexCoord,
    /// Anything else.
    Generic,
}

/// Type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 32 bits, which glTF does not have.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Floating point, 32 bits.
    F32,
}

impl Component {
    /// Bytes of one component.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
        }
    }

    /// The `componentType` of a glTF accessor. That of [`Component::I32`] is OpenGL's, which no accessor may have.
    #[must_use]
    pub const fn component_type(self) -> u32 {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::I32 => 5124,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    /// The number in [`Component::size`] bytes.
    fn number(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, &[a]) => a.cast_signed().into(),
            (Self::U8, &[a]) => a.into(),
            (Self::I16, &[a, b]) => i16::from_le_bytes([a, b]).into(),
            (Self::U16, &[a, b]) => u16::from_le_bytes([a, b]).into(),
            (Self::I32, &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]).into(),
            (Self::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]).into(),
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            _ => f64::NAN,
        }
    }
}
