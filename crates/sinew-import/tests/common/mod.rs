//! The gold harness: compares a [`sinew::Character`] with what other programs recorded about the same file.
//!
//! Import with the source's own space and eight influences, then [`compare`] gives one [`Row`]; [`conclude`] prints the
//! table of a format, holds every row to its bars and keeps the section of `docs/accuracy.md` that is the format's.

#![allow(dead_code, reason = "each test binary uses its own part of the harness")]
#![allow(unreachable_pub, reason = "modules of tests have no public interface")]
#![allow(clippy::print_stdout, reason = "tables and skip notes are for whoever runs the tests")]

mod compare;
pub mod dae;
pub mod doc;
mod gold;
mod nodes;
mod page;

#[allow(unused_imports, reason = "each test binary uses its own part of the harness")]
pub use self::{
    compare::{Row, compare, diagonal, joint_error},
    gold::{Entry, Gold, entries},
    nodes::match_nodes,
    page::{Bars, Tolerated, conclude},
};

use sinew_import::{Imported, InfluenceLimit, Options, SpaceMode, import};
use std::path::{Path, PathBuf};

/// The folder of real files, or `None` with a visible note if this machine has none.
pub fn corpus(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty());
    if folder.is_none() {
        println!("SINEW-SKIP: {test}: corpus not set");
    }
    folder.map(PathBuf::from)
}

/// As gold is recorded: the file's own space, as many influences as there can be.
pub fn options() -> Options {
    Options::default().with(|options| {
        options.space = SpaceMode::Keep;
        options.influences = InfluenceLimit::Eight;
    })
}

/// Imports every file with gold whose id begins with `prefix`, and makes a row of each for which `row` does.
pub fn rows(corpus: &Path, prefix: &str, row: impl Fn(&Entry, &Imported) -> Option<Row>) -> Vec<Row> {
    let entries = entries(corpus, prefix);
    let rows = entries.iter().filter_map(|entry| {
        row(entry, &import(&entry.path, &options()).unwrap_or_else(|error| panic!("{error}")))
    });
    rows.collect()
}
