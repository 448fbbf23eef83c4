//! How far a long run is.

use crate::print::Out;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar on stderr; none where that is no terminal or nobody wants to hear of it.
pub fn bar(out: &Out) -> ProgressBar {
    if out.is_quiet() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
