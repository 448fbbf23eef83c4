//! COLLADA 1.4 and 1.5, plain or in a `.zae` archive.
//!
//! Three layers: `xml` is the document as a tree, `raw` mirrors what the format calls things, and everything else interprets:
//! nodes become joints, channels are [bound](RawClip) to the transforms they move, geometries become meshes.

mod address;
mod archive;
mod clip;
mod curve;
mod euler;
mod import;
mod joints;
mod material;
mod mesh;
mod motion;
mod number;
mod raw;
mod scene;
mod skin;
mod stack;
mod clip_nodes;
mod text;
mod triangulate;
mod xml;

pub use clip::{Bound, RawClip};
pub(crate) use import::import;
pub use clip_nodes::ClipNodes;

/// Adds a finding; what many things of a file have in common is reported once, with the first place and a count.
fn merge(findings: &mut Vec<sinew::Finding>, finding: sinew::Finding) {
    let same = |f: &&mut sinew::Finding| f.kind.id == finding.kind.id && f.message == finding.message;
    // Only among the first: a hostile file must not make looking for them slow.
    match findings.iter_mut().take(256).find(same) {
        Some(earlier) => earlier.count += finding.count,
        None => findings.push(finding),
    }
}
