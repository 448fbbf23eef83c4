//! A minimal JSON writer.

use std::fmt::Write;

/// A value, its members in the order in which they are written.
pub(crate) enum Json {
    Null,
    Whole(i64),
    /// Always printed with a point.
    Real(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Json::Text(text.into())
    }

    /// The text of a document, two spaces to a level.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, depth: usize) {
        // Writing into a string cannot fail.
        let _ = match self {
            Json::Null => out.write_str("null"),
            Json::Whole(value) => write!(out, "{value}"),
            Json::Real(value) => write!(out, "{value:?}"),
            Json::Text(text) => {
                quote(out, text);
                Ok(())
            }
            Json::List(items) => {
                group(out, depth, "[]", items, |out, item| item.write(out, depth + 1));
                Ok(())
            }
            Json::Object(members) => {
                group(out, depth, "{}", members, |out, (key, value)| {
                    quote(out, key);
                    out.push_str(": ");
                    value.write(out, depth + 1);
                });
                Ok(())
            }
        };
    }
}

fn group<T>(
    out: &mut String,
    depth: usize,
    brackets: &str,
    items: &[T],
    mut item: impl FnMut(&mut String, &T),
) {
    let (open, close) = brackets.split_at(1);
    if items.is_empty() {
        return out.push_str(brackets);
    }
    out.push_str(open);
    for (index, one) in items.iter().enumerate() {
        out.push_str(if index > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(depth + 1));
        item(out, one);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push_str(close);
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
