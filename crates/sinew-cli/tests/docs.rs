//! Checks the generated tables of the pages (findings, criteria, keys, options, error codes). `SINEW_BLESS=1` writes them.

use sinew::Kind;
use sinew_build::project::settings::keys;
use sinew_examine::criteria::{CAUSES, CRITERIA};
use sinew_findings::catalogue;
use std::fmt::Write;
use std::path::Path;

/// A threshold with its unit: `30 mm`, `1 vertex`.
fn threshold(kind: &Kind) -> String {
    match kind.threshold {
        Some(value) if kind.unit == "%" || kind.unit == "°" => {
            format!("{value} {}", kind.unit).replace(" °", "°")
        }
        Some(value) => format!("{value} {}", kind.unit_of(value)),
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

/// The flags that all commands share, as the help shows them.
fn import_options() -> String {
    let mut out = String::from("| option | default | meaning |\n|---|---|---|\n");
    let command = <sinew_import::Options as clap::Args>::augment_args(clap::Command::new("sinew"));
    for flag in command.get_arguments() {
        let names = flag.get_value_names().filter(|_| flag.get_action().takes_values()).unwrap_or_default();
        let values = names.iter().map(|name| format!(" {}", name.replace('|', "\\|"))).collect::<String>();
        let default: Vec<_> = flag.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let default = if values.is_empty() { String::new() } else { default.join(", ") };
        let long = flag.get_long().expect("every option has a long name");
        let help = flag.get_help().expect("every option has a help").to_string();
        writeln!(out, "| `--{long}{values}` | {default} | {} |", help.trim_end_matches('.'))
            .expect("a string takes everything");
    }
    out
}

/// Every code of an error that the libraries return.
#[cfg(feature = "render")]
fn error_codes() -> Vec<(&'static str, &'static str)> {
    use sinew_build::bundle::{CertifyError, VerifyError, WriteError};
    use sinew_build::project::init::InitError;
    use sinew_build::project::{CompileError, ProjectError};
    let types = [
        sinew_import::Cause::CODES,
        sinew_import::MergeError::CODES,
        sinew_import::LoadError::CODES,
        sinew_retarget::RetargetError::CODES,
        sinew::ClipErrorKind::CODES,
        sinew::BundleError::CODES,
        ProjectError::CODES,
        InitError::CODES,
        CompileError::CODES,
        CertifyError::CODES,
        VerifyError::CODES,
        WriteError::CODES,
        sinew_build::monogame::MonoGameError::CODES,
        sinew_xnb::Cause::CODES,
        sinew_build::textures::TextureWriteError::CODES,
        sinew_render::RenderError::CODES,
    ];
    types.concat()
}

/// Checks that a page has these sections; writes them with `SINEW_BLESS=1`.
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
        ("retargeting findings", kinds(catalogue::retarget::ALL)),
        ("causes", causes()),
        ("entries", entries(catalogue::all())),
    ];
    check("doctor.md", &sections);
}

#[test]
fn the_pages_have_the_keys() {
    let sections = ["build", "import", "character", "clip"].map(|table| (table, key_table(table)));
    check("projects.md", &sections);
    check("monogame.md", &[("monogame", key_table("monogame"))]);
}

#[cfg(feature = "render")]
#[test]
fn the_page_has_the_options_and_the_error_codes() {
    let codes = error_codes();
    let mut table = String::from("| code | meaning |\n|---|---|\n");
    for (code, about) in &codes {
        writeln!(table, "| `{code}` | {about} |").expect("a string takes everything");
    }
    check("commands.md", &[("import options", import_options()), ("error codes", table)]);
    let mut ids: Vec<_> =
        codes.iter().map(|(code, _)| *code).chain(catalogue::all().map(|kind| kind.id)).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "a code is there twice, or is also the id of a finding");
}
