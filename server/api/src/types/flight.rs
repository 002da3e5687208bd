//! Flights.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::item_path;
use super::{ConfirmationNumber, Label, Notes, Place, PlacePatch, Tickets};
use crate::values::{Change, Date, ItemId, OffsetTime, Patch, Text, WebUrl, limits, resource};

/// The cabin class of a flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum CabinClass {
    Economy,
    PremiumEconomy,
    Business,
    First,
}

resource! {
    /// An airline, by code, name or both.
    #[derive(Default)]
    Airline, AirlinePatch {
        /// The airline's IATA or ICAO code, such as `TP`; 1 to 10 characters.
        optional code: Text<1, 10>;
        /// The airline's name, 1 to 200 characters.
        optional name: Text<1, { limits::NAME }>;
    }
}

resource! {
    /// A flight of the trip. At least one field besides `id` is required.
    #[derive(Default)]
    Flight, FlightPatch {
        /// The flight's id, unique within the itinerary: 1 to 64 letters, digits, hyphens or underscores. Generated if
        /// absent.
        identity id: ItemId;
        /// The airline that operates or sells the flight.
        object flight_airline: Airline, AirlinePatch;
        /// The flight number with the airline's code, such as `TP1363`; 1 to 200 characters.
        optional flight_number: Label;
        /// The airport of departure. Its `code` is enough: the server fills in the coordinate.
        object departure_airport: Place, PlacePatch;
        /// The airport of arrival. Its `code` is enough: the server fills in the coordinate.
        object arrival_airport: Place, PlacePatch;
        /// The departure, an RFC 3339 date-time with an offset, such as `2027-05-15T08:05:00+01:00`, in the years 1900
        /// to 2200. Stored and returned as sent.
        optional departure_date: OffsetTime;
        /// The arrival, an RFC 3339 date-time with an offset, in the years 1900 to 2200. Must be after `departureDate`.
        /// Stored and returned as sent.
        optional arrival_date: OffsetTime;
        /// The local date of the departure, `YYYY-MM-DD`, if its time is unknown. Ignored if `departureDate` is set.
        optional departure_day: Date;
        /// The cabin class, such as `economy`.
        optional cabin_class: CabinClass;
        /// The seat, such as `14C`; 1 to 200 characters.
        optional seat_number: Label;
        /// The departure gate, such as `B12`; 1 to 200 characters.
        optional gate_number: Label;
        /// The terminal of departure, 1 to 200 characters.
        optional departure_terminal: Label;
        /// The terminal of arrival, 1 to 200 characters.
        optional arrival_terminal: Label;
        /// A telephone number of the airline, in any format; 1 to 200 characters.
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
    /// Names a flight of an itinerary, in an address.
    FlightPath {
        /// The id of the flight.
        flight_id
    }
}
