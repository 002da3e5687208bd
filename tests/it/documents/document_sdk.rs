//! Documents through the SDK: seal, upload, download, open.

use std::io::Write;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use futures::TryStreamExt;
use itinerary_sdk::age::{Encryptor, x25519::Identity};
use itinerary_sdk::types::{BelongsToInput, BelongsToKind, DocumentCategory, Itinerary, ItineraryCreate};
use itinerary_sdk::{
    Client, ErrorExt, FileSource, Progress, Seal, SealingError, Unseal, UploadDetails, Versioned, code,
};
use itinerary_tests::bodies::minimal;
use itinerary_tests::{Sqlite, World, api_test};
use openssl::sha::sha256;
use uuid::Uuid;

const SCOPES: &str = "itineraries:read itineraries:write documents:read documents:write";
/// The size of a chunk of age's plaintext.
const CHUNK: usize = 65_536;

/// A traveller who may upload, and an itinerary.
async fn traveller(world: &World) -> (Client, Versioned<Itinerary>) {
    world.pro_account("ana").await;
    itinerary_of(world, "ana").await
}

async fn itinerary_of(world: &World, name: &str) -> (Client, Versioned<Itinerary>) {
    let client = world.client_with(&world.token(name, SCOPES).await);
    let body: ItineraryCreate = serde_json::from_value(minimal()).expect("a body");
    let created = client.itinerary_create(body).send().await.expect("an itinerary");
    (client, created)
}

/// Bytes that do not repeat, so that a misplaced piece shows.
fn plain(size: usize) -> Vec<u8> {
    let numbers = (0_u32..).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes());
    numbers.take(size).collect()
}

/// A progress callback, and what it recorded.
fn listener() -> (impl FnMut(Progress) + Send + 'static, Arc<Mutex<Vec<Progress>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    (move |progress| tell.lock().expect("one at a time").push(progress), told)
}

/// Checks that progress rose to the size of the file.
#[track_caller]
fn expect_whole(told: &Mutex<Vec<Progress>>, size: u64) {
    let told = told.lock().expect("one at a time");
    assert!(told.iter().all(|progress| progress.total == size), "{size}: {told:?}");
    assert!(told.is_sorted_by(|a, b| a.transferred < b.transferred), "{size}: {told:?}");
    assert_eq!(told.last().map(|last| last.transferred), Some(size));
}

/// Seals and uploads a file, downloads and opens it, and compares.
async fn expect_round_trip(client: &Client, trip: Uuid, size: usize, seal: Seal, key: Unseal) {
    let plain = plain(size);
    let (sent, told_sent) = listener();
    let details = UploadDetails::named(format!("{size}.age"));
    let document = client.seal_and_upload(trip, plain.clone(), seal, details, sent).await.expect("stored");
    expect_whole(&told_sent, document.size);
    let read = client.itinerary_view(trip).send().await.expect("the itinerary");
    assert_eq!(document.etag(), read.etag());

    let (received, told_received) = listener();
    let mut opened = Vec::new();
    let written = client.download_and_open(trip, &*document.id, key, &mut opened, received).await.expect("opened");
    assert_eq!(written, size as u64);
    assert_eq!(sha256(&opened), sha256(&plain), "{size}");
    expect_whole(&told_received, document.size);
}

#[api_test]
async fn files_of_every_size_come_back_as_they_were(world: World) {
    let (client, trip) = traveller(&world).await;
    let (identity, other) = (Identity::generate(), Identity::generate());
    for size in [0, 1, CHUNK, CHUNK + 1, 5_000_000] {
        let seal = Seal::Recipients(vec![Box::new(other.to_public()), Box::new(identity.to_public())]);
        expect_round_trip(&client, trip.id, size, seal, Unseal::identity(identity.clone())).await;
    }
    let list = client.document_list(trip.id).send().await.expect("the documents");
    let names: Vec<_> = list.data.iter().map(|document| &*document.name).collect();
    assert_eq!(names, ["0.age", "1.age", "65536.age", "65537.age", "5000000.age"]);
}

