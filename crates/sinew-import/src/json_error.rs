//! Errors about JSON in plain words, with the place in the document.

use crate::{Cause, json_cost};
use serde_json::error::Category;

/// Why `text` was refused.
pub(crate) fn cause(error: &serde_json::Error, text: &[u8]) -> Cause {
    let message = error.to_string();
    // The parser's text ends with the place.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    let line = format!("line {}, column {}", error.line(), error.column());
    let path = path(read(text, error.line(), error.column()));
    // A list of a known length ends where the parser did not see its end.
    let is_long_list = message == "trailing characters" && !path.is_empty();
    let what = match error.classify() {
        _ if is_long_list => "a list has more elements than are expected".to_owned(),
        Category::Data => of_data(message),
        _ => return Cause::malformed(of_syntax(message), line),
    };
    Cause::malformed(what, if path.is_empty() { line } else { format!("{path}, {line}") })
}

/// What the parser had read when it failed.
fn read(text: &[u8], line: usize, column: usize) -> &[u8] {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let before: usize = lines.take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    text.get(..before.saturating_add(column)).unwrap_or(text)
}

/// A list or an object that is open, and what of it is being read.
enum Open<'t> {
    Element(usize),
    Field(Option<&'t [u8]>),
}

/// Where a text ends, as `nodes[3].name`: within that value, or just behind it.
fn path(text: &[u8]) -> String {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match (byte, open.last_mut()) {
            // The parser looks at the beginning of a value that is none of those which it expects.
            (b'{' | b'[', _) if behind.is_empty() => {}
            (b'{', _) => open.push(Open::Field(None)),
            (b'[', _) => open.push(Open::Element(0)),
            (b'}' | b']', _) => drop(open.pop()),
            (b',', Some(Open::Element(index))) => *index += 1,
            (b',', Some(Open::Field(key))) => *key = None,
            (b'"', inner) => {
                rest = json_cost::behind_string(behind);
                let string = behind.get(..behind.len() - rest.len()).unwrap_or_default();
                if let Some(Open::Field(key @ None)) = inner {
                    *key = string.strip_suffix(b"\"");
                }
            }
            _ => {}
        }
    }
    let mut path = String::new();
    for part in open {
        match part {
            Open::Element(index) => path += &format!("[{index}]"),
            Open::Field(Some(key)) => {
                let dot = if path.is_empty() { "" } else { "." };
                path += &format!("{dot}{}", shortened(&String::from_utf8_lossy(key)));
            }
            Open::Field(None) => {}
        }
    }
    path
}

/// Names and texts of a file may be of any length.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// JSON that says something else than is expected there.
fn of_data(message: &str) -> String {
    let quoted = |text: &str| text.strip_prefix('`').and_then(|text| text.split('`').next()).map(shortened);
    let of_type = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, wanted)) = of_type.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("expected {}, not {}", of_wanted(wanted), of_found(found));
    }
    let length = message.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected "));
    if let Some((found, wanted)) = length {
        return format!("expected {}, not one of {found}", of_wanted(wanted));
    }
    if let Some(field) = message.strip_prefix("missing field ").and_then(quoted) {
        return format!("the field `{field}` is missing");
    }
    if let Some(field) = message.strip_prefix("duplicate field ").and_then(quoted) {
        return format!("the field `{field}` is there more than once");
    }
    let variant = message.strip_prefix("unknown variant ");
    if let Some((found, wanted)) =
        variant.and_then(|rest| Some((quoted(rest)?, rest.rsplit_once(", expected ")?.1)))
    {
        return format!("expected {wanted}, not the text `{found}`");
    }
    message.to_owned()
}

fn of_found(found: &str) -> String {
    match found {
        "map" => return "an object".to_owned(),
        "sequence" => return "a list".to_owned(),
        _ => {}
    }
    let text = found.strip_prefix("string \"").and_then(|text| text.strip_suffix('"'));
    let number =
        ["integer `", "floating point `", "boolean `"].iter().find_map(|kind| found.strip_prefix(kind));
    match (text, number.and_then(|number| number.strip_suffix('`'))) {
        (Some(text), _) => format!("the text `{}`", shortened(text)),
        (_, Some(number)) => number.to_owned(),
        _ => found.to_owned(),
    }
}

fn of_wanted(wanted: &str) -> String {
    match wanted {
        "a string" | "variant identifier" | "string or map" => "a text",
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number, 0 or more",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        _ if wanted.starts_with("struct ") => "an object",
        _ => return wanted.replace("an array of length", "a list of"),
    }
    .to_owned()
}

