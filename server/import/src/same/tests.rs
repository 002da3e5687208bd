use itinerary_api::types::Ticket;
use serde_json::{Value, json};

use super::*;
use crate::item::flatten;
use crate::lookup::Nothing;
use crate::normalise::time;

/// An item of its fields. `modified` is a day of January 2027.
fn item(part: Part, modified: u32, fields: Value) -> Item {
    let mut item = Item::new(part, 0);
    flatten("", fields, &mut item.fields);
    if let Some(tickets) = item.fields.remove("tickets") {
        item.tickets = serde_json::from_value::<Vec<Ticket>>(tickets).unwrap();
    }
    item.cancelled = item.fields.remove("cancelled").is_some();
    item.modified = (modified > 0).then(|| format!("2027-01-{modified:02}T00:00:00Z").parse().unwrap());
    time::set_days(&mut item, &Nothing);
    item
}

fn flight(modified: u32, fields: Value) -> Item {
    item(Part::Flights, modified, fields)
}

/// Unites in both orders; they must not differ.
fn united(readings: &[Item]) -> Bookings {
    let mut reversed = readings.to_vec();
    reversed.reverse();
    let (first, second) = (unite(readings.to_vec()), unite(reversed));
    assert_eq!(first.items, second.items);
    assert_eq!(first.cancelled, second.cancelled);
    first
}

fn count(readings: &[Item]) -> usize {
    united(readings).items.len()
}

#[test]
fn flights() {
    let tp = |day: &str, number: &str, code: Option<&str>| {
        flight(1, json!({"flightNumber": number, "departureDay": day, "confirmationNumber": code}))
    };
    assert_eq!(count(&[tp("2027-05-15", "TP1363", Some("A")), tp("2027-05-15", "TP1363", None)]), 1);
    assert_eq!(count(&[tp("2027-05-15", "TP1363", None), tp("2027-05-15", "1363", None)]), 1);
    assert_eq!(count(&[tp("2027-05-15", "LH489", None), tp("2027-05-15", "DLH489", None)]), 1);
    assert_eq!(count(&[tp("2027-05-15", "TP1363", Some("A")), tp("2027-05-15", "TP1363", Some("B"))]), 2);
    assert_eq!(count(&[tp("2027-05-15", "TP1363", None), tp("2027-05-16", "TP1363", None)]), 2);
    assert_eq!(count(&[tp("2027-05-15", "TP1363", None), tp("2027-05-15", "LH1363", None)]), 2);
    // One without a number joins one of two that contradict each other.
    assert_eq!(
        count(&[
            tp("2027-05-15", "TP1363", Some("A")),
            tp("2027-05-15", "TP1363", Some("B")),
            tp("2027-05-15", "TP1363", None)
        ]),
        2
    );
}

#[test]
fn legs_of_one_number_and_ways_without_one() {
    let leg = |from: &str, to: &str, number: Option<&str>| {
        flight(
            1,
            json!({
                "flightNumber": number, "departureDay": "2027-05-15", "confirmationNumber": "A",
                "departureAirport": {"code": from}, "arrivalAirport": {"code": to}
            }),
        )
    };
    assert_eq!(count(&[leg("LHR", "SIN", Some("BA15")), leg("SIN", "SYD", Some("BA15"))]), 2);
    assert_eq!(count(&[leg("LHR", "SIN", Some("BA15")), leg("LHR", "SIN", None)]), 1);
    assert_eq!(count(&[leg("LHR", "SIN", None), leg("SIN", "SYD", None)]), 2);
}

#[test]
fn trains_hotels_and_tables() {
    let of = |part, fields| item(part, 0, fields);
    let train = |from: &str, number: Option<&str>| {
        of(
            Part::Transports,
            json!({"mode": "train", "number": number, "departureDay": "2027-05-15",
                "departurePlace": {"name": from}, "arrivalPlace": {"name": "Köln Hbf"}}),
        )
    };
    assert_eq!(count(&[train("Bruxelles", Some("ICE 13")), train("Brussel", Some("13"))]), 1);
    assert_eq!(count(&[train("Bruxelles", None), train("BRUXELLES", Some("13"))]), 1);
    assert_eq!(count(&[train("Bruxelles", None), train("Liège", None)]), 2);
    let stay = |name: &str, date: &str| of(Part::Hotels, json!({"name": name, "checkInDate": date}));
    assert_eq!(
        count(&[
            stay("Hôtel Exemplo", "2027-05-15T15:00:00+01:00"),
            stay("HOTEL EXEMPLO", "2027-05-15T14:00:00+01:00")
        ]),
        1
    );
    assert_eq!(count(&[stay("Exemplo", "2027-05-15T15:00:00+01:00"), stay("Exemplo", "2027-05-16T15:00:00+01:00")]), 2);
    let table = |start: &str| of(Part::Reservations, json!({"name": "Zola", "startDate": start}));
    assert_eq!(count(&[table("2027-05-15T19:30:00+01:00"), table("2027-05-15T18:30:00Z")]), 1);
    assert_eq!(count(&[table("2027-05-15T19:30:00+01:00"), table("2027-05-15T20:30:00+01:00")]), 2);
}

