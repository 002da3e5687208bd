//! Short forms of the types of requests, for what most trips need: an airport by its code, a stop by its name. They set
//! fields that the setters set too, check nothing and never panic; the service validates what is sent.

use uuid::Uuid;

use crate::moment::TimeInput;
use crate::types::{
    BelongsToInput, BelongsToKind, CoordinateInput, CoordinatePatch, CostInput, DestinationInput, FlightInput,
    HotelInput, Itinerary, ItineraryCreate, MemberChange, MemberRole, PackingItemInput, PlaceInput, ReservationInput,
    StopInput, StopSuggestion, TransportInput, TransportMode,
};

macro_rules! coordinates {
    ($($latitude:ty, $longitude:ty;)+) => {
        $(
            /// A latitude and a longitude in degrees.
            impl From<($latitude, $longitude)> for CoordinateInput {
                fn from((latitude, longitude): ($latitude, $longitude)) -> Self {
                    Self { latitude: latitude.into(), longitude: longitude.into() }
                }
            }

            /// A latitude and a longitude in degrees.
            impl From<($latitude, $longitude)> for CoordinatePatch {
                fn from((latitude, longitude): ($latitude, $longitude)) -> Self {
                    Self::default().latitude(latitude.into()).longitude(longitude.into())
                }
            }
        )+
    };
}

coordinates! {
    f64, f64;
    f64, i32;
    i32, f64;
    i32, i32;
}

/// A new role for a member.
impl From<MemberRole> for MemberChange {
    fn from(role: MemberRole) -> Self {
        Self::new(role)
    }
}

macro_rules! amounts {
    ($($number:ty)+) => {
        $(
            /// An amount in the itinerary's currency.
            impl From<$number> for CostInput {
                fn from(amount: $number) -> Self {
                    Self::new(f64::from(amount))
                }
            }

            /// An amount and its currency, such as `(48.5, "EUR")`.
            impl From<($number, &str)> for CostInput {
                fn from((amount, currency): ($number, &str)) -> Self {
                    Self::new(f64::from(amount)).currency(currency)
                }
            }
        )+
    };
}

amounts!(f64 i32);

macro_rules! named {
    ($($what:literal $name:ident;)+) => {
        $(
            #[doc = concat!($what, " with this name.")]
            impl From<&str> for $name {
                fn from(name: &str) -> Self {
                    Self::new(name)
                }
            }

            #[doc = concat!($what, " with this name.")]
            impl From<String> for $name {
                fn from(name: String) -> Self {
                    Self::new(name)
                }
            }
        )+
    };
}

named! {
    "A stop" StopInput;
    "A hotel" HotelInput;
    "A reservation" ReservationInput;
    "A packing item" PackingItemInput;
}

/// A stop for a suggested activity, to be added to a day.
impl From<StopSuggestion> for StopInput {
    fn from(suggestion: StopSuggestion) -> Self {
        let StopSuggestion { name, category, place, activity } = suggestion;
        let stop = Self::new(name).category(category).activity(activity);
        Self { place: place.map(Into::into), ..stop }
    }
}

/// The content of an itinerary, for a new one of the caller's own. Items keep their ids. The new one is private, and has no
/// documents, which are uploaded; what belongs to the itinerary as a whole belongs to nothing.
/// Fails with [`SUBSCRIPTION_REQUIRED`](crate::code::SUBSCRIPTION_REQUIRED) without Pro if it has expenses or packing
/// items.
///
/// ```
/// use itinerary_sdk::types::{Itinerary, ItineraryCreate};
///
/// fn next_year(trip: Itinerary) -> ItineraryCreate {
///     ItineraryCreate::from(trip).start_date("2028-05-15")
/// }
/// ```
impl From<Itinerary> for ItineraryCreate {
    fn from(mut trip: Itinerary) -> Self {
        // The new itinerary has another id.
        let expenses = trip.expenses.iter_mut().flatten().map(|expense| &mut expense.belongs_to);
        let packing = trip.packing.iter_mut().flatten().map(|item| &mut item.belongs_to);
        for owner in expenses.chain(packing) {
            owner.take_if(|owner| owner.kind == BelongsToKind::Itinerary);
        }
        Self {
            cover_image: trip.cover_image.map(Into::into),
            currency: trip.currency,
            days: Some(trip.days.into_iter().map(Into::into).collect()),
            destination: trip.destination.into(),
            documents: None,
            expenses: inputs(trip.expenses),
            flights: inputs(trip.flights),
            hotels: inputs(trip.hotels),
            origin: trip.origin.map(Into::into),
            packing: inputs(trip.packing),
            reservations: inputs(trip.reservations),
            start_date: Some(trip.start_date.into()),
            summary: trip.summary,
            tags: Some(trip.tags),
            title: Some(trip.title),
            transports: inputs(trip.transports),
            travellers: Some(trip.travellers),
            visibility: None,
        }
    }
}

