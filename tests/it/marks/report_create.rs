//! Reporting an itinerary: the content of a report, one open report for each person, and retries.

use futures::future::join_all;
use itinerary_app::audit::Actor;
use itinerary_app::reports::resolve;
use itinerary_sdk::{ErrorExt, code, types};
use itinerary_store::ReportRow;
use itinerary_tests::app::{App, expect_replay, key};
use itinerary_tests::bodies::{minimal, on_day};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{deleted, report_call, reported, rows};
use crate::explore::{account, published};

/// The open reports, oldest first.
async fn open(world: &World) -> Vec<ReportRow> {
    world.service().store.reports_open(100).await.expect("a database")
}

// 201 with only the report's id; operators see what was written.
#[api_test(limits = false)]
async fn each_reason_makes_a_report(world: World) {
    let ana = App::of(&world, "ana").await;
    let id = published(&ana, &minimal()).await.id;
    let long = "\u{e9}".repeat(1_000);
    let notes =
        [None, Some(Value::Null), Some(json!("")), Some(json!("a\nb\tc")), Some(json!(long)), Some(json!("'; --"))];
    for (n, reason) in ["spam", "offensive", "copyright", "dangerous", "privacy", "other"].into_iter().enumerate() {
        let app = App::of(&world, &format!("reader-{n}")).await;
        let mut body = json!({ "reason": reason });
        if let Some(note) = &notes[n] {
            body["note"] = note.clone();
        }
        let response = report_call(&app, &id).json(&body).send().await;
        assert_eq!(response.status, 201, "{}", response.text());
        let open = open(&world).await;
        let row = open.iter().find(|row| row.reporter == format!("reader-{n}")).expect("it is open");
        assert_eq!(response.json(), json!({ "id": row.id }), "the id and nothing else");
        assert_eq!((response.header("location"), response.header("etag")), ("", ""));
        assert_eq!((row.reason.as_str(), row.itinerary_id.to_string()), (reason, id.clone()));
        let note = notes[n].as_ref().and_then(Value::as_str);
        assert_eq!(row.note.as_deref().unwrap_or_default(), note.unwrap_or_default());
        assert_eq!((row.owner.as_str(), row.visibility.as_str(), row.hidden), ("ana", "public", false));
        assert_eq!(open.len(), n + 1);
    }
    assert_eq!(ana.viewed(&id).await.etag, "\"v2.m\"", "a report is no change");
}

#[api_test(limits = false)]
async fn invalid_reports_are_rejected_by_field(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let id = published(&ana, &minimal()).await.id;
    for (body, field) in [
        (json!({}), "reason"),
        (json!({ "note": "n" }), "reason"),
        (json!({ "reason": null }), "reason"),
        (json!({ "reason": "" }), "reason"),
        (json!({ "reason": "Spam" }), "reason"),
        (json!({ "reason": "boring" }), "reason"),
        (json!({ "reason": 1 }), "reason"),
        (json!({ "reason": ["spam"] }), "reason"),
        (json!({ "reason": "spam", "note": "n".repeat(1_001) }), "note"),
        (json!({ "reason": "spam", "note": 1 }), "note"),
        (json!({ "reason": "spam", "note": "a\u{0}" }), "note"),
        (json!({ "reason": "spam", "note": "a\u{7f}" }), "note"),
        (json!({ "reason": "spam", "note": ["n"] }), "note"),
        (json!({ "reason": "spam", "id": key() }), "id"),
        (json!({ "reason": "spam", "itineraryId": id }), "itineraryId"),
        (json!({ "reason": "spam", "Note": "n" }), "Note"),
    ] {
        let response = report_call(&ben, &id).json(&body).send().await;
        assert_eq!(response.status, 422, "{body}: {}", response.text());
        response.expect_invalid(field);
    }
    for body in ["", "[]", "null", "\"spam\"", "{", "[\"spam\"]", r#"{"reason":"spam","reason":"spam"}"#] {
        let response = report_call(&ben, &id).body("application/json", body).send().await;
        response.expect_error(422, "validationFailed");
    }
    let form = report_call(&ben, &id).body("application/x-www-form-urlencoded", "reason=spam").send().await;
    form.expect_error(415, "unsupportedMediaType");
    let large = json!({ "reason": "spam", "note": "n".repeat(600_000) });
    let response = report_call(&ben, &id).json(&large).send().await;
    assert_eq!(response.status, 413, "{}", response.text());
    assert_eq!(rows(&world, "reports").await, 0);
}

