use chrono::NaiveDateTime;
use serde_json::json;

use super::*;
use crate::booking::{Category, Code, CodeContent, CodeFormat, Kind, Mode, Price, Ticket, Time};
use crate::budget::MAX_ITEMS;

fn read(value: Value) -> Vec<Booking> {
    let mut bookings = Vec::new();
    super::read(&[value], &mut Budget::new(&|| false), &mut bookings).unwrap();
    bookings
}

fn one(value: Value) -> Booking {
    let bookings = read(value);
    assert_eq!(bookings.len(), 1, "{bookings:#?}");
    bookings.into_iter().next().unwrap()
}

fn at(text: &str) -> NaiveDateTime {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "compared with optional fields")]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn flight_in_googles_form() {
    let booking = one(json!({
        "@context": "http://schema.org", "@type": "FlightReservation", "reservationNumber": "QX7PLM",
        "reservationStatus": "http://schema.org/Confirmed", "underName": {"@type": "Person", "name": "Ada Kern"},
        "airplaneSeat": "9A", "airplaneSeatClass": {"name": "Business"}, "boardingGroup": "B", "ticketNumber": "724-1",
        "ticketToken": "aztecCode:M1KERN/ADA", "url": "https://fly.example/b/1", "modifiedTime": "2027-01-01T08:30:00-08:00",
        "totalPrice": "129.50", "priceCurrency": "EUR", "broker": {"name": "Reisebüro Nord"},
        "reservationFor": {
            "@type": "Flight", "flightNumber": "1234", "airline": {"name": "Alpenflug", "iataCode": "ZZ"},
            "departureAirport": {"name": "Basel", "iataCode": "BSL"}, "departureTime": "2027-05-15T09:40:00+02:00",
            "departureTerminal": "1", "departureGate": "A12",
            "arrivalAirport": {"name": "Lisbon", "iataCode": "LIS"}, "arrivalTime": "2027-05-15T11:25:00+01:00", "arrivalTerminal": "T2",
        },
    }));
    assert_eq!(booking.kind, Kind::Flight);
    assert!(!booking.cancelled);
    assert_eq!(booking.number, text("1234"));
    assert_eq!((booking.operator.code, booking.operator.name), (text("ZZ"), text("Alpenflug")));
    assert_eq!((booking.start.place.code, booking.start.place.name), (text("BSL"), text("Basel")));
    assert_eq!(booking.start.time, Some(Time::Offset(at("2027-05-15 09:40"), 120)));
    assert_eq!((booking.start.terminal, booking.start.gate), (text("1"), text("A12")));
    assert_eq!((booking.end.place.code, booking.end.terminal), (text("LIS"), text("T2")));
    assert_eq!(booking.end.time, Some(Time::Offset(at("2027-05-15 11:25"), 60)));
    assert_eq!((booking.travel_class, booking.confirmation_number), (text("Business"), text("QX7PLM")));
    assert_eq!((booking.provider, booking.booking_url), (text("Reisebüro Nord"), text("https://fly.example/b/1")));
    assert_eq!(booking.modified.unwrap().to_rfc3339(), "2027-01-01T16:30:00+00:00");
    assert_eq!(booking.price, Some(Price { amount: "129.50".to_owned(), currency: "EUR".to_owned() }));
    assert_eq!(booking.notes, text("Boarding group: B"));
    let code = Code { format: Some(CodeFormat::Aztec), content: CodeContent::Text("M1KERN/ADA".to_owned()) };
    let ticket = Ticket {
        holder: text("Ada Kern"),
        seat_number: text("9A"),
        coach_number: None,
        ticket_number: text("724-1"),
        code: Some(code),
    };
    assert_eq!(booking.tickets, [ticket]);
}