/// The inputs of a section; `None` if it is empty, because an empty one needs Pro too.
fn inputs<T, I: From<T>>(items: Option<Vec<T>>) -> Option<Vec<I>> {
    let items = items.filter(|items| !items.is_empty())?;
    Some(items.into_iter().map(Into::into).collect())
}

impl ItineraryCreate {
    /// A trip to a place with this name and coordinate: latitude and longitude in degrees.
    ///
    /// ```
    /// use itinerary_sdk::types::{DayInput, ItineraryCreate};
    ///
    /// let day = DayInput::default().stops(["Belém Tower", "Time Out Market"]);
    /// let trip = ItineraryCreate::to("Lisbon", (38.72, -9.14)).start_date("2027-05-15").days([day]);
    /// ```
    pub fn to(name: impl Into<String>, coordinate: impl Into<CoordinateInput>) -> Self {
        Self::new(DestinationInput::new(name, coordinate))
    }
}

impl PlaceInput {
    /// An airport, by its three-letter IATA code. The service fills in the rest.
    ///
    /// ```
    /// use itinerary_sdk::types::{ItineraryPatch, PlaceInput};
    ///
    /// assert_eq!(PlaceInput::airport("LHR").code.as_deref(), Some("LHR"));
    /// ```
    pub fn airport(code: impl Into<String>) -> Self {
        Self::default().code(code)
    }

    /// A place by its name.
    ///
    /// ```
    /// use itinerary_sdk::types::PlaceInput;
    ///
    /// let place = PlaceInput::named("Praça do Comércio").address("Praça do Comércio, 1100 Lisbon");
    /// ```
    pub fn named(name: impl Into<String>) -> Self {
        Self::default().name(name)
    }

    /// A place by its coordinate: latitude and longitude in degrees.
    ///
    /// ```
    /// let place = itinerary_sdk::types::PlaceInput::at((38.7075, -9.1364));
    /// ```
    pub fn at(coordinate: impl Into<CoordinateInput>) -> Self {
        Self::default().coordinate(coordinate)
    }
}

impl FlightInput {
    /// A flight by its number, with the airline's code.
    ///
    /// ```
    /// use itinerary_sdk::types::FlightInput;
    ///
    /// let flight = FlightInput::new("TP1363").between("LHR", "LIS").departing("2027-05-15T08:05:00+01:00");
    /// let json = r#"{"arrivalAirport":{"code":"LIS"},"departureAirport":{"code":"LHR"},"#.to_owned()
    ///     + r#""departureDate":"2027-05-15T08:05:00+01:00","flightNumber":"TP1363"}"#;
    /// assert_eq!(serde_json::to_string(&flight)?, json);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(flight_number: impl Into<String>) -> Self {
        Self::default().flight_number(flight_number)
    }

    /// Sets `departure_airport` and `arrival_airport` to the airports with these IATA codes.
    #[must_use]
    pub fn between(self, departure: impl Into<String>, arrival: impl Into<String>) -> Self {
        self.departure_airport(PlaceInput::airport(departure)).arrival_airport(PlaceInput::airport(arrival))
    }

    /// Sets `departure_date`: a local time with its offset, such as `2027-05-15T08:05:00+01:00`.
    #[must_use]
    pub fn departing(self, time: impl Into<TimeInput>) -> Self {
        self.departure_date(time)
    }

    /// Sets `arrival_date`: a local time with its offset, such as `2027-05-15T10:50:00+01:00`.
    #[must_use]
    pub fn arriving(self, time: impl Into<TimeInput>) -> Self {
        self.arrival_date(time)
    }
}

impl TransportInput {
    /// A transport of this mode.
    ///
    /// ```
    /// use itinerary_sdk::types::{TransportInput, TransportMode};
    ///
    /// let train = TransportInput::new(TransportMode::Train)
    ///     .number("IC 523")
    ///     .between("Lisboa Oriente", "Porto Campanhã")
    ///     .departure_date("2027-05-17T09:39:00+01:00");
    /// ```
    pub fn new(mode: TransportMode) -> Self {
        Self::default().mode(mode)
    }

    /// Sets `departure_place` and `arrival_place` to the places with these names.
    #[must_use]
    pub fn between(self, departure: impl Into<String>, arrival: impl Into<String>) -> Self {
        self.departure_place(PlaceInput::named(departure)).arrival_place(PlaceInput::named(arrival))
    }
}

