//! Expenses. They need the Pro subscription.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::item_path;
use super::{BelongsTo, BelongsToPatch};
use crate::values::{Amount, Change, Currency, Date, ItemId, Patch, Text, limits, resource};

/// What the money went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ExpenseCategory {
    Activity,
    Lodging,
    Flight,
    Transport,
    Food,
    Shopping,
    Insurance,
    Visa,
    Communication,
    Other,
}

resource! {
    /// An amount of money.
    Cost, CostPatch {
        /// How much, with at most three decimals.
        required amount: Amount;
        /// Its currency (ISO 4217); the itinerary's when left out.
        optional currency: Currency;
    }
}

resource! {
    /// An expense.
    Expense, ExpensePatch {
        /// Its id, which nothing else in the itinerary has; made when left out.
        identity id: ItemId;
        /// What it was.
        required name: Text<1, { limits::NAME }>;
        /// What it cost.
        required_object cost: Cost, CostPatch;
        /// What kind of expense it is.
        optional category: ExpenseCategory;
        /// When it was.
        optional date: Date;
        /// What it belongs to.
        object belongs_to: BelongsTo, BelongsToPatch;
    }
}

item_path! {
    /// Names an expense of an itinerary, in an address.
    ExpensePath {
        /// The expense's id.
        expense_id
    }
}
