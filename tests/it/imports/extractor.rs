//! Files that the server does not read go through the operator's extractor, in a sandbox.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use itinerary_platform::settings::Config;
use itinerary_sdk::{ErrorExt, ImportFile, ImportOptions, code};
use itinerary_tests::{Sqlite, World};

const TRAIN: &str = r#"[{"@context": "http://schema.org", "@type": "TrainReservation", "modifiedTime": "2026-01-01T00:00:00",
    "reservationNumber": "R1", "reservationFor": {"@type": "TrainTrip", "trainNumber": "IC 523",
    "departureStation": {"@type": "TrainStation", "name": "Lisboa Oriente"}, "departureTime": "2027-05-16T08:39:00+01:00",
    "arrivalStation": {"@type": "TrainStation", "name": "Porto Campanhã"}, "arrivalTime": "2027-05-16T11:49:00+01:00"}}]"#;

/// Whether this machine can make the sandbox. In CI it must.
fn has_sandbox() -> bool {
    let made = std::process::Command::new("bwrap").args(["--unshare-all", "--ro-bind", "/", "/", "true"]).status();
    let made = made.is_ok_and(|status| status.success());
    assert!(made || std::env::var_os("CI").is_none(), "CI installs bubblewrap");
    if !made {
        eprintln!("skipped: bwrap cannot make a sandbox here");
    }
    made
}

/// A script as an extractor.
fn script(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("itinerary-extractor-{}-{name}", std::process::id()));
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a temporary folder");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    path
}

/// A world with this extractor.
async fn world(extractor: PathBuf) -> World {
    let configure = |config: &mut Config| config.import.extractor = Some(extractor.clone());
    World::start_with(Sqlite, configure).await.expect("a world")
}

const PDF: &str = "%PDF-1.7\n a ticket";

#[tokio::test(flavor = "multi_thread")]
async fn what_it_finds_is_imported() {
    if !has_sandbox() {
        return;
    }
    let echo = script("echo", &format!("read -r first && [ \"$first\" = %PDF-1.7 ] && cat <<'E'\n{TRAIN}\nE"));
    let world = world(echo).await;
    let client = world.client("ana").await;
    let found = client.import_read([ImportFile::new("ticket.pdf", PDF)], ImportOptions::default()).await.expect("read");
    let transport = &found.itinerary.transports.expect("a train")[0];
    assert_eq!(transport.number.as_deref(), Some("IC 523"));
    assert_eq!((&*found.items[0].file, found.ignored.len()), ("ticket.pdf", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_cannot_reach_the_network_or_files_nor_run_for_long() {
    if !has_sandbox() {
        return;
    }
    for (name, text) in [
        (
            "network",
            "[ \"$(ls /sys/class/net 2>/dev/null)\" ] || [ \"$(tail -n +3 /proc/net/dev | grep -v lo:)\" ] || exit 1",
        ),
        ("files", "ls /root /home /var /etc/passwd 2>/dev/null | grep -q . || exit 1"),
        ("failing", "exit 3"),
        ("loud", "exec yes"),
        ("memory", "head -c 300000000 /dev/zero | tail -c 290000000 | wc -c | grep -q 290000000 || exit 1"),
    ] {
        let extractor = script(name, &format!("{text}\ncat <<'E'\n{TRAIN}\nE"));
        let world = world(extractor).await;
        let client = world.client("ana").await;
        let read = client.import_read([ImportFile::new("ticket.pdf", PDF)], ImportOptions::default()).await;
        let error = read.expect_err(name);
        assert_eq!((error.code(), error.field()), (code::VALIDATION_FAILED, Some("file")), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn debians_extractor_reads_a_railways_text() {
    let folders = fs::read_dir("/usr/lib").expect("a system").flatten();
    let program =
        folders.map(|folder| folder.path().join("libexec/kf5/kitinerary-extractor")).find(|path| path.exists());
    assert!(program.is_some() || std::env::var_os("CI").is_none(), "CI installs libkpimitinerary-bin");
    let (Some(program), true) = (program, has_sandbox()) else { return };
    let world = world(program).await;
    let client = world.client("ana").await;
    let text =
        "PNR:1234567890,TRAIN:12138,DOJ:25-08-2027,TIME:05:15,SL,NDLS TO FDB,ANA REIS,S7 49,FARE:140,SC:10+PG CHGS.";
    let found = client.import_read([ImportFile::new("sms.txt", text)], ImportOptions::default()).await.expect("read");
    let transport = &found.itinerary.transports.expect("a train")[0];
    assert_eq!(transport.confirmation_number.as_deref(), Some("1234567890"));
    assert_eq!(transport.number.as_deref(), Some("12138"));
}
