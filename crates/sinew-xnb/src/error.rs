//! Why an XNB file cannot be read or written.

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{cause}{}", At(.offset))]
pub struct XnbError {
    /// What is wrong.
    #[source]
    pub cause: Cause,
    /// Offset in the decompressed content, where that is known.
    pub offset: Option<usize>,
}

struct At<'a>(&'a Option<usize>);

impl std::fmt::Display for At<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |offset| write!(f, " (at byte {offset} of its content)"))
    }
}

/// What is wrong with a file, or with what is to be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// It does not begin as an XNB file does.
    #[error("is not an XNB file")]
    NotXnb,
    /// The container is of a version that is not read.
    #[error("is of XNB version {0}; versions 4 and 5 are read")]
    Version(u8),
    /// It ends too early.
    #[error("ends too early: {what} needs {needed} bytes, and {left} are left")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// How many bytes it takes.
        needed: u64,
        /// How many there are.
        left: u64,
    },
    /// It cannot be decompressed.
    #[error("cannot be decompressed ({how}): {why}")]
    Compression {
        /// `LZX` or `LZ4`.
        how: &'static str,
        /// What went wrong.
        why: String,
    },
    /// It decompresses to more than is allowed.
    #[error("decompresses to {found} bytes where {limit} are allowed")]
    TooLarge {
        /// To how many.
        found: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// Its content would take more memory than is allowed for its size.
    #[error("holds counts that its size does not account for")]
    Memory,
    /// An object of a type that is not read.
    #[error("holds an object that is not read, of the reader `{0}`")]
    UnknownReader(String),
    /// An object that is of another type than its place asks for.
    #[error("has {found} where {wanted} is meant")]
    WrongObject {
        /// What is there.
        found: String,
        /// What was meant.
        wanted: &'static str,
    },
    /// A value that makes no sense.
    #[error("{0}")]
    Invalid(String),
}

impl XnbError {
    /// An error at a place.
    pub(crate) fn at(cause: Cause, offset: usize) -> Self {
        Self { cause, offset: Some(offset) }
    }

    /// A stable id of what went wrong, for programs.
    pub fn code(&self) -> &'static str {
        self.cause.code()
    }
}

impl From<Cause> for XnbError {
    fn from(cause: Cause) -> Self {
        Self { cause, offset: None }
    }
}

/// A value that makes no sense.
pub(crate) fn invalid(what: impl Into<String>) -> XnbError {
    Cause::Invalid(what.into()).into()
}

sinew_findings::error_codes! { Cause {
    Self::NotXnb => "xnb.not-xnb", "The file does not begin as an XNB file does";
    Self::Version(_) => "xnb.version", "The XNB container is of another version";
    Self::Truncated { .. } => "xnb.truncated", "An XNB file ends too early";
    Self::Compression { .. } => "xnb.compression", "An XNB file cannot be decompressed";
    Self::TooLarge { .. } => "xnb.too-large", "An XNB file decompresses to more than is allowed";
    Self::Memory => "xnb.memory", "An XNB file claims more than its size accounts for";
    Self::UnknownReader(_) => "xnb.unknown-reader", "An XNB file holds an object of a type that is not read";
    Self::WrongObject { .. } => "xnb.wrong-object", "An object in an XNB file is of another type than its place asks for";
    Self::Invalid(_) => "xnb.invalid", "A value in an XNB file makes no sense";
} }
