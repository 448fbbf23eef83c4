//! How the textures of a character are written: embedded, referenced or omitted.

use sinew::{Image, Texture};
use sinew_files::Files;
use std::path::{Component, Path, PathBuf};

/// How the textures of a character are written.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Textures {
    /// Embedded in the written file.
    #[default]
    Embed,
    /// Image files are referenced, by paths relative to this folder, which is that of the written file.
    /// Images inside the source file have no path and are embedded.
    Reference(PathBuf),
    /// Only their names are written.
    Omit,
}

/// Why a texture could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextureWriteError {
    /// Its file cannot be read.
    #[error("texture `{name}`: {} cannot be read: {error}; put it there, or omit textures", .path.display())]
    Read {
        /// Name of the texture.
        name: String,
        /// Its file.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// Its path is not UTF-8.
    #[error("texture `{name}`: the path {} is not UTF-8; rename it, or embed textures", .path.display())]
    Path {
        /// Name of the texture.
        name: String,
        /// Its file.
        path: PathBuf,
    },
}

sinew_findings::error_codes! { TextureWriteError {
    Self::Read { .. } => "write.texture-unreadable", "The image file of a texture cannot be read";
    Self::Path { .. } => "write.texture-path", "The path of a texture is not UTF-8";
} }

impl Textures {
    /// The image as it is to be written; paths have forward slashes on every system.
    pub(crate) fn image(&self, texture: &Texture, files: &dyn Files) -> Result<Image, TextureWriteError> {
        match (self, &texture.image) {
            (Self::Omit, _) | (_, Image::Missing) => Ok(Image::Missing),
            (_, Image::Embedded(bytes)) => Ok(Image::Embedded(bytes.clone())),
            (Self::Embed, Image::File(path)) => {
                let name = texture.name.clone();
                // The importer has checked its size against the limits.
                match files.read(path, u64::MAX) {
                    Ok(content) => Ok(Image::Embedded(content.to_vec().into())),
                    Err(error) => {
                        Err(TextureWriteError::Read { name, path: path.clone(), error: error.into() })
                    }
                }
            }
            (Self::Reference(folder), Image::File(path)) => {
                let relative = relative(path, folder);
                let wrong = || TextureWriteError::Path { name: texture.name.clone(), path: path.clone() };
                relative.map(|path| Image::File(path.into())).ok_or_else(wrong)
            }
        }
    }
}

/// A path relative to a folder, with forward slashes, by comparing names alone; unchanged if the two have no common root.
pub(crate) fn relative(path: &Path, folder: &Path) -> Option<String> {
    let (Ok(path), Ok(folder)) = (std::path::absolute(path), std::path::absolute(folder)) else {
        return slashes(path.components());
    };
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return slashes(path.components());
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    slashes(up.chain(path.components().skip(common)))
}

fn slashes<'a>(components: impl Iterator<Item = Component<'a>>) -> Option<String> {
    let mut text = String::new();
    for component in components {
        let name = match component {
            Component::RootDir => "/",
            other => other.as_os_str().to_str()?,
        };
        if !text.is_empty() && !text.ends_with('/') && name != "/" {
            text.push('/');
        }
        text.push_str(name);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_files::Disk;

    #[test]
    fn paths_are_seen_from_the_folder() {
        let see = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder)).unwrap();
        assert_eq!(see("art/hero/skin.png", "art"), "hero/skin.png");
        assert_eq!(see("art/skin.png", "build/out"), "../../art/skin.png");
        assert_eq!(see("skin.png", ""), "skin.png");
        assert_eq!(see("/a/b.png", "/a/c/d"), "../../b.png");
    }

    #[test]
    fn a_missing_file_is_named() {
        let texture = Texture {
            name: "skin".into(),
            reference: "skin.png".into(),
            image: Image::File("no/such/skin.png".into()),
        };
        let error = Textures::Embed.image(&texture, &Disk).unwrap_err().to_string();
        assert!(error.contains("no/such/skin.png"), "{error}");
        assert_eq!(Textures::Omit.image(&texture, &Disk).unwrap(), Image::Missing);
        let referenced = Textures::Reference("no".into()).image(&texture, &Disk).unwrap();
        assert_eq!(referenced, Image::File("such/skin.png".into()));
    }
}
