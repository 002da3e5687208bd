//! Ids within an itinerary.

use super::text::checked_text;

checked_text!(
    /// The id of a day, stop, flight, hotel, expense or packing item: 1 to 64 characters of `[A-Za-z0-9_-]`, unique
    /// within the itinerary.
    ItemId,
    |text| {
        let fits = (1..=64).contains(&text.len());
        if fits && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
            Ok(())
        } else {
            Err("must be 1 to 64 letters, digits, hyphens or underscores".to_owned())
        }
    },
    format: None,
    pattern: Some("^[A-Za-z0-9_-]{1,64}$"),
    max: None
);
