//! A path is a path: folders and files of any name for the database, the files, backups and settings.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use itinerary_tests::program::{command, succeed};
use itinerary_tests::world::PASSWORD;
use rstest::rstest;
use tempfile::TempDir;
use tokio::process::Command;

/// A command on this data folder, started in a folder.
fn on(data: impl AsRef<OsStr>, within: &Path, words: &[&str]) -> Command {
    let mut command = command(words.iter().copied());
    command.arg("--data").arg(data).current_dir(within);
    command
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[rstest]
#[case::percent_sign("e%20p")]
#[case::percent_sign_alone("100%")]
#[case::question_mark("what?mode=memory")]
#[case::hash("a#b")]
#[case::blank("with a space")]
#[case::other_letters("Évora 東京")]
#[case::looks_like_an_address("ana:secret@db.example")]
#[case::looks_like_a_uri_of_sqlite("file:x?mode=memory")]
#[case::looks_like_memory(":memory:")]
#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_may_have_any_name(#[case] name: &str) {
    let parent = TempDir::new().expect("a folder");
    let within = parent.path();
    // Relative and absolute.
    let absolute = within.join(name);
    succeed(on(name, within, &["account", "create", "ana"]), &format!("{PASSWORD}\n")).await;
    assert_eq!(names(within), BTreeSet::from([name.to_owned()]), "nothing is beside it");
    assert!(
        absolute.join("itinerary.db").metadata().expect("a file").len() > 0 && absolute.join("server.key").exists()
    );
    assert!(succeed(on(&absolute, within, &["account", "list", "-q"]), "").await.contains("ana"));

    let backup = format!("{name}.tar");
    succeed(on(name, within, &["backup", &backup]), "").await;
    let restored = format!("restored {name}");
    succeed(on(&restored, within, &["restore", &backup]), "").await;
    assert!(succeed(on(&restored, within, &["account", "list", "-q"]), "").await.contains("ana"));
    assert_eq!(names(within), BTreeSet::from([name.to_owned(), backup, restored]));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;

    let parent = TempDir::new().expect("a folder");
    let name = OsStr::from_bytes(b"a\xff%20");
    succeed(on(name, parent.path(), &["account", "create", "ana"]), &format!("{PASSWORD}\n")).await;
    assert!(succeed(on(name, parent.path(), &["account", "list", "-q"]), "").await.contains("ana"));
    assert!(parent.path().join(name).join("itinerary.db").exists());
}
