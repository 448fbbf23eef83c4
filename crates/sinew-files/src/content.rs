//! The bytes of a file.

use crate::FileVersion;
use sha2::{Digest, Sha256};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// The bytes of a file as they were read once: cheap to clone, hashed at most once.
#[derive(Clone, Debug)]
pub struct Content(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bytes: Vec<u8>,
    digest: OnceLock<[u8; 32]>,
    version: Option<FileVersion>,
    fresh: bool,
}

impl Content {
    pub(crate) fn new(bytes: Vec<u8>, version: Option<FileVersion>) -> Self {
        let fresh = version.is_some_and(|version| version.is_fresh(SystemTime::now()));
        Self(Arc::new(Inner { bytes, digest: OnceLock::new(), version, fresh }))
    }

    /// SHA-256 of the bytes.
    pub fn digest(&self) -> [u8; 32] {
        *self.0.digest.get_or_init(|| Sha256::digest(&self.0.bytes).into())
    }

    /// Version of the file when it was read, if it is on disk.
    pub(crate) fn version(&self) -> Option<FileVersion> {
        self.0.version
    }

    /// Whether the file had changed just before it was read.
    pub(crate) fn is_fresh(&self) -> bool {
        self.0.fresh
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes, None)
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes
    }
}
