//! Compares output with what a page shows of it.

/// Stands for any text within a line.
const ANY_TEXT: &str = "[..]";
/// A line that stands for any number of lines.
const ANY_LINES: &str = "...";

/// Whether `actual` is what the page shows.
pub(crate) fn lines_match(shown: &[String], actual: &[String]) -> bool {
    match shown {
        [] => actual.is_empty(),
        [first, rest @ ..] if first == ANY_LINES => {
            (0..=actual.len()).any(|taken| lines_match(rest, &actual[taken..]))
        }
        [first, rest @ ..] => match actual {
            [line, others @ ..] => line_matches(first, line) && lines_match(rest, others),
            [] => false,
        },
    }
}

/// Whether the line is what the page shows. Spaces at the end of a line are not seen, so they do not count.
fn line_matches(shown: &str, actual: &str) -> bool {
    let (shown, actual) = (shown.trim_end(), actual.trim_end());
    let Some((start, rest)) = shown.split_once(ANY_TEXT) else {
        return shown == actual;
    };
    let Some(mut left) = actual.strip_prefix(start) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split(ANY_TEXT).collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match left.split_once(piece) {
            Some((_, after)) => left = after,
            None => return false,
        }
    }
    left.ends_with(end)
}

/// The real output, with the lines kept that the page shows in part and that still hold.
pub(crate) fn bless(shown: &[String], actual: &[String]) -> Vec<String> {
    let partial: Vec<&String> = shown.iter().filter(|line| line.contains(ANY_TEXT)).collect();
    let keep = |line: &String| {
        let kept = partial.iter().find(|shown| line_matches(shown, line)).copied();
        kept.unwrap_or(line).trim_end().to_owned()
    };
    actual.iter().map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn text_within_a_line_is_left_out() {
        assert!(line_matches("took [..] ms", "took 12 ms"));
        assert!(line_matches("[..]", "anything"));
        assert!(line_matches("a[..]b[..]c", "a b b c"));
        assert!(line_matches("plain", "plain  "));
        assert!(!line_matches("took [..] ms", "took 12 s"));
        assert!(!line_matches("a[..]b[..]c", "a c"));
        assert!(!line_matches("ab[..]ba", "aba"));
        assert!(!line_matches("plain", "plain and more"));
    }

    #[test]
    fn lines_are_left_out() {
        assert!(lines_match(&lines("a\n...\nd"), &lines("a\nb\nc\nd")));
        assert!(lines_match(&lines("a\n..."), &lines("a")));
        assert!(!lines_match(&lines("a\n...\nd"), &lines("a\nb\nc")));
        assert!(!lines_match(&lines("a"), &lines("a\nb")));
        assert!(!lines_match(&lines("a\nb"), &lines("a")));
    }

    #[test]
    fn blessing_keeps_partial_lines_that_hold() {
        let shown = lines("joints 3\ntook [..] ms");
        let actual = lines("joints 65\ntook 12 ms");
        assert_eq!(bless(&shown, &actual), lines("joints 65\ntook [..] ms"));
    }
}
