//! Google's REST resources, with the members that are used.

use serde::Serialize;

/// The token's `payload`: a class and its object.
#[derive(Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)] // One lives for one link.
pub(super) enum Payload {
    #[serde(rename_all = "camelCase")]
    Flight { flight_classes: [FlightClass; 1], flight_objects: [FlightObject; 1] },
    #[serde(rename_all = "camelCase")]
    Transit { transit_classes: [TransitClass; 1], transit_objects: [TransitObject; 1] },
    #[serde(rename_all = "camelCase")]
    Event { event_ticket_classes: [EventTicketClass; 1], event_ticket_objects: [EventTicketObject; 1] },
    #[serde(rename_all = "camelCase")]
    Generic { generic_classes: [GenericClass; 1], generic_objects: [GenericObject; 1] },
}

/// What classes of flights, transits and events have in common.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClassBase {
    pub(super) id: String,
    pub(super) issuer_name: String,
    pub(super) review_status: &'static str,
}

/// What all objects have in common.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ObjectBase {
    pub(super) id: String,
    pub(super) class_id: String,
    pub(super) state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) barcode: Option<BarcodeInfo>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) text_modules_data: Vec<TextModule>,
    pub(super) hex_background_color: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BarcodeInfo {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// Absent, Google chooses the encoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) render_encoding: Option<&'static str>,
    pub(super) value: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlightClass {
    #[serde(flatten)]
    pub(super) base: ClassBase,
    pub(super) local_scheduled_departure_date_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) local_scheduled_arrival_date_time: Option<String>,
    pub(super) flight_header: FlightHeader,
    pub(super) origin: AirportInfo,
    pub(super) destination: AirportInfo,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlightHeader {
    pub(super) carrier: FlightCarrier,
    pub(super) flight_number: String,
}

/// Has exactly one of the codes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlightCarrier {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) carrier_iata_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) carrier_icao_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) airline_name: Option<LocalizedString>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AirportInfo {
    pub(super) airport_iata_code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) terminal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gate: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlightObject {
    #[serde(flatten)]
    pub(super) base: ObjectBase,
    pub(super) passenger_name: String,
    /// Required, but all its members are optional.
    pub(super) reservation_info: ReservationInfo,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) boarding_and_seating_info: Option<BoardingAndSeatingInfo>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReservationInfo {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confirmation_code: Option<String>,
    /// Known to flights only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) eticket_number: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BoardingAndSeatingInfo {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seat_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seat_class: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TransitClass {
    #[serde(flatten)]
    pub(super) base: ClassBase,
    pub(super) transit_type: &'static str,
    /// Required.
    pub(super) logo: Image,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image {
    pub(super) source_uri: ImageUri,
}

#[derive(Serialize)]
pub(super) struct ImageUri {
    pub(super) uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TransitObject {
    #[serde(flatten)]
    pub(super) base: ObjectBase,
    pub(super) trip_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) passenger_names: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ticket_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) purchase_details: Option<PurchaseDetails>,
    pub(super) ticket_leg: TicketLeg,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PurchaseDetails {
    pub(super) confirmation_code: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TicketLeg {
    pub(super) origin_name: LocalizedString,
    pub(super) destination_name: LocalizedString,
    pub(super) departure_date_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arrival_date_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) transit_operator_name: Option<LocalizedString>,
    /// The name or number of the train or ship.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) carriage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) platform: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ticket_seat: Option<TicketSeat>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TicketSeat {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) custom_fare_class: Option<LocalizedString>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) coach: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seat: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventTicketClass {
    #[serde(flatten)]
    pub(super) base: ClassBase,
    pub(super) event_name: LocalizedString,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) venue: Option<EventVenue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) date_time: Option<EventDateTime>,
}

/// Google requires both.
#[derive(Serialize)]
pub(super) struct EventVenue {
    pub(super) name: LocalizedString,
    pub(super) address: LocalizedString,
}

#[derive(Serialize)]
pub(super) struct EventDateTime {
    pub(super) start: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventTicketObject {
    #[serde(flatten)]
    pub(super) base: ObjectBase,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ticket_holder_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ticket_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reservation_info: Option<ReservationInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seat_info: Option<EventSeat>,
}

#[derive(Serialize)]
pub(super) struct EventSeat {
    pub(super) seat: LocalizedString,
}

#[derive(Serialize)]
pub(super) struct GenericClass {
    pub(super) id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GenericObject {
    #[serde(flatten)]
    pub(super) base: ObjectBase,
    pub(super) card_title: LocalizedString,
    pub(super) header: LocalizedString,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subheader: Option<LocalizedString>,
}

#[derive(Serialize)]
pub(super) struct TextModule {
    /// Unique within the object.
    pub(super) id: &'static str,
    pub(super) header: &'static str,
    pub(super) body: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LocalizedString {
    pub(super) default_value: TranslatedString,
}

#[derive(Serialize)]
pub(super) struct TranslatedString {
    pub(super) language: &'static str,
    pub(super) value: String,
}
