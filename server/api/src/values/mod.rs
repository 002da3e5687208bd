//! The values that wire types are made of: each checks itself as it is read and states its limits in its schema.
//!
//! Parsing is checking: a value that exists is within its limits, so no rule has to look again. What depends on more
//! than one value (a check-out after a check-in) is a rule and lives in `itinerary-core`.

mod codes;
mod entity_tags;
mod id;
mod link;
mod list;
mod media_type;
mod number;
mod patch;
mod text;
mod time;

pub use codes::{AirportCode, CountryCode, Currency, TimeZone};
pub use entity_tags::{EntityTag, EntityTags};
pub use id::ItemId;
pub use link::WebUrl;
pub use list::List;
pub use media_type::MediaType;
pub use number::{Amount, Latitude, Longitude, Measure, Rating, Whole};
pub use patch::{Change, Ignored, Merge, Missing, Patch, camel_case};
pub(crate) use patch::{null_is_default, resource};
pub use text::Text;
pub use time::{Date, LocalTime, OffsetTime, Timestamp};

/// The service's limits, one constant each, used by the schema and by the check alike.
pub mod limits {
    /// A title's characters.
    pub const TITLE: usize = 200;
    /// A summary's characters.
    pub const SUMMARY: usize = 5_000;
    /// A name's characters.
    pub const NAME: usize = 200;
    /// An address's characters.
    pub const ADDRESS: usize = 500;
    /// The characters of short free text: a seat, a phone number, a source.
    pub const LABEL: usize = 200;
    /// The characters of a place id, which outside providers make.
    pub const PLACE_ID: usize = 500;
    /// A tag's characters.
    pub const TAG: usize = 50;
    /// How many tags.
    pub const TAGS: usize = 30;
    /// The characters of the name under which others see a traveller.
    pub const DISPLAY_NAME: usize = 100;
    /// The characters of a report's note.
    pub const NOTE: usize = 1_000;
    /// The characters of what is searched for.
    pub const QUERY: usize = 200;
    /// How many days.
    pub const DAYS: usize = 366;
    /// How many stops, and how many legs, a day.
    pub const STOPS: usize = 100;
    /// How many flights, hotels, expenses or packing items. The 256 KB hold hardly more.
    pub const ITEMS: usize = 5_000;
    /// The last place that can be asked for in a list: the end of the days' when there are as many as there may be.
    #[expect(clippy::cast_possible_wrap, reason = "a few hundred")]
    pub const POSITION: i64 = DAYS as i64;
    /// The characters of an address on the web.
    pub const URL: usize = 2_000;
    /// The bytes of an itinerary's stored JSON, all sections together: 256 KB.
    pub const ITINERARY: usize = 262_144;
    /// The bytes of a JSON body: an itinerary that is a little too large is told so by its size.
    pub const JSON_BODY: usize = 524_288;
    /// The bytes of an uploaded image.
    pub const IMAGE_BODY: usize = 10_485_760;
    /// The bytes of an uploaded document: 20 MB.
    pub const DOCUMENT: u64 = 20 * 1_048_576;
    /// The bytes of an upload's body besides its file: the other parts, and the headers of all.
    pub const DOCUMENT_REST: u64 = 65_536;
    /// The bytes of each of an upload's parts besides the file.
    pub const DOCUMENT_PART: u64 = 4_096;
    /// The characters of `If-Match` and `If-None-Match`.
    pub const ENTITY_TAGS: usize = 1_000;
    /// The characters of a media type.
    pub const MEDIA_TYPE: usize = 127;
    /// The bytes of a body of the OAuth endpoints and pages.
    pub const OAUTH_BODY: usize = 65_536;
    /// How many list entries a page holds at most.
    pub const PAGE: i64 = 100;
    /// How many list entries a page holds when nothing is said.
    pub const PAGE_DEFAULT: i64 = 25;
}
