//! Itineraries: complete, in requests, and as entries of lists.

use itinerary_model::{Role, Visibility};
use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Author, Day, Destination, DestinationPatch, Document, Expense, Flight, Hotel, Image, ImagePatch, PackingItem,
    Place, PlacePatch, Reservation, Transport,
};
use crate::values::{Change, Currency, Date, Ignored, List, Patch, Text, Timestamp, Whole, limits, one_of};

/// An itinerary's title, 1 to 200 characters.
pub type Title = Text<1, { limits::TITLE }>;
/// An itinerary's summary, at most 5,000 characters.
pub type Summary = Text<0, { limits::SUMMARY }>;
/// The number of people who travel, 1 to 100.
pub type Travellers = Whole<1, 100>;
/// An itinerary's tags: at most 30, of 1 to 50 characters each.
pub type Tags = List<Text<1, { limits::TAG }>, { limits::TAGS }>;
/// An itinerary's days, at most 366.
pub type Days = List<Day, { limits::DAYS }>;
/// An itinerary's flights, at most 5,000.
pub type Flights = List<Flight, { limits::ITEMS }>;
/// An itinerary's hotels, at most 5,000.
pub type Hotels = List<Hotel, { limits::ITEMS }>;
/// An itinerary's transports, at most 5,000.
pub type Transports = List<Transport, { limits::ITEMS }>;
/// An itinerary's reservations, at most 5,000.
pub type Reservations = List<Reservation, { limits::ITEMS }>;
/// An itinerary's expenses, at most 5,000.
pub type Expenses = List<Expense, { limits::ITEMS }>;
/// An itinerary's packing items, at most 5,000.
pub type Packing = List<PackingItem, { limits::ITEMS }>;
/// An itinerary's documents, at most 5,000.
pub type Documents = List<Document, { limits::ITEMS }>;

/// The source of a saved copy, with its author's current name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedFrom {
    /// The id of the source. Always shown to the copy's owner; shown to others if the source is public or they are its
    /// owner or a member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itinerary_id: Option<Uuid>,
    /// The username of the source's author. Absent if the account no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The display name of the source's author. Absent if the account no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_display_name: Option<String>,
    /// Whether the source's author has the Pro subscription. Absent if the account no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_is_pro: Option<bool>,
}

/// Why a field needs attention: `notPlaced`, no coordinate was found; `notFilled`, no value was found; `assumed`, the
/// value is a guess; `timesConflict`, a stop starts before one can arrive from the previous stop; `bookingMayBeInvalid`, it
/// was booked for another date; `timeZoneUnknown`, its local time was kept without an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum AttentionCode {
    NotPlaced,
    NotFilled,
    Assumed,
    TimesConflict,
    BookingMayBeInvalid,
    TimeZoneUnknown,
}

/// A field that the traveller should check after a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attention {
    /// The path of the field, such as `days[0].stops[2].place.coordinate`.
    pub field: String,
    /// Why the field needs attention.
    pub code: AttentionCode,
    /// The reason in English, for people. Do not parse it.
    pub message: String,
}

/// An itinerary. Sections that the caller may not see are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Itinerary {
    /// The itinerary's id, a UUID.
    pub id: Uuid,
    /// The title, 1 to 200 characters.
    pub title: Title,
    /// A description of the trip, at most 5,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// The place that the trip goes to.
    pub destination: Destination,
    /// The place that the trip starts from. Only for the owner and members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Place>,
    /// The first day of the trip, `YYYY-MM-DD`, in the years 1900 to 2200.
    pub start_date: Date,
    /// The number of people who travel, 1 to 100.
    pub travellers: Travellers,
    /// At most 30 tags of 1 to 50 characters each.
    pub tags: Tags,
    /// The cover image. Absent if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image: Option<Image>,
    /// The ISO 4217 code of the default currency for expenses, such as `EUR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// The days in order, at most 366. The first is on `startDate`.
    pub days: Days,
    /// The flights in order, at most 5,000. Only for the owner and members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flights: Option<Flights>,
    /// The hotels in order, at most 5,000. Only for the owner and members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hotels: Option<Hotels>,
    /// The transports in order, at most 5,000. Only for the owner and members. Absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transports: Option<Transports>,
    /// The reservations in order, at most 5,000. Only for the owner and members. Absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservations: Option<Reservations>,
    /// The expenses in order, at most 5,000. Only for the owner and members, with the Pro subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expenses: Option<Expenses>,
    /// The packing items in order, at most 5,000. Only for the owner and members, with the Pro subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packing: Option<Packing>,
    /// The sealed documents, at most 5,000. Only for the owner and members, with the scope `documents:read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<Documents>,
    /// The source, if the itinerary is a saved copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_from: Option<SavedFrom>,
    /// Who can see the itinerary. Only the owner can change it.
    pub visibility: Visibility,
    /// The caller's role on the itinerary.
    pub role: Role,
    /// The owner of the itinerary, as everyone sees them.
    pub author: Author,
    /// When the itinerary was created, in UTC.
    pub created_at: Timestamp,
    /// When its content, visibility or documents last changed, in UTC.
    pub updated_at: Timestamp,
    /// The number of travellers who like the itinerary.
    pub likes_count: i64,
    /// The number of reads by other travellers. Each traveller counts once a day.
    pub views_count: i64,
    /// The fields that could not be placed or filled in. Present in responses to writes only, possibly empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_attention: Option<Vec<Attention>>,
}

