//! Content lines.

/// The length after which a line is folded, in octets, without its line break.
const LONGEST: usize = 75;

/// Content lines, folded and ended by CR LF.
#[derive(Default)]
pub(super) struct CalendarLines {
    pub(super) text: String,
}

impl CalendarLines {
    /// Adds a line: a property's name with its parameters, and its value. Text must be [`escaped`].
    pub(super) fn line(&mut self, name: &str, value: &str) {
        let mut length = 0;
        for c in name.chars().chain([':']).chain(value.chars()) {
            if length + c.len_utf8() > LONGEST {
                self.text.push_str("\r\n ");
                length = 1;
            }
            self.text.push(c);
            length += c.len_utf8();
        }
        self.text.push_str("\r\n");
    }
}

/// Escapes a value of the type TEXT. Line breaks become `\n`, so that no text begins a line; other control characters are
/// removed.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            '\\' | ';' | ',' => escaped.extend(['\\', c]),
            '\t' => escaped.push(' '),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unfolded(lines: &CalendarLines) -> String {
        lines.text.replace("\r\n ", "")
    }

    #[test]
    fn long_lines_are_folded_between_characters() {
        let mut lines = CalendarLines::default();
        lines.line("SUMMARY", &"é".repeat(100));
        for line in lines.text.split_terminator("\r\n") {
            assert!(line.len() <= LONGEST, "{line}");
        }
        assert_eq!(unfolded(&lines), format!("SUMMARY:{}\r\n", "é".repeat(100)));
        let mut lines = CalendarLines::default();
        lines.line("A", &"b".repeat(LONGEST - 2));
        assert_eq!(lines.text, format!("A:{}\r\n", "b".repeat(LONGEST - 2)), "the longest line is not folded");
    }

    proptest! {
        #[test]
        fn no_text_begins_a_line_of_its_own(text in "(?s).{0,200}") {
            let mut lines = CalendarLines::default();
            lines.line("SUMMARY", &escaped(&text));
            let unfolded = unfolded(&lines);
            let one = unfolded.strip_suffix("\r\n").expect("an end");
            prop_assert!(!one.contains(['\r', '\n']));
            prop_assert!(lines.text.split("\r\n").all(|line| line.len() <= LONGEST));
        }
    }
}
