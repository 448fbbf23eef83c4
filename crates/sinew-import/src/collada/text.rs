//! Decodes bytes as text: UTF-8 with or without a byte-order mark, UTF-16, and Latin-1 for old exporters.

use crate::{Budget, Cause};
use std::borrow::Cow;

/// A document as text, and whether its encoding is a guess.
pub(crate) struct Decoded<'a> {
    /// The text, without a byte-order mark.
    pub(crate) text: Cow<'a, str>,
    /// Whether it was neither UTF-8 nor UTF-16 and was read byte by byte.
    pub(crate) guessed: bool,
}

/// Turns the bytes of an XML document into text.
pub(crate) fn decode<'a>(bytes: &'a [u8], budget: &Budget<'_>) -> Result<Decoded<'a>, Cause> {
    let decoded = match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.starts_with(&[b'<', 0]) && !bytes.starts_with(&[0, b'<']) => {
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            Decoded { text: Cow::Borrowed(text), guessed: false }
        }
        _ => {
            budget.memory(2 * bytes.len() as u64)?;
            copy(bytes)
        }
    };
    Ok(decoded)
}

/// Text of bytes that are not UTF-8, of at most twice their length.
fn copy(bytes: &[u8]) -> Decoded<'_> {
    let exact = |text| Decoded { text, guessed: false };
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => Decoded { text: Cow::Owned(latin(rest)), guessed: true },
        [0xff, 0xfe, rest @ ..] => exact(Cow::Owned(utf16(rest, u16::from_le_bytes))),
        [0xfe, 0xff, rest @ ..] => exact(Cow::Owned(utf16(rest, u16::from_be_bytes))),
        // Without a mark the first character, which is always `<`, tells.
        [b'<', 0, ..] => exact(Cow::Owned(utf16(bytes, u16::from_le_bytes))),
        [0, b'<', ..] => exact(Cow::Owned(utf16(bytes, u16::from_be_bytes))),
        _ => Decoded { text: Cow::Owned(latin(bytes)), guessed: true },
    }
}

/// Latin-1 gives every byte a character, and all that matters in the format is ASCII.
fn latin(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    text.extend(bytes.iter().copied().map(char::from));
    text
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|&pair| unit(pair));
    let mut text = String::with_capacity(2 * bytes.len());
    text.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_encodings_give_the_same_text() {
        let budget = Budget::new(&crate::Limits::default());
        let text = "<a>\u{e9}\u{1f600}</a>";
        let marked = [&[0xef, 0xbb, 0xbf], text.as_bytes()].concat();
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let little_marked = [&[0xff, 0xfe], &little[..]].concat();
        let big_marked = [&[0xfe, 0xff], &big[..]].concat();
        for bytes in [text.as_bytes(), &marked, &little, &big, &little_marked, &big_marked] {
            let decoded = decode(bytes, &budget).unwrap();
            assert_eq!(decoded.text, text);
            assert!(!decoded.guessed);
        }
        let latin = decode(b"<a>\xe9</a>", &budget).unwrap();
        assert_eq!((&*latin.text, latin.guessed), ("<a>\u{e9}</a>", true));
    }
}
