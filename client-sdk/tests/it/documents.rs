//! Uploads and downloads: what is sent, to whom, and what is sent again.

use std::sync::Arc;

use futures::TryStreamExt;
use itinerary_sdk::types::{BelongsToInput, BelongsToKind, DocumentCategory};
use itinerary_sdk::{Client, Error, ErrorExt, FileSource, MemoryTokenStore, TokenStore, Tokens, UploadDetails, code};
use serde_json::json;
use uuid::Uuid;

use crate::service::{Answer, Asked, Service, StoppedClock, first_pair, pair, plain, refusal};

const DOCUMENTS: &str = "/v1/itineraries/0190a1b2-0000-7000-8000-000000000001/documents";
const SEALED: &str = "-- sealed --";

fn id() -> Uuid {
    "0190a1b2-0000-7000-8000-000000000001".parse().unwrap()
}

fn stored() -> Answer {
    let document = json!({
        "id": "0190a1b2-0000-7000-8000-000000000003", "name": "Pass", "kind": "boardingPass",
        "mimeType": "application/pdf", "size": 12, "url": "http://127.0.0.1:1/documents/signed",
    });
    (201, vec![("etag", "\"v2.m\"".to_owned())], document)
}

async fn client(handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Service, Client) {
    let service = Service::start(handler).await;
    let client = Client::builder(&service.base_url).access_token("token").build().unwrap();
    (service, client)
}

/// A part of a form: its headers and its content.
fn part<'form>(asked: &'form Asked, name: &str) -> Option<(&'form str, &'form str)> {
    let boundary = asked.header("content-type").unwrap().split_once("boundary=").unwrap().1;
    let disposition = format!("form-data; name=\"{name}\"");
    let part = asked.body.split(&format!("--{boundary}")).find(|part| part.contains(&disposition))?;
    let (headers, content) = part.split_once("\r\n\r\n").unwrap();
    Some((headers.trim(), content.strip_suffix("\r\n").unwrap()))
}

#[tokio::test]
async fn an_upload_is_a_form_of_known_length() {
    let (service, client) = client(|_| stored()).await;
    let key = Uuid::from_u128(7);
    let details = UploadDetails {
        name: Some("Pass".to_owned()),
        media_type: Some("application/pdf".to_owned()),
        category: Some(DocumentCategory::BoardingPass),
        belongs_to: Some(BelongsToInput::new("f1".to_owned(), BelongsToKind::Flight)),
        idempotency_key: Some(key.to_string()),
        ..UploadDetails::named("搭乗券.pdf.age")
    };
    let document = client.document_upload(id(), SEALED, details).await.unwrap();
    assert_eq!((document.etag(), &*document.name, document.size), ("\"v2.m\"", "Pass", 12));
    let asked = &service.asked(DOCUMENTS)[0];
    assert_eq!(asked.header("authorization"), Some("Bearer token"));
    assert_eq!(asked.header("idempotency-key"), Some(&*key.to_string()));
    assert_eq!(asked.header("content-length"), Some(&*asked.body.len().to_string()));
    for (name, content) in [
        ("name", "Pass"),
        ("category", "boardingPass"),
        ("mimeType", "application/pdf"),
        ("belongsTo", r#"{"id":"f1","kind":"flight"}"#),
        ("file", SEALED),
    ] {
        assert_eq!(part(asked, name).map(|(_, content)| content), Some(content), "{name}");
    }
    let headers = part(asked, "file").unwrap().0;
    assert!(headers.contains("filename=\"搭乗券.pdf.age\""), "{headers}");
    assert!(headers.contains("Content-Type: application/octet-stream"), "{headers}");
}

#[tokio::test]
async fn upload_omits_absent_details_and_escapes_the_file_name() {
    let (service, client) = client(|_| stored()).await;
    client.document_upload(id(), SEALED, UploadDetails::named("a.age")).await.unwrap();
    client.document_upload(id(), SEALED, UploadDetails::named("a\r\nX-Evil: b\"\0.age")).await.unwrap();
    let [asked, odd] = service.asked(DOCUMENTS).try_into().unwrap();
    assert!(["name", "category", "mimeType", "belongsTo"].iter().all(|name| part(&asked, name).is_none()));
    assert_ne!(asked.header("idempotency-key").unwrap(), odd.header("idempotency-key").unwrap());
    let (headers, content) = part(&odd, "file").unwrap();
    assert!(headers.contains("filename=\"a__X-Evil: b\\\"_.age\"") && content == SEALED, "{headers}");
}

/// Only the second pair of tokens is good.
fn renewing(asked: &Asked) -> Answer {
    match asked.uri.path() {
        "/oauth/token" => pair(2),
        _ if asked.header("authorization") == Some("Bearer access-2") => stored(),
        _ => refusal(401, "unauthenticated"),
    }
}

/// A client whose access token was revoked, which it does not know yet.
fn revoked(service: &Service) -> Client {
    let clock = StoppedClock::new();
    let store = MemoryTokenStore::new(Tokens { access_token: "revoked".to_owned(), ..first_pair(&clock, 3600) });
    Client::builder(&service.base_url).token_store(store).clock(clock).build().unwrap()
}

#[tokio::test]
async fn a_file_that_can_be_read_again_is_sent_again_with_a_new_token() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.age");
    std::fs::write(&path, SEALED).unwrap();
    for file in [FileSource::from(SEALED), FileSource::path(&path)] {
        let service = Service::start(renewing).await;
        let details =
            UploadDetails { idempotency_key: Some(Uuid::from_u128(7).to_string()), ..UploadDetails::named("a.age") };
        revoked(&service).document_upload(id(), file, details).await.unwrap();
        let asked = service.asked(DOCUMENTS);
        let tokens: Vec<_> = asked.iter().map(|asked| asked.header("authorization").unwrap()).collect();
        assert_eq!(tokens, ["Bearer revoked", "Bearer access-2"]);
        assert!(asked.iter().all(|asked| part(asked, "file").unwrap().1 == SEALED));
        assert!(asked.iter().all(|asked| asked.header("idempotency-key") == Some(&*Uuid::from_u128(7).to_string())));
    }
}

