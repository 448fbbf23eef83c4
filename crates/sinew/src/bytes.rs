//! Bytes that several owners share: what a bundle's clips borrow from.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A part of a buffer that stays in memory as long as anything uses it: a file that was read, or one that is mapped.
///
/// ```
/// let bytes = sinew::Bytes::from(vec![1, 2, 3]);
/// assert_eq!(bytes.slice(1..3), [2, 3]);
/// ```
#[derive(Clone)]
pub struct Bytes {
    owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl Bytes {
    /// The bytes of any owner, such as a mapped file. The owner must give the same bytes each time.
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        let range = 0..owner.as_ref().len();
        Self { owner: Arc::new(owner), range }
    }

    /// A part of them, or as much of it as there is.
    pub fn slice(&self, range: Range<usize>) -> Self {
        let clamp = |at: usize| self.range.start.saturating_add(at).min(self.range.end);
        Self {
            owner: self.owner.clone(),
            range: clamp(range.start)..clamp(range.end).max(clamp(range.start)),
        }
    }

    /// Where a slice of them begins, if it is one.
    pub(crate) fn position(&self, part: &[u8]) -> Option<usize> {
        let offset = (part.as_ptr() as usize).checked_sub(self.as_ptr() as usize)?;
        (offset.checked_add(part.len())? <= self.len()).then_some(offset)
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        (*self.owner).as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from_owner(bytes)
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<&Vec<u8>> for Bytes {
    fn from(bytes: &Vec<u8>) -> Self {
        bytes.clone().into()
    }
}

impl<const N: usize> From<&[u8; N]> for Bytes {
    fn from(bytes: &[u8; N]) -> Self {
        bytes[..].into()
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<const N: usize> PartialEq<[u8; N]> for Bytes {
    fn eq(&self, other: &[u8; N]) -> bool {
        **self == other[..]
    }
}
