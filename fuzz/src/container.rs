//! Several files in one input of the fuzzer: each is a line with its name and its content, with a line `%%%%` between them.

use std::path::{Component, Path};

/// Stands between two files.
pub const SEPARATOR: &[u8] = b"\n%%%%\n";

/// The names and contents of the files in an input. A file whose name is not UTF-8 is left out.
pub fn unpack(mut data: &[u8]) -> Vec<(&str, &[u8])> {
    let mut files = Vec::new();
    loop {
        let end = find(data, SEPARATOR).unwrap_or(data.len());
        let (name, content) = cut(&data[..end], b"\n");
        if let Ok(name) = std::str::from_utf8(name) {
            files.push((name, content));
        }
        match data.get(end + SEPARATOR.len()..) {
            Some(rest) => data = rest,
            None => return files,
        }
    }
}

/// The input that holds these files.
pub fn pack<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let files: Vec<_> =
        files.into_iter().map(|(name, content)| [name.as_bytes(), content].join(&b'\n')).collect();
    files.join(SEPARATOR)
}

/// Writes files into a folder; those whose names lead out of it, or cannot be written, are left out.
pub fn write_to(folder: &Path, files: &[(&str, &[u8])]) {
    for (name, content) in files {
        if Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            let path = folder.join(name);
            let made = path.parent().is_some_and(|parent| std::fs::create_dir_all(parent).is_ok());
            // A name that the file system refuses is one more file that is missing.
            let _ = made && std::fs::write(path, content).is_ok();
        }
    }
}

/// What is before and after the first occurrence of `mark`; without one, all and nothing.
pub fn cut<'a>(data: &'a [u8], mark: &[u8]) -> (&'a [u8], &'a [u8]) {
    match find(data, mark) {
        Some(at) => (&data[..at], &data[at + mark.len()..]),
        None => (data, &[]),
    }
}

fn find(data: &[u8], mark: &[u8]) -> Option<usize> {
    data.windows(mark.len()).position(|window| window == mark)
}
