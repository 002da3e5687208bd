use itinerary_api::types::Itinerary;
use serde_json::{Value, json};

use super::*;

const ACTIONS: Actions<'static> = Actions {
    path: "/trips/1",
    address: Some("https://trips.example/trips/1"),
    history: None,
    likes: 0,
    saves: 0,
    marking: Marking::SignIn("/sign-in?next=%2Ftrips%2F1"),
    streets: Streets::Off,
};

/// An itinerary of this content, as its owner with Pro sees it.
pub(crate) fn itinerary(more: Value) -> Itinerary {
    let mut json = json!({
        "id": "0190b5a0-0000-7000-8000-000000000001",
        "title": "Lisbon",
        "destination": {
            "name": "Lisbon", "coordinate": { "latitude": 38.7, "longitude": -9.1 }, "timeZone": "Europe/Lisbon",
        },
        "startDate": "2027-05-15", "travellers": 2, "tags": [], "currency": "EUR", "days": [],
        "visibility": "private", "role": "owner",
        "author": {
            "accountId": "0190b5a0-0000-7000-8000-000000000002", "username": "ana", "displayName": "Ana", "isPro": true,
        },
        "createdAt": "2027-01-01T00:00:00.000Z", "updatedAt": "2027-01-01T00:00:00.000Z",
        "likesCount": 0, "viewsCount": 0,
    });
    let Value::Object(more) = more else { panic!("not an object") };
    json.as_object_mut().expect("an object").extend(more);
    serde_json::from_value(json).expect("an itinerary")
}

fn lisbon() -> Itinerary {
    let file = include_str!("../../../../client-sdk/examples/lisbon.json");
    itinerary(serde_json::from_str(file).expect("JSON"))
}

pub(super) fn shown(more: Value) -> String {
    article(&trip(&itinerary(more)), None, ACTIONS, None).html
}

pub(super) fn trip(itinerary: &Itinerary) -> Trip<'_> {
    Trip::new(itinerary, 1, "https://trips.example/trips/x".to_owned())
}

#[track_caller]
pub(super) fn assert_says(html: &str, words: &[&str]) {
    for word in words {
        assert!(html.contains(word), "{word} in {html}");
    }
}

