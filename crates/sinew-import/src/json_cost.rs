//! An upper bound of the memory that a JSON document takes once it is parsed, from its text alone.

/// Upper bounds of what one object, one list and one element take: the largest struct of glTF, in a list that grows by doubling, and
/// the entries of an object that is kept as it is written.
const OBJECT: u64 = 720;
const LIST: u64 = 320;
const ELEMENT: u64 = 170;

/// Bytes that a document takes at most, strings apart, which take no more than the text itself.
pub(crate) fn memory(text: &[u8]) -> u64 {
    let [mut objects, mut lists, mut elements] = [0u64; 3];
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'{' => objects += 1,
            b'[' => lists += 1,
            b',' => elements += 1,
            b'"' => rest = behind_string(behind),
            _ => {}
        }
    }
    let structure = objects.saturating_mul(OBJECT).saturating_add(lists.saturating_mul(LIST));
    structure.saturating_add(elements.saturating_mul(ELEMENT)).saturating_add(text.len() as u64)
}

/// What follows the closing quote.
pub(crate) fn behind_string(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'"' || byte == b'\\') {
        let is_quote = rest.get(at) == Some(&b'"');
        rest = rest.get(at + if is_quote { 1 } else { 2 }..).unwrap_or_default();
        if is_quote {
            return rest;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_strings_does_not_count() {
        let text = br#"{"a,{[\\\"[": [1, 2], "b": {}}"#;
        assert_eq!(memory(text), 2 * OBJECT + LIST + 2 * ELEMENT + text.len() as u64);
        assert_eq!(memory(br#""open\"#), 6);
    }
}
