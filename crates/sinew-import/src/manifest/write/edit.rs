//! Setting fields of JSON objects in place, and keeping a record of it.

use super::super::json::find_key;
use serde_json::{Map, Value};

/// Changes to a tree of JSON.
#[derive(Default)]
pub(super) struct Edit {
    pub(super) changes: Vec<String>,
    /// Whether keys that are added begin with a capital.
    pub(super) pascal: bool,
}

impl Edit {
    /// Sets a field unless it says the same already. The key keeps its spelling and its place.
    pub(super) fn set(&mut self, object: &mut Map<String, Value>, key: &str, value: Value, place: &str) {
        let key = find_key(object, key).map_or_else(|| self.spell(key), str::to_owned);
        let old = object.get(&key);
        if old.is_some_and(|old| same(old, &value)) || (old.is_none() && value.is_null()) {
            return;
        }
        let old = old.map_or("nothing".to_owned(), Value::to_string);
        let dot = if place.is_empty() { "" } else { "." };
        self.changes.push(format!("{place}{dot}{key}: {old} → {value}"));
        object.insert(key, value);
    }

    /// Puts another value in the place of one.
    pub(super) fn replace(&mut self, old: &mut Value, value: Value, place: &str) {
        if *old != value {
            self.changes.push(format!("{place}: {old} → {value}"));
            *old = value;
        }
    }

    /// Adds an element to the list under a key, making the list where there is none.
    pub(super) fn push(&mut self, object: &mut Map<String, Value>, key: &str, value: Value, place: &str) {
        let key = find_key(object, key).map_or_else(|| self.spell(key), str::to_owned);
        self.changes.push(format!("{place}{key}: added {value}"));
        match object.entry(key).or_insert(Value::Null) {
            Value::Array(list) => list.push(value),
            other => *other = Value::Array(vec![value]),
        }
    }

    fn spell(&self, key: &str) -> String {
        let mut letters = key.chars();
        match letters.next() {
            Some(first) if self.pascal => first.to_ascii_uppercase().to_string() + letters.as_str(),
            _ => key.to_owned(),
        }
    }

    /// An object with the keys spelled as in this file.
    pub(super) fn object(&self, fields: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        Value::Object(fields.into_iter().map(|(key, value)| (self.spell(key), value)).collect())
    }
}

/// Equal, where `42.0` is 42.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// The list under a key, spelled in any case.
pub(super) fn list_mut<'o>(object: &'o mut Map<String, Value>, key: &str) -> Option<&'o mut Vec<Value>> {
    let key = find_key(object, key)?.to_owned();
    object.get_mut(&key)?.as_array_mut()
}
