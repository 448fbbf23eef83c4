//! Models: bones, meshes, and the buffers and effects that their parts share.

use crate::cursor::{Cursor, Item};
use crate::effect::Effect;
use crate::error::{Cause, XnbError, invalid};
use crate::output::Output;
use crate::readers::{Kind, Reader, Readers};
use crate::vertices::{IndexBuffer, VertexBuffer};
use crate::{Matrix, SkinningData};

/// A bone of a model. Every node of the source is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// Its name.
    pub name: String,
    /// Relative to its parent.
    pub transform: Matrix,
    /// Index of its parent.
    pub parent: Option<usize>,
    /// Indices of its children.
    pub children: Vec<u32>,
}

/// A run of triangles of a mesh that is drawn with one effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Added to each index.
    pub vertex_offset: u32,
    /// Number of vertices that it uses, from that on.
    pub vertex_count: u32,
    /// First index.
    pub first_index: u32,
    /// Number of triangles.
    pub triangles: u32,
    /// Which of [`Model::shared`] has its vertices.
    pub vertices: Option<usize>,
    /// Which of [`Model::shared`] has its indices.
    pub indices: Option<usize>,
    /// Which of [`Model::shared`] is its effect.
    pub effect: Option<usize>,
}

/// A mesh of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Its name.
    pub name: String,
    /// The bone that it hangs on.
    pub bone: usize,
    /// Centre and radius of a sphere around it.
    pub sphere: [f32; 4],
    /// What is drawn.
    pub parts: Vec<Part>,
}

/// Something that several parts may share.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shared {
    /// Vertices.
    Vertices(VertexBuffer),
    /// Indices.
    Indices(IndexBuffer),
    /// An effect.
    Effect(Effect),
    /// Nothing.
    Null,
}

/// What a game attached to a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tag {
    /// Nothing.
    None,
    /// Bones and clips.
    Skinning(SkinningData),
    /// Something that is not kept, of this reader.
    Other(String),
}

/// A model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// All bones.
    pub bones: Vec<Bone>,
    /// All meshes.
    pub meshes: Vec<Mesh>,
    /// Index of the bone that all others hang on.
    pub root: usize,
    /// What a game attached to it.
    pub tag: Tag,
    /// What its parts refer to.
    pub shared: Vec<Shared>,
}

/// References to bones take one byte in files with fewer bones than this.
const FEW_BONES: usize = 255;

/// Reads references to bones.
struct Bones {
    count: usize,
}

impl Bones {
    fn read(&self, cursor: &mut Cursor<'_>, what: &'static str) -> Result<Option<usize>, XnbError> {
        let number =
            if self.count < FEW_BONES { u32::from(cursor.u8(what)?) } else { cursor.u32(what)? } as usize;
        if number > self.count {
            return Err(cursor.wrong(format!("{what} is bone {}, and there are {}", number - 1, self.count)));
        }
        Ok(number.checked_sub(1))
    }

    fn one(&self, cursor: &mut Cursor<'_>, what: &'static str) -> Result<usize, XnbError> {
        self.read(cursor, what)?.ok_or_else(|| cursor.wrong(format!("{what} is null")))
    }

    fn write(&self, output: &mut Output, bone: Option<usize>) -> Result<(), XnbError> {
        let number = bone.map_or(0, |bone| bone + 1);
        if number > self.count {
            return Err(invalid(format!("bone {} of {} is referred to", number - 1, self.count)));
        }
        if self.count < FEW_BONES {
            output.u8(number as u8)
        } else {
            output.count("bones", number)?
        }
        Ok(())
    }
}

impl Model {
    /// A model without its shared resources, of which the file has `shared`.
    pub(crate) fn read(cursor: &mut Cursor<'_>, readers: &Readers, shared: usize) -> Result<Self, XnbError> {
        let count = cursor.u32("the number of bones")? as usize;
        let mut bones = cursor.items(count, &Item { what: "bones", least: 65 }, |cursor| {
            let name = readers.string(cursor, "the name of a bone")?;
            let transform = cursor.matrix("the transform of a bone")?;
            Ok(Bone { name, transform, parent: None, children: Vec::new() })
        })?;
        let refs = Bones { count };
        for bone in &mut bones {
            bone.parent = refs.read(cursor, "the parent of a bone")?;
            let count = cursor.u32("the number of children of a bone")? as usize;
            bone.children =
                cursor.items(count, &Item { what: "children of a bone", least: 1 }, |cursor| {
                    Ok(refs.one(cursor, "a child of a bone")? as u32)
                })?;
        }
        check_tree(cursor, &bones)?;
        let count = cursor.u32("the number of meshes")? as usize;
        let meshes = cursor.items(count, &Item { what: "meshes", least: 23 }, |cursor| {
            mesh(cursor, readers, &refs, shared)
        })?;
        let root = refs.one(cursor, "the root of a model")?;
        Ok(Self { bones, meshes, root, tag: Tag::None, shared: Vec::new() })
    }