/// A new itinerary. Only `destination` is required. Read-only fields are accepted and ignored.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ItineraryCreate {
    /// The title, 1 to 200 characters. Defaults to `Trip to` and the destination's name.
    pub title: Option<Title>,
    /// A description of the trip, at most 5,000 characters.
    pub summary: Option<Summary>,
    /// The place that the trip goes to. Needs a name and a coordinate.
    pub destination: Destination,
    /// The place that the trip starts from. Defaults to the account's home place, or else to the origin of the caller's
    /// latest itinerary.
    pub origin: Option<Place>,
    /// The first day of the trip, `YYYY-MM-DD`, in the years 1900 to 2200. Defaults to the earliest date of
    /// a flight, hotel, transport, reservation or expense, or else to 30 days from today.
    pub start_date: Option<Date>,
    /// The number of people who travel, 1 to 100. Defaults to 1.
    pub travellers: Option<Travellers>,
    /// At most 30 tags of 1 to 50 characters each. Defaults to none.
    pub tags: Option<Tags>,
    /// The cover image. Defaults to one that the server picks or draws.
    pub cover_image: Option<Image>,
    /// The ISO 4217 code of the default currency for expenses, such as `EUR`. Defaults to the currency of the
    /// destination's country.
    pub currency: Option<Currency>,
    /// The days in order, at most 366. Defaults to as many empty days as the flights, hotels,
    /// transports and reservations span.
    pub days: Option<Days>,
    /// The flights in order, at most 5,000. Defaults to none.
    pub flights: Option<Flights>,
    /// The hotels in order, at most 5,000. Defaults to none.
    pub hotels: Option<Hotels>,
    /// The transports in order, at most 5,000. Defaults to none.
    pub transports: Option<Transports>,
    /// The reservations in order, at most 5,000. Defaults to none.
    pub reservations: Option<Reservations>,
    /// The expenses in order, at most 5,000. If present, even empty, the Pro subscription is needed.
    #[serde(default)]
    pub expenses: Patch<Expenses>,
    /// The packing items in order, at most 5,000. If present, even empty, the Pro subscription is needed.
    #[serde(default)]
    pub packing: Patch<Packing>,
    /// Must be absent or empty: documents are uploaded to an existing itinerary.
    #[serde(default)]
    #[schemars(schema_with = "no_documents")]
    pub documents: Option<Documents>,
    /// Must be absent or `private`. The owner can change it later.
    #[serde(default)]
    #[schemars(schema_with = "only_private")]
    pub visibility: Option<Visibility>,
    #[serde(default, rename = "id")]
    #[schemars(skip)]
    ignored_id: Ignored,
    #[serde(default)]
    #[schemars(skip)]
    role: Ignored,
    #[serde(default)]
    #[schemars(skip)]
    author: Ignored,
    #[serde(default)]
    #[schemars(skip)]
    created_at: Ignored,
    #[serde(default)]
    #[schemars(skip)]
    updated_at: Ignored,
    #[serde(default)]
    #[schemars(skip)]
    likes_count: Ignored,
    #[serde(default)]
    #[schemars(skip)]
    views_count: Ignored,
    #[serde(default)]
    #[schemars(skip)]
    saved_from: Ignored,
    #[serde(default)]
    #[schemars(skip)]
    needs_attention: Ignored,
}

fn no_documents(generator: &mut SchemaGenerator) -> Schema {
    List::<serde_json::Map<String, serde_json::Value>, 0>::json_schema(generator)
}

fn only_private(_: &mut SchemaGenerator) -> Schema {
    one_of(&["private"])
}

