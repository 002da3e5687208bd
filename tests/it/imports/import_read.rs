//! Bookings in files become a trip, or fill one.

use itinerary_sdk::types::{ImportIgnoredCode, ImportState, Itinerary};
use itinerary_sdk::{Client, ErrorExt, IfMatch, ImportFile, ImportOptions, Versioned, code};
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

/// A mail with JSON-LD, as an airline or a hotel sends it.
fn mail(booking: &Value) -> String {
    format!(
        "From: bookings@example.org\r\nDate: Mon, 1 Mar 2027 10:00:00 +0000\r\nSubject: Your booking\r\n\
         Content-Type: text/html; charset=utf-8\r\n\r\n<html><script type=\"application/ld+json\">{booking}</script>\
         <p>Thank you!</p></html>"
    )
}

fn airport(code: &str) -> Value {
    json!({ "@type": "Airport", "iataCode": code })
}

fn flight(seat: &str) -> Value {
    json!({
        "@context": "http://schema.org", "@type": "FlightReservation", "reservationNumber": "X7KQ2P",
        "underName": { "@type": "Person", "name": "Ana Reis" }, "airplaneSeat": seat,
        "totalPrice": "120.50", "priceCurrency": "EUR",
        "reservationFor": {
            "@type": "Flight", "flightNumber": "1689", "airline": { "@type": "Airline", "iataCode": "TP", "name": "TAP" },
            "departureAirport": airport("AMS"), "departureTime": "2027-05-15T08:00:00",
            "arrivalAirport": airport("LIS"), "arrivalTime": "2027-05-15T10:00:00",
        },
    })
}

fn hotel() -> Value {
    json!({
        "@context": "http://schema.org", "@type": "LodgingReservation", "reservationNumber": "H1",
        "checkinTime": "2027-05-15T15:00:00+01:00", "checkoutTime": "2027-05-18T11:00:00+01:00",
        "reservationFor": {
            "@type": "LodgingBusiness", "name": "Pensão Amor",
            "address": { "@type": "PostalAddress", "addressLocality": "Lisbon", "addressCountry": "PT" },
        },
    })
}

fn table() -> Value {
    json!({
        "@context": "http://schema.org", "@type": "FoodEstablishmentReservation", "partySize": 2,
        "reservationNumber": "T9", "startTime": "2027-05-16T19:30:00+01:00",
        "reservationFor": { "@type": "FoodEstablishment", "name": "Zé da Mouraria" },
    })
}

fn file(name: &str, booking: &Value) -> ImportFile {
    ImportFile::new(name, mail(booking)).media_type("message/rfc822")
}

/// A trip made from the mails of a flight and a hotel.
async fn trip(client: &Client) -> Versioned<Itinerary> {
    let files = [file("flight.eml", &flight("12A")), file("hotel.eml", &hotel())];
    let found = client.import_read(files, ImportOptions::default()).await.expect("read");
    let create = found.itinerary.into_create().expect("a destination");
    client.itinerary_create(create).send().await.expect("created")
}

/// The items of a result: field, file, state.
fn items(result: &itinerary_sdk::types::ImportResult) -> Vec<(&str, &str, String)> {
    result.items.iter().map(|item| (&*item.field, &*item.file, item.state.to_string())).collect()
}

#[api_test(gazetteer = true)]
async fn a_trip_comes_from_its_mails(world: World) {
    let client = world.client("ana").await;
    let trip = trip(&client).await;
    assert_eq!(trip.title, "Lisbon, 15–18 May");
    assert_eq!(
        (&*trip.destination.name, trip.days.len(), trip.start_date.to_string()),
        ("Lisbon", 4, "2027-05-15".into())
    );
    let flight = json!(trip.flights()[0]);
    for (pointer, expected) in [
        ("/flightNumber", "TP1689"),
        ("/departureDate", "2027-05-15T08:00:00+02:00"),
        ("/arrivalDate", "2027-05-15T10:00:00+01:00"),
        ("/confirmationNumber", "X7KQ2P"),
        ("/tickets/0/holder", "Ana Reis"),
        ("/tickets/0/seatNumber", "12A"),
    ] {
        assert_eq!(flight.pointer(pointer), Some(&json!(expected)), "{pointer} of {flight}");
    }
    let hotel = json!(trip.hotels()[0]);
    assert_eq!((&hotel["name"], &hotel["checkOutDate"]), (&json!("Pensão Amor"), &json!("2027-05-18T11:00:00+01:00")));
}

#[api_test(gazetteer = true)]
async fn prices_become_expenses_with_pro(world: World) {
    let files = || [file("flight.eml", &flight("12A"))];
    let free = world.client("ana").await;
    let found = free.import_read(files(), ImportOptions::default()).await.expect("read");
    assert!(found.itinerary.expenses.is_none());
    assert_eq!(found.ignored[0].code, ImportIgnoredCode::NeedsPro);

    world.pro_account("ben").await;
    let pro = world.client("ben").await;
    let found = pro.import_read(files(), ImportOptions::default()).await.expect("read");
    let made = pro.itinerary_create(found.itinerary.into_create().expect("whole")).send().await.expect("created");
    let expense = json!(made.expenses()[0]);
    assert_eq!(expense["cost"], json!({ "amount": 120.5, "currency": "EUR" }));
    assert_eq!(expense["belongsTo"], json!({ "kind": "flight", "id": made.flights()[0].id }));
    assert!(found.ignored.is_empty(), "{:?}", found.ignored);
}

