//! Tickets within the API's limits.

use itinerary_api::types::{ImportIgnoredCode, Label, Ticket, TicketCode, TicketCodeFormat};
use itinerary_api::values::{Base64, Text, limits};

use super::{Cuts, name, text};
use crate::booking::{self, Booking, CodeContent, CodeFormat};

/// The tickets of a booking. They are not cut to the API's number here: several files may have the same.
pub(super) fn tickets(booking: &Booking, cuts: &mut Cuts) -> Vec<Ticket> {
    booking.tickets.iter().map(|ticket| of(ticket, cuts)).filter(|ticket| *ticket != Ticket::default()).collect()
}

fn of(ticket: &booking::Ticket, cuts: &mut Cuts) -> Ticket {
    Ticket {
        holder: ticket.holder.as_deref().and_then(name::readable).and_then(|name| label("holder", name, cuts)),
        seat_number: line("seatNumber", ticket.seat_number.as_deref(), cuts),
        coach_number: line("coachNumber", ticket.coach_number.as_deref(), cuts),
        ticket_number: line("ticketNumber", ticket.ticket_number.as_deref(), cuts),
        code: ticket.code.as_ref().and_then(|code| code_of(code, cuts)),
    }
}

fn line(field: &str, value: Option<&str>, cuts: &mut Cuts) -> Option<Label> {
    label(field, value.and_then(text::line)?, cuts)
}

fn label(field: &str, value: String, cuts: &mut Cuts) -> Option<Label> {
    Label::new(cuts.fit(&format!("tickets.{field}"), value, limits::LABEL)).ok()
}

/// A barcode, exactly as it is: one that does not fit is left out. Without a known symbology it is Aztec, as boarding passes
/// and most railways use it.
fn code_of(code: &booking::Code, cuts: &mut Cuts) -> Option<TicketCode> {
    let format = match code.format {
        Some(CodeFormat::Qr) => TicketCodeFormat::Qr,
        Some(CodeFormat::Pdf417) => TicketCodeFormat::Pdf417,
        Some(CodeFormat::Code128) => TicketCodeFormat::Code128,
        Some(CodeFormat::Aztec) | None => TicketCodeFormat::Aztec,
    };
    let data = |bytes: &[u8]| Base64::encode(bytes).map(|data| TicketCode { format, text: None, data: Some(data) });
    let written = match &code.content {
        CodeContent::Text(text) if text.is_empty() => return None,
        CodeContent::Bytes(bytes) if bytes.is_empty() => return None,
        CodeContent::Text(text) => match Text::new(text.clone()) {
            Ok(text) => Ok(TicketCode { format, text: Some(text), data: None }),
            // Control characters are part of some codes: they are kept as bytes.
            Err(_) => data(text.as_bytes()),
        },
        CodeContent::Bytes(bytes) => data(bytes),
    };
    if written.is_err() {
        cuts.left_out(ImportIgnoredCode::TooLarge, "The barcode of a ticket was left out: it is too long.");
    }
    written.ok()
}