    pub(crate) fn kinds(&self) -> Vec<Kind> {
        let mut kinds = vec![Kind::Model, Kind::String, Kind::VertexBuffer, Kind::VertexDeclaration];
        kinds.push(Kind::IndexBuffer);
        for effect in self.shared.iter().filter_map(|shared| match shared {
            Shared::Effect(effect) => effect.kind(),
            _ => None,
        }) {
            if !kinds.contains(&effect) {
                kinds.push(effect);
            }
        }
        kinds
    }

    /// Writes the object, and what it shares.
    pub(crate) fn write(&self, output: &mut Output, readers: &Readers, game: &str) -> Result<(), XnbError> {
        readers.put(output, &Kind::Model)?;
        let refs = Bones { count: self.bones.len() };
        output.count("bones", self.bones.len())?;
        for bone in &self.bones {
            readers.put_string(output, &bone.name)?;
            output.matrix(&bone.transform);
        }
        for bone in &self.bones {
            refs.write(output, bone.parent)?;
            output.count("children of a bone", bone.children.len())?;
            for &child in &bone.children {
                refs.write(output, Some(child as usize))?;
            }
        }
        output.count("meshes", self.meshes.len())?;
        for mesh in &self.meshes {
            self.write_mesh(output, readers, &refs, mesh)?;
        }
        refs.write(output, Some(self.root))?;
        match &self.tag {
            Tag::None => output.u8(0),
            Tag::Skinning(skinning) => {
                readers.put(output, &Kind::of(game))?;
                skinning.write(output)?;
            }
            Tag::Other(reader) => return Err(invalid(format!("a tag of `{reader}` is not written"))),
        }
        for shared in &self.shared {
            write_shared(output, readers, shared)?;
        }
        Ok(())
    }

    fn write_mesh(
        &self,
        output: &mut Output,
        readers: &Readers,
        refs: &Bones,
        mesh: &Mesh,
    ) -> Result<(), XnbError> {
        readers.put_string(output, &mesh.name)?;
        refs.write(output, Some(mesh.bone))?;
        output.floats(&mesh.sphere);
        output.u8(0);
        output.count("parts of a mesh", mesh.parts.len())?;
        for part in &mesh.parts {
            output.u32(part.vertex_offset);
            output.u32(part.vertex_count);
            output.u32(part.first_index);
            output.u32(part.triangles);
            output.u8(0);
            for id in [part.vertices, part.indices, part.effect] {
                output.packed_count("shared resources", id.map_or(0, |id| id + 1))?;
            }
        }
        Ok(())
    }

    /// The vertices of a part.
    pub fn vertices(&self, part: &Part) -> Option<&VertexBuffer> {
        match self.shared.get(part.vertices?)? {
            Shared::Vertices(vertices) => Some(vertices),
            _ => None,
        }
    }

    /// The indices of a part, all of its buffer.
    pub fn indices(&self, part: &Part) -> Option<&IndexBuffer> {
        match self.shared.get(part.indices?)? {
            Shared::Indices(indices) => Some(indices),
            _ => None,
        }
    }

    /// The effect of a part.
    pub fn effect(&self, part: &Part) -> Option<&Effect> {
        match self.shared.get(part.effect?)? {
            Shared::Effect(effect) => Some(effect),
            _ => None,
        }
    }
}

