//! The classes and objects of a pass, as in Google's REST resources. Unknown values are omitted.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, FixedOffset};
use openssl::sha::sha256;
use serde::Serialize;

use super::text::TextLimits;
use crate::pass::{known, known_of};
use crate::pictures::BACKGROUND;
use crate::{Airport, Flight, Hotel, Item, Pass};

type Time = DateTime<FixedOffset>;

/// The token's `payload`: a class and its object.
#[derive(Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)] // One lives for one link.
pub(super) enum Payload {
    #[serde(rename_all = "camelCase")]
    Flight { flight_classes: [FlightClass; 1], flight_objects: [FlightObject; 1] },
    #[serde(rename_all = "camelCase")]
    Generic { generic_classes: [GenericClass; 1], generic_objects: [GenericObject; 1] },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlightClass {
    id: String,
    issuer_name: String,
    review_status: &'static str,
    local_scheduled_departure_date_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    local_scheduled_arrival_date_time: Option<String>,
    flight_header: FlightHeader,
    origin: AirportInfo,
    destination: AirportInfo,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FlightHeader {
    carrier: FlightCarrier,
    flight_number: String,
}

/// Has exactly one of the codes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FlightCarrier {
    #[serde(skip_serializing_if = "Option::is_none")]
    carrier_iata_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carrier_icao_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    airline_name: Option<LocalizedString>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AirportInfo {
    airport_iata_code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlightObject {
    id: String,
    class_id: String,
    state: &'static str,
    passenger_name: String,
    /// Required, but all its members are optional.
    reservation_info: ReservationInfo,
    #[serde(skip_serializing_if = "Option::is_none")]
    boarding_and_seating_info: Option<BoardingAndSeatingInfo>,
    hex_background_color: String,
}

#[derive(Serialize)]
struct ReservationInfo {}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BoardingAndSeatingInfo {
    #[serde(skip_serializing_if = "Option::is_none")]
    seat_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seat_class: Option<String>,
}

#[derive(Serialize)]
pub(super) struct GenericClass {
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GenericObject {
    id: String,
    class_id: String,
    state: &'static str,
    card_title: LocalizedString,
    header: LocalizedString,
    #[serde(skip_serializing_if = "Option::is_none")]
    subheader: Option<LocalizedString>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    text_modules_data: Vec<TextModule>,
    hex_background_color: String,
}

#[derive(Serialize)]
struct TextModule {
    /// Unique within the object.
    id: &'static str,
    header: &'static str,
    body: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LocalizedString {
    default_value: TranslatedString,
}

#[derive(Serialize)]
struct TranslatedString {
    language: &'static str,
    value: String,
}

/// Writes a pass within the available length.
pub(super) struct TextWriter<'a> {
    pub(super) issuer_id: &'a str,
    pub(super) issuer_name: &'a str,
    pub(super) pass: &'a Pass,
    pub(super) room: TextLimits,
}

impl TextWriter<'_> {
    pub(super) fn payload(&self) -> Payload {
        match &self.pass.item {
            Item::Flight(flight) => self.flight(flight).unwrap_or_else(|| self.generic_flight(flight)),
            Item::Hotel(hotel) => self.hotel(hotel),
        }
    }

    /// `None` if required data is missing.
    fn flight(&self, flight: &Flight) -> Option<Payload> {
        let class = FlightClass {
            id: self.id(&digest(&self.pass.serial)),
            issuer_name: self.room.fit(self.issuer_name),
            review_status: "UNDER_REVIEW",
            local_scheduled_departure_date_time: local(flight.departs),
            local_scheduled_arrival_date_time: flight.arrives.map(local),
            flight_header: FlightHeader { carrier: self.carrier(flight)?, flight_number: flight_number(flight)? },
            origin: self.airport(&flight.departure)?,
            destination: self.airport(&flight.arrival)?,
        };
        let object = FlightObject {
            id: self.id(&self.pass.serial),
            class_id: class.id.clone(),
            state: "ACTIVE",
            passenger_name: self.room.fit(known(&flight.passenger)?),
            reservation_info: ReservationInfo {},
            boarding_and_seating_info: self.seating(flight),
            hex_background_color: hex(BACKGROUND),
        };
        Some(Payload::Flight { flight_classes: [class], flight_objects: [object] })
    }

    fn carrier(&self, flight: &Flight) -> Option<FlightCarrier> {
        let code = flight.airline_code.as_ref()?.trim().to_ascii_uppercase();
        let all = |allowed: fn(&u8) -> bool| code.as_bytes().iter().all(allowed);
        let (iata, icao) = match code.len() {
            2 if all(u8::is_ascii_alphanumeric) => (Some(code), None),
            3 if all(u8::is_ascii_alphabetic) => (None, Some(code)),
            _ => return None,
        };
        let airline_name = self.optional(flight.airline_name.as_ref()).map(localized);
        Some(FlightCarrier { carrier_iata_code: iata, carrier_icao_code: icao, airline_name })
    }

    fn airport(&self, airport: &Airport) -> Option<AirportInfo> {
        let code = airport.code.trim().to_ascii_uppercase();
        let iata = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        iata.then(|| AirportInfo {
            airport_iata_code: code,
            terminal: self.optional(airport.terminal.as_ref()),
            gate: self.optional(airport.gate.as_ref()),
        })
    }

    fn seating(&self, flight: &Flight) -> Option<BoardingAndSeatingInfo> {
        let seat_number = self.optional(flight.seat.as_ref());
        let seat_class = self.optional(flight.cabin.as_ref());
        let some = seat_number.is_some() || seat_class.is_some();
        some.then_some(BoardingAndSeatingInfo { seat_number, seat_class })
    }

    fn generic_flight(&self, flight: &Flight) -> Payload {
        let Flight { departure, arrival, .. } = flight;
        let header = format!("{} – {}", departure.code.trim(), arrival.code.trim());
        let modules = [
            self.module("departs", "Departs", Some(&shown(flight.departs))),
            self.module("arrives", "Arrives", flight.arrives.map(shown).as_ref()),
            self.module("passenger", "Passenger", Some(&flight.passenger)),
            self.module("from", "From", departure.name.as_ref()),
            self.module("terminal", "Terminal", departure.terminal.as_ref()),
            self.module("gate", "Gate", departure.gate.as_ref()),
            self.module("seat", "Seat", flight.seat.as_ref()),
            self.module("class", "Class", flight.cabin.as_ref()),
            self.module("to", "To", arrival.name.as_ref()),
            self.module("airline", "Airline", flight.airline_name.as_ref()),
        ];
        self.generic(&header, flight.designator().as_deref(), modules)
    }

    fn hotel(&self, hotel: &Hotel) -> Payload {
        let modules = [
            self.module("check-in", "Check-in", hotel.check_in.map(shown).as_ref()),
            self.module("check-out", "Check-out", hotel.check_out.map(shown).as_ref()),
            self.module("guest", "Guest", Some(&hotel.guest)),
            self.module("room", "Room", hotel.room.as_ref()),
            self.module("address", "Address", hotel.address.as_ref()),
            self.module("phone", "Telephone", hotel.phone.as_ref()),
        ];
        self.generic(hotel.name.trim(), Some("Hotel"), modules)
    }

    fn generic<const N: usize>(
        &self,
        header: &str,
        subheader: Option<&str>,
        modules: [Option<TextModule>; N],
    ) -> Payload {
        // One class for all, because it has no content.
        let class = GenericClass { id: self.id("generic") };
        let object = GenericObject {
            id: self.id(&self.pass.serial),
            class_id: class.id.clone(),
            state: "ACTIVE",
            card_title: localized(self.room.fit(self.pass.title.trim())),
            header: localized(self.room.fit(header)),
            subheader: subheader.map(|text| localized(self.room.fit(text))),
            text_modules_data: modules.into_iter().flatten().collect(),
            hex_background_color: hex(BACKGROUND),
        };
        Payload::Generic { generic_classes: [class], generic_objects: [object] }
    }

    fn module(&self, id: &'static str, header: &'static str, body: Option<&String>) -> Option<TextModule> {
        // A pass without its times is useless.
        let kept = self.room.optional || matches!(id, "departs" | "arrives" | "check-in" | "check-out");
        let body = known_of(body).filter(|_| kept)?;
        Some(TextModule { id, header, body: self.room.fit(body) })
    }

    fn optional(&self, text: Option<&String>) -> Option<String> {
        known_of(text).filter(|_| self.room.optional).map(|text| self.room.fit(text))
    }

    fn id(&self, suffix: &str) -> String {
        format!("{}.{suffix}", self.issuer_id)
    }
}

/// The class id of a serial's flight. Short, because the object repeats it.
fn digest(serial: &str) -> String {
    URL_SAFE_NO_PAD.encode(&sha256(serial.as_bytes())[..12])
}

/// The flight number; Google accepts digits only.
fn flight_number(flight: &Flight) -> Option<String> {
    let number = flight.bare_number()?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.to_owned())
}

/// Without an offset, which Google rejects and derives from the airport.
fn local(time: Time) -> String {
    time.format("%Y-%m-%dT%H:%M:%S").to_string()
}

/// A formatted time, such as `Fri 1 May 2026, 15:00`.
fn shown(time: Time) -> String {
    time.format("%a %-d %b %Y, %H:%M").to_string()
}

fn localized(value: String) -> LocalizedString {
    LocalizedString { default_value: TranslatedString { language: "en", value } }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
