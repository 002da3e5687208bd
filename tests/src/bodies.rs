//! Request bodies, and comparing them with answers.

use serde_json::{Value, json};

/// The longest name of a time zone in the IANA database.
pub const LONGEST_ZONE: &str = "America/Argentina/ComodRivadavia";

/// The smallest body of a create, for a destination near Lisbon.
pub fn minimal() -> Value {
    to("Lisbon", 38.7223, -9.1393)
}

/// The smallest body of a create, for this destination.
pub fn to(name: &str, latitude: f64, longitude: f64) -> Value {
    json!({ "destination": { "name": name, "coordinate": { "latitude": latitude, "longitude": longitude } } })
}

/// A body with further fields.
pub fn with(mut body: Value, fields: Value) -> Value {
    let (Value::Object(body_fields), Value::Object(fields)) = (&mut body, fields) else { panic!("not objects") };
    body_fields.extend(fields);
    body
}

/// The smallest body, starting on this day of May 2027. Other days are no duplicates.
pub fn on_day(day: u32) -> Value {
    with(minimal(), json!({ "startDate": format!("2027-05-{day:02}") }))
}

/// The trip of the SDK's example.
pub fn lisbon() -> Value {
    serde_json::from_str(include_str!("../../client-sdk/examples/lisbon.json")).expect("JSON")
}

/// A body with every field of a create except `documents`. It needs Pro.
pub fn full() -> Value {
    json!({
        "title": "A week in Madeira",
        "summary": "Levadas, markets\nand\tthe sea.",
        "destination": place("Funchal", 32.6669, -16.9241),
        "origin": place("Lisboa", 38.722_252_41, -9.139_336_65),
        "startDate": "2027-09-01",
        "travellers": 3,
        "tags": ["levada", "caf\u{e9}", "\u{1f30a}"],
        "coverImage": { "url": "https://images.example/madeira.jpg?w=1&h=2", "source": "A photographer, CC BY 4.0" },
        "currency": "EUR",
        "days": [day()],
        "flights": [flight()],
        "hotels": [hotel()],
        "transports": [transport()],
        "reservations": [reservation()],
        "expenses": [expense()],
        "packing": [packing()],
        "visibility": "private",
    })
}

fn place(name: &str, latitude: f64, longitude: f64) -> Value {
    json!({
        "name": name, "address": format!("Rua 1, {name}"), "placeId": format!("id:{name}/1"),
        "coordinate": { "latitude": latitude, "longitude": longitude },
        "countryCode": "PT", "timeZone": "Atlantic/Madeira", "code": "FNC",
    })
}

fn day() -> Value {
    json!({
        "id": "day-1",
        "title": "Market and beach",
        "notes": "Bring towels.\nThe bus leaves at nine.",
        "image": { "url": "http://images.example/day.webp", "source": "generated" },
        "stops": [
            {
                "id": "stop-1",
                "name": "Mercado dos Lavradores",
                "category": "market",
                "place": place("Mercado", 32.648, -16.904),
                "startTime": "09:30",
                "startTimeSuggested": true,
                "durationMinutes": 75,
                "phoneNumber": "+351 291 214 080",
                "notes": "Closed on Sundays.",
                "activity": {
                    "provider": "local", "productCode": "MKT-1", "rating": 4.5, "reviewCount": 1203,
                    "bookingUrl": "https://book.example/mkt-1", "lastCheckedAt": "2027-01-09T08:00:00+01:00",
                },
            },
            {
                "id": "stop-2", "name": "Praia Formosa", "category": "beach", "startTimeSuggested": false,
                "place": { "coordinate": { "latitude": 32.643, "longitude": -16.952 } },
            },
        ],
        "legs": [
            { "from": "stop-1", "to": "stop-2", "mode": "walk", "minutes": 61.5, "metres": 5012.25, "source": "own" }
        ],
    })
}

fn flight() -> Value {
    json!({
        "id": "flight-1",
        "flightAirline": { "code": "TP", "name": "TAP Air Portugal" },
        "flightNumber": "TP1689",
        "departureAirport": place("Humberto Delgado", 38.7697, -9.1283),
        "arrivalAirport": place("Cristiano Ronaldo", 32.6979, -16.7745),
        "departureDate": "2027-09-01T07:05:00+01:00",
        "arrivalDate": "2027-09-01T06:50:00.500Z",
        "cabinClass": "premiumEconomy",
        "seatNumber": "14A",
        "gateNumber": "22",
        "departureTerminal": "1",
        "arrivalTerminal": "A",
        "phoneNumber": "+351 211 234 400",
        "departureDay": "2027-09-01",
        "confirmationNumber": "X7KQ2P",
        "provider": "Agência Abreu",
        "bookingUrl": "https://book.example/x7kq2p",
        "notes": "Online check-in\nfrom the day before.",
        "tickets": [ticket()],
    })
}

