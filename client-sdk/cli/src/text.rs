//! Text on a terminal. Titles, names and messages come from other people: nothing is printed before [`clean`].

use unicode_width::UnicodeWidthStr;

/// Removes what could control the terminal or reorder its line: control characters, which start escape sequences, and
/// bidirectional overrides. Line breaks and tabs become spaces.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .filter_map(|character| match character {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => Some(' '),
            character if character.is_control() || is_override(character) => None,
            character => Some(character),
        })
        .collect()
}

/// The same for text of several lines.
pub(crate) fn clean_lines(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

/// Whether a character reverses the text after it.
pub(crate) fn is_override(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The number of terminal columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Breaks a text into lines of at most `limit` columns, between words where possible. At least one line.
pub(crate) fn wrap(text: &str, limit: usize) -> Vec<String> {
    // A wide character must fit.
    let limit = limit.max(2);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if width(line) + 1 + width(word) <= limit {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
        if lines.last().is_some_and(|line| width(line) > limit) {
            let long = lines.pop().expect("it was too long");
            lines.extend(broken(&long, limit));
        }
    }
    lines
}

/// The same, but a text that fits keeps its spaces.
pub(crate) fn wrap_kept(text: &str, limit: usize) -> Vec<String> {
    if width(text) <= limit { vec![text.to_owned()] } else { wrap(text, limit) }
}

/// Breaks a word that is longer than a line.
fn broken(word: &str, limit: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for character in word.chars() {
        let line = lines.last_mut().expect("there is a line");
        line.push(character);
        if width(line) > limit {
            line.pop();
            lines.push(character.to_string());
        }
    }
    lines
}

/// A number with its noun, such as `1 day` or `7 days`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A duration, such as `45 min` or `2 h 05`.
pub(crate) fn duration(minutes: i64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes:02}"),
    }
}

/// A distance, such as `350 m` or `2.4 km`.
pub(crate) fn distance(metres: f64) -> String {
    if metres < 995.0 {
        format!("{:.0} m", (metres / 10.0).round() * 10.0)
    } else if metres < 99_950.0 {
        format!("{:.1} km", metres / 1000.0)
    } else {
        format!("{:.0} km", metres / 1000.0)
    }
}

/// `premiumEconomy` as `premium economy`.
pub(crate) fn words(value: &str) -> String {
    let mut words = String::new();
    for character in clean(value).chars() {
        if character.is_uppercase() {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_raw() {
        assert_eq!(clean("a\u{1b}[2Jb\u{7}c\u{9b}31md\u{7f}e"), "a[2Jbc31mde");
        assert_eq!(clean("one\r\ntwo\tthree\u{2028}four"), "one  two three four");
        assert_eq!(clean("safe\u{202e}cod.exe\u{2066}"), "safecod.exe");
        assert_eq!(clean("東京 – Zürich 👩‍🍳"), "東京 – Zürich 👩‍🍳");
        assert_eq!(clean_lines("a\u{1b}\nb\tc"), "a\nb c");
    }

    #[test]
    fn lines_break_between_words_by_width() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("浅草寺 雷門", 6), ["浅草寺", "雷門"]);
        assert_eq!(wrap("浅草寺雷門", 5), ["浅草", "寺雷", "門"]);
        assert_eq!(wrap("a abcdefgh b", 3), ["a", "abc", "def", "gh", "b"]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("寺", 0), ["寺"]);
    }

    #[test]
    fn amounts_read_well() {
        assert_eq!([0, 45, 60, 125].map(duration), ["0 min", "45 min", "1 h", "2 h 05"]);
        assert_eq!([344.0, 998.0, 2_449.0, 99_960.0].map(distance), ["340 m", "1.0 km", "2.4 km", "100 km"]);
        assert_eq!([count(0, "stop"), count(1, "stop")], ["0 stops", "1 stop"]);
        assert_eq!(words("premiumEconomy"), "premium economy");
    }
}
