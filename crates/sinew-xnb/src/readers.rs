//! The table of readers: names of the C# types that read the objects of a file.

use crate::cursor::{Cursor, Item};
use crate::error::{Cause, XnbError};
use crate::output::Output;

const VERSION: &str = "Version=4.0.0.0, Culture=neutral, PublicKeyToken=842cf8be1de50553";
const CONTENT: &str = "Microsoft.Xna.Framework.Content";

/// What reads an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Model,
    String,
    VertexBuffer,
    VertexDeclaration,
    IndexBuffer,
    SkinnedEffect,
    BasicEffect,
    AlphaTestEffect,
    DualTextureEffect,
    EnvironmentMapEffect,
    EffectMaterial,
    Texture2d,
    /// By the names of its type and of the types it is made of.
    Other {
        name: String,
        arguments: Vec<String>,
    },
}

impl Kind {
    /// The kinds of the framework that have a name of their own.
    const NAMED: [(Self, &'static str); 12] = [
        (Self::Model, "ModelReader"),
        (Self::String, "StringReader"),
        (Self::VertexBuffer, "VertexBufferReader"),
        (Self::VertexDeclaration, "VertexDeclarationReader"),
        (Self::IndexBuffer, "IndexBufferReader"),
        (Self::SkinnedEffect, "SkinnedEffectReader"),
        (Self::BasicEffect, "BasicEffectReader"),
        (Self::AlphaTestEffect, "AlphaTestEffectReader"),
        (Self::DualTextureEffect, "DualTextureEffectReader"),
        (Self::EnvironmentMapEffect, "EnvironmentMapEffectReader"),
        (Self::EffectMaterial, "EffectMaterialReader"),
        (Self::Texture2d, "Texture2DReader"),
    ];

    pub fn of(name: &str) -> Self {
        let (bare, arguments) = parse(name);
        let own = bare.strip_prefix(CONTENT).and_then(|rest| rest.strip_prefix('.'));
        let named = own.and_then(|own| Self::NAMED.into_iter().find(|(_, name)| *name == own));
        named.map_or(Self::Other { name: bare, arguments }, |(kind, _)| kind)
    }

    /// The name of XNA 4 in full: MonoGame and FNA both find their reader by it.
    fn full_name(&self) -> Option<String> {
        let (_, name) = Self::NAMED.into_iter().find(|(kind, _)| kind == self)?;
        let assembly = if *self == Self::String { "" } else { ".Graphics" };
        Some(format!("{CONTENT}.{name}, Microsoft.Xna.Framework{assembly}, {VERSION}"))
    }
}

/// The name of a type without its assembly, and of the types it is made of: `A.List``1[[B, C]], D` is `A.List``1` of `B`.
pub(crate) fn parse(name: &str) -> (String, Vec<String>) {
    let end = name.find(['[', ',']).unwrap_or(name.len());
    let (bare, rest) = name.split_at(end);
    let mut arguments = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, letter) in rest.char_indices() {
        match letter {
            '[' => {
                depth += 1;
                if depth == 2 {
                    start = at + 1;
                }
            }
            ']' => {
                if depth == 2 {
                    arguments.extend(rest.get(start..at).map(str::to_owned));
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        if depth == 0 && at > 0 {
            break;
        }
    }
    (bare.trim().to_owned(), arguments)
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reader {
    pub name: String,
    pub kind: Kind,
}

/// The table of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Readers {
    pub rows: Vec<Reader>,
}

impl Readers {
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        let count = cursor.packed("the number of readers")? as usize;
        let rows = cursor.items(count, &Item { what: "the readers", least: 6 }, |cursor| {
            let name = cursor.string("the name of a reader")?;
            cursor.i32("the version of a reader")?;
            // The parsed name is kept beside the whole one.
            cursor.spend(name.len() as u64)?;
            Ok(Reader { kind: Kind::of(&name), name })
        })?;
        Ok(Self { rows })
    }

    /// The reader of the object that begins here; none for a null.
    pub fn next(&self, cursor: &mut Cursor<'_>, what: &'static str) -> Result<Option<&Reader>, XnbError> {
        let id = cursor.packed(what)? as usize;
        let Some(index) = id.checked_sub(1) else { return Ok(None) };
        let missing =
            || cursor.wrong(format!("{what} has reader {index}, and there are {}", self.rows.len()));
        self.rows.get(index).map(Some).ok_or_else(missing)
    }

    /// A string as an object; a null is empty.
    pub fn string(&self, cursor: &mut Cursor<'_>, what: &'static str) -> Result<String, XnbError> {
        match self.next(cursor, what)? {
            None => Ok(String::new()),
            Some(Reader { kind: Kind::String, .. }) => cursor.string(what),
            Some(other) => {
                let found = format!("an object of `{}`", other.name);
                Err(cursor.fail(Cause::WrongObject { found, wanted: what }))
            }
        }
    }

    /// The table of a file that is written: readers of the framework, and one of the game.
    pub fn of(kinds: &[Kind], game: Option<&str>) -> Self {
        let named =
            kinds.iter().filter_map(|kind| Some(Reader { name: kind.full_name()?, kind: kind.clone() }));
        let game = game.map(|name| Reader { name: name.to_owned(), kind: Kind::of(name) });
        Self { rows: named.chain(game).collect() }
    }

    pub fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        output.packed_count("readers", self.rows.len())?;
        for reader in &self.rows {
            output.string(&reader.name)?;
            output.i32(0);
        }
        Ok(())
    }

    /// What an object begins with.
    pub fn put(&self, output: &mut Output, kind: &Kind) -> Result<(), XnbError> {
        let index = self.rows.iter().position(|reader| reader.kind == *kind);
        // A file is written with the table of what it holds.
        let index = index.ok_or_else(|| crate::error::invalid(format!("no reader for {kind:?}")))?;
        output.packed_count("readers", index + 1)
    }

    pub fn put_string(&self, output: &mut Output, text: &str) -> Result<(), XnbError> {
        self.put(output, &Kind::String)?;
        output.string(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let list = "Microsoft.Xna.Framework.Content.DictionaryReader`2[[System.String, mscorlib, Version=4.0.0.0],[System.Collections.Generic.List`1[[Game.Key, Game]], mscorlib]]";
        let (name, arguments) = parse(list);
        assert_eq!(name, "Microsoft.Xna.Framework.Content.DictionaryReader`2");
        assert_eq!(
            arguments,
            [
                "System.String, mscorlib, Version=4.0.0.0",
                "System.Collections.Generic.List`1[[Game.Key, Game]], mscorlib"
            ]
        );
        assert_eq!(parse("A.B, C, D=1"), ("A.B".to_owned(), vec![]));
        assert_eq!(parse("A[[B]], X[[Y]]").1, ["B"]);
        assert_eq!(parse("[[[]"), (String::new(), vec![]));
    }

    #[test]
    fn both_spellings_are_known() {
        assert_eq!(Kind::of("Microsoft.Xna.Framework.Content.ModelReader"), Kind::Model);
        assert_eq!(Kind::of(&Kind::Model.full_name().unwrap()), Kind::Model);
        assert_ne!(Kind::of("Game.ModelReader, Game"), Kind::Model);
    }
}
