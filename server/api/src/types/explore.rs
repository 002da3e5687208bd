//! What Explore may be asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::PageLimit;
use crate::values::{Cursor, Text, limits};

/// Which itineraries Explore shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ExploreFilter {
    Following,
}

/// What Explore may be asked for; what is named must all hold.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ExploreQuery {
    /// Words to look for in title, summary, destination, tags and names of stops; the last one may be the beginning of a
    /// word. Case and accents make no difference.
    pub q: Option<Text<1, { limits::QUERY }>>,
    /// `following`: only itineraries of people whom the caller follows.
    pub filter: Option<ExploreFilter>,
    /// `true` is the same as `filter=following`.
    pub following: Option<bool>,
    /// Up to eight regions, separated by commas: English names of countries, UN sub-regions or continents, in letters and
    /// spaces.
    #[schemars(regex(pattern = "^[^,]{1,100}(,[^,]{1,100}){0,7}$"))]
    pub regions: Option<String>,
    /// How many entries a page holds, 1 to 100; 25 when left out.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the page before, which keeps its order.
    pub cursor: Option<Cursor>,
}
