//! Opening, migrating, refusing.

use itinerary_model::MemberRole;
use itinerary_store::{
    CreateOutcome, DatabaseKind, Idempotent, Matching, MemberOutcome, Options, Quotas, Store, StoreError,
};
use test_support::sql::Connection;

use crate::engines::{at_once, on_each_empty_database, open};
use crate::explore::published;
use crate::fixtures::{access, at, grant, hash, id, itinerary, key, people, refresh, token};

/// Migrates; returns how many migrations it applied.
async fn applied(store: &Store) -> usize {
    store.migrate().await.expect("migrated").len()
}

#[tokio::test(flavor = "multi_thread")]
async fn migrating_twice_does_it_once() {
    on_each_empty_database(async |url| {
        let store = open(url).await;
        let expected = if url.starts_with("sqlite") { DatabaseKind::Sqlite } else { DatabaseKind::Postgres };
        assert_eq!(store.kind(), expected);
        store.ping().await.expect("a sign of life");
        let pending = store.pending().await.expect("read");
        assert!(pending > 0);
        assert_eq!(applied(&store).await, usize::try_from(pending).expect("few"));
        assert_eq!(store.pending().await.expect("read"), 0);
        assert_eq!(applied(&store).await, 0);
        people(&store).await;
        store.close().await.expect("closed");
        let again = open(url).await;
        assert_eq!(applied(&again).await, 0);
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
                let applied = applied(&store).await;
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
        for refused in [store.pending().await.map(drop), store.migrate().await.map(drop)] {
            assert!(matches!(&refused, Err(StoreError::NewerSchema(name)) if name.contains("later")), "{refused:?}");
        }
        store.close().await.expect("closed");
    })
    .await;
}

#[tokio::test]
async fn addresses_that_cannot_work_are_refused() {
    for url in ["mysql://localhost/x", "store.sqlite", "", "sqlite::memory:", "sqlite://x?mode=ro"] {
        let refused = Store::open(url, &Options::default()).await;
        assert!(matches!(&refused, Err(StoreError::Address(_))), "{url}: {refused:?}");
    }
    let nowhere = Store::open("sqlite:///no/such/folder/store.sqlite", &Options::default()).await;
    assert!(matches!(&nowhere, Err(StoreError::File(..))), "{nowhere:?}");
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

/// Reverts the last migration of grants, as if an older server had left the database.
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
        assert_eq!(applied(&store).await, 1);
        let page = store.grant_page(id(1), at(3599), None, 10).await.expect("read");
        let used: Vec<_> = page.iter().map(|app| (app.grant_id, app.last_used_at)).collect();
        assert_eq!(used, [(id(8), at(0)), (id(7), at(60))]);
        assert_eq!(store.grant_count(id(1), at(3600)).await.expect("read"), 1, "8 has no refresh token");
        assert!(store.caller(&access(10), at(3599)).await.expect("read").is_some(), "access tokens live on");
        // By its own hash, because it has no family yet.
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

/// Reverts the migration of quotas, for both engines.
const BEFORE_GROWTH: [&str; 11] = [
    "DELETE FROM seaql_migrations WHERE version = 'm20261123_000006_growth'",
    "ALTER TABLE account_counters DROP COLUMN itineraries",
    "CREATE INDEX members_account ON members (account_id)",
    "DROP INDEX members_of_owner",
    "ALTER TABLE members DROP COLUMN owner_id",
    "DROP TABLE answer_usage",
    "ALTER TABLE idempotency DROP COLUMN number",
    "ALTER TABLE idempotency DROP COLUMN bytes_before",
    "CREATE INDEX reports_itinerary ON reports (itinerary_id)",
    "DROP INDEX reports_reporter",
    "DROP INDEX explore_published",
];

/// The same for SQLite's text index, which had all prefixes.
const WORDS_BEFORE_GROWTH: [&str; 4] = [
    "DROP TABLE explore_vocabulary",
    "DROP TABLE explore_words",
    "CREATE VIRTUAL TABLE explore_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, \
     tokenize = \"ascii tokenchars '_'\", prefix = '1 2 3 4 5 6 7 8 9 10 11 12')",
    "INSERT INTO explore_words (rowid, words) SELECT place, words FROM explore",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_database_from_before_quotas_is_counted_and_its_words_are_indexed_anew() {
    on_each_empty_database(async |url| {
        let store = open(url).await;
        store.migrate().await.expect("migrated");
        people(&store).await;
        store
            .seed((0..30).map(|place| published(place, &format!("journey{place} lisbon"))).collect(), at(0))
            .await
            .expect("stored");
        store.follow_set(id(2), id(1), at(0)).await.expect("stored");
        assert!(matches!(
            store.member_set(id(1_000), id(2), MemberRole::Viewer, at(0)).await,
            Ok(MemberOutcome::Set(_))
        ));
        store.close().await.expect("closed");
        let other = Connection::open(url).await;
        let words = if url.starts_with("sqlite") { &WORDS_BEFORE_GROWTH[..] } else { &[] };
        for statement in BEFORE_GROWTH.iter().chain(words) {
            other.execute(statement, []).await;
        }
        other.close().await;

        let quotas = Quotas { itineraries: 31, ..Quotas::default() };
        let store = open(url).await.with_quotas(quotas);
        assert_eq!(applied(&store).await, 1);
        for (beginning, expected) in
            [("journey2", vec![2, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]), ("lisb", (0..30).collect())]
        {
            let matching = Matching { words: vec![beginning.to_owned()], regions: Vec::new() };
            let found = store.explore_search(id(1), &matching, None, 40).await.expect("read");
            assert_eq!(found.into_iter().map(|(place, _)| place).collect::<Vec<_>>(), expected);
        }
        let create =
            async |number| store.itinerary_create(itinerary(number), None, None, at(0)).await.expect("answered");
        assert_eq!(create(1).await, Idempotent::Executed(CreateOutcome::Created));
        assert_eq!(create(2).await, Idempotent::Executed(CreateOutcome::Full), "what was there is counted");
        // A block finds the memberships by their owner.
        store.block_set(id(2), id(1), at(0)).await.expect("blocked");
        assert!(
            store.members(id(1_000)).await.expect("read").is_empty(),
            "the membership that was there has its owner"
        );
        store.close().await.expect("closed");
    })
    .await;
}
