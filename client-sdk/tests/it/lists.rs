//! Lists that are longer than a page.

use futures::TryStreamExt;
use itinerary_sdk::types::ListFilter;
use itinerary_sdk::{Client, ErrorExt, Paged, code};
use serde_json::{Value, json};

use crate::service::{Answer, Asked, Service, itinerary, plain, refusal};

const LIST: &str = "/v1/itineraries";

fn summary(title: &str) -> Value {
    let mut summary = itinerary();
    summary["title"] = json!(title);
    summary["etag"] = json!("\"v1.m\"");
    summary["daysCount"] = json!(0);
    summary["stopsCount"] = json!(0);
    summary
}

/// Three pages, the second of them empty.
fn pages(asked: &Asked) -> Answer {
    match asked.field("cursor").as_deref() {
        None => plain(200, json!({ "data": [summary("a"), summary("b")], "nextCursor": "two" })),
        Some("two") => plain(200, json!({ "data": [], "nextCursor": "three" })),
        Some("three") => plain(200, json!({ "data": [summary("c")], "nextCursor": null })),
        Some(_) => refusal(422, "validationFailed"),
    }
}

#[tokio::test]
async fn a_stream_follows_the_cursors_to_the_end() {
    let service = Service::start(pages).await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    let list = client.itinerary_list().filter(ListFilter::Owned).limit(2);
    let entries: Vec<_> = list.clone().stream().try_collect().await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.title.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    let asked = service.asked(LIST);
    assert_eq!(asked.len(), 3);
    for request in &asked {
        assert_eq!((request.field("filter").as_deref(), request.field("limit").as_deref()), (Some("owned"), Some("2")));
    }
    assert_eq!(list.pages().try_collect::<Vec<_>>().await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_page_is_asked_for_when_it_is_needed() {
    let service = Service::start(pages).await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    let mut entries = client.itinerary_list().stream();
    entries.try_next().await.unwrap().unwrap();
    entries.try_next().await.unwrap().unwrap();
    assert_eq!(service.asked(LIST).len(), 1);
}

#[tokio::test]
async fn an_instant_keeps_its_offset_on_the_way() {
    let service = Service::start(pages).await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    let since = chrono::DateTime::parse_from_rfc3339("2027-05-15T12:00:00+02:00").unwrap();
    let _: Vec<_> = client.itinerary_list().updated_since(since).stream().try_collect().await.unwrap();
    assert_eq!(service.asked(LIST)[0].field("updatedSince").as_deref(), Some("2027-05-15T12:00:00+02:00"));
    let text = "2027-05-15T12:00:00+02:00";
    let _: Vec<_> = client.itinerary_list().updated_since(text).stream().try_collect().await.unwrap();
    assert_eq!(service.asked(LIST).last().unwrap().field("updatedSince").as_deref(), Some(text));
}

#[tokio::test]
async fn an_error_ends_the_stream() {
    let service = Service::start(|asked| match asked.field("cursor") {
        None => plain(200, json!({ "data": [summary("a")], "nextCursor": "broken" })),
        Some(_) => refusal(422, "validationFailed"),
    })
    .await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    let mut entries = client.itinerary_list().stream();
    assert_eq!(entries.try_next().await.unwrap().unwrap().title, "a");
    assert!(entries.try_next().await.unwrap_err().is(code::VALIDATION_FAILED));
    assert!(entries.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn every_list_in_pages_is_a_stream_that_keeps_what_was_asked() {
    let service = Service::start(pages).await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    let entries: Vec<_> = client.explore_list().q("old town").limit(2).stream().try_collect().await.unwrap();
    assert_eq!(entries.len(), 3);
    let asked = service.asked("/v1/explore");
    let cursors: Vec<_> = asked.iter().map(|request| request.field("cursor")).collect();
    assert_eq!(cursors, [None, Some("two".to_owned()), Some("three".to_owned())]);
    assert!(asked.iter().all(|request| request.field("q").as_deref() == Some("old town")));
}
