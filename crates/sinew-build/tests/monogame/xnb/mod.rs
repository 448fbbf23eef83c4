//! An XNB reader for tests, written from the order in which MonoGame's `ContentReader` and its type readers read, and sharing nothing with the
//! writer. Every field is read; anything left over, or a reference out of range, is a panic.

mod skinning;

pub use skinning::{IDENTITY, Skinning, times};

use std::collections::BTreeMap;

pub type Matrix = [f32; 16];

/// Bytes that are read from the front.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(count);
        self.0 = rest;
        head
    }
    pub fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }
    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take(2).try_into().unwrap())
    }
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }
    pub fn i32(&mut self) -> i32 {
        self.u32() as i32
    }
    pub fn i64(&mut self) -> i64 {
        i64::from_le_bytes(self.take(8).try_into().unwrap())
    }
    pub fn single(&mut self) -> f32 {
        f32::from_bits(self.u32())
    }
    pub fn singles<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.single())
    }
    pub fn packed(&mut self) -> usize {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = usize::from(self.byte());
            value |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return value;
            }
        }
        panic!("a number of more than five bytes")
    }
    pub fn string(&mut self) -> String {
        let count = self.packed();
        String::from_utf8(self.take(count).to_vec()).unwrap()
    }
}

pub struct Bone {
    pub name: String,
    pub transform: Matrix,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
}

pub struct MeshPart {
    pub vertex_offset: usize,
    pub vertex_count: usize,
    pub start_index: usize,
    pub primitives: usize,
    pub vertices: usize,
    pub indices: usize,
    pub effect: usize,
}

pub struct ModelMesh {
    pub name: String,
    pub bone: usize,
    pub sphere: [f32; 4],
    pub parts: Vec<MeshPart>,
}

/// Offset, format, use and index of each element, and the vertices.
pub struct VertexBuffer {
    pub stride: usize,
    pub elements: Vec<[u32; 4]>,
    pub count: usize,
    pub data: Vec<u8>,
}

impl VertexBuffer {
    /// Where an element lies in a vertex.
    pub fn offset(&self, format: u32, usage: u32) -> Option<usize> {
        self.elements.iter().find(|e| e[1] == format && e[2] == usage && e[3] == 0).map(|e| e[0] as usize)
    }
    pub fn at(&self, vertex: usize, offset: usize) -> Bytes<'_> {
        Bytes(&self.data[vertex * self.stride + offset..])
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    pub skinned: bool,
    pub texture: String,
    pub diffuse: [f32; 3],
    pub emissive: [f32; 3],
    pub specular: [f32; 3],
    pub power: f32,
    pub alpha: f32,
    pub vertex_color: bool,
}

pub enum Resource {
    Vertices(VertexBuffer),
    Indices { short: bool, indices: Vec<u32> },
    Effect(Effect),
}

pub struct Model {
    pub bones: Vec<Bone>,
    pub meshes: Vec<ModelMesh>,
    pub root: usize,
    pub tag: Option<Skinning>,
    pub resources: Vec<Resource>,
}

pub struct Texture {
    pub width: usize,
    pub height: usize,
    pub levels: Vec<Vec<u8>>,
}

pub enum Object {
    Model(Box<Model>),
    Texture(Texture),
    Skinning(Skinning),
}

pub struct File {
    pub platform: char,
    pub hidef: bool,
    pub readers: Vec<String>,
    pub object: Object,
}

impl File {
    pub fn model(self) -> Model {
        match self.object {
            Object::Model(model) => *model,
            _ => panic!("not a model"),
        }
    }
}

const SKINNING: &str = "Sinew.SkinningDataReader, Sinew.MonoGame";

/// Reads a whole file.
pub fn read(file: &[u8]) -> File {
    let mut bytes = Bytes(file);
    assert_eq!(bytes.take(3), b"XNB");
    let platform = char::from(bytes.byte());
    assert_eq!(bytes.byte(), 5, "version");
    let flags = bytes.byte();
    assert_eq!(flags & !1, 0, "no compression");
    assert_eq!(bytes.u32() as usize, file.len(), "size");
    let readers: Vec<String> = (0..bytes.packed())
        .map(|_| {
            let name = bytes.string();
            assert_eq!(bytes.i32(), 0, "version of {name}");
            name
        })
        .collect();
    let shared = bytes.packed();
    let mut reader = Reader { bytes, readers };
    let object = match reader.next().expect("an object").as_str() {
        "ModelReader" => Object::Model(Box::new(reader.model(shared))),
        "Texture2DReader" => Object::Texture(reader.texture()),
        SKINNING => Object::Skinning(skinning::read(&mut reader.bytes)),
        other => panic!("{other}"),
    };
    assert!(reader.bytes.0.is_empty(), "{} bytes are left", reader.bytes.0.len());
    File { platform, hidef: flags == 1, readers: reader.readers, object }
}

struct Reader<'a> {
    bytes: Bytes<'a>,
    readers: Vec<String>,
}

