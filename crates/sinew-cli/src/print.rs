//! Output for people: results on stdout, everything else on stderr, coloured if wanted.

use crate::visible::visible;
use anstyle::{AnsiColor, Style};
use serde_json::json;
use sinew::{Finding, Severity};
use sinew_build::compress::ClipSize;
use sinew_findings::plural;
use std::io::{self, BufWriter, Write};
use unicode_width::UnicodeWidthStr;

/// Headings.
pub const HEAD: Style = Style::new().bold();
/// Names of joints, clips and files.
pub const NAME: Style = AnsiColor::Cyan.on_default();
/// Less important text.
pub const DIM: Style = Style::new().dimmed();
/// Good results.
pub const GOOD: Style = AnsiColor::Green.on_default();

/// The two output streams and the verbosity.
pub struct Out {
    stdout: BufWriter<anstream::AutoStream<io::Stdout>>,
    quiet: bool,
    verbose: bool,
}

impl Out {
    /// Streams of this process.
    pub fn new(quiet: bool, verbose: bool) -> Self {
        Self { stdout: BufWriter::new(anstream::stdout()), quiet, verbose }
    }

    /// Whether nothing but results is wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether details are wanted.
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// A line of the result.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.stdout, "{}", visible(text.as_ref()))
    }

    /// Bytes of the result, unchanged.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stdout.write_all(bytes)
    }

    /// A value as one JSON document.
    pub fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.stdout, value)?;
        writeln!(self.stdout)
    }

    /// Flushes the buffered output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }

    /// A note on stderr; `-q` hides it.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            say(&format!("{DIM}note:{DIM:#} {text}"));
        }
    }

    /// Why the run failed.
    pub fn error(&self, text: &str) {
        let style = severity_style(Severity::Error);
        say(&format!("{style}error:{style:#} {text}"));
    }

    /// A line on stderr as it is, for programs.
    pub fn raw_error(&self, text: &str) {
        say(text);
    }
}

/// Errors are ignored: if stderr is closed, there is nowhere left to report them.
fn say(text: &str) {
    let _ = writeln!(anstream::stderr(), "{}", visible(text));
}

/// Colour of a severity.
pub fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Note => AnsiColor::Blue.on_default(),
    }
}

/// Whether a finding is printed: notes are with `-v` alone.
pub fn is_told(finding: &Finding, verbose: bool) -> bool {
    verbose || finding.severity() > Severity::Note
}

/// How many notes were not printed.
pub fn hidden_notes(out: &mut Out, count: usize) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    out.line(format!("\n{DIM}{} with -v{DIM:#}", plural(count, "more note", "more notes")))
}

/// A finding as a paragraph: what and where, how large, what to do.
pub fn finding(out: &mut Out, finding: &Finding) -> io::Result<()> {
    let style = severity_style(finding.severity());
    let times = if finding.count > 1 { format!(" ({}×)", finding.count) } else { String::new() };
    out.line(format!(
        "{style}{}{style:#} {HEAD}{}{HEAD:#} {DIM}{}{DIM:#}{times}",
        finding.severity().name(),
        finding.kind.title,
        finding.id(),
    ))?;
    out.line(format!("  {NAME}{}{NAME:#}: {}", finding.place, finding.message))?;
    if let Some(measured) = finding.measured {
        let number = |value: f64| number(value, finding.kind.unit_of(value));
        let threshold =
            finding.kind.threshold.map_or(String::new(), |t| format!(", threshold {}", number(t)));
        out.line(format!("  measured {}{threshold}", number(measured)))?;
    }
    if finding.kind.hint.is_empty() {
        return Ok(());
    }
    out.line(format!("  {GOOD}→{GOOD:#} {}", finding.kind.hint))
}

/// A number with its unit, rounded for reading.
pub fn number(value: f64, unit: &str) -> String {
    let digits = match value.abs() {
        v if v == v.trunc() && v < 1e6 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 1.0 => format!("{value:.2}"),
        v if v >= 1e-3 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    };
    match unit {
        "" => digits,
        "°" | "%" | "×" => format!("{digits}{unit}"),
        _ => format!("{digits} {unit}"),
    }
}

/// A number of bytes in kB or MB.
pub fn bytes(count: usize) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// The widest of some names: the width of their column in a table.
pub fn widest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// Spaces that fill a name up to the width of its column. Letters of Chinese, Japanese and Korean are two wide, marks over letters none.
pub fn pad(name: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(name.width()))
}

/// A count with its noun in a table: the count is right-aligned to `digits`, the noun padded to the width of its plural.
pub fn column(count: usize, digits: usize, one: &str, many: &str) -> String {
    let length = count.to_string().len();
    let indent = digits.saturating_sub(length);
    format!("{:indent$}{:<width$}", "", plural(count, one, many), width = length + 1 + many.len())
}

/// A finding as JSON.
pub fn finding_json(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "id": finding.id(),
        "severity": finding.severity().name(),
        "title": finding.kind.title,
        "place": finding.place,
        "message": finding.message,
        "count": finding.count,
        "measured": finding.measured,
        "threshold": finding.kind.threshold,
        "unit": finding.kind.unit,
        "hint": finding.kind.hint,
    })
}

/// Size, rate and error of a compiled clip.
pub fn clip_size(size: &ClipSize) -> String {
    let ratio = size.before as f64 / size.after.max(1) as f64;
    let how = match &size.frames {
        Some(tried) => {
            let [p99, max] = [tried.error.p99, tried.error.max].map(|metres| metres * 1e3);
            format!("{}, off by {p99:.3} mm (99 %), {max:.3} mm at most", tried.layout)
        }
        None => "keys".to_owned(),
    };
    format!("{:>9} of {:>9} (1 : {ratio:.1})  {how}", bytes(size.after), bytes(size.before))
}

/// The same for programs.
pub fn clip_size_json(size: &ClipSize) -> serde_json::Value {
    let frames = size.frames.as_ref().map(|tried| {
        json!({ "rate": tried.layout.rate, "cubic": tried.layout.cubic, "p99_m": tried.error.p99, "max_m": tried.error.max })
    });
    json!({ "name": size.name, "bytes_of_keys": size.before, "bytes": size.after, "frames": frames })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (value, unit, text) in [
            (100.0, "×", "100×"),
            (0.5, "mm", "0.5000 mm"),
            (1.234_567, "", "1.23"),
            (90.0, "°", "90°"),
            (1234.5, "mm", "1234 mm"),
            (2e-5, "", "2.00e-5"),
            (0.0, "mm", "0 mm"),
        ] {
            assert_eq!(number(value, unit), text);
        }
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(123_456), "123.5 kB");
    }

    #[test]
    fn columns_are_as_wide_as_their_letters() {
        let names = ["Walk", "歩く", "Прыжок", "e\u{301}"];
        let width = widest(names.into_iter());
        assert_eq!(names.map(|name| pad(name, width).len()), [2, 2, 0, 5]);
    }
}