/// A JSON merge patch for an itinerary: an absent field is kept, `null` clears a field, an object merges and an array
/// replaces the whole array. Read-only fields are accepted and ignored.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ItineraryPatch {
    /// The title, 1 to 200 characters. Cannot be cleared.
    pub title: Change<Title>,
    /// A description of the trip, at most 5,000 characters.
    pub summary: Patch<Summary>,
    /// The place that the trip goes to. Merges; cannot be cleared.
    pub destination: Change<DestinationPatch>,
    /// The place that the trip starts from. Merges.
    pub origin: Patch<PlacePatch>,
    /// The first day of the trip, `YYYY-MM-DD`, in the years 1900 to 2200. Cannot be cleared.
    pub start_date: Change<Date>,
    /// The number of people who travel, 1 to 100. Cannot be cleared.
    pub travellers: Change<Travellers>,
    /// At most 30 tags of 1 to 50 characters each. Replaces all tags.
    pub tags: Patch<Tags>,
    /// The cover image. Merges; null removes it.
    pub cover_image: Patch<ImagePatch>,
    /// The ISO 4217 code of the default currency for expenses, such as `EUR`.
    pub currency: Patch<Currency>,
    /// The days in order, at most 366. Replaces all days.
    pub days: Patch<Days>,
    /// The flights in order, at most 5,000. Replaces all flights.
    pub flights: Patch<Flights>,
    /// The hotels in order, at most 5,000. Replaces all hotels.
    pub hotels: Patch<Hotels>,
    /// The transports in order, at most 5,000. Replaces all transports.
    pub transports: Patch<Transports>,
    /// The reservations in order, at most 5,000. Replaces all reservations.
    pub reservations: Patch<Reservations>,
    /// The expenses in order, at most 5,000. Replaces all expenses. Needs the Pro subscription, unless sent back
    /// unchanged.
    pub expenses: Patch<Expenses>,
    /// The packing items in order, at most 5,000. Replaces all packing items. Needs the Pro subscription, unless sent
    /// back unchanged.
    pub packing: Patch<Packing>,
    /// Can be sent back unchanged; a change is rejected. Use the document operations.
    pub documents: Patch<Documents>,
    /// Who can see the itinerary. Only the owner can change it; others may send it back unchanged.
    pub visibility: Change<Visibility>,
    #[schemars(skip)]
    id: Ignored,
    #[schemars(skip)]
    role: Ignored,
    #[schemars(skip)]
    author: Ignored,
    #[schemars(skip)]
    created_at: Ignored,
    #[schemars(skip)]
    updated_at: Ignored,
    #[schemars(skip)]
    likes_count: Ignored,
    #[schemars(skip)]
    views_count: Ignored,
    #[schemars(skip)]
    saved_from: Ignored,
    #[schemars(skip)]
    needs_attention: Ignored,
}

/// How many days a trip is moved by: negative to earlier dates.
pub type ShiftDays = Whole<-3_660, 3_660>;

/// Where to move a trip: either `startDate` or `days`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ItineraryShift {
    /// The new first day of the trip, `YYYY-MM-DD`, in the years 1900 to 2200.
    pub start_date: Option<Date>,
    /// The number of days to move the trip by, -3,660 to 3,660; negative to earlier dates.
    pub days: Option<ShiftDays>,
    /// Returns the moved itinerary without storing it. Defaults to false.
    pub dry_run: Option<bool>,
}

/// The owner of a listed itinerary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryAuthor {
    /// The id of the owner's account.
    pub account_id: Uuid,
    /// The owner's unique username, in lower case.
    pub username: String,
    /// The name to show to people; not unique. At most 100 characters.
    pub display_name: String,
    /// The address of the owner's profile picture. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
}

/// An itinerary as an entry of a list, without its days and other parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedItinerary {
    /// The itinerary's id, a UUID.
    pub id: Uuid,
    /// The title, 1 to 200 characters.
    pub title: Title,
    /// The place that the trip goes to.
    pub destination: Destination,
    /// A description of the trip, at most 5,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// The address of the cover image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image_url: Option<String>,
    /// The first day of the trip, `YYYY-MM-DD`.
    pub start_date: Date,
    /// At most 30 tags of 1 to 50 characters each.
    pub tags: Tags,
    /// Who can see the itinerary. Only the owner can change it.
    pub visibility: Visibility,
    /// The caller's role on the itinerary.
    pub role: Role,
    /// The number of days that the itinerary has.
    pub days_count: i64,
    /// The number of stops of all days together.
    pub stops_count: i64,
    /// The owner of the itinerary, as everyone sees them.
    pub author: SummaryAuthor,
    /// When its content, visibility or documents last changed, in UTC.
    pub updated_at: Timestamp,
    /// The `ETag` that reading the itinerary would respond with, quotes included. Can be sent in `If-Match` and
    /// `If-None-Match`.
    pub etag: String,
    /// The number of travellers who like the itinerary.
    pub likes_count: i64,
    /// When its visibility first became `followers` or `public`, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
}
