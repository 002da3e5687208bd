use itinerary_api::types::Itinerary;
use serde_json::{Value, json};

use crate::html::document;
use crate::html::tests::{assert_says, day, itinerary, shown, trip};

/// Fields that all bookings have.
fn booked(mut booking: Value) -> Value {
    let details = json!({
        "confirmationNumber": "X7KQ2P",
        "provider": "Omio",
        "bookingUrl": "https://user:secret@omio.example/b?a=1&b=2",
        "notes": "First line.\nSecond <line>.\n",
        "tickets": [
            { "holder": "Ana Silva", "coachNumber": "7", "seatNumber": "14C", "ticketNumber": "0123",
              "code": { "format": "aztec", "text": "SECRET-BARCODE" } },
            { "code": { "format": "qr", "text": "SECRET-BARCODE" } },
        ],
    });
    let Value::Object(details) = details else { unreachable!("an object") };
    booking.as_object_mut().expect("an object").extend(details);
    booking
}

fn train() -> Value {
    json!({
        "mode": "train", "operator": { "code": "CP", "name": "Comboios" }, "number": "IC 523",
        "departurePlace": { "name": "Lisboa Oriente", "address": "Av. D. João II", "timeZone": "Europe/Lisbon" },
        "arrivalPlace": { "code": "MAD", "timeZone": "Europe/Madrid" },
        "departureDate": "2027-05-15T21:30:00+01:00", "arrivalDate": "2027-05-16T08:00:00+02:00",
        "travelClass": "2nd", "departurePlatform": "3", "arrivalPlatform": "12", "phoneNumber": "+351 1",
    })
}

/// The part of a page from an id to the next one.
fn item<'h>(html: &'h str, id: &str) -> &'h str {
    let start = html.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("no {id} in {html}"));
    html[start..].split(" id=\"").next().unwrap_or_default()
}

fn with_all() -> Value {
    json!({
        "days": [{}, {}, {}],
        "flights": [booked(json!({ "flightNumber": "TP1" }))],
        "hotels": [booked(json!({ "name": "Quinta" }))],
        "transports": [booked(train())],
        "reservations": [booked(json!({ "name": "Fado" }))],
    })
}

#[test]
fn all_bookings_show_how_they_were_booked() {
    let of_trip = itinerary(with_all());
    for html in [shown(with_all()), document(&trip(&of_trip))] {
        for id in ["flight-1", "transport-1", "hotel-1", "reservation-1"] {
            assert_says(
                item(&html, id),
                &[
                    "Confirmation number <strong class=\"code\"><bdi>X7KQ2P</bdi></strong>",
                    "Booked with <bdi>Omio</bdi> · <a href=\"https://omio.example/b?a=1&#38;b=2\" \
                     rel=\"noopener noreferrer nofollow\">Open the booking<",
                    "<li><bdi>Ana Silva, coach 7, seat 14C, number 0123</bdi></li>",
                    "<p class=\"notes\" dir=\"auto\">First line.\nSecond &#60;line&#62;.</p>",
                ],
            );
            assert_eq!(item(&html, id).matches("<li><bdi>").count(), 1, "a ticket that is only a barcode has no line");
        }
        assert!(!html.contains("SECRET"), "{html}");
    }
}

#[test]
fn bookings_are_for_those_who_may_see_them() {
    let Value::Object(mut fields) = with_all() else { unreachable!("an object") };
    fields.retain(|name, _| name == "days");
    let html = shown(fields.into());
    for absent in ["Transport", "Reservations", "X7KQ2P", "Omio", "class=\"notes\"", "class=\"tickets"] {
        assert!(!html.contains(absent), "{absent} in {html}");
    }
}

#[test]
fn a_transport_has_its_ends_in_their_own_time_and_is_on_both_days() {
    let html = shown(json!({ "days": [{}, {}, {}], "transports": [train()] }));
    assert_says(
        item(&html, "transport-1"),
        &[
            "<h3><bdi>Train Comboios IC 523</bdi></h3>",
            "<dt>From</dt>",
            "<strong class=\"clock\">21:30</strong> <bdi>Lisboa Oriente</bdi>",
            "<bdi>Av. D. João II</bdi>",
            "Sat 15 May 2027 · Lisbon time, UTC+1",
            "<strong class=\"clock\">08:00</strong> <span class=\"code\">MAD</span>",
            "Sun 16 May 2027 · Madrid time, UTC+2",
            "9 h 30 min · 2nd class · from platform 3 · to platform 12",
            "Phone: <bdi>+351 1</bdi>",
        ],
    );
    let link = "<a href=\"#transport-1\"><bdi>";
    assert_says(
        day(&html, 1),
        &[&format!(
            "21:30</span> <span>{link}Train IC 523 Lisboa Oriente → MAD</bdi></a>, <bdi>arrives Sun 16 May, 08:00<"
        )],
    );
    assert_says(day(&html, 2), &[&format!("08:00</span> <span>{link}Arrival at MAD</bdi></a>, <bdi>Train IC 523 ")]);
    assert_says(day(&html, 3), &["Nothing planned yet."]);
}

