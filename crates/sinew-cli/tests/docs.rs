//! The tables of `docs/doctor.md` are the catalogue, those of `docs/projects.md` the keys. `SINEW_BLESS=1` writes them anew.

use sinew::Kind;
use sinew_build::project::settings::keys;
use sinew_examine::criteria::{CAUSES, CRITERIA};
use sinew_findings::catalogue;
use std::fmt::Write;
use std::path::Path;

/// Numbers as people write them: 30, 1.05.
fn threshold(kind: &Kind) -> String {
    match kind.threshold {
        Some(value) if kind.unit == "%" || kind.unit == "°" => {
            format!("{value} {}", kind.unit).replace(" °", "°")
        }
        Some(value) => format!("{value} {}", kind.unit),
        None => "—".to_owned(),
    }
}

fn kinds(all: &[&Kind]) -> String {
    let mut out = String::from("| finding | severity | from | what it is |\n|---|---|---|---|\n");
    for kind in all {
        let line = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            kind.id,
            kind.severity.name(),
            threshold(kind),
            kind.title
        );
        line.expect("a string takes everything");
    }
    out
}

fn criteria() -> String {
    let mut out = String::from("| for | value | what it decides |\n|---|---|---|\n");
    for criterion in CRITERIA {
        let value = format!("{} {}", criterion.value, criterion.unit);
        let line = writeln!(
            out,
            "| `{}` | {} | {} |",
            criterion.kind.id,
            value.trim().replace(" °", "°"),
            criterion.about
        );
        line.expect("a string takes everything");
    }
    out
}

fn causes() -> String {
    let mut out = String::from("| cause | explains |\n|---|---|\n");
    for cause in CAUSES {
        let explains: Vec<_> = cause.explains.iter().map(|kind| format!("`{}`", kind.id)).collect();
        let line = writeln!(out, "| `{}` | {} |", cause.kind.id, explains.join(", "));
        line.expect("a string takes everything");
    }
    out
}

/// What each finding means and what to do, as `sinew explain` says it.
fn entries(all: impl Iterator<Item = &'static Kind>) -> String {
    let mut out = String::new();
    for kind in all {
        let line =
            writeln!(out, "**`{}`** — {}. {} *{}*\n", kind.id, kind.title, kind.explanation, kind.hint);
        line.expect("a string takes everything");
    }
    out
}

/// The page with the part between the two marks of that name replaced.
fn with_section(page: &str, name: &str, content: &str) -> String {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (head, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("the page lacks `{begin}`"));
    let (_, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("the page lacks `{end}`"));
    format!("{head}{begin}{}\n{end}{tail}", content.trim_end())
}

fn key_table(table: &str) -> String {
    let mut out = String::from("| key | default | meaning |\n|---|---|---|\n");
    for key in keys().filter(|key| key.table == table) {
        let default =
            if key.default.is_empty() { "must be there".to_owned() } else { format!("`{}`", key.default) };
        writeln!(out, "| `{}` | {default} | {} |", key.name, key.about).expect("a string takes everything");
    }
    out
}

/// Whether a page has these sections; writes them if that is asked for.
fn check(page: &str, sections: &[(&str, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("docs/{page}: {error}"));
    let blessed =
        sections.iter().fold(text.clone(), |text, (name, content)| with_section(&text, name, content));
    if std::env::var_os("SINEW_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, blessed).unwrap_or_else(|error| panic!("docs/{page}: {error}"));
    } else {
        assert!(text == blessed, "docs/{page} differs from the code: run this test with SINEW_BLESS=1");
    }
}

#[test]
fn the_page_has_the_catalogue() {
    let sections = [
        ("findings", kinds(catalogue::examine::ALL)),
        ("criteria", criteria()),
        ("importer findings", kinds(catalogue::import::ALL)),
        ("run-time findings", kinds(catalogue::play::ALL)),
        ("writer findings", kinds(catalogue::build::ALL)),
        ("renderer findings", kinds(catalogue::render::ALL)),
        ("causes", causes()),
        ("entries", entries(catalogue::all())),
    ];
    check("doctor.md", &sections);
}

#[test]
fn the_page_has_the_keys() {
    let sections = ["build", "import", "character", "clip"].map(|table| (table, key_table(table)));
    check("projects.md", &sections);
}
