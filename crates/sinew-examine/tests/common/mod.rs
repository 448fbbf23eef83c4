//! Fixtures of the testkit, read by the importer.

#![allow(unreachable_pub, reason = "a module of tests has nobody to hide from")]

use sinew_import::Source;
use sinew_import::{Imported, Options, import_bytes};
use sinew_testkit::fixtures::{CHARACTER, CLIP, Fixture};
use std::path::Path;

/// A character and its clip file.
pub struct Pair {
    pub character: Imported,
    pub clip: Imported,
}

pub fn read(name: &str, bytes: &[u8]) -> Imported {
    match import_bytes(bytes, Path::new(name), &Options::default()) {
        Ok(imported) => imported,
        Err(error) => panic!("{error}"),
    }
}

impl Pair {
    pub fn of(fixture: &Fixture) -> Self {
        Self { character: read(CHARACTER, fixture.file(CHARACTER)), clip: read(CLIP, fixture.file(CLIP)) }
    }

    pub fn sources(&self) -> (Source<'_>, Source<'_>) {
        (Source::new(CHARACTER, &self.character), Source::new(CLIP, &self.clip))
    }
}
