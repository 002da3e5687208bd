//! From files to a draft of a trip, and into a trip that exists.

mod own;
mod own_calendar;
mod places;
mod properties;
mod samples;
mod trips;

use chrono::NaiveDate;
use itinerary_api::types::ImportState::{self, Added, Unchanged};
use itinerary_api::types::{ImportIgnoredCode, ItineraryDraft};
use itinerary_import::{Budget, Context, File, Import, Source, draft, into_trip, read, wanted_by};
use serde_json::{Value, json};

use places::Places;
use trips::stored;

/// Reads a file.
fn source(name: &str, content: &[u8]) -> Source {
    let as_of: NaiveDate = "2027-01-01".parse().unwrap();
    let file = File { name, media_type: None, content };
    Source { file: name.to_owned(), reading: read(&file, as_of, &mut Budget::new(&|| false)) }
}

fn json_ld(name: &str, value: &Value) -> Source {
    source(name, value.to_string().as_bytes())
}

fn drafted(sources: &[Source]) -> Import {
    draft(sources, Context { lookup: &Places::new(), is_pro: true })
}

fn flight(number: &str, from: &str, to: &str, departure: &str, arrival: &str) -> Value {
    json!({
        "@context": "http://schema.org", "@type": "FlightReservation", "reservationNumber": "QX7PLM",
        "modifiedTime": "2027-01-02T00:00:00Z", "totalPrice": "200", "priceCurrency": "EUR",
        "underName": {"@type": "Person", "name": "Ana Reis"}, "airplaneSeat": "12A",
        "reservationFor": {
            "@type": "Flight", "flightNumber": number, "airline": {"@type": "Airline", "name": "TAP", "iataCode": "TP"},
            "departureAirport": {"@type": "Airport", "iataCode": from}, "departureTime": departure,
            "arrivalAirport": {"@type": "Airport", "iataCode": to}, "arrivalTime": arrival
        }
    })
}

fn hotel(name: &str, town: &str, from: &str, until: &str) -> Value {
    json!({
        "@context": "http://schema.org", "@type": "LodgingReservation", "reservationNumber": "H1",
        "checkinTime": from, "checkoutTime": until,
        "reservationFor": {"@type": "LodgingBusiness", "name": name,
            "address": {"@type": "PostalAddress", "streetAddress": "Rua 1", "addressLocality": town, "addressCountry": "PT"}}
    })
}

/// A flight out and back, and two hotels.
fn trip() -> Vec<Source> {
    vec![
        json_ld("out.json", &flight("1363", "AMS", "LIS", "2027-05-15T08:05:00", "2027-05-15T10:00:00")),
        json_ld("back.json", &flight("1364", "LIS", "AMS", "2027-05-21T18:00:00", "2027-05-21T22:00:00")),
        json_ld("long.json", &hotel("Hotel Exemplo", "Lisboa", "2027-05-15", "2027-05-20")),
        json_ld("short.json", &hotel("Casa Exemplo", "Sintra", "2027-05-20T16:00:00", "2027-05-21T10:00:00")),
    ]
}

#[test]
fn a_trip_from_bookings_alone() {
    let import = drafted(&trip());
    let itinerary = serde_json::to_value(&import.itinerary).unwrap();
    assert_eq!(itinerary["title"], "Lisbon, 15–21 May");
    assert_eq!(itinerary["destination"]["name"], "Lisbon");
    assert_eq!(itinerary["destination"]["timeZone"], "Europe/Lisbon");
    assert_eq!(itinerary["origin"]["code"], "AMS");
    assert_eq!(itinerary["startDate"], "2027-05-15");
    assert_eq!(itinerary["days"].as_array().unwrap().len(), 7);
    assert_eq!(itinerary["flights"][0]["flightNumber"], "TP1363");
    assert_eq!(itinerary["flights"][0]["departureDate"], "2027-05-15T08:05:00+02:00");
    assert_eq!(itinerary["flights"][0]["arrivalDate"], "2027-05-15T10:00:00+01:00");
    assert_eq!(itinerary["flights"][0]["seatNumber"], "12A");
    assert_eq!(itinerary["flights"][0]["tickets"][0]["holder"], "Ana Reis");
    assert_eq!(itinerary["hotels"][0]["checkInDate"], "2027-05-15T15:00:00+01:00");
    assert_eq!(itinerary["hotels"][1]["checkInDate"], "2027-05-20T16:00:00+01:00");
    // Both flights have the price of the whole booking.
    let expenses = itinerary["expenses"].as_array().unwrap();
    assert_eq!(expenses.len(), 1);
    assert_eq!(expenses[0]["belongsTo"], json!({"kind": "flight", "id": "flight-1"}));
    assert_eq!(expenses[0]["cost"], json!({"amount": 200, "currency": "EUR"}));
    let fields: Vec<&str> = import.items.iter().map(|item| item.field.as_str()).collect();
    assert_eq!(fields, ["flights[0]", "flights[1]", "hotels[0]", "hotels[1]", "expenses[0]"]);
    assert!(import.items.iter().all(|item| item.state == ImportState::Added && item.format == "jsonLd"));
    assert_eq!(import.items[1].file, "back.json");
    assert_eq!(import.ignored, []);
}

#[test]
fn what_is_looked_up() {
    let readings: Vec<_> = trip().into_iter().map(|source| source.reading).collect();
    let wanted = wanted_by(&readings);
    assert_eq!(wanted.airports, ["AMS", "LIS"]);
    let country = Some("PT".to_owned());
    assert_eq!(wanted.towns, [("Lisboa".to_owned(), country.clone()), ("Sintra".to_owned(), country)]);
}

