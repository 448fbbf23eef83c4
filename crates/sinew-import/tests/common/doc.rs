//! glTF documents of a few lines.

use sinew_import::{ImportError, Imported, InfluenceLimit, Options, import_bytes};
use std::path::Path;

/// A document whose one buffer holds what is added to it.
#[derive(Default)]
pub struct Doc {
    pub bytes: Vec<u8>,
    pub views: Vec<String>,
    pub accessors: Vec<String>,
}

impl Doc {
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.views.push(format!(
            r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#,
            self.bytes.len(),
            bytes.len()
        ));
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    pub fn floats(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes);
        self.accessor(&format!(
            r#""bufferView":{view},"componentType":5126,"type":"{kind}","count":{}"#,
            values.len() / width
        ))
    }

    pub fn accessor(&mut self, fields: &str) -> usize {
        self.accessors.push(format!("{{{fields}}}"));
        self.accessors.len() - 1
    }

    pub fn import(&self, rest: &str) -> Result<Imported, ImportError> {
        self.import_with(rest, &Options::default().with(|options| options.influences = InfluenceLimit::Eight))
    }

    pub fn import_with(&self, rest: &str, options: &Options) -> Result<Imported, ImportError> {
        import_bytes(self.text(rest).as_bytes(), Path::new("quirk.gltf"), options)
    }

    /// The document with something more in it.
    pub fn text(&self, rest: &str) -> String {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"accessors":[{}],"bufferViews":[{}],
               "buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{}"}}],{rest}}}"#,
            self.accessors.join(","),
            self.views.join(","),
            self.bytes.len(),
            base64(&self.bytes)
        )
    }
}

pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |word, &b| word << 8 | u32::from(b)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let part = DIGITS[(word >> (18 - 6 * digit)) as usize & 63];
            text.push(if digit <= three.len() { char::from(part) } else { '=' });
        }
    }
    text
}

pub const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

pub fn ids(imported: &Imported) -> Vec<&'static str> {
    imported.findings.iter().map(|f| f.id()).collect()
}
