//! A job deletes the files of deleted documents. It may fail, be killed, or run twice at once.

use chrono::TimeDelta;
use futures::future::join;
use itinerary_app::itineraries::documents::delete_loose_files;
use itinerary_tests::app::App;
use itinerary_tests::{Database, World, api_test};

use super::{Kept, SCOPE, ana, delete, downloaded, kept, linked, listed, sealed_files, small, start, upload_file};
use itinerary_tests::forms::{Form, LAST_CHUNK, head, in_chunks};
use itinerary_tests::wire::Wire;

async fn run_job(world: &World) -> u64 {
    delete_loose_files(world.service()).await.expect("it can delete files")
}

/// Replaces the folder of documents with a file.
fn take_folder_away(world: &World) {
    let folder = world.data().join("files/documents");
    std::fs::rename(&folder, world.data().join("aside")).expect("the folder can be moved");
    std::fs::write(&folder, "in the way").expect("a file can be made");
}

fn bring_folder_back(world: &World) {
    let folder = world.data().join("files/documents");
    std::fs::remove_file(&folder).expect("the file can be deleted");
    std::fs::rename(world.data().join("aside"), &folder).expect("the folder can be moved");
}

#[api_test]
async fn job_deletes_the_file_of_a_deleted_document(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let (gone, left) = (small(&ana, &at.id).await, small(&ana, &at.id).await);
    delete(&ana, &at.id, &gone).await;
    let after = kept(&world).await;
    assert_eq!((after.rows, after.loose, after.bytes, after.files.len()), (1, 1, 500, 2));
    assert_eq!(run_job(&world).await, 1);
    assert_eq!(kept(&world).await, Kept { rows: 1, loose: 0, bytes: 500, files: vec![left.clone()] });
    assert_eq!(run_job(&world).await, 0);
    assert_eq!(downloaded(&world, &linked(&ana, &at.id, &left).await).await, sealed_files::age(500));
}

#[api_test]
async fn a_deleted_itinerarys_files_are_all_deleted(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let other = ana.created(&itinerary_tests::bodies::on_day(2)).await;
    let left = small(&ana, &other.id).await;
    for _ in 0..3 {
        small(&ana, &at.id).await;
    }
    let seen = ana.viewed(&at.id).await;
    assert_eq!(ana.delete(&at).await.status, 409, "an older version deletes nothing");
    assert_eq!(kept(&world).await.loose, 0);
    assert_eq!(ana.delete(&seen).await.status, 204);
    let after = kept(&world).await;
    assert_eq!((after.rows, after.loose, after.bytes, after.files.len()), (1, 3, 500, 4));
    assert_eq!(run_job(&world).await, 3);
    assert_eq!(kept(&world).await, Kept { rows: 1, loose: 0, bytes: 500, files: vec![left] });
}

// The next run completes an interrupted one.
#[api_test]
async fn a_job_that_was_interrupted_ends_clean(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    for _ in 0..3 {
        small(&ana, &at.id).await;
    }
    assert_eq!(ana.delete(&ana.viewed(&at.id).await).await.status, 204);
    take_folder_away(&world);
    assert_eq!(run_job(&world).await, 0, "no file can be deleted");
    bring_folder_back(&world);
    let after = kept(&world).await;
    assert_eq!((after.loose, after.files.len()), (3, 3), "nothing is forgotten");
    assert_eq!(run_job(&world).await, 0, "they are tried again an hour later");
    world.clock.advance(TimeDelta::hours(1));
    // Killed between deleting a file and recording it.
    std::fs::remove_file(world.data().join("files/documents").join(&after.files[1])).expect("it is there");
    let (one, two) = join(delete_loose_files(world.service()), delete_loose_files(world.service())).await;
    assert!(one.expect("it can delete files") + two.expect("it can delete files") >= 3);
    assert_eq!(kept(&world).await, Kept::default());
}

#[api_test]
async fn unfinished_uploads_are_deleted_after_an_hour(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let form = Form::new().file(sealed_files::age(900_000)).end();
    let mut wire = Wire::to(&world).await;
    wire.send(head(&at.id, &ana.token, "Transfer-Encoding: chunked")).await;
    wire.send(in_chunks(&[&form[..700_000]])).await;
    super::written(&world).await;
    let during = kept(&world).await;
    assert_eq!((during.rows, during.loose, during.bytes, during.files.len()), (0, 1, 0, 1));
    // The upload may still be in progress.
    world.clock.advance(TimeDelta::minutes(59));
    assert_eq!(run_job(&world).await, 0);
    assert_eq!(kept(&world).await, during);
    world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(run_job(&world).await, 1);
    assert_eq!(kept(&world).await, Kept::default());
    // An upload that ends now is too late and leaves nothing.
    wire.send(in_chunks(&[&form[700_000..]])).await;
    wire.send(LAST_CHUNK).await;
    assert!(!wire.response().await.status.is_success());
    assert_eq!(kept(&world).await, Kept::default());
}

#[api_test]
async fn the_job_leaves_an_upload_alone_that_is_under_way(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let file = sealed_files::age(900_000);
    let form = Form::new().file(&file).end();
    let mut wire = Wire::to(&world).await;
    wire.send(head(&at.id, &ana.token, "Transfer-Encoding: chunked")).await;
    wire.send(in_chunks(&[&form[..700_000]])).await;
    super::written(&world).await;
    world.clock.advance(TimeDelta::minutes(30));
    assert_eq!(run_job(&world).await, 0);
    wire.send(in_chunks(&[&form[700_000..]])).await;
    wire.send(LAST_CHUNK).await;
    let response = wire.response().await;
    assert_eq!(response.status, 201, "{}", response.text());
    world.clock.advance(TimeDelta::minutes(29));
    assert_eq!(run_job(&world).await, 0);
    let url = linked(&ana, &at.id, &super::text(&response.json()["id"])).await;
    assert!(downloaded(&world, &url).await == file);
}

// A failure of the file store is a documented error, and its remains are deleted when the store works again.
#[api_test]
async fn a_file_store_that_fails_leaves_nothing_half_there(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, at) = ana(&world).await;
    let document = small(&ana, &at.id).await;
    let before = super::Before::of(&ana, &at.id).await;
    let url = linked(&ana, &at.id, &document).await;
    take_folder_away(&world);
    for size in [500, 900_000] {
        let refused = upload_file(&ana, &at.id, &sealed_files::age(size)).await;
        refused.expect_error(502, "upstreamFailed");
        assert!(!refused.header("retry-after").is_empty());
        assert!(!refused.text().contains("files"), "{}", refused.text());
    }
    let unreadable = super::follow(&world, &url).await;
    assert!(unreadable.status.is_server_error(), "{}", unreadable.status);
    assert_eq!(listed(&ana, &at.id).await.len(), 1);
    bring_folder_back(&world);
    assert_eq!(downloaded(&world, &url).await, sealed_files::age(500));
    world.clock.advance(TimeDelta::hours(1));
    run_job(&world).await;
    let ana = App::with_scope(&world, "ana", SCOPE).await;
    before.expect_unchanged(&ana, "an hour later").await;
}
