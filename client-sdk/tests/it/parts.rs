//! Changes of one item that read it first.

use std::sync::atomic::{AtomicUsize, Ordering};

use itinerary_sdk::types::{DayPatch, DocumentPatch, HotelPatch, StopPatch};
use itinerary_sdk::{Client, ErrorExt, IfMatch, Uuid, code};
use serde_json::{Value, json};

use crate::service::{Answer, Asked, Service, itinerary, refusal};

const ONE: &str = "/v1/itineraries/0190a1b2-0000-7000-8000-000000000001";

fn id() -> Uuid {
    "0190a1b2-0000-7000-8000-000000000001".parse().unwrap()
}

fn versioned(number: usize, body: Value) -> Answer {
    (200, vec![("etag", format!("\"v{number}.m\""))], body)
}

/// A service with a day, its stop, a hotel and a document. The first write loses a race.
fn contended() -> impl Fn(&Asked) -> Answer + Send + Sync {
    let writes = AtomicUsize::new(0);
    move |asked| {
        let number = writes.load(Ordering::SeqCst);
        let path = asked.uri.path().strip_prefix(ONE).unwrap();
        let file = json!({ "name": "f.age", "path": "p", "size": 3 });
        let document = json!({ "id": "doc-1", "name": "Pass", "mimeType": "application/pdf", "file": file });
        match (asked.method.as_str(), path) {
            ("GET", "/days") => {
                let stop = json!({ "id": "s", "name": "Tower", "startTimeSuggested": false });
                versioned(number, json!({ "data": [{ "id": "d", "legs": [], "stops": [stop] }] }))
            }
            ("GET", "/hotels") => versioned(number, json!({ "data": [{ "id": "h", "name": "Avenida" }] })),
            ("GET", "/documents") => versioned(number, json!({ "data": [document] })),
            ("PATCH", path) if path.ends_with("/missing") => refusal(404, "notFound"),
            ("PATCH", _) if writes.fetch_add(1, Ordering::SeqCst) == 0 => refusal(409, "itineraryModified"),
            ("PATCH", "/documents/doc-1") => versioned(number + 1, document),
            _ => versioned(number + 1, itinerary()),
        }
    }
}

async fn client() -> (Service, Client) {
    let service = Service::start(contended()).await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    (service, client)
}

/// The versions and bodies of the writes to this path.
fn writes(service: &Service, path: &str) -> Vec<(String, String)> {
    let asked = service.asked(&format!("{ONE}{path}")).into_iter();
    asked.map(|asked| (asked.header("if-match").unwrap().to_owned(), asked.body)).collect()
}

fn twice(body: &str) -> Vec<(String, String)> {
    [0, 1].map(|number| (format!("\"v{number}.m\""), body.to_owned())).into()
}

#[tokio::test]
async fn a_change_of_one_item_is_made_from_what_was_read_and_repeated() {
    let (service, client) = client().await;
    let renamed = |name: &str| format!("{name} II");
    let changed = client.stop_update_with(id(), "d", "s", |stop| StopPatch::default().name(renamed(&stop.name)));
    assert_eq!(changed.await.unwrap().etag(), "\"v2.m\"");
    assert_eq!(writes(&service, "/days/d/stops/s"), twice(r#"{"name":"Tower II"}"#));

    let (service, client) = self::client().await;
    let changed = client.hotel_update_with(id(), "h", |hotel| HotelPatch::default().name(renamed(&hotel.name)));
    assert_eq!(changed.await.unwrap().etag(), "\"v2.m\"");
    assert_eq!(writes(&service, "/hotels/h"), twice(r#"{"name":"Avenida II"}"#));

    let (service, client) = self::client().await;
    let patch =
        |document: &itinerary_sdk::types::ListedDocument| DocumentPatch::default().name(renamed(&document.name));
    assert_eq!(client.document_update_with(id(), "doc-1", patch).await.unwrap().name, "Pass");
    assert_eq!(writes(&service, "/documents/doc-1"), twice(r#"{"name":"Pass II"}"#));
}

#[tokio::test]
async fn a_missing_item_fails_with_the_services_error() {
    let (service, client) = client().await;
    let untouched = |_: &itinerary_sdk::types::Day| -> DayPatch { panic!("there is no such day") };
    assert!(client.day_update_with(id(), "missing", untouched).await.unwrap_err().is(code::NOT_FOUND));
    assert_eq!(writes(&service, "/days/missing"), [("\"v0.m\"".to_owned(), "{}".to_owned())]);
    let untouched = |_: &itinerary_sdk::types::Stop| -> StopPatch { panic!("there is no such stop") };
    assert!(client.stop_update_with(id(), "d", "missing", untouched).await.unwrap_err().is(code::NOT_FOUND));
}

#[tokio::test]
async fn a_version_is_a_read_value_or_an_etag_or_any() {
    let (service, client) = client().await;
    let hotels = client.hotel_list(id()).send().await.unwrap();
    let etag = hotels.etag().to_owned();
    for version in [(&hotels).into(), hotels.etag().into(), (&etag).into(), etag.clone().into(), IfMatch::any()] {
        client.hotel_remove(id(), "x", version).send().await.unwrap();
    }
    let versions: Vec<_> = writes(&service, "/hotels/x").into_iter().map(|(version, _)| version).collect();
    assert_eq!(versions, ["\"v0.m\"", "\"v0.m\"", "\"v0.m\"", "\"v0.m\"", "*"]);
}
