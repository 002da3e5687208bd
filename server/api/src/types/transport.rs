//! Transports: trains, buses, ferries, taxis, transfers and hired cars.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::item_path;
use super::{ConfirmationNumber, Label, Notes, Place, PlacePatch, Tickets};
use crate::values::{Change, Date, ItemId, OffsetTime, Patch, Text, WebUrl, limits, resource};

/// The means of transport. `car` is a hired car: departure is its collection, arrival its return. `other` if none of the
/// values fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum TransportMode {
    Train,
    Bus,
    Ferry,
    Car,
    Taxi,
    Transfer,
    Other,
}

resource! {
    /// The company that operates a transport, by code, name or both.
    #[derive(Default)]
    Operator, OperatorPatch {
        /// The company's code, such as `CP`; 1 to 10 characters.
        optional code: Text<1, 10>;
        /// The company's name, 1 to 200 characters.
        optional name: Text<1, { limits::NAME }>;
    }
}

resource! {
    /// A train, bus, ferry, taxi, transfer or hired car of the trip. At least one field besides `id` is required.
    #[derive(Default)]
    Transport, TransportPatch {
        /// The transport's id, unique within the itinerary: 1 to 64 letters, digits, hyphens or underscores. Generated if
        /// absent.
        identity id: ItemId;
        /// The means of transport, such as `train`.
        optional mode: TransportMode;
        /// The company that operates the transport.
        object operator: Operator, OperatorPatch;
        /// The number of the train, bus or ferry, such as `IC 523`; 1 to 200 characters.
        optional number: Label;
        /// Where it departs, or where the hired car is collected. If it has no coordinate, the server looks for one by its
        /// name.
        object departure_place: Place, PlacePatch;
        /// Where it arrives, or where the hired car is returned. If it has no coordinate, the server looks for one by its
        /// name.
        object arrival_place: Place, PlacePatch;
        /// The departure or collection, an RFC 3339 date-time with an offset, such as `2027-05-15T08:05:00+01:00`, in the
        /// years 1900 to 2200. Stored and returned as sent.
        optional departure_date: OffsetTime;
        /// The arrival or return, an RFC 3339 date-time with an offset, in the years 1900 to 2200. Must be after
        /// `departureDate`. Stored and returned as sent.
        optional arrival_date: OffsetTime;
        /// The local date of the departure, `YYYY-MM-DD`, if its time is unknown. Ignored if `departureDate` is set.
        optional departure_day: Date;
        /// The class, such as `2nd`; 1 to 200 characters.
        optional travel_class: Label;
        /// The platform or bay of the departure, 1 to 200 characters.
        optional departure_platform: Label;
        /// The platform or bay of the arrival, 1 to 200 characters.
        optional arrival_platform: Label;
        /// A telephone number of the company, in any format; 1 to 200 characters.
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
    /// Names a transport of an itinerary, in an address.
    TransportPath {
        /// The id of the transport.
        transport_id
    }
}