#[test]
fn the_newer_wins_and_absent_values_erase_nothing() {
    let older = flight(
        1,
        json!({"flightNumber": "SN2591", "departureDate": "2027-02-02T20:40:00+01:00", "gateNumber": "A1",
            "arrivalDate": "2027-02-02T22:00:00+01:00", "departureTerminal": "1"}),
    );
    let newer = flight(2, json!({"flightNumber": "SN2591", "departureDay": "2027-02-02", "gateNumber": "B2"}));
    let bookings = united(&[older, newer]);
    let [item] = bookings.items.as_slice() else { panic!("{bookings:?}") };
    assert_eq!(item.text("departureDate"), Some("2027-02-02T20:40:00+01:00"));
    assert_eq!(item.text("arrivalDate"), Some("2027-02-02T22:00:00+01:00"));
    assert_eq!((item.text("gateNumber"), item.text("departureTerminal")), (Some("B2"), Some("1")));
}

#[test]
fn times_in_utc_do_not_replace_local_ones() {
    let local = flight(1, json!({"flightNumber": "SN2591", "departureDate": "2027-02-02T20:40:00+01:00"}));
    let utc = flight(2, json!({"flightNumber": "SN2591", "departureDate": "2027-02-02T19:40:00Z"}));
    assert_eq!(united(&[local, utc]).items[0].text("departureDate"), Some("2027-02-02T20:40:00+01:00"));
}

#[test]
fn tickets_by_holder_then_by_code() {
    let with = |modified, tickets: Value| {
        flight(modified, json!({"flightNumber": "SN2591", "departureDay": "2027-02-02", "tickets": tickets}))
    };
    let older = with(
        1,
        json!([
            {"holder": "Volker Krause", "code": {"format": "aztec", "text": "M1KRAUSE/VOLKER"}},
            {"holder": "Ana Reis"}
        ]),
    );
    let newer =
        with(2, json!([{"holder": "Volkermr Krause", "seatNumber": "6D", "code": {"format": "aztec", "text": "M1x"}}]));
    let tickets = &united(&[older, newer]).items[0].tickets;
    assert_eq!(tickets.len(), 2, "{tickets:?}");
    let krause = tickets.iter().find(|ticket| ticket.holder.as_deref().unwrap().contains("Krause")).unwrap();
    assert_eq!(krause.seat_number.as_deref(), Some("6D"));
    assert_eq!(krause.code.as_ref().unwrap().text.as_deref(), Some("M1x"));
    let named = with(1, json!([{"holder": "Dr Konqui", "code": {"format": "aztec", "data": "QUJD"}}]));
    let nameless = with(2, json!([{"seatNumber": "2", "code": {"format": "aztec", "data": "QUJD"}}]));
    let other = with(3, json!([{"seatNumber": "3", "code": {"format": "aztec", "data": "QUJE"}}]));
    let tickets = &united(&[named, nameless, other]).items[0].tickets;
    assert_eq!(tickets.len(), 2);
    assert_eq!(tickets.iter().filter(|ticket| ticket.holder.is_some()).count(), 1);
}

#[test]
fn cancellations() {
    let booking = |modified| {
        flight(
            modified,
            json!({"flightNumber": "UA110", "departureDate": "2027-03-04T20:15:00-08:00", "confirmationNumber": "RXJ34P"}),
        )
    };
    let cancelled = |modified| flight(modified, json!({"confirmationNumber": "RXJ34P", "cancelled": true}));
    let newer = united(&[booking(1), cancelled(2)]);
    assert_eq!((newer.items.len(), newer.cancelled.len()), (0, 1));
    assert_eq!(newer.cancelled[0].text("flightNumber"), Some("UA110"));
    let older = united(&[booking(2), cancelled(1)]);
    assert_eq!((older.items.len(), older.cancelled.len(), older.outdated.len()), (1, 0, 1));
    let undated = united(&[booking(0), cancelled(0)]);
    assert_eq!((undated.items.len(), undated.cancelled.len()), (0, 1));
    let other = united(&[
        booking(1),
        flight(2, json!({"confirmationNumber": "RXJ34P", "flightNumber": "UA111", "cancelled": true})),
    ]);
    assert_eq!((other.items.len(), other.cancelled.len()), (1, 1));
}

#[test]
fn a_message_without_a_leg_is_about_all_legs_of_its_booking() {
    let leg = |number: &str| {
        flight(1, json!({"flightNumber": number, "departureDay": "2027-05-15", "confirmationNumber": "A"}))
    };
    let message = flight(2, json!({"confirmationNumber": "A", "provider": "Agency"}));
    let items = united(&[leg("TP1"), leg("TP2"), message.clone()]).items;
    assert_eq!(items.len(), 2);
    assert!(items.iter().all(|item| item.text("provider") == Some("Agency")));
    let stay = item(Part::Hotels, 1, json!({"name": "Exemplo", "confirmationNumber": "A"}));
    assert_eq!(count(&[message, stay]), 2);
}