fn ticket() -> Value {
    json!({
        "holder": "Ana Reis", "seatNumber": "14A", "coachNumber": "3", "ticketNumber": "047-2100000001",
        "code": { "format": "aztec", "text": " M1REIS/ANA  " },
    })
}

fn transport() -> Value {
    json!({
        "id": "transport-1",
        "mode": "bus",
        "operator": { "code": "RODO", "name": "Rodoeste" },
        "number": "139",
        "departurePlace": place("Funchal", 32.6480, -16.9110),
        "arrivalPlace": place("Porto Moniz", 32.8670, -17.1670),
        "departureDate": "2027-09-03T09:00:00+01:00",
        "arrivalDate": "2027-09-03T11:30:00+01:00",
        "departureDay": "2027-09-03",
        "travelClass": "2nd",
        "departurePlatform": "4",
        "arrivalPlatform": "B",
        "phoneNumber": "+351 291 220 148",
        "confirmationNumber": "139-7",
        "provider": "Rodoeste",
        "bookingUrl": "https://book.example/139",
        "notes": "Sit on the left.",
        "tickets": [ticket()],
    })
}

fn reservation() -> Value {
    json!({
        "id": "reservation-1",
        "name": "Taberna Madeira",
        "category": "restaurant",
        "place": place("Taberna", 32.6490, -16.9080),
        "startDate": "2027-09-02T19:30:00+01:00",
        "endDate": "2027-09-02T21:30:00+01:00",
        "startDay": "2027-09-02",
        "endDay": "2027-09-02",
        "partySize": 3,
        "phoneNumber": "+351 291 221 789",
        "confirmationNumber": "4471",
        "provider": "TheFork",
        "bookingUrl": "https://book.example/4471",
        "notes": "A table outside.",
        "tickets": [ticket()],
    })
}

fn hotel() -> Value {
    json!({
        "id": "hotel-1",
        "name": "Quinta",
        "place": place("Quinta", 32.65, -16.92),
        "checkInDate": "2027-09-01T15:00:00+01:00",
        "checkOutDate": "2027-09-08T11:00:00+01:00",
        "roomNumber": "12",
        "phoneNumber": "+351 291 000 000",
        "confirmationNumber": "88-1",
        "provider": "Booking",
        "bookingUrl": "https://book.example/88-1",
        "notes": "Breakfast included.",
        "tickets": [ticket()],
    })
}

fn expense() -> Value {
    json!({
        "id": "expense-1",
        "name": "Seat",
        "cost": { "amount": 19.99, "currency": "JPY" },
        "category": "flight",
        "date": "2027-09-01",
        "belongsTo": { "kind": "flight", "id": "flight-1" },
    })
}

fn packing() -> Value {
    json!({
        "id": "packing-1", "name": "Boots", "category": "footwear", "quantity": 2, "isPacked": true,
        "belongsTo": { "kind": "stop", "id": "stop-1" },
    })
}

/// Checks that the response contains everything sent, comparing numbers by value. Objects may have more fields, arrays
/// must not have more entries.
#[track_caller]
pub fn assert_holds(came: &Value, sent: &Value) {
    let lost = lost(came, sent, "");
    assert!(lost.is_empty(), "sent and not there: {lost:#?}");
}

fn lost(came: &Value, sent: &Value, at: &str) -> Vec<String> {
    match (came, sent) {
        (Value::Object(came), Value::Object(sent)) => {
            let field = |(name, sent): (&String, &Value)| {
                lost(came.get(name).unwrap_or(&Value::Null), sent, &format!("{at}/{name}"))
            };
            sent.iter().flat_map(field).collect()
        }
        (Value::Array(came), Value::Array(sent)) if came.len() == sent.len() => {
            let entries = came.iter().zip(sent).enumerate();
            entries.flat_map(|(n, (came, sent))| lost(came, sent, &format!("{at}/{n}"))).collect()
        }
        (Value::Number(came), Value::Number(sent)) if came.as_f64() == sent.as_f64() => Vec::new(),
        _ if came == sent => Vec::new(),
        _ => vec![format!("{at}: {sent} became {came}")],
    }
}
