//! Finds the picture files that materials refer to, and repaints those that mean something else here.

mod bump;
mod repaint;

pub(crate) use bump::{BumpKind, NormalMaps};
pub(crate) use repaint::{drop_unused, embedded};

use crate::{Cause, Limits, Options, findings, limits};
use sinew::{Finding, Image};
use sinew_files::{
    Access, Content, Files, Pictures, Place, Recorder, clean, in_any_case, is_drive, leads_out,
};
use std::path::{Path, PathBuf};

/// Bytes of a decoded pixel.
const PIXEL_BYTES: u64 = 4;

/// Looks for the pictures of one asset.
#[derive(Debug)]
pub(crate) struct Lookup<'a> {
    /// Folders that references may lead to.
    access: Access,
    /// Subfolders of them in which exporters put pictures.
    subfolders: Vec<PathBuf>,
    files: Pictures<'a>,
    limits: &'a Limits,
}

impl<'a> Lookup<'a> {
    /// A lookup for the asset at `path`.
    pub(crate) fn new(path: &Path, files: &'a Recorder, options: &'a Options) -> Self {
        let access = Access::of_asset(path, &options.textures, options.outside_textures);
        let mut subfolders = vec![PathBuf::from("textures"), PathBuf::from("Textures")];
        if let Some(stem) = path.file_stem() {
            let mut media = stem.to_owned();
            media.push(".fbm");
            subfolders.push(media.into());
        }
        Self { access, subfolders, files: files.pictures(), limits: &options.limits }
    }

    /// The bytes of a picture that was found.
    pub(crate) fn read(&self, file: &Path) -> Result<Content, Cause> {
        self.files.read(file, self.limits.bytes).map_err(|error| Cause::beside(file, error))
    }

    /// Pixels that a texture may have.
    pub(crate) fn texture_pixels(&self) -> u64 {
        self.limits.texture_pixels
    }

