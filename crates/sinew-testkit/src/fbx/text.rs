//! The text form of an FBX tree: indented `Name: values {` … `}`, arrays as `*n { a: … }`.

use glam::{DMat4, DVec3};
use std::fmt::Write;

/// Builds the text. Numbers are rounded to nine decimals, which is finer than the single precision of any reader's
/// keys and keeps the files small.
#[derive(Default)]
pub(super) struct Text {
    out: String,
    depth: usize,
}

impl Text {
    pub(super) fn finish(self) -> String {
        self.out
    }

    pub(super) fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.out.push('\t');
        }
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// `head {` … `}` around what `body` writes.
    pub(super) fn block(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// An object: `Class: id, "Class::name", "sub class" { … }`.
    pub(super) fn object(
        &mut self,
        class: &str,
        id: u64,
        name: (&str, &str),
        sub_class: &str,
        body: impl FnOnce(&mut Self),
    ) {
        let (kind, name) = name;
        let name = escape(name);
        self.block(&format!("{class}: {id}, \"{kind}::{name}\", \"{sub_class}\""), body);
    }

    pub(super) fn properties(&mut self, body: impl FnOnce(&mut Self)) {
        self.block("Properties70: ", body);
    }

    pub(super) fn property(&mut self, name: &str, kind: &str, label: &str, value: &str) {
        self.line(&format!("P: \"{name}\", \"{kind}\", \"{label}\", \"\",{value}"));
    }

    pub(super) fn vector(&mut self, name: &str, value: DVec3) {
        self.property(name, "Vector3D", "Vector", &triple(value));
    }

    /// One of the three animatable transform properties.
    pub(super) fn local(&mut self, name: &str, value: DVec3) {
        self.line(&format!("P: \"{name}\", \"{name}\", \"\", \"A\",{}", triple(value)));
    }

    pub(super) fn integer(&mut self, name: &str, value: i64) {
        self.property(name, "int", "Integer", &value.to_string());
    }

    pub(super) fn double(&mut self, name: &str, value: f64) {
        self.property(name, "double", "Number", &number(value));
    }

    pub(super) fn time(&mut self, name: &str, seconds: f64) {
        self.property(name, "KTime", "Time", &ticks(seconds).to_string());
    }

    pub(super) fn array<T>(
        &mut self,
        name: &str,
        values: impl ExactSizeIterator<Item = T>,
        mut show: impl FnMut(T, &mut String),
    ) {
        self.line(&format!("{name}: *{} {{", values.len()));
        let mut line = String::from("\ta: ");
        for (i, value) in values.enumerate() {
            if i > 0 {
                line.push(',');
            }
            show(value, &mut line);
        }
        self.line(&line);
        self.line("}");
    }

    pub(super) fn numbers(&mut self, name: &str, values: &[f64]) {
        self.array(name, values.iter(), |v, out| out.push_str(&number(*v)));
    }

    pub(super) fn integers(&mut self, name: &str, values: &[i64]) {
        self.array(name, values.iter(), |v, out| {
            out.push_str(&v.to_string());
        });
    }

    /// FBX writes matrices for row vectors row by row, which is glam's column-major order.
    pub(super) fn matrix(&mut self, name: &str, matrix: DMat4) {
        self.numbers(name, &matrix.to_cols_array());
    }
}

/// Quotes cannot stand in a string of the text form.
pub(super) fn escape(name: &str) -> String {
    name.replace('"', "&quot;")
}

/// FBX counts time in ticks, of which a second has this many.
const TICKS_PER_SECOND: f64 = 46_186_158_000.0;

pub(super) fn ticks(seconds: f64) -> i64 {
    (seconds * TICKS_PER_SECOND).round() as i64
}

/// A number with at most nine decimals and no trailing zeros.
pub(super) fn number(value: f64) -> String {
    let mut text = String::new();
    let _ = write!(text, "{value:.9}");
    let cut = text.trim_end_matches('0').trim_end_matches('.').len();
    text.truncate(cut);
    if text == "-0" { "0".into() } else { text }
}

fn triple(v: DVec3) -> String {
    format!("{},{},{}", number(v.x), number(v.y), number(v.z))
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = [0u8; 3];
        group[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(char::from(BASE64[(bits >> (18 - 6 * i)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foo"), "Zm9v");
        assert_eq!(base64(b"foob"), "Zm9vYg==");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-0.0000000001), "0");
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(-12.5), "-12.5");
        assert_eq!(number(100.0), "100");
    }
}
