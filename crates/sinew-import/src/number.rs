//! Numbers in text: what most of a COLLADA or BVH file is.

/// A word that cannot be parsed as a number, and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadNumber<'a> {
    /// The word.
    pub word: &'a str,
}

/// Powers of ten that a double holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The numbers of a text, separated by white space, each rounded to the nearest double as the standard library would.
///
/// `NaN`, `INF` and what old C libraries print for them are numbers that are not finite.
pub fn floats(text: &str) -> Floats<'_> {
    Floats { rest: text.as_bytes() }
}

/// Iterator over the numbers of a text.
#[derive(Clone, Debug)]
pub struct Floats<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Floats<'a> {
    type Item = Result<f64, BadNumber<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let start = skip_space(self.rest)?;
        if let Some((value, rest)) = short_decimal(start) {
            self.rest = rest;
            return Some(Ok(value));
        }
        let (word, rest) = split_word(start);
        self.rest = rest;
        Some(unusual(word))
    }
}

/// The whole numbers of a text. What does not fit is the largest or smallest that does.
pub fn integers(text: &str) -> Integers<'_> {
    Integers { rest: text.as_bytes() }
}

/// Iterator over the whole numbers of a text.
#[derive(Clone, Debug)]
pub struct Integers<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Integers<'a> {
    type Item = Result<i32, BadNumber<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let start = skip_space(self.rest)?;
        let (negative, digits) = sign(start);
        let (value, count, after) = integer(digits);
        if count == 0 || count > 18 || !ends_word(after) {
            let (word, after) = split_word(start);
            self.rest = after;
            return Some(unusual_integer(word));
        }
        self.rest = after;
        let value = if negative { -(value as i64) } else { value as i64 };
        Some(Ok(value.clamp(i32::MIN.into(), i32::MAX.into()) as i32))
    }
}

/// Some exporters write indices as `3.0`.
#[cold]
fn unusual_integer(word: &str) -> Result<i32, BadNumber<'_>> {
    let value = unusual(word)?;
    if value.fract() != 0.0 || value.is_nan() { Err(bad(word)) } else { Ok(value as i32) }
}

#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

#[inline]
fn skip_space(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        if !is_space(byte) {
            return Some(rest);
        }
        rest = tail;
    }
    None
}

#[inline]
fn ends_word(rest: &[u8]) -> bool {
    rest.first().is_none_or(|&byte| is_space(byte))
}

#[inline]
fn sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, bytes),
    }
}

/// Value and number of the digits at the front; meaningless beyond 18 of them.
#[inline]
fn integer(bytes: &[u8]) -> (u64, usize, &[u8]) {
    digits(0, bytes)
}

#[inline]
fn digits(mut value: u64, bytes: &[u8]) -> (u64, usize, &[u8]) {
    let mut rest = bytes;
    let mut count = 0;
    while let Some((&byte, tail)) = rest.split_first() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
        rest = tail;
    }
    (value, count, rest)
}

/// A number of up to 18 digits with a small exponent: a whole number and a power of ten that doubles hold exactly, so
/// that one multiplication rounds correctly. Anything else is left to the standard library.
#[inline]
fn short_decimal(bytes: &[u8]) -> Option<(f64, &[u8])> {
    let (negative, rest) = sign(bytes);
    let (mut mantissa, mut count, mut rest) = integer(rest);
    let mut exponent = 0i32;
    if let Some((b'.', tail)) = rest.split_first() {
        let (value, decimals, tail) = digits(mantissa, tail);
        mantissa = value;
        count += decimals;
        exponent = -(i32::try_from(decimals).ok()?);
        rest = tail;
    }
    if count == 0 || count > 18 || mantissa > 1 << 53 {
        return None;
    }
    if let Some((b'e' | b'E', tail)) = rest.split_first() {
        let (minus, tail) = sign(tail);
        let (value, count, tail) = integer(tail);
        if count == 0 || count > 4 {
            return None;
        }
        exponent += if minus { -(value as i32) } else { value as i32 };
        rest = tail;
    }
    if !ends_word(rest) {
        return None;
    }
    let power = *EXACT.get(exponent.unsigned_abs() as usize)?;
    let value = mantissa as f64;
    let value = if exponent < 0 { value / power } else { value * power };
    Some((if negative { -value } else { value }, rest))
}

fn split_word(bytes: &[u8]) -> (&str, &[u8]) {
    let length = bytes.iter().position(|&b| is_space(b)).unwrap_or(bytes.len());
    let (word, rest) = bytes.split_at_checked(length).unwrap_or((bytes, &[]));
    // White space is ASCII, so a word of valid text is valid text.
    (std::str::from_utf8(word).unwrap_or_default(), rest)
}

fn bad(word: &str) -> BadNumber<'_> {
    let end = word.char_indices().nth(40).map_or(word.len(), |(index, _)| index);
    BadNumber { word: word.get(..end).unwrap_or_default() }
}

#[cold]
fn unusual(word: &str) -> Result<f64, BadNumber<'_>> {
    if let Ok(value) = word.parse() {
        return Ok(value);
    }
    // What old C libraries print: 1.#QNAN, -1.#IND00, 1.#INF.
    let unsigned = word.trim_start_matches(['-', '+']);
    match unsigned.split_once('#') {
        Some(("1.", rest)) if rest.starts_with("INF") => Ok(f64::INFINITY),
        Some(("1.", _)) => Ok(f64::NAN),
        _ if unsigned.eq_ignore_ascii_case("nan(ind)") => Ok(f64::NAN),
        _ => Err(bad(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse_floats(text: &str) -> Result<Vec<f64>, BadNumber<'_>> {
        floats(text).collect()
    }

    fn parse_integers(text: &str) -> Result<Vec<i32>, BadNumber<'_>> {
        integers(text).collect()
    }

    proptest! {
        /// Equal to the standard library's result, to the last bit.
        #[test]
        fn doubles_are_rounded_as_the_standard_library_does(value in any::<f64>(), short in -1e6f64..1e6, digits in 0usize..12) {
            let words = [format!("{value}"), format!("{value:e}"), format!("{short:.digits$}"), format!("{short:.digits$e}")];
            let text = words.join(" ");
            let got = parse_floats(&text).unwrap();
            for (got, word) in got.iter().zip(&words) {
                let expected: f64 = word.parse().unwrap();
                prop_assert!(got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()), "{word}: {got}");
            }
        }

        #[test]
        fn any_text_gives_numbers_or_an_error(text in ".{0,40}") {
            let _ = (parse_floats(&text), parse_integers(&text));
        }
    }

    #[test]
    fn odd_words() {
        assert_eq!(parse_floats("\n 1\t-.5 +2. 1e-05\r\n").unwrap(), [1.0, -0.5, 2.0, 1e-5]);
        assert!(parse_floats("-1.#IND00 1.#QNAN NaN nan(ind)").unwrap().iter().all(|v| v.is_nan()));
        assert_eq!(
            parse_floats("INF -INF 1.#INF").unwrap(),
            [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY]
        );
        for text in ["1,5", "x", ".", "-", "1e", "1.2.3", "0x10", "é"] {
            assert!(parse_floats(text).is_err(), "{text}");
        }
        assert_eq!(
            parse_integers("3 -1 4.0\n99999999999 99999999999999999999").unwrap(),
            [3, -1, 4, i32::MAX, i32::MAX]
        );
        assert!(parse_integers("1.5").is_err());
        assert!(parse_integers("a").is_err());
    }
}
