//! Which files an asset may refer to.

use crate::Files;
use std::path::{Component, Path, PathBuf};

/// Which files one asset may refer to: those in its own folder and in folders that the user names.
#[derive(Clone, Debug)]
pub struct Access {
    folder: PathBuf,
    further: Vec<PathBuf>,
    allow_outside: bool,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// No file.
    Missing,
    /// A file that may be read.
    Inside,
    /// A file outside of the folders, by its path or through a link: it must not be read.
    Outside,
}

impl Access {
    /// What the asset at `path` may refer to.
    pub fn of_asset(path: &Path, further: &[PathBuf], allow_outside: bool) -> Self {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self { folder, further: further.to_vec(), allow_outside }
    }

    /// Folder of the asset.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All folders, the asset's own first.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.folder).chain(&self.further).map(PathBuf::as_path)
    }

    /// Whether files outside may be read, too.
    pub fn allows_outside(&self) -> bool {
        self.allow_outside
    }

    /// A reference as a path below the asset's folder; `None` if it is empty or leads out.
    pub fn path(&self, reference: &str) -> Option<PathBuf> {
        let reference = clean(reference);
        if !self.allow_outside && leads_out(&reference) {
            return None;
        }
        // `a/../b` is `b`: `a` need not exist.
        let mut path = PathBuf::new();
        for part in reference.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir
                    if matches!(path.components().next_back(), Some(Component::Normal(_))) =>
                {
                    path.pop();
                }
                other => path.push(other),
            }
        }
        (!path.as_os_str().is_empty()).then(|| self.folder.join(path))
    }

    /// What a path leads to, with links followed.
    pub fn place(&self, files: &dyn Files, path: &Path) -> Place {
        if !files.is_file(path) {
            return Place::Missing;
        }
        if self.allow_outside { Place::Inside } else { self.by_links(files, path) }
    }

    fn by_links(&self, files: &dyn Files, path: &Path) -> Place {
        let Ok(file) = files.resolve(path) else { return Place::Outside };
        let inside = self.folders().any(|folder| {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            files.resolve(folder).is_ok_and(|folder| file.starts_with(folder))
        });
        if inside { Place::Inside } else { Place::Outside }
    }
}

/// A reference as a path: no URL, forward slashes, no leading `./`.
pub fn clean(reference: &str) -> PathBuf {
    let reference = reference.trim();
    let (reference, is_url) = match reference.strip_prefix("file://") {
        Some(rest) => (rest, true),
        None => (reference, false),
    };
    let decoded = slashes(&percent_decoded(reference));
    let mut path = decoded.as_str();
    // file:///C:/x is how a URL spells a drive.
    if is_url && path.get(2..3) == Some(":") {
        path = path.trim_start_matches('/');
    }
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    PathBuf::from(path)
}

/// A path with forward slashes, on every system.
pub fn slashes(path: &str) -> String {
    path.replace('\\', "/")
}

fn percent_decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok());
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()).filter(|_| byte == b'%') {
            Some(value) => {
                out.push(value);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Whether a path is absolute, names a drive, or climbs above where it starts.
pub fn leads_out(path: &Path) -> bool {
    let mut depth = 0i64;
    path.components().any(|component| {
        match component {
            Component::ParentDir => depth -= 1,
            // On other systems a drive is a name with a colon.
            Component::Normal(name) if is_drive(Path::new(name)) => return true,
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return true,
        }
        depth < 0
    })
}

/// Whether a path begins with a drive letter, also of another system.
pub fn is_drive(path: &Path) -> bool {
    matches!(path.as_os_str().as_encoded_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Disk, Memory};

    #[test]
    fn references_stay_in_the_folder() {
        let access = Access::of_asset(Path::new("hero/manifest.json"), &[], false);
        assert_eq!(access.path("clips\\a\\b.dae"), Some(PathBuf::from("hero/clips/a/b.dae")));
        assert_eq!(access.path("./clips/../my%20model.dae"), Some(PathBuf::from("hero/my model.dae")));
        assert_eq!(access.path("100%.bin"), Some(PathBuf::from("hero/100%.bin")));
        for outside in [
            "../model.dae",
            "clips/../../x",
            "/etc/passwd",
            "C:\\x\\model.dae",
            "\\\\host\\x",
            "file:///etc/passwd",
            "a/C:/x",
            "%2e%2e/x",
            "",
            ".",
        ] {
            assert_eq!(access.path(outside), None, "{outside}");
        }
        let access = Access::of_asset(Path::new("hero/manifest.json"), &[], true);
        assert_eq!(access.path("../model.dae"), Some(PathBuf::from("hero/../model.dae")));
        assert_eq!(access.path("/etc/x"), Some(PathBuf::from("/etc/x")));
    }

    #[test]
    fn further_folders_are_inside() {
        let files = Memory::default().with("hero/a", "").with("art/b", "").with("c", "");
        let access = Access::of_asset(Path::new("hero/hero.fbx"), &["art".into()], false);
        let place = |path: &str| access.place(&files, Path::new(path));
        assert_eq!(["hero/a", "art/b", "hero/../c", "d"].map(place), {
            use Place::*;
            [Inside, Inside, Outside, Missing]
        });
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        std::fs::create_dir(file("hero")).unwrap();
        std::fs::write(file("secret"), "x").unwrap();
        std::os::unix::fs::symlink(file("secret"), file("hero/link")).unwrap();
        std::os::unix::fs::symlink(folder.path(), file("hero/up")).unwrap();
        let access = Access::of_asset(&file("hero/a.gltf"), &[], false);
        assert_eq!(access.place(&Disk, &file("hero/link")), Place::Outside);
        assert_eq!(access.place(&Disk, &file("hero/up/secret")), Place::Outside);
    }
}
