//! Errors name the command's own arguments, not the API's fields.

use serde_json::{Value, json};

use super::{Person, create, stderr, world};

#[tokio::test(flavor = "multi_thread")]
async fn errors_name_arguments() {
    let world = world().await;
    let ana = Person::pro(&world, "ana").await;
    let id = create(&ana).await;
    std::fs::write(ana.file("names.txt"), "x".repeat(201)).expect("a file");
    let long = "x".repeat(201);
    let lisbon = |more: &[&'static str]| [&["create", "--destination", "Lisbon", "--at", "38.72,-9.14"], more].concat();
    let cases = [
        (lisbon(&["--start", "1800-01-01"]), "`--start`"),
        (lisbon(&["--travellers", "0"]), "`--travellers`"),
        (lisbon(&["--title", ""]), "`--title`"),
        (lisbon(&["--days", "367"]), "`--days`"),
        (lisbon(&["--names", "names.txt"]), "`--names`"),
        (vec!["create", "--destination", &long, "--at", "38.72,-9.14"], "`--destination`"),
        (vec!["stop", "add", &id, "1", "Café", "--time", "25:00"], "`--time`"),
        (vec!["stop", "add", &id, "1", "Café", "--minutes", "20000"], "`--minutes`"),
        (vec!["stop", "add", &id, "1", "Café", "--category", "pub"], "`--category`"),
        (vec!["stop", "add", &id, "1", ""], "`NAME`"),
        (vec!["stop", "add", &id, "1", "Café", "--position", "9"], "`--position`"),
        (vec!["stop", "move", &id, "1", "1", "--position", "9"], "`--position`"),
        (vec!["flight", "add", &id, ""], "`FLIGHT`"),
        (vec!["flight", "add", &id, "TP1", "--from", "Lisbon"], "`--from`"),
        (vec!["flight", "add", &id, "TP1", "--from", "Lisbon", "--departs", "2027-05-15T07:00"], "`--from`"),
        (vec!["flight", "add", &id, "TP1", "--to", "L1S"], "`--to`"),
        (vec!["flight", "add", &id, "TP1", "--cabin", "royal"], "`--cabin`"),
        (vec!["flight", "add", &id, "TP1", "--seat", ""], "`--seat`"),
        (vec!["flight", "add", &id, "TP1", "--departs", "1800-05-15T07:00Z"], "`--departs`"),
        (vec!["hotel", "add", &id, ""], "`NAME`"),
        (vec!["hotel", "add", &id, "Pensão", "--room", ""], "`--room`"),
        (vec!["hotel", "add", &id, "Pensão", "--phone", ""], "`--phone`"),
        (vec!["expense", "add", &id, "Tram", "3", "--date", "1800-01-01"], "`--date`"),
        (vec!["explore", "--region", "Atlantis"], "`--region`"),
        (vec!["list", "--updated-since", "0001-01-01T00:00:00Z"], "`--updated-since`"),
    ];
    let fields = [
        "startDate",
        "startTime",
        "durationMinutes",
        "destination.",
        "departure",
        "arrival",
        "flightNumber",
        "roomNumber",
        "phoneNumber",
        "updatedSince",
        "days[",
    ];
    for (arguments, flag) in cases {
        let output = ana.run(&arguments, "").await;
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(7), "{arguments:?}: {said}");
        assert!(said.contains(flag), "{arguments:?}: {said}");
        assert!(!fields.iter().any(|field| said.contains(field)), "{arguments:?}: {said}");
    }
}

// For JSON that the person has written, the fields are theirs.
#[tokio::test(flavor = "multi_thread")]
async fn fields_of_a_file_keep_their_names() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let body =
        json!({ "destination": { "name": "X", "coordinate": { "latitude": 1, "longitude": 1 } }, "startDate": "x" });
    let output = ana.run(&["create", "-"], &body.to_string()).await;
    assert!(stderr(&output).contains("`startDate`"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn json_errors_have_the_field_and_the_argument() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let output = ana.run(&["stop", "add", &id, "1", "Café", "--time", "25:00", "--json"], "").await;
    let error: Value = serde_json::from_str(&stderr(&output)).expect("JSON");
    let facts = json!([error["error"]["field"], error["error"]["argument"], error["error"]["exitCode"]]);
    assert_eq!(facts, json!(["startTime", "--time", 7]));
}
