//! Snapshots, filling an empty database, and keeping files while a backup runs.

use chrono::TimeDelta;
use itinerary_store::{HELD_FOR, Snapshot, Store, StoreError, Table};

use crate::beside::with_an_itinerary;
use crate::engines::{on_each_empty_database, open};
use crate::fixtures::{at, id};

#[tokio::test]
async fn files_are_not_deleted_while_a_backup_runs() {
    with_an_itinerary(async |store, _| {
        store.loose_file_add(id(50), at(0)).await.expect("stored");
        let held = async |seconds| {
            let files = store.loose_files(at(seconds)).await.expect("read");
            assert_eq!(
                store.picture_file_in_use(id(60), at(seconds)).await.expect("read"),
                files.is_empty(),
                "{seconds}"
            );
            files.is_empty()
        };
        assert!(!held(10).await);
        for backup in [id(1), id(2)] {
            store.files_hold(backup, at(10)).await.expect("held");
        }
        assert!(held(11).await);
        // The other backup still runs.
        store.files_release(id(1), at(12)).await.expect("released");
        assert!(held(13).await);
        store.files_hold(id(2), at(70)).await.expect("renewed");
        assert!(held(69 + HELD_FOR.num_seconds()).await);
        assert!(!held(70 + HELD_FOR.num_seconds()).await, "a killed backup renews nothing");
        // The next backup removes what a killed one left.
        store.files_release(id(3), at(71) + HELD_FOR + TimeDelta::seconds(1)).await.expect("released");
        assert!(!held(20).await);
    })
    .await;
}

/// Everything that a PostgreSQL snapshot has.
async fn pieces(snapshot: &mut Snapshot) -> Vec<(usize, Vec<u8>)> {
    let mut pieces = Vec::new();
    for table in 0..snapshot.tables().len() {
        let read = snapshot.read_table(table, |piece| {
            pieces.push((table, piece.to_vec()));
            Ok::<_, StoreError>(())
        });
        read.await.expect("read");
    }
    pieces
}

#[tokio::test]
async fn a_snapshot_is_of_one_instant() {
    with_an_itinerary(async |store, _| {
        let folder = tempfile::tempdir().expect("a folder");
        let scratch = folder.path().join("snapshot");
        let mut snapshot = store.snapshot(&scratch).await.expect("a snapshot");
        store.loose_file_add(id(50), at(0)).await.expect("stored");
        crate::beside::create(&store, 11).await;
        let itineraries = snapshot.tables().iter().position(|table| table.name == "itineraries");
        if let Some(table) = itineraries {
            let of_itineraries: Vec<_> =
                pieces(&mut snapshot).await.into_iter().filter(|(of, _)| *of == table).collect();
            let rows = of_itineraries.iter().flat_map(|(_, piece)| piece).filter(|byte| **byte == b'\n').count();
            assert_eq!(rows, 1);
        } else {
            assert!(!scratch.exists(), "the copy has no name");
            let mut file = snapshot.database().expect("a file");
            std::io::copy(&mut file, &mut std::fs::File::create(&scratch).expect("a file")).expect("copied");
            assert_eq!(Store::migrations_of(&scratch).expect("read"), snapshot.migrations());
            let copy = open(&format!("sqlite://{}", scratch.display())).await;
            assert_eq!(copy.pending().await.expect("read"), 0);
            assert!(copy.loose_files(at(1)).await.expect("read").is_empty());
        }
        let files = snapshot.files().await.expect("read");
        assert_eq!((files.documents.len(), files.pictures.len()), (0, 0));
    })
    .await;
}

// Nothing is filled that does not fit, and nothing stays of a filling that was not committed.
#[tokio::test]
async fn only_an_empty_database_is_filled_and_all_at_once() {
    with_an_itinerary(async |store, _| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut snapshot = store.snapshot(&folder.path().join("snapshot")).await.expect("a snapshot");
        let (migrations, tables) = (snapshot.migrations().to_vec(), snapshot.tables().to_vec());
        if tables.is_empty() {
            return;
        }
        let pieces = pieces(&mut snapshot).await;
        assert!(store.fill(&migrations, &tables).await.expect("read").is_none(), "it is not empty");
        on_each_empty_database(async |url: &str| {
            if url.starts_with("sqlite") {
                return;
            }
            let empty = open(url).await;
            let unknown = [migrations.clone(), vec!["m20991231_later".to_owned()]].concat();
            assert!(matches!(empty.fill(&unknown, &tables).await, Err(StoreError::NewerSchema(_))));
            let evil = [tables.clone(), vec![Table { name: "pg_authid".to_owned(), columns: Vec::new() }]].concat();
            assert!(matches!(empty.fill(&migrations, &evil).await, Err(StoreError::Corrupt(_))));
            for commits in [false, true] {
                let mut filling = empty.fill(&migrations, &tables).await.expect("empty").expect("empty");
                for (table, piece) in &pieces {
                    filling.insert(*table, piece).await.expect("inserted");
                }
                if commits {
                    filling.commit().await.expect("committed");
                } else {
                    assert!(filling.insert(0, b"half a row").await.is_err());
                    drop(filling);
                }
            }
            assert_eq!(empty.pending().await.expect("read"), 0);
            assert!(empty.account(id(1)).await.expect("read").is_some());
            empty.close().await.expect("the store closes");
        })
        .await;
    })
    .await;
}
