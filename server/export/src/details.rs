//! What flights, hotels, transports and reservations have in common: how they were booked, notes and tickets.
//!
//! Barcodes of tickets are in no format: a wallet pass shows them.

use itinerary_api::types::{Flight, Hotel, Reservation, Ticket, Transport};

use crate::text::{clean, join, line, link};

/// The fields that all bookings have.
#[derive(Clone, Copy)]
pub(crate) struct Details<'i> {
    pub(crate) confirmation_number: Option<&'i str>,
    pub(crate) provider: Option<&'i str>,
    booking_url: Option<&'i str>,
    notes: Option<&'i str>,
    tickets: &'i [Ticket],
}

macro_rules! details_of {
    ($($booking:ident),+) => {
        $(impl<'i> From<&'i $booking> for Details<'i> {
            fn from(booking: &'i $booking) -> Self {
                Self {
                    confirmation_number: booking.confirmation_number.as_deref(),
                    provider: booking.provider.as_deref(),
                    booking_url: booking.booking_url.as_deref(),
                    notes: booking.notes.as_deref(),
                    tickets: &booking.tickets,
                }
            }
        })+
    };
}

details_of!(Flight, Hotel, Transport, Reservation);

impl<'i> Details<'i> {
    /// The address of the booking, as it is shown to people.
    pub(crate) fn link(&self) -> Option<String> {
        link(self.booking_url?)
    }

    /// The lines of the notes that are not empty.
    pub(crate) fn note_lines(&self) -> impl Iterator<Item = &'i str> + use<'i> {
        note_lines(self.notes)
    }

    /// The notes with their line breaks. `None` if they are empty.
    pub(crate) fn notes(&self) -> Option<&'i str> {
        notes(self.notes)
    }

    /// Each ticket in one line, `Ana Silva, coach 7, seat 14C, number 0123`. Tickets that only have a barcode are left out.
    pub(crate) fn tickets(&self) -> impl Iterator<Item = String> + use<'i> {
        self.tickets.iter().map(ticket).filter(|ticket| !ticket.is_empty())
    }

    /// Everything but the notes, as labels and values in plain text.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let one = |label, value: Option<&str>| (label, line(value.unwrap_or_default()));
        let mut facts = vec![one("Confirmation number", self.confirmation_number), one("Booked with", self.provider)];
        facts.push(("Booking", self.link().unwrap_or_default()));
        facts.extend(self.tickets().map(|ticket| ("Ticket", ticket)));
        facts.retain(|(_, value)| !value.is_empty());
        facts
    }

    /// All of it as lines of plain text, the notes after an empty line. Empty if there is nothing.
    pub(crate) fn in_plain_text(&self) -> String {
        let facts = self.facts().into_iter().map(|(label, value)| format!("{label}: {value}"));
        join([join(facts, "\n"), clean(self.notes().unwrap_or_default())], "\n\n")
    }
}

/// Notes with their line breaks, without blanks around them. `None` if nothing is left.
pub(crate) fn notes(notes: Option<&str>) -> Option<&str> {
    notes.map(str::trim).filter(|notes| !notes.is_empty())
}

/// The lines of notes that are not empty.
pub(crate) fn note_lines(notes: Option<&str>) -> impl Iterator<Item = &str> {
    notes.unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty())
}

fn ticket(ticket: &Ticket) -> String {
    let labelled = |label: &str, value: Option<&str>| {
        let value = line(value.unwrap_or_default());
        if value.is_empty() { value } else { format!("{label} {value}") }
    };
    let parts = [
        line(ticket.holder.as_deref().unwrap_or_default()),
        labelled("coach", ticket.coach_number.as_deref()),
        labelled("seat", ticket.seat_number.as_deref()),
        labelled("number", ticket.ticket_number.as_deref()),
    ];
    join(parts, ", ")
}
