//! The class and the object of a pass. Unknown values are omitted.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, FixedOffset};
use openssl::sha::sha256;

use super::resources::{
    AirportInfo, BarcodeInfo, BoardingAndSeatingInfo, ClassBase, FlightCarrier, FlightClass, FlightHeader,
    FlightObject, GenericClass, GenericObject, LocalizedString, ObjectBase, Payload, ReservationInfo, TextModule,
    TranslatedString,
};
use super::text::TextLimits;
use crate::pass::known_of;
use crate::pictures::BACKGROUND;
use crate::{Airport, Barcode, BarcodeFormat, Flight, Hotel, Item, Pass, Ticket, When};

type Time = DateTime<FixedOffset>;

/// Writes a pass within the available length.
pub(super) struct TextWriter<'a> {
    pub(super) issuer_id: &'a str,
    pub(super) issuer_name: &'a str,
    pub(super) logo: &'a str,
    pub(super) pass: &'a Pass,
    pub(super) room: TextLimits,
    pub(super) has_barcode: bool,
}

impl TextWriter<'_> {
    pub(super) fn payload(&self) -> Payload {
        match &self.pass.item {
            Item::Flight(flight) => self.flight(flight).unwrap_or_else(|| self.generic_flight(flight)),
            Item::Hotel(hotel) => self.hotel(hotel),
            Item::Transport(transport) => self.transit(transport).unwrap_or_else(|| self.generic_transport(transport)),
            Item::Reservation(reservation) => self.event(reservation),
        }
    }

    /// `None` if required data is missing.
    fn flight(&self, flight: &Flight) -> Option<Payload> {
        let ticket = &self.pass.ticket;
        let class = FlightClass {
            base: self.class(),
            local_scheduled_departure_date_time: local(flight.departs),
            local_scheduled_arrival_date_time: flight.arrives.map(local),
            flight_header: FlightHeader { carrier: self.carrier(flight)?, flight_number: flight_number(flight)? },
            origin: self.airport(&flight.departure)?,
            destination: self.airport(&flight.arrival)?,
        };
        let object = FlightObject {
            base: self.object(&class.base, [self.ticket_module("coach", "Coach", ticket.coach.as_ref())]),
            passenger_name: self.room.fit(known_of(ticket.holder.as_ref())?),
            reservation_info: ReservationInfo {
                confirmation_code: self.fitted(ticket.confirmation.as_ref()),
                eticket_number: self.fitted(ticket.number.as_ref()),
            },
            boarding_and_seating_info: self.seating(flight),
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
        let seat_number = self.fitted(self.pass.ticket.seat.as_ref());
        let seat_class = self.optional(flight.cabin.as_ref());
        let some = seat_number.is_some() || seat_class.is_some();
        some.then_some(BoardingAndSeatingInfo { seat_number, seat_class })
    }

    fn generic_flight(&self, flight: &Flight) -> Payload {
        let Flight { departure, arrival, .. } = flight;
        let header = format!("{} – {}", departure.code.trim(), arrival.code.trim());
        let [seat, coach, number, confirmation] = self.ticket_modules();
        let modules = [
            time_module("departs", "Departs", Some(When::Time(flight.departs))),
            time_module("arrives", "Arrives", flight.arrives.map(When::Time)),
            self.module("passenger", "Passenger", self.pass.ticket.holder.as_ref()),
            self.module("from", "From", departure.name.as_ref()),
            self.module("terminal", "Terminal", departure.terminal.as_ref()),
            self.module("gate", "Gate", departure.gate.as_ref()),
            seat,
            self.module("class", "Class", flight.cabin.as_ref()),
            self.module("to", "To", arrival.name.as_ref()),
            self.module("airline", "Airline", flight.airline_name.as_ref()),
            coach,
            number,
            confirmation,
        ];
        self.generic(&header, flight.designator().as_deref(), modules)
    }

    fn hotel(&self, hotel: &Hotel) -> Payload {
        let [seat, coach, number, confirmation] = self.ticket_modules();
        let modules = [
            time_module("check-in", "Check-in", hotel.check_in.map(When::Time)),
            time_module("check-out", "Check-out", hotel.check_out.map(When::Time)),
            self.module("guest", "Guest", self.pass.ticket.holder.as_ref()),
            self.module("room", "Room", hotel.room.as_ref()),
            self.module("address", "Address", hotel.address.as_ref()),
            self.module("phone", "Telephone", hotel.phone.as_ref()),
            confirmation,
            seat,
            coach,
            number,
        ];
        self.generic(hotel.name.trim(), Some("Hotel"), modules)
    }

    pub(super) fn generic<const N: usize>(
        &self,
        header: &str,
        subheader: Option<&str>,
        modules: [Option<TextModule>; N],
    ) -> Payload {
        // One class for all, because it has no content.
        let class = GenericClass { id: self.id("generic") };
        let object = GenericObject {
            base: self.object_of(class.id.clone(), modules),
            card_title: localized(self.room.fit(self.pass.title.trim())),
            header: localized(self.room.fit(header)),
            subheader: subheader.map(|text| localized(self.room.fit(text))),
        };
        Payload::Generic { generic_classes: [class], generic_objects: [object] }
    }

    /// A class of this pass alone.
    pub(super) fn class(&self) -> ClassBase {
        ClassBase {
            id: self.id(&digest(&self.pass.serial)),
            issuer_name: self.room.fit(self.issuer_name),
            review_status: "UNDER_REVIEW",
        }
    }

    pub(super) fn object<const N: usize>(&self, class: &ClassBase, modules: [Option<TextModule>; N]) -> ObjectBase {
        self.object_of(class.id.clone(), modules)
    }

    fn object_of<const N: usize>(&self, class_id: String, modules: [Option<TextModule>; N]) -> ObjectBase {
        ObjectBase {
            id: self.id(&self.pass.serial),
            class_id,
            state: "ACTIVE",
            barcode: self.pass.ticket.barcode().filter(|_| self.has_barcode).map(barcode),
            text_modules_data: modules.into_iter().flatten().collect(),
            hex_background_color: hex(BACKGROUND),
        }
    }

    /// Seat, coach, number and confirmation number.
    pub(super) fn ticket_modules(&self) -> [Option<TextModule>; 4] {
        let Ticket { seat, coach, number, confirmation, .. } = &self.pass.ticket;
        [
            self.ticket_module("seat", "Seat", seat.as_ref()),
            self.ticket_module("coach", "Coach", coach.as_ref()),
            self.ticket_module("ticket", "Ticket number", number.as_ref()),
            self.ticket_module("confirmation", "Booking", confirmation.as_ref()),
        ]
    }

    pub(super) fn ticket_module(
        &self,
        id: &'static str,
        header: &'static str,
        body: Option<&String>,
    ) -> Option<TextModule> {
        self.fitted(body).map(|body| TextModule { id, header, body })
    }

    pub(super) fn module(&self, id: &'static str, header: &'static str, body: Option<&String>) -> Option<TextModule> {
        self.optional(body).map(|body| TextModule { id, header, body })
    }

    pub(super) fn optional(&self, text: Option<&String>) -> Option<String> {
        self.fitted(text).filter(|_| self.room.optional)
    }

    /// A text that is kept, however little room there is.
    pub(super) fn fitted(&self, text: Option<&String>) -> Option<String> {
        known_of(text).map(|text| self.room.fit(text))
    }

    fn id(&self, suffix: &str) -> String {
        format!("{}.{suffix}", self.issuer_id)
    }
}