#[test]
fn prices_need_pro() {
    let import = draft(&trip(), Context { lookup: &Places::new(), is_pro: false });
    assert_eq!(import.itinerary.expenses, None);
    let codes: Vec<_> = import.ignored.iter().map(|ignored| (ignored.file.as_str(), ignored.code)).collect();
    assert_eq!(codes, [("out.json", ImportIgnoredCode::NeedsPro)]);
}

#[test]
fn without_hotels_the_farthest_place_is_the_destination() {
    let import = drafted(&trip()[..2]);
    assert_eq!(&*import.itinerary.destination.unwrap().name, "Lisbon");
    assert_eq!(drafted(&[]).itinerary.destination, None);
}

#[test]
fn a_newer_cancellation_takes_the_booking_out() {
    let mut cancelled = flight("1363", "AMS", "LIS", "2027-05-15T08:05:00", "2027-05-15T10:00:00");
    cancelled["reservationStatus"] = "http://schema.org/ReservationCancelled".into();
    cancelled["modifiedTime"] = "2027-01-03T00:00:00Z".into();
    let sources = [trip(), vec![json_ld("cancelled.json", &cancelled)]].concat();
    let import = drafted(&sources);
    assert_eq!(import.itinerary.flights.as_ref().unwrap().len(), 1);
    assert_eq!(import.ignored.len(), 1);
    assert_eq!(
        (import.ignored[0].file.as_str(), import.ignored[0].code),
        ("cancelled.json", ImportIgnoredCode::Cancelled)
    );
    // It removes nothing of a trip.
    let trip = stored(None, &drafted(&trip()).itinerary);
    let places = Places::new();
    let update = into_trip(&sources[4..], Context { lookup: &places, is_pro: true }, &trip, true);
    assert_eq!(update.itinerary, ItineraryDraft::default());
    assert_eq!(update.ignored.len(), 1);
}

#[test]
fn fields_that_differ_are_listed_and_replaced_only_with_overwrite() {
    let places = Places::new();
    let context = Context { lookup: &places, is_pro: true };
    let trip = stored(None, &drafted(&trip()).itinerary);
    let mut newer = flight("1363", "AMS", "LIS", "2027-05-15T09:15:00", "2027-05-15T11:00:00");
    newer["reservationFor"]["departureGate"] = "D7".into();
    let sources = [json_ld("newer.json", &newer)];
    let kept = into_trip(&sources, context, &trip, false);
    let item = &kept.items[0];
    assert_eq!((item.field.as_str(), item.state), ("flights[0]", ImportState::Updated));
    let fields: Vec<&str> = item.changes.iter().map(|change| change.field.as_str()).collect();
    assert_eq!(fields, ["arrivalDate", "departureDate", "gateNumber"]);
    assert_eq!(item.changes[1].was, Some("2027-05-15T08:05:00+02:00".into()));
    assert_eq!(item.changes[1].now, Some("2027-05-15T09:15:00+02:00".into()));
    let flights = kept.itinerary.flights.as_ref().unwrap();
    assert_eq!(flights.len(), 2);
    assert_eq!(flights[0].departure_date.as_deref(), Some("2027-05-15T08:05:00+02:00"));
    assert_eq!(flights[0].gate_number.as_deref(), Some("D7"));
    let replaced = into_trip(&sources, context, &trip, true).itinerary.flights.unwrap();
    assert_eq!(replaced[0].departure_date.as_deref(), Some("2027-05-15T09:15:00+02:00"));
    assert_eq!(replaced[0].id, flights[0].id);
}

#[test]
fn new_bookings_get_ids_that_the_trip_does_not_have() {
    let places = Places::new();
    let context = Context { lookup: &places, is_pro: true };
    let sources = trip();
    let trip = stored(None, &drafted(&sources[..1]).itinerary);
    let update = into_trip(&sources, context, &trip, false);
    let ids: Vec<String> =
        update.itinerary.flights.unwrap().iter().map(|flight| flight.id.as_ref().unwrap().to_string()).collect();
    assert_eq!(ids, ["flight-1", "flight-2"]);
    let states: Vec<ImportState> = update.items.iter().map(|item| item.state).collect();
    assert_eq!(states, [Unchanged, Added, Added, Added, Unchanged]);
}

#[test]
fn places_become_stops_of_their_days() {
    let gpx = br#"<gpx><wpt lat="38.69" lon="-9.21"><name>Torre</name><time>2027-05-16T09:00:00Z</time></wpt>
        <wpt lat="38.78" lon="-9.49"><name>Cabo da Roca</name></wpt>
        <wpt lat="38.70" lon="-9.20"><name>Jardim</name><time>2027-05-16T07:30:00Z</time></wpt></gpx>"#;
    let sources = [trip(), vec![source("map.gpx", gpx)]].concat();
    let import = drafted(&sources);
    let days = import.itinerary.days.as_ref().unwrap();
    let names = |day: usize| days[day].stops.iter().map(|stop| stop.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(0), ["Cabo da Roca"]);
    assert_eq!(names(1), ["Jardim", "Torre"]);
    assert_eq!(days[1].stops[0].start_time.as_deref(), Some("08:30"));
    let alone = drafted(&sources[4..]).itinerary;
    assert_eq!(alone.start_date.map(|date| date.to_string()).as_deref(), Some("2027-05-16"));
    assert_eq!(alone.days.unwrap().len(), 1);
}
