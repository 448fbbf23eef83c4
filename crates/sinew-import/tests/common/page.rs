//! The table of a format: printed, held to its bars, and kept in `docs/accuracy.md`.

use super::Row;
use super::compare::over;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The largest errors a file may have, relative to its diagonal.
#[derive(Clone, Copy)]
pub struct Bars {
    pub joint: f64,
    pub vertex: f64,
}

/// A file that is held to other bars than the rest, and why.
pub struct Tolerated {
    pub file: &'static str,
    pub bars: Bars,
    pub reason: &'static str,
}

/// Prints the table, writes the page if asked to (`SINEW_BLESS=1`), else checks that it lists every file, and fails if any row is
/// over its bars or lacks something. `format` names the section, as in `COLLADA`.
pub fn conclude(format: &str, rows: &[Row], bars: Bars, tolerated: &[Tolerated]) {
    let table = table(rows, tolerated);
    println!("{format}\n{table}");
    let faults = rows.iter().filter_map(|row| fault(row, bars, tolerated)).collect::<Vec<_>>();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let page = page_path();
    let text = std::fs::read_to_string(&page).unwrap_or_default();
    if std::env::var_os("SINEW_BLESS").is_some_and(|v| v == "1") {
        std::fs::create_dir_all(page.parent().expect("has a folder")).expect("docs can be written");
        std::fs::write(&page, with_section(&text, format, &section(bars, &table)))
            .expect("the page can be written");
        return;
    }
    let listed = find_section(&text, format).map_or("", |(start, end)| &text[start..end]);
    for row in rows {
        assert!(
            listed.contains(&format!("| `{}` |", row.file)),
            "docs/accuracy.md does not list {}: run this test with SINEW_BLESS=1",
            row.file
        );
    }
}

fn fault(row: &Row, bars: Bars, tolerated: &[Tolerated]) -> Option<String> {
    let bars = tolerated.iter().find(|t| t.file == row.file).map_or(bars, |t| t.bars);
    let mut faults = Vec::new();
    if over(row.joint_error, bars.joint) {
        faults.push(format!(
            "joint error {:.2e} over {:.0e}: {}",
            row.joint_error, bars.joint, row.worst_joint
        ));
    }
    if over(row.vertex_error, bars.vertex) {
        faults.push(format!(
            "vertex error {:.2e} over {:.0e}: {}",
            row.vertex_error, bars.vertex, row.worst_vertex
        ));
    }
    if !row.missing.is_empty() {
        faults.push(format!("without a counterpart: {}", row.missing.join(", ")));
    }
    (!faults.is_empty()).then(|| format!("{}: {}", row.file, faults.join("; ")))
}

fn table(rows: &[Row], tolerated: &[Tolerated]) -> String {
    let mut out = String::from(
        "| file | D | worst joint | worst vertex | samples | skipped | exceptions |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let reason = tolerated.iter().find(|t| t.file == row.file).map_or("", |t| t.reason);
        writeln!(
            out,
            "| `{}` | {:.4} | {:.1e} | {:.1e} | {} | {} | {reason} |",
            row.file, row.diagonal, row.joint_error, row.vertex_error, row.samples, row.skipped
        )
        .expect("a string takes everything");
    }
    out
}

fn section(bars: Bars, table: &str) -> String {
    let vertices = if bars.vertex.is_finite() {
        format!(", vertices {:.0e}", bars.vertex)
    } else {
        "; vertices are not compared".to_owned()
    };
    format!(
        "Largest errors over rest and all recorded samples, relative to the diagonal D of the rest vertices. Bars: joints \
         {:.0e}{vertices}.\n\n{table}",
        bars.joint
    )
}

fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/accuracy.md")
}

fn markers(format: &str) -> (String, String) {
    (format!("<!-- begin {format} -->\n"), format!("<!-- end {format} -->"))
}

/// Range of what lies between the markers.
fn find_section(text: &str, format: &str) -> Option<(usize, usize)> {
    let (begin, end) = markers(format);
    let start = text.find(&begin)? + begin.len();
    Some((start, start + text[start..].find(&end)?))
}

fn with_section(text: &str, format: &str, section: &str) -> String {
    if let Some((start, end)) = find_section(text, format) {
        return format!("{}{section}{}", &text[..start], &text[end..]);
    }
    let title = if text.is_empty() {
        "# Accuracy\n\nImported characters against what other programs recorded about the same files. The tests of the importers keep \
         these tables: `SINEW_BLESS=1 cargo test -p sinew-import gold`.\n"
    } else {
        text
    };
    let (begin, end) = markers(format);
    format!("{title}\n## {format}\n\n{begin}{section}{end}\n")
}