/// What is no JSON.
fn of_syntax(message: &str) -> &str {
    match message {
        "EOF while parsing a list" => "the text ends within a list",
        "EOF while parsing an object" => "the text ends within an object",
        "EOF while parsing a string" => "the text ends within quotes",
        "EOF while parsing a value" => "the text ends where a value is expected",
        "expected value" => "a value is expected here",
        "expected ident" => "a word is neither true, false nor null",
        "key must be a string" => "the name of a field is expected here, in quotes",
        "trailing characters" => "there is something behind the end",
        "recursion limit exceeded" => "its lists and objects are nested too deeply",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "a line break or another control character is within quotes"
        }
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" | "invalid escape" => {
            "a character behind a backslash is not one that JSON knows"
        }
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Deserialize, Debug)]
    #[allow(dead_code, reason = "only errors count")]
    struct Item {
        name: String,
        #[serde(default)]
        at: Option<[f32; 3]>,
        #[serde(default)]
        child: Option<usize>,
        #[serde(default)]
        mode: Option<Mode>,
        #[serde(flatten)]
        more: BTreeMap<String, bool>,
    }

    #[derive(Deserialize, Debug)]
    #[serde(rename_all = "UPPERCASE")]
    enum Mode {
        One,
        Two,
    }

    #[derive(Deserialize, Debug)]
    #[allow(dead_code, reason = "only errors count")]
    struct Document {
        items: Vec<Item>,
    }

    fn told(text: &str) -> String {
        let error = serde_json::from_str::<Document>(text).unwrap_err();
        cause(&error, text.as_bytes()).to_string()
    }

    #[test]
    fn errors_say_what_is_expected_and_where() {
        for (text, what, place) in [
            (r#"{"items":[{"name":"a"},{"name":3}]}"#, "expected a text, not 3", "items[1].name"),
            (r#"{"items":[{"name":"a"},{"child":3}]}"#, "the field `name` is missing", "items[1]"),
            (
                r#"{"items":[{"name":"}]\"","child":-1}]}"#,
                "expected a whole number, 0 or more, not -1",
                "items[0].child",
            ),
            (r#"{"items":[{"child":1.5}]}"#, "expected a whole number, 0 or more, not 1.5", "items[0].child"),
            (r#"{"items":[{"child":"x, expected y"}]}"#, "not the text `x, expected y`", "items[0].child"),
            (
                r#"{"items":[{"child":[1]}]}"#,
                "expected a whole number, 0 or more, not a list",
                "items[0].child",
            ),
            (r#"{"items":[{"at":[1,2]}]}"#, "expected a list of 3, not one of 2", "items[0].at"),
            (r#"{"items":[{"at":[1,2,3,4]}]}"#, "a list has more elements than are expected", "items[0].at"),
            (r#"{"items":[{"at":{"x":1}}]}"#, "expected a list of 3, not an object", "items[0].at"),
            (r#"{"items":[{"mode":"SIX"}]}"#, "expected `ONE` or `TWO`, not the text `SIX`", "items[0].mode"),
            (r#"{"items":[{"name":"a","extra":null}]}"#, "expected true or false, not null", "items[0]"),
            (r#"{"items":{"a":{"name":1}}}"#, "expected a list, not an object", "items"),
            (r#"{"items":[null]}"#, "expected an object, not null", "items[0]"),
            (r#"{"items":[],"items":[]}"#, "the field `items` is there more than once", "items"),
        ] {
            let told = told(text);
            assert!(told.contains(what) && told.contains(&format!("(at {place}")), "{text}: {told}");
            assert!(
                !told.contains("invalid") && !told.contains("struct") && !told.contains("usize"),
                "{told}"
            );
        }
    }

    #[test]
    fn what_is_no_json_is_told_in_words() {
        for (text, what) in [
            ("{\n\"items\": [", "the text ends within a list (at line 2, column 10)"),
            ("{\"items\": [],}", "trailing comma (at line 1, column 14)"),
            ("{\"items\": [1 2]}", "not 1 (at items[0], line 1, column 12)"),
            ("{items: []}", "the name of a field is expected here, in quotes (at line 1, column 2)"),
            ("{\"items\": nil}", "a word is neither true, false nor null (at line 1, column 12)"),
            ("{\"items\": []} x", "there is something behind the end (at line 1, column 15)"),
            ("", "the text ends where a value is expected (at line 1, column 0)"),
        ] {
            let told = told(text);
            assert!(told.contains(what), "{text}: {told}");
        }
    }
}
