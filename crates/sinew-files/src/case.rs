//! Names without regard to upper and lower case: what was written where case does not count is looked for where it does.

use crate::{Entry, Files};
use std::path::{Component, Path, PathBuf};

/// Names of entries that are the name of `path` if upper and lower case letters are the same, in their order.
pub(crate) fn same_names(entries: &[Entry], path: &Path) -> Vec<String> {
    let Some(wanted) = path.file_name().and_then(|name| name.to_str()).map(str::to_lowercase) else {
        return Vec::new();
    };
    let names = entries.iter().map(Entry::name);
    names.filter(|name| name.to_lowercase() == wanted).map(str::to_owned).collect()
}

/// The file below a folder that is at `path` if upper and lower case letters are the same; exact names go first.
pub fn in_any_case(files: &dyn Files, folder: &Path, path: &Path) -> Option<PathBuf> {
    let names: Option<Vec<&str>> = path
        .strip_prefix(folder)
        .ok()?
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    below(files, folder, &names?)
}

fn below(files: &dyn Files, at: &Path, names: &[&str]) -> Option<PathBuf> {
    let Some((name, rest)) = names.split_first() else {
        return files.is_file(at).then(|| at.to_owned());
    };
    let mut spellings = files.spellings(&at.join(name));
    spellings.sort_by_key(|spelling| spelling != name);
    spellings.iter().find_map(|spelling| below(files, &at.join(spelling), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn exact_names_go_first_and_a_file_is_no_folder() {
        let files = Memory::default()
            .with("art/Maps/Skin.PNG", "")
            .with("art/maps", "a file")
            .with("art/MODEL.dae", "")
            .with("art/model.dae", "")
            .with("art/Ärmel.png", "");
        let find = |path: &str| in_any_case(&files, Path::new("art"), &Path::new("art").join(path));
        let found = |path: &str| Some(Path::new("art").join(path));
        assert_eq!(find("maps/skin.png"), found("Maps/Skin.PNG"), "`maps` itself is a file");
        assert_eq!(find("model.dae"), found("model.dae"));
        assert_eq!(find("Model.dae"), found("MODEL.dae"));
        assert_eq!(find("ÄRMEL.PNG"), found("Ärmel.png"));
        assert_eq!(find("Maps"), found("maps"));
        assert_eq!(find("absent.png"), None);
        assert_eq!(find("../art/model.dae"), None, "a path that climbs");
        assert_eq!(in_any_case(&files, Path::new("other"), Path::new("art/model.dae")), None);
    }
}