#[test]
fn a_hired_car_is_collected_and_returned() {
    let car = json!({
        "mode": "car", "operator": { "name": "Hertz" }, "departurePlace": { "name": "Airport" }, "arrivalPlace": { "name": "Station" },
        "departureDate": "2027-05-15T10:00:00+01:00", "arrivalDate": "2027-05-15T18:00:00+01:00",
    });
    let html = shown(json!({ "days": [{}], "transports": [car] }));
    assert_says(item(&html, "transport-1"), &["Hired car Hertz", "<dt>Collection</dt>", "<dt>Return</dt>"]);
    assert!(!item(&html, "transport-1").contains("8 h"), "a hired car is no journey of eight hours");
    let link = "<a href=\"#transport-1\"><bdi>";
    assert_says(
        day(&html, 1),
        &[
            &format!("10:00</span> <span>{link}Collect the hired car at Airport</bdi></a>, <bdi>Hertz<"),
            &format!("18:00</span> <span>{link}Return the hired car at Station</bdi></a>, <bdi>Hertz<"),
        ],
    );
}

#[test]
fn a_reservation_is_on_the_days_of_its_start_and_end() {
    let reservation = |start: &str, end: &str| {
        json!({
            "name": "Fado", "category": "restaurant", "partySize": 2, "startDate": start, "endDate": end,
            "place": { "name": "Clube", "address": "Rua 1", "timeZone": "Europe/Lisbon" },
        })
    };
    let evening = reservation("2027-05-15T20:00:00+01:00", "2027-05-15T23:00:00+01:00");
    let night = reservation("2027-05-15T22:00:00+01:00", "2027-05-16T01:00:00+01:00");
    let html = shown(json!({ "days": [{}, {}], "reservations": [evening, night] }));
    assert_says(
        item(&html, "reservation-1"),
        &[
            "<bdi>Clube</bdi>",
            "<bdi>Rua 1</bdi>",
            "Starts <strong>Sat 15 May 2027, 20:00</strong>",
            "Ends <strong>23:00</strong>",
            "Restaurant · 2 people",
        ],
    );
    assert_says(item(&html, "reservation-2"), &["Ends <strong>Sun 16 May 2027, 01:00</strong>"]);
    assert_says(day(&html, 1), &["<bdi>until 23:00<", "<bdi>until Sun 16 May, 01:00<"]);
    assert_says(day(&html, 2), &["<a href=\"#reservation-2\"><bdi>End of Fado</bdi></a>"]);
    assert!(!day(&html, 2).contains("reservation-1"));
}

#[test]
fn bookings_without_a_time_come_first_on_their_day() {
    let html = shown(json!({
        "days": [{}, {}],
        "flights": [{ "flightNumber": "TP1", "departureDay": "2027-05-16" }],
        "hotels": [{ "name": "Quinta", "checkInDate": "2027-05-16T00:00:00Z" }],
        "transports": [{ "mode": "bus", "departureDay": "2027-05-16" }],
        "reservations": [{ "name": "Tour", "startDay": "2027-05-15", "endDay": "2027-05-16" }],
    }));
    let names: Vec<&str> =
        day(&html, 2).split("<a href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(names, ["flight-1", "transport-1", "reservation-1", "hotel-1"]);
    assert_says(
        day(&html, 2),
        &["<span class=\"time\"></span> <span><a href=\"#transport-1\"><bdi>Bus</bdi></a></span>"],
    );
    assert_says(item(&html, "transport-1"), &["<dt>From</dt>", "<span class=\"soft\">Sun 16 May 2027</span>"]);
    assert_says(item(&html, "flight-1"), &["<span class=\"soft\">Sun 16 May 2027</span>"]);
    let tour = item(&html, "reservation-1");
    assert_says(tour, &["Starts <strong>Sat 15 May 2027</strong>", "Ends <strong>Sun 16 May 2027</strong>"]);
}

#[test]
fn titles_and_notes_of_days_and_stops_are_for_all_readers() {
    let of_trip: Itinerary = itinerary(json!({
        "role": "viewer", "visibility": "public",
        "days": [{
            "title": "Sintra & <sea>", "notes": "Bring water.\n\nLeave early.",
            "stops": [{ "name": "Castle", "notes": "Buy tickets\nbefore." }],
        }],
    }));
    let html = document(&trip(&of_trip));
    assert_says(
        day(&html, 1),
        &[
            "</span> Saturday 15 May · <bdi>Sintra &#38; &#60;sea&#62;</bdi></h2>",
            "<p class=\"notes\" dir=\"auto\">Bring water.\n\nLeave early.</p>",
            "<p class=\"notes\" dir=\"auto\">Buy tickets\nbefore.</p>",
        ],
    );
}
