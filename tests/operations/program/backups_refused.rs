//! Backups that cannot be written or must not be restored: nothing is left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Shell, Stdio};
use std::time::Duration;

use itinerary_tests::engines::Engine;
use itinerary_tests::program::{command, fail, make_account, succeed, words};
use itinerary_tests::{Database, Sqlite, api_test};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::slow::full_disk::Small;

/// The files of a data folder that a restore may leave: none.
fn left(engine: &Engine) -> Vec<String> {
    let entries = fs::read_dir(engine.data()).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect()
}

/// A backup of an account and its key.
async fn backup_of(database: Database) -> Option<(Engine, PathBuf)> {
    let engine = Engine::on(database)?;
    make_account(&engine, "ana").await;
    let file = engine.file("backup.tar");
    succeed(command(words(&engine, &["backup", &file.display().to_string()])), "").await;
    Some((engine, file))
}

async fn restore_fails(engine: &Engine, file: &Path) -> String {
    fail(command(words(engine, &["restore", &file.display().to_string()]))).await
}

#[api_test]
async fn nothing_is_overwritten(database: Database) {
    let Some((engine, file)) = backup_of(database).await else { return };
    let before = fs::read(&file).expect("the backup");
    let said = fail(command(words(&engine, &["backup", &file.display().to_string()]))).await;
    assert!(said.contains("exists already"), "{said}");
    assert_eq!(fs::read(&file).expect("the backup"), before);
    let said = restore_fails(&engine, &file).await;
    assert!(said.contains("restore to "), "{said}");
    assert!(succeed(command(words(&engine, &["account", "list", "-q"])), "").await.contains("ana"));

    // A file, a key, or files without a database are in the way too.
    if matches!(database, Sqlite) {
        for name in ["itinerary.db", "itinerary.db-wal", "server.key", "files/documents/x"] {
            let target = Engine::sqlite();
            let path = target.file(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, "x").expect("a file");
            let said = restore_fails(&target, &file).await;
            assert!(said.contains(name.split('/').next().expect("a name")), "{name}: {said}");
            assert_eq!(left(&target).len(), 1, "{name}");
        }
    } else {
        let said = restore_fails(&Engine::sqlite(), &file).await;
        assert!(said.contains("the backup is of PostgreSQL; it cannot be restored to SQLite"), "{said}");
    }
    let said = fail(command(words(&Engine::sqlite(), &["backup", "/dev/null/x"]))).await;
    assert!(said.contains("does not exist"), "{said}");

    // With this key the backup could not be restored.
    fs::write(engine.file("server.key"), "short").expect("a file");
    let second = engine.file("second.tar");
    let said = fail(command(words(&engine, &["backup", &second.display().to_string()]))).await;
    assert!(said.contains("must have 32 bytes") && !second.exists(), "{said}");
}

#[api_test]
async fn a_damaged_backup_is_not_restored(database: Database) {
    let Some((engine, file)) = backup_of(database).await else { return };
    let whole = fs::read(&file).expect("the backup");
    let Some(target) = Engine::on(database) else { return };
    let (damaged, pieces) = (engine.file("damaged.tar"), 6);
    for piece in 0..pieces {
        let at = whole.len() * piece / pieces;
        fs::write(&damaged, &whole[..at]).expect("a file");
        restore_fails(&target, &damaged).await;
        let mut changed = whole.clone();
        // Within the content, not in the padding.
        let at = (at..changed.len()).find(|at| changed[*at] != 0).expect("there is content");
        changed[at] ^= 1;
        fs::write(&damaged, changed).expect("a file");
        restore_fails(&target, &damaged).await;
    }
    for not_ours in ["", "{}", &"x".repeat(2048)] {
        fs::write(&damaged, not_ours).expect("a file");
        assert!(restore_fails(&target, &damaged).await.contains("not a backup"), "{not_ours}");
    }
    assert_eq!(left(&target), [""; 0]);
    // Nothing is in the way of the whole one.
    succeed(command(words(&target, &["restore", &file.display().to_string()])), "").await;
    assert_eq!(succeed(command(words(&target, &["account", "list", "-q"])), "").await, "ana\n");
}

