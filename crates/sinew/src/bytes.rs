//! Bytes that several owners share: what a loaded character borrows from.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::Arc;

/// A part of a buffer that stays in memory as long as anything uses it: a file that was read, or one that is mapped.
///
/// ```
/// let bytes = sinew::Bytes::from(vec![1, 2, 3]);
/// assert_eq!(bytes.slice(1..3), [2, 3]);
/// ```
#[derive(Clone)]
pub struct Bytes {
    /// Keeps `part` alive.
    owner: Arc<dyn Any + Send + Sync>,
    part: NonNull<[u8]>,
}

// SAFETY: the owner may be sent and shared, and its bytes are only read.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// The bytes of any owner, such as a mapped file. They are asked for once.
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        let owner = Arc::new(owner);
        // Asked for where the owner stays, since it may hold the bytes itself.
        let part = NonNull::from((*owner).as_ref());
        Self { owner, part }
    }

    /// A part of them, or as much of it as there is.
    pub fn slice(&self, range: Range<usize>) -> Self {
        let end = range.end.min(self.len());
        let part = NonNull::from(self.get(range.start.min(end)..end).unwrap_or_default());
        Self { owner: self.owner.clone(), part }
    }

    /// The same bytes as one of their slices; `None` if it is no part of them.
    pub(crate) fn slice_of(&self, part: &[u8]) -> Option<Self> {
        let offset = (part.as_ptr() as usize).checked_sub(self.as_ptr() as usize)?;
        let end = offset.checked_add(part.len()).filter(|&end| end <= self.len())?;
        Some(self.slice(offset..end))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the slice was borrowed from the owner, which is shared and so neither moved nor changed while `self` holds it. What
        // `as_ref` borrowed is valid as long as that: its lifetime is that of the owner's borrow.
        unsafe { self.part.as_ref() }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds its bytes in itself: they move with it until it is shared.
    struct Inline([u8; 4]);

    impl AsRef<[u8]> for Inline {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    #[test]
    fn parts_outlive_the_whole() {
        let whole = Bytes::from_owner(Inline([1, 2, 3, 4]));
        let part = whole.slice(1..3);
        let moved = std::thread::spawn(move || part).join().unwrap();
        assert_eq!(whole.slice_of(&whole[2..]), Some(whole.slice(2..4)));
        drop(whole);
        assert_eq!(moved, [2, 3]);
    }

    #[test]
    fn parts_never_reach_beyond() {
        let bytes = Bytes::from(vec![1, 2, 3]);
        for (range, expected) in [(0..9, 3), (2..9, 1), (5..9, 0), (1..1, 0)] {
            assert_eq!(bytes.slice(range.clone()).len(), expected, "{range:?}");
        }
        #[allow(clippy::reversed_empty_ranges, reason = "what a wrong caller may pass")]
        let reversed = bytes.slice(2..1);
        assert!(reversed.is_empty());
        assert_eq!(bytes.slice(1..3).slice_of(&bytes[..2]), None);
        assert_eq!(bytes.slice_of(&[1, 2]), None);
    }
}
