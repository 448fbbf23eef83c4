//! XML and numbers.

use glam::DMat4;
use std::fmt::Write;

/// Text that grows element by element.
pub(super) struct Xml {
    out: String,
    depth: usize,
}

impl Xml {
    pub(super) fn new() -> Self {
        Self { out: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".into(), depth: 0 }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    fn line(&mut self, text: std::fmt::Arguments) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        // Writing into a string cannot fail.
        let _ = writeln!(self.out, "{text}");
    }

    /// An element with others inside; `open` is its name and attributes.
    pub(super) fn element(&mut self, open: &str, inside: impl FnOnce(&mut Self)) {
        self.line(format_args!("<{open}>"));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line(format_args!("</{}>", name(open)));
    }

    /// An element with text inside.
    pub(super) fn leaf(&mut self, open: &str, text: &str) {
        self.line(format_args!("<{open}>{text}</{}>", name(open)));
    }

    /// An element with nothing inside.
    pub(super) fn empty(&mut self, open: &str) {
        self.line(format_args!("<{open}/>"));
    }

    /// A source of numbers, `params` names to a group.
    pub(super) fn floats(&mut self, id: &str, params: &[&str], values: &[f64]) {
        let groups = values.len() / params.len();
        self.array(id, "float_array", &numbers(values), values.len(), |xml| {
            let stride = params.len();
            let open = accessor(id, groups, stride);
            xml.element(&open, |xml| {
                for param in params {
                    xml.empty(&format!(r#"param name="{param}" type="float""#));
                }
            });
        });
    }

    /// A source of matrices.
    pub(super) fn matrices(&mut self, id: &str, values: &[DMat4]) {
        let flat: Vec<f64> = values.iter().flat_map(rows).collect();
        self.array(id, "float_array", &numbers(&flat), flat.len(), |xml| {
            xml.element(&accessor(id, values.len(), 16), |xml| {
                xml.empty(r#"param name="TRANSFORM" type="float4x4""#);
            });
        });
    }

    /// A source of words.
    pub(super) fn words(&mut self, id: &str, param: &str, words: &[&str]) {
        self.array(id, "Name_array", &words.join(" "), words.len(), |xml| {
            xml.element(&accessor(id, words.len(), 1), |xml| {
                xml.empty(&format!(r#"param name="{param}" type="name""#));
            });
        });
    }

    fn array(&mut self, id: &str, kind: &str, text: &str, count: usize, accessor: impl FnOnce(&mut Self)) {
        self.element(&format!(r#"source id="{id}""#), |xml| {
            xml.leaf(&format!(r#"{kind} id="{id}_array" count="{count}""#), text);
            xml.element("technique_common", accessor);
        });
    }
}

fn accessor(id: &str, count: usize, stride: usize) -> String {
    format!(r##"accessor source="#{id}_array" count="{count}" stride="{stride}""##)
}

/// The element's name, which ends where its attributes begin.
fn name(open: &str) -> &str {
    open.split(' ').next().unwrap_or(open)
}

/// A number as exporters print their floats, without rounding errors near zero.
pub(super) fn number(value: f64) -> String {
    let clean = ((value * 1e9).round() / 1e9) as f32;
    // Negative zero is zero.
    format!("{}", clean + 0.0)
}

pub(super) fn numbers(values: &[f64]) -> String {
    let mut out = String::with_capacity(values.len() * 10);
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(&number(*value));
    }
    out
}

pub(super) fn integers(values: impl IntoIterator<Item = u32>) -> String {
    let words: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    words.join(" ")
}

/// Row by row, as COLLADA has its matrices.
pub(super) fn rows(matrix: &DMat4) -> [f64; 16] {
    matrix.transpose().to_cols_array()
}
