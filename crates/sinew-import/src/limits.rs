//! Bounds on what a file may ask for, so that a hostile file ends in an error and does not exhaust time or memory.

use crate::Cause;

/// Declares [`Limits`] with everything that lists them.
macro_rules! limits {
    ($($(#[doc = $about:literal])+ $name:ident = $default:expr;)*) => {
        /// Upper bounds. The defaults are far above any real character; exceeding one is an error that names it.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Deserialize, serde::Serialize),
            serde(deny_unknown_fields, default)
        )]
        #[non_exhaustive]
        pub struct Limits {
            $($(#[doc = $about])+ pub $name: u64,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Limits {
            /// No bounds, for files that are trusted.
            pub const UNLIMITED: Self = Self { $($name: u64::MAX,)* };

            /// Names of the limits, as [`Limits::set`] takes them.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Sets a limit by its name; an unknown name is answered with those there are.
            pub fn set(&mut self, name: &str, value: u64) -> Result<(), &'static [&'static str]> {
                match name {
                    $(stringify!($name) => self.$name = value,)*
                    _ => return Err(Self::NAMES),
                }
                Ok(())
            }
        }
    };
}

limits! {
    /// Size of the file.
    bytes = 1 << 30;
    /// Memory that an import may take, its result included.
    memory = 400 << 20;
    /// Nodes of the scene.
    nodes = 100_000;
    /// Joints of the skeleton.
    joints = 16_384;
    /// Vertices and triangles of all meshes together. Corners of triangles count where each may become a vertex, as in FBX and COLLADA.
    vertices = 20_000_000;
    /// Keys of all clips together, in the source and in the result.
    keys = 10_000_000;
    /// Vertices times morph targets of all meshes together.
    morph_deltas = 100_000_000;
    /// Steps of work, of some nanoseconds each, where their number is a product of counts of the file: clips times joints, keys times
    /// transforms.
    steps = 2_000_000_000;
    /// Transforms of one COLLADA node: all of them are multiplied whenever one of them moves.
    transforms = 1024;
    /// Depth of the hierarchy; never more than [`Limits::MOST_DEPTH`].
    depth = 512;
    /// Pixels of one texture, which take four bytes each when it is decoded. The default is 8,192 × 8,192.
    texture_pixels = 1 << 26;
}

/// The flag `--limit NAME=N`, which may be given several times.
#[cfg(feature = "clap")]
mod flag {
    use super::Limits;
    use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
    use sinew::names::did_you_mean;

    const ID: &str = "limit";

    fn parse(text: &str) -> Result<(String, u64), String> {
        let (name, value) = text.split_once('=').ok_or("a limit is set as NAME=N, as in joints=300")?;
        let value = value.parse().map_err(|_| format!("`{value}` is not a whole number"))?;
        // An unknown name is refused here, where clap can show the usage.
        Limits::default().set(name, value).map_err(|known| {
            format!("there is no limit `{name}`; {}", did_you_mean(name, known.iter().copied()))
        })?;
        Ok((name.to_owned(), value))
    }

    impl Args for Limits {
        fn augment_args(command: Command) -> Command {
            let help = format!(
                "Raise or lower a limit on what a file may ask for, as in `joints=300`; may be given several times. Limits: {}",
                Self::NAMES.join(", ")
            );
            let limit = Arg::new(ID).long(ID).value_name("NAME=N").action(ArgAction::Append);
            command.arg(limit.value_parser(parse).help(help))
        }

        fn augment_args_for_update(command: Command) -> Command {
            Self::augment_args(command)
        }
    }

    impl FromArgMatches for Limits {
        fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
            let mut limits = Self::default();
            limits.update_from_arg_matches(matches)?;
            Ok(limits)
        }

        fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
            for (name, value) in matches.get_many::<(String, u64)>(ID).into_iter().flatten() {
                // Names were checked when the arguments were read.
                let _ = self.set(name, *value);
            }
            Ok(())
        }
    }
}

impl Limits {
    /// Readers walk hierarchies by recursion: whatever [`Limits::depth`] says, they go no deeper than this, for which every thread's stack is large enough.
    pub const MOST_DEPTH: u64 = 1024;

    /// The depth that hierarchies may have.
    pub fn allowed_depth(&self) -> u64 {
        self.depth.min(Self::MOST_DEPTH)
    }
}

/// An error that names the limit if `found` is above it.
pub(crate) fn check(name: &'static str, found: u64, limit: u64) -> Result<(), Cause> {
    if found > limit { Err(Cause::Limit { name, found: Some(found), limit }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_set_by_name() {
        let mut limits = Limits::UNLIMITED;
        for name in Limits::NAMES {
            assert_eq!(limits.set(name, 7), Ok(()));
        }
        assert_eq!(limits.texture_pixels, 7);
        assert!(limits.set("bones", 7).is_err());
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert!(check("keys", 5, 5).is_ok());
        let error = check("keys", 6, 5).unwrap_err();
        assert!(error.to_string().contains("`keys`: 6 where 5"), "{error}");
    }
}
