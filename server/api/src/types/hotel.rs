//! Hotels.

use super::part::item_path;
use super::{Label, Place, PlacePatch};
use crate::values::{Change, ItemId, OffsetTime, Patch, Text, limits, resource};

resource! {
    /// A stay at a hotel.
    Hotel, HotelPatch {
        /// Its id, which nothing else in the itinerary has; made when left out.
        identity id: ItemId;
        /// The hotel's name.
        required name: Text<1, { limits::NAME }>;
        /// Where it is.
        object place: Place, PlacePatch;
        /// When the stay begins.
        optional check_in_date: OffsetTime;
        /// When the stay ends: after it begins, as instants.
        optional check_out_date: OffsetTime;
        /// The room.
        optional room_number: Label;
        /// A telephone number.
        optional phone_number: Label;
    }
}

item_path! {
    /// Names a hotel of an itinerary, in an address.
    HotelPath {
        /// The hotel's id.
        hotel_id
    }
}
