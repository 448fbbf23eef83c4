//! Progress of long runs.

use crate::print::Out;
use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar on stderr; hidden if that is not a terminal, or with `-q`.
pub fn bar(out: &Out) -> ProgressBar {
    if out.is_quiet() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
