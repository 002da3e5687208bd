//! Opening, migrating, refusing.

use itinerary_store::{DatabaseKind, Options, Store, StoreError};

use crate::engines::{at_once, on_each_empty_database, open};
use crate::fixtures::people;
use crate::sql::Connection;

#[tokio::test(flavor = "multi_thread")]
async fn migrating_twice_does_it_once() {
    on_each_empty_database(async |url| {
        let store = open(url).await;
        let expected = if url.starts_with("sqlite") { DatabaseKind::Sqlite } else { DatabaseKind::Postgres };
        assert_eq!(store.kind(), expected);
        store.ping().await.expect("a sign of life");
        let pending = store.pending().await.expect("read");
        assert!(pending > 0);
        assert_eq!(store.migrate().await.expect("migrated"), pending);
        assert_eq!(store.pending().await.expect("read"), 0);
        assert_eq!(store.migrate().await.expect("nothing to do"), 0);
        people(&store).await;
        store.close().await.expect("closed");
        let again = open(url).await;
        assert_eq!(again.migrate().await.expect("nothing to do"), 0);
        assert_eq!(again.account_list().await.expect("read").len(), 2, "what was stored is there");
        again.close().await.expect("closed");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_start_together_all_find_the_schema() {
    on_each_empty_database(async |url| {
        let applied = at_once(6, |_| {
            let url = url.to_owned();
            async move {
                let store = open(&url).await;
                let applied = store.migrate().await.expect("migrated by whomever");
                assert_eq!(store.pending().await.expect("read"), 0);
                store.close().await.expect("closed");
                applied
            }
        })
        .await;
        assert_eq!(applied.iter().filter(|applied| **applied > 0).count(), 1, "{applied:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_refused() {
    on_each_empty_database(async |url| {
        let store = open(url).await;
        store.migrate().await.expect("migrated");
        let other = Connection::open(url).await;
        let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m29990101_000001_later', 0)";
        other.execute(newer, []).await;
        other.close().await;
        for refused in [store.pending().await, store.migrate().await] {
            assert!(matches!(&refused, Err(StoreError::NewerSchema(name)) if name.contains("later")), "{refused:?}");
        }
        store.close().await.expect("closed");
    })
    .await;
}

#[tokio::test]
async fn addresses_that_cannot_work_are_refused() {
    for url in [
        "mysql://localhost/x",
        "store.sqlite",
        "",
        "sqlite::memory:",
        "sqlite:///no/such/folder/store.sqlite",
        "sqlite://x?mode=ro",
    ] {
        let refused = Store::open(url, &Options::default()).await;
        assert!(matches!(&refused, Err(StoreError::Address(_))), "{url}: {refused:?}");
    }
    let nobody = Store::open("postgres://nobody@127.0.0.1:1/none", &Options::default()).await;
    assert!(matches!(&nobody, Err(StoreError::Unavailable(_))), "{nobody:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("store.sqlite");
    let store = open(&format!("sqlite://{}", path.display())).await;
    store.migrate().await.expect("migrated");
    for name in ["store.sqlite", "store.sqlite-wal"] {
        let mode = std::fs::metadata(folder.path().join(name)).expect("it exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    store.close().await.expect("closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_of_another_process_is_waited_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite://{}", folder.path().join("store.sqlite").display());
    for full_sync in [false, true] {
        let options = Options { full_sync, ..Options::default() };
        let store = Store::open(&url, &options).await.expect("opens");
        store.migrate().await.expect("migrated");
        let other = Connection::open(&url).await;
        other.execute("BEGIN IMMEDIATE", []).await;
        let writing = tokio::spawn({
            let store = store.clone();
            async move { store.pause_set(Some(5), crate::fixtures::at(0)).await }
        });
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        assert!(!writing.is_finished(), "it waits");
        assert_eq!(store.pause().await.expect("readers do not wait"), None);
        other.execute("COMMIT", []).await;
        writing.await.expect("no panic").expect("then it writes");
        store.pause_set(None, crate::fixtures::at(1)).await.expect("written");
        other.close().await;
        store.close().await.expect("closed");
    }
}
