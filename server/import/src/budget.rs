//! Limits for reading one file with everything that is packed in it.
//!
//! Readers ask before they inflate, walk or nest. The budget measures no time itself: long loops ask the caller's probe with
//! [`Budget::check`].

use std::io::Read;

use thiserror::Error;

use crate::file::{Ignored, Reason};

/// Entries of archives and parts of mails.
pub const MAX_ENTRIES: u32 = 200;
/// Bytes after inflating, over all entries.
pub const MAX_INFLATED: u64 = 20_000_000;
/// Inflated bytes for each packed byte.
pub const MAX_RATIO: u64 = 100;
/// Entries of this size or less may have any ratio.
pub const ANY_RATIO: u64 = 65_536;
/// Mails inside mails. The outermost mail is at depth 1.
pub const MAX_MAIL_DEPTH: u32 = 5;
/// Nested arrays and objects of JSON.
pub const MAX_JSON_DEPTH: usize = 64;
/// Objects of JSON, before it is parsed: each takes some hundred bytes of memory, however short it is.
pub const MAX_JSON_OBJECTS: usize = 20_000;
/// Values of JSON, before it is parsed.
pub const MAX_JSON_VALUES: usize = 150_000;
/// Lines of a calendar, before it is parsed.
pub const MAX_CALENDAR_LINES: usize = 100_000;
/// Bookings and waypoints.
pub const MAX_ITEMS: u32 = 10_000;

/// A limit that a file exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Exceeded {
    #[error("The file has more than {MAX_ENTRIES} entries or parts.")]
    Entries,
    #[error("The file is larger than {MAX_INFLATED} bytes when it is inflated.")]
    Inflated,
    #[error("An entry is more than {MAX_RATIO} times as large as its compressed form.")]
    Ratio,
    #[error("Mails are nested more than {MAX_MAIL_DEPTH} deep.")]
    MailDepth,
    #[error("The JSON is nested more than {MAX_JSON_DEPTH} deep.")]
    JsonDepth,
    #[error("The file has more than {MAX_ITEMS} bookings and places.")]
    Items,
    #[error("The file has too many elements or values.")]
    Elements,
    #[error("Reading the file takes too long.")]
    Time,
}

impl From<Exceeded> for Ignored {
    fn from(exceeded: Exceeded) -> Self {
        Self { reason: Reason::TooLarge, message: exceeded.to_string() }
    }
}

/// Why an entry could not be inflated.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum InflateError {
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
    #[error("The entry is damaged: {0}")]
    Damaged(#[from] std::io::Error),
}

/// What may still be read of a file. Use one for each file, with the same probe for all files of a request.
pub struct Budget<'a> {
    entries: u32,
    inflated: u64,
    items: u32,
    mail_depth: u32,
    should_stop: &'a dyn Fn() -> bool,
}

impl<'a> Budget<'a> {
    /// A full budget. `should_stop` returns true once the caller's time is used up.
    pub fn new(should_stop: &'a dyn Fn() -> bool) -> Self {
        Self { entries: MAX_ENTRIES, inflated: MAX_INFLATED, items: MAX_ITEMS, mail_depth: 0, should_stop }
    }

    /// Fails with [`Exceeded::Time`] once the probe says so. Cheap enough for every few dozen steps of a loop.
    pub fn check(&self) -> Result<(), Exceeded> {
        if (self.should_stop)() { Err(Exceeded::Time) } else { Ok(()) }
    }

    /// Takes one entry of an archive or one part of a mail.
    pub fn take_entry(&mut self) -> Result<(), Exceeded> {
        self.check()?;
        self.entries = self.entries.checked_sub(1).ok_or(Exceeded::Entries)?;
        Ok(())
    }

    /// Takes one booking or waypoint.
    pub fn take_item(&mut self) -> Result<(), Exceeded> {
        self.check()?;
        self.items = self.items.checked_sub(1).ok_or(Exceeded::Items)?;
        Ok(())
    }

    /// Inflates an entry of `packed` bytes from `reader`, whatever size the archive declares for it. Stops at the first
    /// byte over a limit.
    pub fn inflate(&mut self, packed: u64, reader: impl Read) -> Result<Vec<u8>, InflateError> {
        let by_ratio = packed.saturating_mul(MAX_RATIO).max(ANY_RATIO);
        let limit = by_ratio.min(self.inflated);
        let mut content = Vec::new();
        reader.take(limit + 1).read_to_end(&mut content)?;
        let size = content.len() as u64;
        if size > limit {
            return Err(if by_ratio < self.inflated { Exceeded::Ratio } else { Exceeded::Inflated }.into());
        }
        self.inflated -= size;
        self.check()?;
        Ok(content)
    }

    /// Runs `read` one mail deeper.
    pub fn in_mail<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Exceeded>) -> Result<T, Exceeded> {
        if self.mail_depth >= MAX_MAIL_DEPTH {
            return Err(Exceeded::MailDepth);
        }
        self.mail_depth += 1;
        let result = read(self);
        self.mail_depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn never() -> bool {
        false
    }

    #[test]
    fn entries_and_items_are_counted() {
        let mut budget = Budget::new(&never);
        for _ in 0..MAX_ENTRIES {
            budget.take_entry().unwrap();
        }
        assert_eq!(budget.take_entry(), Err(Exceeded::Entries));
        for _ in 0..MAX_ITEMS {
            budget.take_item().unwrap();
        }
        assert_eq!(budget.take_item(), Err(Exceeded::Items));
    }

    #[test]
    fn small_entries_may_have_any_ratio() {
        let mut budget = Budget::new(&never);
        assert_eq!(budget.inflate(1, std::io::repeat(0).take(ANY_RATIO)).unwrap().len() as u64, ANY_RATIO);
        let over = budget.inflate(1, std::io::repeat(0).take(ANY_RATIO + 1));
        assert!(matches!(over, Err(InflateError::Exceeded(Exceeded::Ratio))));
    }

    #[test]
    fn inflated_bytes_add_up() {
        let mut budget = Budget::new(&never);
        budget.inflate(1_000_000, std::io::repeat(0).take(MAX_INFLATED - 1)).unwrap();
        let over = budget.inflate(1_000_000, std::io::repeat(0));
        assert!(matches!(over, Err(InflateError::Exceeded(Exceeded::Inflated))));
        budget.inflate(1_000_000, std::io::repeat(0).take(1)).unwrap();
    }

    #[test]
    fn mails_nest_five_deep() {
        fn nest(budget: &mut Budget, depth: u32) -> Result<(), Exceeded> {
            if depth == 0 { Ok(()) } else { budget.in_mail(|budget| nest(budget, depth - 1)) }
        }
        let mut budget = Budget::new(&never);
        assert_eq!(nest(&mut budget, MAX_MAIL_DEPTH), Ok(()));
        assert_eq!(nest(&mut budget, MAX_MAIL_DEPTH + 1), Err(Exceeded::MailDepth));
        assert_eq!(nest(&mut budget, MAX_MAIL_DEPTH), Ok(()), "the depth is given back");
    }

    #[test]
    fn the_probe_stops_everything() {
        let stop = Cell::new(false);
        let should_stop = || stop.get();
        let mut budget = Budget::new(&should_stop);
        assert_eq!(budget.check(), Ok(()));
        stop.set(true);
        assert_eq!(budget.check(), Err(Exceeded::Time));
        assert_eq!(budget.take_entry(), Err(Exceeded::Time));
        assert_eq!(budget.take_item(), Err(Exceeded::Time));
        assert!(matches!(budget.inflate(1, std::io::empty()), Err(InflateError::Exceeded(Exceeded::Time))));
    }
}