#[test]
fn train_in_kdes_form() {
    let booking = one(json!({
        "@type": "TrainReservation", "reservationNumber": "TR4INS", "underName": "Ben Kern",
        "reservationFor": {
            "@type": "TrainTrip", "trainName": "TGV", "trainNumber": "5186", "trainCompany": "Ostbahn",
            "departureStation": {"name": "Nîmes", "identifier": "sncf:FRNIM", "geo": {"latitude": 43.83, "longitude": 4.36}},
            "departureTime": {"@type": "QDateTime", "@value": "2027-09-29T18:26:00+02:00", "timezone": "Europe/Paris"},
            "departurePlatform": "3", "arrivalStation": "Lyon", "arrivalTime": "2027-09-29T19:52:00", "arrivalPlatform": "B",
        },
        "reservedTicket": {"ticketedSeat": {"seatNumber": "62", "seatSection": "17", "seatingType": "http://schema.org/SecondClass"}},
    }));
    assert_eq!(booking.kind, Kind::Transport(Mode::Train));
    assert_eq!((booking.number, booking.operator.name), (text("TGV 5186"), text("Ostbahn")));
    assert_eq!(booking.start.place.code, text("sncf:FRNIM"));
    assert_eq!(booking.start.place.coordinate, Some((43.83, 4.36)));
    assert_eq!(booking.start.time, Some(Time::Zone(at("2027-09-29 18:26"), "Europe/Paris".to_owned())));
    assert_eq!((booking.start.platform, booking.end.platform), (text("3"), text("B")));
    assert_eq!((booking.end.place.name, booking.end.time), (text("Lyon"), Some(Time::Local(at("2027-09-29 19:52")))));
    assert_eq!(booking.travel_class, text("SecondClass"));
    assert_eq!((&booking.tickets[0].seat_number, &booking.tickets[0].coach_number), (&text("62"), &text("17")));
    assert_eq!(booking.tickets[0].holder, text("Ben Kern"));
}

#[test]
fn day_counts_where_the_time_is_unknown() {
    let day = |trip: Value| one(json!({"@type": "TrainReservation", "reservationFor": trip})).start.time;
    let expected = Some(Time::Day(at("2027-02-28 00:00").date()));
    assert_eq!(day(json!({"departureDay": "2027-02-28"})), expected);
    let both = json!({"departureDay": "2027-02-28", "departureTime": "2027-02-28T10:00"});
    assert_eq!(day(both), Some(Time::Local(at("2027-02-28 10:00"))));
}

#[test]
fn bus_and_boat() {
    let bus = one(
        json!({"@type": "BusReservation", "reservationFor": {"@type": "BusTrip", "busNumber": "N27", "busCompany": {"name": "Fernbus"},
        "departureBusStop": {"name": "Bern"}, "arrivalStation": {"name": "Ulm"}, "departureTime": "2027-01-02T03:04"}}),
    );
    assert_eq!((bus.kind, bus.number, bus.operator.name), (Kind::Transport(Mode::Bus), text("N27"), text("Fernbus")));
    assert_eq!((bus.start.place.name, bus.end.place.name), (text("Bern"), text("Ulm")));
    let boat = one(
        json!({"@type": "https://schema.org/BoatReservation", "provider": {"name": "Fähren Nord"}, "reservationFor": {
        "@type": "BoatTrip", "name": "MS Elster", "provider": {"name": "Fähren Nord"},
        "departureBoatTerminal": {"name": "Kiel"}, "arrivalBoatTerminal": {"name": "Oslo"}}}),
    );
    assert_eq!((boat.kind, boat.name), (Kind::Transport(Mode::Ferry), text("MS Elster")));
    assert_eq!((boat.start.place.name, boat.end.place.name), (text("Kiel"), text("Oslo")));
    assert_eq!((boat.operator.name, boat.provider), (text("Fähren Nord"), None));
}

#[test]
fn hired_car_and_taxi() {
    let car = one(
        json!({"@type": "RentalCarReservation", "reservationNumber": "546", "pickupTime": "2027-08-05T16:00:00-07:00",
        "pickupLocation": {"name": "Airport desk", "telephone": "+1 619 555 0100", "address": {"streetAddress": "1 Elm St",
        "addressLocality": "Reno", "addressCountry": "US"}}, "dropoffLocation": "Desk 2", "dropoffTime": "2027-08-06T20:00:00-07:00",
        "reservationFor": {"@type": "RentalCar", "brand": {"name": "Honda"}, "model": "Civic", "rentalCompany": "Autos"}}),
    );
    assert_eq!(
        (car.kind, car.name, car.operator.name),
        (Kind::Transport(Mode::Car), text("Honda Civic"), text("Autos"))
    );
    assert_eq!((car.start.place.city, car.phone_number), (text("Reno"), text("+1 619 555 0100")));
    assert_eq!((car.end.place.name, car.end.time), (text("Desk 2"), Some(Time::Offset(at("2027-08-06 20:00"), -420))));
    let taxi = one(
        json!({"@type": "TaxiReservation", "partySize": 2, "pickupTime": "2027-08-05T16:00", "pickupLocation": {"name": "Hotel"},
        "provider": {"name": "Taxi Reno"}}),
    );
    assert_eq!(
        (taxi.kind, taxi.operator.name, taxi.party_size),
        (Kind::Transport(Mode::Taxi), text("Taxi Reno"), Some(2))
    );
    assert_eq!(taxi.provider, None);
}

