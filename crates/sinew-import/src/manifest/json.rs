//! Fields of JSON objects, read leniently: keys in any case, numbers also in quotes.

use crate::{Cause, ImportError, json_error};
use serde_json::{Map, Value};
use sinew::Finding;
use sinew_findings::catalogue::import::MANIFEST_FIELD;
use std::path::Path;

/// The JSON of a manifest.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Value, ImportError> {
    let wrap = |cause| ImportError::new(path, cause);
    let value = value(bytes).map_err(|error| wrap(json_error::cause(&error, without_mark(bytes))))?;
    if !value.is_object() {
        return Err(wrap(Cause::malformed(
            format!("a manifest is an object, not {}", kind(&value)),
            "line 1",
        )));
    }
    Ok(value)
}

/// Any JSON, with or without a byte-order mark.
pub(super) fn value(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(without_mark(bytes))
}

/// A text may begin with a mark of its byte order.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// An object and where it is.
#[derive(Clone)]
pub(super) struct Fields<'v> {
    object: &'v Map<String, Value>,
    place: String,
}

impl<'v> Fields<'v> {
    pub(super) fn new(value: &'v Value, place: impl Into<String>) -> Result<Self, Cause> {
        let place = place.into();
        match value {
            Value::Object(object) => Ok(Self { object, place }),
            other => Err(Cause::malformed(format!("expected an object, not {}", kind(other)), place)),
        }
    }

    /// A field, null counting as none.
    pub(super) fn get(&self, key: &str) -> Option<&'v Value> {
        let exact = self.object.get(key);
        let found = exact.or_else(|| find_key(self.object, key).and_then(|key| self.object.get(key)));
        found.filter(|value| !value.is_null())
    }

    pub(super) fn has(&self, key: &str) -> bool {
        find_key(self.object, key).is_some()
    }

    pub(super) fn place(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    /// A list; a single value in its place is an error.
    pub(super) fn list(&self, key: &str) -> Result<&'v [Value], Cause> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(other) => {
                Err(Cause::malformed(format!("expected a list, not {}", kind(other)), self.place(key)))
            }
        }
    }

    /// Text that is not blank; a number is taken as it is written.
    pub(super) fn text(&self, key: &str, findings: &mut Vec<Finding>) -> Option<String> {
        let text = match self.get(key)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            other => return self.refuse(key, "text", other, findings),
        };
        (!text.is_empty()).then_some(text)
    }

    /// A number, also one in quotes.
    pub(super) fn number(&self, key: &str, findings: &mut Vec<Finding>) -> Option<f64> {
        let value = self.get(key)?;
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number.filter(|n: &f64| n.is_finite()) {
            Some(number) => Some(number),
            None => self.refuse(key, "a number", value, findings),
        }
    }

    /// A whole number, also one written as `42.0`.
    pub(super) fn whole(&self, key: &str, findings: &mut Vec<Finding>) -> Option<u32> {
        let number = self.number(key, findings)?;
        if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            return Some(number as u32);
        }
        self.refuse(key, "a whole number", self.get(key)?, findings)
    }

    fn refuse<T>(&self, key: &str, wanted: &str, got: &Value, findings: &mut Vec<Finding>) -> Option<T> {
        let message = format!("expected {wanted}, not {}; the default was taken", kind(got));
        findings.push(Finding::new(&MANIFEST_FIELD, self.place(key), message));
        None
    }
}

/// The key of an object that is spelled so in upper or lower case.
pub(super) fn find_key<'o>(object: &'o Map<String, Value>, key: &str) -> Option<&'o str> {
    object.keys().map(String::as_str).find(|k| k.eq_ignore_ascii_case(key))
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        Value::String(text) => format!("the text `{}`", text.chars().take(40).collect::<String>()),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
