//! The query of Explore.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::PageLimit;
use crate::values::{Cursor, Text, limits};

/// Limits Explore to itineraries of people whom the caller follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ExploreFilter {
    Following,
}

/// The query of Explore. An itinerary must match all parameters.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ExploreQuery {
    /// The words to search for in title, summary, destination, tags and stop names, 1 to 200 characters. All words must
    /// occur; the last one may be a prefix. Ignores case and accents.
    pub q: Option<Text<1, { limits::QUERY }>>,
    /// With `following`, only itineraries of people whom the caller follows.
    pub filter: Option<ExploreFilter>,
    /// With `true`, the same as `filter=following`. Defaults to false.
    pub following: Option<bool>,
    /// Up to eight comma-separated regions: English names of countries, UN sub-regions or continents, in letters and
    /// spaces; case-insensitive. For example `Portugal,Western Africa`.
    #[schemars(regex(
        // Letters are told from other characters in ASCII only: beyond it, engines differ in how they name classes.
        pattern = r"^[^\x00-\x1F!-@\[-`{-\x7F]{1,100}(,[^\x00-\x1F!-@\[-`{-\x7F]{1,100}){0,7}$"
    ))]
    pub regions: Option<String>,
    /// The maximum number of entries on a page, 1 to 100. Defaults to 25.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the previous page, which keeps its order. Absent for the first page.
    pub cursor: Option<Cursor>,
}
