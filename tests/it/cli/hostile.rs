//! What a strange server sends reaches no terminal as it is, and ends no command badly.

use std::fs;

use serde_json::{Value, json};

use super::stub::Stub;
use super::terminal::at_terminal;
use super::{Person, stderr};

const ID: &str = "01890000-0000-7000-8000-000000000001";
/// Clears the screen, rings the bell, sets the window's title, and reverses text.
const HOSTILE: &str = "a\u{1b}[2Jb\u{7}c\u{1b}]0;x\u{7}d\u{9b}31me\u{202e}f";

fn person(stub: &Stub) -> Person {
    Person { token: Some("token".to_owned()), ..Person::signed_out(&stub.url) }
}

fn listed() -> Value {
    json!({
        "id": ID, "title": HOSTILE, "summary": HOSTILE, "role": HOSTILE, "visibility": HOSTILE, "tags": [],
        "destination": { "name": HOSTILE, "coordinate": { "latitude": 1, "longitude": 1 } }, "etag": "\"v1.m\"",
        "author": { "accountId": ID, "username": HOSTILE, "displayName": HOSTILE, "isPro": false },
        "startDate": "2027-05-15", "daysCount": 1, "stopsCount": 1, "likesCount": 0, "updatedAt": "2027-01-01T00:00:00Z",
    })
}

fn trip() -> Value {
    let mut trip = listed();
    trip["createdAt"] = json!("2027-01-01T00:00:00Z");
    trip["viewsCount"] = json!(0);
    trip["travellers"] = json!(1);
    trip["currency"] = json!(HOSTILE);
    let stop = |id: &str| json!({ "id": id, "name": HOSTILE, "category": HOSTILE, "startTime": HOSTILE, "startTimeSuggested": false });
    let leg = json!({ "from": "a", "to": "b", "mode": HOSTILE, "minutes": 1e300, "metres": 1e300 });
    trip["days"] = json!([{ "id": "d", "stops": [stop("a"), stop("b")], "legs": [leg] }]);
    trip["flights"] = json!([{ "id": "f", "flightNumber": HOSTILE, "departureAirport": { "name": HOSTILE } }]);
    trip["hotels"] = json!([{ "id": "h", "name": HOSTILE }]);
    trip
}

/// Whether a text has none of the characters, apart from the program's own colours.
fn is_clean(text: &str) -> bool {
    let styles = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("an expression");
    let text = styles.replace_all(text, "").into_owned();
    !text.chars().any(|it| (it.is_control() && !"\r\n".contains(it)) || it == '\u{202e}')
}

