//! The values in wire types: each is validated when it is deserialised, and states its limits in its schema.
//!
//! A value that exists is within its limits, so no code checks it again. Rules between several values, such as a check-out
//! after a check-in, are in `itinerary-core`.

mod base64;
mod codes;
mod cursor;
mod entity_tags;
mod id;
mod link;
mod list;
mod media_type;
mod number;
mod patch;
mod text;
mod time;

pub use self::base64::Base64;
pub use codes::{AirportCode, CountryCode, Currency, TimeZone};
pub use cursor::Cursor;
pub use entity_tags::{EntityTag, EntityTags};
pub use id::ItemId;
pub use link::{WebUrl, WebhookUrl};
pub use list::List;
pub use media_type::MediaType;
pub use number::{Amount, Latitude, Longitude, Measure, Rating, Whole};
pub use patch::{Change, Ignored, Merge, Missing, Patch, camel_case};
pub(crate) use patch::{is_default, null_is_default, resource};
pub use text::Text;
pub(crate) use text::{one_of, string_schema};
pub use time::{Date, LocalTime, OffsetTime, Timestamp};

/// The service's limits. Schemas and checks use the same constants.
pub mod limits {
    /// Characters of an itinerary's title.
    pub const TITLE: usize = 200;
    /// Characters of an itinerary's summary.
    pub const SUMMARY: usize = 5_000;
    /// Characters of the name of a stop, hotel, place or other item.
    pub const NAME: usize = 200;
    /// Characters of a postal address.
    pub const ADDRESS: usize = 500;
    /// Characters of short free text, such as a seat, a phone number or a source.
    pub const LABEL: usize = 200;
    /// Characters of a place provider's id.
    pub const PLACE_ID: usize = 500;
    /// Characters of one tag.
    pub const TAG: usize = 50;
    /// Tags of an itinerary.
    pub const TAGS: usize = 30;
    /// Characters of a traveller's display name.
    pub const DISPLAY_NAME: usize = 100;
    /// Characters of a secret link's label.
    pub const LINK_LABEL: usize = 100;
    /// Characters of a report's note.
    pub const NOTE: usize = 1_000;
    /// The longest notes of a day, a stop or a booking, in characters.
    pub const NOTES: usize = 2_000;
    /// The longest confirmation number, in characters.
    pub const CONFIRMATION_NUMBER: usize = 50;
    /// The most tickets of a booking.
    pub const TICKETS: usize = 20;
    /// The longest text of a ticket's barcode, in characters.
    pub const TICKET_TEXT: usize = 2_000;
    /// The longest data of a ticket's barcode, in characters of base64.
    pub const TICKET_DATA: usize = 4_000;
    /// Characters of a search query.
    pub const QUERY: usize = 200;
    /// Days of an itinerary.
    pub const DAYS: usize = 366;
    /// Stops, and legs, of a day.
    pub const STOPS: usize = 100;
    /// Flights, hotels, expenses or packing items. The 256 KB of an itinerary rarely have room for more.
    pub const ITEMS: usize = 5_000;
    /// The largest index that can be requested in a list: one past the last of [`DAYS`] days.
    #[expect(clippy::cast_possible_wrap, reason = "a few hundred")]
    pub const POSITION: i64 = DAYS as i64;
    /// Characters of a URL.
    pub const URL: usize = 2_000;
    /// Bytes of an itinerary's stored JSON, all sections together: 256 KB.
    pub const ITINERARY: usize = 262_144;
    /// Bytes of a JSON body. More than [`ITINERARY`], so that an itinerary just over its limit is rejected by its own
    /// size.
    pub const JSON_BODY: usize = 524_288;
    /// Bytes of an uploaded image: 10 MB.
    pub const IMAGE_BODY: usize = 10_485_760;
    /// Bytes of an uploaded document: 20 MB.
    pub const DOCUMENT: u64 = 20 * 1_048_576;
    /// Bytes of an upload's body besides its file: the other parts, and the headers of all parts.
    pub const DOCUMENT_REST: u64 = 65_536;
    /// Bytes of each part of an upload other than the file.
    pub const DOCUMENT_PART: u64 = 4_096;
    /// Bytes of the body of an import: 20 MB.
    pub const IMPORT_BODY: u64 = 20 * 1_048_576;
    /// Bytes of a file of an import: 5 MB.
    pub const IMPORT_FILE: usize = 5 * 1_048_576;
    /// Files of an import.
    pub const IMPORT_FILES: usize = 20;
    /// Characters of `If-Match` and `If-None-Match`.
    pub const ENTITY_TAGS: usize = 1_000;
    /// Characters of a media type.
    pub const MEDIA_TYPE: usize = 127;
    /// Bytes of a body of the OAuth endpoints and pages.
    pub const OAUTH_BODY: usize = 65_536;
    /// Characters of a cursor.
    pub const CURSOR: usize = 1_000;
    /// The largest page size of a list.
    pub const PAGE: i64 = 100;
    /// The default page size of a list.
    pub const PAGE_DEFAULT: i64 = 25;
}