#[api_test(gazetteer = true)]
async fn importing_again_changes_nothing_and_new_bookings_are_added(world: World) {
    let client = world.client("ana").await;
    let trip = trip(&client).await;
    let options = ImportOptions::into_itinerary(trip.id);
    let same = [file("hotel.eml", &hotel()), file("flight.eml", &flight("12A"))];
    let again = client.import_read(same, options).await.expect("read");
    assert!(again.items.iter().all(|item| item.state == ImportState::Unchanged), "{:?}", items(&again));
    assert_eq!(json!(again.itinerary), json!({}));
    assert_eq!(again.etag.as_deref(), Some(trip.etag()));
    let update = again.itinerary.into_update().expect("a patch");
    let unchanged = client.itinerary_update(trip.id, &trip, update).send().await.expect("nothing to do");
    assert_eq!(unchanged.etag(), trip.etag());

    let more = client.import_read([file("table.eml", &table())], options).await.expect("read");
    assert_eq!(items(&more), [("reservations[0]", "table.eml", "added".to_owned())]);
    let etag = IfMatch::from(more.etag.as_deref().expect("compared"));
    let update = more.itinerary.into_update().expect("a patch");
    let updated = client.itinerary_update(trip.id, etag, update).send().await.expect("written");
    assert_eq!(json!(updated.reservations()[0])["partySize"], 2);
    assert_eq!((updated.flights(), updated.hotels()), (trip.flights(), trip.hotels()));
}

#[api_test(gazetteer = true)]
async fn fields_that_differ_are_replaced_only_with_overwrite(world: World) {
    let client = world.client("ana").await;
    let trip = trip(&client).await;
    let mut moved = hotel();
    moved["checkoutTime"] = json!("2027-05-19T11:00:00+01:00");
    moved["reservationFor"]["telephone"] = json!("+351 21 000");
    let options = ImportOptions::into_itinerary(trip.id);
    let kept = client.import_read([file("hotel.eml", &moved)], options).await.expect("read");
    let [item] = &kept.items[..] else { panic!("one item: {:?}", items(&kept)) };
    let changes: Vec<_> = item.changes.iter().map(|it| (&*it.field, it.was.is_some(), it.now.is_some())).collect();
    assert_eq!(changes, [("checkOutDate", true, true), ("phoneNumber", false, true)]);
    let patch = json!(kept.itinerary);
    assert_eq!(patch["hotels"][0]["checkOutDate"], "2027-05-18T11:00:00+01:00");
    assert_eq!(patch["hotels"][0]["phoneNumber"], "+351 21 000");

    let replaced = client.import_read([file("hotel.eml", &moved)], options.overwrite()).await.expect("read");
    assert_eq!(json!(replaced.itinerary)["hotels"][0]["checkOutDate"], "2027-05-19T11:00:00+01:00");
}

#[api_test(gazetteer = true)]
async fn only_owner_and_editors_import_into_a_trip(world: World) {
    let ana = world.client("ana").await;
    let trip = trip(&ana).await;
    let id = trip.id.to_string();
    let mut clients = Vec::new();
    for (name, role) in [("ben", "editor"), ("vic", "viewer")] {
        let account = world.account(name).await;
        world.member(&id, account, role).await;
        clients.push(world.client_with(&world.token(name, READ_WRITE).await));
    }
    let [ben, viewer] = <[Client; 2]>::try_from(clients).expect("two");
    let options = ImportOptions::into_itinerary(trip.id);
    let read = |client: Client| async move { client.import_read([file("table.eml", &table())], options).await };
    assert_eq!(read(ben).await.expect("an editor").items.len(), 1);
    assert_eq!(read(viewer).await.expect_err("a viewer").code(), code::FORBIDDEN);
    assert_eq!(read(world.client("eve").await).await.expect_err("a stranger").code(), code::NOT_FOUND);
}

#[api_test(gazetteer = true)]
async fn what_is_not_imported_is_said(world: World) {
    let client = world.client("ana").await;
    let mut cancelled = table();
    cancelled["reservationStatus"] = json!("http://schema.org/ReservationCancelled");
    let files = [
        file("cancelled.eml", &cancelled),
        ImportFile::new("letter.txt", "Dear Ana, thank you for your booking."),
        ImportFile::new("broken.pkpass", "PK\u{3}\u{4} no archive").media_type("application/vnd.apple.pkpass"),
        file("hotel.eml", &hotel()),
    ];
    let found = client.import_read(files, ImportOptions::default()).await.expect("one is read");
    let ignored: Vec<_> = found.ignored.iter().map(|it| (&*it.file, it.code.to_string())).collect();
    let expected = [("broken.pkpass", "malformed"), ("cancelled.eml", "cancelled"), ("letter.txt", "notRecognised")];
    assert_eq!(ignored, expected.map(|(file, code)| (file, code.to_owned())));
    assert_eq!(items(&found), [("hotels[0]", "hotel.eml", "added".to_owned())]);

    let only = client.import_read([ImportFile::new("letter.txt", "Dear Ana")], ImportOptions::default()).await;
    let error = only.expect_err("nothing to import");
    assert_eq!((error.code(), error.field()), (code::VALIDATION_FAILED, Some("file")));
    let only = client.import_read([file("cancelled.eml", &cancelled)], ImportOptions::default()).await.expect("read");
    assert!(only.items.is_empty() && only.ignored[0].code == ImportIgnoredCode::Cancelled);
}

#[api_test]
async fn many_imports_of_one_account_all_get_their_turn(world: World) {
    let client = world.client("ana").await;
    let imports = (0..8).map(|_| client.import_read([file("table.eml", &table())], ImportOptions::default()));
    for found in futures::future::join_all(imports).await {
        assert_eq!(items(&found.expect("a turn")), [("reservations[0]", "table.eml", "added".to_owned())]);
    }
}
