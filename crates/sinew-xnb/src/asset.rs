//! Whole files.

use crate::container::{Compression, Container, Platform, Profile, close};
use crate::cursor::Cursor;
use crate::error::{Cause, XnbError};
use crate::model::{Model, Tag, read_shared};
use crate::output::Output;
use crate::readers::{Kind, Reader, Readers};
use crate::{SkinningData, Texture2d};

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Asset {
    /// A model.
    Model(Model),
    /// A texture.
    Texture(Texture2d),
    /// Clips without a model.
    Skinning(SkinningData),
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Xnb {
    /// What it was made for.
    pub platform: Platform,
    /// The hardware that it asks for.
    pub profile: Profile,
    /// How it was compressed.
    pub compression: Compression,
    /// Names of the types that read its objects.
    pub readers: Vec<String>,
    /// What it holds.
    pub asset: Asset,
}

/// How a file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteOptions<'a> {
    /// What it is made for.
    pub platform: Platform,
    /// The hardware that it asks for.
    pub profile: Profile,
    /// The type of the game that reads skinning data, as `Namespace.Type, Assembly`.
    pub skinning_reader: &'a str,
}

/// Reads a file whose content has at most `limit` bytes, decompressed.
pub fn read(bytes: &[u8], limit: u64) -> Result<Xnb, XnbError> {
    let Container { platform, version, profile, compression, content } = Container::open(bytes, limit)?;
    let mut cursor = Cursor::new(&content);
    let readers = Readers::read(&mut cursor)?;
    let shared = cursor.packed("the number of shared resources")? as usize;
    let first = readers.next(&mut cursor, "the object")?;
    let reader = first.ok_or_else(|| cursor.wrong("holds nothing: its object is null"))?;
    let asset = match &reader.kind {
        Kind::Model => Asset::Model(model(&mut cursor, &readers, shared)?),
        Kind::Texture2d => Asset::Texture(Texture2d::read(&mut cursor, version)?),
        Kind::Other { name, .. } if !name.starts_with("Microsoft.") => {
            match SkinningData::read(&mut cursor) {
                Err(_) if !is_skinning(reader) => return Err(unknown(reader)),
                skinning => Asset::Skinning(skinning?),
            }
        }
        _ => return Err(unknown(reader)),
    };
    let readers = readers.rows.into_iter().map(|reader| reader.name).collect();
    Ok(Xnb { platform, profile, compression, readers, asset })
}

fn unknown(reader: &Reader) -> XnbError {
    Cause::UnknownReader(reader.name.clone()).into()
}

/// Whether a reader is called as those of skinning data are.
fn is_skinning(reader: &Reader) -> bool {
    matches!(&reader.kind, Kind::Other { name, .. } if name.ends_with("SkinningDataReader"))
}

/// A model, its tag, and what its parts share.
fn model(cursor: &mut Cursor<'_>, readers: &Readers, count: usize) -> Result<Model, XnbError> {
    let mut model = Model::read(cursor, readers, count)?;
    let before = cursor.clone();
    let Some(reader) = readers.next(cursor, "the tag of a model")? else {
        model.shared = read_shared(cursor, readers, count)?;
        return Ok(model);
    };
    match tagged(cursor, readers, count) {
        Ok((skinning, shared)) => {
            (model.tag, model.shared) = (Tag::Skinning(skinning), shared);
            return Ok(model);
        }
        Err(error) if is_skinning(reader) => return Err(error),
        Err(_) => {}
    }
    model.tag = Tag::Other(reader.name.clone());
    let mut known = before;
    model.shared = match readers.skip(&mut known).and_then(|()| read_shared(&mut known, readers, count)) {
        Ok(shared) => shared,
        Err(_) => behind_unknown(cursor, readers, count).ok_or_else(|| unknown(reader))?,
    };
    Ok(model)
}

/// Skinning data, and what follows to the end of the file. Which type reads it, the game decides: what can be read as such is.
fn tagged(
    cursor: &Cursor<'_>,
    readers: &Readers,
    count: usize,
) -> Result<(SkinningData, Vec<crate::Shared>), XnbError> {
    let mut cursor = cursor.clone();
    let skinning = SkinningData::read(&mut cursor)?;
    let shared = read_shared(&mut cursor, readers, count)?;
    if cursor.left() == 0 { Ok((skinning, shared)) } else { Err(cursor.wrong("goes on behind its end")) }
}

/// How many times over a file is read at most in search of its shared resources.
const ATTEMPTS: usize = 4;

/// Shared resources behind an object of unknown length: they end where the file ends, and that is how they are found.
fn behind_unknown(cursor: &Cursor<'_>, readers: &Readers, count: usize) -> Option<Vec<crate::Shared>> {
    if count == 0 {
        return Some(Vec::new());
    }
    let end = cursor.offset() + cursor.left();
    let mut work = ATTEMPTS.saturating_mul(cursor.left());
    for start in cursor.offset()..end {
        let mut at = cursor.moved_to(start);
        // The first of them has vertices: nearly all places are ruled out by their first byte.
        let first = readers.next(&mut at.clone(), "a shared resource");
        if !matches!(first, Ok(Some(reader)) if reader.kind == Kind::VertexBuffer) {
            continue;
        }
        match read_shared(&mut at, readers, count) {
            Ok(shared) if at.left() == 0 => return Some(shared),
            // A file that is full of what looks like vertices is not searched for ever.
            _ => work = work.checked_sub(at.offset() - start)?,
        }
    }
    None
}

/// The bytes of an uncompressed file.
pub fn write(asset: &Asset, options: &WriteOptions<'_>) -> Result<Vec<u8>, XnbError> {
    let game = options.skinning_reader;
    let mut output = Output::default();
    match asset {
        Asset::Model(model) => {
            let skinned = matches!(model.tag, Tag::Skinning(_)).then_some(game);
            let readers = Readers::of(&model.kinds(), skinned);
            readers.write(&mut output)?;
            output.packed_count("shared resources", model.shared.len())?;
            model.write(&mut output, &readers, game)?;
        }
        Asset::Texture(texture) => {
            let readers = Readers::of(&[Kind::Texture2d], None);
            readers.write(&mut output)?;
            output.packed(0);
            readers.put(&mut output, &Kind::Texture2d)?;
            texture.write(&mut output)?;
        }
        Asset::Skinning(skinning) => {
            let readers = Readers::of(&[], Some(game));
            readers.write(&mut output)?;
            output.packed(0);
            readers.put(&mut output, &Kind::of(game))?;
            skinning.write(&mut output)?;
        }
    }
    close(options.platform, options.profile, &output.0)
}
