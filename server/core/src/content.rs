//! The content of an itinerary, stored in four fragments: one for each group of readers.
//!
//! A fragment is a JSON object. A read concatenates fragments without parsing them; a write parses them, but in their
//! lists only the entries that it touches.

use std::collections::HashMap;
use std::io;

use itinerary_api::types::{Destination, Summary, Tags, Title};
use itinerary_api::values::Date;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::entry::AnyEntries;
use crate::stored::{self, UnknownFields};

pub use crate::parts::{BringsLists, Documents, Everyone, Fragment, Members, Part, PartItem, Pro};

/// The whole content.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// For everyone who may see the itinerary.
    pub everyone: Everyone,
    /// For the owner and members.
    pub members: Members,
    /// For the owner and members with Pro.
    pub pro: Pro,
    /// For the owner and members who may read documents.
    pub documents: Documents,
    /// Unknown fields of the fragments, not of their entries. In the order of the fragments.
    unknown: [UnknownFields; 4],
}

/// The content as it is stored: four compact JSON objects. A write serialises them to strings; a read passes the stored
/// bytes on without validating them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragments<T = String> {
    /// For everyone who may see the itinerary.
    pub everyone: T,
    /// For the owner and members.
    pub members: T,
    /// For the owner and members with Pro.
    pub pro: T,
    /// For the owner and members who may read documents.
    pub documents: T,
}

impl<T: AsRef<[u8]>> Fragments<T> {
    /// The stored JSON array of a part; empty if the itinerary was stored before the part existed. Skips the other fields
    /// without parsing their values.
    pub fn list(&self, part: Part) -> serde_json::Result<&str> {
        let fragment = match part.fragment() {
            Fragment::Everyone => &self.everyone,
            Fragment::Members => &self.members,
            Fragment::Pro => &self.pro,
            Fragment::Documents => &self.documents,
        };
        let fields: HashMap<&str, &RawValue> = serde_json::from_slice(fragment.as_ref())?;
        Ok(fields.get(part.name()).map_or("[]", |list| list.get()))
    }

    /// Whether the fragments are equal byte for byte.
    pub fn is_same_as<U: AsRef<[u8]>>(&self, other: &Fragments<U>) -> bool {
        let same = |one: &T, other: &U| one.as_ref() == other.as_ref();
        same(&self.everyone, &other.everyone)
            && same(&self.members, &other.members)
            && same(&self.pro, &other.pro)
            && same(&self.documents, &other.documents)
    }

    /// The total size of the fragments in bytes, which the size limit applies to.
    pub fn size(&self) -> usize {
        [&self.everyone, &self.members, &self.pro, &self.documents].iter().map(|fragment| fragment.as_ref().len()).sum()
    }
}

impl Content {
    /// A content with the public fragment only.
    pub fn public(everyone: Everyone) -> Self {
        Self {
            everyone,
            members: Members::default(),
            pro: Pro::default(),
            documents: Documents::default(),
            unknown: Default::default(),
        }
    }

    /// Parses stored fragments, and indexes the entries of their lists.
    pub fn parse<T: AsRef<[u8]>>(fragments: &Fragments<T>) -> serde_json::Result<Self> {
        let (everyone, unknown_everyone) = stored::parse_with_unknown(fragments.everyone.as_ref())?;
        let (members, unknown_members) = stored::parse_with_unknown(fragments.members.as_ref())?;
        let (pro, unknown_pro) = stored::parse_with_unknown(fragments.pro.as_ref())?;
        let (documents, unknown_documents) = stored::parse_with_unknown(fragments.documents.as_ref())?;
        let unknown = [unknown_everyone, unknown_members, unknown_pro, unknown_documents];
        Ok(Self { everyone, members, pro, documents, unknown })
    }

    /// The content as it is stored.
    pub fn fragments(&self) -> Fragments {
        fn json(part: &impl Serialize, unknown: &UnknownFields) -> String {
            stored::to_string(part, unknown).expect("content is plain data")
        }
        let [everyone, members, pro, documents] = &self.unknown;
        Fragments {
            everyone: json(&self.everyone, everyone),
            members: json(&self.members, members),
            pro: json(&self.pro, pro),
            documents: json(&self.documents, documents),
        }
    }

    /// The size of its fragments in bytes, without making them.
    pub fn size(&self) -> usize {
        struct Counter(usize);
        impl io::Write for Counter {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 += bytes.len();
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        fn size(part: &impl Serialize, unknown: &UnknownFields) -> usize {
            let mut json = serde_json::Serializer::new(Counter(0));
            stored::serialize(part, unknown, &mut json).expect("content is plain data");
            json.into_inner().0
        }
        let [everyone, members, pro, documents] = &self.unknown;
        size(&self.everyone, everyone)
            + size(&self.members, members)
            + size(&self.pro, pro)
            + size(&self.documents, documents)
    }

    /// Serialises the entries that were sent or changed, and returns the fragments. The content then equals what
    /// [`Content::parse`] returns for them.
    pub fn serialize(&mut self) -> serde_json::Result<Fragments> {
        Part::ALL.into_iter().try_for_each(|part| self.list_mut(part).serialize_values())?;
        let fragments = self.fragments();
        if !self.unknown.iter().all(UnknownFields::is_empty) {
            // Drops the unknown fields of objects that were removed.
            *self = Self::parse(&fragments)?;
        }
        Ok(fragments)
    }

    /// The number of its entries and stops, each of which has an index.
    pub fn indexes(&self) -> usize {
        let of_list = |list: &dyn AnyEntries| list.indexes().map(|index| 1 + index.stops.len()).sum::<usize>();
        Part::ALL.into_iter().map(|part| of_list(self.list(part))).sum()
    }

    /// The fields of a list entry that depend on the content alone, as a JSON object.
    pub fn card(&self) -> String {
        let Everyone { title, summary, destination, start_date, tags, cover_image, days, .. } = &self.everyone;
        let entry = ListEntry {
            title,
            summary: summary.as_ref(),
            destination,
            start_date: *start_date,
            tags,
            cover_image_url: cover_image.as_ref().map(|image| &*image.url),
            days_count: days.len(),
            stops_count: days.iter().map(|day| day.index().stops.len()).sum(),
        };
        serde_json::to_string(&entry).expect("a list entry is plain data")
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListEntry<'a> {
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
