//! Text that a terminal shows as it is.
//!
//! Names come from files of others. A control character in one could move the cursor, rename the window or turn what follows around.

use std::borrow::Cow;

/// The text with every control character written out, but for line breaks, tabs and colours.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let colour = colour(rest);
        let (taken, behind) = rest.split_at(if colour > 0 { colour } else { letter.len_utf8() });
        if colour == 0 && is_hidden(letter) {
            out.extend(letter.escape_unicode());
        } else {
            out.push_str(taken);
        }
        rest = behind;
    }
    out.into()
}

/// Control characters, and those that change the direction of writing.
fn is_hidden(letter: char) -> bool {
    let is_direction = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || letter.is_control() && !matches!(letter, '\n' | '\t')
}

/// Length of the colour that a text begins with, as this program writes them; zero if there is none.
fn colour(text: &str) -> usize {
    let Some(numbers) = text.strip_prefix("\u{1b}[") else { return 0 };
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(numbers.len());
    if numbers[end..].starts_with('m') { text.len() - numbers.len() + end + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_reach_the_terminal() {
        for (text, shown) in [
            ("plain ä 歩\n\tline", "plain ä 歩\n\tline"),
            ("\u{1b}[36mname\u{1b}[0m", "\u{1b}[36mname\u{1b}[0m"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("a\u{1b}]0;title\u{7}b", "a\\u{1b}]0;title\\u{7}b"),
            ("\u{1b}[", "\\u{1b}["),
            ("\u{1b}[31", "\\u{1b}[31"),
            ("a\rb\u{9b}2J\u{202e}", "a\\u{d}b\\u{9b}2J\\u{202e}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }
}
