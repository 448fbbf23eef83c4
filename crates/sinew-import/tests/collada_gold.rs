//! Every COLLADA file of the corpus that has gold, against it.

mod common;

use common::Bars;

/// Names of the nodes on which a camera or light stands.
fn cameras_and_lights(text: &str) -> Vec<String> {
    let nodes = text.split("<node").skip(1);
    let with = nodes.filter(|n| {
        let own = n.split("</node>").next().unwrap_or_default();
        own.contains("<instance_camera") || own.contains("<instance_light")
    });
    let name = |n: &str| {
        let tag = n.split('>').next()?;
        ["name=\"", "id=\""]
            .iter()
            .find_map(|key| tag.split_once(key)?.1.split('"').next().map(str::to_owned))
    };
    with.filter_map(name).collect()
}

#[test]
fn every_file_agrees_with_gold() {
    let Some(corpus) = common::corpus("collada_gold::every_file_agrees_with_gold") else { return };
    let rows = common::rows(&corpus, "dae_", |entry, imported| {
        let text = std::fs::read_to_string(&entry.path).expect("these files are UTF-8");
        let ignored = cameras_and_lights(&text);
        Some(common::compare(&entry.file, &entry.gold(&corpus), imported, &ignored))
    });
    assert!(rows.len() >= 21, "the corpus has shrunk to {} files", rows.len());
    common::conclude("COLLADA", &rows, Bars { joint: 5e-5, vertex: 1e-4 }, &[]);
}
