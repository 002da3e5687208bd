//! The content of an itinerary, stored in four fragments: one for each group of readers.
//!
//! A fragment is a JSON object. A read concatenates fragments without parsing them; a write parses them, but in their
//! lists only the entries that it touches.

use std::collections::HashMap;
use std::mem;

use itinerary_api::parts;
use itinerary_api::policy::Section;
use itinerary_api::types::{
    self, Destination, Image, ItineraryCreate, ItineraryPatch, Place, Summary, Tags, Title, Travellers,
};
use itinerary_api::values::{Currency, Date, Patch};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::entry::{AnyEntries, Entries, Entry, same};

macro_rules! fragments {
    (
        everyone Everyone { $($e_list:ident $e_part:ident $e_kind:ident $e_item:ident $e_fields:tt;)* }
        members Members { $($m_list:ident $m_part:ident $m_kind:ident $m_item:ident $m_fields:tt;)* }
        pro Pro { $($p_list:ident $p_part:ident $p_kind:ident $p_item:ident $p_fields:tt;)* }
        sealed Sealed { $($s_list:ident $s_part:ident $s_kind:ident $s_item:ident $s_fields:tt;)* }
    ) => {
        /// The fragment for everyone who may see the itinerary.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct Everyone {
            pub title: Title,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub summary: Option<Summary>,
            pub destination: Destination,
            /// The first day.
            pub start_date: Date,
            /// The number of people who travel.
            pub travellers: Travellers,
            pub tags: Tags,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub cover_image: Option<Image>,
            /// The default currency of expenses.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub currency: Option<Currency>,
            $(
                #[serde(default)]
                pub $e_list: Entries<types::$e_item, { types::$e_part::MAX }>,
            )*
        }

        /// The additional fragment for the owner and members.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct Members {
            /// The place that the trip starts from.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub origin: Option<Place>,
            $(
                #[serde(default)]
                pub $m_list: Entries<types::$m_item, { types::$m_part::MAX }>,
            )*
        }

        /// The additional fragment for the owner and members with Pro.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct Pro {
            $(
                #[serde(default)]
                pub $p_list: Entries<types::$p_item, { types::$p_part::MAX }>,
            )*
        }

        /// The additional fragment for the owner and members with the scope for documents.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct Sealed {
            $(
                #[serde(default)]
                pub $s_list: Entries<types::$s_item, { types::$s_part::MAX }>,
            )*
        }

        impl Part {
            /// The section that the part is, if it needs the Pro subscription.
            pub fn section(self) -> Option<Section> {
                match self {
                    $(Self::$p_part => Some(Section::$p_part),)*
                    _ => None,
                }
            }
        }
    };
}

macro_rules! part {
    ($($fragment:ident $Fragment:ident {
        $($list:ident $Part:ident $kind:ident $Item:ident $fields:tt;)*
    })*) => {
        /// A list in an itinerary whose items have their own operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum Part {
            $($($Part,)*)*
        }

        /// A fragment that stores parts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "see the structs of these names")]
        pub enum Fragment {
            $($Fragment,)*
        }

        impl Part {
            /// All parts, in the order in which they are stored.
            pub const ALL: [Self; [$($(stringify!($Part),)*)*].len()] = [$($(Self::$Part,)*)*];

            /// The fragment that stores the part.
            pub fn fragment(self) -> Fragment {
                match self { $($(Self::$Part)|* => Fragment::$Fragment,)* }
            }

            /// The part's field in the API.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$Part => stringify!($list),)*)* }
            }

            /// The name of one item in operation ids and tools.
            pub fn kind(self) -> &'static str {
                match self { $($(Self::$Part => stringify!($kind),)*)* }
            }
        }

        impl Part {
            /// Takes null or an empty list of the part out of a patch, so that the patch keeps the part.
            pub fn keep_if_empty(self, patch: &mut ItineraryPatch) {
                match self {
                    $($(Self::$Part => {
                        let is_empty = match &patch.$list {
                            Patch::Absent | Patch::Null => true,
                            Patch::Value(list) => list.is_empty(),
                        };
                        if is_empty {
                            patch.$list = Patch::Absent;
                        }
                    })*)*
                }
            }
        }

        $($(
            impl PartItem for types::$Item {
                const PART: Part = Part::$Part;
            }
        )*)*

        impl Content {
            /// The list of a part.
            pub fn list(&self, part: Part) -> &dyn AnyEntries {
                match part { $($(Part::$Part => &self.$fragment.$list,)*)* }
            }

            /// The list of a part, for changes that are the same in all parts.
            pub fn list_mut(&mut self, part: Part) -> &mut dyn AnyEntries {
                match part { $($(Part::$Part => &mut self.$fragment.$list,)*)* }
            }

            /// Whether a patch contains the list unchanged.
            pub fn is_sent_back(&self, patch: &ItineraryPatch, part: Part) -> bool {
                match part {
                    $($(Part::$Part => matches!(&patch.$list, Patch::Value(list) if same(list, &self.$fragment.$list)),)*)*
                }
            }
        }

        lists_of!(ItineraryCreate { $($($Part $fragment $list)*)* });
        lists_of!(ItineraryPatch { $($($Part $fragment $list)*)* });
    };
}

/// An item of a part.
pub trait PartItem {
    /// The part whose list has such items.
    const PART: Part;
}

/// A request body that may contain parts.
pub trait BringsLists {
    /// Whether the body contains the part.
    fn brings(&self, part: Part) -> bool;

    /// Moves the body's parts into a content, and returns which parts it contained.
    fn move_lists(&mut self, content: &mut Content) -> Vec<Part>;
}

/// The field of a part in a body.
trait SentList<T> {
    fn is_sent(&self) -> bool;

    /// Takes the list out of the body. Null yields an empty list.
    fn take_list(&mut self) -> Option<T>;
}

impl<T> SentList<T> for Option<T> {
    fn is_sent(&self) -> bool {
        self.is_some()
    }

    fn take_list(&mut self) -> Option<T> {
        self.take()
    }
}

impl<T: Default> SentList<T> for Patch<T> {
    fn is_sent(&self) -> bool {
        !self.is_absent()
    }

    fn take_list(&mut self) -> Option<T> {
        match mem::take(self) {
            Self::Absent => None,
            Self::Null => Some(T::default()),
            Self::Value(list) => Some(list),
        }
    }
}

macro_rules! lists_of {
    ($Body:ident { $($Part:ident $fragment:ident $list:ident)* }) => {
        impl BringsLists for $Body {
            fn brings(&self, part: Part) -> bool {
                match part { $(Part::$Part => self.$list.is_sent(),)* }
            }

            fn move_lists(&mut self, content: &mut Content) -> Vec<Part> {
                let mut brought = Vec::new();
                $(if let Some(list) = self.$list.take_list() {
                    content.$fragment.$list = list.map(Entry::from);
                    brought.push(Part::$Part);
                })*
                brought
            }
        }
    };
}

parts!(fragments);
parts!(part);

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
    pub sealed: Sealed,
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
            Fragment::Sealed => &self.documents,
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
        Self { everyone, members: Members::default(), pro: Pro::default(), sealed: Sealed::default() }
    }

    /// Parses stored fragments, and outlines the entries of their lists.
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

    /// The fields of a list entry that depend on the content alone, as a JSON object.
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
