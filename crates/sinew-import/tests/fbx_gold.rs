//! Every FBX of the corpus against what ufbx' own evaluation recorded about it.

mod common;

use common::{Bars, Tolerated, compare, conclude, corpus, entries};
use sinew_import::{InfluenceLimit, Options, SpaceMode, import};

const BARS: Bars = Bars { joint: 1e-4, vertex: 1e-4 };

fn options() -> Options {
    Options { space: SpaceMode::Keep, influences: InfluenceLimit::Eight, ..Options::default() }
}

#[test]
fn joints_and_vertices_are_where_gold_has_them() {
    let Some(corpus) = corpus("joints_and_vertices_are_where_gold_has_them") else { return };
    let mut rows = Vec::new();
    for entry in entries(&corpus, "fbx_") {
        let imported = import(&entry.path, &options()).unwrap_or_else(|e| panic!("{e}"));
        let gold = entry.gold(&corpus);
        rows.push(compare(&entry.file, &gold, &imported.character, &[]));
    }
    conclude("FBX", &rows, BARS, &TOLERATED);
}

static TOLERATED: [Tolerated; 0] = [];
