//! The layout in chunks: the skeleton, what belongs to the model, and the clips.

use super::MOST_BONES;
use super::v1::{check_parents, parent};
use super::v2_clip::ClipV2;
use crate::Matrix;
use crate::cursor::{Cursor, Item};
use crate::error::{XnbError, invalid};
use crate::output::Output;

/// `SNW2`: no skeleton has so many bones.
pub(super) const MAGIC: i32 = i32::from_le_bytes(*b"SNW2");

const BONE: [u8; 4] = *b"BONE";
const BIND: [u8; 4] = *b"BIND";
const PART: [u8; 4] = *b"PART";
const CLIP: [u8; 4] = *b"CLIP";
const LAZY: [u8; 4] = *b"LAZY";
const SOCK: [u8; 4] = *b"SOCK";

/// Translation, rotation and scale, applied in the opposite order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// Translation.
    pub translation: [f32; 3],
    /// Rotation, a unit quaternion: x, y, z, w.
    pub rotation: [f32; 4],
    /// Scale.
    pub scale: [f32; 3],
}

/// A bone.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneV2 {
    /// Its name.
    pub name: String,
    /// Its parent; a root has none.
    pub parent: Option<u32>,
    /// Where it stands without animation, relative to its parent.
    pub rest: Trs,
}

/// The bones that a part of a mesh is drawn with, where its vertices do not number all bones of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoneTable {
    /// Index of the mesh.
    pub mesh: u32,
    /// Index of the part in the mesh.
    pub part: u32,
    /// Its bones: the vertices' indices are indices into this.
    pub bones: Vec<u16>,
}

/// A named place on a bone, where things are attached.
#[derive(Clone, Debug, PartialEq)]
pub struct Socket {
    /// Its name.
    pub name: Box<str>,
    /// Index of the bone.
    pub bone: u32,
    /// Relative to the bone.
    pub offset: Trs,
}

/// A clip in a file of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct LazyClip {
    /// Its name.
    pub name: Box<str>,
    /// What it is for; empty if that is not said.
    pub tag: Box<str>,
    /// Seconds that it lasts.
    pub duration: f32,
    /// Its file, relative to the model's folder, without extension.
    pub asset: Box<str>,
}

/// Bones and clips, with names.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct V2 {
    /// The skeleton.
    pub bones: Vec<BoneV2>,
    /// From the model to each bone when the mesh was bound: as many as bones, or none in a file of clips.
    pub inverse_binds: Vec<Matrix>,
    /// Bones of parts, where a part needs a table.
    pub tables: Vec<BoneTable>,
    /// The clips.
    pub clips: Vec<ClipV2>,
    /// Clips in files of their own.
    pub lazy: Vec<LazyClip>,
    /// Places on bones.
    pub sockets: Vec<Socket>,
    /// Ids of chunks that were skipped. Not written.
    pub skipped: Vec<[u8; 4]>,
}

