//! Opening, migrating, refusing.

use itinerary_store::{DatabaseKind, Options, Store, StoreError};

use crate::engines::{at_once, on_each_empty_database, open};
use crate::fixtures::{at, grant, hash, id, key, people, refresh, token};
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

/// Takes the last migration of grants back, so that a database is as a server of before left it.
const BEFORE_FAMILIES: [&str; 13] = [
    "DROP INDEX clients_fetched",
    "ALTER TABLE clients DROP COLUMN fetched_at",
    "DROP TABLE consent_answers",
    "DROP INDEX grants_family",
    "DROP INDEX grants_living",
    "DROP INDEX grants_expiry",
    "DROP INDEX grants_revoked",
    "ALTER TABLE grants DROP COLUMN family",
    "ALTER TABLE grants DROP COLUMN refresh_hash",
    "ALTER TABLE grants DROP COLUMN expires_at",
    "ALTER TABLE grants DROP COLUMN last_used_at",
    "CREATE INDEX grants_age ON grants (created_at)",
    "DELETE FROM seaql_migrations WHERE version = 'm20261123_000005_grants'",
];

#[tokio::test(flavor = "multi_thread")]
async fn refresh_tokens_of_before_there_were_families_go_on() {
    on_each_empty_database(async |url| {
        let store = open(url).await;
        store.migrate().await.expect("migrated");
        people(&store).await;
        store.grant_issue(&grant(id(7), id(1)), &token(10, 3600)).await.expect("issued");
        store.grant_issue(&grant(id(8), id(1)), &token(20, 3600)).await.expect("issued");
        store.close().await.expect("closed");

        let other = Connection::open(url).await;
        for statement in BEFORE_FAMILIES {
            other.execute(statement, []).await;
        }
        // Grant 7 has a used refresh token, 11, and an unused one, 12.
        let bytes = |number: usize| {
            let hex = format!("{number:016x}{}", "0".repeat(48));
            if url.starts_with("sqlite") { format!("X'{hex}'") } else { format!("'\\x{hex}'") }
        };
        for (number, from, used) in [(11, 0, "60000"), (12, 60, "NULL")] {
            let (issued, expires) = (at(from).timestamp_millis(), at(from + 9000).timestamp_millis());
            let rows = format!(
                "INSERT INTO tokens (hash, grant_id, kind, scope, resource, created_at, expires_at, used_at) \
                 SELECT {}, grant_id, 'refresh', scope, resource, {issued}, {expires}, {used} \
                 FROM tokens WHERE hash = {}",
                bytes(number),
                bytes(10),
            );
            assert_eq!(other.execute(&rows, []).await, 1);
        }
        other.close().await;

        let store = open(url).await;
        assert_eq!(store.migrate().await.expect("migrated"), 1);
        let page = store.grant_page(id(1), at(3599), None, 10).await.expect("read");
        let used: Vec<_> = page.iter().map(|app| (app.grant_id, app.last_used_at)).collect();
        assert_eq!(used, [(id(8), at(0)), (id(7), at(60))]);
        assert_eq!(store.grant_count(id(1), at(3600)).await.expect("read"), 1, "8 has no refresh token");
        assert!(store.caller(&hash(10), at(3599)).await.expect("read").is_some(), "access tokens live on");
        // By its own hash alone, for it has told no family yet.
        let family = store.refresh_family(key(5, 12)).await.expect("read").expect("found");
        assert_eq!((family.grant_id, family.current, family.expires_at), (id(7), Some(hash(12)), at(9060)));
        let reused = store.refresh_family(key(6, 11)).await.expect("read").expect("still known");
        assert_eq!((reused.grant_id, reused.current), (id(7), Some(hash(12))));
        let next = refresh(5, 13, 10_000);
        assert!(store.refresh_rotate(id(7), &hash(12), at(100), &token(14, 3700), &next).await.expect("answered"));
        for known in [key(5, 13), key(5, 12), key(6, 11)] {
            let family = store.refresh_family(known).await.expect("read").expect("found");
            assert_eq!((family.grant_id, family.current), (id(7), Some(hash(13))));
        }
        store.close().await.expect("closed");
    })
    .await;
}
