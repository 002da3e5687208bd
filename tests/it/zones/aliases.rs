//! Names of zones: those of the IANA database, including aliases, are kept as sent; others are rejected.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Timetable, body};

/// A body in which everything that has a zone has this one.
fn zoned(zone: &str) -> Value {
    let place = json!({
        "name": "P", "timeZone": zone, "coordinate": { "latitude": 38.7, "longitude": -9.1 },
    });
    let mut sent = with(
        minimal(),
        json!({
            "origin": place, "days": [{ "stops": [{ "name": "S", "place": place }] }],
            "flights": [{ "departureAirport": place, "arrivalAirport": place }],
            "hotels": [{ "name": "H", "place": place }],
        }),
    );
    sent["destination"]["timeZone"] = json!(zone);
    sent
}

const PLACES: [&str; 6] = [
    "/destination",
    "/origin",
    "/days/0/stops/0/place",
    "/flights/0/departureAirport",
    "/flights/0/arrivalAirport",
    "/hotels/0/place",
];

fn zones(itinerary: &Value) -> [&Value; 6] {
    PLACES.map(|place| &itinerary.pointer(place).expect(place)["timeZone"])
}

/// Each case begins with its name.
const COMMON: &[(&str, &str)] = &[
    ("calcutta that is kolkata", "Asia/Calcutta"),
    ("kolkata that is calcutta", "Asia/Kolkata"),
    ("kiev that is kyiv", "Europe/Kiev"),
    ("us eastern that is new york", "US/Eastern"),
    ("saigon that is ho chi minh", "Asia/Saigon"),
    ("yap that is chuuk", "Pacific/Yap"),
    ("coyhaique since 2025", "America/Coyhaique"),
    ("est5edt that is no posix rule", "EST5EDT"),
    ("etc gmt 14 ahead with its minus", "Etc/GMT-14"),
];

#[api_test(limits = false)]
async fn a_zone_is_kept_as_it_was_sent(world: World) {
    for &(case, zone) in COMMON {
        println!("{case}");
        let app = App::of(&world, "ana").await;
        let stored = Stored::of(&app.create_call("?allowDuplicate=true", &zoned(zone)).send().await);
        assert_eq!(zones(&stored.json), [zone; 6]);
        assert_eq!(zones(&app.viewed(&stored.id).await.json), [zone; 6]);
        // What was read can be sent back, also by the SDK.
        let typed = serde_json::to_value(body(zoned(zone))).expect("JSON");
        assert_eq!(zones(&typed), [zone; 6]);
        let stored = app.patched(&stored, &json!({ "destination": stored.json["destination"] })).await;
        assert_eq!(zones(&stored.json), [zone; 6]);
    }
}

/// Further accepted names; the test above has those that travellers use most.
const KEPT: [&str; 14] = [
    "Asia/Katmandu",
    "Asia/Rangoon",
    "Europe/Kyiv",
    "Pacific/Enderbury",
    "Pacific/Kanton",
    "America/Godthab",
    "America/Nuuk",
    "America/Buenos_Aires",
    "America/Ciudad_Juarez",
    "EST",
    "UTC",
    "Zulu",
    "GB-Eire",
    "Etc/GMT+12",
];

#[api_test(limits = false)]
async fn aliases_and_new_names_are_kept(world: World) {
    let app = App::of(&world, "ana").await;
    let mut stored = app.created(&minimal()).await;
    for zone in KEPT {
        stored = app.patched(&stored, &json!({ "destination": { "timeZone": zone } })).await;
        assert_eq!(stored.json["destination"]["timeZone"], zone);
    }
}

/// Invalid names.
const NO_ZONES: [(&str, &str); 19] = [
    ("atlantis", "Europe/Atlantis"),
    ("the unknown zone", "Etc/Unknown"),
    ("the unknown zone in small letters", "etc/unknown"),
    ("small letters", "europe/lisbon"),
    ("a blank for the underscore", "America/New York"),
    ("a city alone", "Lisbon"),
    ("a region alone", "Europe"),
    ("a region and a slash", "Europe/"),
    ("an offset", "+05:30"),
    ("utc and an offset", "UTC+3"),
    ("a posix rule", "EST5EDT4"),
    ("a whole posix rule", "EST5EDT,M3.2.0,M11.1.0"),
    ("an abbreviation", "PDT"),
    ("a windows zone", "GMT Standard Time"),
    ("a file of the database", "posix/Europe/Lisbon"),
    ("a path out of the database", "../../etc/localtime"),
    ("the zone of the machine", "localtime"),
    ("blanks around", " Europe/Lisbon "),
    ("nothing", ""),
];

#[api_test(limits = false)]
async fn no_name_of_a_zone_is_refused(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    for (name, zone) in NO_ZONES {
        for place in PLACES {
            let mut sent = zoned("Europe/Lisbon");
            sent.pointer_mut(place).expect(place)["timeZone"] = json!(zone);
            let response = app.create(&sent).await;
            assert_eq!(response.status, 422, "{name}: {zone}");
            response.expect_invalid(&format!("{}.timeZone", place[1..].replace("/0", "[0]").replace('/', ".")));
        }
        let change = json!({ "destination": { "timeZone": zone } });
        app.patch(&stored, &change).await.expect_invalid("destination.timeZone");
    }
}

// Both names are the same zone.
#[api_test]
async fn times_in_a_zone_and_its_alias_are_the_same(world: World) {
    let stops = &["a 10:00 60 Asia/Kolkata", "b - 30 Asia/Calcutta", "c - 30 -"];
    let day = Timetable::new("Asia/Calcutta", "2027-05-01", stops);
    assert_eq!(day.optimised(&world, None, json!({})).await, ["a 10:00", "b 11:00?", "c 11:30?"]);
}
