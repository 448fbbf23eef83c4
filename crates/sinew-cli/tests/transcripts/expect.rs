//! Compares output with what a page shows of it.

/// Whether `actual` is what the page shows.
pub(crate) fn lines_match(shown: &[String], actual: &[String]) -> bool {
    shown.len() == actual.len() && shown.iter().zip(actual).all(|(shown, actual)| line_matches(shown, actual))
}

/// The real output, with the lines kept that match.
pub(crate) fn bless(shown: &[String], actual: &[String]) -> Vec<String> {
    let kept = |line: &String| shown.iter().find(|shown| line_matches(shown, line)).unwrap_or(line).clone();
    actual.iter().map(|line| kept(line).trim_end().to_owned()).collect()
}

/// Whether two lines are equal but for file sizes and spaces at the end.
fn line_matches(shown: &str, actual: &str) -> bool {
    without_sizes(shown) == without_sizes(actual)
}

/// The words of a line, and the spaces between them, without numbers in front of a unit of bytes.
fn without_sizes(line: &str) -> Vec<&str> {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let is_unit = |word: &str| matches!(word.trim_end_matches([',', ';']), "B" | "kB" | "MB");
    let mut words: Vec<&str> = line.trim_end().split(' ').collect();
    for at in 1..words.len() {
        if is_unit(words[at]) && is_number(words[at - 1]) {
            (words[at - 1], words[at]) = ("", if words[at].ends_with(',') { "size," } else { "size" });
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn sizes_are_not_compared() {
        assert!(line_matches("a.png  640×480, 12.3 kB", "a.png  640×480, 1.2 MB"));
        assert!(line_matches("whole: 12.3 kB, 3 clips", "whole: 999 B, 3 clips  "));
        assert!(!line_matches("whole: 12.3 kB, 3 clips", "whole: 12.3 kB, 4 clips"));
        assert!(!line_matches("within 0.1 mm", "within 0.2 mm"));
        assert!(!line_matches("a  b", "a b"));
    }

    #[test]
    fn all_lines_are_compared() {
        assert!(lines_match(&lines("a\nb"), &lines("a\nb")));
        assert!(!lines_match(&lines("a"), &lines("a\nb")));
        assert!(!lines_match(&lines("a\nb"), &lines("a")));
    }

    #[test]
    fn blessing_keeps_lines_that_match() {
        let shown = lines("joints 3\na.png  12 kB");
        assert_eq!(bless(&shown, &lines("joints 65\na.png  13 kB")), lines("joints 65\na.png  12 kB"));
    }
}
