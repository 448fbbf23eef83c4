//! Names that are owned, or lie in the bytes of a bundle.

use crate::{Buffer, Bytes};
use std::fmt;
use std::ops::{Deref, Index};

/// A string: its own, or a part of a loaded bundle.
///
/// ```
/// let name = sinew::Text::from("walk");
/// assert!(name == "walk" && name.starts_with('w'));
/// ```
#[derive(Clone)]
pub struct Text(Store);

#[derive(Clone)]
enum Store {
    Owned(String),
    /// UTF-8.
    Shared(Bytes),
}

impl Text {
    /// Bytes as text, where they lie; `None` if they are not UTF-8.
    pub fn from_utf8(bytes: Bytes) -> Option<Self> {
        std::str::from_utf8(&bytes).is_ok().then(|| Self(Store::Shared(bytes)))
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        self
    }

    /// A part of it, which shares its bytes if they are shared; `None` if the range is none of whole characters.
    fn slice(&self, start: usize, end: usize) -> Option<Self> {
        let part = self.get(start..end)?;
        Some(match &self.0 {
            Store::Owned(_) => part.into(),
            Store::Shared(bytes) => Self(Store::Shared(bytes.slice(start..end))),
        })
    }
}

impl Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        match &self.0 {
            Store::Owned(own) => own,
            // SAFETY: bytes are stored only after they, or a text that they are whole characters of, were checked to be UTF-8, and never change.
            Store::Shared(bytes) => unsafe { std::str::from_utf8_unchecked(bytes) },
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self(Store::Owned(String::new()))
    }
}

impl From<String> for Text {
    fn from(own: String) -> Self {
        Self(Store::Owned(own))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<&Text> for Text {
    fn from(text: &Text) -> Self {
        text.clone()
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text.0 {
            Store::Owned(own) => own,
            Store::Shared(_) => text.as_str().to_owned(),
        }
    }
}

impl From<&Text> for String {
    fn from(text: &Text) -> Self {
        text.as_str().to_owned()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl<T: AsRef<str> + ?Sized> PartialEq<T> for Text {
    fn eq(&self, other: &T) -> bool {
        **self == *other.as_ref()
    }
}

impl PartialEq<Text> for str {
    fn eq(&self, other: &Text) -> bool {
        *self == **other
    }
}

impl PartialEq<Text> for &str {
    fn eq(&self, other: &Text) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(other)
    }
}

impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Names behind one another in one text.
///
/// ```
/// let names: sinew::TextList = ["hips", "spine"].into_iter().collect();
/// assert_eq!((names.len(), &names[1]), (2, "spine"));
/// ```
#[derive(Clone, Default)]
pub struct TextList {
    text: Text,
    /// Where each ends: rising, the last at the end of the text, all between characters.
    ends: Buffer<u32>,
}

impl TextList {
    /// Names by where they end in a text; `None` if the ends do not rise to the end of the text, or one lies within a character.
    pub fn new(text: Text, ends: Buffer<u32>) -> Option<Self> {
        let whole = ends.last().map_or(0, |&end| end as usize) == text.len();
        let between = |&end: &u32| text.is_char_boundary(end as usize);
        (whole && ends.is_sorted() && ends.iter().all(between)).then_some(Self { text, ends })
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<&str> {
        let (start, end) = self.range(index)?;
        self.text.get(start..end)
    }

    /// One of them, which shares the bytes of the list if they are shared.
    pub fn text(&self, index: usize) -> Option<Text> {
        let (start, end) = self.range(index)?;
        self.text.slice(start, end)
    }

    /// All of them in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator + Clone {
        (0..self.len()).map(|index| &self[index])
    }

    /// All of them as texts that share the bytes of the list if they are shared.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = Text> {
        (0..self.len()).map(|index| self.text(index).unwrap_or_default())
    }

    fn range(&self, index: usize) -> Option<(usize, usize)> {
        let end = *self.ends.get(index)? as usize;
        let before = index.checked_sub(1).and_then(|before| self.ends.get(before));
        Some((before.map_or(0, |&start| start as usize), end))
    }
}

impl Index<usize> for TextList {
    type Output = str;

    fn index(&self, index: usize) -> &str {
        self.get(index)
            .unwrap_or_else(|| panic!("there are {} names, and none has index {index}", self.len()))
    }
}

impl<T: AsRef<str>> FromIterator<T> for TextList {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        let mut text = String::new();
        // Four thousand million bytes of names would not fit; they do not fit into memory with what they name, either.
        let end = |name: T| {
            text.push_str(name.as_ref());
            u32::try_from(text.len()).unwrap_or(u32::MAX)
        };
        let ends = names.into_iter().map(end).collect();
        Self { text: text.into(), ends }
    }
}

impl PartialEq for TextList {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: AsRef<str>> PartialEq<[T]> for TextList {
    fn eq(&self, other: &[T]) -> bool {
        self.iter().eq(other.iter().map(AsRef::as_ref))
    }
}

impl<T: AsRef<str>, const N: usize> PartialEq<[T; N]> for TextList {
    fn eq(&self, other: &[T; N]) -> bool {
        *self == other[..]
    }
}

impl<T: AsRef<str>, const N: usize> PartialEq<[T; N]> for &TextList {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == other[..]
    }
}

impl<T: AsRef<str>> PartialEq<Vec<T>> for TextList {
    fn eq(&self, other: &Vec<T>) -> bool {
        *self == other[..]
    }
}

impl fmt::Debug for TextList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str, ends: &[u32]) -> Option<TextList> {
        TextList::new(Text::from_utf8(text.as_bytes().into())?, ends.into())
    }

    #[test]
    fn names_share_the_text_of_their_list() {
        let names = list("hipsspiné", &[4, 4, 10]).unwrap();
        assert_eq!(names, ["hips", "", "spiné"]);
        let whole = names.text.as_ptr();
        assert_eq!(names.text(2).unwrap().as_ptr(), whole.wrapping_add(4));
        assert_eq!(names.texts().collect::<Vec<_>>(), [Text::from("hips"), Text::default(), "spiné".into()]);
        assert_eq!((names.get(3), names.text(3)), (None, None));
        assert_eq!(names, names.iter().collect::<TextList>());
    }

    #[test]
    fn wrong_ends_are_refused() {
        for ends in [&[4, 3, 10][..], &[4], &[4, 11], &[9, 10], &[], &[u32::MAX]] {
            assert!(list("hipsspiné", ends).is_none(), "{ends:?}");
        }
        assert!(list("", &[]).is_some_and(|names| names.is_empty()));
        assert_eq!(Text::from_utf8(Bytes::from(&[0xff])), None::<Text>);
    }

    #[test]
    fn owned_and_shared_texts_are_alike() {
        let (own, shared) = (Text::from("walk"), Text::from_utf8(b"walk".into()).unwrap());
        assert_eq!(own, shared);
        let (below, above) = (Text::from("run"), Text::from("walks"));
        assert!(shared > below && shared < above);
        assert_eq!(String::from(shared.clone()), "walk");
        assert!(std::collections::HashSet::from([own]).contains("walk"));
    }
}
