//! Itineraries: read, created, changed, listed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Author, Day, Destination, DestinationPatch, Document, Expense, Flight, Hotel, Image, ImagePatch, PackingItem,
    Place, PlacePatch,
};
use crate::values::{Change, Currency, Date, Ignored, List, Patch, Text, Timestamp, Whole, limits};

/// An itinerary's title.
pub type Title = Text<1, { limits::TITLE }>;
/// An itinerary's summary.
pub type Summary = Text<0, { limits::SUMMARY }>;
/// How many people travel.
pub type Travellers = Whole<1, 100>;
/// An itinerary's tags.
pub type Tags = List<Text<1, { limits::TAG }>, { limits::TAGS }>;
/// An itinerary's days.
pub type Days = List<Day, { limits::DAYS }>;
/// An itinerary's flights.
pub type Flights = List<Flight, { limits::ITEMS }>;
/// An itinerary's hotels.
pub type Hotels = List<Hotel, { limits::ITEMS }>;
/// An itinerary's expenses.
pub type Expenses = List<Expense, { limits::ITEMS }>;
/// An itinerary's packing items.
pub type Packing = List<PackingItem, { limits::ITEMS }>;
/// An itinerary's documents.
pub type Documents = List<Document, { limits::ITEMS }>;

/// Calls a macro with the definition of every part of an itinerary: each list whose items have ids and operations of their
/// own. All that depends on which parts there are is generated from this definition.
///
/// The parts are grouped by the fragment that stores them, which decides who sees them. A part has its field in
/// `Itinerary`, its name in code (also that of its list type), the name of one item in operation ids, the type of an
/// item, and those of the item's fields that rules across items read.
#[macro_export]
macro_rules! parts {
    ($with:ident) => {
        $with! {
            everyone Everyone {
                days Days day Day [stops legs];
            }
            members Members {
                flights Flights flight Flight [];
                hotels Hotels hotel Hotel [name place];
            }
            pro Pro {
                expenses Expenses expense Expense [name cost belongs_to];
                packing Packing packing PackingItem [name belongs_to];
            }
            sealed Sealed {
                documents Documents document Document [name belongs_to];
            }
        }
    };
}

/// Who may see an itinerary: `private` its owner and members, `followers` also the owner's followers, `unlisted` anyone
/// signed in who has the id, `public` everyone, in Explore too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum Visibility {
    Private,
    Followers,
    Unlisted,
    Public,
}

/// What the caller may do with an itinerary: a `viewer` is a member invited to read, and any reader who is no member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum Role {
    Owner,
    Editor,
    Viewer,
}

/// What a copy was saved from, with its author as they are now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedFrom {
    /// The itinerary that was saved. The owner of the copy is told; others are told when that itinerary is public or they
    /// are its owner or a member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itinerary_id: Option<Uuid>,
    /// The author's username. Absent when the account no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The author's display name. Absent when the account no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_display_name: Option<String>,
    /// Whether the author has the Pro subscription. Absent when the account no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_is_pro: Option<bool>,
}

/// What is wrong with a field that the traveller should look at: `notPlaced` no coordinate was found for it,
/// `notFilled` nothing was found to fill it with, `assumed` it was filled with a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum AttentionCode {
    NotPlaced,
    NotFilled,
    Assumed,
}

/// A field that the traveller should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attention {
    /// The field's path, such as `days[0].stops[2].place.coordinate`.
    pub field: String,
    /// What is wrong with it.
    pub code: AttentionCode,
    /// The same in words.
    pub message: String,
}

/// An itinerary. Sections that the caller may not see are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Itinerary {
    /// Its id.
    pub id: Uuid,
    /// Its title.
    pub title: Title,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// Where it goes.
    pub destination: Destination,
    /// Where it starts. Owner and members see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Place>,
    /// Its first day.
    pub start_date: Date,
    /// How many people travel.
    pub travellers: Travellers,
    /// Words to find it by.
    pub tags: Tags,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image: Option<Image>,
    /// The currency of its expenses when they name none (ISO 4217).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Its days.
    pub days: Days,
    /// Its flights. Owner and members see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flights: Option<Flights>,
    /// Its hotels. Owner and members see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hotels: Option<Hotels>,
    /// Its expenses. Owner and members with Pro see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expenses: Option<Expenses>,
    /// What to pack. Owner and members with Pro see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packing: Option<Packing>,
    /// Its sealed documents. Owner and members see them, with the scope `documents:read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<Documents>,
    /// Present when it is a copy that was saved from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_from: Option<SavedFrom>,
    /// Who may see it.
    pub visibility: Visibility,
    /// What the caller may do with it.
    pub role: Role,
    /// Its owner.
    pub author: Author,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many people like it.
    pub likes_count: i64,
    /// How often it was read: one read a day for each other traveller.
    pub views_count: i64,
    /// What could not be placed or filled. In answers to writes only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_attention: Option<Vec<Attention>>,
}

