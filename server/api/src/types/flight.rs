//! Flights.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::item_path;
use super::{Label, Place, PlacePatch};
use crate::values::{Change, ItemId, OffsetTime, Patch, Text, limits, resource};

/// The cabin one flies in.
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
    /// An airline.
    #[derive(Default)]
    Airline, AirlinePatch {
        /// Its code, such as TP.
        optional code: Text<1, 10>;
        /// Its name.
        optional name: Text<1, { limits::NAME }>;
    }
}

resource! {
    /// A flight. It has at least one field besides its id.
    #[derive(Default)]
    Flight, FlightPatch {
        /// Its id, which nothing else in the itinerary has; made when left out.
        identity id: ItemId;
        /// Who flies it.
        object flight_airline: Airline, AirlinePatch;
        /// Its number, such as TP1363.
        optional flight_number: Label;
        /// Where it starts.
        object departure_airport: Place, PlacePatch;
        /// Where it lands.
        object arrival_airport: Place, PlacePatch;
        /// When it starts.
        optional departure_date: OffsetTime;
        /// When it lands: after it starts, as instants.
        optional arrival_date: OffsetTime;
        /// The cabin.
        optional cabin_class: CabinClass;
        /// The seat.
        optional seat_number: Label;
        /// The gate.
        optional gate_number: Label;
        /// The terminal where it starts.
        optional departure_terminal: Label;
        /// The terminal where it lands.
        optional arrival_terminal: Label;
        /// A telephone number.
        optional phone_number: Label;
    }
}

item_path! {
    /// Names a flight of an itinerary, in an address.
    FlightPath {
        /// The flight's id.
        flight_id
    }
}
