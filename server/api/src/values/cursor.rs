//! Cursors of paged lists.

use super::limits;
use super::text::checked_text;

checked_text!(
    /// The `nextCursor` of a page: base64url, opaque to callers, at most [`limits::CURSOR`] characters.
    Cursor,
    |text| {
        let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if (1..=limits::CURSOR).contains(&text.len()) && text.bytes().all(is_base64url) {
            Ok(())
        } else {
            Err("must be the `nextCursor` of the previous page, sent with the same filters".to_owned())
        }
    },
    format: None,
    pattern: Some("^[A-Za-z0-9_-]+$"),
    max: Some(limits::CURSOR)
);