impl V2 {
    /// Says what is wrong, if anything.
    pub fn validate(&self) -> Result<(), XnbError> {
        let count = self.bones.len();
        if count > usize::from(u16::MAX) {
            return Err(invalid(format!("{count} bones are too many")));
        }
        check_parents(self.bones.iter().map(|bone| bone.parent))?;
        if !self.inverse_binds.is_empty() && self.inverse_binds.len() != count {
            return Err(invalid(format!(
                "there are {} inverse binds for {count} bones",
                self.inverse_binds.len()
            )));
        }
        for table in &self.tables {
            if !(1..=MOST_BONES).contains(&table.bones.len()) {
                return Err(invalid(format!("a part has {} bones", table.bones.len())));
            }
            if let Some(bone) = table.bones.iter().find(|&&bone| usize::from(bone) >= count) {
                return Err(invalid(format!("a part has bone {bone}, and there are {count}")));
            }
        }
        if let Some(socket) = self.sockets.iter().find(|socket| socket.bone as usize >= count) {
            let (name, bone) = (&socket.name, socket.bone);
            return Err(invalid(format!("socket `{name}` is on bone {bone}, and there are {count}")));
        }
        self.clips.iter().try_for_each(|clip| clip.validate(count))
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        self.validate()?;
        let mut chunks = Output::default();
        chunks.chunk(BONE, |chunk| self.write_bones(chunk))?;
        if !self.inverse_binds.is_empty() {
            chunks.chunk(BIND, |chunk| {
                self.inverse_binds.iter().for_each(|matrix| chunk.matrix(matrix));
                Ok(())
            })?;
        }
        if !self.tables.is_empty() {
            chunks.chunk(PART, |chunk| self.write_tables(chunk))?;
        }
        if !self.sockets.is_empty() {
            chunks.chunk(SOCK, |chunk| self.write_sockets(chunk))?;
        }
        for clip in &self.clips {
            chunks.chunk(CLIP, |chunk| clip.write(chunk))?;
        }
        if !self.lazy.is_empty() {
            chunks.chunk(LAZY, |chunk| self.write_lazy(chunk))?;
        }
        output.i32(MAGIC);
        output.count("bytes of skinning data", chunks.0.len())?;
        output.bytes(&chunks.0);
        Ok(())
    }

    fn write_bones(&self, chunk: &mut Output) -> Result<(), XnbError> {
        chunk.packed_count("bones", self.bones.len())?;
        for bone in &self.bones {
            chunk.string(&bone.name)?;
            chunk.i32(bone.parent.map_or(-1, |parent| parent as i32));
            bone.rest.write(chunk);
        }
        Ok(())
    }

    fn write_sockets(&self, chunk: &mut Output) -> Result<(), XnbError> {
        chunk.packed_count("sockets", self.sockets.len())?;
        for socket in &self.sockets {
            chunk.string(&socket.name)?;
            chunk.packed(socket.bone);
            socket.offset.write(chunk);
        }
        Ok(())
    }

    fn write_tables(&self, chunk: &mut Output) -> Result<(), XnbError> {
        chunk.packed_count("bone tables", self.tables.len())?;
        for table in &self.tables {
            chunk.packed(table.mesh);
            chunk.packed(table.part);
            chunk.packed_count("bones of a part", table.bones.len())?;
            table.bones.iter().for_each(|&bone| chunk.u16(bone));
        }
        Ok(())
    }

    fn write_lazy(&self, chunk: &mut Output) -> Result<(), XnbError> {
        chunk.packed_count("clips in files", self.lazy.len())?;
        for clip in &self.lazy {
            chunk.string(&clip.name)?;
            chunk.string(&clip.tag)?;
            chunk.f32(clip.duration);
            chunk.string(&clip.asset)?;
        }
        Ok(())
    }

    /// What follows the magic number.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        let length = cursor.u32("the length of skinning data")? as usize;
        cursor.within("skinning data", length, |cursor| {
            let mut data = Self::default();
            // Clips are counted first, so that their list has its size from the beginning.
            let clips = count_chunks(cursor.clone(), CLIP)?;
            data.clips = cursor.list(clips, &Item { what: "clips", least: 8 })?;
            let mut first = true;
            while cursor.left() > 0 {
                let id = cursor.id("a chunk")?;
                if std::mem::take(&mut first) != (id == BONE) {
                    return Err(cursor.wrong("its bones are not its first chunk, or are there twice"));
                }
                let length = cursor.u32("the length of a chunk")? as usize;
                cursor.within("a chunk", length, |chunk| data.read_chunk(id, chunk))?;
            }
            data.validate().map_err(|error| cursor.fail(error.cause))?;
            Ok(data)
        })
    }

    fn read_chunk(&mut self, id: [u8; 4], chunk: &mut Cursor<'_>) -> Result<(), XnbError> {
        match id {
            BONE => self.bones = read_bones(chunk)?,
            BIND => {
                let item = Item { what: "inverse binds", least: 64 };
                self.inverse_binds =
                    chunk.items(self.bones.len(), &item, |chunk| chunk.matrix("an inverse bind"))?;
            }
            PART => self.tables = read_tables(chunk)?,
            CLIP => self.clips.push(ClipV2::read(chunk)?),
            LAZY => self.lazy = read_lazy(chunk)?,
            SOCK => self.sockets = read_sockets(chunk)?,
            other => {
                // A chunk has a header of eight bytes, so this stays within the allowance, growth included.
                chunk.spend(12)?;
                self.skipped.push(other);
            }
        }
        Ok(())
    }
}

