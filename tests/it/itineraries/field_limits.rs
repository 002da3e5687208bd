//! Every limit that the published document states for a create, tried on both sides. The cases are generated from the
//! document, so new limits are tried too.
//!
//! `rules` tries limits that the document cannot state, such as rules between fields.

use itinerary_api::values::OffsetTime;
use itinerary_tests::{RawResponse, World, api_test};
use serde_json::{Value, json};

use super::fixtures::{LONGEST_ZONE, assert_holds, full, lisbon};
use super::schema::{Node, create_nodes, field};
use super::{App, path};

/// A value to try at one place of the body.
struct Case {
    body: Value,
    what: String,
}

/// The pattern of text that may have any characters but control characters.
const FREE_TEXT: &str = r"^[^\x00-\x08\x0B-\x1F\x7F]*$";

impl Node {
    /// The pattern, except that of free text.
    fn pattern(&self) -> Option<&str> {
        self.schema["pattern"].as_str().filter(|pattern| *pattern != FREE_TEXT)
    }

    /// The full body with this value here.
    fn with(&self, value: impl Into<Value>) -> Case {
        let (mut body, value) = (full(), value.into());
        let what = format!("{} = {}", self.pointer, value.to_string().chars().take(80).collect::<String>());
        *body.pointer_mut(&self.pointer).unwrap_or_else(|| panic!("no {} in the full body", self.pointer)) = value;
        Case { body, what }
    }

    /// The full body in which this id replaces the one here, wherever it is referred to.
    fn renamed(&self, id: &str) -> Case {
        let body = full();
        let old = body.pointer(&self.pointer).expect("an id").to_string();
        let body = body.to_string().replace(&old, &Value::from(id).to_string());
        Case { body: serde_json::from_str(&body).expect("JSON"), what: format!("{} = {id}", self.pointer) }
    }

    fn is_id(&self) -> bool {
        self.schema["pattern"] == "^[A-Za-z0-9_-]{1,64}$"
    }
}

async fn try_all(app: &App<'_>, cases: impl IntoIterator<Item = Case>, judge: impl Fn(&RawResponse, &Case)) -> usize {
    let mut tried = 0;
    for case in cases {
        let response = app.create_call("?allowDuplicate=true", &case.body).send().await;
        judge(&response, &case);
        tried += 1;
    }
    tried
}

/// Sends values within the limit and checks that they are returned.
async fn accept(app: &App<'_>, node: &Node, cases: Vec<Case>) -> usize {
    try_all(app, cases, |response, case| {
        assert_eq!(response.status, 201, "{}: {}", case.what, response.text());
        let (came, sent) = (response.json(), case.body.pointer(&node.pointer).cloned().expect("sent"));
        let came = came.pointer(&node.pointer).unwrap_or_else(|| panic!("{} did not come back", case.what));
        assert_holds(came, &sent);
    })
    .await
}

/// Sends values beyond the limit and checks that the error names the field.
async fn refuse(app: &App<'_>, named: &str, cases: Vec<Case>) -> usize {
    try_all(app, cases, |response, case| {
        assert_eq!(response.status, 422, "{}: {}", case.what, response.text());
        assert_eq!(
            response.expect_error(422, "validationFailed")["field"],
            named,
            "{}: {}",
            case.what,
            response.text()
        );
    })
    .await
}

fn length(node: &Node, limit: &str) -> Option<usize> {
    node.schema[limit].as_u64().and_then(|length| usize::try_from(length).ok())
}

/// A text of this many characters that is valid here, with two bytes per character where allowed.
fn text_of(node: &Node, length: usize) -> String {
    if node.schema["format"] == "uri" {
        let start = "https://images.example/";
        return format!("{start}{}", "a".repeat(length - start.len()));
    }
    "\u{e9}".repeat(length)
}

