//! Expensive uploads and downloads: many at once, in tiny pieces, and without room.

use futures::future::join_all;
use itinerary_tests::{Database, World, api_test};
use reqwest::Method;

use super::{Kept, ana, kept, sealed_files, start, text, upload, uploaded};
use itinerary_tests::forms::{Form, head};
use itinerary_tests::wire::Wire;

/// A body in chunks of one byte.
fn in_tiny_chunks(body: &[u8]) -> Vec<u8> {
    let chunk = |byte: &u8| [b"1\r\n", std::slice::from_ref(byte), b"\r\n"].concat();
    body.iter().flat_map(chunk).chain(*b"0\r\n\r\n").collect()
}

#[api_test(sqlite)]
async fn a_body_in_tiny_pieces_is_refused(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    for (size, status) in [(1_000, 201), (300_000, 422)] {
        let form = Form::new().file(sealed_files::age(size)).end();
        let mut wire = Wire::to(&world).await;
        wire.send(head(&at.id, &ana.token, "Transfer-Encoding: chunked")).await;
        wire.send(in_tiny_chunks(&form)).await;
        let response = wire.response().await;
        assert_eq!(response.status, status, "{size} bytes: {}", response.text());
    }
    assert_eq!((kept(&world).await.rows, kept(&world).await.loose), (1, 0));
}

#[api_test(sqlite)]
async fn an_accounts_links_have_so_many_downloads_at_once(world: World) {
    let (ana, at) = ana(&world).await;
    let document = uploaded(&ana, &at.id, Form::new().file(sealed_files::age(20_000_000)).end()).await;
    let url = text(&document["url"]);
    // A download is in progress until it has been read.
    let mut downloads = Vec::new();
    for _ in 0..64 {
        let download = world.http.get(&url).send().await.expect("an answer");
        assert_eq!(download.status(), 200);
        downloads.push(download);
    }
    let path = url.strip_prefix(&world.base_url).expect("a link to this server");
    let refused = world.call(Method::GET, path).send().await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(refused.header("retry-after"), "1");
    let ended = downloads.pop().expect("the last");
    assert_eq!(ended.bytes().await.expect("the file").len(), 20_000_000);
    assert_eq!(world.call(Method::HEAD, path).send().await.status, 200);
}

#[api_test]
async fn a_file_beyond_the_quota_is_not_stored_while_it_arrives(database: Database) {
    let Some(world) = World::start_with(database, |config| {
        config.limits = false;
        config.document_quota = 1_000_000;
    })
    .await
    else {
        return;
    };
    let (ana, at) = ana(&world).await;
    let form = Form::new().file(sealed_files::age(2_000_000)).end();
    let mut wire = Wire::to(&world).await;
    wire.send(head(&at.id, &ana.token, &format!("Content-Length: {}", form.len()))).await;
    wire.send(&form[..1_500_000]).await;
    assert_eq!(kept(&world).await, Kept::default());
    wire.send(&form[1_500_000..]).await;
    wire.response().await.expect_error(409, "conflict");
    assert_eq!(kept(&world).await, Kept::default());
}

#[api_test]
async fn many_uploads_to_one_itinerary_all_succeed(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let form = Form::new().file(sealed_files::age(1_000)).end();
    let uploads = (0..60).map(|_| upload(&ana, &at.id, form.clone()));
    for response in join_all(uploads).await {
        assert_eq!(response.status, 201, "{}", response.text());
    }
    assert_eq!(kept(&world).await.rows, 60);
}
