//! Overlays of the character. `sinew render --overlay` uses the same names.

use sinew::names::did_you_mean;

/// An overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlay {
    /// Bones and joints.
    Skeleton,
    /// Names of the joints.
    Names,
    /// Weights of the selected joint.
    Weights,
    /// Normals of the vertices.
    Normals,
    /// Bounding box.
    Bounds,
    /// Translucent bind pose.
    Ghost,
    /// Path of the root.
    Trail,
    /// A placeholder prop at each socket.
    Sockets,
}

impl Overlay {
    /// All, in the order of the buttons.
    pub const ALL: [Self; 8] = [
        Self::Skeleton,
        Self::Names,
        Self::Weights,
        Self::Normals,
        Self::Bounds,
        Self::Ghost,
        Self::Trail,
        Self::Sockets,
    ];

    /// Its name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Skeleton => "skeleton",
            Self::Names => "names",
            Self::Weights => "weights",
            Self::Normals => "normals",
            Self::Bounds => "bounds",
            Self::Ghost => "ghost",
            Self::Trail => "trail",
            Self::Sockets => "sockets",
        }
    }

    /// Parses an overlay: a name, or `weights:JOINT`, which also names a joint.
    pub fn parse(text: &str) -> Result<(Self, Option<String>), String> {
        let text = text.trim();
        let known = |word: &str| Self::ALL.into_iter().find(|overlay| overlay.word() == word);
        match text.split_once(':') {
            Some(("weights", joint)) if !joint.trim().is_empty() => {
                Ok((Self::Weights, Some(joint.trim().to_owned())))
            }
            _ => known(text).map(|overlay| (overlay, None)).ok_or_else(|| {
                format!("`{text}` is not an overlay; {}", did_you_mean(text, Self::ALL.map(Self::word)))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Skeleton, Transform};

    #[test]
    fn the_words_are_those_of_the_renderer() {
        let joint = Joint::new("hips", None, Transform::IDENTITY);
        let skeleton = Skeleton::new(vec![joint], vec![]).unwrap();
        for overlay in Overlay::ALL {
            let word = overlay.word();
            assert_eq!(Overlay::parse(word), Ok((overlay, None)));
            let word = if overlay == Overlay::Weights { "weights:hips" } else { word };
            assert!(sinew_render::Overlays::parse(word, &skeleton).is_ok(), "{word}");
        }
    }

    #[test]
    fn weights_may_name_their_joint() {
        let named = Overlay::parse("weights:mixamorig:Hips");
        assert_eq!(named, Ok((Overlay::Weights, Some("mixamorig:Hips".to_owned()))));
        assert!(Overlay::parse("weights:").is_err() && Overlay::parse("names:hips").is_err());
        let error = Overlay::parse("skelton").unwrap_err();
        assert_eq!(error, "`skelton` is not an overlay; did you mean `skeleton`?");
    }
}