#[test]
fn hotel_with_the_older_names_of_its_times() {
    let booking = one(
        json!({"@type": ["http://schema.org/LodgingReservation"], "reservationNumber": 8812, "checkinDate": "2027-06-15T14:00:00+0:00",
        "checkoutTime": "2027-06-18", "numAdults": "2", "numChildren": 1, "lodgingUnitType": "Double room",
        "reservationFor": {"@type": "Hotel", "name": "Hotel &amp; Bar Elster", "telephone": "+49 30 1", "url": "https://hotel.example",
        "address": "Am Markt 1, 79098 Freiburg"}}),
    );
    assert_eq!((booking.kind, booking.name), (Kind::Hotel, text("Hotel & Bar Elster")));
    assert_eq!(booking.start.time, Some(Time::Offset(at("2027-06-15 14:00"), 0)));
    assert_eq!(booking.end.time, Some(Time::Day(at("2027-06-18 00:00").date())));
    assert_eq!(booking.start.place.address, text("Am Markt 1, 79098 Freiburg"));
    assert_eq!((booking.confirmation_number, booking.phone_number), (text("8812"), text("+49 30 1")));
    assert_eq!((booking.party_size, booking.notes, booking.booking_url), (Some(3), text("Double room"), None));
}

#[test]
fn table_and_event() {
    let table = one(
        json!({"@type": "FoodEstablishmentReservation", "startTime": "2027-10-15T19:30:00+02:00", "partySize": {"value": "4"},
        "reservationFor": {"name": "Zum Anker", "address": {"addressLocality": "Jena"}}}),
    );
    assert_eq!((table.kind, table.name), (Kind::Reservation(Category::Restaurant), text("Zum Anker")));
    assert_eq!((table.party_size, table.start.place.city), (Some(4), text("Jena")));
    let show = one(
        json!({"@type": "EventReservation", "reservationNumber": "E1", "reservationFor": {"@type": "MusicEvent", "name": "Nacht",
        "startDate": "2027-03-06T19:30", "location": [{"@type": "VirtualLocation", "url": "https://x.example"}, {"name": "Halle"}],
        "url": "https://show.example/1"}, "reservedTicket": {"ticketedSeat": {"seatNumber": "15", "seatRow": "11", "seatSection": "101"}}}),
    );
    assert_eq!((show.kind, show.start.place.name), (Kind::Reservation(Category::Event), text("Halle")));
    assert_eq!((show.notes, show.booking_url), (text("Row: 11\nSection: 101"), text("https://show.example/1")));
    assert_eq!((&show.tickets[0].seat_number, &show.tickets[0].coach_number), (&text("15"), &None));
}

#[test]
fn seats_in_the_older_form_of_googles_guide() {
    let show = one(
        json!({"@type": "EventReservation", "numSeats": "2", "venueSeat": "9A", "venueRow": "15", "venueSection": "B",
        "reservationFor": {"@type": "Event", "name": "Nacht", "doorTime": "2027-03-06T18:30"}}),
    );
    assert_eq!((&show.tickets[0].seat_number, show.party_size), (&text("9A"), Some(2)));
    assert_eq!((show.notes, show.start.time), (text("Row: 15\nSection: B"), Some(Time::Local(at("2027-03-06 18:30")))));
}

#[test]
fn events_by_themselves_are_bookings_and_lists_of_them_are_not() {
    let event = json!({"@type": "Event", "name": "Treffen", "startDate": "2027-01-21", "endDate": "2027-01-22", "eventStatus": "https://schema.org/EventCancelled"});
    let booking = one(event.clone());
    assert_eq!(booking.start.time, Some(Time::Day(at("2027-01-21 00:00").date())));
    assert!(booking.cancelled);
    assert_eq!(read(json!({"@graph": [[event.clone()]]})).len(), 1);
    assert_eq!(read(json!({"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": event}]})), []);
    assert_eq!(read(json!({"@type": "Event", "name": "Treffen"})), []);
}

#[test]
fn other_objects_are_no_bookings() {
    for kind in [
        "Organization",
        "BlogPosting",
        "Hotel",
        "Airline",
        "Flight",
        "TrainTrip",
        "Product",
        "EmailMessage",
        "Ticket",
        "Order",
    ] {
        assert_eq!(
            read(json!({"@type": kind, "name": "x", "startDate": "2027-01-21", "checkinTime": "2027-01-21"})),
            [],
            "{kind}"
        );
    }
    assert_eq!(read(json!({"@type": "FlightReservation", "underName": {"name": "Ada Kern"}})), []);
    for value in
        [json!(null), json!("FlightReservation"), json!([[], [1]]), json!({"@type": {}}), json!({"@graph": "x"})]
    {
        assert_eq!(read(value), []);
    }
}

