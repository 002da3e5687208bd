//! Hotels.

use super::part::item_path;
use super::{Label, Place, PlacePatch};
use crate::values::{Change, ItemId, OffsetTime, Patch, Text, limits, resource};

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
    }
}

item_path! {
    /// Names a hotel of an itinerary, in an address.
    HotelPath {
        /// The id of the hotel.
        hotel_id
    }
}
