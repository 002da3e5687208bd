//! Passes of bookings with tickets, and of transports and reservations.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{Database, World, api_test};
use serde_json::{Value, json};

use super::apple::{files, json_of};
use super::chain::Operator;
use super::google::claims;
use super::{listed, pass, start};

/// A trip with tickets: two of a flight, one of a train, and one of a show, whose barcode is bytes.
fn trip() -> Value {
    with(
        on_day(1),
        json!({
            "title": "Lisbon",
            "flights": [{
                "id": "out",
                "flightAirline": { "code": "TP" },
                "flightNumber": "1363",
                "departureAirport": { "name": "Schiphol", "code": "AMS" },
                "arrivalAirport": { "name": "Lisbon", "code": "LIS" },
                "departureDate": "2027-05-15T08:05:00+02:00",
                "seatNumber": "9Z",
                "confirmationNumber": "X7KQ2P",
                "tickets": [
                    { "holder": "Ana Reis", "seatNumber": "14A", "ticketNumber": "047-1",
                        "code": { "format": "aztec", "text": "M1REIS/ANA            EX7KQ2P AMSLISTP 1363 " } },
                    { "holder": "Ben Reis", "seatNumber": "14B", "code": { "format": "pdf417", "text": "M1REIS/BEN" } },
                ],
            }],
            "transports": [
                {
                    "id": "train",
                    "mode": "train",
                    "operator": { "name": "Comboios de Portugal" },
                    "number": "IC 523",
                    "departurePlace": { "name": "Lisboa Oriente", "timeZone": "Europe/Lisbon" },
                    "arrivalPlace": { "name": "Porto Campanhã", "timeZone": "Europe/Lisbon" },
                    "departureDate": "2027-05-16T07:39:00Z",
                    "confirmationNumber": "CP-77",
                    "tickets": [{ "coachNumber": "21", "seatNumber": "15", "code": { "format": "code128", "text": "0871" } }],
                },
                { "id": "bare", "mode": "bus", "number": "728" },
                { "id": "boat", "mode": "ferry", "departurePlace": { "name": "Belém" }, "departureDay": "2027-05-17" },
            ],
            "reservations": [{
                "id": "show",
                "name": "Fado at Sr. Vinho",
                "startDate": "2027-05-17T20:00:00+01:00",
                "partySize": 2,
                "tickets": [{ "holder": "Ana Reis", "code": { "format": "qr", "data": "AID/" } }],
            }],
        }),
    )
}

async fn apple(app: &App<'_>, of: &Stored, item: &str, query: &str) -> Value {
    json_of(&files(&pass(app, of, item, query).await), "pass.json")
}

#[api_test]
async fn each_ticket_has_its_pass(database: Database) {
    let Some(world) = start(database, &Operator::new()).await else { return };
    let ana = App::of(&world, "ana").await;
    let lisbon = ana.created(&trip()).await;
    let first = apple(&ana, &lisbon, "flight/out", "").await;
    let code = json!({
        "format": "PKBarcodeFormatAztec",
        "message": "M1REIS/ANA            EX7KQ2P AMSLISTP 1363 ",
        "messageEncoding": "iso-8859-1",
    });
    assert_eq!(first["barcodes"], json!([code]));
    let shown = first.to_string();
    for text in ["Ana Reis", "14A", "047-1", "X7KQ2P"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("9Z") && !shown.contains("Ben"), "{shown}");
    assert_eq!(first, apple(&ana, &lisbon, "flight/out", "?ticket=0").await);
    let second = apple(&ana, &lisbon, "flight/out", "?ticket=1&format=apple").await;
    assert_eq!(second["barcodes"][0]["format"], "PKBarcodeFormatPDF417");
    assert!(second.to_string().contains("Ben Reis"), "{second}");
    assert_ne!(first["serialNumber"], second["serialNumber"]);
    // A ticket replaces the pass that the flight had without it.
    let none = ana.patched(&lisbon, &json!({ "flights": [] })).await;
    let mut flight = trip()["flights"][0].take();
    flight.as_object_mut().expect("an object").remove("tickets");
    let bare = ana.patched(&none, &json!({ "flights": [flight] })).await;
    let pass = apple(&ana, &bare, "flight/out", "").await;
    assert_eq!(pass["serialNumber"], first["serialNumber"]);
    assert!(pass["barcodes"].is_null() && pass.to_string().contains("9Z"), "{pass}");
}

