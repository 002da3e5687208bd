//! What was found in imported files: a draft of an itinerary, and what was done with each booking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Days, Destination, Expenses, Flights, Hotels, Image, Packing, Place, Reservations, Summary, Tags, Title,
    Transports, Travellers,
};
use crate::values::{Currency, Date};

/// How to read files.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportQuery {
    /// The id of the itinerary to import into, a UUID; only its owner and editors may. Without it, the result is a new
    /// itinerary.
    #[serde(default, deserialize_with = "super::page::optional_hyphenated")]
    pub itinerary_id: Option<Uuid>,
    /// The day that gives a year to dates that have none, `YYYY-MM-DD`, such as those of boarding passes; a mail's own date
    /// takes precedence. Defaults to today.
    pub as_of: Option<Date>,
    /// Whether values of the files replace those of the itinerary that differ. By default, only empty fields are filled.
    pub overwrite: Option<bool>,
}

/// A draft of an itinerary, with the fields of a request that creates or updates one. A field is absent if nothing was found
/// for it, or if it stays as it is in the itinerary that the files are imported into.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItineraryDraft {
    /// The title, 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// A description of the trip, at most 5,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// The place that the trip goes to. Absent if no file says it; a create needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Destination>,
    /// The place that the trip starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Place>,
    /// The first day of the trip, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<Date>,
    /// The number of people who travel, 1 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub travellers: Option<Travellers>,
    /// At most 30 tags of 1 to 50 characters each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
    /// The cover image of the itinerary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image: Option<Image>,
    /// The ISO 4217 code of the default currency for expenses, such as `EUR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// The days in order, at most 366. The first is on `startDate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<Days>,
    /// The flights in order, at most 5,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flights: Option<Flights>,
    /// The hotels in order, at most 5,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hotels: Option<Hotels>,
    /// The transports in order, at most 5,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transports: Option<Transports>,
    /// The reservations in order, at most 5,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservations: Option<Reservations>,
    /// The expenses in order, at most 5,000. Only for callers with the Pro subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expenses: Option<Expenses>,
    /// The packing items in order, at most 5,000. Only for callers with the Pro subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packing: Option<Packing>,
}

/// What importing does with an item: `added`, it is new; `updated`, it fills or replaces fields of an item of the itinerary;
/// `unchanged`, the itinerary has it already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ImportState {
    Added,
    Updated,
    Unchanged,
}

/// A field of an item that importing fills, replaces or, without `overwrite`, keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportedChange {
    /// The path of the field in the item, such as `departureAirport.code`.
    pub field: String,
    /// The value in the itinerary. Absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<Value>,
    /// The value in the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Value>,
}

/// An item that was found, and what importing does with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportedItem {
    /// The path of the item, such as `flights[0]`: in the draft or, of a list that the draft lacks, in the itinerary.
    pub field: String,
    /// The name of the file that it was found in; of several, of the newest.
    pub file: String,
    /// The format that it was read from, such as `jsonLd`.
    pub format: String,
    /// What importing does with it.
    pub state: ImportState,
    /// The fields that differ from the itinerary's item. Empty if the item is new.
    pub changes: Vec<ImportedChange>,
}

/// Why something is not imported: `notRecognised`, it has no booking in a known format; `cancelled`, the booking is
/// cancelled; `unsupported`, it has a feature that is not read; `tooLarge`, it is over a limit; `malformed`, it is damaged;
/// `needsPro`, it needs the Pro subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ImportIgnoredCode {
    NotRecognised,
    Cancelled,
    Unsupported,
    TooLarge,
    Malformed,
    NeedsPro,
}

/// A file, or a part of one, that is not imported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportIgnored {
    /// The name of the file.
    pub file: String,
    /// Why it is not imported.
    pub code: ImportIgnoredCode,
    /// The reason in English, for people. Do not parse it.
    pub message: String,
}

/// What was found in files. Nothing is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportResult {
    /// The body of a request that creates an itinerary or, with `itineraryId`, updates that one.
    pub itinerary: ItineraryDraft,
    /// The `ETag` of the itinerary that the files were compared with, quotes included. Send it in `If-Match`. Absent without
    /// `itineraryId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The items that were found, in the order of the draft.
    pub items: Vec<ImportedItem>,
    /// What is not imported, and why.
    pub ignored: Vec<ImportIgnored>,
}
