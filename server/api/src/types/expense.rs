//! Expenses. They need the Pro subscription.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::item_path;
use super::{BelongsTo, BelongsToPatch};
use crate::values::{Amount, Change, Currency, Date, ItemId, Patch, Text, limits, resource};

/// What the money was spent on. `other` if none of the values fits.
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
    /// An amount of money in a currency.
    Cost, CostPatch {
        /// The amount in the currency's main unit, 0 to 999,999,999,999.999, with at most three decimals. Returned as
        /// the same number.
        required amount: Amount;
        /// The ISO 4217 currency code, such as `EUR`. Defaults to the itinerary's currency.
        optional currency: Currency;
    }
}

resource! {
    /// An expense of the trip. Expenses need the Pro subscription.
    Expense, ExpensePatch {
        /// The expense's id, unique within the itinerary: 1 to 64 letters, digits, hyphens or underscores. Generated if
        /// absent.
        identity id: ItemId;
        /// What the money was spent on, 1 to 200 characters.
        required name: Text<1, { limits::NAME }>;
        /// The amount of money, with its currency.
        required_object cost: Cost, CostPatch;
        /// The kind of expense, such as `food`.
        optional category: ExpenseCategory;
        /// The date of the expense, `YYYY-MM-DD`, in the years 1900 to 2200.
        optional date: Date;
        /// The part of the itinerary that the expense belongs to.
        object belongs_to: BelongsTo, BelongsToPatch;
    }
}

item_path! {
    /// Names an expense of an itinerary, in an address.
    ExpensePath {
        /// The id of the expense.
        expense_id
    }
}
