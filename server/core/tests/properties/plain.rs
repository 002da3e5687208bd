//! A content whose lists hold values, for generating and looking up.

use itinerary_api::types::{
    Days, Destination, Documents, Expenses, Flights, Hotels, Image, Packing, Place, Reservations, Summary, Tags, Title,
    Transports, Travellers,
};
use itinerary_api::values::{Currency, Date, List};
use itinerary_core::content::{self, Fragments};
use itinerary_core::entry::{Entry, ListItem};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Everyone {
    pub(crate) title: Title,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<Summary>,
    pub(crate) destination: Destination,
    pub(crate) start_date: Date,
    pub(crate) travellers: Travellers,
    pub(crate) tags: Tags,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cover_image: Option<Image>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) currency: Option<Currency>,
    pub(crate) days: Days,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Members {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<Place>,
    pub(crate) flights: Flights,
    pub(crate) hotels: Hotels,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub(crate) transports: Transports,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub(crate) reservations: Reservations,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pro {
    pub(crate) expenses: Expenses,
    pub(crate) packing: Packing,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlainDocuments {
    pub(crate) documents: Documents,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    pub(crate) everyone: Everyone,
    pub(crate) members: Members,
    pub(crate) pro: Pro,
    pub(crate) documents: PlainDocuments,
}

impl Content {
    /// The fragments, written without the service's own code.
    pub(crate) fn fragments(&self) -> Fragments {
        fn json(part: &impl Serialize) -> String {
            serde_json::to_string(part).expect("plain data")
        }
        Fragments {
            everyone: json(&self.everyone),
            members: json(&self.members),
            pro: json(&self.pro),
            documents: json(&self.documents),
        }
    }

    /// The content as the service reads it from the database.
    pub(crate) fn stored(&self) -> content::Content {
        content::Content::parse(&self.fragments()).expect("what is stored can be read")
    }

    /// The content as if a change had touched every entry.
    pub(crate) fn touched(&self) -> content::Content {
        let mut content = self.stored();
        touch(&mut content.everyone.days);
        touch(&mut content.members.flights);
        touch(&mut content.members.hotels);
        touch(&mut content.members.transports);
        touch(&mut content.members.reservations);
        touch(&mut content.pro.expenses);
        touch(&mut content.pro.packing);
        touch(&mut content.documents.documents);
        content
    }
}

fn is_empty<T, const MAX: usize>(list: &List<T, MAX>) -> bool {
    list.is_empty()
}

fn touch<T: ListItem>(list: &mut [Entry<T>]) {
    for entry in list {
        let index = entry.index().clone();
        entry.change(|_| ()).expect("what is stored can be read");
        assert_eq!(*entry.index(), index, "the outline of the JSON is the outline of the value");
    }
}

impl From<&content::Content> for Content {
    fn from(content: &content::Content) -> Self {
        fn part<T: serde::de::DeserializeOwned>(fragment: &str) -> T {
            serde_json::from_str(fragment).expect("what is stored can be read")
        }
        let Fragments { everyone, members, pro, documents } = content.fragments();
        Self { everyone: part(&everyone), members: part(&members), pro: part(&pro), documents: part(&documents) }
    }
}