#[test]
fn a_trip_is_shown_with_its_days_stops_and_legs() {
    let html = article(&trip(&lisbon()), Some("/images/x"), ACTIONS, None).html;
    assert_says(
        &html,
        &[
            "15 – 21 May 2027 · 7 days · 2 travellers",
            "Saturday 15 May",
            "8 stops · 7 h 30 min planned · 48 min and 10.6 km on the way",
            "Taxi · about 22 min · 8.6 km",
            "Viewpoint · 30 min",
            "<span class=\"soft\">about</span> 16:00",
            "Amsterdam time, UTC+2",
            "3 h · Economy · seat 14A",
            "Lisbon time, UTC+1",
            "6 nights",
            "<img src=\"/images/x\" alt=\"\">",
            "<a class=\"geo\" href=\"geo:",
            "<a href=\"https://www.openstreetmap.org/?mlat=",
            "<a href=\"https://www.google.com/maps/dir/?",
            "id=\"map-title\"",
            "id=\"map-7-title\"",
            "id=\"map-flights-title\"",
        ],
    );
    assert!(!html.contains("style=\"") && !html.contains("<script"), "the page's policy forbids both");
    assert_eq!(html.matches("id=\"").count(), {
        let mut ids: Vec<&str> = html.split("id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.len()
    });
}

#[test]
fn an_empty_trip_is_a_page_too() {
    let html = shown(json!({}));
    assert_says(&html, &["15 May 2027 · 2 travellers"]);
    assert!(!html.contains("<svg") && !html.contains("Flights"), "{html}");
    assert_says(&shown(json!({ "days": [{}, {}] })), &["Nothing planned yet.", "15 – 16 May 2027 · 2 days"]);
}

#[test]
fn sections_that_are_absent_are_not_shown() {
    let html = shown(json!({ "expenses": [], "packing": [], "flights": [], "hotels": [] }));
    assert!(["Flights", "Where we stay", "Expenses", "To pack"].iter().all(|title| !html.contains(title)), "{html}");
}

#[test]
fn expenses_are_added_up_by_currency() {
    let cost =
        |amount: f64, currency: Value| json!({ "name": "E", "cost": { "amount": amount, "currency": currency } });
    let html =
        shown(json!({ "expenses": [cost(12.5, json!("EUR")), cost(0.25, Value::Null), cost(3000.0, json!("JPY"))] }));
    assert_says(&html, &["12.50 EUR", "0.25 EUR", ">12.75 EUR<", ">3,000 JPY<"]);
    let item = json!({ "name": "Socks", "category": "clothing", "quantity": 4, "isPacked": true });
    assert_says(&shown(json!({ "packing": [item] })), &["Clothing", "4 × <bdi>Socks</bdi>", "(packed)"]);
}

#[test]
fn hostile_texts_stay_texts() {
    let evil = "</h1><script>alert(1)</script>\u{202e}\"><img src=x onerror=alert(1)>";
    let stop = json!({
        "id": "s", "name": evil, "phoneNumber": evil, "notes": evil, "startTime": "10:00",
        "place": { "name": evil, "address": evil, "coordinate": { "latitude": 1.0, "longitude": 1.0 } },
        "activity": { "provider": evil, "bookingUrl": "https://x.example/?a=\"><script>" },
    });
    let evil_trip = itinerary(json!({
        "title": evil, "summary": evil, "tags": ["<b>"], "days": [{ "title": evil, "notes": evil, "stops": [stop, stop] }, { "stops": [stop] }],
        "flights": [{ "flightNumber": evil, "departureAirport": { "name": evil }, "tickets": [{ "holder": evil }] }],
        "hotels": [{ "name": evil, "roomNumber": evil, "notes": evil }],
        "transports": [{ "number": evil, "departurePlace": { "name": evil, "address": evil }, "provider": evil }],
        "reservations": [{ "name": evil, "confirmationNumber": "<script>\"><img src=x>",
            "bookingUrl": "https://x.example/?a=\"><script>" }],
        "expenses": [{ "name": evil, "cost": { "amount": 1 } }],
        "packing": [{ "name": evil }],
        "coverImage": { "url": "https://x.example/?\"><script>", "source": evil },
    }));
    for html in
        [article(&trip(&evil_trip), Some("/images/\"><script>"), ACTIONS, None).html, document(&trip(&evil_trip))]
    {
        assert!(!html.contains("<script") && !html.contains("<img src=x") && !html.contains("<b>"), "{html}");
    }
    assert!(!title(&evil_trip).contains('\u{202e}'));
}

#[test]
fn a_stop_in_another_zone_says_so() {
    let stop = |zone: &str| json!({ "name": "S", "startTime": "10:00", "place": { "name": "P", "timeZone": zone } });
    let html = shown(json!({ "days": [{ "stops": [stop("America/New_York"), stop("Europe/Lisbon")] }] }));
    assert_says(&html, &["New York time"]);
    assert!(!html.contains("Lisbon time"), "{html}");
}

#[test]
fn a_document_stands_alone() {
    let html = document(&trip(&lisbon()));
    assert!(html.starts_with("<!doctype html>"));
    assert_says(&html, &["@page", "size: a4", "<title>Seven days in Lisbon, with Sintra and the sea</title>", "--c0"]);
    assert!(!html.contains("<link") && !html.contains("@import") && !html.contains("url("), "it loads nothing");
    assert!(html.contains("A week on foot") && html.contains("name=\"description\""));
}

#[test]
fn descriptions_are_short() {
    assert_eq!(description(&itinerary(json!({}))), "Lisbon, 15 May 2027. By Ana.");
    let long = description(&itinerary(json!({ "summary": "é ".repeat(2_000) })));
    assert!(long.chars().count() <= DESCRIPTION + 1 && long.ends_with('…'), "{long}");
}

#[test]
fn the_largest_itinerary_is_rendered() {
    let stop = |n: u32| {
        let coordinate =
            json!({ "latitude": 38.0 + f64::from(n % 97) / 100.0, "longitude": -9.0 + f64::from(n % 89) / 100.0 });
        json!({ "id": format!("s{n}"), "name": "S", "place": { "coordinate": coordinate } })
    };
    let days: Vec<Value> =
        (0..40).map(|day| json!({ "stops": (0..60).map(|n| stop(day * 60 + n)).collect::<Vec<_>>() })).collect();
    let html = article(&trip(&itinerary(json!({ "days": days }))), None, ACTIONS, None).html;
    assert!(html.len() < 1_500_000, "{}", html.len());
}

#[test]
fn maps_of_many_days_along_fjords_stay_small() {
    let stop = |n: u32, latitude: f64, longitude: f64| {
        json!({ "id": format!("s{n}"), "name": "Stop", "startTimeSuggested": false,
            "place": { "coordinate": { "latitude": latitude, "longitude": longitude } } })
    };
    let day = |n: u32| {
        let stops = [stop(2 * n, 58.0 + f64::from(n % 5), 5.5), stop(2 * n + 1, 69.0, 20.0 + f64::from(n % 7))];
        json!({ "id": format!("d{n}"), "stops": stops, "legs": [] })
    };
    for (days, most) in [(20, 150_000), (40, 220_000)] {
        let days: Vec<Value> = (0..days).map(day).collect();
        let html = article(&trip(&itinerary(json!({ "days": days }))), None, ACTIONS, None).html;
        assert!(html.contains("class=\"land\"") && html.len() < most, "{} days: {}", days.len(), html.len());
    }
}

/// The part of a page that is about a day.
pub(super) fn day(html: &str, number: usize) -> &str {
    let start = html.find(&format!("aria-labelledby=\"day-{number}\"")).expect("a day");
    html[start..].split("</section>").next().unwrap_or_default()
}

#[test]
fn bookings_are_on_the_day_of_their_local_time() {
    // Departs at 23:50 of the 15th in London, and arrives on the 16th in Lisbon, which is in the same zone.
    let flight = |from: &str, to: &str, departs: &str, arrives: &str| {
        json!({
            "flightNumber": "TP1",
            "departureAirport": { "code": "AAA", "timeZone": from }, "arrivalAirport": { "code": "BBB", "timeZone": to },
            "departureDate": departs, "arrivalDate": arrives,
        })
    };
    let night = flight("Europe/London", "Europe/Lisbon", "2027-05-15T22:50:00Z", "2027-05-16T01:30:00Z");
    // Departs on the 17th in Tokyo and arrives at an earlier local time of the same date.
    let back = flight("Asia/Tokyo", "America/Los_Angeles", "2027-05-17T08:00:00Z", "2027-05-17T18:00:00Z");
    let html = shown(json!({ "days": [{}, {}, {}], "flights": [back, night] }));
    assert_says(
        day(&html, 1),
        &[
            "23:50</span> <span><a href=\"#flight-2\"><bdi>Flight TP1 AAA → BBB</bdi></a>, <bdi>arrives Sun 16 May, 02:30<",
        ],
    );
    assert_says(
        day(&html, 2),
        &["02:30</span> <span><a href=\"#flight-2\"><bdi>Arrival at BBB</bdi></a>, <bdi>Flight TP1 AAA → BBB<"],
    );
    assert_says(day(&html, 3), &["17:00</span>", "<bdi>arrives 11:00<"]);
    assert!(!day(&html, 3).contains("Arrival at"));
}

#[test]
fn a_day_names_a_few_of_many_items() {
    let item = |n: usize| json!({ "name": format!("Item {n}"), "belongsTo": { "kind": "stop", "id": "s" } });
    let packing: Vec<Value> = (1..=9).map(item).collect();
    let expense = json!({ "name": "Ticket", "cost": { "amount": 5 }, "belongsTo": { "kind": "day", "id": "d" } });
    let days = json!([{ "id": "c" }, { "id": "d", "stops": [{ "id": "s", "name": "Museum" }] }]);
    let html = shown(json!({ "days": days, "packing": packing, "expenses": [expense] }));
    assert_says(
        day(&html, 2),
        &[
            "<a href=\"#packing\">To pack</a>: <bdi>Item 1</bdi>, ",
            "<bdi>Item 6</bdi> and 3 more",
            "<bdi>Ticket</bdi> 5 EUR",
        ],
    );
    assert!(day(&html, 1).contains("Nothing planned yet.") && !day(&html, 2).contains("Item 7"), "{html}");
}

#[test]
fn owners_are_told_who_sees_the_trip() {
    for (visibility, told) in [
        ("private", "Private: only you"),
        ("followers", "Your followers can see it."),
        ("unlisted", "Anyone with the link can see it."),
        ("public", "Public: anyone can find it."),
    ] {
        let html = |role| shown(json!({ "visibility": visibility, "role": role }));
        assert_says(&html("owner"), &[told]);
        assert!(!html("viewer").contains(told), "{visibility}");
    }
    assert!(!document(&trip(&lisbon())).contains("only you"), "a document may be passed on");
}

#[test]
fn readers_who_are_signed_in_get_forms() {
    let trip_of = itinerary(json!({}));
    let forms = |is_liked, copy| {
        let marking = Marking::Forms { guard: "code\"<", is_liked, copy };
        article(&trip(&trip_of), None, Actions { likes: 1, marking, ..ACTIONS }, None).html
    };
    let html = forms(false, None);
    assert_says(
        &html,
        &[
            "action=\"/trips/1/like\"",
            "action=\"/trips/1/save\"",
            "value=\"code&#34;&#60;\"",
            "aria-pressed=\"false\">Like ",
            ">1<span class=\"unseen\"> like</span>",
        ],
    );
    let html = forms(true, Some("/trips/2"));
    assert_says(
        &html,
        &["value=\"clear\"", "aria-pressed=\"true\">Liked ", "<a href=\"/trips/2\">Saved: open your copy"],
    );
    assert!(!html.contains("/trips/1/save"));
    assert!(!document(&trip(&trip_of)).contains("<form"));
}
