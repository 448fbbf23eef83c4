//! What joints of a humanoid are for: the bones of VRM 1.0.

use std::fmt;

/// The side of the body that a joint belongs to, as the character itself would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The middle line.
    Middle,
    /// Its left.
    Left,
    /// Its right.
    Right,
}

impl Side {
    /// Left and right.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    fn prefix(self) -> &'static str {
        match self {
            Self::Middle => "",
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

macro_rules! parts {
    ($($(#[doc = $about:literal])+ $part:ident $name:literal;)*) => {
        /// A part of the body, whichever side it is on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Part {
            $($(#[doc = $about])+ $part,)*
        }

        impl Part {
            /// All of them, parents first.
            pub const ALL: &[Self] = &[$(Self::$part),*];

            /// Its name without a side.
            pub fn name(self) -> &'static str {
                match self { $(Self::$part => $name,)* }
            }
        }
    };
}

parts! {
    /// The joint that carries legs and trunk.
    Hips "hips";
    /// First joint of the trunk.
    Spine "spine";
    /// Joint of the trunk above it.
    Chest "chest";
    /// Last joint of the trunk.
    UpperChest "upperChest";
    /// Neck.
    Neck "neck";
    /// Head.
    Head "head";
    /// Eye.
    Eye "eye";
    /// Jaw.
    Jaw "jaw";
    /// Thigh, from the hip joint on.
    UpperLeg "upperLeg";
    /// Shin, from the knee on.
    LowerLeg "lowerLeg";
    /// Foot, from the ankle on.
    Foot "foot";
    /// Toes, from the ball of the foot on.
    Toes "toes";
    /// Collar bone.
    Shoulder "shoulder";
    /// Upper arm, from the shoulder joint on.
    UpperArm "upperArm";
    /// Forearm, from the elbow on.
    LowerArm "lowerArm";
    /// Hand, from the wrist on.
    Hand "hand";
    /// First joint of the thumb.
    ThumbMetacarpal "thumbMetacarpal";
    /// Second joint of the thumb.
    ThumbProximal "thumbProximal";
    /// Last joint of the thumb.
    ThumbDistal "thumbDistal";
    /// First joint of the index finger.
    IndexProximal "indexProximal";
    /// Second joint of the index finger.
    IndexIntermediate "indexIntermediate";
    /// Last joint of the index finger.
    IndexDistal "indexDistal";
    /// First joint of the middle finger.
    MiddleProximal "middleProximal";
    /// Second joint of the middle finger.
    MiddleIntermediate "middleIntermediate";
    /// Last joint of the middle finger.
    MiddleDistal "middleDistal";
    /// First joint of the ring finger.
    RingProximal "ringProximal";
    /// Second joint of the ring finger.
    RingIntermediate "ringIntermediate";
    /// Last joint of the ring finger.
    RingDistal "ringDistal";
    /// First joint of the little finger.
    LittleProximal "littleProximal";
    /// Second joint of the little finger.
    LittleIntermediate "littleIntermediate";
    /// Last joint of the little finger.
    LittleDistal "littleDistal";
}

impl Part {
    /// The fingers, the thumb first, each from its first joint to its last.
    pub const FINGERS: [[Self; 3]; 5] = [
        [Self::ThumbMetacarpal, Self::ThumbProximal, Self::ThumbDistal],
        [Self::IndexProximal, Self::IndexIntermediate, Self::IndexDistal],
        [Self::MiddleProximal, Self::MiddleIntermediate, Self::MiddleDistal],
        [Self::RingProximal, Self::RingIntermediate, Self::RingDistal],
        [Self::LittleProximal, Self::LittleIntermediate, Self::LittleDistal],
    ];

    /// Whether there is one on each side.
    pub fn is_paired(self) -> bool {
        self == Self::Eye || self >= Self::UpperLeg
    }

    /// Whether it is a joint of a finger.
    pub fn is_finger(self) -> bool {
        self >= Self::ThumbMetacarpal
    }
}

/// What a joint is for: a bone of VRM 1.0's humanoid.
///
/// ```
/// use sinew_retarget::{Part, Role, Side};
///
/// let role = Role::new(Side::Left, Part::UpperArm);
/// assert_eq!(role.to_string(), "leftUpperArm");
/// assert_eq!(Role::parse("leftUpperArm"), Some(role));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Role {
    part: Part,
    side: Side,
}

impl Role {
    /// A role; the side of a part on the middle line does not matter.
    pub fn new(side: Side, part: Part) -> Self {
        Self { part, side: if part.is_paired() { side } else { Side::Middle } }
    }

    /// A part of the middle line.
    pub fn middle(part: Part) -> Self {
        Self::new(Side::Middle, part)
    }

    /// All 55.
    pub fn all() -> impl Iterator<Item = Self> {
        let sides = |part: Part| if part.is_paired() { &Side::BOTH[..] } else { &[Side::Middle][..] };
        Part::ALL.iter().flat_map(move |&part| sides(part).iter().map(move |&side| Self { part, side }))
    }

    /// The role of a name of VRM's, such as `leftUpperArm`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|role| role.to_string() == name)
    }

    /// Which part of the body.
    pub fn part(self) -> Part {
        self.part
    }

    /// On which side.
    pub fn side(self) -> Side {
        self.side
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.part.name();
        if self.side == Side::Middle {
            return f.write_str(name);
        }
        let (first, rest) = name.split_at(1);
        write!(f, "{}{}{rest}", self.side.prefix(), first.to_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_vrm() {
        let names: Vec<String> = Role::all().map(|role| role.to_string()).collect();
        assert_eq!(names.len(), 55);
        for name in
            ["hips", "upperChest", "leftEye", "jaw", "rightToes", "leftThumbMetacarpal", "rightLittleDistal"]
        {
            assert!(names.iter().any(|n| n == name), "{name}");
        }
        assert!(Role::all().all(|role| Role::parse(&role.to_string()) == Some(role)));
        assert_eq!(Role::parse("Hips"), None);
    }
}