#[api_test]
async fn transports_and_reservations_have_passes(database: Database) {
    let operator = Operator::new();
    let Some(world) = start(database, &operator).await else { return };
    let ana = App::of(&world, "ana").await;
    let lisbon = ana.created(&trip()).await;
    let list = listed(&ana, &lisbon).await.json();
    let items: Vec<String> = list["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pass| format!("{}/{}", pass["kind"].as_str().expect("a kind"), pass["itemId"].as_str().expect("an id")))
        .collect();
    assert_eq!(items, ["flight/out", "transport/train", "transport/boat", "reservation/show"]);

    let train = apple(&ana, &lisbon, "transport/train", "").await;
    assert_eq!(train["boardingPass"]["transitType"], "PKTransitTypeTrain");
    assert_eq!(train["barcodes"][0]["format"], "PKBarcodeFormatCode128");
    let shown = train.to_string();
    for text in ["2027-05-16T08:39:00+01:00", "IC 523", "Porto Campanhã", "CP-77", "ana"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let boat = apple(&ana, &lisbon, "transport/boat", "").await;
    assert_eq!(boat["boardingPass"]["transitType"], "PKTransitTypeBoat");
    let show = apple(&ana, &lisbon, "reservation/show", "").await;
    assert_eq!(show["eventTicket"]["primaryFields"][0]["value"], "Fado at Sr. Vinho");
    assert_eq!(show["barcodes"][0]["message"], "\u{0}\u{80}\u{FF}", "bytes are the characters of ISO 8859-1");

    let google =
        async |item: &str| claims(&pass(&ana, &lisbon, item, "?format=google").await, &operator)["payload"].take();
    let train = google("transport/train").await;
    assert_eq!(train["transitClasses"][0]["transitType"], "RAIL");
    let logo = train["transitClasses"][0]["logo"]["sourceUri"]["uri"].as_str().expect("an address").to_owned();
    assert!(logo.ends_with("/logo.png"), "{logo}");
    assert_eq!(train["transitObjects"][0]["barcode"], json!({ "type": "CODE_128", "value": "0871" }));
    assert_eq!(train["transitObjects"][0]["ticketLeg"]["ticketSeat"], json!({ "coach": "21", "seat": "15" }));
    let show = google("reservation/show").await;
    assert_eq!(show["eventTicketClasses"][0]["dateTime"]["start"], "2027-05-17T20:00:00");
    assert!(google("transport/boat").await["genericObjects"].is_array());
}

#[api_test]
async fn tickets_that_do_not_exist_are_rejected(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let lisbon = ana.created(&trip()).await;
    for (item, query) in [
        ("flight/out", "?ticket=2"),
        ("flight/out", "?ticket=19&format=google"),
        ("flight/out", "?ticket=20"),
        ("flight/out", "?ticket=-1"),
        ("flight/out", "?ticket=first"),
        ("flight/out", "?ticket="),
        ("transport/train", "?ticket=1"),
        // It has no tickets.
        ("transport/boat", "?ticket=0"),
        // Before what its booking lacks.
        ("transport/bare", "?ticket=0"),
    ] {
        let details = pass(&ana, &lisbon, item, query).await.expect_error(422, "validationFailed");
        assert_eq!(details["field"], "ticket", "{item}{query}");
    }
    pass(&ana, &lisbon, "transport/bare", "").await.expect_error(409, "conflict");
    for item in ["transport/nothing", "reservation/train", "transport/out"] {
        pass(&ana, &lisbon, item, "?ticket=7").await.expect_error(404, "notFound");
    }
    for (item, query) in [("transport/train", ""), ("reservation/show", "?format=google"), ("flight/out", "?ticket=1")]
    {
        pass(&ana, &lisbon, item, query).await.expect_error(503, "featureUnavailable");
        pass(&ben, &lisbon, item, query).await.expect_error(404, "notFound");
    }
    ana.patched(&lisbon, &json!({ "visibility": "public" })).await;
    pass(&ben, &lisbon, "transport/train", "").await.expect_error(403, "forbidden");
    pass(&ben, &lisbon, "reservation/show", "?ticket=9").await.expect_error(403, "forbidden");
}