impl Reader<'_> {
    /// Type of the next object: the class for readers of the framework, whose full names are checked; else the whole name.
    fn next(&mut self) -> Option<String> {
        let index = self.bytes.packed().checked_sub(1)?;
        let name = &self.readers[index];
        let Some(rest) = name.strip_prefix("Microsoft.Xna.Framework.Content.") else {
            return Some(name.clone());
        };
        let (class, assembly) = rest.split_once(", ").expect("a full name");
        let wanted = if class == "StringReader" {
            "Microsoft.Xna.Framework"
        } else {
            "Microsoft.Xna.Framework.Graphics"
        };
        assert_eq!(
            assembly,
            format!("{wanted}, Version=4.0.0.0, Culture=neutral, PublicKeyToken=842cf8be1de50553")
        );
        Some(class.to_owned())
    }

    fn string_object(&mut self) -> String {
        assert_eq!(self.next().as_deref(), Some("StringReader"));
        self.bytes.string()
    }

    fn bone_reference(&mut self, bones: usize) -> Option<usize> {
        let id = if bones < 255 { usize::from(self.bytes.byte()) } else { self.bytes.u32() as usize };
        assert!(id <= bones);
        id.checked_sub(1)
    }

    fn model(&mut self, shared: usize) -> Model {
        let count = self.bytes.u32() as usize;
        let mut bones: Vec<Bone> = (0..count)
            .map(|_| Bone {
                name: self.string_object(),
                transform: self.bytes.singles(),
                parent: None,
                children: vec![],
            })
            .collect();
        for bone in &mut bones {
            bone.parent = self.bone_reference(count);
            bone.children = (0..self.bytes.u32())
                .map(|_| self.bone_reference(count).expect("a child is a bone"))
                .collect();
        }
        let meshes = (0..self.bytes.i32()).map(|_| self.mesh(count)).collect();
        let root = self.bone_reference(count).expect("a root");
        let tag = self.next().map(|reader| {
            assert_eq!(reader, SKINNING);
            skinning::read(&mut self.bytes)
        });
        let resources = (0..shared).map(|_| self.resource()).collect();
        Model { bones, meshes, root, tag, resources }
    }

    fn mesh(&mut self, bones: usize) -> ModelMesh {
        let name = self.string_object();
        let bone = self.bone_reference(bones).expect("the bone of a mesh");
        let sphere = self.bytes.singles();
        assert_eq!(self.next(), None, "no tag");
        let parts = (0..self.bytes.i32()).map(|_| self.part()).collect();
        ModelMesh { name, bone, sphere, parts }
    }

    fn part(&mut self) -> MeshPart {
        let [vertex_offset, vertex_count, start_index, primitives] =
            std::array::from_fn(|_| self.bytes.i32() as usize);
        assert_eq!(self.next(), None, "no tag");
        let [vertices, indices, effect] = std::array::from_fn(|_| self.bytes.packed() - 1);
        MeshPart { vertex_offset, vertex_count, start_index, primitives, vertices, indices, effect }
    }

    fn resource(&mut self) -> Resource {
        let has_declaration_reader =
            self.readers.iter().any(|name| name.contains(".VertexDeclarationReader,"));
        match self.next().expect("a resource").as_str() {
            "VertexBufferReader" => {
                // The declaration is read raw, by a reader that must be in the table.
                assert!(has_declaration_reader);
                let stride = self.bytes.i32() as usize;
                let elements =
                    (0..self.bytes.i32()).map(|_| std::array::from_fn(|_| self.bytes.u32())).collect();
                let count = self.bytes.u32() as usize;
                let data = self.bytes.take(count * stride).to_vec();
                Resource::Vertices(VertexBuffer { stride, elements, count, data })
            }
            "IndexBufferReader" => {
                let short = self.bytes.byte() != 0;
                let size = self.bytes.i32() as usize;
                let count = size / if short { 2 } else { 4 };
                let indices =
                    (0..count).map(|_| if short { self.bytes.u16().into() } else { self.bytes.u32() });
                Resource::Indices { short, indices: indices.collect() }
            }
            "SkinnedEffectReader" => {
                let texture = self.bytes.string();
                assert_eq!(self.bytes.i32(), 4, "weights per vertex");
                Resource::Effect(self.effect(true, texture))
            }
            "BasicEffectReader" => {
                let texture = self.bytes.string();
                Resource::Effect(self.effect(false, texture))
            }
            other => panic!("{other}"),
        }
    }

    fn effect(&mut self, skinned: bool, texture: String) -> Effect {
        let [diffuse, emissive, specular] = std::array::from_fn(|_| self.bytes.singles());
        let (power, alpha) = (self.bytes.single(), self.bytes.single());
        let vertex_color = !skinned && self.bytes.byte() != 0;
        Effect { skinned, texture, diffuse, emissive, specular, power, alpha, vertex_color }
    }

    fn texture(&mut self) -> Texture {
        assert_eq!(self.bytes.i32(), 0, "red, green, blue, alpha");
        let [width, height, levels] = std::array::from_fn(|_| self.bytes.i32() as usize);
        let mut sizes = BTreeMap::new();
        let levels: Vec<Vec<u8>> = (0..levels)
            .map(|level| {
                let size = self.bytes.i32() as usize;
                sizes.insert(level, size);
                self.bytes.take(size).to_vec()
            })
            .collect();
        for (level, size) in sizes {
            assert_eq!(size, (width >> level).max(1) * (height >> level).max(1) * 4);
        }
        Texture { width, height, levels }
    }
}
