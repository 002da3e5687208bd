//! Paths, positions and lists of the operations on parts of an itinerary.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::values::{ItemId, Whole, limits};

/// A zero-based index in a list.
pub type Position = Whole<0, { limits::POSITION }>;

/// A complete list, which is not paged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{T}List")]
pub struct ItemList<T> {
    /// All entries, in the list's order.
    pub data: Vec<T>,
}

/// The query of adding an item to a list.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct PositionQuery {
    /// The zero-based index of the new entry; at most the list's length. Defaults to the end.
    pub position: Option<Position>,
}

/// Where to move a stop. All fields are optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopMove {
    /// The id of the day to move the stop to. Defaults to its current day.
    pub day_id: Option<ItemId>,
    /// The zero-based index among the day's other stops; at most their number. Defaults to the end.
    pub position: Option<Position>,
}

/// Where to move a day.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DayMove {
    /// The zero-based index among the other days; at most their number.
    pub position: Position,
}

/// Declares the address of an item of an itinerary.
macro_rules! item_path {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident),+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// The id of the itinerary, a UUID.
            #[serde(deserialize_with = "crate::types::page::hyphenated")]
            pub id: uuid::Uuid,
            $($(#[$doc])* pub $field: $crate::values::ItemId,)+
        }
    };
}

pub(super) use item_path;

item_path! {
    /// The path of an operation on a day.
    DayPath {
        /// The id of the day.
        day_id
    }
}
item_path! {
    /// The path of an operation on a stop.
    StopPath {
        /// The id of the day that has the stop.
        day_id,
        /// The id of the stop.
        stop_id
    }
}
