//! What the body of an import may be: one file of any type, or a form; its limits.

use itinerary_tests::app::App;
use itinerary_tests::forms::{self, Form};
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\nBEGIN:VEVENT\r\nUID:1\r\n\
    DTSTAMP:20270301T100000Z\r\nDTSTART;TZID=Europe/Lisbon:20270515T193000\r\nDTEND;TZID=Europe/Lisbon:20270515T213000\r\n\
    SUMMARY:Fado\r\nLOCATION:Lisbon\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

const MEGABYTE: usize = 1_048_576;

fn import(app: &App<'_>, query: &str) -> Call {
    app.call(Method::POST, &format!("/v1/imports{query}"))
}

fn form(form: Form) -> (String, Vec<u8>) {
    (forms::content_type(), form.end())
}

#[api_test]
async fn a_file_is_recognised_by_its_content(world: World) {
    let app = App::of(&world, "ana").await;
    for content_type in ["text/calendar; charset=utf-8", "application/octet-stream", "image/png", "nonsense"] {
        let response = import(&app, "").body(content_type, CALENDAR).send().await;
        assert_eq!(response.status, 200, "{content_type}: {}", response.text());
        let found = response.json();
        assert_eq!(
            found["items"],
            json!([{
                "field": "reservations[0]", "file": "", "format": "calendar", "state": "added", "changes": [],
            }])
        );
        assert_eq!(found["itinerary"]["reservations"][0]["startDate"], "2027-05-15T19:30:00+01:00");
        assert!(found.get("etag").is_none(), "{found}");
    }
    let untyped = Call(import(&app, "").0.body(CALENDAR)).send().await;
    assert_eq!(untyped.status, 200, "{}", untyped.text());
}

#[api_test]
async fn a_form_has_up_to_twenty_files(world: World) {
    let app = App::of(&world, "ana").await;
    let files =
        |count| (0..count).fold(Form::new(), |form, n| form.file_as(&format!("filename=\"{n}.ics\""), CALENDAR));
    let (content_type, body) = form(files(20));
    let response = import(&app, "").body(&content_type, body).send().await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.json()["items"].as_array().map(Vec::len), Some(1), "the same event each time");
    let (content_type, body) = form(files(21));
    import(&app, "").body(&content_type, body).send().await.expect_invalid("file");
    for (form_with, field) in
        [(Form::new(), "file"), (Form::new().text("asOf", "2027-05-01"), "asOf"), (files(1).text("note", "x"), "note")]
    {
        let (content_type, body) = form(form_with);
        import(&app, "").body(&content_type, body).send().await.expect_invalid(field);
    }
    import(&app, "").body("multipart/form-data", CALENDAR).send().await.expect_invalid("Content-Type");
}

#[api_test]
async fn files_over_the_limits_are_refused_or_ignored(world: World) {
    let app = App::of(&world, "ana").await;
    let padded = |bytes: usize| {
        let mut file = CALENDAR.as_bytes().to_vec();
        file.resize(bytes, b' ');
        file
    };
    let response = import(&app, "").body("text/calendar", padded(5 * MEGABYTE + 1)).send().await;
    response.expect_error(413, "payloadTooLarge");
    let two =
        Form::new().file_as("filename=\"large.ics\"", padded(5 * MEGABYTE + 1)).file_as("filename=\"a.ics\"", CALENDAR);
    let (content_type, body) = form(two);
    let found = import(&app, "").body(&content_type, body).send().await.json();
    assert_eq!(found["ignored"][0]["code"], "tooLarge", "{found}");
    assert_eq!((&found["ignored"][0]["file"], &found["items"][0]["file"]), (&json!("large.ics"), &json!("a.ics")));
    let five = (0..5).fold(Form::new(), |form, _| form.file(padded(4 * MEGABYTE + 200 * 1024)));
    let (content_type, body) = form(five);
    import(&app, "").body(&content_type, body).send().await.expect_error(413, "payloadTooLarge");
    import(&app, "")
        .header("Content-Encoding", "gzip")
        .body("text/calendar", CALENDAR)
        .send()
        .await
        .expect_error(415, "unsupportedMediaType");
}

#[api_test]
async fn parameters_are_checked(world: World) {
    let app = App::of(&world, "ana").await;
    for (query, field) in [
        ("?itineraryId=1", "itineraryId"),
        ("?itineraryId=", "itineraryId"),
        ("?asOf=2027-02-30", "asOf"),
        ("?overwrite=perhaps", "overwrite"),
    ] {
        import(&app, query).body("text/calendar", CALENDAR).send().await.expect_invalid(field);
    }
    let unknown = import(&app, "?itineraryId=01941f29-7c00-7000-8000-000000000001");
    unknown.body("text/calendar", CALENDAR).send().await.expect_error(404, "notFound");
    let reader = App::with_scope(&world, "ana", "itineraries:read").await;
    import(&reader, "").body("text/calendar", CALENDAR).send().await.expect_error(403, "forbidden");
}

#[api_test]
async fn as_of_gives_a_boarding_pass_its_year(world: World) {
    let app = App::of(&world, "ana").await;
    let pass = "M1REIS/ANA            EX7KQ2P AMSLISTP 1689 135Y012A0025 100";
    let year = |found: &Value| found["itinerary"]["flights"][0]["departureDay"].as_str().map(|day| day[..4].to_owned());
    for (as_of, expected) in [("2027-01-10", "2027"), ("2029-05-01", "2029"), ("2027-12-31", "2028")] {
        let response = import(&app, &format!("?asOf={as_of}")).body("text/plain", pass).send().await;
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(year(&response.json()).as_deref(), Some(expected), "{as_of}: {}", response.text());
    }
}
