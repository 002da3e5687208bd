//! Packing items. They need the Pro subscription.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::item_path;
use super::{BelongsTo, BelongsToPatch};
use crate::values::{Change, ItemId, Patch, Text, Whole, limits, resource};

/// What kind of thing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum PackingCategory {
    Accessories,
    Clothing,
    Footwear,
    Toiletries,
    Health,
    Electronics,
    Documents,
    Gear,
    Food,
    Other,
}

/// How many of a thing are packed: 1 to 999, and 1 when nothing is said.
type Quantity = Whole<1, 999>;

impl Default for Quantity {
    fn default() -> Self {
        Self::new(1).expect("1 is within the limits")
    }
}

resource! {
    /// Something to pack.
    PackingItem, PackingItemPatch {
        /// Its id, which nothing else in the itinerary has; made when left out.
        identity id: ItemId;
        /// What it is.
        required name: Text<1, { limits::NAME }>;
        /// What kind of thing it is.
        optional category: PackingCategory;
        /// How many.
        defaulted quantity: Quantity;
        /// Whether it is packed.
        defaulted is_packed: bool;
        /// What it belongs to.
        object belongs_to: BelongsTo, BelongsToPatch;
    }
}

item_path! {
    /// Names a packing item of an itinerary, in an address.
    PackingPath {
        /// The packing item's id.
        packing_id
    }
}
