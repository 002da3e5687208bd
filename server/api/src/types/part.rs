//! What the operations on the parts of an itinerary take and answer besides the parts themselves: addresses, positions,
//! lists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::values::{ItemId, Whole, limits};

/// A place in a list: 0 is before the first entry.
pub type Position = Whole<0, { limits::POSITION }>;

/// All of one kind that an itinerary has, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{T}List")]
pub struct ItemList<T> {
    /// The entries.
    pub data: Vec<T>,
}

/// Where something new goes.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct PositionQuery {
    /// Its place among the others, 0 for the first, as many as there are at most; the last when left out.
    pub position: Option<Position>,
}

/// Where a stop goes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopMove {
    /// The day it goes to; the one it is in when left out.
    pub day_id: Option<ItemId>,
    /// Its place among the day's other stops, 0 for the first, as many as there are at most; the last when left out.
    pub position: Option<Position>,
}

/// Declares the address of an item of an itinerary.
macro_rules! item_path {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident),+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// The itinerary's id.
            #[serde(deserialize_with = "crate::types::page::hyphenated")]
            pub id: uuid::Uuid,
            $($(#[$doc])* pub $field: $crate::values::ItemId,)+
        }
    };
}

pub(super) use item_path;

item_path! {
    /// Names a day of an itinerary, in an address.
    DayPath {
        /// The day's id.
        day_id
    }
}
item_path! {
    /// Names a stop of a day, in an address.
    StopPath {
        /// The day's id.
        day_id,
        /// The stop's id.
        stop_id
    }
}