#[tokio::test]
async fn a_stream_is_sent_once_but_the_token_is_renewed() {
    let service = Service::start(renewing).await;
    let client = revoked(&service);
    let file = || FileSource::reader(SEALED.len() as u64, SEALED.as_bytes());
    let error = client.document_upload(id(), file(), UploadDetails::named("a.age")).await.unwrap_err();
    assert!(error.is(code::UNAUTHENTICATED));
    client.document_upload(id(), file(), UploadDetails::named("a.age")).await.unwrap();
    assert_eq!((service.asked(DOCUMENTS).len(), service.asked("/oauth/token").len()), (2, 1));
}

#[tokio::test]
async fn a_file_that_is_refused_twice_stays_refused() {
    let service = Service::start(|asked| match asked.uri.path() {
        "/oauth/token" => pair(2),
        _ => refusal(401, "unauthenticated"),
    })
    .await;
    let error = revoked(&service).document_upload(id(), SEALED, UploadDetails::named("a.age")).await.unwrap_err();
    assert!(error.is(code::UNAUTHENTICATED) && error.needs_sign_in());
    assert_eq!(service.asked(DOCUMENTS).len(), 2);
}

#[tokio::test]
async fn a_token_is_renewed_before_an_upload() {
    let (service, clock) = (Service::start(renewing).await, StoppedClock::new());
    let store = Arc::new(MemoryTokenStore::new(first_pair(&clock, 30)));
    let client = Client::builder(&service.base_url).token_store(store.clone()).clock(clock).build().unwrap();
    let file = FileSource::reader(SEALED.len() as u64, SEALED.as_bytes());
    client.document_upload(id(), file, UploadDetails::named("a.age")).await.unwrap();
    assert_eq!(store.load().await.unwrap().unwrap().access_token, "access-2");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_told_apart_from_the_connection() {
    let (_service, client) = client(|_| stored()).await;
    let folder = tempfile::tempdir().unwrap();
    for (file, words) in [
        (FileSource::path(folder.path().join("none")), "failed to read the file: "),
        (FileSource::reader(SEALED.len() as u64 + 1, SEALED.as_bytes()), "fewer than the announced 13 bytes"),
        (FileSource::reader(SEALED.len() as u64 - 1, SEALED.as_bytes()), "more than the announced 11 bytes"),
    ] {
        let error = client.document_upload(id(), file, UploadDetails::named("a.age")).await.unwrap_err();
        assert!(matches!(&error, Error::Custom(text) if text.contains(words)), "{error:?}");
    }
}

#[tokio::test]
async fn a_refused_upload_has_the_services_error() {
    let (_service, client) = client(|_| refusal(403, "subscriptionRequired")).await;
    let error = client.document_upload(id(), SEALED, UploadDetails::named("a.age")).await.unwrap_err();
    assert!(error.is(code::SUBSCRIPTION_REQUIRED));
}

#[tokio::test]
async fn a_download_carries_no_token_and_says_how_far_it_is() {
    let (service, client) = client(|_| plain(200, json!("sealed"))).await;
    let mut download = client.document_download(&format!("{}/documents/signed", service.base_url)).await.unwrap();
    assert_eq!((download.size(), download.progress().transferred), (8, 0));
    let mut bytes = Vec::new();
    while let Some(frame) = download.try_next().await.unwrap() {
        bytes.extend_from_slice(&frame);
        assert_eq!(download.progress().transferred, bytes.len() as u64);
    }
    assert_eq!((&*bytes, download.progress().transferred), (&br#""sealed""#[..], 8));
    assert_eq!(service.tokens("/documents/signed"), [None]);
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_an_error_that_does_not_show_it() {
    let (service, client) = client(|_| refusal(404, "notFound")).await;
    let expired = client.document_download(&format!("{}/documents/signed", service.base_url)).await.unwrap_err();
    assert!(expired.is(code::NOT_FOUND));
    let (redirecting, _) = self::client(|_| (302, vec![("location", "/elsewhere".to_owned())], json!(null))).await;
    let elsewhere = client.document_download(&format!("{}/documents/signed", redirecting.base_url)).await.unwrap_err();
    assert!(matches!(elsewhere, Error::UnexpectedResponse(answer) if answer.status() == 302));
    for nowhere in ["http://127.0.0.1:1/documents/signed", "not signed"] {
        let error = client.document_download(nowhere).await.unwrap_err();
        assert!(!format!("{error:?} {error:#}").contains("signed"), "{error:?}");
    }
}
