//! Reservations: tables, shows and tours.

use super::part::item_path;
use super::{ConfirmationNumber, Label, Notes, Place, PlacePatch, StopCategory, Tickets};
use crate::values::{Change, Date, ItemId, OffsetTime, Patch, Text, WebUrl, Whole, limits, resource};

/// The number of people that a reservation is for, 1 to 999.
pub type PartySize = Whole<1, 999>;

resource! {
    /// A table, a show, a tour: something that is booked at a place and a time.
    Reservation, ReservationPatch {
        /// The reservation's id, unique within the itinerary: 1 to 64 letters, digits, hyphens or underscores. Generated
        /// if absent.
        identity id: ItemId;
        /// What is reserved, such as the restaurant or the show; 1 to 200 characters. A reservation without a coordinate is
        /// placed by it.
        required name: Text<1, { limits::NAME }>;
        /// The kind of place, such as `restaurant`.
        optional category: StopCategory;
        /// Where it is. If it has no coordinate, the server looks for one by the reservation's name.
        object place: Place, PlacePatch;
        /// The start, an RFC 3339 date-time with an offset, such as `2027-05-15T19:30:00+01:00`, in the years 1900 to 2200.
        /// Stored and returned as sent.
        optional start_date: OffsetTime;
        /// The end, an RFC 3339 date-time with an offset, in the years 1900 to 2200. Must be after `startDate`. Stored and
        /// returned as sent.
        optional end_date: OffsetTime;
        /// The local date of the start, `YYYY-MM-DD`, if its time is unknown. Ignored if `startDate` is set.
        optional start_day: Date;
        /// The local date of the end, `YYYY-MM-DD`, if its time is unknown; not before the start. Ignored if `endDate` is
        /// set.
        optional end_day: Date;
        /// The number of people, 1 to 999.
        optional party_size: PartySize;
        /// A telephone number, in any format; 1 to 200 characters.
        optional phone_number: Label;
        /// The confirmation number (record locator, booking code), such as `X7KQ2P`; 1 to 50 characters.
        optional confirmation_number: ConfirmationNumber;
        /// Who sold it, such as a travel agency; 1 to 200 characters.
        optional provider: Label;
        /// The `https` or `http` address of the booking, at most 2,000 characters.
        optional booking_url: WebUrl;
        /// Notes in plain text with line breaks, at most 2,000 characters.
        optional notes: Notes;
        /// The tickets, one for each traveller, at most 20. Absent if there are none.
        sparse tickets: Tickets;
    }
}

item_path! {
    /// Names a reservation of an itinerary, in an address.
    ReservationPath {
        /// The id of the reservation.
        reservation_id
    }
}