/// Every bone leads up to a root: a walk up that takes more steps than there are bones goes round in a circle.
fn check_tree(cursor: &Cursor<'_>, bones: &[Bone]) -> Result<(), XnbError> {
    // 0 not seen, 1 on the way up, 2 leads to a root.
    let mut seen = vec![0u8; bones.len()];
    for start in 0..bones.len() {
        let mut way = Vec::new();
        let mut at = Some(start);
        while let Some(bone) = at {
            match seen.get_mut(bone) {
                Some(state @ 0) => *state = 1,
                Some(1) => return Err(cursor.wrong(format!("bone {bone} is its own ancestor"))),
                _ => break,
            }
            way.push(bone);
            at = bones.get(bone).and_then(|bone| bone.parent);
        }
        for bone in way {
            if let Some(state) = seen.get_mut(bone) {
                *state = 2;
            }
        }
    }
    Ok(())
}

fn mesh(cursor: &mut Cursor<'_>, readers: &Readers, refs: &Bones, shared: usize) -> Result<Mesh, XnbError> {
    let name = readers.string(cursor, "the name of a mesh")?;
    let bone = refs.one(cursor, "the bone of a mesh")?;
    let sphere = cursor.floats("the sphere of a mesh")?;
    readers.skip(cursor)?;
    let count = cursor.u32("the number of parts of a mesh")? as usize;
    let parts = cursor.items(count, &Item { what: "parts of a mesh", least: 20 }, |cursor| {
        let vertex_offset = cursor.u32("the vertex offset of a part")?;
        let vertex_count = cursor.u32("the number of vertices of a part")?;
        let first_index = cursor.u32("the first index of a part")?;
        let triangles = cursor.u32("the number of triangles of a part")?;
        readers.skip(cursor)?;
        let mut id = |what: &'static str| {
            let id = cursor.packed(what)? as usize;
            if id > shared {
                return Err(cursor.wrong(format!("{what} is shared resource {id}, and there are {shared}")));
            }
            Ok(id.checked_sub(1))
        };
        let (vertices, indices, effect) = (id("vertices")?, id("indices")?, id("an effect")?);
        Ok(Part { vertex_offset, vertex_count, first_index, triangles, vertices, indices, effect })
    })?;
    Ok(Mesh { name, bone, sphere, parts })
}

/// All shared resources, to the end of the file.
pub(crate) fn read_shared(
    cursor: &mut Cursor<'_>,
    readers: &Readers,
    count: usize,
) -> Result<Vec<Shared>, XnbError> {
    cursor.items(count, &Item { what: "shared resources", least: 1 }, |cursor| {
        let Some(reader) = readers.next(cursor, "a shared resource")? else { return Ok(Shared::Null) };
        shared(cursor, readers, reader)
    })
}

fn shared(cursor: &mut Cursor<'_>, readers: &Readers, reader: &Reader) -> Result<Shared, XnbError> {
    Ok(match &reader.kind {
        Kind::VertexBuffer => Shared::Vertices(VertexBuffer::read(cursor)?),
        Kind::IndexBuffer => Shared::Indices(IndexBuffer::read(cursor)?),
        Kind::SkinnedEffect => Shared::Effect(Effect::skinned(cursor)?),
        Kind::BasicEffect => Shared::Effect(Effect::basic(cursor)?),
        kind @ (Kind::AlphaTestEffect | Kind::DualTextureEffect | Kind::EnvironmentMapEffect) => {
            cursor.spend(reader.name.len() as u64)?;
            Shared::Effect(Effect::other(cursor, kind, &reader.name)?)
        }
        Kind::EffectMaterial => {
            cursor.spend(reader.name.len() as u64)?;
            cursor.string("the path of an effect")?;
            readers.skip(cursor)?;
            let (texture, diffuse, alpha) = (String::new(), [1.0; 3], 1.0);
            Shared::Effect(Effect::Other { reader: reader.name.clone(), texture, diffuse, alpha })
        }
        _ => return Err(cursor.fail(Cause::UnknownReader(reader.name.clone()))),
    })
}

fn write_shared(output: &mut Output, readers: &Readers, shared: &Shared) -> Result<(), XnbError> {
    match shared {
        Shared::Vertices(vertices) => {
            readers.put(output, &Kind::VertexBuffer)?;
            vertices.write(output)
        }
        Shared::Indices(indices) => {
            readers.put(output, &Kind::IndexBuffer)?;
            indices.write(output)
        }
        Shared::Effect(effect) => {
            let unknown = || invalid("an effect of another kind is not written");
            readers.put(output, &effect.kind().ok_or_else(unknown)?)?;
            effect.write(output)
        }
        Shared::Null => {
            output.u8(0);
            Ok(())
        }
    }
}