/// Valid and invalid texts for a pattern of the document.
fn samples(pattern: &str) -> (Vec<String>, Vec<String>) {
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let long = |length| "Az09_-".chars().cycle().take(length).collect::<String>();
    match pattern {
        "^[A-Z]{3}$" => (texts(&["JPY", "XCG"]), texts(&["", "EU", "EURO", "eur", "E1R", "QQQ", "DEM", "EUR "])),
        "^[A-Z]{2}$" => (texts(&["JP", "XK"]), texts(&["", "P", "PRT", "pt", "ZZ", "P1"])),
        "^[A-Za-z]{3}$" => (texts(&["OPO", "opo"]), texts(&["", "OP", "OPOR", "O1O", "\u{e9}OP"])),
        "^([01][0-9]|2[0-3]):[0-5][0-9]$" => {
            (texts(&["00:00", "23:59"]), texts(&["", "24:00", "9:30", "09:60", "09:30:00", "09.30", "+9:30"]))
        }
        "^[A-Za-z0-9_-]{1,64}$" => {
            (vec!["z".to_owned(), long(64)], vec![String::new(), long(65), "a b".to_owned(), "\u{e9}".to_owned()])
        }
        // Good ones must go with the other times: they are tried in `rules`.
        OffsetTime::PATTERN => (
            Vec::new(),
            texts(&[
                "2027-09-01T15:00:00",
                "2027-09-01",
                "2027-09-01 15:00:00Z",
                "2027-13-01T15:00:00Z",
                "1899-12-31T23:59:59Z",
                "2201-01-01T00:00:00Z",
                "2027-09-01T24:00:00Z",
                "2027-09-01T15:00:00+24:00",
                "soon",
                "",
            ]),
        ),
        other => panic!("the document has a new pattern, which needs samples: {other}"),
    }
}

fn good(node: &Node) -> Vec<Case> {
    if let Some(pattern) = node.pattern() {
        let texts = samples(pattern).0.into_iter();
        return texts.map(|text| if node.is_id() { node.renamed(&text) } else { node.with(text) }).collect();
    }
    if let Some(values) = node.schema["enum"].as_array() {
        return match node.name() {
            // `create` and `rules` test these: a new itinerary is private, and the kind of a link must fit.
            "visibility" | "kind" => Vec::new(),
            _ => values.iter().map(|value| node.with(value.clone())).collect(),
        };
    }
    match (node.kind(), node.name()) {
        ("string", "timeZone") => vec![node.with(LONGEST_ZONE)],
        ("string", _) if node.schema["format"] == "date" => vec![node.with("1900-01-01"), node.with("2200-12-31")],
        ("string", _) => {
            let lengths = [length(node, "minLength"), length(node, "maxLength")].into_iter().flatten();
            lengths.map(|length| node.with(text_of(node, length))).collect()
        }
        ("number" | "integer", _) => {
            let limits = [&node.schema["minimum"], &node.schema["maximum"]].into_iter();
            limits.filter(|limit| limit.is_number()).map(|limit| node.with(limit.clone())).collect()
        }
        _ => Vec::new(),
    }
}

fn bad(node: &Node) -> Vec<Case> {
    let mut cases = Vec::new();
    if let Some(pattern) = node.pattern() {
        cases.extend(samples(pattern).1.into_iter().map(|text| node.with(text)));
    }
    if let Some(values) = node.schema["enum"].as_array() {
        let known = values[0].as_str().expect("text");
        cases.extend(["", "unheardOf", &known.to_uppercase(), &format!("{known} ")].map(|text| node.with(text)));
    }
    if let Some(shortest) = length(node, "minLength").and_then(|length| length.checked_sub(1)) {
        cases.push(node.with(text_of(node, shortest)));
    }
    if let Some(longest) = length(node, "maxLength") {
        cases.push(node.with(text_of(node, longest + 1)));
    }
    match node.schema["format"].as_str() {
        Some("date") => cases.extend(
            ["1899-12-31", "2201-01-01", "2027-02-29", "2027-5-1", "2027-05-01T00:00:00Z", ""].map(|t| node.with(t)),
        ),
        Some("uri") => cases.extend(
            ["", "images.example/a", "ftp://images.example/a", "https://", "https://a.example/b c", "javascript:0"]
                .map(|text| node.with(text)),
        ),
        _ => {}
    }
    for (limit, past) in [("minimum", -0.001), ("maximum", 0.001)] {
        if let Some(limit) = node.schema[limit].as_f64() {
            let past = if node.kind() == "integer" { past * 1000.0 } else { past };
            cases.push(node.with(limit + past));
        }
    }
    if node.kind() == "integer" {
        cases.push(node.with(2.5));
    }
    cases
}

