//! Hotels.

use super::part::item_path;
use super::{ConfirmationNumber, Label, Notes, Place, PlacePatch, Tickets};
use crate::values::{Change, ItemId, OffsetTime, Patch, Text, WebUrl, limits, resource};

resource! {
    /// A stay at a hotel or other lodging.
    Hotel, HotelPatch {
        /// The hotel's id, unique within the itinerary: 1 to 64 letters, digits, hyphens or underscores. Generated if
        /// absent.
        identity id: ItemId;
        /// The hotel's name, 1 to 200 characters. A hotel without a coordinate is placed by it.
        required name: Text<1, { limits::NAME }>;
        /// Where the hotel is. If it has no coordinate, the server looks for one by the hotel's name.
        object place: Place, PlacePatch;
        /// The check-in, an RFC 3339 date-time with an offset, such as `2027-05-15T15:00:00+01:00`, in the years 1900
        /// to 2200. Stored and returned as sent.
        optional check_in_date: OffsetTime;
        /// The check-out, an RFC 3339 date-time with an offset, in the years 1900 to 2200. Must be after `checkInDate`.
        /// Stored and returned as sent.
        optional check_out_date: OffsetTime;
        /// The room number or name, 1 to 200 characters.
        optional room_number: Label;
        /// A telephone number of the hotel, in any format; 1 to 200 characters.
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
    /// Names a hotel of an itinerary, in an address.
    HotelPath {
        /// The id of the hotel.
        hotel_id
    }
}
