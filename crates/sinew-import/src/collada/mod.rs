//! COLLADA 1.4 and 1.5, plain or in a `.zae` archive.
//!
//! Three layers: `xml` is the document as a tree, `raw` mirrors what the format calls things, and everything else interprets:
//! nodes become joints, channels are [bound](RawClip) to the transforms they move, geometries become meshes.

mod address;
pub(crate) mod archive;
mod clip;
mod clip_nodes;
mod curve;
mod import;
mod joints;
mod material;
mod mesh;
mod motion;
mod raw;
mod scene;
mod skin;
mod stack;
mod text;
mod triangulate;
mod xml;

pub use clip::{Bound, RawClip};
pub use clip_nodes::ClipNodes;
pub(crate) use import::import;

/// Adds a finding; findings of one kind are reported once, with the first place and a count.
fn merge(findings: &mut Vec<sinew::Finding>, finding: sinew::Finding) {
    let same = |f: &&mut sinew::Finding| f.kind.id == finding.kind.id && f.message == finding.message;
    // Only among the first, so that a hostile file cannot make the search slow.
    match findings.iter_mut().take(256).find(same) {
        Some(earlier) => earlier.count += finding.count,
        None => findings.push(finding),
    }
}