#[api_test]
async fn the_full_body_has_every_field_of_the_document_and_comes_back(world: World) {
    let (app, full) = (App::pro(&world, "ana").await, full());
    let nodes = create_nodes();
    assert!(nodes.len() > 100, "the tree was found");
    for node in &nodes {
        assert!(full.pointer(&node.pointer).is_some(), "the full body lacks {}", node.pointer);
    }
    let stored = app.created(&full).await;
    assert_holds(&stored.json, &full);
    assert_holds(&app.viewed(&stored.id).await.json, &full);
}

#[api_test(limits = false)]
async fn every_limit_in_the_document_holds_on_both_sides(world: World) {
    let app = App::pro(&world, "ana").await;
    let (mut accepted, mut refused) = (0, 0);
    for node in create_nodes() {
        accepted += accept(&app, &node, good(&node)).await;
        refused += refuse(&app, &node.field(), bad(&node)).await;
    }
    assert!(accepted > 200 && refused > 300, "{accepted} accepted, {refused} refused");
}

/// An array of this length, and the body for it.
fn many(node: &Node, length: usize) -> Case {
    let entry = match node.name() {
        "tags" => json!("t"),
        "days" => json!({}),
        "stops" | "hotels" | "reservations" | "packing" => json!({ "name": "n" }),
        "legs" => json!({ "from": "stop-1", "to": "stop-2", "mode": "walk" }),
        "flights" => json!({ "gateNumber": "1" }),
        "transports" => json!({ "number": "1" }),
        "tickets" => json!({ "holder": "n" }),
        "expenses" => json!({ "name": "n", "cost": { "amount": 1 } }),
        other => panic!("the document has a new array, which needs an entry: {other}"),
    };
    let mut items = full().pointer(&node.pointer).and_then(Value::as_array).cloned().expect("an array");
    items.resize(length, entry);
    let what = format!("{} entries at {}", items.len(), node.pointer);
    Case { what, ..node.with(items) }
}

#[api_test(limits = false)]
async fn arrays_are_as_long_as_the_document_says(world: World) {
    let app = App::pro(&world, "ana").await;
    let arrays: Vec<_> = create_nodes().into_iter().filter(|node| node.kind() == "array").collect();
    assert_eq!(arrays.len(), 14);
    for node in arrays {
        let most = length(&node, "maxItems").expect("every array has a limit");
        try_all(&app, [many(&node, most)], |response, case| {
            // Five thousand of most entries exceed the size limit, which is another error.
            if most < 5_000 || response.status == 201 {
                assert_eq!(response.status, 201, "{}: {}", case.what, response.text());
                let length = response.json().pointer(&node.pointer).and_then(Value::as_array).map(Vec::len);
                assert_eq!(length, Some(most), "{}", case.what);
            } else {
                response.expect_error(413, "itineraryTooLarge");
            }
        })
        .await;
        refuse(&app, &node.field(), vec![many(&node, most + 1)]).await;
    }
}

#[api_test(limits = false)]
async fn required_fields_must_be_present_and_not_null(world: World) {
    let app = App::pro(&world, "ana").await;
    for node in create_nodes().into_iter().filter(|node| !node.pointer.ends_with("/0")) {
        if node.required {
            let (mut body, (parent, name)) = (full(), node.pointer.rsplit_once('/').expect("a pointer"));
            let holder = body.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
            holder.remove(name).expect("it was there");
            refuse(&app, &node.field(), vec![Case { body, what: format!("no {}", node.pointer) }]).await;
        }
        if node.required {
            refuse(&app, &node.field(), vec![node.with(Value::Null)]).await;
        } else if node.nullable {
            let case = node.with(Value::Null);
            try_all(&app, [case], |response, case| {
                assert_eq!(response.status, 201, "{}: {}", case.what, response.text());
            })
            .await;
        }
    }
}