/// How many chunks there are of a kind.
pub(super) fn count_chunks(mut cursor: Cursor<'_>, wanted: [u8; 4]) -> Result<usize, XnbError> {
    let mut count = 0;
    while cursor.left() > 0 {
        count += usize::from(cursor.id("a chunk")? == wanted);
        let length = cursor.u32("the length of a chunk")? as usize;
        cursor.take("a chunk", length)?;
    }
    Ok(count)
}

fn read_bones(chunk: &mut Cursor<'_>) -> Result<Vec<BoneV2>, XnbError> {
    let count = chunk.packed("the number of bones")? as usize;
    chunk.items(count, &Item { what: "bones", least: 45 }, |chunk| {
        Ok(BoneV2 {
            name: chunk.string("the name of a bone")?,
            parent: parent(chunk)?,
            rest: Trs::read(chunk, "the rest of a bone")?,
        })
    })
}

fn read_sockets(chunk: &mut Cursor<'_>) -> Result<Vec<Socket>, XnbError> {
    let count = chunk.packed("the number of sockets")? as usize;
    chunk.items(count, &Item { what: "sockets", least: 42 }, |chunk| {
        Ok(Socket {
            name: chunk.string("the name of a socket")?.into(),
            bone: chunk.packed("the bone of a socket")?,
            offset: Trs::read(chunk, "the place of a socket")?,
        })
    })
}

impl Trs {
    fn write(&self, chunk: &mut Output) {
        chunk.floats(&self.translation);
        chunk.floats(&self.rotation);
        chunk.floats(&self.scale);
    }

    fn read(chunk: &mut Cursor<'_>, what: &'static str) -> Result<Self, XnbError> {
        Ok(Self {
            translation: chunk.floats(what)?,
            rotation: chunk.floats(what)?,
            scale: chunk.floats(what)?,
        })
    }
}

fn read_tables(chunk: &mut Cursor<'_>) -> Result<Vec<BoneTable>, XnbError> {
    let count = chunk.packed("the number of bone tables")? as usize;
    chunk.items(count, &Item { what: "bone tables", least: 5 }, |chunk| {
        let mesh = chunk.packed("the mesh of a bone table")?;
        let part = chunk.packed("the part of a bone table")?;
        let bones = chunk.packed("the number of bones of a part")? as usize;
        let bones =
            chunk.items(bones, &Item { what: "bones of a part", least: 2 }, |chunk| chunk.u16("a bone"))?;
        Ok(BoneTable { mesh, part, bones })
    })
}

fn read_lazy(chunk: &mut Cursor<'_>) -> Result<Vec<LazyClip>, XnbError> {
    let count = chunk.packed("the number of clips in files")? as usize;
    let named = |chunk: &mut Cursor<'_>, what: &'static str| match chunk.string(what)? {
        name if name.is_empty() => Err(chunk.wrong(format!("{what} is empty"))),
        name => Ok(name.into_boxed_str()),
    };
    chunk.items(count, &Item { what: "clips in files", least: 9 }, |chunk| {
        Ok(LazyClip {
            name: named(chunk, "the name of a clip")?,
            tag: chunk.string("the tag of a clip")?.into(),
            duration: chunk.f32("the duration of a clip")?,
            asset: named(chunk, "the file of a clip")?,
        })
    })
}
