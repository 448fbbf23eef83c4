//! How the quirks of source files are handled: the one definition from which `sinew.toml`, the command and the viewer take their options.

use crate::{Limits, TagTable};
use std::path::PathBuf;

/// Which space the character is handed over in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum SpaceMode {
    /// Right-handed, +Y up, metres, so that a clip in centimetres plays on a mesh in metres.
    #[default]
    Canonical,
    /// The source's axes and unit.
    Keep,
}

/// How many influences a vertex keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(try_from = "u8", into = "u8")
)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum InfluenceLimit {
    /// The four strongest.
    #[default]
    #[cfg_attr(feature = "clap", value(name = "4"))]
    Four,
    /// The eight strongest.
    #[cfg_attr(feature = "clap", value(name = "8"))]
    Eight,
}

impl InfluenceLimit {
    /// The number itself.
    pub fn count(self) -> usize {
        usize::from(u8::from(self))
    }
}

impl From<InfluenceLimit> for u8 {
    fn from(limit: InfluenceLimit) -> Self {
        match limit {
            InfluenceLimit::Four => 4,
            InfluenceLimit::Eight => 8,
        }
    }
}

impl TryFrom<u8> for InfluenceLimit {
    type Error = String;

    fn try_from(count: u8) -> Result<Self, String> {
        match count {
            4 => Ok(Self::Four),
            8 => Ok(Self::Eight),
            other => Err(format!("a vertex keeps 4 or 8 influences, not {other}")),
        }
    }
}

/// Where curves get their keys.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(try_from = "written::Resample", into = "written::Resample")
)]
#[non_exhaustive]
pub enum Resample {
    /// At the source's keys, and between them until no joint is off by more than this fraction of the rest diagonal at any time.
    Within(f64),
    /// At the source's keys only: small and quick, and off between keys wherever the source's curves are not straight.
    Keys,
}

impl Resample {
    /// The default tolerance.
    pub const TOLERANCE: f64 = 2e-5;

    /// Keys within a tolerance, which is a number above zero.
    #[cfg(any(feature = "serde", feature = "clap"))]
    fn within(tolerance: f64) -> Result<Self, &'static str> {
        if tolerance > 0.0 && tolerance.is_finite() {
            return Ok(Self::Within(tolerance));
        }
        Err("a tolerance above zero, as in 2e-5 (a fraction of the character's size), or `keys`")
    }

    /// A tolerance, or `keys`.
    #[cfg(feature = "clap")]
    fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "keys" { Ok(Self::Keys) } else { Self::within(text.parse().unwrap_or(f64::NAN)) }
    }
}

impl Default for Resample {
    fn default() -> Self {
        Self::Within(Self::TOLERANCE)
    }
}

impl std::fmt::Display for Resample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Within(tolerance) => write!(f, "{tolerance:e}"),
            Self::Keys => f.write_str("keys"),
        }
    }
}

/// Values as a file writes them.
#[cfg(feature = "serde")]
mod written {
    /// A number, or the one word.
    #[derive(serde::Deserialize, serde::Serialize)]
    #[serde(untagged, expecting = "`resample` is a tolerance such as 2e-5, or \"keys\"")]
    pub(super) enum Resample {
        Within(f64),
        Word(Word),
    }

    #[derive(serde::Deserialize, serde::Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub(super) enum Word {
        Keys,
    }

    /// A number, or the word `auto`.
    #[derive(serde::Deserialize, serde::Serialize)]
    #[serde(untagged, expecting = "a number, or \"auto\"")]
    pub(super) enum Given<T> {
        Value(T),
        Word(Auto),
    }

    #[derive(serde::Deserialize, serde::Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub(super) enum Auto {
        Auto,
    }

    impl TryFrom<Given<f64>> for super::Given<f64> {
        type Error = &'static str;

        fn try_from(written: Given<f64>) -> Result<Self, &'static str> {
            match written {
                Given::Value(number) => Self::above_zero(number),
                Given::Word(Auto::Auto) => Ok(Self::Auto),
            }
        }
    }

    impl TryFrom<Given<u32>> for super::Given<u32> {
        type Error = &'static str;

        fn try_from(written: Given<u32>) -> Result<Self, &'static str> {
            match written {
                Given::Value(number) => Ok(Self::Value(number)),
                Given::Word(Auto::Auto) => Ok(Self::Auto),
            }
        }
    }

    impl<T> From<super::Given<T>> for Given<T> {
        fn from(given: super::Given<T>) -> Self {
            match given {
                super::Given::Auto => Self::Word(Auto::Auto),
                super::Given::Value(value) => Self::Value(value),
            }
        }
    }

    impl TryFrom<Resample> for super::Resample {
        type Error = &'static str;

        fn try_from(written: Resample) -> Result<Self, &'static str> {
            match written {
                Resample::Within(tolerance) => Self::within(tolerance),
                Resample::Word(Word::Keys) => Ok(Self::Keys),
            }
        }
    }

    impl From<super::Resample> for Resample {
        fn from(resample: super::Resample) -> Self {
            match resample {
                super::Resample::Within(tolerance) => Self::Within(tolerance),
                super::Resample::Keys => Self::Word(Word::Keys),
            }
        }
    }
}

/// What the angles of COLLADA's rotation channels are measured in, where a channel does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum EulerUnit {
    /// Decided once per file: degrees if any angle exceeds two turns in radians, else the unit nearer to the rest.
    #[default]
    Auto,
    /// Degrees.
    Degrees,
    /// Radians.
    Radians,
}

/// Which way is up in a file that does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum UpAxis {
    /// +Y, as nearly all files mean.
    #[default]
    Y,
    /// +Z.
    Z,
}