// A passphrase takes a second in each direction, so only two sizes are tried: empty, and more than a chunk.
#[tokio::test(flavor = "multi_thread")]
async fn a_passphrase_seals_as_well() {
    let Some(world) = World::start(Sqlite).await else { return };
    let (client, trip) = traveller(&world).await;
    for size in [0, CHUNK + 1] {
        let (seal, key) = (Seal::passphrase("open sesame"), Unseal::passphrase("open sesame"));
        expect_round_trip(&client, trip.id, size, seal, key).await;
    }
    let list = client.document_list(trip.id).send().await.expect("the documents");
    let document = &*list.data[0].id;
    let open = async |key: Unseal| {
        client.download_and_open(trip.id, document, key, tokio::io::sink(), |_| ()).await.expect_err("closed")
    };
    let error = open(Unseal::passphrase("open sesam")).await;
    assert!(matches!(error, SealingError::WrongKey), "{error}");
    let error = open(Unseal::identity(Identity::generate())).await;
    assert!(matches!(error, SealingError::NeedsPassphrase), "{error}");
}

#[api_test]
async fn a_file_from_a_path_or_a_reader_is_kept_with_its_details(world: World) {
    let (client, trip) = traveller(&world).await;
    let (identity, plain) = (Identity::generate(), plain(200_000));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pass.pdf");
    std::fs::write(&path, &plain).expect("a file");
    let reader = FileSource::reader(plain.len() as u64, std::io::Cursor::new(plain.clone()));
    for (file, name) in [(FileSource::path(path), "搭乗券 \"1\".pdf.age"), (reader, "boarding pass.age")] {
        let details = UploadDetails {
            name: Some("Pass".to_owned()),
            media_type: Some("application/pdf".to_owned()),
            category: Some(DocumentCategory::BoardingPass),
            belongs_to: Some(BelongsToInput::new(trip.id.to_string(), BelongsToKind::Itinerary)),
            ..UploadDetails::named(name)
        };
        let seal = Seal::recipient(identity.to_public());
        let stored = client.seal_and_upload(trip.id, file, seal, details.clone(), |_| ()).await.expect("stored");
        let list = client.document_list(trip.id).send().await.expect("the documents");
        let listed = list.data.last().expect("a document");
        assert_eq!((&listed.id, &*listed.name, &*listed.file.name), (&stored.id, "Pass", name));
        assert_eq!((listed.file.size, &*listed.mime_type), (stored.size, "application/pdf"));
        assert_eq!(listed.category, Some(DocumentCategory::BoardingPass.into()));
        assert_eq!(listed.belongs_to.clone().map(BelongsToInput::from), details.belongs_to);
        let mut opened = Vec::new();
        let key = Unseal::identity(identity.clone());
        client.download_and_open(trip.id, &*stored.id, key, &mut opened, |_| ()).await.expect("opened");
        assert_eq!(sha256(&opened), sha256(&plain));
    }
}

#[api_test]
async fn another_key_does_not_open_it(world: World) {
    let (client, trip) = traveller(&world).await;
    let seal = Seal::recipient(Identity::generate().to_public());
    let details = UploadDetails::named("pass.age");
    let document = client.seal_and_upload(trip.id, plain(1_000), seal, details, |_| ()).await.expect("stored");
    let mut opened = Vec::new();
    for key in [Unseal::identity(Identity::generate()), Unseal::Identities(Vec::new())] {
        let result = client.download_and_open(trip.id, &*document.id, key, &mut opened, |_| ()).await;
        assert!(matches!(result, Err(SealingError::WrongKey)), "{result:?}");
    }
    let key = Unseal::passphrase("open sesame");
    let result = client.download_and_open(trip.id, &*document.id, key, &mut opened, |_| ()).await;
    assert!(matches!(result, Err(SealingError::NeedsIdentity)), "{result:?}");
    assert!(opened.is_empty());
}

