//! Names of merged clips.
//!
//! Many exporters call every take the same: what such a clip is, only its file's name tells.

use std::collections::HashSet;

/// Take names that say nothing, in lower case.
const SAYING_NOTHING: [&str; 7] =
    ["", "mixamo.com", "unreal take", "default", "default take", "animation", "scene"];

/// The names that were given so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A name for a clip of a file that holds `count` clips: its own, or the file's where its own says nothing or is
    /// taken, with a number behind it if even that is taken.
    pub(super) fn give(&mut self, own: &str, file: &str, count: usize) -> String {
        let stem = stem(file);
        let wanted = if says_nothing(own) {
            stem.to_owned()
        } else if self.is_taken(own) && count == 1 {
            stem.to_owned()
        } else if self.is_taken(own) {
            format!("{stem}.{own}")
        } else {
            own.to_owned()
        };
        self.keep(&wanted)
    }

    /// The name itself, with a number behind it if it is taken.
    pub(super) fn keep(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|n| format!("{wanted} ({n})"));
        let free = std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !self.is_taken(name));
        // The chain has no end, so a free name is always found.
        let name = free.unwrap_or_else(|| wanted.to_owned());
        self.taken.insert(key(&name));
        name
    }

    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(&key(name))
    }
}

/// Clips are found without regard to case, so names that differ in case only are one name.
fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Whether a take's name says nothing about the clip: `mixamo.com`, `Take 001`, `Armature|mixamo.com|Layer0`.
fn says_nothing(name: &str) -> bool {
    let name = key(name);
    let mut parts =
        name.split('|').filter(|part| !matches!(*part, "armature" | "layer0" | "baselayer" | "base layer"));
    parts.all(|part| {
        let numbered = part.strip_prefix("take").map(|n| n.trim_start_matches([' ', '_']));
        SAYING_NOTHING.contains(&part) || numbered.is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()))
    })
}

/// A file's name without folders and extension.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_name_the_clips_that_their_takes_do_not() {
        for name in ["mixamo.com", "Take 001", "take", "Armature|mixamo.com|Layer0", "", "Unreal Take"] {
            assert!(says_nothing(name), "{name}");
        }
        for name in ["walk", "Armature|walk", "Taken", "Take the sword"] {
            assert!(!says_nothing(name), "{name}");
        }
        let mut names = Names::default();
        assert_eq!(names.give("mixamo.com", "moves/Walk.fbx", 1), "Walk");
        assert_eq!(names.give("mixamo.com", "moves\\run.v2.fbx", 1), "run.v2");
        assert_eq!(names.give("jump", "other.fbx", 1), "jump");
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names = Names::default();
        assert_eq!(names.keep("idle"), "idle");
        assert_eq!(names.give("idle", "rest.fbx", 1), "rest");
        assert_eq!(names.give("IDLE", "pack.fbx", 3), "pack.IDLE");
        assert_eq!(names.give("idle", "pack.fbx", 3), "pack.idle (2)");
        assert_eq!(names.give("mixamo.com", "a/walk.fbx", 1), "walk");
        assert_eq!(names.give("mixamo.com", "b/walk.fbx", 1), "walk (2)");
    }
}