#[tokio::test(flavor = "multi_thread")]
async fn escape_sequences_do_not_reach_the_terminal() {
    let stub = Stub::start(|path| {
        let error = json!({ "error": { "code": "conflict", "message": HOSTILE, "requestId": HOSTILE,
            "details": { "field": HOSTILE } } });
        Some(match path.split('?').next().expect("a path") {
            "/v1/itineraries" | "/v1/explore" => (200, json!({ "data": [listed()], "nextCursor": null }).to_string()),
            path if path.ends_with("/like") => (409, error.to_string()),
            path if path.ends_with("/export") => (200, HOSTILE.to_owned()),
            path if path.ends_with("/members") => (
                200,
                json!({ "data": [{ "accountId": ID, "displayName": HOSTILE,
                "username": HOSTILE, "role": HOSTILE, "status": HOSTILE, "since": "2027-01-01T00:00:00Z" }] })
                .to_string(),
            ),
            _ => (200, trip().to_string()),
        })
        .map(|(status, body)| (status, body.into_bytes()))
    })
    .await;
    let person = person(&stub);
    for arguments in [
        &["list"][..],
        &["explore"],
        &["show", ID],
        &["show", "a", "--day", "1"],
        &["show", "nothing"],
        &["like", ID],
        &["share", ID],
        &["export", ID, "--format", "md"],
        &["show", ID, "--json"],
        &["list", "--json"],
        &["like", ID, "--json"],
    ] {
        let (_, seen) = at_terminal(person.command(arguments), 80, &[]).await;
        assert!(is_clean(&seen) && !seen.is_empty(), "{arguments:?}: {seen:?}");
    }
    // JSON says the same in other characters; a file has the bytes as they are.
    assert_eq!(person.json(&["show", ID]).await["title"], HOSTILE);
    person.say(&["export", ID, "-o", "trip.md"]).await;
    assert_eq!(fs::read_to_string(person.file("trip.md")).expect("a file"), HOSTILE);
    assert_eq!(person.say(&["export", ID, "--format", "md"]).await, HOSTILE);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strange_server_ends_in_an_error() {
    for (status, body, code) in [
        (200, "<html>", 1),
        (200, "{}", 1),
        (200, "{\"data\": [{}], \"nextCursor\": null}", 1),
        (200, "\u{0}", 1),
        (302, "", 1),
        (404, "<html>", 4),
        (500, "oh no", 1),
        (503, "", 8),
    ] {
        let stub = Stub::start(move |_| Some((status, body.as_bytes().to_vec()))).await;
        let output = person(&stub).run(&["list"], "").await;
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{status} {body}: {said}");
        assert!(said.lines().count() == 1 && said.len() < 300, "{status} {body}: {said}");
    }
}

// Pages that never end are not followed for ever.
#[tokio::test(flavor = "multi_thread")]
async fn an_endless_list_ends() {
    let stub = Stub::start(|_| Some((200, b"{\"data\": [], \"nextCursor\": \"again\"}".to_vec()))).await;
    let output = person(&stub).run(&["list"], "").await;
    assert!(output.status.success(), "{}", stderr(&output));
}

// An export replaces a file as a whole or not at all.
#[tokio::test(flavor = "multi_thread")]
async fn an_export_that_is_interrupted_leaves_no_file() {
    let (asked, mut is_asked) = tokio::sync::watch::channel(false);
    let stub = Stub::start(move |path| {
        let is_export = path.contains("/export");
        if !is_export {
            return Some((404, Vec::new()));
        }
        asked.send_replace(true);
        None
    })
    .await;
    let person = person(&stub);
    fs::write(person.file("trip.gpx"), "before").expect("a file");
    let child = person.command(&["export", ID, "-o", "trip.gpx"]).spawn().expect("the program starts");
    let id = child.id().expect("it runs").to_string();
    // The export has begun. It ends by itself only after a minute.
    is_asked.wait_for(|asked| *asked).await.expect("the stub runs");
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    let output = child.wait_with_output().await.expect("it ran");
    assert_eq!((output.status.code(), &*stderr(&output)), (Some(130), "itinerary: interrupted\n"));
    assert_eq!(fs::read_to_string(person.file("trip.gpx")).expect("a file"), "before");
    let names: Vec<_> =
        fs::read_dir(person.home.path()).expect("a folder").map(|it| it.expect("a file").file_name()).collect();
    assert!(names.iter().all(|name| *name == "trip.gpx" || *name == ".config"), "{names:?}");
}

// An id must not lead a write to another path.
#[tokio::test(flavor = "multi_thread")]
async fn an_id_is_no_path() {
    let stub = Stub::start(|_| {
        let mut trip = trip();
        trip["days"][0]["id"] = json!("../../members");
        Some((200, trip.to_string().into_bytes()))
    })
    .await;
    let said = person(&stub).fail(&["stop", "add", ID, "1", "Café"], 1).await;
    assert!(said.contains("invalid id"), "{said}");
}

// The commands that change a trip print what the server sends, too.
#[tokio::test(flavor = "multi_thread")]
async fn parts_of_a_strange_trip_are_clean() {
    let stub = Stub::start(|path| {
        let mut trip = trip();
        trip["expenses"] = json!([{ "id": "e", "name": HOSTILE, "category": HOSTILE,
            "cost": { "amount": 1e300, "currency": HOSTILE } }, { "id": "f", "name": "x", "cost": { "amount": 1 } }]);
        trip["packing"] =
            json!([{ "id": "p", "name": HOSTILE, "category": HOSTILE, "quantity": 2, "isPacked": false }]);
        trip["needsAttention"] = json!([{ "field": HOSTILE, "code": HOSTILE, "message": HOSTILE }]);
        let document = json!({ "id": "d", "name": HOSTILE, "category": HOSTILE, "mimeType": HOSTILE,
            "file": { "name": HOSTILE, "path": HOSTILE, "size": 1 } });
        let body = match path.split('?').next().expect("a path") {
            path if path.ends_with("/documents") => json!({ "data": [document] }),
            path if path.ends_with("/optimise") => json!({ "itinerary": trip, "minutesBefore": 9, "minutesAfter": 1 }),
            "/v1/itineraries" => json!({ "data": [], "nextCursor": null }),
            "/mcp" => json!({ "result": { "isError": true, "content": [{ "text": HOSTILE }],
                "_meta": { "code": HOSTILE, "details": { "field": HOSTILE } } } }),
            _ => trip,
        };
        Some((200, body.to_string().into_bytes()))
    })
    .await;
    let person = person(&stub);
    for arguments in [
        &["show", ID][..],
        &["expense", "add", ID, "x", "1"],
        &["expense", "remove", ID, "1"],
        &["flight", "add", ID, "x"],
        &["flight", "remove", ID, "1"],
        &["hotel", "remove", ID, "1"],
        &["pack", ID],
        &["pack", ID, "x"],
        &["pack", ID, "--done", "1"],
        &["optimise", ID],
        &["refresh", ID],
        &["documents", ID],
        &["documents", "get", ID, "1"],
        &["create", "--destination", "x"],
        &["open", ID],
    ] {
        let (_, seen) = at_terminal(person.command(arguments), 80, &[]).await;
        assert!(is_clean(&seen) && !seen.is_empty(), "{arguments:?}: {seen:?}");
        assert!(!seen.contains("panicked"), "{arguments:?}: {seen:?}");
    }
    assert!(!person.file(HOSTILE).exists());
}

// A change is made on the version that was read.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_meanwhile_is_a_conflict() {
    let stub = Stub::start(|path| {
        let error = json!({ "error": { "code": "itineraryModified", "message": "m", "requestId": "r" } }).to_string();
        let is_trip = path == format!("/v1/itineraries/{ID}") || path.ends_with("/documents");
        let body = if path.ends_with("/documents") { json!({ "data": [] }) } else { trip() };
        Some(if is_trip { (200, body.to_string().into_bytes()) } else { (409, error.into_bytes()) })
    })
    .await;
    for arguments in [
        &["stop", "add", ID, "1", "x"][..],
        &["flight", "add", ID, "x"],
        &["flight", "remove", ID, "1"],
        &["hotel", "add", ID, "x"],
        &["hotel", "remove", ID, "1"],
        &["expense", "add", ID, "x", "1"],
        &["optimise", ID, "1"],
        &["refresh", ID],
    ] {
        let said = person(&stub).fail(arguments, 5).await;
        assert!(
            said.contains("somebody has changed the trip meanwhile: run the command again"),
            "{arguments:?}: {said}"
        );
    }
}