/// An entry of a tar file.
struct Entry<'a> {
    name: &'a str,
    kind: u8,
    content: &'a [u8],
}

/// A tar file with these entries and their checksums, as a forger would write it.
fn forged(entries: &[Entry<'_>]) -> Vec<u8> {
    let (mut bytes, mut sums) = (Vec::new(), String::new());
    let mut put = |name: &str, kind: u8, content: &[u8]| {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000600\0");
        header[108..116].copy_from_slice(b"0000000\0");
        header[116..124].copy_from_slice(b"0000000\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[136..148].copy_from_slice(b"00000000000\0");
        header[148..156].fill(b' ');
        header[156] = kind;
        header[157..163].copy_from_slice(b"target");
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    };
    for Entry { name, kind, content } in entries {
        put(name, *kind, content);
        let hash = openssl::sha::sha256(content);
        let hash: Vec<String> = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        sums.extend([&hash.concat(), "  ", name, "\n"]);
    }
    put("sha256sums", b'0', sums.as_bytes());
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// The description and the database of a backup.
fn parts(tar: &[u8]) -> (Value, Vec<u8>) {
    let content = |name: &str| {
        let at = (0..tar.len()).step_by(512).find(|at| tar[*at..].starts_with(name.as_bytes())).expect(name);
        let size = std::str::from_utf8(&tar[at + 124..at + 135]).expect("digits");
        let size = usize::from_str_radix(size.trim_start_matches(' '), 8).expect("a size");
        tar[at + 512..at + 512 + size].to_vec()
    };
    (serde_json::from_slice(&content("backup.json")).expect("JSON"), content("database/itinerary.db"))
}

// Names that leave the folder, links, a name twice, wrong sizes: refused before anything is in its place.
#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_backup_stays_in_its_folder() {
    let (engine, file) = backup_of(Sqlite).await.expect("SQLite is there");
    let (description, database) = parts(&fs::read(&file).expect("the backup"));
    let text = description.to_string();
    let first = || Entry { name: "backup.json", kind: b'0', content: text.as_bytes() };
    let second = || Entry { name: "database/itinerary.db", kind: b'0', content: &database };
    let (id, hostile) = ("0198c0de-0000-7000-8000-00000000000a", engine.file("hostile.tar"));
    let target = Engine::sqlite();
    for (name, kind) in [
        ("files/documents/../../../evil", b'0'),
        ("files/../../evil", b'0'),
        ("/tmp/itinerary-evil", b'0'),
        ("files/documents/x", b'0'),
        (&*format!("files/documents/{id}/x"), b'0'),
        (&*format!("files/documents/{id}"), b'2'),
        (&*format!("files/documents/{id}"), b'1'),
        (&*format!("files/documents/{id}"), b'5'),
        (&*format!("files/documents/{id}"), b'L'),
        ("server.key", b'0'),
        ("database/itinerary.db", b'0'),
        ("server.key2", b'0'),
    ] {
        let evil = Entry { name, kind, content: b"evil" };
        fs::write(&hostile, forged(&[first(), second(), evil])).expect("a file");
        let said = restore_fails(&target, &hostile).await;
        assert!(said.contains("damaged"), "{name}: {said}");
        assert_eq!(left(&target), [""; 0], "{name}");
    }
    assert!(!Path::new("/tmp/itinerary-evil").exists());
    // The same with a document, to know that the forger's checksums are right.
    let name = format!("files/documents/{id}");
    let harmless = Entry { name: &name, kind: b'0', content: b"sealed" };
    fs::write(&hostile, forged(&[first(), second(), harmless])).expect("a file");
    succeed(command(words(&target, &["restore", &hostile.display().to_string()])), "").await;

    let mut newer = description.clone();
    newer["migrations"].as_array_mut().expect("a list").push(json!("m20991231_000001_later"));
    let mut other = description.clone();
    other["format"] = json!(2);
    for (description, word) in [(newer, "newer than this program"), (other, "format 2"), (json!({}), "format null")] {
        let text = description.to_string();
        let first = Entry { name: "backup.json", kind: b'0', content: text.as_bytes() };
        fs::write(&hostile, forged(&[first, second()])).expect("a file");
        let target = Engine::sqlite();
        let said = restore_fails(&target, &hostile).await;
        assert!(said.contains(word), "{said}");
        assert_eq!(left(&target), [""; 0]);
    }
}

#[api_test]
async fn a_full_disk_leaves_no_file(database: Database) {
    let Some(engine) = Engine::on(database) else { return };
    succeed(command(words(&engine, &["demo", "--itineraries", "400"])), "").await;
    let mut to_full = command(words(&engine, &["backup", "-"]));
    to_full.stdout(fs::File::options().write(true).open("/dev/full").expect("a device"));
    let output = to_full.spawn().expect("it starts").wait_with_output().await.expect("it ran");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("No space left"), "{said}");
    let Some(small) = Small::mount(1) else { return };
    let file = small.path().join("backup.tar").display().to_string();
    let said = fail(command(words(&engine, &["backup", &file]))).await;
    assert!(said.contains("full") || said.contains("No space left"), "{said}");
    assert_eq!(fs::read_dir(small.path()).expect("the folder").count(), 0, "{said}");

    // A restore to a full disk leaves nothing either.
    let file = engine.file("backup.tar").display().to_string();
    succeed(command(words(&engine, &["backup", &file])), "").await;
    if matches!(database, Sqlite) {
        let data = small.path().join("data").display().to_string();
        let said = fail(command(["restore", &*file, "--data", &data])).await;
        assert!(said.contains("No space left"), "{said}");
        assert_eq!(fs::read_dir(&data).map_or(0, Iterator::count), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_backup_leaves_no_file_that_passes_for_one() {
    let engine = Engine::sqlite();
    succeed(command(words(&engine, &["demo", "--itineraries", "400"])), "").await;
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("backup.tar");
    let names = || fs::read_dir(folder.path()).expect("the folder").count();
    let kills = (0..12).map(|n| ("-KILL", true, Duration::from_millis(4 * n)));
    let interruptions = [("-TERM", false, Duration::ZERO), ("-INT", false, Duration::ZERO)];
    for (signal, leftovers, after) in kills.chain(interruptions) {
        for name in ["partial", "snapshot", "snapshot-journal"] {
            let _ = fs::remove_file(folder.path().join(format!("backup.tar.{name}")));
        }
        let mut backup = command(words(&engine, &["backup", &file.display().to_string()]));
        let mut child = backup.stdin(Stdio::null()).spawn().expect("it starts");
        while !folder.path().join("backup.tar.partial").exists() {
            assert!(child.try_wait().expect("it runs").is_none(), "it ended before it was killed");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // At another moment of its work each time.
        tokio::time::sleep(after).await;
        if child.try_wait().expect("it ran").is_some() {
            fs::remove_file(&file).expect("it was complete");
            continue;
        }
        let id = child.id().expect("it runs").to_string();
        assert!(Shell::new("kill").args([signal, &id]).status().expect("kill runs").success());
        assert!(!child.wait().await.expect("it ran").success(), "{signal}");
        assert!(!file.exists(), "{signal} {after:?}");
        assert!(leftovers || names() == 0, "{signal}: {} files are left", names());
        for entry in fs::read_dir(folder.path()).expect("the folder") {
            let (name, content) =
                (entry.as_ref().expect("a file").file_name(), fs::read(entry.expect("a file").path()));
            // A journal of a new database has only a header.
            let has_text =
                content.expect("it is read").windows(4).any(|bytes| bytes.iter().all(u8::is_ascii_alphanumeric));
            assert!(!has_text, "{after:?}: {name:?} has something of the database");
        }
    }
    // The remains of a killed one are replaced.
    for name in ["partial", "snapshot", "snapshot-journal"] {
        fs::write(folder.path().join(format!("backup.tar.{name}")), "half").expect("a file");
    }
    succeed(command(words(&engine, &["backup", &file.display().to_string()])), "").await;
    assert_eq!(names(), 1);
    let target = Engine::sqlite();
    succeed(command(words(&target, &["restore", &file.display().to_string()])), "").await;
}