#[api_test]
async fn without_pro_nothing_is_uploaded(world: World) {
    world.account("ben").await;
    let (client, trip) = itinerary_of(&world, "ben").await;
    for size in [10, 5_000_000] {
        let seal = Seal::recipient(Identity::generate().to_public());
        let details = UploadDetails::named("pass.age");
        let error = client.seal_and_upload(trip.id, plain(size), seal, details, |_| ()).await.expect_err("no Pro");
        let SealingError::Api(error) = error else { panic!("not the service's: {error}") };
        assert!(error.is(code::SUBSCRIPTION_REQUIRED), "{error}");
    }
    let error = client.document_upload(trip.id, sealed(&plain(10)), UploadDetails::named("pass.age")).await;
    assert!(error.expect_err("no Pro").is(code::SUBSCRIPTION_REQUIRED));
    let list = client.document_list(trip.id).send().await.expect("the documents");
    assert!(list.data.is_empty());
}

/// A file that was sealed without the SDK.
fn sealed(plain: &[u8]) -> Vec<u8> {
    let recipient = Identity::generate().to_public();
    let encryptor = Encryptor::with_recipients(std::iter::once(&recipient as _)).expect("a recipient");
    let mut sealed = Vec::new();
    let mut writer = encryptor.wrap_output(&mut sealed).expect("memory");
    writer.write_all(plain).expect("memory");
    writer.finish().expect("memory");
    sealed
}

#[api_test]
async fn a_repeated_upload_is_the_same_document_with_a_fresh_link(world: World) {
    let (client, trip) = traveller(&world).await;
    let sealed = sealed(&plain(100_000));
    let details =
        UploadDetails { idempotency_key: Some(Uuid::new_v4().to_string()), ..UploadDetails::named("pass.age") };
    let first = client.document_upload(trip.id, sealed.clone(), details.clone()).await.expect("stored");
    world.clock.advance(TimeDelta::minutes(11));
    let again = client.document_upload(trip.id, sealed.clone(), details.clone()).await.expect("the same answer");
    assert_eq!((&first.id, first.etag()), (&again.id, again.etag()));
    assert_ne!(first.url, again.url);

    let expired = client.document_download(&first.url).await.expect_err("expired");
    assert!(expired.is(code::NOT_FOUND), "{expired}");
    let mut download = client.document_download(&again.url).await.expect("a fresh link");
    assert_eq!(download.size(), sealed.len() as u64);
    let mut bytes = Vec::new();
    while let Some(frame) = download.try_next().await.expect("the file") {
        bytes.extend_from_slice(&frame);
        assert_eq!(download.progress(), Progress { transferred: bytes.len() as u64, total: sealed.len() as u64 });
    }
    assert_eq!(sha256(&bytes), sha256(&sealed), "it is stored as it was sent");

    // Sealing again gives another file, which is not stored under the same key.
    let (file, seal) = (plain(100_000), Seal::recipient(Identity::generate().to_public()));
    let error = client.seal_and_upload(trip.id, file, seal, details, |_| ()).await.expect_err("another file");
    assert!(matches!(&error, SealingError::Api(error) if error.is(code::IDEMPOTENCY_KEY_REUSED)), "{error}");
    let list = client.document_list(trip.id).send().await.expect("the documents");
    assert_eq!(list.data.len(), 1);
}

#[api_test]
async fn a_file_that_is_not_sealed_is_refused(world: World) {
    let (client, trip) = traveller(&world).await;
    for file in [b"%PDF-1.7\n".repeat(20_000), Vec::new()] {
        let error = client.document_upload(trip.id, file, UploadDetails::named("pass.pdf")).await.expect_err("plain");
        assert!(error.is(code::DOCUMENT_NOT_SEALED), "{error}");
    }
    let read = client.itinerary_view(trip.id).send().await.expect("the itinerary");
    assert_eq!(read.etag(), trip.etag());
}
