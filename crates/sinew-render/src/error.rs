//! Errors of drawing and writing.

use std::path::PathBuf;

/// Why something could not be drawn or written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// No graphics driver was found.
    #[error("no graphics driver was found ({details}): {INSTALL}")]
    NoAdapter {
        /// What was tried.
        details: String,
    },
    /// The driver lacks something that is needed.
    #[error("the graphics driver `{adapter}` cannot be used ({details}): {INSTALL}")]
    Unusable {
        /// Name of the driver.
        adapter: String,
        /// What it cannot do.
        details: String,
    },
    /// The device was lost: the driver was reset or updated, or the machine was suspended.
    #[error(
        "the graphics device was lost ({details}): open it again; if that happens often, update the graphics driver, or \
         install a software driver ({SOFTWARE})"
    )]
    DeviceLost {
        /// Message of the driver.
        details: String,
    },
    /// The driver reported an error.
    #[error("the graphics driver refused a call: {details}")]
    Driver {
        /// Its message.
        details: String,
    },
    /// More than the device, or the file format, supports.
    #[error("{what}: {needed} requested, the limit is {limit}; {hint}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// How much is needed.
        needed: u64,
        /// How much is allowed.
        limit: u64,
        /// What to do.
        hint: &'static str,
    },
    /// An index out of range: of an instance, joint or mesh.
    #[error("{what} index {index} is out of range: there are {count}")]
    Index {
        /// What was indexed.
        what: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// An instance of another character.
    #[error("the pose does not fit the character: {0}")]
    Pose(#[from] sinew::JobError),
    /// A clip that could not be loaded.
    #[error(transparent)]
    Clip(#[from] sinew::ClipError),
    /// There is nothing to draw or write.
    #[error("{what} is empty: {hint}")]
    Empty {
        /// What is empty.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Pictures of one animation or sheet that differ in size.
    #[error("picture {index} has {got:?} pixels, the others have {expected:?}")]
    Size {
        /// Index of the picture.
        index: usize,
        /// Its width and height.
        got: (u32, u32),
        /// Those of the first.
        expected: (u32, u32),
    },
    /// A picture that could not be encoded.
    #[error("the picture cannot be encoded as {format}: {details}")]
    Encode {
        /// `PNG` or `GIF`.
        format: &'static str,
        /// Message of the encoder.
        details: String,
    },
    /// A file that could not be written. An existing file is unchanged.
    #[error("{path}: cannot be written: {reason}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Message of the system.
        reason: String,
    },
}

impl From<sinew::PlayError> for RenderError {
    fn from(error: sinew::PlayError) -> Self {
        Self::Clip(error.into())
    }
}

impl From<sinew_image::EncodeError> for RenderError {
    fn from(error: sinew_image::EncodeError) -> Self {
        Self::Encode { format: "PNG", details: error.details }
    }
}

sinew_findings::error_codes! { RenderError {
    Self::NoAdapter { .. } => "render.no-adapter", "No graphics driver answers";
    Self::Unusable { .. } => "render.unusable", "The graphics driver cannot do what is needed";
    Self::DeviceLost { .. } => "render.device-lost", "The graphics device went away";
    Self::Driver { .. } => "render.driver", "The graphics driver refused a call";
    Self::TooLarge { .. } => "render.too-large", "More is asked for than a driver or a file holds in one piece";
    Self::Index { .. } => "render.index", "An instance, joint or mesh of that number does not exist";
    Self::Pose(_) => "render.pose", "Matrices or scalars do not fit the character";
    Self::Empty { .. } => "render.empty", "There is nothing to draw or write";
    Self::Size { .. } => "render.size", "Pictures of one animation or sheet differ in size";
    Self::Encode { .. } => "render.encode", "A picture cannot be encoded";
    Self::Write { .. } => "render.unwritable", "A file cannot be written";
} passes on {
    Self::Clip(error) => error;
} }

/// What to install where no driver answers.
const INSTALL: &str = "install the driver of your graphics card, or a software driver \
     (Debian and Ubuntu: apt install mesa-vulkan-drivers libvulkan1)";
const SOFTWARE: &str = "Debian and Ubuntu: apt install mesa-vulkan-drivers libvulkan1";

/// Fails for an empty picture, and for one whose longer side exceeds a limit.
pub(crate) fn check_size(size: (u32, u32), limit: u32) -> Result<(), RenderError> {
    if size.0 == 0 || size.1 == 0 {
        return Err(RenderError::Empty {
            what: "the picture",
            hint: "make it at least one pixel wide and high",
        });
    }
    if size.0.max(size.1) > limit {
        return Err(RenderError::TooLarge {
            what: "the picture's longer side (pixels)".into(),
            needed: size.0.max(size.1).into(),
            limit: limit.into(),
            hint: "choose a smaller size",
        });
    }
    Ok(())
}
