//! Every BVH file of the corpus against what another evaluator recorded about its frames.

mod common;

use common::Bars;

#[test]
fn every_file_agrees_with_gold() {
    let Some(corpus) = common::corpus("bvh_gold::every_file_agrees_with_gold") else { return };
    let rows = common::rows(&corpus, "bvh_", |entry, imported| {
        Some(common::compare(&entry.file, &entry.gold(&corpus), imported, &[]))
    });
    assert!(rows.len() >= 12, "the corpus has shrunk to {} files", rows.len());
    common::conclude("BVH", &rows, Bars { joint: 1e-5, vertex: f64::INFINITY }, &[]);
}
