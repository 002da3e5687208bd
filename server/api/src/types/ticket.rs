//! Tickets, and what all bookings have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Label;
use crate::values::{Base64, Change, List, Patch, Text, limits, resource};

/// A confirmation number of 1 to 50 characters.
pub type ConfirmationNumber = Text<1, { limits::CONFIRMATION_NUMBER }>;
/// Notes of at most 2,000 characters.
pub type Notes = Text<0, { limits::NOTES }>;
/// The tickets of a booking, at most 20.
pub type Tickets = List<Ticket, { limits::TICKETS }>;

/// The kind of barcode of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum TicketCodeFormat {
    Aztec,
    Qr,
    Pdf417,
    Code128,
}

resource! {
    /// The barcode of a ticket: its format, and what it contains as either `text` or `data`.
    TicketCode, TicketCodePatch {
        /// The kind of barcode, such as `aztec`.
        required format: TicketCodeFormat;
        /// What the barcode contains, 1 to 2,000 characters. Stored and returned as sent, spaces included.
        optional text: Text<1, { limits::TICKET_TEXT }>;
        /// What the barcode contains, if that is not text: bytes in base64, at most 4,000 characters.
        optional data: Base64;
    }
}

resource! {
    /// The ticket of one traveller. At least one field is required.
    #[derive(Default)]
    Ticket, TicketPatch {
        /// The traveller's name, 1 to 200 characters.
        optional holder: Label;
        /// The seat, such as `14C`; 1 to 200 characters.
        optional seat_number: Label;
        /// The coach of a train, 1 to 200 characters.
        optional coach_number: Label;
        /// The ticket's own number, 1 to 200 characters.
        optional ticket_number: Label;
        /// The barcode that is scanned on the way.
        object code: TicketCode, TicketCodePatch;
    }
}