// Until it is reviewed. Others may report it, and the person may report others.
#[api_test(limits = false)]
async fn one_report_of_a_person_is_open_at_a_time(world: World) {
    let (ana, ben, cyn) = (App::of(&world, "ana").await, App::of(&world, "ben").await, App::of(&world, "cyn").await);
    let (one, other) = (published(&ana, &on_day(1)).await.id, published(&ana, &on_day(2)).await.id);
    let first = reported(&ben, &one).await;
    for reason in ["spam", "privacy"] {
        let response = report_call(&ben, &one).json(&json!({ "reason": reason })).send().await;
        assert!(response.expect_error(409, "conflict").is_null());
    }
    let client = world.client("ben").await;
    let body = types::ReportCreate { reason: types::ReportReason::Other.into(), note: Some("again".to_owned()) };
    let id: uuid::Uuid = one.parse().expect("a UUID");
    let error = client.report_create(id, body.clone()).send().await.expect_err("one is open");
    assert!(error.is(code::CONFLICT));
    assert_ne!(reported(&cyn, &one).await, first);
    reported(&ben, &other).await;
    // One's own, too; no response shows it.
    reported(&ana, &one).await;
    assert_eq!(rows(&world, "reports").await, 4);
    for hide in [false, true] {
        assert_eq!(
            resolve(world.service(), id, hide, Actor::Operator).await.expect("a database"),
            Some(if hide { 1 } else { 3 })
        );
        let again = client.report_create(id, body.clone()).send().await.expect("none is open");
        assert_ne!(again.id, first);
        client.report_create(id, body.clone()).send().await.expect_err("one is open");
    }
    deleted(&ana, &one).await;
    report_call(&ben, &one).json(&json!({ "reason": "spam" })).send().await.expect_error(404, "notFound");
    assert_eq!(open(&world).await.len(), 1, "reports go with what they are about");
}

#[api_test(limits = false)]
async fn many_reports_of_one_person_at_once_make_one(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let id = published(&ana, &minimal()).await.id;
    let body = json!({ "reason": "spam" });
    let responses = join_all((0..64).map(|_| report_call(&ben, &id).json(&body).send())).await;
    assert_eq!(responses.iter().filter(|response| response.status == 201).count(), 1);
    for response in responses.iter().filter(|response| response.status != 201) {
        response.expect_error(409, "conflict");
    }
    assert_eq!(rows(&world, "reports").await, 1);
}

// With a key, a retry gets the first response instead of a conflict with itself.
#[api_test(limits = false)]
async fn a_retry_with_the_same_key_is_answered_as_the_first_time(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let (one, other) = (published(&ana, &on_day(1)).await.id, published(&ana, &on_day(2)).await.id);
    let key = key();
    let send = async |app: &App<'_>, id: &str, note: &str| {
        let call = report_call(app, id).json(&json!({ "reason": "spam", "note": note }));
        call.header("Idempotency-Key", &key).send().await
    };
    let first = send(&ben, &one, "n").await;
    assert_eq!(first.status, 201);
    for _ in 0..2 {
        expect_replay(&send(&ben, &one, "n").await, &first);
    }
    send(&ben, &one, "other").await.expect_error(422, "idempotencyKeyReused");
    // Another itinerary or person under the same key is another request.
    for (app, id) in [(&ben, &other), (&ana, &one)] {
        let response = send(app, id, "n").await;
        assert_eq!((response.status.as_u16(), response.header("idempotency-replayed")), (201, ""));
    }
    assert_eq!(rows(&world, "reports").await, 3);
    // The key of a rejected request is free.
    let fresh = itinerary_tests::app::key();
    let again = async || {
        let call = report_call(&ben, &one).json(&json!({ "reason": "spam" }));
        call.header("Idempotency-Key", &fresh).send().await
    };
    again().await.expect_error(409, "conflict");
    resolve(world.service(), one.parse().expect("a UUID"), false, Actor::Operator).await.expect("a database");
    let second = again().await;
    assert_eq!(second.status, 201);
    expect_replay(&again().await, &second);
    expect_replay(&send(&ben, &one, "n").await, &first);
    // Concurrent requests make one report, and all get its id.
    let cyn = App::of(&world, "cyn").await;
    let responses = join_all((0..16).map(|_| send(&cyn, &one, "n"))).await;
    assert!(responses.iter().all(|response| response.status == 201 && response.text() == responses[0].text()));
    assert_eq!(responses.iter().filter(|response| response.header("idempotency-replayed").is_empty()).count(), 1);
    assert_eq!(account(&world, "cyn").await.get_version_num(), 7);
}
