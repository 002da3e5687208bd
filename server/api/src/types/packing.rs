//! Packing items. They need the Pro subscription.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::item_path;
use super::{BelongsTo, BelongsToPatch};
use crate::values::{Change, ItemId, Patch, Text, Whole, limits, resource};

/// The kind of thing to pack. `other` if none of the values fits.
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

/// How many of an item to pack: 1 to 999, by default 1.
type Quantity = Whole<1, 999>;

impl Default for Quantity {
    fn default() -> Self {
        Self::new(1).expect("1 is within the limits")
    }
}

resource! {
    /// A thing to pack. Packing items need the Pro subscription.
    PackingItem, PackingItemPatch {
        /// The packing item's id, unique within the itinerary: 1 to 64 letters, digits, hyphens or underscores. Generated
        /// if absent.
        identity id: ItemId;
        /// The thing to pack, 1 to 200 characters.
        required name: Text<1, { limits::NAME }>;
        /// The category, such as `clothing`.
        optional category: PackingCategory;
        /// How many to pack, 1 to 999. Defaults to 1.
        defaulted quantity: Quantity;
        /// Whether it is already packed. Defaults to false.
        defaulted is_packed: bool;
        /// The part of the itinerary that the packing item belongs to.
        object belongs_to: BelongsTo, BelongsToPatch;
    }
}

item_path! {
    /// Names a packing item of an itinerary, in an address.
    PackingPath {
        /// The id of the packing item.
        packing_id
    }
}
