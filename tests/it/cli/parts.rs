//! Flights, hotels, expenses and the packing list.

use serde_json::{Value, json};

use super::destinations::world_with_places;
use super::{Person, create, world};

/// A trip whose destination has a time zone, and its owner, who has Pro.
async fn porto(world: &itinerary_tests::World) -> Person {
    let ana = Person::pro(world, "ana").await;
    ana.say(&["create", "--destination", "Porto", "--start", "2027-05-15", "--days", "2", "-q"]).await;
    ana
}

fn names(trip: &Value, list: &str, field: &str) -> Vec<String> {
    let items = trip[list].as_array().expect("a list");
    items.iter().map(|item| item[field].as_str().expect("text").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn airport_codes_and_local_times_are_enough_for_a_flight() {
    let world = world_with_places().await;
    let ana = porto(&world).await;
    let add = ["flight", "add", "last", "TP1363", "--from", "LHR", "--to", "OPO", "--departs", "2027-05-15T07:00"];
    let said = ana.say(&[&add[..], &["--arrives", "2027-05-15T09:20", "--seat", "14C"]].concat()).await;
    let expected = "Added the flight TP1363.\n\nFlights\n  1  Sat 15 May 07:00  TP1363  LHR → OPO, arrives 09:20\n";
    assert_eq!(said, expected);
    let trip = ana.json(&["show", "last"]).await;
    let flight = &trip["flights"][0];
    // Each in the zone of its airport.
    assert_eq!(flight["departureDate"], "2027-05-15T07:00:00+01:00");
    assert_eq!(flight["arrivalDate"], "2027-05-15T09:20:00+01:00");
    assert_eq!((&flight["seatNumber"], &flight["departureAirport"]["code"]), (&json!("14C"), &json!("LHR")));
    assert!(flight["departureAirport"]["coordinate"]["latitude"].is_number());

    let far = ["flight", "add", "last", "NH216", "--from", "FRA", "--to", "HND", "--departs", "2027-05-16 20:05"];
    let trip =
        ana.json(&[&far[..], &["--arrives", "2027-05-17T16:40+09:00", "--cabin", "premiumEconomy"]].concat()).await;
    assert_eq!(trip["flights"][1]["departureDate"], "2027-05-16T20:05:00+02:00");
    assert_eq!(trip["flights"][1]["arrivalDate"], "2027-05-17T16:40:00+09:00");
    // Nothing but a number is needed, and nothing was stored by asking for zones.
    ana.say(&["flight", "add", "last", "XX1", "-q"]).await;
    assert_eq!(ana.say(&["list", "-q"]).await.lines().count(), 1);

    let said = ana.say(&["flight", "remove", "last", "tp"]).await;
    assert!(said.starts_with("Removed the flight TP1363.\n\nFlights\n  1  Sun 16 May 20:05  NH216"), "{said}");
    ana.say(&["flight", "remove", "last", "2"]).await;
    assert_eq!(names(&ana.json(&["show", "last"]).await, "flights", "flightNumber"), ["NH216"]);
    assert!(ana.fail(&["flight", "remove", "last", "TP"], 4).await.contains("no flight “TP”"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_without_a_zone_is_asked_for() {
    let world = world_with_places().await;
    let ana = porto(&world).await;
    let add = |more: &[&'static str]| [&["flight", "add", "last", "TP1"], more].concat();
    for more in [&["--departs", "2027-05-15T07:00"][..], &["--from", "QQQ", "--departs", "2027-05-15T07:00"]] {
        let said = ana.fail(&add(more), 2).await;
        assert!(said.contains("--departs is a local time") && said.contains("+01:00"), "{said}");
    }
    let output = ana.run(&add(&["--departs", "tomorrow"]), "").await;
    assert_eq!(output.status.code(), Some(2));
    let reversed = ["--from", "LHR", "--to", "OPO", "--departs", "2027-05-15T07:00", "--arrives", "2027-05-15T06:00"];
    let said = ana.fail(&add(&reversed), 7).await;
    assert!(said.contains("`--arrives`") && said.contains("`--departs`") && !said.contains("Date"), "{said}");
    assert_eq!(ana.json(&["show", "last"]).await["flights"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hotel_is_added_with_dates() {
    let world = world_with_places().await;
    let ana = porto(&world).await;
    let add = ["hotel", "add", "last", "Casa da Sé", "--at", "41.143,-8.611", "--check-in", "2027-05-15"];
    let said =
        ana.say(&[&add[..], &["--check-out", "2027-05-17T10:00", "--room", "12", "--address", "Rua 1"]].concat()).await;
    let expected = "Added the hotel “Casa da Sé”.\n\nHotels\n  1  Sat 15 May 15:00  Casa da Sé, until Mon 17 May\n";
    assert_eq!(said, expected);
    let trip = ana.json(&["show", "last"]).await;
    let hotel = &trip["hotels"][0];
    let facts = json!([hotel["checkInDate"], hotel["checkOutDate"], hotel["roomNumber"], hotel["place"]["address"]]);
    assert_eq!(facts, json!(["2027-05-15T15:00:00+01:00", "2027-05-17T10:00:00+01:00", "12", "Rua 1"]));
    assert_eq!(hotel["place"]["coordinate"], json!({ "latitude": 41.143, "longitude": -8.611 }));

    // A hotel that is not found is a note, and stays in what needs attention.
    let output = ana.run(&["hotel", "add", "last", "Qwertz Lodge"], "").await;
    assert!(super::stderr(&output).starts_with("note: hotel 2 “Qwertz Lodge”: "), "{}", super::stderr(&output));
    let shown = ana.say(&["show", "last"]).await;
    assert!(shown.contains("Hotel “Qwertz Lodge” is not on the map"), "{shown}");
    ana.say(&["hotel", "remove", "last", "qwertz", "-q"]).await;
    assert_eq!(names(&ana.json(&["show", "last"]).await, "hotels", "name"), ["Casa da Sé"]);
    let said =
        ana.fail(&["hotel", "add", "last", "X", "--check-in", "2027-05-17", "--check-out", "2027-05-15"], 7).await;
    assert!(said.contains("`--check-out` must be after `--check-in`"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn expenses_are_added_and_summed() {
    let world = world().await;
    let ana = Person::pro(&world, "ana").await;
    create(&ana).await;
    ana.say(&["expense", "add", "last", "Dinner", "48.50", "--currency", "EUR", "--category", "food", "-q"]).await;
    let said = ana.say(&["expense", "add", "last", "Tram", "3", "--currency", "EUR", "--date", "2027-05-15"]).await;
    let expected = "Added the expense “Tram”.\n\nExpenses\n  1              48.50 EUR  Dinner · food\n  \
                    2  Sat 15 May  3.00 EUR  Tram\n  51.50 EUR in all\n";
    assert_eq!(said, expected);
    let trip = ana.json(&["expense", "add", "last", "Sim card", "1200", "--currency", "JPY"]).await;
    assert_eq!(trip["expenses"][2]["cost"], json!({ "amount": 1200, "currency": "JPY" }));
    let shown = ana.say(&["show", "last"]).await;
    assert!(shown.contains("51.50 EUR + 1200.00 JPY in all"), "{shown}");
    ana.say(&["expense", "remove", "last", "din", "-q"]).await;
    assert_eq!(names(&ana.json(&["show", "last"]).await, "expenses", "name"), ["Tram", "Sim card"]);

    for (arguments, code, word) in [
        (&["expense", "add", "last", "Tram", "3", "--currency", "euro"][..], 7, "`--currency`"),
        (&["expense", "add", "last", "Tram", "3", "--category", "fun"], 7, "`--category`"),
        (&["expense", "add", "last", "", "3"], 7, "`NAME`"),
        (&["expense", "add", "last", "Tram", "1e20"], 7, "`AMOUNT`"),
        (&["expense", "add", "last", "Tram", "-3"], 7, "`AMOUNT`"),
        (&["expense", "add", "last", "Tram", "inf"], 2, "AMOUNT"),
        (&["expense", "remove", "last", "9"], 4, "which has 2 expenses"),
    ] {
        let said = ana.fail(arguments, code).await;
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    let ben = Person::of(&world, "ben").await;
    create(&ben).await;
    assert!(ben.fail(&["expense", "add", "last", "Tram", "3"], 6).await.contains("Pro"));
}

#[tokio::test(flavor = "multi_thread")]
async fn things_are_packed() {
    let world = world().await;
    let ana = Person::pro(&world, "ana").await;
    create(&ana).await;
    assert!(ana.say(&["pack", "last"]).await.starts_with("Nothing to pack yet."));
    let said = ana.say(&["pack", "last", "Passport", "Rain jacket"]).await;
    assert_eq!(said, "Added 2 items to pack.\n\nPacking\n  1  [ ]  Passport\n  2  [ ]  Rain jacket\n");
    ana.say(&["pack", "last", "Socks", "--quantity", "5", "--category", "clothing", "-q"]).await;
    let said = ana.say(&["pack", "last", "--done", "pass", "3"]).await;
    let expected = "Marked 2 items as packed.\n\nPacking\n  1  [x]  Passport\n  2  [ ]  Rain jacket\n  \
                    3  [x]  Socks × 5 · clothing\n";
    assert_eq!(said, expected);
    ana.say(&["pack", "last", "--undo", "Socks", "-q"]).await;
    let item: Value =
        serde_json::from_str(ana.say(&["pack", "last", "--json"]).await.lines().nth(2).expect("three")).expect("JSON");
    let facts = json!([item["name"], item["quantity"], item["isPacked"], item["category"]]);
    assert_eq!(facts, json!(["Socks", 5, false, "clothing"]));
    assert_eq!(ana.say(&["pack", "last", "-q"]).await.lines().count(), 3);
    let said = ana.say(&["pack", "last", "--remove", "Rain", "Socks"]).await;
    assert_eq!(said, "Removed 2 items.\n\nPacking\n  1  [x]  Passport\n");

    // One wrong item changes nothing.
    ana.fail(&["pack", "last", "--done", "Passport", "Tent"], 4).await;
    let said = ana.fail(&["pack", "last", "Tent", ""], 7).await;
    assert!(said.contains("`ITEM`") && !said.contains("packing["), "{said}");
    assert!(ana.fail(&["pack", "last", "Tent", "--quantity", "0"], 7).await.contains("`--quantity`"));
    assert_eq!(ana.say(&["pack", "last", "-q"]).await.lines().count(), 1);
    for arguments in [&["pack", "last", "--done"][..], &["pack", "last", "--done", "--remove", "x"], &["pack"]] {
        assert_eq!(ana.run(arguments, "").await.status.code(), Some(2), "{arguments:?}");
    }
    let ben = Person::of(&world, "ben").await;
    create(&ben).await;
    assert!(ben.fail(&["pack", "last", "Tent"], 6).await.contains("Pro"));
}

// Each change is made on the version that was read.
#[tokio::test(flavor = "multi_thread")]
async fn members_without_the_role_change_nothing() {
    let world = world().await;
    let ana = Person::pro(&world, "ana").await;
    let ben = Person::pro(&world, "ben").await;
    let id = create(&ana).await;
    ana.say(&["share", &id, "--add", "ben", "-q"]).await;
    ben.say(&["invitation", "accept", &id]).await;
    for arguments in [
        &["flight", "add", &id, "TP1"][..],
        &["hotel", "add", &id, "Pensão"],
        &["expense", "add", &id, "Tram", "3"],
        &["pack", &id, "Tent"],
        &["optimise", &id, "1"],
        &["refresh", &id],
    ] {
        ben.fail(arguments, 6).await;
    }
}
