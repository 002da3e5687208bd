//! The content of an itinerary, in the four fragments in which it is stored: one for each circle of readers.
//!
//! A fragment is a JSON object. A read puts fragments together as they are; a write parses them, and of their lists only
//! the entries that it touches.

use std::collections::HashMap;

use itinerary_api::types::{
    Day, Destination, Document, Expense, Flight, Hotel, Image, PackingItem, Place, Summary, Tags, Title, Travellers,
};
use itinerary_api::values::{Currency, Date, limits};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::entry::Entries;

/// What everyone who may see the itinerary sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Everyone {
    /// Its title.
    pub title: Title,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// Where it goes.
    pub destination: Destination,
    /// Its first day.
    pub start_date: Date,
    /// How many people travel.
    pub travellers: Travellers,
    /// Words to find it by.
    pub tags: Tags,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image: Option<Image>,
    /// The currency of its expenses when they name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Its days.
    pub days: Entries<Day, { limits::DAYS }>,
}

/// What its owner and members see besides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Members {
    /// Where it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Place>,
    /// Its flights.
    pub flights: Entries<Flight, { limits::ITEMS }>,
    /// Its hotels.
    pub hotels: Entries<Hotel, { limits::ITEMS }>,
}

/// What its owner and members see when they have Pro.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pro {
    /// Its expenses.
    pub expenses: Entries<Expense, { limits::ITEMS }>,
    /// What to pack.
    pub packing: Entries<PackingItem, { limits::ITEMS }>,
}

/// What its owner and members see with the scope for documents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sealed {
    /// Its sealed documents.
    pub documents: Entries<Document, { limits::ITEMS }>,
}

/// The whole content.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// For everyone who may see it.
    pub everyone: Everyone,
    /// For owner and members.
    pub members: Members,
    /// For those of them with Pro.
    pub pro: Pro,
    /// For those of them who may read documents.
    pub sealed: Sealed,
}

/// The content as it is stored: four JSON objects, compact. A write makes them as strings; a read does not validate the
/// bytes that it passes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragments<T = String> {
    /// For everyone who may see it.
    pub everyone: T,
    /// For owner and members.
    pub members: T,
    /// For those of them with Pro.
    pub pro: T,
    /// For those of them who may read documents.
    pub documents: T,
}

/// A list inside an itinerary that has operations of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The days, with stops and legs.
    Days,
    /// The flights.
    Flights,
    /// The hotels.
    Hotels,
    /// The expenses.
    Expenses,
    /// What to pack.
    Packing,
    /// The documents.
    Documents,
}

/// A fragment that lists are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// [`Fragments::everyone`].
    Everyone,
    /// [`Fragments::members`].
    Members,
    /// [`Fragments::pro`].
    Pro,
    /// [`Fragments::documents`].
    Documents,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Days, Self::Flights, Self::Hotels, Self::Expenses, Self::Packing, Self::Documents];

    /// The fragment that it is in.
    pub fn fragment(self) -> Fragment {
        match self {
            Self::Days => Fragment::Everyone,
            Self::Flights | Self::Hotels => Fragment::Members,
            Self::Expenses | Self::Packing => Fragment::Pro,
            Self::Documents => Fragment::Documents,
        }
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Days => "days",
            Self::Flights => "flights",
            Self::Hotels => "hotels",
            Self::Expenses => "expenses",
            Self::Packing => "packing",
            Self::Documents => "documents",
        }
    }
}

impl<T: AsRef<[u8]>> Fragments<T> {
    /// The JSON array of one list as it is stored. It is found by skipping over what is before it; nothing is built.
    pub fn list(&self, part: Part) -> serde_json::Result<&str> {
        let fragment = match part.fragment() {
            Fragment::Everyone => &self.everyone,
            Fragment::Members => &self.members,
            Fragment::Pro => &self.pro,
            Fragment::Documents => &self.documents,
        };
        let fields: HashMap<&str, &RawValue> = serde_json::from_slice(fragment.as_ref())?;
        fields.get(part.name()).map(|list| list.get()).ok_or_else(|| serde_json::Error::missing_field(part.name()))
    }

    /// Whether they are byte for byte the same.
    pub fn is_same_as<U: AsRef<[u8]>>(&self, other: &Fragments<U>) -> bool {
        let same = |one: &T, other: &U| one.as_ref() == other.as_ref();
        same(&self.everyone, &other.everyone)
            && same(&self.members, &other.members)
            && same(&self.pro, &other.pro)
            && same(&self.documents, &other.documents)
    }

    /// The bytes of all fragments together: what the size limit is about.
    pub fn size(&self) -> usize {
        [&self.everyone, &self.members, &self.pro, &self.documents].iter().map(|fragment| fragment.as_ref().len()).sum()
    }
}

impl Content {
    /// What everyone is shown, and nothing else.
    pub fn public(everyone: Everyone) -> Self {
        Self { everyone, members: Members::default(), pro: Pro::default(), sealed: Sealed::default() }
    }

    /// Parses what is stored, and outlines the entries of its lists.
    pub fn parse<T: AsRef<[u8]>>(fragments: &Fragments<T>) -> serde_json::Result<Self> {
        Ok(Self {
            everyone: serde_json::from_slice(fragments.everyone.as_ref())?,
            members: serde_json::from_slice(fragments.members.as_ref())?,
            pro: serde_json::from_slice(fragments.pro.as_ref())?,
            sealed: serde_json::from_slice(fragments.documents.as_ref())?,
        })
    }

    /// The content as it is stored.
    pub fn fragments(&self) -> Fragments {
        fn json(part: &impl Serialize) -> String {
            serde_json::to_string(part).expect("content is plain data")
        }
        Fragments {
            everyone: json(&self.everyone),
            members: json(&self.members),
            pro: json(&self.pro),
            documents: json(&self.sealed),
        }
    }

    /// The part of a list entry that only a change of the content changes, as a JSON object.
    pub fn card(&self) -> String {
        let Everyone { title, summary, destination, start_date, tags, cover_image, days, .. } = &self.everyone;
        let card = Card {
            title,
            summary: summary.as_ref(),
            destination,
            start_date: *start_date,
            tags,
            cover_image_url: cover_image.as_ref().map(|image| &*image.url),
            days_count: days.len(),
            stops_count: days.iter().map(|day| day.outline().stops.len()).sum(),
        };
        serde_json::to_string(&card).expect("a card is plain data")
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Card<'a> {
    title: &'a Title,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a Summary>,
    destination: &'a Destination,
    start_date: Date,
    tags: &'a Tags,
    #[serde(skip_serializing_if = "Option::is_none")]
    cover_image_url: Option<&'a str>,
    days_count: usize,
    stops_count: usize,
}