/// A new itinerary. The destination is all that it needs; the rest is filled or stays empty.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ItineraryCreate {
    /// Its title; `Trip to` the destination when left out.
    pub title: Option<Title>,
    /// What it is about.
    pub summary: Option<Summary>,
    /// Where it goes: a name and a coordinate at least.
    pub destination: Destination,
    /// Where it starts; the latest itinerary's when left out.
    pub origin: Option<Place>,
    /// Its first day; the first flight's, hotel's or expense's when left out, else a guess.
    pub start_date: Option<Date>,
    /// How many people travel; 1 when left out.
    pub travellers: Option<Travellers>,
    /// Words to find it by.
    pub tags: Option<Tags>,
    /// Its picture.
    pub cover_image: Option<Image>,
    /// The currency of its expenses when they name none (ISO 4217); the destination's when left out.
    pub currency: Option<Currency>,
    /// Its days; as many as flights and hotels span when left out.
    pub days: Option<Days>,
    /// Its flights.
    pub flights: Option<Flights>,
    /// Its hotels.
    pub hotels: Option<Hotels>,
    /// Its expenses. They need the Pro subscription.
    #[serde(default)]
    pub expenses: Patch<Expenses>,
    /// What to pack. It needs the Pro subscription.
    #[serde(default)]
    pub packing: Patch<Packing>,
    /// Must be absent or empty: documents are uploaded.
    pub documents: Option<Documents>,
    /// Must be absent or `private`.
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

/// A merge patch for an itinerary: absent keeps, null clears, an object merges, an array replaces.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ItineraryPatch {
    /// Its title.
    pub title: Change<Title>,
    /// What it is about.
    pub summary: Patch<Summary>,
    /// Where it goes.
    pub destination: Change<DestinationPatch>,
    /// Where it starts.
    pub origin: Patch<PlacePatch>,
    /// Its first day.
    pub start_date: Change<Date>,
    /// How many people travel.
    pub travellers: Change<Travellers>,
    /// Words to find it by.
    pub tags: Patch<Tags>,
    /// Its picture.
    pub cover_image: Patch<ImagePatch>,
    /// The currency of its expenses when they name none (ISO 4217).
    pub currency: Patch<Currency>,
    /// Its days.
    pub days: Patch<Days>,
    /// Its flights.
    pub flights: Patch<Flights>,
    /// Its hotels.
    pub hotels: Patch<Hotels>,
    /// Its expenses. They need the Pro subscription.
    pub expenses: Patch<Expenses>,
    /// What to pack. It needs the Pro subscription.
    pub packing: Patch<Packing>,
    /// May be sent back unchanged; documents have routes of their own.
    pub documents: Patch<Documents>,
    /// Who may see it. The owner may change it.
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

/// The owner of an itinerary, as lists show them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryAuthor {
    /// The account's id.
    pub account_id: Uuid,
    /// The name that is unique.
    pub username: String,
    /// The name for people.
    pub display_name: String,
    /// A picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
}

/// An itinerary as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItinerarySummary {
    /// Its id.
    pub id: Uuid,
    /// Its title.
    pub title: Title,
    /// Where it goes.
    pub destination: Destination,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// Where its picture is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image_url: Option<String>,
    /// Its first day.
    pub start_date: Date,
    /// Words to find it by.
    pub tags: Tags,
    /// Who may see it.
    pub visibility: Visibility,
    /// What the caller may do with it.
    pub role: Role,
    /// How many days it has.
    pub days_count: i64,
    /// How many stops its days have together.
    pub stops_count: i64,
    /// Its owner.
    pub author: SummaryAuthor,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The tag that reading it would answer with, quotes included.
    pub etag: String,
    /// How many people like it.
    pub likes_count: i64,
    /// When it was first shown to followers or to everyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
}
