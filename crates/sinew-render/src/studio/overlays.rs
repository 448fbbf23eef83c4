//! Choice of overlays, parsed from text such as `skeleton,weights:LeftArm`.

use crate::Names;
use sinew::Skeleton;
use sinew::names::UnknownName;

/// Overlays of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Overlays {
    /// Bones and joints, and which of them are labelled.
    pub skeleton: Option<Names>,
    /// The weights of a joint instead of the materials.
    pub weights: Option<u16>,
    /// Normals of the vertices.
    pub normals: bool,
    /// Bounding box of the whole clip.
    pub bounds: bool,
    /// Translucent bind pose.
    pub ghost: bool,
    /// Path of the root.
    pub trail: bool,
    /// A placeholder prop at each socket.
    pub sockets: bool,
}

/// An overlay that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverlaysError {
    /// No such overlay.
    #[error(
        "`{given}` is not an overlay: write skeleton, names, weights:JOINT, normals, bounds, ghost, trail or sockets, with commas between"
    )]
    Unknown {
        /// As written.
        given: String,
    },
    /// No such joint.
    #[error(transparent)]
    Joint(#[from] UnknownName),
}

impl Overlays {
    /// Parses a comma-separated list. Joints are named as in the file, or without namespace.
    pub fn parse(text: &str, skeleton: &Skeleton) -> Result<Self, OverlaysError> {
        let mut overlays = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word.split_once(':') {
                Some(("weights", joint)) if !joint.trim().is_empty() => {
                    overlays.weights = Some(skeleton.joint(joint.trim())?)
                }
                None if word == "skeleton" => overlays.skeleton = overlays.skeleton.or(Some(Names::None)),
                None if word == "names" => overlays.skeleton = Some(Names::All),
                None if word == "normals" => overlays.normals = true,
                None if word == "bounds" => overlays.bounds = true,
                None if word == "ghost" => overlays.ghost = true,
                None if word == "trail" => overlays.trail = true,
                None if word == "sockets" => overlays.sockets = true,
                _ => return Err(OverlaysError::Unknown { given: word.to_owned() }),
            }
        }
        Ok(overlays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Transform};

    #[test]
    fn overlays_are_read() {
        let joint = |name: &str| Joint::new(name, None, Transform::IDENTITY);
        let skeleton = Skeleton::new(vec![joint("Rig:Hips"), joint("Rig:LeftArm")], vec![]).unwrap();
        let parse = |text| Overlays::parse(text, &skeleton);
        let all = parse("skeleton, weights:leftarm,normals,bounds,ghost,trail,sockets").unwrap();
        assert_eq!((all.skeleton, all.weights), (Some(Names::None), Some(1)));
        assert!(all.normals && all.bounds && all.ghost && all.trail && all.sockets);
        assert_eq!(parse("names,skeleton").unwrap().skeleton, Some(Names::All));
        assert_eq!(parse("weights:Rig:Hips").unwrap().weights, Some(0));
        assert_eq!(parse("").unwrap(), Overlays::default());
        assert!(parse("bones").unwrap_err().to_string().contains("skeleton"));
        let error = parse("weights:Arm").unwrap_err().to_string();
        assert_eq!(error, "there is no joint `Arm`; did you mean `Rig:LeftArm`?");
        assert!(parse("weights").is_err());
    }
}