#[test]
fn reservations_are_found_in_other_objects() {
    let reservation = json!({"@id": "#r", "@type": "FlightReservation", "reservationNumber": "A"});
    assert_eq!(read(json!({"@type": "EmailMessage", "about": [reservation], "mainEntity": {"@id": "#r"}})).len(), 1);
    let offer = json!({"@type": "Restaurant", "potentialAction": {"@type": "ReserveAction", "result": reservation}});
    assert_eq!(read(offer), []);
}

#[test]
fn cancellation_has_only_its_number() {
    let booking = one(
        json!({"@type": "FlightReservation", "reservationNumber": "QX7PLM", "reservationStatus": "http://schema.org/Cancelled"}),
    );
    assert!(booking.cancelled);
    assert_eq!(booking.confirmation_number, text("QX7PLM"));
}

#[test]
fn reservation_for_several_things_is_several_bookings() {
    let leg = |number: &str| json!({"@type": "Flight", "flightNumber": number});
    let bookings =
        read(json!([{"@type": "FlightReservation", "reservationNumber": "A", "reservationFor": [leg("1"), leg("2")]},
        {"@type": "ReservationPackage", "subReservation": [{"@type": "Reservation", "reservationFor": leg("3")}]}]));
    let numbers: Vec<_> = bookings.iter().map(|booking| booking.number.clone().unwrap()).collect();
    assert_eq!(numbers, ["1", "2", "3"]);
    assert_eq!(bookings[1].confirmation_number, text("A"));
}

#[test]
fn references_and_shared_places_are_followed() {
    let bookings = read(json!({"@graph": [
        {"@type": "EventReservation", "reservationFor": {"@id": "#e"}, "underName": {"@id": "#p"}},
        {"@id": "#e", "@type": "Event", "name": "Treffen", "startDate": "2027-01-21", "location": {"name": "Saal", "geo": {"latitude": "50.5", "longitude": "4.3"}}},
        {"@id": "#p", "@type": "Person", "name": "Ada Kern"},
        {"@type": "TaxiReservation", "pickupLocation": "saal", "pickupTime": "2027-01-21T22:00"}]}));
    assert_eq!(bookings.len(), 3, "the event is a booking by itself too");
    assert_eq!(bookings[0].tickets[0].holder, text("Ada Kern"));
    assert_eq!(bookings[2].start.place.coordinate, Some((50.5, 4.3)));
}

#[test]
fn barcode_that_is_an_image_becomes_the_page() {
    let booking = one(
        json!({"@type": "FlightReservation", "reservationNumber": "A", "ticketToken": "https://fly.example/code?1"}),
    );
    assert_eq!(booking.booking_url, text("https://fly.example/code?1"));
    assert_eq!(booking.tickets, []);
}

#[test]
fn only_web_addresses_are_pages() {
    let booking = one(
        json!({"@type": "FlightReservation", "reservationNumber": "A", "url": "javascript:alert(1)", "modifyReservationUrl": "/b"}),
    );
    assert_eq!(booking.booking_url, None);
}

#[test]
fn text_that_is_referred_to_often_is_bounded() {
    let event = json!({"@id": "#e", "@type": "Event", "name": "Treffen", "description": "x".repeat(20_000)});
    let reservations =
        vec![json!({"@type": "EventReservation", "reservationNumber": "A", "reservationFor": {"@id": "#e"}}); 2_000];
    let mut bookings = Vec::new();
    let values = [event, Value::Array(reservations)];
    assert_eq!(super::read(&values, &mut Budget::new(&|| false), &mut bookings), Err(Exceeded::Elements));
    assert_eq!(bookings[0].notes.as_ref().map(String::len), Some(10_000));
    assert!(bookings.len() < 1_010, "{}", bookings.len());
}

#[test]
fn number_of_bookings_is_bounded() {
    let event = json!({"@type": "Event", "name": "Treffen", "startDate": "2027-01-21"});
    let events = Value::Array(vec![event; MAX_ITEMS as usize + 1]);
    let mut bookings = Vec::new();
    assert_eq!(super::read(&[events], &mut Budget::new(&|| false), &mut bookings), Err(Exceeded::Items));
    assert_eq!(bookings.len(), MAX_ITEMS as usize);
}

#[test]
fn times_that_cannot_be_read_are_kept_as_texts() {
    let booking = one(json!({
        "@type": "LodgingReservation", "checkinTime": "2027-05-15T15:00:00", "checkoutTime": "the day after",
        "reservationFor": {"@type": "Hotel", "name": "Hotel Exemplo"},
    }));
    assert_eq!(booking.start.time, Some(Time::Local(at("2027-05-15 15:00"))));
    assert_eq!((&booking.end.time, booking.unread_times), (&None, vec!["the day after".to_owned()]));
}
