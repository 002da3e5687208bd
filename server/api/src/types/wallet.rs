//! Wallet passes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::hyphenated;
use crate::values::{ItemId, Whole};

/// The kind of thing that a wallet pass is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum WalletPassKind {
    Flight,
    Hotel,
    Transport,
    Reservation,
}

/// A wallet that the server makes passes for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum WalletPassFormat {
    #[default]
    Apple,
    Google,
}

/// A flight, hotel, transport or reservation that has wallet passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WalletPass {
    /// The kind of thing that the pass is for.
    pub kind: WalletPassKind,
    /// The id of the flight, hotel, transport or reservation.
    pub item_id: ItemId,
    /// The wallets that this server makes passes for. Empty if none is configured.
    pub formats: Vec<WalletPassFormat>,
}

/// A link that saves a pass to Google Wallet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WalletLink {
    /// The link, to be opened in the traveller's browser.
    #[schemars(with = "crate::values::WebUrl")]
    pub url: String,
}

/// The path of a wallet pass.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WalletPassPath {
    /// The id of the itinerary, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
    /// The kind of thing that the pass is for.
    pub kind: WalletPassKind,
    /// The id of the flight, hotel, transport or reservation.
    pub item_id: ItemId,
}

/// The query of a wallet pass.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct WalletPassQuery {
    /// The wallet that the pass is for. Defaults to `apple`.
    pub format: Option<WalletPassFormat>,
    /// The zero-based index of the ticket that the pass is for, 0 to 19. Defaults to the first ticket; a booking without
    /// tickets has one pass. An index without a ticket is rejected with `validationFailed`.
    pub ticket: Option<TicketIndex>,
}

/// The zero-based index of a ticket of a booking, which has at most 20.
pub type TicketIndex = Whole<0, 19>;