    /// Checks a picture inside the source file; `place` names the texture or its material for findings.
    pub(crate) fn embedded(
        &self,
        bytes: &[u8],
        place: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<Image, Cause> {
        self.check(bytes, "the picture in the file", place, findings)?;
        Ok(Image::Embedded(bytes.to_vec().into()))
    }

    /// Looks for a picture by what the source wrote, the most specific reference first; `place` names the material for findings.
    pub(crate) fn find(
        &self,
        references: &[&str],
        place: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<Image, Cause> {
        let image = self.locate(references, place, findings)?;
        if let Image::File(path) = &image {
            // The whole file is read, since writers embed it.
            self.check(&self.read(path)?, &format!("`{}`", path.display()), place, findings)?;
        }
        Ok(image)
    }

    /// Like [`Lookup::find`] for any file, which need not be a picture.
    pub(crate) fn locate(
        &self,
        references: &[&str],
        place: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<Image, Cause> {
        let references: Vec<PathBuf> =
            references.iter().map(|r| clean(r)).filter(|r| !r.as_os_str().is_empty()).collect();
        let mut looked = Vec::new();
        let mut outside = None;
        for candidate in self.candidates(&references) {
            if looked.contains(&candidate) {
                continue;
            }
            match self.access.place(&self.files, &candidate) {
                Place::Inside => return Ok(Image::File(candidate)),
                Place::Outside => {
                    outside.get_or_insert_with(|| candidate.clone());
                }
                Place::Missing => {}
            }
            looked.push(candidate);
        }
        let reference = references.first().map(|r| r.display().to_string()).unwrap_or_default();
        if let Some(path) = self.in_any_case(&looked) {
            let message = format!("refers to `{reference}`; `{}` was taken", path.display());
            findings.push(Finding::new(&findings::TEXTURE_CASE, place, message));
            return Ok(Image::File(path));
        }
        // A relative path that climbs out is suspicious even if nothing lies there.
        let climbs = references.iter().find(|r| r.is_relative() && !is_drive(r) && leads_out(r));
        let finding = match outside.or_else(|| climbs.cloned()) {
            Some(path) if !self.access.allows_outside() => {
                let message =
                    format!("refers to `{reference}`; `{}` lies outside and was refused", path.display());
                Finding::new(&findings::TEXTURE_OUTSIDE, place, message)
            }
            _ => {
                let message = match looked.iter().find(|path| self.is_irregular(path)) {
                    Some(path) => {
                        format!("refers to `{reference}`; `{}` is not a regular file", path.display())
                    }
                    None => {
                        let places: Vec<_> = looked.iter().map(|p| p.display().to_string()).collect();
                        format!("refers to `{reference}`, looked for as {}", places.join(", "))
                    }
                };
                Finding::new(&findings::TEXTURE_MISSING, place, message)
            }
        };
        findings.push(finding);
        Ok(Image::Missing)
    }

    /// Whether there is something in a folder of the asset that is no file: a folder, a FIFO, a device. It is not opened.
    fn is_irregular(&self, path: &Path) -> bool {
        let below = |folder: &Path| path.strip_prefix(folder).is_ok_and(|rest| !leads_out(rest));
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // A link that leads nowhere has a name, too, and files in memory resolve whether they are there or not.
        self.access.folders().any(below)
            && self.files.resolve(path).is_ok()
            && self.files.spellings(path).iter().any(|spelling| spelling == name)
    }

    /// The first place at which there is a picture if upper and lower case letters are the same.
    fn in_any_case(&self, places: &[PathBuf]) -> Option<PathBuf> {
        let spelled = |place: &PathBuf| {
            let folder = self.access.folders().find(|folder| place.starts_with(folder))?;
            in_any_case(&self.files, folder, place)
        };
        let inside = |path: &PathBuf| self.access.place(&self.files, path) == Place::Inside;
        places.iter().filter_map(spelled).find(inside)
    }

    /// All places in the order in which they are tried.
    fn candidates(&self, references: &[PathBuf]) -> Vec<PathBuf> {
        let mut out = Vec::new();
        let folders = || self.access.folders();
        for reference in references {
            if reference.is_absolute() {
                out.push(reference.clone());
            } else if !is_drive(reference) {
                out.extend(folders().map(|folder| folder.join(reference)));
            }
        }
        let mut names = Vec::new();
        for name in references.iter().filter_map(|r| r.file_name()?.to_str()) {
            for name in spellings(name) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        for name in &names {
            for folder in folders() {
                out.push(folder.join(name));
                out.extend(self.subfolders.iter().map(|sub| folder.join(sub).join(name)));
            }
        }
        out
    }

    /// Refuses a picture that breaks the limits and reports one that is not whole.
    pub(crate) fn check(
        &self,
        bytes: &[u8],
        picture: &str,
        place: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Cause> {
        self.check_size(bytes)?;
        if let Err(reason) = sinew_image::check(bytes) {
            let message = format!("{picture} cannot be decoded: {reason}");
            findings.push(Finding::new(&findings::TEXTURE_DAMAGED, place, message));
        }
        Ok(())
    }

    /// A picture must be one that can be decoded within the memory that an import may take, though few are decoded by it.
    fn check_size(&self, bytes: &[u8]) -> Result<(), Cause> {
        let Some([width, height]) = sinew_image::size(bytes) else { return Ok(()) };
        let pixels = u64::from(width) * u64::from(height);
        limits::check("texture_pixels", pixels, self.limits.texture_pixels)?;
        limits::check("memory", pixels.saturating_mul(PIXEL_BYTES), self.limits.memory)
    }
}

/// Spellings of a name that exporters leave behind: `x.tga` as `x.tga.png`, or a reference `x_id` to `x`.
fn spellings(name: &str) -> Vec<String> {
    let mut out = vec![name.to_owned()];
    let base = name.strip_suffix("_id").or_else(|| name.strip_suffix("-image"));
    out.extend(base.map(str::to_owned));
    for spelling in out.clone() {
        if !spelling.to_ascii_lowercase().ends_with(".png") {
            out.push(format!("{spelling}.png"));
        }
        if let Some((stem, extension)) = spelling.rsplit_once('.')
            && let Some(stem) = stem.strip_suffix("_id")
        {
            out.push(format!("{stem}.{extension}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_files::Disk;
    use sinew_testkit::pictures;
    use std::sync::Arc;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new(files: &[&str]) -> Self {
            let folder = Self(tempfile::tempdir().unwrap());
            for file in files {
                let path = folder.path(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, sinew_testkit::png::encode(1, 1, |_, _| [0; 3])).unwrap();
            }
            std::fs::create_dir_all(folder.path("asset")).unwrap();
            folder
        }
        fn path(&self, file: &str) -> PathBuf {
            self.0.path().join(file)
        }
        fn find(&self, options: &Options, references: &[&str]) -> (Option<String>, Vec<&'static str>) {
            let mut findings = Vec::new();
            let asset = self.path("asset/hero.fbx");
            let files = Recorder::new(Arc::new(Disk));
            let lookup = Lookup::new(&asset, &files, options);
            let image = lookup.find(references, "material", &mut findings).unwrap();
            let found = match image {
                Image::File(path) => {
                    Some(path.strip_prefix(self.0.path()).unwrap().to_string_lossy().into_owned())
                }
                _ => None,
            };
            (found, findings.iter().map(Finding::id).collect())
        }
    }

    #[test]
    fn pictures_are_found_where_exporters_put_them() {
        let folder = Folder::new(&[
            "asset/a.png",
            "asset/textures/b.png",
            "asset/c.tga.png",
            "asset/hero.fbm/d.png",
            "asset/sub/e f.png",
            "asset/g.png",
            "more/h.png",
        ]);
        let mut options = Options::default();
        let found = |options: &Options, reference: &str| folder.find(options, &[reference]).0;
        assert_eq!(found(&options, "C:\\art\\a.png").as_deref(), Some("asset/a.png"));
        assert_eq!(found(&options, "b.png").as_deref(), Some("asset/textures/b.png"));
        assert_eq!(found(&options, "c.tga").as_deref(), Some("asset/c.tga.png"));
        assert_eq!(found(&options, "d.png").as_deref(), Some("asset/hero.fbm/d.png"));
        assert_eq!(found(&options, "./sub\\e%20f.png").as_deref(), Some("asset/sub/e f.png"));
        assert_eq!(found(&options, "g_id.png").as_deref(), Some("asset/g.png"));
        assert_eq!(folder.find(&options, &["h.png"]), (None, vec!["texture.missing"]));
        options.textures.push(folder.path("more"));
        assert_eq!(found(&options, "file:///C:/x/h.png").as_deref(), Some("more/h.png"));
    }

    #[test]
    fn names_that_differ_in_case_are_found_with_a_note() {
        let folder =
            Folder::new(&["asset/Skin.PNG", "asset/Maps/Cloth.png", "asset/both.png", "asset/Both.png"]);
        let options = Options::default();
        let find = |reference: &str| folder.find(&options, &[reference]);
        let case = |found: &str| (Some(found.to_owned()), vec!["texture.case"]);
        assert_eq!(find("skin.png"), case("asset/Skin.PNG"));
        assert_eq!(find("C:\\art\\SKIN.png"), case("asset/Skin.PNG"));
        assert_eq!(find("maps\\cloth.PNG"), case("asset/Maps/Cloth.png"));
        assert_eq!(find("Both.png"), (Some("asset/Both.png".into()), vec![]), "the exact name goes first");
        assert_eq!(find("../ASSET/skin.png").1, ["texture.case"], "by its name alone");
        assert_eq!(find("absent.png"), (None, vec!["texture.missing"]));
    }

    #[test]
    fn what_lies_outside_is_refused_unless_allowed() {
        let folder = Folder::new(&["secret.png"]);
        let mut options = Options::default();
        let absolute = folder.path("secret.png");
        for reference in
            ["../secret.png", "sub/../../secret.png", absolute.to_str().unwrap(), "../absent.png"]
        {
            assert_eq!(folder.find(&options, &[reference]), (None, vec!["texture.outside"]), "{reference}");
        }
        options.outside_textures = true;
        assert!(folder.find(&options, &["../secret.png"]).0.is_some());
        assert_eq!(folder.find(&options, &["../absent.png"]), (None, vec!["texture.missing"]));
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let folder = Folder::new(&["secret.png"]);
        std::os::unix::fs::symlink(folder.path("secret.png"), folder.path("asset/link.png")).unwrap();
        assert_eq!(folder.find(&Options::default(), &["link.png"]), (None, vec!["texture.outside"]));
    }

    #[test]
    fn what_is_no_regular_file_is_said_to_be_none() {
        let folder = Folder::new(&["asset/skin.png/inside.png", "asset/sub/cloth.png"]);
        let asset = folder.path("asset/hero.fbx");
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path("nowhere"), folder.path("asset/link.png")).unwrap();
        for (reference, irregular) in
            [("skin.png", true), ("sub", true), ("link.png", false), ("absent.png", false)]
        {
            let mut findings = Vec::new();
            let (files, options) = (Recorder::new(Arc::new(Disk)), Options::default());
            let lookup = Lookup::new(&asset, &files, &options);
            assert_eq!(lookup.find(&[reference], "material", &mut findings).unwrap(), Image::Missing);
            assert_eq!(findings.iter().map(Finding::id).collect::<Vec<_>>(), ["texture.missing"]);
            let message = &findings[0].message;
            assert_eq!(message.contains("is not a regular file"), irregular, "{message}");
            assert_eq!(message.contains("looked for as"), !irregular, "{message}");
        }
    }

    #[test]
    fn a_huge_picture_exceeds_its_limit() {
        let options = Options::default().with(|options| options.limits.texture_pixels = 100);
        let files = Recorder::new(Arc::new(Disk));
        let lookup = Lookup::new(Path::new("x"), &files, &options);
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend([0, 0, 0, 10, 0, 0, 0, 10]);
        assert!(lookup.embedded(&png, "", &mut vec![]).is_ok());
        png[19] = 11;
        assert!(
            lookup.embedded(&png, "", &mut vec![]).unwrap_err().to_string().contains("`texture_pixels`: 110")
        );
        let about = pictures::Ktx2 { format: 37, ..Default::default() };
        let others = [
            pictures::dds(11, 10, pictures::Dds::FourCc(*b"DXT1"), &[]),
            pictures::ktx2(11, 10, about, &[]),
            pictures::ktx2_uastc_zstd(11, 10, &[]),
            b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0a\0\0\x09\0\0".to_vec(),
        ];
        for picture in others {
            assert!(
                lookup
                    .embedded(&picture, "", &mut vec![])
                    .unwrap_err()
                    .to_string()
                    .contains("`texture_pixels`: 110")
            );
        }
    }
}