#[api_test(limits = false)]
async fn objects_are_objects_and_know_their_fields(world: World) {
    let app = App::pro(&world, "ana").await;
    for node in create_nodes() {
        let wrong: Vec<Value> = match node.kind() {
            "object" => vec![json!([]), json!(["a", 1]), json!("a"), json!(1), json!(true)],
            "array" => vec![json!({}), json!("a"), json!(0)],
            "string" => vec![json!(1), json!(["a"]), json!({}), json!(true)],
            "number" | "integer" => vec![json!("1"), json!([1]), json!({}), json!(true)],
            "boolean" => vec![json!("true"), json!(1), json!([])],
            other => panic!("{}: a type of its own: {other}", node.pointer),
        };
        refuse(&app, &node.field(), wrong.into_iter().map(|value| node.with(value)).collect()).await;
        if node.kind() == "object" {
            let mut case = Case { body: full(), what: format!("an unknown field at {}", node.pointer) };
            case.body.pointer_mut(&node.pointer).expect("an object")["surprise"] = json!(1);
            refuse(&app, &field(&format!("{}/surprise", node.pointer)), vec![case]).await;
        }
    }
    let mut body = full();
    body["surprise"] = Value::Null;
    app.create(&body).await.expect_invalid("surprise");
}

#[api_test(limits = false)]
async fn control_characters_are_refused_wherever_there_is_text(world: World) {
    let app = App::pro(&world, "ana").await;
    for node in create_nodes() {
        if node.schema["pattern"] != FREE_TEXT {
            continue;
        }
        let with = |character: char| node.with(format!("a{character}b"));
        accept(&app, &node, vec![with('\n'), with('\t'), with('\u{a0}'), with('\u{200d}')]).await;
        let bad = ['\0', '\r', '\u{8}', '\u{b}', '\u{1b}', '\u{7f}', '\u{85}', '\u{9f}'];
        refuse(&app, &node.field(), bad.map(with).into()).await;
    }
}

#[api_test]
async fn numbers_come_back_as_the_same_numbers(world: World) {
    let app = App::pro(&world, "ana").await;
    let mut stored = app.created(&lisbon()).await;
    for amount in ["0", "12", "12.5", "0.001", "0.1", "19.99", "0.003", "999999999999.999", "123456789012.345"] {
        let body = format!(r#"{{"expenses": [{{"id": "e", "name": "n", "cost": {{"amount": {amount}}}}}]}}"#);
        stored = app.patched(&stored, &serde_json::from_str(&body).expect("JSON")).await;
        let text = app.view(&stored.id).await.text();
        assert!(text.contains(&format!(r#""cost":{{"amount":{amount},"currency":"EUR"}}"#)), "{amount}: {text}");
    }
    for amount in ["12.3456", "0.0001", "-0.001", "1e13", "1e400"] {
        let body = format!(r#"{{"expenses": [{{"name": "n", "cost": {{"amount": {amount}}}}}]}}"#);
        let call = app.call(reqwest::Method::PATCH, &path(&stored.id)).header("If-Match", &stored.etag);
        let response = call.body("application/json", body).send().await;
        response.expect_error(422, "validationFailed");
    }
    // Doubles have up to seventeen digits, and computed ones do.
    for latitude in ["26.692267191179354", "0.30000000000000004", "-62.97804110201159", "89.99999999999999"] {
        let body = format!(r#"{{"destination": {{"coordinate": {{"latitude": {latitude}}}}}}}"#);
        stored = app.patched(&stored, &serde_json::from_str(&body).expect("JSON")).await;
        let text = app.view(&stored.id).await.text();
        assert!(text.contains(&format!(r#""coordinate":{{"latitude":{latitude},"#)), "{latitude}: {text}");
    }
}
