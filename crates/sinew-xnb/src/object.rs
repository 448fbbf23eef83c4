//! Objects of any type that games and processors put into tags and materials: they are read over, as far as their types are known.

use crate::cursor::Cursor;
use crate::error::{Cause, XnbError};
use crate::readers::{Kind, Reader, Readers, parse};

/// How deep objects may lie in each other.
const DEPTH: usize = 16;

/// Value types of the framework and of the system, and their sizes.
const VALUES: [(&str, usize); 24] = [
    ("System.Boolean", 1),
    ("System.Byte", 1),
    ("System.SByte", 1),
    ("System.Int16", 2),
    ("System.UInt16", 2),
    ("System.Int32", 4),
    ("System.UInt32", 4),
    ("System.Single", 4),
    ("System.Int64", 8),
    ("System.UInt64", 8),
    ("System.Double", 8),
    ("System.TimeSpan", 8),
    ("System.DateTime", 8),
    ("System.Decimal", 16),
    ("Microsoft.Xna.Framework.Color", 4),
    ("Microsoft.Xna.Framework.Point", 8),
    ("Microsoft.Xna.Framework.Vector2", 8),
    ("Microsoft.Xna.Framework.Vector3", 12),
    ("Microsoft.Xna.Framework.Vector4", 16),
    ("Microsoft.Xna.Framework.Quaternion", 16),
    ("Microsoft.Xna.Framework.Rectangle", 16),
    ("Microsoft.Xna.Framework.BoundingSphere", 16),
    ("Microsoft.Xna.Framework.BoundingBox", 24),
    ("Microsoft.Xna.Framework.Matrix", 64),
];

fn size_of_value(type_name: &str) -> Option<usize> {
    let (name, _) = parse(type_name);
    VALUES.iter().find(|(known, _)| *known == name).map(|(_, size)| *size)
}

impl Readers {
    /// Reads over an object, null included.
    pub fn skip(&self, cursor: &mut Cursor<'_>) -> Result<(), XnbError> {
        self.skip_object(cursor, DEPTH)
    }

    fn skip_object(&self, cursor: &mut Cursor<'_>, depth: usize) -> Result<(), XnbError> {
        let Some(reader) = self.next(cursor, "an object")? else { return Ok(()) };
        let Some(depth) = depth.checked_sub(1) else {
            return Err(cursor.wrong("its objects lie too deep in each other"));
        };
        self.skip_content(cursor, reader, depth)
    }

    fn skip_content(&self, cursor: &mut Cursor<'_>, reader: &Reader, depth: usize) -> Result<(), XnbError> {
        let unknown = |cursor: &Cursor<'_>| cursor.fail(Cause::UnknownReader(reader.name.clone()));
        let (name, arguments) = match &reader.kind {
            Kind::String => return cursor.string("a string").map(drop),
            Kind::Other { name, arguments } => (name, arguments),
            _ => return Err(unknown(cursor)),
        };
        let own = name.strip_prefix("Microsoft.Xna.Framework.Content.").unwrap_or_default();
        match (own, &**arguments) {
            ("ListReader`1" | "ArrayReader`1", [item]) => self.skip_items(cursor, &[item], depth),
            ("DictionaryReader`2", [key, value]) => self.skip_items(cursor, &[key, value], depth),
            ("ExternalReferenceReader", _) => cursor.string("a reference").map(drop),
            _ => {
                let base = own.strip_suffix("Reader").ok_or_else(|| unknown(cursor))?;
                let sized = ["System.", "Microsoft.Xna.Framework."]
                    .iter()
                    .find_map(|space| size_of_value(&format!("{space}{base}")));
                let size = sized.ok_or_else(|| unknown(cursor))?;
                cursor.take("a value", size).map(drop)
            }
        }
    }

    fn skip_items(&self, cursor: &mut Cursor<'_>, types: &[&String], depth: usize) -> Result<(), XnbError> {
        let count = cursor.u32("the number of items")?;
        // Each item takes a byte at least, so that this ends with the file.
        for _ in 0..count {
            for type_name in types {
                match size_of_value(type_name) {
                    Some(size) => cursor.take("an item", size).map(drop)?,
                    None => self.skip_object(cursor, depth)?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(readers: &[&str], bytes: &[u8]) -> Result<usize, XnbError> {
        let rows = readers.iter().map(|name| Reader { name: (*name).to_owned(), kind: Kind::of(name) });
        let readers = Readers { rows: rows.collect() };
        let mut cursor = Cursor::new(bytes);
        readers.skip(&mut cursor).map(|()| cursor.offset())
    }

    #[test]
    fn known_objects_are_read_over() {
        let content = |name: &str| format!("Microsoft.Xna.Framework.Content.{name}");
        let dictionary = content("DictionaryReader`2[[System.String, mscorlib],[System.Object, mscorlib]]");
        let list = content("ListReader`1[[Microsoft.Xna.Framework.Vector3, Microsoft.Xna.Framework]]");
        let readers = [&*dictionary, &content("StringReader"), &list, &content("SingleReader")];
        assert_eq!(skip(&readers, &[0]), Ok(1), "a null");
        assert_eq!(skip(&readers, &[4, 0, 0, 128, 63, 9]), Ok(5));
        // {"a": 1.0, "b": list of one vector}
        let mut bytes = vec![1, 2, 0, 0, 0, 2, 1, b'a', 4, 0, 0, 128, 63, 2, 1, b'b', 3, 1, 0, 0, 0];
        bytes.extend([0; 12]);
        assert_eq!(skip(&readers, &bytes), Ok(bytes.len()));
        for end in 0..bytes.len() {
            assert!(skip(&readers, &bytes[..end]).is_err(), "{end}");
        }
        assert!(matches!(skip(&["Game.Own, Game"], &[1]).unwrap_err().cause, Cause::UnknownReader(_)));
    }

    #[test]
    fn depth_is_bounded() {
        let list = "Microsoft.Xna.Framework.Content.ListReader`1[[System.Object, mscorlib]]";
        let bytes: Vec<u8> = [1, 1, 0, 0, 0].repeat(1000);
        assert!(skip(&[list], &bytes).unwrap_err().to_string().contains("too deep"));
    }
}
