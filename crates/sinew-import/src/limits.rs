//! Bounds on what a file may ask for, so that a hostile one ends in an error and not in a stall.

use crate::Cause;
use std::io::Read;
use std::path::Path;

/// Upper bounds. The defaults are far above any real character; exceeding one is an error that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of the file.
    pub bytes: u64,
    /// Memory that an import may take, its result included.
    pub memory: u64,
    /// Nodes of the scene.
    pub nodes: u64,
    /// Joints of the skeleton.
    pub joints: u64,
    /// Vertices and triangle corners of all meshes together.
    pub vertices: u64,
    /// Keys of all clips together, in the source and in the result.
    pub keys: u64,
    /// Vertices times morph targets of all meshes together.
    pub morph_deltas: u64,
    /// Steps of work, of some nanoseconds each, where their number is a product of counts of the file: clips times joints, keys times
    /// transforms.
    pub steps: u64,
    /// Depth of the hierarchy; never more than [`Limits::MOST_DEPTH`].
    pub depth: u64,
    /// Pixels of one texture.
    pub texture_pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 1 << 30,
            memory: 400 << 20,
            nodes: 100_000,
            joints: 16_384,
            vertices: 20_000_000,
            keys: 10_000_000,
            morph_deltas: 100_000_000,
            steps: 2_000_000_000,
            depth: 512,
            texture_pixels: 1 << 28,
        }
    }
}

impl Limits {
    /// No bounds, for files that are trusted.
    pub const UNLIMITED: Self = Self {
        bytes: u64::MAX,
        memory: u64::MAX,
        nodes: u64::MAX,
        joints: u64::MAX,
        vertices: u64::MAX,
        keys: u64::MAX,
        morph_deltas: u64::MAX,
        steps: u64::MAX,
        depth: u64::MAX,
        texture_pixels: u64::MAX,
    };

    /// Names of the limits, as [`Limits::set`] takes them.
    pub const NAMES: [&'static str; 10] = [
        "bytes",
        "memory",
        "nodes",
        "joints",
        "vertices",
        "keys",
        "morph_deltas",
        "steps",
        "depth",
        "texture_pixels",
    ];

    /// Readers walk hierarchies by recursion: whatever [`Limits::depth`] says, they go no deeper than this, for which every thread has room.
    pub const MOST_DEPTH: u64 = 1024;

    /// The depth that hierarchies may have.
    pub fn allowed_depth(&self) -> u64 {
        self.depth.min(Self::MOST_DEPTH)
    }

    /// Sets a limit by its name; an unknown name is answered with those there are.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), &'static [&'static str]> {
        let field = match name {
            "bytes" => &mut self.bytes,
            "memory" => &mut self.memory,
            "nodes" => &mut self.nodes,
            "joints" => &mut self.joints,
            "vertices" => &mut self.vertices,
            "keys" => &mut self.keys,
            "morph_deltas" => &mut self.morph_deltas,
            "steps" => &mut self.steps,
            "depth" => &mut self.depth,
            "texture_pixels" => &mut self.texture_pixels,
            _ => return Err(&Self::NAMES),
        };
        *field = value;
        Ok(())
    }
}

/// An error that names the limit if `found` is above it.
pub fn check(name: &'static str, found: u64, limit: u64) -> Result<(), Cause> {
    if found > limit { Err(Cause::Limit { name, found: Some(found), limit }) } else { Ok(()) }
}

/// Reads a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Cause> {
    let file = std::fs::File::open(path)?;
    // The length is only a hint: what lies behind the path may be a pipe, or grow.
    let length = file.metadata()?.len();
    check("bytes", length, limit)?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    check("bytes", bytes.len() as u64, limit)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_set_by_name() {
        let mut limits = Limits::UNLIMITED;
        for name in Limits::NAMES {
            assert_eq!(limits.set(name, 7), Ok(()));
        }
        assert_eq!(limits.texture_pixels, 7);
        assert!(limits.set("bones", 7).is_err());
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert!(check("keys", 5, 5).is_ok());
        let error = check("keys", 6, 5).unwrap_err();
        assert!(error.to_string().contains("`keys`: 6 where 5"), "{error}");
    }
}
