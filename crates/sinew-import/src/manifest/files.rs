//! Where the files of a manifest are.

use sinew_files::{Access, Files, Place, in_any_case};
use std::path::{Path, PathBuf};

/// The file of a reference, also where upper and lower case differ: manifests are often written where that does not matter.
pub(super) fn find(files: &dyn Files, access: &Access, reference: &str) -> Option<PathBuf> {
    let path = access.path(reference)?;
    let found = if files.is_file(&path) { path } else { in_any_case(files, access.folder(), &path)? };
    (access.place(files, &found) == Place::Inside).then_some(found)
}

/// A path below a folder as manifests write it.
pub(super) fn reference(folder: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(folder).unwrap_or(path).components();
    let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_files::Disk;

    #[test]
    fn case_does_not_matter_where_nothing_is_exact() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Clips")).unwrap();
        for file in ["Clips/Walk.DAE", "model.dae", "MODEL.dae"] {
            std::fs::write(folder.path().join(file), "x").unwrap();
        }
        let access = Access::of_asset(&folder.path().join("manifest.json"), &[], false);
        let find = |reference| find(&Disk, &access, reference).map(|p| super::reference(folder.path(), &p));
        assert_eq!(find("clips/walk.dae").as_deref(), Some("Clips/Walk.DAE"));
        assert_eq!(find("MODEL.dae").as_deref(), Some("MODEL.dae"));
        assert_eq!(find("clips/run.dae"), None);
        assert_eq!(find("clips"), None, "a folder is not a file");
    }
}
