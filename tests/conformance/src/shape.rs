//! Shapes of the resources (specification, section 2): fields and their types.

use serde_json::Value;

use crate::outcome::Checked;
use crate::response::ReceivedResponse;

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Text,
    Uuid,
    /// `YYYY-MM-DD`.
    Date,
    /// RFC 3339 with an offset.
    DateTime,
    Whole,
    Number,
    Truth,
    List,
    Object,
    Url,
}

use Kind::{Date, DateTime, List, Number, Object, Text, Truth, Url, Uuid, Whole};

/// Fields that a response always has.
pub type Fields = &'static [(&'static str, Kind)];

/// Section 2.3, without the fields that depend on the reader.
pub const ITINERARY: Fields = &[
    ("id", Uuid),
    ("title", Text),
    ("destination", Object),
    ("startDate", Date),
    ("travellers", Whole),
    ("tags", List),
    ("days", List),
    ("visibility", Text),
    ("role", Text),
    ("author", Object),
    ("createdAt", DateTime),
    ("updatedAt", DateTime),
    ("likesCount", Whole),
    ("viewsCount", Whole),
];

/// Section 2.13.
pub const SUMMARY: Fields = &[
    ("id", Uuid),
    ("title", Text),
    ("destination", Object),
    ("startDate", Text),
    ("tags", List),
    ("visibility", Text),
    ("role", Text),
    ("daysCount", Whole),
    ("stopsCount", Whole),
    ("author", Object),
    ("updatedAt", DateTime),
    ("etag", Text),
    ("likesCount", Whole),
];

/// Section 2.13, `author`.
pub const AUTHOR: Fields = &[("accountId", Text), ("username", Text), ("displayName", Text)];

/// Operation `account_self`.
pub const ACCOUNT: Fields = &[
    ("accountId", Uuid),
    ("username", Text),
    ("displayName", Text),
    ("isPro", Truth),
    ("plan", Text),
    ("scopes", List),
    ("createdAt", DateTime),
];

/// Operation `account_view`.
pub const PROFILE: Fields = &[
    ("accountId", Uuid),
    ("username", Text),
    ("displayName", Text),
    ("isPro", Truth),
    ("followersCount", Whole),
    ("followingCount", Whole),
    ("following", Truth),
];

/// Operation `marks_view`.
pub const MARKS: Fields =
    &[("liked", Truth), ("disliked", Truth), ("saved", Truth), ("likesCount", Whole), ("savesCount", Whole)];

/// Operation `member_set`.
pub const MEMBER: Fields = &[
    ("accountId", Uuid),
    ("username", Text),
    ("displayName", Text),
    ("role", Text),
    ("status", Text),
    ("since", DateTime),
];

/// Operation `invitation_list`.
pub const INVITATION: Fields = &[("itineraryId", Uuid), ("title", Text), ("role", Text), ("at", DateTime)];

/// Section 2.12.
pub const UPLOADED: Fields =
    &[("id", Text), ("name", Text), ("kind", Text), ("mimeType", Text), ("size", Whole), ("url", Url)];

/// Section 2.6.
pub const LEG: Fields =
    &[("from", Text), ("to", Text), ("mode", Text), ("minutes", Number), ("metres", Number), ("source", Text)];

impl ReceivedResponse {
    /// Expects these fields at a path in the body. `""` is the whole body.
    pub fn shaped(&self, pointer: &str, fields: Fields) -> Checked<&Self> {
        let body = self.json()?;
        let value = body.pointer(pointer).unwrap_or(&Value::Null);
        for (name, kind) in fields {
            self.ensure(kind.fits(&value[*name]), format!("{pointer}/{name} to be {}", kind.named()))?;
        }
        Ok(self)
    }
}

impl Kind {
    fn fits(self, value: &Value) -> bool {
        let text = |check: fn(&str) -> bool| value.as_str().is_some_and(check);
        match self {
            Text => value.is_string(),
            Uuid => text(|text| text.len() == 36 && uuid::Uuid::parse_str(text).is_ok()),
            Date => text(is_date),
            DateTime => text(is_date_time),
            Whole => value.is_u64(),
            Number => value.is_number(),
            Truth => value.is_boolean(),
            List => value.is_array(),
            Object => value.is_object(),
            Url => text(|text| reqwest::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))),
        }
    }

    fn named(self) -> &'static str {
        match self {
            Text => "a string",
            Uuid => "a UUID",
            Date => "a date (YYYY-MM-DD)",
            DateTime => "a date-time (RFC 3339)",
            Whole => "an integer of at least 0",
            Number => "a number",
            Truth => "a boolean",
            List => "an array",
            Object => "an object",
            Url => "an http or https URL",
        }
    }
}

/// Whether a text has digits where the pattern has `0`, and the same characters elsewhere.
fn follows(text: &str, pattern: &str) -> bool {
    let fits = |(found, wanted): (u8, u8)| if wanted == b'0' { found.is_ascii_digit() } else { found == wanted };
    text.len() == pattern.len() && text.bytes().zip(pattern.bytes()).all(fits)
}

/// Whether a text is a date.
pub fn is_date(text: &str) -> bool {
    follows(text, "0000-00-00")
}

fn is_date_time(text: &str) -> bool {
    let Some((start, rest)) = text.split_at_checked(19) else { return false };
    let rest =
        rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    let is_offset = rest == "Z" || follows(rest, "+00:00") || follows(rest, "-00:00");
    follows(start, "0000-00-00T00:00:00") && is_offset
}

#[cfg(test)]
mod tests {
    use super::{is_date, is_date_time};

    #[test]
    fn dates_and_times_are_told_from_other_text() {
        assert!(is_date("2027-01-31") && !is_date("2027-1-31") && !is_date("2027-01-31T"));
        for time in ["2027-01-10T12:00:00Z", "2027-01-10T12:00:00.000Z", "2027-01-10T12:00:00+01:00"] {
            assert!(is_date_time(time), "{time}");
        }
        for text in ["2027-01-10", "2027-01-10T12:00:00", "2027-01-10 12:00:00Z", "2027-01-10T12:00:00.000Zé", "é"] {
            assert!(!is_date_time(text), "{text}");
        }
    }
}
