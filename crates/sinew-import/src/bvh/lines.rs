//! Lines and words of a text, which know where they are.

use crate::Cause;

/// The lines of a text that have something in them.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    /// Lines before `rest`.
    count: usize,
    /// What is left of the line whose words are being read.
    line: &'a [u8],
    guessed: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes),
            count: 0,
            line: &[],
            guessed: false,
        }
    }

    /// The next line without the white space around it. Words of the line before that were not read are left out.
    pub(super) fn line(&mut self) -> Option<&'a [u8]> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (line, behind) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            let behind = behind.strip_prefix(b"\r\n").or_else(|| behind.get(1..)).unwrap_or_default();
            (self.rest, self.count, self.line) = (behind, self.count + 1, &[]);
            let line = line.trim_ascii();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }

    /// The next word; a brace is a word of its own.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        if self.line.is_empty() {
            self.line = self.line()?;
        }
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || is_brace(*byte);
        let end = match self.line.first() {
            Some(&first) if is_brace(first) => 1,
            _ => self.line.iter().position(is_end).unwrap_or(self.line.len()),
        };
        let (word, behind) = self.line.split_at(end);
        self.line = behind.trim_ascii_start();
        Some(word)
    }

    /// The next word if it is the given one, in upper or lower case.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let (rest, count, line) = (self.rest, self.count, self.line);
        let found = self.word().is_some_and(|word| word.eq_ignore_ascii_case(wanted.as_bytes()));
        if !found {
            (self.rest, self.count, self.line) = (rest, count, line);
        }
        found
    }

    /// What is left of the line, up to a brace: names may have spaces in them.
    pub(super) fn name(&mut self) -> String {
        let end = self.line.iter().position(|&byte| is_brace(byte)).unwrap_or(self.line.len());
        let (name, behind) = self.line.split_at(end);
        self.line = behind;
        let name = name.trim_ascii();
        match std::str::from_utf8(name) {
            Ok(name) => name.to_owned(),
            Err(_) => {
                self.guessed = true;
                // Latin-1 gives every byte a character, so names that differ stay different.
                name.iter().copied().map(char::from).collect()
            }
        }
    }

    /// Whether a name was in an unknown encoding.
    pub(super) fn guessed(&self) -> bool {
        self.guessed
    }

    /// What is left of the line whose words were read.
    pub(super) fn rest_of_line(&self) -> &'a [u8] {
        self.line
    }

    /// The next word as a number.
    pub(super) fn number(&mut self, what: &str) -> Result<f64, Cause> {
        let word = self.word().unwrap_or_default();
        let number = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f64>().ok());
        number.filter(|number| (*number as f32).is_finite()).ok_or_else(|| {
            self.wrong(format!("{what} is `{}`, which is not a number", String::from_utf8_lossy(word)))
        })
    }

    /// Bytes behind the lines that were read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// An error in the line that was read last.
    pub(super) fn wrong(&self, what: impl Into<String>) -> Cause {
        Cause::malformed(what, format!("line {}", self.count))
    }
}

fn is_brace(byte: u8) -> bool {
    matches!(byte, b'{' | b'}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lines_know_where_they_are() {
        let mut lines = Lines::new(b"\xEF\xBB\xBFROOT My Hips{\r\n\r\n  offset 1 -2e1\t.5}\rMOTION\n1 2");
        assert!(!lines.take("JOINT") && lines.take("root"));
        assert_eq!(lines.name(), "My Hips");
        assert!(lines.take("{") && lines.take("OFFSET"));
        assert_eq!([(); 3].map(|()| lines.number("x").unwrap()), [1.0, -20.0, 0.5]);
        assert!(lines.take("}"));
        assert!(lines.wrong("odd").to_string().contains("line 3"));
        assert!(lines.take("Motion"));
        assert_eq!((lines.line(), lines.count, lines.line()), (Some(&b"1 2"[..]), 5, None));
        assert!(Lines::new(b"1e39").number("x").is_err() && Lines::new(b"NaN").number("x").is_err());
    }
}