macro_rules! belongs_to {
    ($($name:ident $kind:ident $thing:literal;)+) => {
        $(
            #[doc = concat!("Belongs to ", $thing, " with this id.")]
            ///
            /// ```
            /// use itinerary_sdk::types::{BelongsToInput, ExpenseInput};
            ///
            #[doc = concat!("let owner = BelongsToInput::", stringify!($name), "(\"", stringify!($name), "-1\");")]
            /// let expense = ExpenseInput::new("Deposit", (120.0, "EUR")).belongs_to(owner);
            /// ```
            pub fn $name(id: impl Into<String>) -> Self {
                Self::new(id, BelongsToKind::$kind)
            }
        )+
    };
}

/// The item that an expense, a packing item or a document belongs to.
impl BelongsToInput {
    belongs_to! {
        day Day "the day";
        flight Flight "the flight";
        hotel Hotel "the hotel";
        transport Transport "the transport";
        reservation Reservation "the reservation";
        stop Stop "the stop";
    }

    /// Belongs to the itinerary as a whole.
    ///
    /// ```
    /// use itinerary_sdk::{UploadDetails, Uuid, types::BelongsToInput};
    ///
    /// fn insurance(trip: Uuid) -> UploadDetails {
    ///     UploadDetails::named("insurance.pdf.age").belongs_to(BelongsToInput::itinerary(trip))
    /// }
    /// ```
    pub fn itinerary(id: Uuid) -> Self {
        Self::new(id, BelongsToKind::Itinerary)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::types::{DayInput, ExpenseInput, PlacePatch, Stop};

    #[test]
    fn a_name_or_a_code_is_enough() {
        let day = DayInput::default().stops(["Belém Tower"]);
        let trip = ItineraryCreate::to("Lisbon", (38.72, -9.14)).days([day]).hotels(["Avenida Palace"]);
        let trip = trip.packing([String::from("Rain jacket")]).flights([FlightInput::new("TP1363").arriving("x")]);
        let trip = trip.expenses([ExpenseInput::new("Dinner", 48.5), ExpenseInput::new("Tram", (3, "EUR"))]);
        let expected = json!({
            "destination": { "name": "Lisbon", "coordinate": { "latitude": 38.72, "longitude": -9.14 } },
            "days": [{ "stops": [{ "name": "Belém Tower" }] }],
            "hotels": [{ "name": "Avenida Palace" }],
            "packing": [{ "name": "Rain jacket" }],
            "flights": [{ "flightNumber": "TP1363", "arrivalDate": "x" }],
            "expenses": [
                { "name": "Dinner", "cost": { "amount": 48.5 } },
                { "name": "Tram", "cost": { "amount": 3.0, "currency": "EUR" } },
            ],
        });
        assert_eq!(json!(trip), expected);
    }

    #[test]
    fn coordinates_may_be_whole_numbers() {
        let whole = json!({ "latitude": 38.0, "longitude": -9.0 });
        assert_eq!(json!(CoordinateInput::from((38, -9))), whole);
        assert_eq!(json!(CoordinateInput::from((38.0, -9))), whole);
        assert_eq!(json!(CoordinatePatch::from((38, -9.0))), whole);
    }

    #[test]
    fn a_value_that_was_read_is_sent_back_by_value_or_by_reference() {
        let stop = json!({
            "id": "market", "name": "Time Out Market", "startTime": "12:30", "startTimeSuggested": false });
        let read: Stop = serde_json::from_value(stop.clone()).unwrap();
        assert_eq!((json!(StopInput::from(&read)), json!(StopInput::from(read))), (stop.clone(), stop));
    }

    #[test]
    fn belongs_to_has_the_kind_of_its_item() {
        assert_eq!(json!(BelongsToInput::stop("market")), json!({ "kind": "stop", "id": "market" }));
        let trip = Uuid::from_u128(7);
        assert_eq!(json!(BelongsToInput::itinerary(trip)), json!({ "kind": "itinerary", "id": trip }));
    }

    #[test]
    fn a_place_has_a_name_a_code_or_a_coordinate() {
        assert_eq!(json!(PlaceInput::named("Baixa")), json!({ "name": "Baixa" }));
        assert_eq!(json!(PlaceInput::airport("LHR")), json!({ "code": "LHR" }));
        let at = json!({ "coordinate": { "latitude": 38.7, "longitude": -9.1 } });
        assert_eq!(json!(PlaceInput::at((38.7, -9.1))), at);
        assert_eq!(json!(PlacePatch::default().coordinate((38.7, -9.1))), at);
    }
}