/// A number that is given, or left to the importer.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        try_from = "written::Given<T>",
        into = "written::Given<T>",
        bound(
            deserialize = "T: serde::Deserialize<'de>, Self: TryFrom<written::Given<T>, Error = &'static str>",
            serialize = "T: serde::Serialize + Copy"
        )
    )
)]
pub enum Given<T> {
    /// The importer finds out, or takes what is usual.
    #[default]
    Auto,
    /// This one.
    Value(T),
}

#[cfg(any(feature = "serde", feature = "clap"))]
impl Given<f64> {
    fn above_zero(number: f64) -> Result<Self, &'static str> {
        if number > 0.0 && number.is_finite() {
            Ok(Self::Value(number))
        } else {
            Err("a number above zero, or `auto`")
        }
    }
}

#[cfg(feature = "clap")]
impl Given<f64> {
    /// A number above zero, or `auto`.
    fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "auto" { Ok(Self::Auto) } else { Self::above_zero(text.parse().unwrap_or(f64::NAN)) }
    }
}

#[cfg(feature = "clap")]
impl Given<u32> {
    /// A whole number, or `auto`.
    fn parse(text: &str) -> Result<Self, &'static str> {
        let number = || text.parse().map(Self::Value).map_err(|_| "a whole number, or `auto`");
        if text == "auto" { Ok(Self::Auto) } else { number() }
    }
}

impl<T: std::fmt::Display> std::fmt::Display for Given<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Value(value) => value.fmt(f),
        }
    }
}

/// Declares [`Options`] and the table of its keys. The comment of a field is its documentation, the help of its flag and the meaning of its
/// key; the text behind `=` is its default as TOML, which a test of projects compares with `Options::default()`.
macro_rules! options {
    ($($(#[doc = $about:literal])+ $field:ident: $type:ty = $default:literal, $clap:ident($($flag:tt)*);)*) => {
        /// All handling modes, with the defaults that suit a game.
        ///
        /// ```
        /// use sinew_import::{InfluenceLimit, Options};
        ///
        /// let mut options = Options::default();
        /// options.influences = InfluenceLimit::Eight;
        /// options.limits.joints = 300;
        /// ```
        ///
        /// Feature `serde` reads and writes it as the table `[import]` of a `sinew.toml`, feature `clap` makes it the flags of a command.
        #[derive(Clone, Debug, PartialEq, Default)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Deserialize, serde::Serialize),
            serde(deny_unknown_fields, default)
        )]
        #[cfg_attr(feature = "clap", derive(clap::Args))]
        #[non_exhaustive]
        pub struct Options {
            $($(#[doc = $about])+ #[cfg_attr(feature = "clap", $clap($($flag)*))] pub $field: $type,)*
        }

        impl Options {
            /// Each key of the table `[import]`: its name, its default as TOML, and what it means.
            #[cfg(feature = "serde")]
            pub const KEYS: &[(&str, &str, &str)] = &[$((stringify!($field), $default, concat!($($about),+))),*];
        }
    };
}

options! {
    /// Axes and unit: canonical (+Y up, metres) or keep (those of the file).
    space: SpaceMode = "\"canonical\"", arg(long, value_enum, value_name = "SPACE", default_value_t);

    /// Joints that may move a vertex: 4 or 8, the strongest.
    influences: InfluenceLimit = "4", arg(long, value_enum, value_name = "4|8", default_value_t);

    /// How near clips stay to the curves of the source, as a fraction of the character's size; or keys, for the keys of the source only.
    resample: Resample = "2e-5",
        arg(long, value_name = "TOLERANCE|keys", default_value_t, value_parser = Resample::parse);

    /// Unit of the Euler angles that COLLADA channels write: degrees, radians or auto, which finds out.
    euler_unit: EulerUnit = "\"auto\"", arg(long, value_enum, value_name = "UNIT", default_value_t);

    /// Metres to a unit of a BVH file, as in 0.01 for centimetres; auto takes the unit that makes the figure as large as a human.
    bvh_unit: Given<f64> = "\"auto\"",
        arg(long, value_name = "METRES|auto", default_value_t, value_parser = Given::<f64>::parse);

    /// Which way is up in a BVH file: y or z.
    bvh_up: UpAxis = "\"y\"", arg(long, value_enum, value_name = "AXIS", default_value_t);

    /// Frames a second of a BVH file; auto takes those that the file says.
    bvh_rate: Given<f64> = "\"auto\"",
        arg(long, value_name = "RATE|auto", default_value_t, value_parser = Given::<f64>::parse);

    /// Frame of a BVH file, from 0, whose pose is taken for the rest; auto has no rotations at rest.
    rest_frame: Given<u32> = "\"auto\"",
        arg(long, value_name = "FRAME|auto", default_value_t, value_parser = Given::<u32>::parse);

    /// How clips get their tags: overworld or creature (for manifests of numbered clips), or a table of your own.
    tags: TagTable = "\"overworld\"",
        arg(id = "tag_table", long = "tag-table", value_name = "overworld|creature|FILE", default_value = "overworld", value_parser = TagTable::parse);

    /// Another folder to look for textures in; there may be several.
    textures: Vec<PathBuf> = "[]", arg(long, value_name = "DIR");

    /// Follow texture references that lead out of the file's folder.
    outside_textures: bool = "false", arg(long = "allow-outside-textures");

    /// Bounds on what a file may ask for, as in { joints = 300 }.
    limits: Limits = "{}", command(flatten);
}

impl Options {
    /// The same with a change, for use in an expression: `Options::default().with(|options| options.space = SpaceMode::Keep)`.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
