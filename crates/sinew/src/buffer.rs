//! Arrays that are owned, or lie in the bytes of a bundle.

use crate::Bytes;
use bytemuck::Pod;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// An array: its own, or a part of a loaded bundle. Reading is the same; the first write to a part of a bundle copies it.
///
/// ```
/// let mut indices = sinew::Buffer::from(vec![0u32, 1, 2]);
/// indices[1] = 7;
/// assert_eq!(indices, [0, 7, 2]);
/// ```
#[derive(Clone)]
pub struct Buffer<T>(Store<T>);

#[derive(Clone)]
enum Store<T> {
    Owned(Vec<T>),
    /// Aligned for `T`, and a whole number of them.
    Shared(Bytes),
}

impl<T> Buffer<T> {
    /// No elements.
    pub const fn new() -> Self {
        Self(Store::Owned(Vec::new()))
    }
}

impl<T: Pod> Buffer<T> {
    /// The elements that lie in some bytes, where they lie; copied if they are not aligned there. Bytes that fill no element are left out.
    pub fn from_bytes(bytes: Bytes) -> Self {
        let whole = bytes.len() / size_of::<T>().max(1) * size_of::<T>();
        match bytemuck::try_cast_slice::<u8, T>(bytes.get(..whole).unwrap_or_default()) {
            Ok(_) => Self(Store::Shared(bytes.slice(0..whole))),
            Err(_) => {
                Self(Store::Owned(bytemuck::pod_collect_to_vec(bytes.get(..whole).unwrap_or_default())))
            }
        }
    }

    /// Whether it lies in bytes that others share, such as those of a bundle.
    pub fn is_shared(&self) -> bool {
        matches!(self.0, Store::Shared(_))
    }

    /// The array as its own, to be changed; copied first if it is shared.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if self.is_shared() {
            *self = self.to_vec().into();
        }
        match &mut self.0 {
            Store::Owned(own) => own,
            Store::Shared(_) => unreachable!("it was made its own above"),
        }
    }

    /// The array as a vector; copied if it is shared.
    pub fn into_vec(self) -> Vec<T> {
        match self.0 {
            Store::Owned(own) => own,
            Store::Shared(_) => self.to_vec(),
        }
    }

    /// All of it.
    pub fn as_slice(&self) -> &[T] {
        self
    }

    /// Adds an element.
    pub fn push(&mut self, value: T) {
        self.to_mut().push(value);
    }
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Store::Owned(own) => own,
            Store::Shared(bytes) => bytemuck::try_cast_slice(bytes).unwrap_or_default(),
        }
    }
}

/// Copies a shared array first.
impl<T: Pod> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.to_mut()
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(own: Vec<T>) -> Self {
        Self(Store::Owned(own))
    }
}

impl<T: Clone> From<&[T]> for Buffer<T> {
    fn from(values: &[T]) -> Self {
        values.to_vec().into()
    }
}

impl<T, const N: usize> From<[T; N]> for Buffer<T> {
    fn from(values: [T; N]) -> Self {
        Vec::from(values).into()
    }
}

impl<T> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

impl<T: Pod> Extend<T> for Buffer<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        self.to_mut().extend(values);
    }
}

impl<T: Pod> IntoIterator for Buffer<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a, T: Pod> IntoIterator for &'a Buffer<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Pod> IntoIterator for &'a mut Buffer<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: Pod> AsRef<[T]> for Buffer<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Pod + PartialEq, U: AsRef<[T]> + ?Sized> PartialEq<U> for Buffer<T> {
    fn eq(&self, other: &U) -> bool {
        **self == *other.as_ref()
    }
}

impl<T: Pod + Eq> Eq for Buffer<T> {}

impl<T: Pod + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that begin at an address with a remainder of `offset` to 16, wherever the allocator placed them.
    fn placed(values: &[u8], offset: usize) -> Bytes {
        let mut whole = vec![0; values.len() + 16];
        let start = (0..16).find(|&at| (whole.as_ptr() as usize + at) % 16 == offset).unwrap();
        whole[start..][..values.len()].copy_from_slice(values);
        Bytes::from(whole).slice(start..start + values.len())
    }

    #[test]
    fn aligned_bytes_are_borrowed_and_others_copied() {
        let values = [1.5f32, -2.0, 3.0];
        let bytes: Vec<u8> = bytemuck::cast_slice(&values).to_vec();
        for offset in 0..8 {
            let bytes = placed(&bytes, offset);
            let buffer = Buffer::<f32>::from_bytes(bytes.clone());
            assert_eq!(buffer.is_shared(), offset % 4 == 0, "offset {offset}");
            assert_eq!(buffer, values);
            let at = buffer.as_ptr().cast::<u8>();
            assert_eq!(at == bytes.as_ptr(), buffer.is_shared(), "offset {offset}");
        }
    }

    #[test]
    fn bytes_that_fill_no_element_are_left_out() {
        for offset in [0, 1] {
            let bytes = placed(&[1, 0, 0, 0, 9, 9], offset);
            assert_eq!(Buffer::<u32>::from_bytes(bytes), [1]);
        }
    }

    #[test]
    fn a_write_copies_what_is_shared() {
        let bytes = placed(&[1, 0, 2, 0], 0);
        let shared = Buffer::<u16>::from_bytes(bytes.clone());
        let mut own = shared.clone();
        own[0] = 9;
        own.push(3);
        assert_eq!((shared.as_slice(), own.as_slice()), (&[1, 2][..], &[9, 2, 3][..]));
        assert!(shared.is_shared() && !own.is_shared());
        assert_eq!(bytes, [1, 0, 2, 0]);
        assert_eq!(shared.into_vec(), [1, 2]);
    }
}
