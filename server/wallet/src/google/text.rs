//! Shortens texts to fit into a link.

/// The limits for texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextLimits {
    /// The longest text, in bytes as UTF-8.
    text: usize,
    /// Whether optional texts are kept.
    pub(super) optional: bool,
}

impl TextLimits {
    /// From the largest to the smallest.
    pub(super) const ALL: [Self; 8] = [
        Self { text: usize::MAX, optional: true },
        Self { text: 240, optional: true },
        Self { text: 120, optional: true },
        Self { text: 80, optional: true },
        Self { text: 120, optional: false },
        Self { text: 60, optional: false },
        Self { text: 30, optional: false },
        Self { text: 15, optional: false },
    ];

    /// The smallest.
    pub(super) const LEAST: Self = Self::ALL[Self::ALL.len() - 1];

    /// The text, or its beginning and an ellipsis. Control characters other than line breaks become spaces, because
    /// JSON needs six characters for each.
    pub(super) fn fit(self, text: &str) -> String {
        const ELLIPSIS: char = '…';
        let text = text.replace(|character: char| character.is_control() && character != '\n', " ");
        if text.len() <= self.text {
            return text;
        }
        let end = text.floor_char_boundary(self.text.saturating_sub(ELLIPSIS.len_utf8()));
        // A trailing joiner would be shown as a space.
        let mut shortened = text[..end].trim_end_matches(['\u{200D}', ' ']).to_owned();
        shortened.push(ELLIPSIS);
        shortened
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        let room = |text| TextLimits { text, optional: true };
        assert_eq!(room(5).fit("seven"), "seven");
        assert_eq!(room(6).fit("sevens…"), "sev…");
        assert_eq!(room(7).fit("äöüßäöü"), "äö…");
        assert_eq!(room(10).fit("👩\u{200D}👩\u{200D}👧"), "👩…");
        assert_eq!(room(1).fit("long"), "…");
        assert_eq!(room(9).fit("a\u{1}b\nc\td"), "a b\nc d");
    }

    #[test]
    fn the_rooms_become_narrower() {
        for [wide, narrow] in TextLimits::ALL.array_windows() {
            assert!(narrow.text < wide.text || (wide.optional && !narrow.optional), "{wide:?} to {narrow:?}");
        }
    }
}
