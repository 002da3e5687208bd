//! Fields at fixed positions.

/// The fields of a barcode or of a section of it, in order. Fields that lie behind the end are blank, because many
/// passes leave out the blanks at the end.
#[derive(Debug)]
pub(super) struct Fields<'c> {
    rest: &'c [char],
}

impl<'c> Fields<'c> {
    pub(super) fn new(characters: &'c [char]) -> Self {
        Self { rest: characters }
    }

    fn take(&mut self, length: usize) -> &'c [char] {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    pub(super) fn skip(&mut self, length: usize) {
        self.take(length);
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.first().copied()
    }

    /// The next field, trimmed. `None` if it is blank.
    pub(super) fn text(&mut self, length: usize) -> Option<String> {
        let text: String = self.take(length).iter().collect();
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The size of the section that follows, of two hexadecimal digits.
    pub(super) fn size(&mut self) -> Option<usize> {
        let digits: String = self.take(2).iter().collect();
        usize::from_str_radix(&digits, 16).ok()
    }

    /// The section of this size that follows, as far as the text goes.
    pub(super) fn section(&mut self, size: usize) -> Fields<'c> {
        Fields { rest: self.take(size) }
    }
}
