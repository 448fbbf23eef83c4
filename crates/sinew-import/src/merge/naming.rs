//! Unique names of merged clips. Generic takes (`mixamo.com`) were named after their files by the importer.

use std::collections::HashSet;

/// The names in use.
#[derive(Debug, Default)]
pub struct UniqueNames {
    taken: HashSet<String>,
}

impl UniqueNames {
    /// A name for a clip of a file that holds `count` clips: its own, or the file's where that is taken, with a number appended
    /// if that is taken, too.
    pub fn give(&mut self, own: &str, file: &str, count: usize) -> String {
        match (self.is_taken(own), count) {
            (false, _) => self.keep(own),
            (true, 1) => self.keep(stem(file)),
            (true, _) => self.keep(&format!("{}.{own}", stem(file))),
        }
    }

    /// The name itself, with a number appended if it is taken.
    pub fn keep(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|n| format!("{wanted} ({n})"));
        let free = std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !self.is_taken(name));
        // The iterator is infinite, so a free name is always found.
        let name = free.unwrap_or_else(|| wanted.to_owned());
        self.taken.insert(key(&name));
        name
    }

    fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(&key(name))
    }
}

/// Clips are found without regard to case, so names that differ in case only are one name.
fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// A file's name without folders and extension.
pub fn stem(file: &str) -> &str {
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
    fn no_name_is_given_twice() {
        let mut names = UniqueNames::default();
        assert_eq!(names.keep("idle"), "idle");
        assert_eq!(names.give("idle", "rest.fbx", 1), "rest");
        assert_eq!(names.give("IDLE", "pack.fbx", 3), "pack.IDLE");
        assert_eq!(names.give("idle", "pack.fbx", 3), "pack.idle (2)");
        assert_eq!(names.give("walk", "a/walk.fbx", 1), "walk");
        assert_eq!(names.give("walk", "b\\walk.fbx", 1), "walk (2)");
        assert_eq!(names.give("walk", "run.v2.fbx", 1), "run.v2");
        assert_eq!(names.give("walk", ".fbx", 1), ".fbx");
    }
}
