//! Names of files that are written beside another.

use std::collections::HashSet;

/// Paths in a folder, each given once.
pub(crate) struct Names {
    folder: String,
    /// In lower case: some file systems do not tell case apart.
    taken: HashSet<String>,
}

impl Names {
    pub fn new(folder: &str) -> Self {
        Self { folder: folder.to_owned(), taken: HashSet::new() }
    }

    /// A path for something of that name: what file systems do not allow becomes `_`.
    pub fn unique(&mut self, name: &str) -> String {
        let bad = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
        let name: String = name.chars().map(|c| if bad(c) { '_' } else { c }).collect();
        let name = name.trim_matches([' ', '.']);
        let name = if name.is_empty() { "unnamed" } else { name };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        // The numbers never end.
        let free = candidates.find(|name| self.taken.insert(name.to_lowercase())).unwrap_or_default();
        format!("{}/{free}", self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_differ() {
        let mut names = Names::new("hero/clips");
        assert_eq!(names.unique("Walk"), "hero/clips/Walk");
        assert_eq!(names.unique("walk"), "hero/clips/walk_2");
        assert_eq!(names.unique("Armature|走る"), "hero/clips/Armature_走る");
        assert_eq!(names.unique("../up"), "hero/clips/_up");
        assert_eq!(names.unique(""), "hero/clips/unnamed");
    }
}
