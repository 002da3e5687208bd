//! OAuth scopes, which a traveller grants to an app, and the sections of an itinerary that need the Pro subscription.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An OAuth scope: what a traveller can allow an app to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// `itineraries:read`
    ItinerariesRead,
    /// `itineraries:write`
    ItinerariesWrite,
    /// `documents:read`
    DocumentsRead,
    /// `documents:write`
    DocumentsWrite,
}

impl Scope {
    /// All scopes, in the order in which they are always listed.
    pub const ALL: [Self; 4] =
        [Self::ItinerariesRead, Self::ItinerariesWrite, Self::DocumentsRead, Self::DocumentsWrite];

    /// The scope's name on the wire, such as `itineraries:read`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ItinerariesRead => "itineraries:read",
            Self::ItinerariesWrite => "itineraries:write",
            Self::DocumentsRead => "documents:read",
            Self::DocumentsWrite => "documents:write",
        }
    }

    /// A description of the scope, for the document and the consent page.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::ItinerariesRead => {
                "Reading itineraries, days, flights, hotels, packing and expenses; seeing likes and saves"
            }
            Self::ItinerariesWrite => {
                "Creating and changing itineraries; liking, disliking, saving and reporting; images"
            }
            Self::DocumentsRead => "Listing documents and getting links to their files",
            Self::DocumentsWrite => "Adding, renaming and deleting documents",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text).ok_or(())
    }
}

/// A set of OAuth scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// Whether the set has the scope.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// The scopes of the set, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.contains(*scope))
    }

    /// Parses a space-separated list. Unknown scopes are ignored.
    pub fn from_list(list: &str) -> Self {
        list.split(' ').filter_map(|word| word.parse().ok()).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | 1 << scope as u8))
    }
}

/// A section of an itinerary that needs the Pro subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum Section {
    Expenses,
    Packing,
    Documents,
}
