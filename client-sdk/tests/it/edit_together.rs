//! Changes that the service merges: what is sent again, and what is not. The service is a mock.

use std::sync::atomic::{AtomicUsize, Ordering};

use itinerary_sdk::types::ItineraryPatch;
use itinerary_sdk::{Client, EditError, ErrorExt, code};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::service::{Answer, Asked, Service, itinerary, refusal};

const ONE: &str = "/v1/itineraries/0190a1b2-0000-7000-8000-000000000001";

fn id() -> Uuid {
    "0190a1b2-0000-7000-8000-000000000001".parse().unwrap()
}

fn refused(details: &Value) -> Answer {
    let error = json!({ "code": "itineraryModified", "message": "m", "requestId": "r", "details": details });
    (409, vec![("etag", "\"v9.m\"".to_owned())], json!({ "error": error }))
}

/// Edits the title on a service that answers writes one after the other. Reads have a new version each time.
async fn edit(writes: impl Fn(usize) -> Answer + Send + Sync + 'static) -> (Service, Result<String, EditError>, usize) {
    let (reads, written) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let service = Service::start(move |asked: &Asked| {
        if asked.method == "PATCH" {
            return writes(written.fetch_add(1, Ordering::SeqCst));
        }
        let version = reads.fetch_add(1, Ordering::SeqCst) + 1;
        (200, vec![("etag", format!("\"v{version}.m\""))], itinerary())
    })
    .await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    let mut calls = 0;
    let stored = client.itineraries().edit_together(id(), |trip| {
        calls += 1;
        ItineraryPatch::default().title(format!("{}, edit {calls}", trip.title))
    });
    let stored = stored.await.map(|trip| trip.etag().to_owned());
    (service, stored, calls)
}

/// `If-Match` and body of each write.
fn writes(service: &Service) -> Vec<(String, String)> {
    let writes = service.asked(ONE).into_iter().filter(|asked| asked.method == "PATCH");
    writes
        .map(|asked| {
            assert_eq!(asked.header("prefer"), Some("merge"));
            (asked.header("if-match").unwrap().to_owned(), asked.body)
        })
        .collect()
}

fn sent(version: usize, edit: usize) -> (String, String) {
    (format!("\"v{version}.m\""), format!("{{\"title\":\"Lisbon, edit {edit}\"}}"))
}

fn done() -> Answer {
    (200, vec![("etag", "\"v10.m\"".to_owned())], itinerary())
}

// The base stays, so that the service still compares with what the closure has seen.
#[tokio::test]
async fn a_merge_that_lost_the_race_is_sent_again_as_it_was() {
    let (service, stored, calls) =
        edit(|number| if number < 2 { refusal(409, "itineraryModified") } else { done() }).await;
    assert_eq!((stored.unwrap().as_str(), calls), ("\"v10.m\"", 1));
    assert_eq!(writes(&service), [sent(1, 1), sent(1, 1), sent(1, 1)]);
}

#[tokio::test]
async fn the_closure_is_called_again_if_its_version_is_gone() {
    let gone = json!({ "reason": "baseGone" });
    let (service, stored, calls) = edit(move |number| if number == 0 { refused(&gone) } else { done() }).await;
    assert_eq!((stored.unwrap().as_str(), calls), ("\"v10.m\"", 2));
    assert_eq!(writes(&service), [sent(1, 1), sent(2, 2)]);
}

#[tokio::test]
async fn conflicts_are_returned_at_once() {
    let conflict = json!({ "path": "title", "base": "Lisbon", "current": "May", "yours": "Lisbon, edit 1" });
    let details = json!({ "reason": "conflict", "conflicts": [conflict] });
    let (service, stored, _) = edit(move |_| refused(&details)).await;
    let error = stored.unwrap_err();
    assert_eq!((error.code(), error.current_etag()), (code::ITINERARY_MODIFIED, Some("\"v9.m\"")));
    assert_eq!(error.conflicts().len(), 1);
    let EditError::Conflict { conflicts, .. } = error else { panic!("{error}") };
    assert_eq!((conflicts[0].path.as_str(), &conflicts[0].current), ("title", &json!("May")));
    assert_eq!(writes(&service).len(), 1);
}

#[tokio::test]
async fn edits_are_not_sent_for_ever_nor_after_another_error() {
    let (losing, stored, _) = edit(|_| refusal(409, "itineraryModified")).await;
    assert!(matches!(stored, Err(EditError::Api(error)) if error.is(code::ITINERARY_MODIFIED)));
    assert_eq!(writes(&losing).len(), 8);
    let (refusing, stored, _) = edit(|_| refusal(422, "validationFailed")).await;
    assert!(stored.unwrap_err().is(code::VALIDATION_FAILED));
    assert_eq!(writes(&refusing).len(), 1);
}