/// A pass without its times is useless, so they are always kept.
pub(super) fn time_module(id: &'static str, header: &'static str, when: Option<When>) -> Option<TextModule> {
    when.map(|when| TextModule { id, header, body: shown(when) })
}

fn barcode(barcode: &Barcode) -> BarcodeInfo {
    let is_qr = barcode.format == BarcodeFormat::Qr;
    BarcodeInfo {
        kind: match barcode.format {
            BarcodeFormat::Aztec => "AZTEC",
            BarcodeFormat::Qr => "QR_CODE",
            BarcodeFormat::Pdf417 => "PDF_417",
            BarcodeFormat::Code128 => "CODE_128",
        },
        // Google knows no other encoding, and this one for QR codes only.
        render_encoding: (is_qr && !barcode.is_latin1()).then_some("UTF_8"),
        value: barcode.message(),
    }
}

/// The class id of a serial's ticket. Short, because the object repeats it.
fn digest(serial: &str) -> String {
    URL_SAFE_NO_PAD.encode(&sha256(serial.as_bytes())[..12])
}

/// The flight number; Google accepts digits only.
fn flight_number(flight: &Flight) -> Option<String> {
    let number = flight.bare_number()?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.to_owned())
}

/// Without an offset, which Google rejects for flights. It takes the time as the place's own.
pub(super) fn local(time: Time) -> String {
    time.format("%Y-%m-%dT%H:%M:%S").to_string()
}

/// A formatted time, such as `Fri 1 May 2026, 15:00`, or a day.
fn shown(when: When) -> String {
    match when {
        When::Time(time) => time.format("%a %-d %b %Y, %H:%M").to_string(),
        When::Day(day) => day.format("%a %-d %b %Y").to_string(),
    }
}

pub(super) fn localized(value: String) -> LocalizedString {
    LocalizedString { default_value: TranslatedString { language: "en", value } }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
